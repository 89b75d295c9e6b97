/* SPDX-License-Identifier: MIT */
#include <errno.h>

#include "format/merge.h"
#include "format/memory.h"
#include "format/rule.h"
#include "format/search.h"

/*
 * Limits of decoded chunks: those of a valid file overlap little, those of a hostile one may all.
 */
enum {
	ACTIVE_MAX = 1024,
	SPARE_MAX = 16,         /* number of struct active that are kept for reuse */
	CPUS_MAX = 8192,
};

/* A decoded chunk. */
struct active {
	struct active *next, *prev;
	struct chunk_memory *kept; /* the chunk's memory, by chunk_take() */
	struct chunk_cursor *cursor;
	const struct trawl_chunk *chunk;
	uint64_t *time;   /* by which events are merged, in chunk order */
	uint64_t *shown;  /* trawl_event.time, in chunk order; often the same array */
	uint64_t order;
	size_t memory;
	uint16_t source;  /* number in the section */
	uint32_t streams; /* in the heap */
	bool gaps;        /* events in the middle of a stream are outside of the range */
};

/* The next event of a stream. */
struct head {
	uint64_t time;
	struct active *a;
	uint32_t stream, pos, end; /* events pos to end - 1 of the chunk are left */
};

/* ---- waiting chunks ---------------------------------------------------------------------- */

void bundle_free(struct bundle *b)
{
	if (!b)
		return;
	free(b->refs);
	free(b->syncs);
	free(b->payload);
	free(b);
}

static const struct chunk_ref *ref_of(const struct waiting *w)
{
	return &w->bundle->refs[w->i];
}

static bool waits_less(const struct waiting *a, const struct waiting *b)
{
	return a->start != b->start ? a->start < b->start : ref_of(a)->at < ref_of(b)->at;
}

static void waiting_up(struct waiting *h, size_t i)
{
	struct waiting w = h[i];

	for (; i && waits_less(&w, &h[(i - 1) / 2]); i = (i - 1) / 2)
		h[i] = h[(i - 1) / 2];
	h[i] = w;
}

static void waiting_down(struct waiting *h, size_t n, size_t i)
{
	struct waiting w = h[i];
	size_t k;

	while ((k = 2 * i + 1) < n) {
		if (k + 1 < n && waits_less(&h[k + 1], &h[k]))
			k++;
		if (!waits_less(&h[k], &w))
			break;
		h[i] = h[k];
		i = k;
	}
	h[i] = w;
}

static struct waiting waiting_pop(struct merge *m)
{
	struct waiting top = m->waiting[0];

	m->waiting[0] = m->waiting[--m->nwaiting];
	if (m->nwaiting)
		waiting_down(m->waiting, m->nwaiting, 0);
	return top;
}

/* A chunk of the bundle stops waiting. Frees the bundle after the last one. */
static void unref(struct merge *m, struct bundle *b)
{
	if (--b->waiting)
		return;
	if (b->payload)
		m->held -= b->len + sizeof(*b);
	bundle_free(b);
}

uint64_t merge_start(const struct section *s, const struct clock_map *clocks,
		     const struct chunk_ref *r)
{
	return clock_earliest(clocks, s->sources[r->source]->source->clock, r->first,
			      clock_syncs_before(clocks, r->at)) + clocks->origin;
}

bool merge_add(struct merge *m, struct bundle *b, size_t i, uint64_t start)
{
	if (!array_reserve(m->waiting, m->waiting_cap, m->nwaiting + 1))
		return false;
	m->waiting[m->nwaiting] = (struct waiting){ start, b, i };
	waiting_up(m->waiting, m->nwaiting++);
	m->due = 0;
	b->waiting++;
	if (b->payload)
		m->held += b->len + sizeof(*b);
	return true;
}

void merge_hasten(struct merge *m, const struct bundle *but, uint16_t source, uint64_t start)
{
	bool any = false;

	for (size_t i = 0; i < m->nwaiting; i++) {
		struct waiting *w = &m->waiting[i];

		if (w->bundle == but || w->start <= start || ref_of(w)->source != source)
			continue;
		w->start = start;
		any = true;
	}
	if (any)
		m->due = 0;
	for (size_t i = any ? m->nwaiting / 2 : 0; i-- > 0;)
		waiting_down(m->waiting, m->nwaiting, i);
}

