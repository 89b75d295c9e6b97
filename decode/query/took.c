/* SPDX-License-Identifier: MIT */
#include "decode/query/took.h"

#include <stdlib.h>

#include "common/array.h"
#include "common/compare.h"
#include "decode/query/durations.h"
#include "decode/usb/usb.h"

/* A time in which events may have been lost, on the timeline. */
struct gap {
	uint64_t from, to;
};

struct took {
	struct trawl_reader *reader;
	struct durations *durations;
	struct gap *gaps;     /* by .from */
	size_t n, next, read; /* next: the first that has not begun; read: losses of the reader */
	uint64_t until;       /* the end of the last gap that has begun */
	uint64_t now;         /* the time of the last item */
};

struct took *took_new(struct trawl_reader *reader)
{
	struct took *t = calloc(1, sizeof(*t));

	if (t) {
		t->reader = reader;
		t->durations = durations_new();
	}
	if (t && t->durations)
		return t;
	free(t);
	return NULL;
}

void took_free(struct took *t)
{
	if (!t)
		return;
	durations_free(t->durations);
	free(t->gaps);
	free(t);
}

static int by_begin(const void *a, const void *b)
{
	const struct gap *x = a, *y = b;

	return compare_numbers(x->from, y->from);
}

/* Takes over the losses that the reader has found: of a pipe, those of the chunks until now. */
static void read_gaps(struct took *t)
{
	size_t n = trawl_loss_count(t->reader);

	if (!array_resize(&t->gaps, t->n + n - t->read, sizeof(*t->gaps))) {
		out_lack_memory();
		return;
	}
	for (; t->read < n; t->read++) {
		const struct trawl_loss *l = trawl_loss_at(t->reader, t->read);
		const struct trawl_source *s = trawl_source_find(t->reader, l->source);

		if (s)
			t->gaps[t->n++] = (struct gap){
				trawl_section_time(t->reader, l->section, s->clock, l->from),
				trawl_section_time(t->reader, l->section, s->clock, l->to),
			};
	}
	qsort(t->gaps + t->next, t->n - t->next, sizeof(*t->gaps), by_begin);
}

/* Whether events may have been lost at this time; drops pairs that the loss leaves open. */
static bool in_gap(struct took *t, uint64_t now)
{
	size_t next;

	if (t->read != trawl_loss_count(t->reader))
		read_gaps(t);
	if (now < t->now) { /* another capture, as cat joins them */
		t->next = 0;
		t->until = 0;
		durations_forget(t->durations);
	}
	t->now = now;
	next = t->next;
	for (; t->next < t->n && (t->gaps[t->next].from < now || t->gaps[t->next].to <= now);
	     t->next++)
		if (t->gaps[t->next].to > t->until)
			t->until = t->gaps[t->next].to;
	if (t->next > next)
		durations_forget(t->durations);
	return now < t->until;
}

bool took_item(struct took *t, const struct decoder *d, void *state, const struct item *it,
	       uint64_t *ns, const char **began)
{
	const struct usb_detail *u = it->detail;

	*began = NULL;
	if (d == &usb_decoder)
		return u && u->transfer && transfer_latency(u->transfer, ns);
	return !in_gap(t, it->time) && durations_item(t->durations, d, state, it, ns, began);
}

bool took_begins(struct took *t, const struct item *it)
{
	return it->time >= t->until && durations_begins(t->durations, it);
}
