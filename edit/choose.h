/* SPDX-License-Identifier: MIT */
/* Chooses events of a file by expression, name, task or --around. */
#ifndef TRAWL_EDIT_CHOOSE_H
#define TRAWL_EDIT_CHOOSE_H

#include "decode/query/selection.h"
#include "edit/cut.h"
#include "edit/keep.h"
#include "edit/tasknames.h"

struct choose {
	const char *path;
	struct selection *selection;
	struct decode_options decode;
	const char *around; /* --around: an expression; or NULL */
	uint64_t window;    /* ns */
	uint64_t every;     /* keep the first of every this many events; 0: all */
	struct needs *needs; /* filled with what the chosen events refer to; NULL: not requested */
	struct task_names *names; /* filled with the names of their tasks; NULL: not requested */
};

/*
 * Decodes the file at c->path and adds the chosen events to *keep. Returns 0, or -1 with *err. Sets
 * c->needs to NULL if the references of some events are not known.
 */
int choose_events(struct choose *c, struct keep *keep, struct trawl_error *err);

/*
 * Finds the time (ns, timeline) that a reader of the capture is most interested in: the trigger of
 * a flight recorder, else the last error, else the capture's end. *what names which, a constant.
 * The chunks of the file are those of c; only sources that can have triggers or errors are read.
 * Returns 0, or -1 with *err.
 */
int choose_point(const char *path, const struct cut *c, uint64_t *time, const char **what,
		 struct trawl_error *err);

#endif
