/* SPDX-License-Identifier: MIT */
#include "decode/flow/callstack.h"

#include <stdlib.h>

enum { DEPTH_MOST = 4096, INSN_MOST = 15 };

/* Something was at or after `time`, and at or before `until`. */
struct when {
	uint64_t time, until;
};

struct frame {
	uint64_t from; /* the call, or the interrupted instruction */
	bool signal;
};

struct callstack {
	unsigned int depth;
	unsigned int beyond; /* calls deeper than DEPTH_MOST */
	struct frame frames[DEPTH_MOST];
};

unsigned int callstack_depth(const struct callstack *stack)
{
	return stack ? stack->depth : 0;
}

static void tell(struct callstack *k, const struct flow_stretch *s, struct callstack_sink *sink,
		 enum call_event what, const struct branch_pair *p, struct when when)
{
	struct call_site c = { .time = when.time, .until = when.until, .depth = k->depth };

	flow_place(s, p->from, &c.from);
	flow_place(s, p->to, &c.to);
	c.how = p->kind == BRANCH_SIGNAL ? CALL_BY_SIGNAL :
		p->kind == BRANCH_EXEC ? CALL_BY_EXEC : CALL_BY_CALL;
	sink->event(sink, s->task, what, &c);
}

static void push(struct callstack *k, const struct flow_stretch *s, struct callstack_sink *sink,
		 const struct branch_pair *p, struct when when)
{
	if (k->depth == DEPTH_MOST) {
		k->beyond++;
		return;
	}
	tell(k, s, sink, CALL_ENTER, p, when);
	k->frames[k->depth++] = (struct frame){ p->from, p->kind == BRANCH_SIGNAL };
}

static void pop_to(struct callstack *k, unsigned int depth, struct flow_task *t, struct when when,
		   struct callstack_sink *sink)
{
	while (k->depth > depth) {
		struct call_site c = { .time = when.time, .until = when.until,
				       .depth = --k->depth };

		sink->event(sink, t, CALL_LEAVE, &c);
	}
}

/* Does control go back there to behind the call? */
static bool fits(const struct frame *f, uint64_t to, bool signal)
{
	if (f->signal || signal)
		return f->signal && signal;
	return to > f->from && to - f->from <= INSN_MOST;
}

static void leave(struct callstack *k, const struct flow_stretch *s, struct callstack_sink *sink,
		  const struct branch_pair *p, struct when when)
{
	if (k->beyond) {
		k->beyond--;
		return;
	}
	for (unsigned int i = k->depth; i--;) {
		if (!fits(&k->frames[i], p->to, p->kind == BRANCH_SIGRETURN))
			continue;
		pop_to(k, i, s->task, when, sink);
		return;
	}
	/* a jump table may be built of returns, and coroutines switch by them: within a call it says nothing */
	if (!k->depth)
		tell(k, s, sink, CALL_OUTER, p, when);
}

/* The first instruction of a function that is not the one the jump is in. */
static bool is_tail_call(const struct flow_stretch *s, const struct branch_pair *p)
{
	struct image_place from, to;

	flow_place(s, p->to, &to);
	if (!to.function || to.vaddr != to.function->vaddr)
		return false;
	flow_place(s, p->from, &from);
	return from.function != to.function;
}

static void step(struct callstack *k, const struct flow_stretch *s, struct callstack_sink *sink,
		 const struct branch_pair *p, struct when when)
{
	switch (p->kind) {
	case BRANCH_CALL:
	case BRANCH_INDIRECT_CALL:
	case BRANCH_COND_CALL:
	case BRANCH_SIGNAL:
		push(k, s, sink, p, when);
		return;
	case BRANCH_RET:
	case BRANCH_COND_RET:
	case BRANCH_SIGRETURN:
		leave(k, s, sink, p, when);
		return;
	case BRANCH_EXEC:
		pop_to(k, 0, s->task, when, sink);
		k->beyond = 0;
		push(k, s, sink, p, when);
		return;
	case BRANCH_JMP:
	case BRANCH_INDIRECT_JMP:
	case BRANCH_JCC:
		if (k->depth && !k->beyond && is_tail_call(s, p))
			tell(k, s, sink, CALL_JUMP, p, when);
	}
}

bool callstack_run(struct callstack **stack, const struct flow_stretch *s, struct callstack_sink *sink)
{
	const struct branch_batch *b = &s->batch->batch;
	struct when when = { .time = s->time };
	uint32_t mark = s->mark;

	if (!*stack)
		*stack = calloc(1, sizeof(**stack));
	if (!*stack)
		return false;
	for (uint32_t i = s->first; i < s->end; i++) {
		when.time = flow_time(s, i, &mark, when.time);
		when.until = flow_until(s, mark);
		step(*stack, s, sink, &b->pairs[b->ids[i]], when);
	}
	return true;
}

void callstack_cut(struct callstack *stack, struct flow_task *t, uint64_t time,
		   struct callstack_sink *sink)
{
	if (!stack)
		return;
	stack->beyond = 0;
	pop_to(stack, 0, t, (struct when){ time, time }, sink);
}
