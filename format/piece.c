/* SPDX-License-Identifier: MIT */
/* Reads a file piece by piece, for programs that copy: trawl.h, "pieces". */
#include <errno.h>
#include <stdlib.h>

#include "format/segment.h"
#include "format/rule.h"

/* ---- sections ----------------------------------------------------------------------------- */

static const struct section *section_at(const struct trawl_reader *r, uint32_t section)
{
	return section < r->catalog.sections.n ? r->catalog.sections.p[section] : NULL;
}

static const struct section_source *source_at(const struct trawl_reader *r, uint32_t section,
					      uint16_t number)
{
	const struct section *s = section_at(r, section);

	return s && number < SOURCES_MAX ? s->sources[number] : NULL;
}

size_t trawl_section_count(const struct trawl_reader *r)
{
	return r->catalog.sections.n;
}

const struct trawl_source *trawl_section_source(const struct trawl_reader *r, uint32_t section,
						uint16_t number)
{
	const struct section_source *s = source_at(r, section, number);

	return s ? s->source : NULL;
}

size_t trawl_section_type_count(const struct trawl_reader *r, uint32_t section, uint16_t number)
{
	const struct section_source *s = source_at(r, section, number);

	return s ? s->ntypes : 0;
}

const struct trawl_event_type *trawl_section_type(const struct trawl_reader *r, uint32_t section,
						  uint16_t number, size_t index)
{
	const struct section_source *s = source_at(r, section, number);

	return s && index < s->ntypes ? s->types[index] : NULL;
}

/* ---- pieces ------------------------------------------------------------------------------- */

/* Returns the segment's next own clock-sync before this offset; NULL if there is none. */
static const struct clock_sync *sync_before(struct trawl_reader *r, uint64_t to)
{
	const struct bundle *b = r->segment;

	while (r->next_sync < b->nsyncs) {
		const struct clock_sync *sync = &b->syncs[r->next_sync];

		if (sync->at >= to)
			return NULL;
		r->next_sync++;
		if (sync->at + 1 > r->piece_at) {
			r->piece_at = sync->at + 1;
			return sync;
		}
	}
	return NULL;
}

static void fill_chunk(const struct trawl_reader *r, const struct section *s,
		       const struct chunk_ref *ref, struct trawl_piece *p)
{
	const struct clock_map *clocks = &r->segment->clocks;
	const struct trawl_source *source = s->sources[ref->source]->source;
	size_t after = clock_syncs_before(clocks, ref->at);

	*p = (struct trawl_piece){
		.source = source, .section = s->number, .number = ref->source, .count = ref->count,
		.at = ref->at, .first = ref->first, .last = ref->last, .bytes = ref->len,
		.from = merge_start(s, clocks, ref),
		.to = clock_latest(clocks, source->clock, ref->last, after) + clocks->origin,
	};
}

/* Fills *p with the next piece of the current segment. Returns 1, or 0 at its end. */
static int next_of_segment(struct trawl_reader *r, const struct section *s, uint64_t end,
			struct trawl_piece *p)
{
	const struct bundle *b = r->segment;
	const struct clock_sync *sync;

	for (;; r->next_ref++) {
		const struct chunk_ref *ref = r->next_ref < b->n ? &b->refs[r->next_ref] : NULL;

		sync = sync_before(r, ref ? ref->at : end);
		if (sync) {
			*p = (struct trawl_piece){ .sync = &sync->s, .section = s->number,
						   .at = sync->at };
			return 1;
		}
		if (!ref)
			return 0;
		if (!s->sources[ref->source]) {
			damage_add(&r->damage, s->start + ref->at, RULE_NO_SOURCE);
			continue;
		}
		r->piece_at = ref->at + 1 > r->piece_at ? ref->at + 1 : r->piece_at;
		if (!segment_wanted(r, s, &b->clocks, ref))
			continue;
		fill_chunk(r, s, ref, p);
		r->next_ref++;
		return 1;
	}
}

/* Returns the offset up to which clock-syncs belong to the i-th segment. */
static uint64_t segment_end(const struct section *s, size_t i)
{
	if (s->indexed)
		return s->segments[i].at;
	return i + 1 < s->nsegments ? s->segments[i + 1].at : UINT64_MAX;
}

int trawl_next_piece(struct trawl_reader *r, struct trawl_piece *p, struct trawl_error *err)
{
	const struct section *s;

	if (!reader_read(r, READING_PIECES))
		return 0;
	while (r->next_section < r->catalog.sections.n) {
		s = r->catalog.sections.p[r->next_section];
		if (r->segment && next_of_segment(r, s, segment_end(s, r->next_segment - 1), p))
			return 1;
		bundle_free(r->segment);
		r->segment = NULL;
		r->next_ref = r->next_sync = 0;
		if (r->next_segment == s->nsegments) {
			r->next_section++;
			r->next_segment = 0;
			r->piece_at = 0;
			continue;
		}
		r->segment = segment_read(r, s, r->next_segment++, err);
		if (!r->segment)
			return -1;
	}
	return reader_finish(r, err);
}

void trawl_pieces_unchecked(struct trawl_reader *r)
{
	r->unchecked = true;
}

static struct chunk_ref ref_of(const struct trawl_piece *p)
{
	return (struct chunk_ref){ .at = p->at, .first = p->first, .last = p->last,
				   .len = (uint32_t)p->bytes, .count = p->count,
				   .source = p->number };
}

bool trawl_piece_read(struct trawl_reader *r, struct trawl_piece *p)
{
	const struct chunk_ref ref = ref_of(p);

	p->payload = reader_fetch(r, section_at(r, p->section), &ref, &p->len);
	return p->payload;
}

bool trawl_piece_decode(struct trawl_reader *r, const struct trawl_piece *p,
			const struct trawl_chunk **chunk)
{
	const struct chunk_ref ref = ref_of(p);

	return reader_decode(r, section_at(r, p->section), &ref, p->payload, p->len, chunk);
}

struct trawl_loss trawl_piece_loss(const struct trawl_piece *p)
{
	return (struct trawl_loss){ .source = p->number, .cpu = UINT32_MAX, .from = p->first,
				    .to = p->last, .count = p->count,
				    .reason = TRAWL_LOSS_DAMAGED, .section = p->section };
}

int trawl_pieces_failed(const struct trawl_reader *r, struct trawl_error *err)
{
	if (budget_failed(&r->catalog.budget) || r->in.error == ENOMEM)
		return reader_no_memory(r, err);
	if (r->in.error)
		return reader_unread(r, err);
	return 0;
}

uint64_t trawl_piece_time(const struct trawl_reader *r, const struct trawl_piece *p, uint64_t ts)
{
	const struct clock_map m = segment_clocks((struct trawl_reader *)r,
						  section_at(r, p->section), p->at);

	return clock_to_mono(&m, p->source->clock, ts, clock_syncs_before(&m, p->at)) + m.origin;
}

/* ---- records ------------------------------------------------------------------------------ */

struct trawl_cursor *trawl_cursor_new(const struct trawl_chunk *chunk)
{
	return (struct trawl_cursor *)chunk_cursor_new(chunk);
}

int trawl_cursor_next(struct trawl_cursor *c, uint32_t stream, struct trawl_event *ev)
{
	return chunk_cursor_next((struct chunk_cursor *)c, stream, ev);
}

void trawl_cursor_skip(struct trawl_cursor *c, uint32_t stream, uint32_t n)
{
	chunk_cursor_skip((struct chunk_cursor *)c, stream, n);
}

void trawl_cursor_free(struct trawl_cursor *c)
{
	chunk_cursor_free((struct chunk_cursor *)c);
}
