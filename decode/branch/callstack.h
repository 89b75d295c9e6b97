/* SPDX-License-Identifier: MIT */
/*
 * Derives the calls of a task from its branches: which function is called, and which returns. A
 * return that matches no known call returns to a caller from before the recording. A jump to the
 * first instruction of another function is a tail call. A return to an outer frame ends all calls
 * inside it; so does an indirect jump, or a return that matches no call, into the middle of a
 * function that made one of the calls (longjmp, the handler of an exception). If it made none of
 * them, and there may be calls from before the recording or a gap, the known calls end as
 * CALL_AWAY.
 *
 * Goroutines of Go share a thread, and each has a stack of its own. Where Go's runtime continues a
 * goroutine, which one is not in the branches: the calls known so far end as CALL_AWAY, and those
 * around the next ones are unknown until they return.
 */
#ifndef TRAWL_DECODE_BRANCH_CALLSTACK_H
#define TRAWL_DECODE_BRANCH_CALLSTACK_H

#include "common/branch.h"
#include "decode/branch/image.h"

enum call_event {
	CALL_ENTER,   /* a function was called */
	CALL_JUMP,    /* a tail call: it replaces the innermost function */
	CALL_LEAVE,   /* the innermost call returned */
	CALL_LOST,    /* branches are missing: unknown if the innermost call goes on */
	CALL_AWAY,    /* execution continues elsewhere: unknown if the innermost call goes on */
	/* one of these follows CALL_AWAY for each known call */
	CALL_GOROUTINE, /* Go's runtime continues a goroutine */
	CALL_OUT,       /* a jump to a function that made none of the known calls */
	/* return to a caller that was unknown; what returns is the caller of all calls so far */
	CALL_OUTER,
};

enum call_how { CALL_BY_CALL, CALL_BY_SIGNAL, CALL_BY_EXEC };

/* A range of time in ns: at or after `time`, at or before `until`. */
struct call_time {
	uint64_t time, until;
};

struct call_site {
	struct image_place from, to; /* not valid for CALL_LEAVE, CALL_LOST, CALL_AWAY */
	struct call_time when;
	enum call_how how;
	unsigned int depth; /* number of known enclosing calls */
	uint64_t branches;  /* number of earlier branches of the task */
};

struct callstack;

struct callstack_sink {
	void (*event)(struct callstack_sink *sink, void *task, enum call_event what,
		      const struct call_site *c);
};

/* The context of a branch, which gives meaning to its addresses. */
struct call_where {
	struct images *images;
	const struct image_maps *maps;
	struct call_time when;
	void *task; /* passed to the sink unchanged */
};

struct callstack *callstack_new(void); /* Returns NULL if memory runs out. */
void callstack_free(struct callstack *k);

/* Processes the task's next branch. */
void callstack_step(struct callstack *k, const struct branch_pair *p, const struct call_where *w,
		    struct callstack_sink *sink);
/* Branches are missing here: CALL_LOST for each known call, innermost first. */
void callstack_cut(struct callstack *k, const struct call_where *w, struct callstack_sink *sink);

#endif