/* ---- decoded chunks ---------------------------------------------------------------------- */

static struct active *active_new(struct merge *m)
{
	struct active *a = m->spare;

	if (a) {
		m->spare = a->next;
	} else {
		a = calloc(1, sizeof(*a));
		if (!a)
			return NULL;
	}
	a->streams = 0;
	a->memory = 0;
	a->prev = NULL;
	a->next = m->active;
	if (a->next)
		a->next->prev = a;
	m->active = a;
	m->nactive++;
	return a;
}

static void active_done(struct merge *m, struct active *a)
{
	size_t spares = 0;

	if (a->next)
		a->next->prev = a->prev;
	if (a->prev)
		a->prev->next = a->next;
	else
		m->active = a->next;
	m->nactive--;
	m->memory -= a->memory;
	chunk_cursor_free(a->cursor);
	chunk_give_back(m->decoder, a->kept);
	a->cursor = NULL;
	a->kept = NULL;
	for (struct active *s = m->spare; s; s = s->next)
		spares++;
	if (spares >= SPARE_MAX) {
		free(a);
		return;
	}
	a->next = m->spare;
	m->spare = a;
}

/* ---- times ------------------------------------------------------------------------------- */

/* Converts time stamps of a chunk to the timeline, in place. */
static void to_timeline(const struct clock_map *clocks, enum trawl_clock clock, uint64_t at,
			uint64_t *ts, size_t n)
{
	size_t after = clock_syncs_before(clocks, at);

	if (clock == TRAWL_CLOCK_MONO) {
		for (size_t i = 0; i < n; i++)
			ts[i] += clocks->origin;
		return;
	}
	for (size_t i = 0; i < n; i++)
		ts[i] = clock_to_mono(clocks, clock, ts[i], after) + clocks->origin;
}

/* Returns the time of the newest event of a stream, to be updated; NULL: not kept. */
static uint64_t *tail_of(struct section_source *s, uint32_t cpu)
{
	size_t low = partition_point(s->ntails, i, s->tails[i].cpu < cpu);

	if (low < s->ntails && s->tails[low].cpu == cpu)
		return &s->tails[low].time;
	if (s->ntails == CPUS_MAX)
		return NULL;
	if (!array_reserve(s->tails, s->tails_cap, s->ntails + 1u))
		return NULL;
	memmove(s->tails + low + 1, s->tails + low, (s->ntails - low) * sizeof(*s->tails));
	s->tails[low] = (struct stream_tail){ cpu, 0 };
	s->ntails++;
	return &s->tails[low].time;
}

/* Raises times that are before the stream's previous event, so that its events keep their order. */
static void clamp_monotonic(struct section_source *s, const struct trawl_chunk *chunk,
			    uint64_t *time)
{
	for (uint32_t k = 0; k < chunk->nstreams; k++) {
		const struct trawl_stream *st = &chunk->streams[k];
		uint64_t *tail = tail_of(s, st->cpu), last = tail ? *tail : 0;

		for (uint32_t i = st->first; i < st->first + st->count; i++) {
			if (time[i] < last)
				time[i] = last;
			last = time[i];
		}
		if (tail)
			*tail = last;
	}
}

/* Computes a->time and a->shown: times on the timeline in chunk order. False: out of memory. */
static bool active_times(struct merge *m, struct active *a, const struct waiting *w)
{
	struct clock_map clocks = w->bundle->nsyncs ? w->bundle->clocks :
				  catalog_clocks(m->catalog, m->section);
	struct section_source *source = m->section->sources[ref_of(w)->source];
	const struct trawl_chunk *chunk = a->chunk;
	uint32_t *next = calloc(chunk->ngroups + 1, sizeof(*next));

	a->time = chunk_memory_more(a->kept, chunk->count, sizeof(*a->time));
	if (!next || !a->time) {
		free(next);
		return false;
	}
	for (uint32_t i = 0; i < chunk->count; i++) {
		uint32_t g = chunk->group_of[i];

		a->time[i] = chunk->groups[g].ts[next[g]++];
	}
	free(next);
	to_timeline(&clocks, source->source->clock, ref_of(w)->at, a->time, chunk->count);
	a->shown = a->time;
	if (source->source->clock == TRAWL_CLOCK_MONO)
		return true;
	/* Without a sync block, as in an imported file, events show their time stamps unchanged. */
	if (!clocks.n) {
		a->shown = chunk_memory_more(a->kept, chunk->count, sizeof(*a->shown));
		if (!a->shown)
			return false;
		memcpy(a->shown, a->time, chunk->count * sizeof(*a->shown));
	}
	clamp_monotonic(source, chunk, a->time);
	return true;
}

