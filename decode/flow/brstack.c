/* SPDX-License-Identifier: MIT */
/*
 * What perf script prints of samples with branch stacks: a header line's worth of the address that
 * was sampled, then FROM/TO/PREDICTED/IN_TX/ABORT/CYCLES of the last branches, the newest first.
 * Addresses are those of the running program, as perf has them; map lines tell where modules were.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "decode/flow/export.h"

enum { DEPTH = 32 };

struct brstack {
	struct flow flow;
	struct out *out;
	const struct image_maps *maps; /* those that were told last */
};

/* The lines of perf script --show-mmap-events, by which the readers find their program. */
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
			   " 00:00 0 0]: r-xp %s\n",
			   s->task->pid, s->task->tid, r->start, r->end - r->start, r->offset,
			   r->module->path);
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

/* Each branch is in one stack; a stack's first one is the last of the stack before, so that what
 * ran between is told. */
static int take(struct flow *f, const struct flow_stretch *s)
{
	struct brstack *k = (struct brstack *)f;
	const struct branch_batch *b = &s->batch->batch;

	put_maps(k, s);
	for (uint32_t at = s->first; at < s->end; at += DEPTH - 1) {
		uint32_t end = s->end - at < DEPTH ? s->end : at + DEPTH;

		out_printf(k->out, "%16" PRIx64, b->pairs[b->ids[end - 1]].to);
		for (uint32_t i = end; i-- > at;)
			put_branch(k->out, b, i);
		out_char(k->out, '\n');
		if (end == s->end)
			break;
	}
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
