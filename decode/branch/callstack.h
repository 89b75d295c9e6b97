/* SPDX-License-Identifier: MIT */
/*
 * The calls of a task, from its branches: who is called, who returns. A return that fits no call
 * known is to a caller from before the recording; jumps to the first instruction of another
 * function are tail calls; a return deep into the stack (longjmp, exceptions) ends all calls above.
 */
#ifndef TRAWL_DECODE_BRANCH_CALLSTACK_H
#define TRAWL_DECODE_BRANCH_CALLSTACK_H

#include "common/branch.h"
#include "decode/branch/image.h"

enum call_event {
	CALL_ENTER,   /* a function was called: place, and from where */
	CALL_JUMP,    /* a tail call: the innermost function is another one now */
	CALL_LEAVE,   /* the innermost call ended */
	CALL_OUTER,   /* return to a caller that was not known: it is now around all that was */
};

enum call_how { CALL_BY_CALL, CALL_BY_SIGNAL, CALL_BY_EXEC };

/* Something was at or after `time`, and at or before `until`. */
struct call_time {
	uint64_t time, until;
};

struct call_site {
	struct image_place from, to; /* not of CALL_LEAVE */
	struct call_time when;
	enum call_how how;
	unsigned int depth; /* calls around it that are known */
	uint64_t branches;  /* of the task before this one */
};

struct callstack;

struct callstack_sink {
	void (*event)(struct callstack_sink *sink, void *task, enum call_event what,
		      const struct call_site *c);
};

/* Where a branch was: its addresses mean something by these. */
struct call_where {
	struct images *images;
	const struct image_maps *maps;
	struct call_time when;
	void *task; /* the caller's */
};

struct callstack *callstack_new(void); /* NULL: out of memory */
void callstack_free(struct callstack *k);

/* The task's next branch. */
void callstack_step(struct callstack *k, const struct branch_pair *p, const struct call_where *w,
		    struct callstack_sink *sink);
/* Branches are missing: all calls end, as far as is known. */
void callstack_cut(struct callstack *k, const struct call_where *w, struct callstack_sink *sink);

#endif
