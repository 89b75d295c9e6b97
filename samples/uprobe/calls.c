// SPDX-License-Identifier: MIT
/*
 * calls: a small ltrace for any function of a program. It starts COMMAND, and prints each call of
 * the functions named, with their first three integer arguments, and what they return.
 *
 *	calls FUNCTION[,FUNCTION...] COMMAND [ARGUMENT...]
 *
 * The functions are those of the symbol tables (.symtab, .dynsym) of COMMAND and of the libraries
 * that it is linked with. It shows libtrawl-uprobe: a child that waits, probe points, returns,
 * registers, memory, threads and the end.
 */
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#include "uprobe/trawl-uprobe.h"

#define MAX_FUNCTIONS 64
/* Ids of registrations: the function's number, and for its return this more. */
#define RETURN MAX_FUNCTIONS
#define EXEC (2 * MAX_FUNCTIONS)
#define ENTRY (EXEC + 1)
#define MAX_THREADS 64

struct function {
	const char *name;
	unsigned long address;	/* 0: not found */
	bool returns;		/* are shown */
};

/* How many calls of a thread have not returned. */
struct thread {
	pid_t tid;
	int depth;
};

static void die(const char *what)
{
	fprintf(stderr, "calls: %s: %s\n", what, uprobe_error());
	exit(3);
}

/* A mapped file whose parts are looked at only if they lie in it. */
struct file {
	const unsigned char *bytes;
	size_t size;
};

static const void *part(const struct file *file, uint64_t offset, uint64_t size)
{
	return offset <= file->size && size <= file->size - offset ? file->bytes + offset : NULL;
}

static void find_in(const struct file *file, const Elf64_Shdr *symbols, const Elf64_Shdr *strings,
		    unsigned long base, struct function *functions, int count)
{
	const Elf64_Sym *symbol = part(file, symbols->sh_offset, symbols->sh_size);
	const char *names = part(file, strings->sh_offset, strings->sh_size);

	if (!symbol || !names || !strings->sh_size || names[strings->sh_size - 1])
		return;
	for (size_t n = symbols->sh_size / sizeof(*symbol); n; n--, symbol++)
		for (int i = 0; i < count; i++)
			if (!functions[i].address && ELF64_ST_TYPE(symbol->st_info) == STT_FUNC &&
			    symbol->st_value && symbol->st_name < strings->sh_size &&
			    !strcmp(names + symbol->st_name, functions[i].name))
				functions[i].address = base + symbol->st_value;
}

/* The file is an ELF program or library for this machine. */
static bool open_file(const char *path, struct file *file)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	const Elf64_Ehdr *header;
	struct stat status;

	if (fd < 0)
		return false;
	file->size = fstat(fd, &status) < 0 ? 0 : (size_t)status.st_size;
	file->bytes = file->size < sizeof(*header)
			      ? MAP_FAILED
			      : mmap(NULL, file->size, PROT_READ, MAP_PRIVATE, fd, 0);
	close(fd);
	header = (const void *)file->bytes;
	return file->bytes != MAP_FAILED && !memcmp(header->e_ident, ELFMAG, SELFMAG) &&
	       header->e_ident[EI_CLASS] == ELFCLASS64;
}

/* Of a file that is mapped from `start` on. */
static void find_functions(const struct file *file, unsigned long start, struct function *functions,
			   int count)
{
	const Elf64_Ehdr *header = (const void *)file->bytes;
	const Elf64_Shdr *sections =
		part(file, header->e_shoff, (uint64_t)header->e_shnum * sizeof(*sections));

	for (int i = 0; sections && i < header->e_shnum; i++)
		if ((sections[i].sh_type == SHT_SYMTAB || sections[i].sh_type == SHT_DYNSYM) &&
		    sections[i].sh_link < header->e_shnum)
			find_in(file, &sections[i], &sections[sections[i].sh_link],
				header->e_type == ET_EXEC ? 0 : start, functions, count);
}

/*
 * In all files that the process has mapped, in the order of their addresses: the program's own come
 * first.
 */
static void find_in_process(pid_t pid, struct function *functions, int count)
{
	char line[4352], name[32], *path;
	struct file file;
	FILE *maps;

	snprintf(name, sizeof(name), "/proc/%d/maps", pid);
	maps = fopen(name, "re");
	while (maps && fgets(line, sizeof(line), maps)) {
		line[strcspn(line, "\n")] = '\0';
		path = strchr(line, '/');
		/* The mapping of a file's beginning: START-END PERMISSIONS OFFSET ... */
		if (path && strstr(line, " 00000000 ") && open_file(path, &file)) {
			find_functions(&file, strtoul(line, NULL, 16), functions, count);
			munmap((void *)file.bytes, file.size);
		}
	}
	if (maps)
		fclose(maps);
}

/* Where the program begins to run itself, its libraries loaded: as its kernel tells it. */
static unsigned long entry_of(pid_t pid)
{
	unsigned long pair[2] = { 0 }, entry = 0;
	char name[32];
	FILE *auxv;

	snprintf(name, sizeof(name), "/proc/%d/auxv", pid);
	auxv = fopen(name, "re");
	while (auxv && !entry && fread(pair, sizeof(pair), 1, auxv) == 1)
		if (pair[0] == AT_ENTRY)
			entry = pair[1];
	if (auxv)
		fclose(auxv);
	return entry;
}

