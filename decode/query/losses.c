/* SPDX-License-Identifier: MIT */
/*
 * Losses among the events of a stream: each after the events of its section that precede its end.
 * Captures that follow each other in a file may have the same times.
 */
#include <stdlib.h>

#include "common/array.h"
#include "common/compare.h"
#include "decode/base/output.h"
#include "decode/query/state.h"
#include "decode/query/stream.h"

/*
 * Returns the first of the sections that share a timeline with this one: they are shown together,
 * and others one after the other.
 */
static uint32_t first_of(const struct stream *s, uint32_t section)
{
	uint64_t timeline = s->seekable ? trawl_section_timeline(s->reader, section) : 0;
	uint32_t i = timeline ? 0 : section;

	while (i < section && trawl_section_timeline(s->reader, i) != timeline)
		i++;
	return i;
}

static int by_end(const void *a, const void *b)
{
	const struct dated_loss *x = a, *y = b;

	return x->row != y->row ? compare_numbers(x->row, y->row) :
	       x->to != y->to ? compare_numbers(x->to, y->to) :
				compare_numbers(x->number, y->number);
}

static void read_losses(struct stream *s)
{
	size_t n = trawl_loss_count(s->reader);

	if (!array_resize(&s->losses, n + 1, sizeof(*s->losses))) {
		out_lack_memory();
		return;
	}
	for (; s->losses_read < n; s->losses_read++) {
		const struct trawl_loss *l = trawl_loss_at(s->reader, s->losses_read);
		struct dated_loss *d = &s->losses[s->nlosses];

		d->source = stream_source(s, l->source);
		if (!d->source || !stream_wants(s, d->source))
			continue;
		d->loss = *l;
		d->row = first_of(s, l->section);
		d->number = s->losses_read;
		d->from = trawl_section_time(s->reader, l->section, d->source->clock, l->from);
		d->to = trawl_section_time(s->reader, l->section, d->source->clock, l->to);
		if (d->from < s->selection->end && d->to >= s->selection->begin)
			s->nlosses++;
	}
	qsort(s->losses + s->next_loss, s->nlosses - s->next_loss, sizeof(*s->losses), by_end);
}

static int emit(struct stream *s, uint32_t row, uint64_t now)
{
	if (s->losses_read != trawl_loss_count(s->reader))
		read_losses(s);
	while (s->next_loss < s->nlosses) {
		const struct dated_loss *d = &s->losses[s->next_loss];

		if (d->row > row || (d->row == row && d->to > now))
			return 0;
		s->next_loss++;
		if (s->consumer->loss &&
		    s->consumer->loss(s->consumer, d->source, &d->loss, d->from, d->to))
			return 1;
	}
	return 0;
}

int stream_losses_before(struct stream *s, const struct item *it)
{
	uint32_t section = it->held ? it->section : s->section;

	if (s->next_loss == s->nlosses && s->losses_read == trawl_loss_count(s->reader))
		return 0;
	if (s->row_of != section) {
		s->row_of = section;
		s->row = first_of(s, section);
	}
	return emit(s, s->row, it->time);
}

int stream_losses_left(struct stream *s)
{
	return emit(s, UINT32_MAX, UINT64_MAX);
}
