/* SPDX-License-Identifier: MIT */
#include "config.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/uio.h>

#include "capture/branch/codecache.h"
#include "common/fnv.h"
#include "common/branch.h"

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

/* The bytes of the page, then those of the next one if there is one. */
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

struct branch_insn code_at(struct code_cache *c, pid_t tid, pid_t pid, uint64_t address,
			   bool compat)
{
	size_t slot = (address * 0x9E3779B97F4A7C15u >> (64 - CODE_CACHE_BITS)) ^
		      ((size_t)pid & ((1 << CODE_CACHE_BITS) - 1));
	uint8_t bytes[BRANCH_INSN_BYTES];
	struct branch_insn insn;
	size_t n;

	if (c->slots[slot].address == address && c->slots[slot].pid == pid &&
	    c->slots[slot].compat == compat)
		return c->slots[slot].insn;
	n = read_code(tid, address, bytes);
	insn = n ? branch_insn_decode(bytes, n, compat) : (struct branch_insn){ 0 };
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
	struct code_range *more;
	char perms[5];

	if (sscanf(line, "%llx-%llx %4s %*s %*s %llu", &start, &end, perms, &inode) != 4 ||
	    perms[1] == 'w' || !inode)
		return;
	more = realloc(p->fixed, (p->nfixed + 1) * sizeof(*more));
	if (!more)
		return;
	p->fixed = more;
	p->fixed[p->nfixed++] = (struct code_range){ start, end };
}

/* The lines of /proc/PID/maps whose third letter of permissions is x. */
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
