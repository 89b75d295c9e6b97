/* SPDX-License-Identifier: MIT */
/*
 * Functions, source lines and branching instructions that branches of a program were in, and how
 * they are sent from the reader of the program (lookup.h) to the recorder.
 */
#ifndef TRAWL_CAPTURE_BRANCH_FINDINGS_H
#define TRAWL_CAPTURE_BRANCH_FINDINGS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "capture/probe/wire.h"

struct found_function {
	uint64_t vaddr, size;
	char *name;
};

struct found_line {
	uint64_t vaddr;
	uint32_t file, line; /* line 0: no line from this address on */
};

/* A branching instruction, taken or not. */
struct found_insn {
	uint64_t vaddr;
	uint8_t length, kind; /* enum branch_kind */
};

struct findings {
	char **files;
	struct found_function *functions;
	struct found_line *lines; /* of these functions */
	struct found_insn *insns; /* branching instructions of these functions */
	size_t nfiles, nfunctions, nlines, ninsns;
	bool whole; /* it has all functions that have lines, not only those that ran */
};

void findings_free(struct findings *s);

/* Writes all of s except its first `files` files, which the recorder has already. */
void findings_put(struct wire_out *o, const struct findings *s, size_t files);

/*
 * Adds to s what findings_put() wrote. The bytes are as untrusted as the program: each file number
 * must be that of a file in s, each kind and length a valid one. Otherwise, and if there are too
 * many items, returns false and leaves s unchanged.
 */
bool findings_get(struct wire_in *in, struct findings *s);

#endif