/* A child that waits for a byte, and becomes COMMAND. */
static pid_t start(char **command, int *go)
{
	int ends[2];
	pid_t pid;
	char c;

	if (pipe2(ends, O_CLOEXEC) < 0)
		return -1;
	pid = fork();
	if (!pid) {
		if (read(ends[0], &c, 1) == 1)
			execvp(command[0], command);
		fprintf(stderr, "calls: %s: %s\n", command[0], strerror(errno));
		_exit(127);
	}
	close(ends[0]);
	*go = ends[1];
	return pid;
}

static void watch(pid_t pid, struct function *functions, int count)
{
	for (int i = 0; i < count; i++) {
		struct uprobe u = { .id = (unsigned long)i, .event = UPEV_BKPT, .who = pid,
				    .where = functions[i].address };

		if (!functions[i].address) {
			fprintf(stderr, "calls: %s: no such function; see nm\n", functions[i].name);
			kill(pid, SIGKILL);
			exit(2);
		}
		if (uprobe_register(&u) < 0)
			die(functions[i].name);
		u.id += RETURN;
		u.event = UPEV_FUNCRET;
		functions[i].returns = uprobe_register(&u) == 0;
		if (!functions[i].returns && errno != EOPNOTSUPP)
			die(functions[i].name);
		if (!functions[i].returns)
			fprintf(stderr, "calls: %s: without its returns: %s\n", functions[i].name,
				uprobe_error());
	}
}

/* An argument that points to printable text is shown as that, too. */
static void show_argument(pid_t tid, unsigned long long value)
{
	char text[24] = "";
	ssize_t length = value > 4096 ? uprobe_read(tid, value, text, sizeof(text) - 1) : -1;
	size_t printable = 0;

	while (length > 0 && printable < (size_t)length && text[printable] >= ' ' &&
	       text[printable] < 127)
		printable++;
	if (printable > 1 && (size_t)length > printable && !text[printable])
		printf("0x%llx \"%s\"", value, text);
	else
		printf("0x%llx", value);
}

static struct thread *thread_of(struct thread *threads, pid_t tid)
{
	int i;

	for (i = 0; i < MAX_THREADS - 1 && threads[i].tid && threads[i].tid != tid; i++)
		;
	threads[i].tid = tid;
	return &threads[i];
}

static void show(const struct uprobe *u, const struct function *functions, struct thread *threads)
{
	struct user_regs_struct regs;
	struct uprobe_hit hit;
	struct thread *thread;

	uprobe_last_hit(&hit);
	if (uprobe_get_registers(hit.tid, &regs) < 0)
		return;
	thread = thread_of(threads, hit.tid);
	if (hit.tid != u->who)
		printf("[%d] ", hit.tid);
	if (u->id >= RETURN) {
		thread->depth -= thread->depth > 0;
		printf("%*s%s = 0x%llx\n", 2 * thread->depth, "", functions[u->id - RETURN].name,
		       regs.rax);
		return;
	}
	printf("%*s%s(", 2 * thread->depth, "", functions[u->id].name);
	thread->depth += functions[u->id].returns;
	show_argument(hit.tid, regs.rdi);
	printf(", ");
	show_argument(hit.tid, regs.rsi);
	printf(", ");
	show_argument(hit.tid, regs.rdx);
	printf(")\n");
}

/* Lets the program run until this event. */
static void run_to(pid_t pid, unsigned long id, enum uprobe_event event, unsigned long where,
		   int go)
{
	struct uprobe u = { .id = id, .event = event, .who = pid, .where = where };

	if (uprobe_register(&u) < 0 || uprobe_arm() < 0 || (go >= 0 && write(go, "", 1) != 1) ||
	    uprobe_poll(&u, -1) != 1)
		die("the program");
}

int main(int argc, char **argv)
{
	struct function functions[MAX_FUNCTIONS] = { 0 };
	struct thread threads[MAX_THREADS] = { 0 };
	struct uprobe u;
	int count = 0, go, status;
	pid_t pid;

	if (argc < 3) {
		fprintf(stderr, "usage: calls FUNCTION[,FUNCTION...] COMMAND [ARGUMENT...]\n");
		return 2;
	}
	for (char *name = strtok(argv[1], ","); name; name = strtok(NULL, ",")) {
		if (count == MAX_FUNCTIONS) {
			fprintf(stderr, "calls: at most %d functions\n", MAX_FUNCTIONS);
			return 2;
		}
		functions[count++].name = name;
	}
	pid = start(argv + 2, &go);
	if (pid < 0)
		return 3;
	run_to(pid, EXEC, UPEV_EXEC, 0, go);
	run_to(pid, ENTRY, UPEV_BKPT, entry_of(pid), -1);
	find_in_process(pid, functions, count);
	watch(pid, functions, count);
	uprobe_every();
	while (uprobe_poll(&u, -1) == 1)
		if (u.id < EXEC)
			show(&u, functions, threads);
	if (errno != ESRCH)
		die("poll");
	waitpid(pid, &status, 0);
	return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}
