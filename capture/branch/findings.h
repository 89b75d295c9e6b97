/* SPDX-License-Identifier: MIT */
/*
 * Functions, source lines and branching instructions of a program, as many as branches had to do with;
 * and how they come from the process that reads the program (lookup.h) to the recorder.
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
	uint32_t file, line; /* line 0: none from here on */
	bool statement;
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
	struct found_insn *insns; /* likewise */
	size_t nfiles, nfunctions, nlines, ninsns;
};

void findings_free(struct findings *s);

/* What there is, but for the first `files` files, which the reader has. */
void findings_put(struct wire_out *o, const struct findings *s, size_t files);

/*
 * Adds what came, which is as foreign as the program: numbers of files are of files that there are,
 * kinds and lengths those of instructions. False: it makes no sense, or is too much; s is as before.
 */
bool findings_get(struct wire_in *in, struct findings *s);

#endif
