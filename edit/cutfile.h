/* SPDX-License-Identifier: MIT */
/* Cuts a file as a user requests, for `trawl-edit cut` and trawl-report. */
#ifndef TRAWL_EDIT_CUTFILE_H
#define TRAWL_EDIT_CUTFILE_H

#include "decode/query/selection.h"
#include "edit/edit.h"

struct cut_request {
	const char *path, *name;     /* path to open; name in messages */
	struct selection *selection; /* after selection_done() */
	const char *around;          /* --around: an expression; or NULL */
	uint64_t window;             /* ns */
	uint64_t every;              /* keep one of every this many events; 0: all */
	uint64_t max_size;           /* most bytes of the result; 0: no limit */
	uint64_t max_events;         /* most events of the result; 0: no limit */
	int level;                   /* --level; 0: the smallest file */
	uint64_t memory;             /* limit of trawl_open_within(), bytes; 0: the default */
};

struct cut_result {
	uint64_t kept, left_out; /* events */
	uint64_t bytes;
	uint64_t from, to;       /* ns on the timeline */
	char why[400];           /* message about what the limits left out; or "" */
};

/*
 * Writes the part to fd. With a limit fd must be a file that can be truncated and rewritten;
 * without, it may be a pipe. out: its name in messages. Returns 0; or -1 with *err, whose status is
 * TRAWL_BAD_DATA if the part was written but the input is damaged.
 */
int cut_file(const struct cut_request *q, int fd, const char *out, struct cut_result *result,
	     struct trawl_error *err);

#endif
