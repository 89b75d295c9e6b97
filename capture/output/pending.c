/* SPDX-License-Identifier: MIT */
#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "capture/output/pending.h"
#include "common/array.h"
#include "common/compare.h"

struct pending_stream {
	uint32_t cpu;
	uint16_t source;
	uint64_t newest;
};

/* Starts at the last match: events come in long runs of one source and CPU. */
static struct pending_stream *find_stream(struct pending *p, uint16_t source, uint32_t cpu)
{
	for (size_t i = 0; i < p->nstreams; i++) {
		size_t at = (p->found + i) % p->nstreams;

		if (p->streams[at].source == source && p->streams[at].cpu == cpu) {
			p->found = at;
			return &p->streams[at];
		}
	}
	if (!array_grow(p->streams, p->nstreams))
		return NULL;
	p->found = p->nstreams++;
	p->streams[p->found] = (struct pending_stream){ .cpu = cpu, .source = source };
	return &p->streams[p->found];
}

int pending_add(struct pending *p, const struct trawl_record *r, uint64_t mono,
		struct trawl_error *err)
{
	struct pending_event *added;
	struct pending_stream *stream = NULL;
	void *copy;

	if (r->source >= PENDING_SOURCES)
		return trawl_fail(err, TRAWL_USAGE, "source %u: there are at most %d", r->source,
				  PENDING_SOURCES);
	if (array_reserve(p->events, p->room, p->n + 1))
		stream = find_stream(p, r->source, r->cpu);
	copy = stream ? malloc(r->len + 1) : NULL;
	if (!copy)
		return trawl_fail(err, TRAWL_CANNOT,
				  "out of memory: too many events wait to be sorted");
	memcpy(copy, r->data, r->len);
	if (stream->newest < mono)
		stream->newest = mono;
	added = &p->events[p->n++];
	*added = (struct pending_event){ *r, stream->newest, p->added++ };
	added->record.data = copy;
	p->bytes += r->len;
	p->unsorted |= p->n > 1 && added[-1].mono > added->mono;
	return 0;
}

static int by_time(const void *a, const void *b)
{
	const struct pending_event *x = a, *y = b;

	return compare_pairs(x->mono, y->mono, x->order, y->order);
}

static void sort(struct pending *p)
{
	if (p->unsorted)
		qsort(p->events, p->n, sizeof(*p->events), by_time);
	p->unsorted = false;
}

int pending_release(struct pending *p, uint64_t until,
		    int (*emit)(const struct pending_event *e, void *arg,
				struct trawl_error *err), void *arg, struct trawl_error *err)
{
	size_t gone = 0;
	int r = 0;

	sort(p);
	while (!r && gone < p->n && p->events[gone].mono <= until) {
		struct pending_event *e = &p->events[gone++];

		r = emit(e, arg, err);
		p->bytes -= e->record.len;
		free((void *)e->record.data);
	}
	p->n -= gone;
	if (gone && p->n)
		memmove(p->events, p->events + gone, p->n * sizeof(*p->events));
	return r;
}

uint64_t pending_middle(struct pending *p)
{
	sort(p);
	return p->events[p->n / 2].mono;
}

void pending_keep(struct pending *p, size_t most)
{
	sort(p);
	while (p->n > most) {
		struct pending_event *e = &p->events[--p->n];

		p->dropped[e->record.source]++;
		p->bytes -= e->record.len;
		free((void *)e->record.data);
	}
}

void pending_free(struct pending *p)
{
	for (size_t i = 0; i < p->n; i++)
		free((void *)p->events[i].record.data);
	free(p->events);
	free(p->streams);
	memset(p, 0, sizeof(*p));
}
