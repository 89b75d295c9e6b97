/* SPDX-License-Identifier: MIT */
/* A part of a file, by what a user asks for: for `cut` and for trawl-report. */
#ifndef TRAWL_EDIT_CUTFILE_H
#define TRAWL_EDIT_CUTFILE_H

#include "decode/query/selection.h"
#include "edit/edit.h"

struct cut_request {
	const char *path, *name;     /* to open it by; as the user calls it */
	struct selection *selection; /* selection_done() was called */
	const char *around;          /* an expression, or NULL */
	uint64_t window;             /* ns */
	uint64_t every;              /* 0: all */
	uint64_t max_size;           /* bytes of the result; 0: any */
};

struct cut_result {
	uint64_t kept, left_out; /* events */
	uint64_t bytes;
	uint64_t from, to;       /* of the timeline */
	char why[400];           /* what --max-size left out; or empty */
};

/*
 * Writes the part to fd, which is a file that can be written again from its beginning (or, without
 * max_size, a pipe). 0; -1 with *err: of status TRAWL_BAD_DATA, if the part was written, but the
 * file is damaged.
 */
int cut_file(const struct cut_request *q, int fd, const char *out, struct cut_result *result,
	     struct trawl_error *err);

#endif