/* ---- the heap of streams ----------------------------------------------------------------- */

static bool head_less(const struct head *a, const struct head *b)
{
	if (a->time != b->time)
		return a->time < b->time;
	if (a->a->source != b->a->source)
		return a->a->source < b->a->source;
	if (a->a->chunk->streams[a->stream].cpu != b->a->chunk->streams[b->stream].cpu)
		return a->a->chunk->streams[a->stream].cpu < b->a->chunk->streams[b->stream].cpu;
	return a->a->order < b->a->order;
}

static void heads_down(struct head *h, size_t n)
{
	struct head top = h[0];
	size_t i = 0, k;

	while ((k = 2 * i + 1) < n) {
		if (k + 1 < n && head_less(&h[k + 1], &h[k]))
			k++;
		if (!head_less(&h[k], &top))
			break;
		h[i] = h[k];
		i = k;
	}
	h[i] = top;
}

/* Sets m->runner_up: events of the first head before this time need no look at the heap. */
static void heads_settle(struct merge *m)
{
	const struct head *h = m->heads;

	m->runner_up = m->nheads > 1 ? h[1].time : UINT64_MAX;
	if (m->nheads > 2 && h[2].time < m->runner_up)
		m->runner_up = h[2].time;
}

static bool heads_add(struct merge *m, struct head head)
{
	size_t i = m->nheads;

	if (!array_reserve(m->heads, m->heads_cap, i + 1))
		return false;
	m->nheads++;
	for (; i && head_less(&head, &m->heads[(i - 1) / 2]); i = (i - 1) / 2)
		m->heads[i] = m->heads[(i - 1) / 2];
	m->heads[i] = head;
	heads_settle(m);
	return true;
}

static bool in_range(const struct merge *m, const struct active *a, uint64_t time)
{
	return time >= range_from(&m->range, m->section->sources[a->source]->source) &&
	       (time < m->range.to || m->range.to == UINT64_MAX);
}

/* Removes events outside of the range from both ends of a stream, whose times may not be sorted. */
static void cut_to_range(const struct merge *m, struct head *h)
{
	const uint64_t *time = h->a->shown;

	if (!m->range.from && m->range.to == UINT64_MAX)
		return;
	while (h->pos < h->end && !in_range(m, h->a, time[h->pos]))
		h->pos++;
	while (h->pos < h->end && !in_range(m, h->a, time[h->end - 1]))
		h->end--;
	for (uint32_t i = h->pos; i < h->end; i++)
		h->a->gaps |= !in_range(m, h->a, time[i]);
}

/* Adds the streams of a decoded chunk to the heap, cut to the range. */
static bool join(struct merge *m, struct active *a)
{
	a->gaps = false;
	for (uint32_t k = 0; k < a->chunk->nstreams; k++) {
		const struct trawl_stream *s = &a->chunk->streams[k];
		struct head h = { .a = a, .stream = k, .pos = s->first,
				  .end = s->first + s->count };

		cut_to_range(m, &h);
		if (h.pos == h.end)
			continue;
		h.time = a->time[h.pos];
		if (!heads_add(m, h))
			return false;
		a->streams++;
	}
	return true;
}

struct chunk_schema section_schema(const struct section *s, uint16_t source)
{
	const struct section_source *here = s->sources[source];

	return (struct chunk_schema){ here->source, here->types, here->ntypes };
}

/* Makes a decoded chunk active. */
static bool start_active(struct merge *m, struct active *a, const struct waiting *w)
{
	bool ok;

	a->kept = chunk_take(m->decoder);
	a->order = ref_of(w)->at;
	a->source = ref_of(w)->source;
	a->cursor = chunk_cursor_new(a->chunk);
	ok = a->cursor && active_times(m, a, w) && join(m, a);
	a->memory = chunk_memory_size(a->kept);
	m->memory += a->memory;
	if (ok && !a->streams)
		active_done(m, a);
	return ok;
}

