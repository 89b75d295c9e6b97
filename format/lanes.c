/* SPDX-License-Identifier: MIT */
#include "format/lanes.h"

#include <stdlib.h>

#include "format/segment.h"

enum { LANES_MAX = 64 };

static const uint8_t *fetch_due(void *arg, const struct section *s, const struct chunk_ref *ref,
				size_t *len)
{
	return reader_fetch(arg, s, ref, len);
}

void lane_init(struct trawl_reader *r, struct lane *l)
{
	l->merge.catalog = &r->catalog;
	l->merge.damage = &r->damage;
	l->merge.range = r->range;
	l->merge.payload = fetch_due;
	l->merge.arg = r;
	l->merge.share = 1;
}

int lane_begin(struct trawl_reader *r, struct lane *l, struct section *s, struct trawl_error *err)
{
	merge_begin(&l->merge, s);
	return segments_begin(r, l, err);
}

int lane_next(struct trawl_reader *r, struct lane *l, struct trawl_event *ev,
	      struct trawl_error *err)
{
	int ret = merge_next_due(&l->merge, ev);

	if (ret)
		return ret > 0 ? 1 : reader_no_memory(r, err);
	do {
		ret = merge_next(&l->merge, segments_limit(l), ev);
		if (ret < 0)
			return reader_no_memory(r, err);
		if (r->in.error)
			return reader_unread(r, err);
		if (ret)
			return 1;
		ret = segments_next(r, l, err);
	} while (ret > 0);
	return ret;
}

bool lanes_any(const struct trawl_reader *r)
{
	for (size_t i = 0; i < r->catalog.sections.n; i++)
		if (((const struct section *)r->catalog.sections.p[i])->timeline)
			return true;
	return false;
}

size_t lanes_count(const struct trawl_reader *r, size_t first)
{
	const struct section *s = r->catalog.sections.p[first], *next;
	size_t n = 1;

	for (; s->timeline && n < LANES_MAX && first + n < r->catalog.sections.n; n++) {
		next = r->catalog.sections.p[first + n];
		if (next->timeline != s->timeline)
			break;
	}
	return n;
}

struct dated {
	uint64_t timeline, time;
	size_t place;
	void *meta;
};

static int by_time(const void *a, const void *b)
{
	const struct dated *x = a, *y = b;

	if (x->timeline && x->timeline == y->timeline && x->time != y->time)
		return x->time < y->time ? -1 : 1;
	return x->place < y->place ? -1 : 1;
}

static void order(void **metas, size_t n, const struct dated *from)
{
	for (size_t i = 0; i < n; i++)
		metas[i] = from[i].meta;
}

int lanes_order_metas(struct trawl_reader *r, struct trawl_error *err)
{
	struct vec *all = &r->catalog.metas;
	struct dated *d = calloc(all->n + 1, sizeof(*d));
	size_t from = 0, i;

	if (!d)
		return reader_no_memory(r, err);
	for (i = 0; i < all->n; i++) {
		const struct trawl_meta *m = &((struct catalog_meta *)all->p[i])->meta;
		const struct section *s = r->catalog.sections.p[m->section];

		d[i] = (struct dated){ s->timeline, 0, i, all->p[i] };
		if (m->time && s->timeline)
			d[i].time = m->time + catalog_clocks(&r->catalog, s).origin;
		if (d[i].timeline == d[from].timeline)
			continue;
		qsort(d + from, i - from, sizeof(*d), by_time);
		from = i;
	}
	qsort(d + from, i - from, sizeof(*d), by_time);
	order(all->p, all->n, d);
	free(d);
	return 0;
}

void lanes_free(struct trawl_reader *r)
{
	for (size_t i = 0; i < r->nlanes; i++)
		merge_free(&r->lanes[i].merge);
	free(r->lanes);
	r->lanes = NULL;
	r->nlanes = 0;
}

int lanes_begin(struct trawl_reader *r, size_t first, size_t n, struct trawl_error *err)
{
	lanes_free(r);
	r->lanes = calloc(n, sizeof(*r->lanes));
	if (!r->lanes)
		return reader_no_memory(r, err);
	r->nlanes = n;
	for (size_t i = 0; i < n; i++) {
		lane_init(r, &r->lanes[i]);
		if (lane_begin(r, &r->lanes[i], r->catalog.sections.p[first + i], err))
			return -1;
	}
	return 0;
}

/*
 * Sets l->earliest, a lower bound of the next event's time, without decoding. 0, or -1 with *err.
 */
static int lane_bound(struct trawl_reader *r, struct lane *l, struct trawl_error *err)
{
	const struct merge *m = &l->merge;
	uint64_t limit;

	l->state = LANE_BOUNDED;
	l->earliest = 0;
	if (m->nactive)
		return 0;
	if (!m->nwaiting && segments_next(r, l, err) < 0)
		return -1;
	limit = segments_limit(l);
	if (m->nwaiting)
		l->earliest = m->waiting[0].start < limit ? m->waiting[0].start : limit;
	return 0;
}

/* Finds the lane whose next event is, or may be, the earliest. NULL: all have ended. */
static int first_lane(struct trawl_reader *r, struct lane **first, struct trawl_error *err)
{
	size_t decoded = 0;

	*first = NULL;
	for (size_t i = 0; i < r->nlanes; i++) {
		struct lane *l = &r->lanes[i];

		if (l->state == LANE_ENDED)
			continue;
		decoded += l->merge.nactive > 0;
		if (l->state == LANE_UNKNOWN && lane_bound(r, l, err))
			return -1;
		if (!*first || l->earliest < (*first)->earliest)
			*first = l;
	}
	/* lanes with decoded chunks share the memory; this lane may become one of them */
	if (*first)
		(*first)->merge.share = decoded + !(*first)->merge.nactive;
	return 0;
}

/* There may be 64 lanes, so a lane's chunks are decoded only when its events are due. */
int lanes_next(struct trawl_reader *r, struct trawl_event *ev, struct trawl_error *err)
{
	struct lane *l;
	int ret;

	while (!(ret = first_lane(r, &l, err)) && l && l->state != LANE_DUE) {
		ret = lane_next(r, l, &l->ev, err);
		if (ret < 0)
			return -1;
		l->state = ret ? LANE_DUE : LANE_ENDED;
		l->earliest = l->ev.time;
		if (!ret) /* free its memory */
			merge_free(&l->merge);
	}
	if (ret || !l)
		return ret;
	l->state = LANE_UNKNOWN;
	*ev = l->ev;
	return 1;
}
