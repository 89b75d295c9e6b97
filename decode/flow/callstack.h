/* SPDX-License-Identifier: MIT */
/*
 * The calls of a task, from its branches: who is called, who returns. A return that fits no call known
 * is to a caller from before the recording; jumps to the first instruction of another function are
 * tail calls; a return deep into the stack (longjmp, exceptions) ends all calls above.
 */
#ifndef TRAWL_DECODE_FLOW_CALLSTACK_H
#define TRAWL_DECODE_FLOW_CALLSTACK_H

#include "decode/flow/flow.h"

enum call_event {
	CALL_ENTER,   /* a function was called: place, and from where */
	CALL_JUMP,    /* a tail call: the innermost function is another one now */
	CALL_LEAVE,   /* the innermost call ended */
	CALL_OUTER,   /* return to a caller that was not known: it is now around all that was */
};

enum call_how { CALL_BY_CALL, CALL_BY_SIGNAL, CALL_BY_EXEC };

struct call_site {
	struct image_place from, to;
	uint64_t time, until; /* it was at or after the one and at or before the other */
	enum call_how how;
	unsigned int depth; /* calls around it that are known */
};

struct callstack;

struct callstack_sink {
	void (*event)(struct callstack_sink *sink, struct flow_task *t, enum call_event what,
		      const struct call_site *c);
};

/* All branches of a stretch; *stack is made where it is NULL. False: out of memory. */
bool callstack_run(struct callstack **stack, const struct flow_stretch *s, struct callstack_sink *sink);
/* Branches are missing: all calls end, as far as is known. */
void callstack_cut(struct callstack *stack, struct flow_task *t, uint64_t time,
		   struct callstack_sink *sink);
unsigned int callstack_depth(const struct callstack *stack);

#endif