/* Decodes the first waiting chunk. A damaged one is counted, and its events are lost. */
static bool activate(struct merge *m)
{
	struct waiting w = waiting_pop(m);
	const struct chunk_ref *ref = ref_of(&w);
	struct chunk_schema schema = section_schema(m->section, ref->source);
	struct chunk_payload p = { .len = w.bundle->len, .count = ref->count };
	struct active *a = NULL;
	struct trawl_error err;
	bool ok = true;

	p.data = w.bundle->payload ? w.bundle->payload :
				     m->payload(m->arg, m->section, ref, &p.len);
	if (!p.data) {
		catalog_lose_chunk(m->catalog, m->section, ref);
		goto out;
	}
	if (chunk_decoder_ready(&m->decoder, &m->catalog->budget))
		a = active_new(m);
	ok = a;
	if (!a)
		goto out;
	if (!chunk_decode(m->decoder, &schema, &p, &a->chunk, &err)) {
		ok = start_active(m, a, &w);
	} else {
		damage_add_chunk(m->damage, m->section->start + ref->at, &err, &m->catalog->budget);
		ok = !budget_failed(&m->catalog->budget);
		catalog_lose_chunk(m->catalog, m->section, ref);
		active_done(m, a);
	}
out:
	unref(m, w.bundle);
	return ok;
}

/*
 * Fills *ev with the first head's event. Returns 1; or -1 if memory runs out, and *ev is invalid.
 */
static int emit(struct merge *m, struct trawl_event *ev)
{
	struct head *top = &m->heads[0];
	struct active *a = top->a;

	if (chunk_cursor_at(a->cursor, top->stream, top->pos, ev) < 0)
		return -1;
	ev->time = a->shown[top->pos];
	ev->section = m->section->number;
	ev->chunk = a->order;
	do
		top->pos++;
	while (a->gaps && top->pos < top->end && !in_range(m, a, a->shown[top->pos]));
	if (top->pos < top->end) {
		top->time = a->time[top->pos];
		if (top->time < m->runner_up)
			return 1;
	} else {
		a->streams--;
		m->heads[0] = m->heads[--m->nheads];
	}
	if (m->nheads)
		heads_down(m->heads, m->nheads);
	heads_settle(m);
	return 1;
}

/*
 * Frees chunks whose events were all returned: on the next call, as the caller uses the last one.
 */
static void drop_done(struct merge *m)
{
	struct active *next;

	for (struct active *a = m->active; a; a = next) {
		next = a->next;
		if (!a->streams)
			active_done(m, a);
	}
}

int merge_next_due(struct merge *m, struct trawl_event *ev)
{
	return m->nheads && m->heads[0].time < m->due ? emit(m, ev) : 0;
}

int merge_next(struct merge *m, uint64_t limit, struct trawl_event *ev)
{
	while (m->nwaiting && (!m->nheads || m->waiting[0].start <= m->heads[0].time)) {
		if (m->waiting[0].start >= limit)
			break;
		drop_done(m);
		if ((m->nactive >= ACTIVE_MAX ||
		     m->memory > budget_share(&m->catalog->budget) / 2 / m->share) &&
		    m->nheads) {
			if (!m->disorder)
				damage_add(m->damage,
					   m->section->start + ref_of(&m->waiting[0])->at,
					   RULE("Damage", "more chunks overlap than can be merged"));
			m->disorder = true;
			break;
		}
		if (!activate(m))
			return -1;
	}
	if (!m->nheads || m->heads[0].time >= limit)
		return 0;
	m->due = limit;
	if (m->nwaiting && m->waiting[0].start < limit)
		m->due = m->waiting[0].start;
	return emit(m, ev);
}

void merge_begin(struct merge *m, struct section *s)
{
	while (m->nwaiting)
		unref(m, m->waiting[--m->nwaiting].bundle);
	while (m->active)
		active_done(m, m->active);
	m->nheads = 0;
	m->due = 0;
	m->section = s;
}

void merge_free(struct merge *m)
{
	merge_begin(m, NULL);
	while (m->spare) {
		struct active *a = m->spare;

		m->spare = a->next;
		free(a);
	}
	chunk_decoder_free(m->decoder);
	free(m->waiting);
	free(m->heads);
	m->decoder = NULL;
	m->waiting = NULL;
	m->heads = NULL;
	m->waiting_cap = m->heads_cap = 0;
}
