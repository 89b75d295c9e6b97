/* SPDX-License-Identifier: MIT */
/*
 * The output of perf script for samples with branch stacks: the sampled address, then
 * FROM/TO/PREDICTED/IN_TX/ABORT/CYCLES of the last branches, newest first. As in perf, addresses
 * are those in the running process, and separate lines state where modules are mapped.
 */
#include <inttypes.h>
#include <string.h>

#include "decode/base/escape.h"
#include "decode/flow/export.h"

enum { DEPTH = 32 };

struct brstack {
	struct flow flow;
	struct out *out;
	const struct image_maps *maps; /* the maps that were printed last */
};

/* Prints lines as perf script --show-mmap-events does; readers find the program by them. */
static void put_maps(struct brstack *b, const struct flow_stretch *s)
{
	const struct image_maps *maps = s->batch->maps;

	if (!maps || b->maps == maps)
		return;
	b->maps = maps;
	for (size_t i = 0; i < maps->n; i++) {
		const struct image_range *r = &maps->ranges[i];

		if (!r->module || !*r->module->path)
			continue;
		out_printf(b->out,
			   "PERF_RECORD_MMAP2 %d/%d: [0x%" PRIx64 "(0x%" PRIx64 ") @ 0x%" PRIx64
			   " 00:00 0 0]: r-xp ",
			   s->task->pid, s->task->tid, r->start, r->end - r->start, r->offset);
		out_safe(b->out, r->module->path, strlen(r->module->path));
		out_char(b->out, '\n');
	}
}

static void put_branch(struct out *o, const struct branch_batch *b, uint32_t i)
{
	const struct branch_pair *p = &b->pairs[b->ids[i]];
	uint8_t flags = b->flags ? b->flags[i] : 0;

	out_printf(o, " 0x%" PRIx64 "/0x%" PRIx64 "/%c/%c/%c/%u", p->from, p->to,
		   flags & BRANCH_MISPREDICTED ? 'M' : flags & BRANCH_PREDICTED ? 'P' : '-',
		   flags & BRANCH_IN_TX ? 'X' : '-', flags & BRANCH_ABORT ? 'A' : '-',
		   b->cycles ? b->cycles[i] : 0);
}

/* Prints the branches with these indexes as a stack. */
static void put_stack(struct out *o, const struct branch_batch *b, const uint32_t *stack, size_t n)
{
	out_printf(o, "%16" PRIx64, b->pairs[b->ids[stack[n - 1]]].to);
	while (n)
		put_branch(o, b, stack[--n]);
	out_char(o, '\n');
}

/*
 * Whether the kernel continued the task elsewhere, so that the code before and after is not
 * consecutive.
 */
static bool is_elsewhere(uint8_t kind)
{
	return kind == BRANCH_SIGNAL || kind == BRANCH_SIGRETURN || kind == BRANCH_EXEC;
}

/*
 * Consecutive stacks share one branch: the first branch of a stack is the last one of the previous
 * stack, so that the code between two stacks is counted. A processor has no record of a system
 * call, a signal or an exec in a stack of user code, and readers take each entry for a branch of
 * the program: a system call is left out, as code runs on behind it, and others end a stack.
 */
static int take(struct flow *f, const struct flow_stretch *s)
{
	struct brstack *k = (struct brstack *)f;
	const struct branch_batch *b = &s->batch->batch;
	uint32_t stack[DEPTH];
	size_t n = 0, printed = 0; /* number of branches in the stack, and of those that were
				    * printed */

	put_maps(k, s);
	for (uint32_t i = s->first; i < s->end; i++) {
		uint8_t kind = b->pairs[b->ids[i]].kind;

		if (kind == BRANCH_SYSCALL)
			continue;
		if (!is_elsewhere(kind))
			stack[n++] = i;
		if (n > printed && (n == DEPTH || is_elsewhere(kind))) {
			put_stack(k->out, b, stack, n);
			stack[0] = stack[n - 1];
			n = printed = 1;
		}
		if (is_elsewhere(kind))
			n = printed = 0;
	}
	if (n > printed)
		put_stack(k->out, b, stack, n);
	return k->out->error != 0;
}

int brstack_write(struct stream *s, struct out *out, struct trawl_error *err)
{
	struct brstack k = { .out = out };
	int got;

	flow_start(&k.flow, stream_selection(s));
	k.flow.stretch = take;
	got = flow_run(&k.flow, s, "--to brstack", err);
	flow_end(&k.flow);
	return got;
}
