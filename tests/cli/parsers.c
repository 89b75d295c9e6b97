/* SPDX-License-Identifier: MIT */
/*
 * Loaded into trawl (LD_PRELOAD): counts calls that open a program with libelf or libdw, separately
 * for the initial process and for its forked children, in a file mapped by both (PARSERS=FILE, two
 * 64-bit numbers). PARSERS_CRASH=1: a forked process is killed by a signal instead.
 */
#include <dlfcn.h>
#include <fcntl.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

typedef void *begin_fn(int fd, int how, void *ref);
typedef void *memory_fn(char *image, size_t size);

static _Atomic uint64_t *counts; /* in the recorder, in others */
static pid_t recorder;

__attribute__((constructor)) static void set_up(void)
{
	const char *path = getenv("PARSERS");
	int fd = path ? open(path, O_RDWR | O_CLOEXEC) : -1;
	void *p = fd < 0 ? MAP_FAILED : mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);

	counts = p == MAP_FAILED ? NULL : p;
	recorder = getpid();
	if (fd >= 0)
		close(fd);
}

static void count(void)
{
	int child = getpid() != recorder;

	if (counts)
		atomic_fetch_add(&counts[child], 1);
	if (child && getenv("PARSERS_CRASH"))
		raise(SIGKILL);
}

static void *next(const char *name)
{
	void *f = dlsym(RTLD_NEXT, name);

	if (!f)
		abort();
	return f;
}

void *elf_begin(int fd, int how, void *ref);
void *elf_begin(int fd, int how, void *ref)
{
	count();
	return ((begin_fn *)next("elf_begin"))(fd, how, ref);
}

void *elf_memory(char *image, size_t size);
void *elf_memory(char *image, size_t size)
{
	count();
	return ((memory_fn *)next("elf_memory"))(image, size);
}

void *dwarf_begin_elf(void *elf, int how, void *group);
void *dwarf_begin_elf(void *elf, int how, void *group)
{
	count();
	return ((void *(*)(void *, int, void *))next("dwarf_begin_elf"))(elf, how, group);
}
