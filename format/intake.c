/* SPDX-License-Identifier: MIT */
#include <stdlib.h>
#include <string.h>

#include "format/intake.h"
#include "format/rule.h"
#include "format/segment.h"

enum { PIPE_SYNCS = 256 }; /* number of sync blocks that are kept for the held chunks of a pipe */

static bool begin_section(struct trawl_reader *r, uint64_t at)
{
	r->section = catalog_section(&r->catalog, at);
	return r->section;
}

/*
 * Holds a pipe's chunk until it is due. Its times need the next sync block, unless its clock is
 * that of the timeline; but they are not before the horizon.
 */
static bool add_held(struct trawl_reader *r, const struct chunk_ref *ref, const uint8_t *payload,
		     size_t len)
{
	struct section *s = r->section;
	struct clock_map clocks = catalog_clocks(&r->catalog, s);
	bool own = s->sources[ref->source]->source->clock == TRAWL_CLOCK_MONO;
	struct bundle *b = calloc(1, sizeof(*b));

	if (!b)
		return false;
	b->refs = malloc(sizeof(*ref));
	b->payload = malloc(len ? len : 1);
	if (!b->refs || !b->payload)
		goto fail;
	*b->refs = *ref;
	memcpy(b->payload, payload, len);
	b->len = len;
	b->n = 1;
	if (merge_add(&r->lane.merge, b, 0, own ? merge_start(s, &clocks, ref) : r->limit))
		return true;
fail:
	bundle_free(b);
	return false;
}

static bool take_chunk(struct trawl_reader *r, const struct walked *f)
{
	struct section *s = r->section;
	struct chunk_head c;
	struct chunk_ref ref;

	if (!chunk_ref_get(f, s->start, &ref)) {
		damage_add(&r->damage, f->at, RULE("Chunk (5)", "source is above 255, or first after last"));
		return true;
	}
	if (r->in.seekable) {
		r->events += ref.count;
		r->chunks++;
		return (!r->damage.blocks || catalog_know_chunk(s, &ref)) &&
		       segment_block(r, s, ref.at, true);
	}
	chunk_head_get(f->p, &c);
	if (!s->sources[c.source] || !chunk_payload_ok(f->p, &c)) {
		damage_add(&r->damage, f->at, s->sources[c.source] ? RULE_PAYLOAD : RULE_NO_SOURCE);
		return true;
	}
	r->chunks++;
	if (!reader_wants(r, s->sources[c.source]->source))
		return true;
	if (r->reading == READING_CHUNKS) {
		r->chunk = ref;
		r->payload = f->p + BLOCK_HEAD + CHUNK_HEAD;
		r->payload_len = c.payload;
		return true;
	}
	return add_held(r, &ref, f->p + BLOCK_HEAD + CHUNK_HEAD, c.payload);
}

/* Returns the list of chunks in an index block: its last item. */
static struct view refs_of(struct view body)
{
	struct view item, refs = { 0 };
	enum block_kind kind;
	uint64_t at;

	while (index_next(&body, &kind, &at, &item))
		if (kind == BLOCK_REFS)
			refs = item;
	return refs;
}

/*
 * Adds the index's copies of damaged blocks. Inserted or removed bytes shift the offsets of blocks:
 * the place of a copy follows from the index entries before it, chunks included, whose blocks were
 * read.
 */
static void take_index(struct trawl_reader *r, struct view *body)
{
	struct section *s = r->section;
	struct chunk_ref ref = { 0 };
	enum block_kind kind;
	struct view item, refs;
	uint64_t at;
	bool more;

	view_u64(body);
	refs = refs_of(*body);
	more = index_ref_get(&refs, &ref);
	while (index_next(body, &kind, &at, &item)) {
		for (; more && ref.at < at; more = index_ref_get(&refs, &ref))
			catalog_pass_chunk(s, &ref, s->start + ref.at < r->damage.good);
		if (kind == BLOCK_SYNC && s->start + at < r->damage.good)
			s->behind = at;
		else if (kind != BLOCK_REFS)
			catalog_add_copy(&r->catalog, s, kind, at, &item);
	}
}

/* After a sync block on a pipe: all events before its horizon have arrived. */
static void move_limit(struct trawl_reader *r)
{
	struct clock_map clocks = catalog_clocks(&r->catalog, r->section);
	const struct trawl_sync *s = &clocks.syncs[clocks.n - 1].s;
	uint64_t horizon = s->horizon, limit;

	/* Without a horizon, events are assumed to be late by at most one sync block. */
	if (!horizon && clocks.n > 1)
		horizon = clocks.syncs[clocks.n - 2].s.mono;
	limit = horizon + clocks.origin;
	if (horizon && limit > r->limit)
		r->limit = limit;
	if (r->section->nsyncs - r->section->settled >= 2 * PIPE_SYNCS)
		catalog_thin(&r->catalog, r->section, PIPE_SYNCS);
}

static bool take_body(struct trawl_reader *r, const struct walked *f)
{
	struct section *s = r->section;
	struct view body;

	/*
	 * There are many sync blocks: those before any damage are not remembered, and their copies
	 * are not read.
	 */
	s->remember = r->in.seekable && f->b.kind != BLOCK_INDEX &&
		      (f->b.kind != BLOCK_SYNC || r->damage.blocks);
	if (f->b.kind == BLOCK_SYNC && r->in.seekable &&
	    !segment_block(r, s, f->at - s->start, false))
		return false;

	if (!reader_body(r, f->p, &f->b, &body)) {
		damage_add(&r->damage, f->at, RULE_BODY);
		return !budget_failed(&r->catalog.budget);
	}
	if (f->b.kind == BLOCK_SOURCE &&
	    (view_left(&body) < 16 || get64(body.p + 8) != f->interface))
		damage_add(&r->damage, f->at, RULE_INTERFACE);
	if (f->b.kind == BLOCK_INDEX) {
		if (r->in.seekable && r->damage.blocks)
			take_index(r, &body);
	} else if (!catalog_add(&r->catalog, s, f->b.kind, f->at - s->start, &body)) {
		damage_add(&r->damage, f->at, RULE_BODY);
	} else if (f->b.kind == BLOCK_SYNC && !r->in.seekable) {
		move_limit(r);
	}
	return !budget_failed(&r->catalog.budget);
}

bool reader_take(struct trawl_reader *r, const struct walked *f)
{
	bool front = f->b.kind == BLOCK_FOREIGN && f->b.type == PCAPNG_SHB;

	/* A section begins with its header; when that is damaged, with its start block. */
	if ((front || (f->b.kind == BLOCK_START && r->section && r->section->started) ||
	     (f->b.kind != BLOCK_FOREIGN && !r->section)) && !begin_section(r, f->at))
		return false;
	/* Foreign blocks after its end block do not belong to it. */
	if (r->section && !r->section->ended)
		r->section->end = f->at + f->b.len;
	if (f->b.kind == BLOCK_FOREIGN)
		return true;
	r->ours = true;
	switch (f->b.kind) {
	case BLOCK_START:
		r->section->started = true;
		return true;
	case BLOCK_CHUNK:
		return take_chunk(r, f);
	case BLOCK_END:
		r->section->ended = true;
		return true;
	default:
		return take_body(r, f);
	}
}
