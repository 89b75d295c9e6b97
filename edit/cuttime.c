/* SPDX-License-Identifier: MIT */
/*
 * The times of events as every reader shows them. If a source's clock can be set, time never goes
 * back within a stream (docs/format.md): an event that would be earlier than the one before it gets
 * the time of that one, which may be in an earlier chunk. If a chunk overlaps in time with an
 * earlier one, that one must be decoded first.
 */
#include <stdlib.h>
#include <string.h>

#include "common/array.h"
#include "common/search.h"
#include "edit/cut.h"

enum { NUMBERS = 256 }; /* sources of a section */

int cut_find_latest(struct cut *c, struct trawl_error *err)
{
	bool *has_syncs = calloc(trawl_section_count(c->r) + 1, sizeof(*has_syncs));
	uint64_t latest[NUMBERS];
	uint32_t section = UINT32_MAX;

	if (!has_syncs)
		return edit_no_memory(err);
	for (size_t i = 0; i < c->n; i++)
		has_syncs[c->entries[i].p.section] |= c->entries[i].p.sync != NULL;
	for (size_t i = 0; i < c->n; i++) {
		struct cut_entry *e = &c->entries[i];
		uint64_t *before = &latest[e->p.number % NUMBERS];

		if (e->p.sync)
			continue;
		if (e->p.section != section)
			memset(latest, 0, sizeof(latest));
		section = e->p.section;
		e->clamped = e->p.source->clock != TRAWL_CLOCK_MONO && has_syncs[section];
		e->before = e->clamped ? *before : 0;
		e->latest = e->before > e->p.to ? e->before : e->p.to;
		*before = e->latest;
	}
	free(has_syncs);
	return 0;
}

/* ---- the latest event of each stream --------------------------------------------------------- */

static bool tail_before(const struct cut_tail *t, const struct trawl_piece *p, uint32_t cpu)
{
	if (t->section != p->section)
		return t->section < p->section;
	return t->number != p->number ? t->number < p->number : t->cpu < cpu;
}

/* Returns the time of a stream's latest event, to be updated; NULL: out of memory. */
static uint64_t *tail_of(struct cut *c, const struct trawl_piece *p, uint32_t cpu)
{
	size_t at = partition_point(c->ntails, i, tail_before(&c->tails[i], p, cpu));
	struct cut_tail *t;

	if (at == c->ntails || c->tails[at].section != p->section ||
	    c->tails[at].number != p->number || c->tails[at].cpu != cpu) {
		if (!array_reserve(c->tails, c->tails_cap, c->ntails + 1))
			return NULL;
		t = &c->tails[at];
		memmove(t + 1, t, (c->ntails - at) * sizeof(*t));
		*t = (struct cut_tail){ .section = p->section, .number = p->number, .cpu = cpu };
		c->ntails++;
	}
	return &c->tails[at].time;
}

static bool every_event(struct cut *c, struct cut_entry *e, const struct trawl_chunk *chunk,
			cut_event_fn *fn, void *arg)
{
	struct trawl_cursor *cursor = trawl_cursor_new(chunk);
	struct trawl_event ev;
	bool ok = cursor;

	for (uint32_t i = 0; ok && i < chunk->nstreams; i++) {
		uint64_t *tail = e->clamped ? tail_of(c, &e->p, chunk->streams[i].cpu) : NULL, time;
		int got = 1;

		ok = tail || !e->clamped;
		while (ok && (got = trawl_cursor_next(cursor, i, &ev)) > 0) {
			time = trawl_piece_time(c->r, &e->p, ev.ts);
			if (tail && time < *tail)
				time = *tail;
			if (tail)
				*tail = time;
			ok = !fn || fn(c, e, &ev, time, arg);
		}
		ok = ok && got >= 0;
	}
	e->in_tails = true;
	trawl_cursor_free(cursor);
	return ok;
}

/* Updates the tails by all chunks that may have later events than the first one of this chunk. */
static bool read_earlier(struct cut *c, const struct cut_entry *e)
{
	const struct trawl_chunk *chunk;
	struct cut_entry *i = &c->entries[e - c->entries];

	for (uint64_t before = e->before; before > e->p.from; before = i->before) {
		do
			i--;
		while (i->p.sync || i->p.section != e->p.section || i->p.number != e->p.number);
		if (i->in_tails || i->p.to <= e->p.from)
			continue;
		if (trawl_piece_read(c->r, &i->p) && trawl_piece_decode(c->r, &i->p, &chunk) &&
		    !every_event(c, i, chunk, NULL, NULL))
			return false;
	}
	return true;
}

bool cut_each_event(struct cut *c, struct cut_entry *e, cut_event_fn *fn, void *arg)
{
	const struct trawl_chunk *chunk;

	if (cut_has_times(c) && !read_earlier(c, e))
		return false;
	if (!trawl_piece_read(c->r, &e->p) || !trawl_piece_decode(c->r, &e->p, &chunk)) {
		e->damaged = true;
		return true;
	}
	return every_event(c, e, chunk, fn, arg);
}

void cut_forget_times(struct cut *c)
{
	for (size_t i = 0; i < c->n; i++)
		c->entries[i].in_tails = false;
	c->ntails = 0;
}
