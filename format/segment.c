/* SPDX-License-Identifier: MIT */
#include "format/segment.h"

#include <errno.h>

#include "format/memory.h"
#include "format/search.h"
#include "format/rule.h"

enum { SEGMENT_BLOCKS = 4096 }; /* chunks and sync blocks of a segment, without an index */

bool segment_block(struct trawl_reader *r, struct section *s, uint64_t at, bool chunk)
{
	if (!s->nsegments || s->items == SEGMENT_BLOCKS) {
		/* after damage, copies in the index may add sync blocks */
		if (!r->damage.blocks)
			catalog_thin(&r->catalog, s, 0);
		if (!catalog_segment(s, at, 0))
			return false;
	}
	s->items++;
	s->segments[s->nsegments - 1].chunks += chunk;
	return true;
}

/* ---- reading a segment ---------------------------------------------------------------------- */

static bool add_ref(struct bundle *b, const struct chunk_ref *ref)
{
	if (!array_reserve(b->refs, b->cap, b->n + 1))
		return false;
	b->refs[b->n++] = *ref;
	return true;
}

static bool add_sync(struct bundle *b, const struct clock_sync *sync)
{
	if (!array_reserve(b->syncs, b->syncs_cap, b->nsyncs + 1))
		return false;
	b->syncs[b->nsyncs++] = *sync;
	return true;
}

static bool add_sync_body(struct bundle *b, uint64_t at, struct view *body)
{
	struct clock_sync sync = { .at = at };

	return !body_sync_get(body, &sync.s) || add_sync(b, &sync);
}

static bool read_indexed(struct trawl_reader *r, const struct section *s, size_t i,
			 struct bundle *b)
{
	enum block_kind kind;
	struct chunk_ref ref;
	struct view body, item;
	uint64_t at;

	/* the file may have changed since it was opened: then it has no chunks here any more */
	if (!reader_index(r, s->start + s->segments[i].at, &body))
		return !r->catalog.budget.exhausted;
	view_u64(&body);
	while (index_next(&body, &kind, &at, &item)) {
		/* the file may have changed since refs_ok() (locate.c) checked it */
		while (kind == BLOCK_REFS && index_ref_get(&item, &ref))
			if (ref.source < SOURCES_MAX && !add_ref(b, &ref))
				return false;
		if (kind == BLOCK_SYNC && !add_sync_body(b, at, &item))
			return false;
	}
	return true;
}

/* Damage is not counted here: the first scan of the file has counted it. */
static bool read_scanned(struct trawl_reader *r, const struct section *s, size_t i,
			 struct bundle *b)
{
	uint64_t end = i + 1 < s->nsegments ? s->start + s->segments[i + 1].at : s->end;
	struct damage known = { 0 };
	struct walked f = { 0 };
	struct chunk_ref ref;
	struct walker w;
	struct view body;

	walk_init(&w, &r->in, &known, s->start + s->segments[i].at, end);
	while (walk_next(&w, &f) == WALK_BLOCK) {
		if (f.b.kind == BLOCK_CHUNK && chunk_ref_get(&f, s->start, &ref) &&
		    !add_ref(b, &ref))
			return false;
		if (f.b.kind == BLOCK_SYNC && reader_body(r, f.p, &f.b, &body) &&
		    !add_sync_body(b, f.at - s->start, &body))
			return false;
	}
	return !budget_failed(&r->catalog.budget);
}

/* Adds the clock-syncs that the catalog keeps of the segment, and those next to it. */
static bool add_kept(const struct trawl_reader *r, const struct section *s, size_t i,
		     struct bundle *b)
{
	struct clock_map kept = catalog_clocks(&r->catalog, s);
	uint64_t from = s->segments[i].at,
		 to = i + 1 < s->nsegments ? s->segments[i + 1].at : UINT64_MAX;
	size_t k, end;

	if (s->indexed) {
		to = from;
		from = i ? s->segments[i - 1].at : 0;
	}
	k = clock_syncs_before(&kept, from);
	end = clock_syncs_before(&kept, to);
	k = k > CLOCK_NEAR ? k - CLOCK_NEAR : 0;
	end = kept.n - end > CLOCK_NEAR ? end + CLOCK_NEAR : kept.n;
	for (; k < end; k++)
		if (!add_sync(b, &kept.syncs[k]))
			return false;
	b->nsyncs = clock_syncs_order(b->syncs, b->nsyncs);
	b->clocks = (struct clock_map){ b->syncs, b->nsyncs, kept.origin, kept.first };
	return true;
}

struct bundle *segment_read(struct trawl_reader *r, const struct section *s, size_t i,
			 struct trawl_error *err)
{
	struct bundle *b = calloc(1, sizeof(*b));
	bool ok = b && (s->indexed ? read_indexed(r, s, i, b) : read_scanned(r, s, i, b)) &&
		  add_kept(r, s, i, b);

	if (ok && b->n == s->segments[i].chunks)
		return b;
	bundle_free(b);
	if (ok && !r->in.error)
		r->in.error = ESTALE;
	if (r->in.error)
		reader_unread(r, err);
	else
		reader_no_memory(r, err);
	return NULL;
}

/* ---- selected segments ------------------------------------------------------------------- */

