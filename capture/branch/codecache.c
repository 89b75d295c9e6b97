/* SPDX-License-Identifier: MIT */
#include "config.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

#include "capture/branch/codecache.h"
#include "common/array.h"
#include "common/fnv.h"
#include "common/regular.h"

enum { PAGE = 4096 };

static struct code_process *find(struct code_cache *c, pid_t pid)
{
	for (size_t i = 0; i < CODE_PROCESSES; i++) {
		if (c->processes[i].pid == pid)
			return &c->processes[i];
	}
	return NULL;
}

static bool is_fixed(const struct code_process *p, uint64_t address)
{
	for (size_t i = 0; p && i < p->nfixed; i++) {
		if (address >= p->fixed[i].start && address < p->fixed[i].end)
			return true;
	}
	return false;
}

/* Reads the bytes up to the end of the page, then those of the next page if it is mapped. */
static size_t read_code(pid_t tid, uint64_t address, uint8_t *buf)
{
	size_t first = PAGE - address % PAGE, n = BRANCH_INSN_BYTES;
	struct iovec local = { buf, n }, remote[2] = {
		{ (void *)(uintptr_t)address, first < n ? first : n },
		{ (void *)(uintptr_t)(address + first), first < n ? n - first : 0 },
	};
	ssize_t got = process_vm_readv(tid, &local, 1, remote, first < n ? 2 : 1, 0);

	return got > 0 ? (size_t)got : 0;
}

/* Reads from the file in a line of /proc/PID/maps. Returns 0 if another file has that name now. */
static size_t read_mapped(pid_t pid, const char *line, uint64_t address, uint8_t *buf)
{
	unsigned long long start, offset, inode;
	int name = 0, fd;
	char path[4200];
	struct stat st;
	ssize_t got = 0;

	if (sscanf(line, "%llx-%*x %*s %llx %*s %llu %n", &start, &offset, &inode, &name) != 3 ||
	    line[name] != '/')
		return 0;
	snprintf(path, sizeof(path), "/proc/%d/root%.*s", pid, (int)strcspn(line + name, "\n"),
		 line + name);
	fd = regular_open(path);
	if (fd < 0)
		return 0;
	if (!fstat(fd, &st) && st.st_ino == inode)
		got = pread(fd, buf, BRANCH_INSN_BYTES, (off_t)(offset + (address - start)));
	close(fd);
	return got > 0 ? (size_t)got : 0;
}

/*
 * Reads an instruction from the mapped file instead of memory, where a uprobe may have replaced its
 * first byte. Returns 0 if it cannot be read.
 */
static size_t read_file_code(pid_t pid, uint64_t address, uint8_t *buf)
{
	unsigned long long start, end;
	char path[64], *line = NULL;
	size_t room = 0, got = 0;
	FILE *f;

	snprintf(path, sizeof(path), "/proc/%d/maps", pid);
	f = fopen(path, "re");
	while (f && getline(&line, &room, f) > 0) {
		if (sscanf(line, "%llx-%llx", &start, &end) != 2 || address < start ||
		    address >= end)
			continue;
		got = read_mapped(pid, line, address, buf);
		break;
	}
	free(line);
	if (f)
		fclose(f);
	return got;
}

static struct branch_insn decode_at(pid_t tid, pid_t pid, uint64_t address, bool compat)
{
	uint8_t bytes[BRANCH_INSN_BYTES], own[BRANCH_INSN_BYTES];
	size_t n = read_code(tid, address, bytes), k = 0;
	struct branch_insn insn = { 0 };
	bool probed;

	if (n && bytes[0] == BRANCH_BREAKPOINT)
		k = read_file_code(pid, address, own);
	probed = k && own[0] != BRANCH_BREAKPOINT;
	if (n)
		insn = branch_insn_decode(probed ? own : bytes, probed ? k : n, compat);
	insn.probed = probed;
	return insn;
}

struct branch_insn code_at(struct code_cache *c, pid_t tid, pid_t pid, uint64_t address,
			   bool compat)
{
	size_t slot = (address * 0x9E3779B97F4A7C15u >> (64 - CODE_CACHE_BITS)) ^
		      ((size_t)pid & ((1 << CODE_CACHE_BITS) - 1));
	struct branch_insn insn;

	if (c->slots[slot].address == address && c->slots[slot].pid == pid &&
	    c->slots[slot].compat == compat)
		return c->slots[slot].insn;
	insn = decode_at(tid, pid, address, compat);
	if (insn.length && is_fixed(find(c, pid), address)) {
		c->slots[slot].address = address;
		c->slots[slot].pid = pid;
		c->slots[slot].compat = compat;
		c->slots[slot].insn = insn;
	}
	return insn;
}

static void forget(struct code_cache *c, pid_t pid)
{
	for (size_t i = 0; i < 1 << CODE_CACHE_BITS; i++) {
		if (c->slots[i].pid == pid)
			c->slots[i].pid = 0;
	}
}

static void add_fixed(struct code_process *p, const char *line)
{
	unsigned long long start, end, inode;
	char perms[5];

	if (sscanf(line, "%llx-%llx %4s %*s %*s %llu", &start, &end, perms, &inode) != 4 ||
	    perms[1] == 'w' || !inode)
		return;
	if (array_grow(p->fixed, p->nfixed))
		p->fixed[p->nfixed++] = (struct code_range){ start, end };
}

/* Returns the lines of /proc/PID/maps that are executable, malloc'd. */
static char *read_lines(pid_t pid, struct code_process *p)
{
	char path[64], *line = NULL, *text = NULL;
	size_t room = 0, len = 0;
	FILE *f, *out;

	snprintf(path, sizeof(path), "/proc/%d/maps", pid);
	f = fopen(path, "re");
	out = f ? open_memstream(&text, &len) : NULL;
	free(p->fixed);
	p->fixed = NULL;
	p->nfixed = 0;
	while (out && getline(&line, &room, f) > 0) {
		const char *perms = strchr(line, ' ');

		if (!perms || strlen(perms) < 5 || perms[3] != 'x')
			continue;
		add_fixed(p, line);
		fputs(line, out);
	}
	free(line);
	if (f)
		fclose(f);
	if (out)
		fclose(out);
	return text;
}

char *code_mapped(struct code_cache *c, pid_t pid)
{
	struct code_process *p = find(c, pid);
	uint64_t hash;
	char *text;

	if (!p) {
		p = &c->processes[c->next++ % CODE_PROCESSES];
		forget(c, p->pid);
		p->pid = pid;
		p->hash = 0;
	}
	text = read_lines(pid, p);
	hash = text ? fnv1a(text, strlen(text)) : 0;
	if (text && hash != p->hash && *text) {
		forget(c, pid);
		p->hash = hash;
		return text;
	}
	free(text);
	return NULL;
}

void code_cache_free(struct code_cache *c)
{
	for (size_t i = 0; i < CODE_PROCESSES; i++)
		free(c->processes[i].fixed);
	memset(c->processes, 0, sizeof(c->processes));
}
