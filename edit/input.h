/* SPDX-License-Identifier: MIT */
/* Opens the input of a command. */
#ifndef TRAWL_EDIT_INPUT_H
#define TRAWL_EDIT_INPUT_H

#include "decode/import/foreign.h"

/*
 * An input as a regular .trawl file. A pipe is copied to a temporary file, a foreign capture
 * imported into one.
 */
struct edit_input {
	const char *name; /* as the user gave it */
	const char *path; /* path for trawl_open(); NULL before edit_input_ready() */
	struct foreign file;
};
/*
 * Opens the input; to be freed with edit_input_close(). Returns 0, or -1 with *err and nothing
 * open.
 */
int edit_input_open(struct edit_input *in, const char *name, struct trawl_error *err);
/*
 * Enters the sandbox, unless no_sandbox, and copies or imports the input if necessary. To be called
 * when all inputs and outputs are open. Returns 0, or -1 with *err.
 */
int edit_input_ready(struct edit_input *in, bool no_sandbox, struct trawl_error *err);
/* Replaces the input's path by its name in the error's text. */
void edit_input_call(const struct edit_input *in, struct trawl_error *err);
void edit_input_close(struct edit_input *in);
/* Returns -1 with *err if the output is the input itself; else 0. */
int edit_not_same(const struct edit_input *in, const char *out, struct trawl_error *err);

#endif
