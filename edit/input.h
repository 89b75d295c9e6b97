/* SPDX-License-Identifier: MIT */
/* The files that are read. */
#ifndef TRAWL_EDIT_INPUT_H
#define TRAWL_EDIT_INPUT_H

#include "decode/import/foreign.h"

/* An input as a regular .trawl file: of a pipe a copy, of a foreign capture its import. */
struct edit_input {
	const char *name; /* as the user gave it */
	const char *path; /* to open, by trawl_open(); NULL: not ready */
	struct foreign file;
};
int edit_input_open(struct edit_input *in, const char *name, struct trawl_error *err);
/*
 * When all inputs and outputs are open: enters the sandbox unless it is off, and makes the input
 * ready to be read. 0, or -1 with *err.
 */
int edit_input_ready(struct edit_input *in, bool no_sandbox, struct trawl_error *err);
/* Calls the input by its name in an error. */
void edit_input_call(const struct edit_input *in, struct trawl_error *err);
void edit_input_close(struct edit_input *in);
/* -1 with *err if OUT is the input itself. */
int edit_not_same(const struct edit_input *in, const char *out, struct trawl_error *err);

#endif
