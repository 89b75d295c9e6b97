/* SPDX-License-Identifier: MIT */
/* Which events of a file an expression, a name, a task or --around means. */
#ifndef TRAWL_EDIT_CHOOSE_H
#define TRAWL_EDIT_CHOOSE_H

#include "decode/query/selection.h"
#include "edit/keep.h"

struct choose {
	const char *path;
	struct selection *selection;
	struct decode_options decode;
	const char *around; /* an expression, or NULL */
	uint64_t window;    /* ns */
	uint64_t every;     /* the first of so many; 0: all */
};

/* Decodes the file and fills *keep. 0, or -1 with *err. */
int choose_events(struct choose *c, struct keep *keep, struct trawl_error *err);

/*
 * When what a reader wants to see happened: the trigger of a flight recorder, else the last error,
 * else the end of the capture; *what says which.
 */
int choose_point(const char *path, uint64_t *time, const char **what, struct trawl_error *err);

#endif
