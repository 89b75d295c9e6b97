/* SPDX-License-Identifier: MIT */
/*
 * Decoded instructions of stopped tasks, by address. The cache keeps only code that cannot change
 * unnoticed: read-only mappings of files, until the process changes its mappings.
 */
#ifndef TRAWL_CAPTURE_BRANCH_CODECACHE_H
#define TRAWL_CAPTURE_BRANCH_CODECACHE_H

#include <sys/types.h>
#include "capture/branch/insn.h"

enum { CODE_CACHE_BITS = 14, CODE_PROCESSES = 64 };

struct code_range {
	uint64_t start, end;
};

/* The executable mappings of a process. */
struct code_process {
	pid_t pid;
	uint64_t hash;             /* of the lines */
	struct code_range *fixed;  /* read-only mappings of files */
	size_t nfixed;
};

struct code_cache {
	struct {
		uint64_t address;
		pid_t pid;
		bool compat;
		struct branch_insn insn;
	} slots[1 << CODE_CACHE_BITS];
	struct code_process processes[CODE_PROCESSES];
	size_t next; /* the entry that the next new process takes */
};

/* Returns the instruction at an address of a stopped task; length 0 if it cannot be read. */
struct branch_insn code_at(struct code_cache *c, pid_t tid, pid_t pid, uint64_t address,
			   bool compat);

/*
 * Called for a new process, and when a process may have changed its mappings. Returns the
 * executable lines of /proc/PID/maps, malloc'd, if they changed; else NULL.
 */
char *code_mapped(struct code_cache *c, pid_t pid);
void code_cache_free(struct code_cache *c);

#endif
