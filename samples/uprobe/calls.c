// SPDX-License-Identifier: MIT
/*
 * calls: a small ltrace for any function of a program. It starts COMMAND, and prints each call of the
 * functions named, with their first three integer arguments, and what they return.
 *
 *	calls FUNCTION[,FUNCTION...] COMMAND [ARGUMENT...]
 *
 * The functions are those of COMMAND's own symbol table (.symtab or .dynsym).
 * It shows libtrawl-uprobe: a child that waits, probe points, returns, registers, memory and the end.
 */
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
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

struct function {
	const char *name;
	unsigned long value;	/* as its file says; 0: not found */
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
		    struct function *functions, int count)
{
	const Elf64_Sym *symbol = part(file, symbols->sh_offset, symbols->sh_size);
	const char *names = part(file, strings->sh_offset, strings->sh_size);

	if (!symbol || !names || !strings->sh_size || names[strings->sh_size - 1])
		return;
	for (size_t n = symbols->sh_size / sizeof(*symbol); n; n--, symbol++)
		for (int i = 0; i < count; i++)
			if (ELF64_ST_TYPE(symbol->st_info) == STT_FUNC && symbol->st_value &&
			    symbol->st_name < strings->sh_size && !strcmp(names + symbol->st_name, functions[i].name))
				functions[i].value = symbol->st_value;
}

/* Fills in the values. Returns whether the program is placed as its file says (ET_EXEC); -1: no ELF file. */
static int find_functions(const char *path, struct function *functions, int count)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	const Elf64_Shdr *sections;
	const Elf64_Ehdr *header;
	struct stat status;
	struct file file;

	if (fd < 0 || fstat(fd, &status) < 0 || status.st_size < (off_t)sizeof(*header))
		return -1;
	file.size = (size_t)status.st_size;
	file.bytes = mmap(NULL, file.size, PROT_READ, MAP_PRIVATE, fd, 0);
	close(fd);
	header = (const void *)file.bytes;
	if (file.bytes == MAP_FAILED || memcmp(header->e_ident, ELFMAG, SELFMAG) ||
	    header->e_ident[EI_CLASS] != ELFCLASS64)
		return -1;
	sections = part(&file, header->e_shoff, (uint64_t)header->e_shnum * sizeof(*sections));
	for (int i = 0; sections && i < header->e_shnum; i++)
		if ((sections[i].sh_type == SHT_SYMTAB || sections[i].sh_type == SHT_DYNSYM) &&
		    sections[i].sh_link < header->e_shnum)
			find_in(&file, &sections[i], &sections[sections[i].sh_link], functions, count);
	return header->e_type == ET_EXEC;
}

/* Where the program's first mapping is: what a position-independent one's values begin at. */
static unsigned long base_of(pid_t pid, const char *path)
{
	char line[4352], name[32], *real = realpath(path, NULL);
	unsigned long base = 0;
	FILE *maps;

	snprintf(name, sizeof(name), "/proc/%d/maps", pid);
	maps = fopen(name, "re");
	while (maps && real && !base && fgets(line, sizeof(line), maps)) {
		line[strcspn(line, "\n")] = '\0';
		if (strchr(line, '/') && !strcmp(strchr(line, '/'), real))
			base = strtoul(line, NULL, 16);
	}
	if (maps)
		fclose(maps);
	free(real);
	return base;
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

static void watch(pid_t pid, struct function *functions, int count, unsigned long base)
{
	for (int i = 0; i < count; i++) {
		struct uprobe u = { .id = (unsigned long)i, .event = UPEV_BKPT, .who = pid,
				    .where = base + functions[i].value };

		if (!functions[i].value) {
			fprintf(stderr, "calls: %s: no such function; see nm\n", functions[i].name);
			exit(2);
		}
		if (uprobe_register(&u) < 0)
			die(functions[i].name);
		u.id += RETURN;
		u.event = UPEV_FUNCRET;
		if (uprobe_register(&u) < 0)
			die(functions[i].name);
	}
}

/* An argument that points to printable text is shown as that, too. */
static void show_argument(pid_t tid, unsigned long long value)
{
	char text[24] = "";
	ssize_t length = value > 4096 ? uprobe_read(tid, value, text, sizeof(text) - 1) : -1;
	size_t printable = 0;

	while (length > 0 && printable < (size_t)length && text[printable] >= ' ' && text[printable] < 127)
		printable++;
	if (printable > 1 && (size_t)length > printable && !text[printable])
		printf("0x%llx \"%s\"", value, text);
	else
		printf("0x%llx", value);
}

static void show(const struct uprobe *u, const struct function *functions, int *depth)
{
	struct user_regs_struct regs;
	struct uprobe_hit hit;

	uprobe_last_hit(&hit);
	if (uprobe_get_registers(hit.tid, &regs) < 0)
		return;
	if (u->id >= RETURN) {
		*depth -= *depth > 0;
		printf("%*s%s = 0x%llx\n", 2 * *depth, "", functions[u->id - RETURN].name, regs.rax);
		return;
	}
	printf("%*s%s(", 2 * (*depth)++, "", functions[u->id].name);
	show_argument(hit.tid, regs.rdi);
	printf(", ");
	show_argument(hit.tid, regs.rsi);
	printf(", ");
	show_argument(hit.tid, regs.rdx);
	printf(")\n");
}

/* The program that `command` names, as execvp(3) finds it. */
static const char *program(const char *command, char *path, size_t size)
{
	char *folders = strdup(getenv("PATH") ? getenv("PATH") : "/usr/bin:/bin"), *rest = folders, *folder;

	if (strchr(command, '/') || !folders)
		return command;
	while ((folder = strsep(&rest, ":"))) {
		snprintf(path, size, "%s/%s", *folder ? folder : ".", command);
		if (!access(path, X_OK))
			break;
	}
	free(folders);
	return folder ? path : command;
}

int main(int argc, char **argv)
{
	struct function functions[MAX_FUNCTIONS] = { 0 };
	struct uprobe u = { .id = EXEC, .event = UPEV_EXEC };
	int count = 0, depth = 0, go, fixed, status;
	char path[4096];
	const char *file;
	pid_t pid;

	if (argc < 3) {
		fprintf(stderr, "usage: calls FUNCTION[,FUNCTION...] COMMAND [ARGUMENT...]\n");
		return 2;
	}
	for (char *name = strtok(argv[1], ","); name && count < MAX_FUNCTIONS; name = strtok(NULL, ","))
		functions[count++].name = name;
	file = program(argv[2], path, sizeof(path));
	fixed = find_functions(file, functions, count);
	if (fixed < 0) {
		fprintf(stderr, "calls: %s: not a 64-bit ELF program; give one\n", file);
		return 2;
	}
	u.who = pid = start(argv + 2, &go);
	if (pid < 0 || uprobe_register(&u) < 0 || uprobe_arm() < 0)
		die(argv[2]);
	if (write(go, "", 1) != 1 || uprobe_poll(&u, -1) != 1)
		die(argv[2]);
	watch(pid, functions, count, fixed ? 0 : base_of(pid, file));
	while (uprobe_poll(&u, -1) == 1)
		if (u.id < EXEC)
			show(&u, functions, &depth);
	if (errno != ESRCH)
		die("poll");
	waitpid(pid, &status, 0);
	return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}
