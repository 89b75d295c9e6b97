/* SPDX-License-Identifier: MIT */
/*
 * Loaded into a reading program (LD_PRELOAD): simulates a compromised parser. At the first checksum
 * of file contents it makes the system call that ATTEMPT names, bypassing libc, and prints the
 * result on stderr: "attempt: 0" or "attempt: ERRNO". ATTEMPT_LATER, a comma-separated list of
 * calls, does so after the recorder has dropped its privileges.
 */
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/ptrace.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

uint64_t XXH64(const void *p, size_t n, uint64_t seed);
uint64_t XXH3_64bits(const void *p, size_t n);

static char here[] = "/proc/self/fd/2", there[] = "/tmp/trawl-attempt", root[] = "/";
static char *const no_arguments[] = {(char *)"/bin/true", NULL};

struct call {
	const char *name;
	long number, arg[6];
};

#define P(x) ((long)(intptr_t)(x))
static const struct call calls[] = {
	{"open", SYS_openat, {AT_FDCWD, P("/etc/passwd"), O_RDONLY}},
	{"open-old", SYS_open, {P("/etc/passwd"), O_RDONLY}},
	{"open-own", SYS_openat, {AT_FDCWD, P(here), O_RDWR}},
	{"create", SYS_openat, {AT_FDCWD, P(there), O_WRONLY | O_CREAT, 0600}},
	{"openat2", SYS_openat2, {AT_FDCWD, P(root), P(there), 24}},
	{"stat", SYS_stat, {P("/etc/passwd"), P(there)}},
	{"execve", SYS_execve, {P("/bin/true"), P(no_arguments), 0}},
	{"execveat", SYS_execveat, {AT_FDCWD, P("/bin/true"), P(no_arguments), 0, 0}},
	{"fork", SYS_fork, {0}},
	{"vfork", SYS_vfork, {0}},
	{"clone", SYS_clone, {SIGCHLD}},
	{"clone3", SYS_clone3, {0, 64}},
	{"socket", SYS_socket, {AF_INET, SOCK_STREAM, 0}},
	{"unix", SYS_socket, {AF_UNIX, SOCK_DGRAM, 0}},
	{"sendto", SYS_sendto, {2, P(here), 1, 0, 0, 0}},
	{"ptrace", SYS_ptrace, {PTRACE_TRACEME, 0, 0, 0}},
	{"kill", SYS_kill, {1, 0}},
	{"tgkill", SYS_tgkill, {1, 1, 0}},
	{"unlink", SYS_unlink, {P(there)}},
	{"rename", SYS_renameat2, {AT_FDCWD, P(there), AT_FDCWD, P(there), 0}},
	{"link", SYS_linkat, {AT_FDCWD, P(there), AT_FDCWD, P(there), 0}},
	{"symlink", SYS_symlinkat, {P(there), AT_FDCWD, P(there)}},
	{"mkdir", SYS_mkdirat, {AT_FDCWD, P(there), 0700}},
	{"chmod", SYS_fchmodat, {AT_FDCWD, P(there), 0777}},
	{"mount", SYS_mount, {P("none"), P(root), P("tmpfs"), 0, 0}},
	{"bpf", SYS_bpf, {0, 0, 0}},
	{"perf", SYS_perf_event_open, {0, 0, -1, -1, 0}},
	{"memfd", SYS_memfd_create, {P("x"), 0}},
	{"io_uring", SYS_io_uring_setup, {1, 0}},
	{"setuid", SYS_setuid, {0}},
	{"unshare", SYS_unshare, {CLONE_NEWUSER}},
	{"type", SYS_ioctl, {2, TIOCSTI, P("x")}},
	{"limit", SYS_prlimit64, {0, 7, P(there), 0}},
	{"run-memory",
	 SYS_mmap,
	 {0, 4096, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0}},
	{"init_module", SYS_init_module, {0, 0, 0}},
	{"clock_settime", SYS_clock_settime, {CLOCK_REALTIME, 0}},
	{"process_vm_writev", SYS_process_vm_writev, {1, 0, 0, 0, 0, 0}},
	{"nonsense", 100000, {0}},
	/* allowed calls */
	{"getpid", SYS_getpid, {0}},
	{"dup", SYS_dup, {2}},
};

static void call_by_name(const char *name, size_t len, const char *before)
{
	char line[80];
	long got;

	for (size_t i = 0; i < sizeof(calls) / sizeof(calls[0]); i++) {
		const struct call *c = &calls[i];

		if (strlen(c->name) != len || memcmp(c->name, name, len))
			continue;
		got = syscall(c->number, c->arg[0], c->arg[1], c->arg[2], c->arg[3], c->arg[4],
			      c->arg[5]);
		snprintf(line, sizeof(line), "%sattempt: %d\n", before, got < 0 ? errno : 0);
		if (write(2, line, strlen(line)) < 0)
			_exit(99);
	}
}

static int is_confined(void)
{
	FILE *f = fopen("/proc/thread-self/status", "re");
	char line[200];
	int found = 0;

	while (f && !found && fgets(line, sizeof(line), f))
		found = !strcmp(line, "NoNewPrivs:\t1\n");
	if (f)
		fclose(f);
	return found;
}

static void attempt(void)
{
	static int done;
	const char *name = getenv("ATTEMPT"), *later = getenv("ATTEMPT_LATER");
	char before[40];
	size_t len;

	if (done || (later && !is_confined()))
		return;
	done = 1;
	if (name && !later)
		call_by_name(name, strlen(name), "");
	for (; later && *later; later += len + (later[len] == ',')) {
		len = strcspn(later, ",");
		snprintf(before, sizeof(before), "%.*s ", (int)len, later);
		call_by_name(later, len, before);
	}
}

uint64_t XXH64(const void *p, size_t n, uint64_t seed)
{
	static uint64_t (*next)(const void *, size_t, uint64_t);

	if (!next)
		next = (uint64_t (*)(const void *, size_t, uint64_t))dlsym(RTLD_NEXT, "XXH64");
	attempt();
	return next(p, n, seed);
}

uint64_t XXH3_64bits(const void *p, size_t n)
{
	static uint64_t (*next)(const void *, size_t);

	if (!next)
		next = (uint64_t (*)(const void *, size_t))dlsym(RTLD_NEXT, "XXH3_64bits");
	attempt();
	return next(p, n);
}
