/* SPDX-License-Identifier: MIT */
#include "capture/trace/finallosses.h"
#include "capture/session.h"
#include "capture/sys/clock.h"
#include "capture/trace/losses.h"
#include "capture/tracefs/loss.h"

#include <inttypes.h>

/* Bytes; beside a record so long the kernel may have dropped longer ones. */
enum { LONG_RECORD = 1024 };

/*
 * Returns how many of the missing hits are of events with strings, whose records the kernel drops
 * if they are too long; 0 if not known. Losses of a full buffer are not counted by event, so the
 * number is known only if no event without strings misses hits.
 */
static uint64_t of_long_strings(const struct trace *t, uint64_t missing)
{
	uint64_t texts = 0, others = 0;

	for (size_t i = 0; i < t->nevents; i++) {
		const struct trace_event *e = &t->events[i];
		uint64_t is_short = e->hits > e->count ? e->hits - e->count : 0;
		bool text = false;

		for (uint32_t k = 0; k < e->nfields; k++)
			text |= e->fields[k].place != TRAWL_FIXED;
		*(text ? &texts : &others) += is_short;
	}
	if (t->lost && others)
		return 0;
	return texts < missing ? texts : missing;
}

/*
 * Reports hits that are neither captured nor lost. The kernel counts the hits of all processes. If
 * it drops some by a scope or filter, a note has the number of missing hits; otherwise they are
 * losses.
 */
static void missing_hits(struct trace *t, uint64_t now)
{
	const struct options *o = session_options(t->in->session);
	uint64_t seen = t->captured + t->lost + t->others + t->outside, missing, others;
	uint64_t too_long;
	bool long_strings = t->filtered && t->largest >= LONG_RECORD;
	struct trawl_error ignored;

	if (!t->hits_known || o->count)
		return;
	missing = t->hits > seen ? t->hits - seen : 0;
	too_long = t->filtered ? 0 : of_long_strings(t, missing);
	others = t->others + (t->filtered ? missing : 0);
	if (too_long) {
		trace_lose(t, NULL, (struct trawl_loss){ .from = t->since, .to = now,
			.count = too_long, .reason = TRAWL_LOSS_TOO_LONG }, &ignored);
		session_note(t->in->session,
			     "%s: %" PRIu64 " events had more than 4 KB of strings, which the "
					    "kernel drops; record the beginning of a string with "
					    ":char[64] instead of :string",
			     t->in->source->name, too_long);
	}
	if (missing > too_long && !t->filtered)
		trace_lose(t, NULL, (struct trawl_loss){ .from = t->since, .to = now,
			.count = missing - too_long, .reason = TRAWL_LOSS_MISSED }, &ignored);
	if (others && (long_strings || o->verbose))
		session_note(t->in->session,
			     "%s: %" PRIu64 " hits are not in the file: of processes that are not "
			     "recorded%s", t->in->source->name, others, long_strings ?
			     ", or of events with strings of over 4 KB together, which the kernel "
			     "drops" : "");
}

void trace_final_losses(struct trace *t)
{
	struct trawl_error ignored;
	uint64_t now = mono_now();

	for (size_t i = 0; i < t->ncpus; i++) {
		struct trace_cpu *c = &t->cpus[i];
		struct trawl_loss losses[3];
		struct loss_stats s;
		size_t n;

		if (!trace_read_stats(t, c, &s))
			continue;
		n = loss_remainder(&s, c->flagged, losses);
		for (size_t k = 0; k < n; k++)
			trace_lose(t, c, (struct trawl_loss){ .from = c->last, .to = now,
				.count = losses[k].count, .reason = losses[k].reason }, &ignored);
		c->flagged = s.overrun;
	}
	for (size_t i = 0; i < t->ncpus && session_options(t->in->session)->verbose; i++) {
		if (t->cpus[i].lost)
			session_note(t->in->session, "%s: CPU %u lost %" PRIu64 " events",
				     t->in->source->name, t->cpus[i].cpu, t->cpus[i].lost);
	}
	if (t->unpaired)
		trace_lose(t, NULL, (struct trawl_loss){ .from = t->since, .to = now,
			.count = t->unpaired, .reason = TRAWL_LOSS_UNPAIRED }, &ignored);
	missing_hits(t, now);
	if (t->unknown)
		session_incomplete(t->in->session,
				   "%s: %" PRIu64 " records match no known event and were dropped",
				   t->in->source->name, t->unknown);
}
