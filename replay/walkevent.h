/* SPDX-License-Identifier: MIT */
/* Events of the capture's other sources, next to a walk over branches. */
#ifndef TRAWL_REPLAY_WALKEVENT_H
#define TRAWL_REPLAY_WALKEVENT_H

#include "decode/query/stream.h"

/* A moment between events: after those before `time` and the first `behind` of those at it. */
struct walk_moment {
	uint64_t time;
	uint64_t behind;
};

/* What was found. */
struct walk_event {
	uint64_t time;
	struct out text;   /* its name, task and fields, as one line; the caller's */
	uint64_t number;   /* among those at its time, from 0 */
};

/* What is searched. */
struct walk_wanted {
	struct walk_moment from;
	bool back;        /* the last event before it, not the next one after it */
	const char *glob; /* of its name; NULL: any */
	struct trawl_memory *memory; /* of all readers of the file */
};

/*
 * Finds an event of all sources of the capture but branches. known: has read the file at `path`.
 * Returns 1; 0 if there is none; -1 with *err. The caller frees e->text, in each case.
 */
int walkevent_find(struct trawl_reader *known, const char *path, const struct walk_wanted *wanted,
		   struct walk_event *e, struct trawl_error *err);

#endif