bool segment_wanted(const struct trawl_reader *r, const struct section *s,
		 const struct clock_map *clocks, const struct chunk_ref *ref)
{
	const struct section_source *here = s->sources[ref->source];
	size_t after = clock_syncs_before(clocks, ref->at);
	uint64_t from = range_from(&r->range, here->source);

	if (!reader_wants(r, here->source))
		return false;
	if (r->range.to != UINT64_MAX && merge_start(s, clocks, ref) >= r->range.to)
		return false;
	return !from ||
	       clock_latest(clocks, here->source->clock, ref->last, after) + clocks->origin >= from;
}

/* Returns the time of the segment's first selected event; *wanted: whether there may be one. */
static uint64_t least_of(const struct trawl_reader *r, const struct section *s,
			 const struct bundle *b, bool *wanted)
{
	uint64_t least = UINT64_MAX, start;

	for (size_t i = 0; i < b->n; i++) {
		const struct chunk_ref *ref = &b->refs[i];

		if (!s->sources[ref->source]) {
			*wanted = true; /* damaged: reported when it is reached */
			continue;
		}
		if (!segment_wanted(r, s, &b->clocks, ref))
			continue;
		*wanted = true;
		start = merge_start(s, &b->clocks, ref);
		least = start < least ? start : least;
	}
	return least;
}

/*
 * Segments are taken in file order, so a segment is due as soon as a later one is. If the chunks
 * are not ordered by time, many segments are in memory together.
 */
int segments_begin(struct trawl_reader *r, struct lane *l, struct trawl_error *err)
{
	struct section *s = l->merge.section;
	uint64_t least = UINT64_MAX, here;

	l->next_segment = 0;
	if (s->nsegments == 1) {
		s->segments[0].wanted = true;
		s->segments[0].least = 0;
		return 0;
	}
	for (size_t i = s->nsegments; i-- > 0;) {
		struct bundle *b = segment_read(r, s, i, err);

		if (!b)
			return -1;
		here = least_of(r, s, b, &s->segments[i].wanted);
		least = here < least ? here : least;
		s->segments[i].least = least;
		bundle_free(b);
	}
	return 0;
}

static const struct segment *next_wanted(const struct lane *l, size_t *i)
{
	const struct section *s = l->merge.section;

	for (*i = l->next_segment; s && *i < s->nsegments; ++*i)
		if (s->segments[*i].wanted)
			return &s->segments[*i];
	return NULL;
}

uint64_t segments_limit(const struct lane *l)
{
	size_t i;
	const struct segment *next = next_wanted(l, &i);

	return next ? next->least : UINT64_MAX;
}

/*
 * If a clock was set back, a chunk may begin earlier than the one before it in the file. The chunks
 * of a source are decoded in file order all the same, so that the times of a stream do not
 * decrease: goes from the last to the first and lowers each start to that of the next; then those
 * of waiting chunks.
 */
static bool add_chunks(struct trawl_reader *r, struct lane *l, struct section *s, struct bundle *b)
{
	uint64_t start, least[SOURCES_MAX];

	memset(least, 0xff, sizeof(least));
	for (size_t i = b->n; i-- > 0;) {
		const struct chunk_ref *ref = &b->refs[i];

		if (!s->sources[ref->source]) {
			damage_add(&r->damage, s->start + ref->at, RULE_NO_SOURCE);
			continue;
		}
		if (!segment_wanted(r, s, &b->clocks, ref))
			continue;
		start = merge_start(s, &b->clocks, ref);
		if (s->sources[ref->source]->source->clock != TRAWL_CLOCK_MONO) {
			start = start < least[ref->source] ? start : least[ref->source];
			least[ref->source] = start;
		}
		if (!merge_add(&l->merge, b, i, start))
			return false;
	}
	for (uint16_t i = 0; i < SOURCES_MAX; i++)
		if (least[i] != UINT64_MAX)
			merge_hasten(&l->merge, b, i, least[i]);
	return true;
}

int segments_next(struct trawl_reader *r, struct lane *l, struct trawl_error *err)
{
	struct section *s = l->merge.section;
	struct bundle *b;
	bool ok;
	size_t i;

	if (!next_wanted(l, &i))
		return 0;
	l->next_segment = i + 1;
	b = segment_read(r, s, i, err);
	if (!b)
		return -1;
	ok = add_chunks(r, l, s, b);
	if (!b->waiting)
		bundle_free(b);
	return ok ? 1 : reader_no_memory(r, err);
}

/* ---- clocks ------------------------------------------------------------------------------ */

/* Returns the number of the segment with the block at this offset. */
static size_t segment_of(const struct section *s, uint64_t at)
{
	if (s->indexed)
		return partition_point(s->nsegments, i, s->segments[i].at < at);
	return partition_point(s->nsegments, i, s->segments[i].at <= at) - 1;
}

struct clock_map segment_clocks(struct trawl_reader *r, const struct section *s, uint64_t at)
{
	struct clock_map kept = catalog_clocks(&r->catalog, s);
	struct trawl_error err;
	size_t i;

	if (!s->thinned || !s->nsegments)
		return kept;
	i = segment_of(s, at);
	if (i >= s->nsegments)
		return kept;
	if (r->near_section != s || r->near_segment != i) {
		bundle_free(r->near);
		r->near = segment_read(r, s, i, &err);
		r->catalog.budget.exhausted |= !r->near && !r->in.error;
		r->near_section = s;
		r->near_segment = i;
	}
	return r->near ? r->near->clocks : kept;
}
