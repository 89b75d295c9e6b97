/* SPDX-License-Identifier: MIT */
/* The files that are read. */
#ifndef TRAWL_EDIT_INPUT_H
#define TRAWL_EDIT_INPUT_H

#include "decode/import/foreign.h"

/* An input as a regular .trawl file: of a pipe a copy, of a foreign capture its import. */
struct edit_input {
	const char *name; /* as the user gave it */
	const char *path; /* to open */
	struct foreign copy, import;
};
int edit_input_open(struct edit_input *in, const char *name, struct trawl_error *err);
void edit_input_close(struct edit_input *in);
/* -1 with *err if OUT is the input itself. */
int edit_not_same(const struct edit_input *in, const char *out, struct trawl_error *err);

#endif
