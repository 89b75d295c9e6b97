/* SPDX-License-Identifier: MIT */
#include "config.h"

#include <stdlib.h>

#include "common/array.h"
#include "decode/branch/held.h"

struct held_batch *held_new_batch(void)
{
	return calloc(1, sizeof(struct held_batch));
}

void held_free_batch(struct held_batch *b)
{
	if (b)
		branch_batch_free(&b->batch.batch);
	free(b);
}

uint64_t held_time(const struct held_batch *b, uint64_t ts)
{
	return b->time + (ts - b->ts);
}

const struct branch_mark *held_mark(const struct held_batch *b)
{
	const struct branch_batch *batch = &b->batch.batch;

	return b->mark < batch->nmarks && batch->marks[b->mark].at <= b->branch ?
		&batch->marks[b->mark] : NULL;
}

bool held_done(const struct held_batch *b)
{
	return b->branch >= b->batch.batch.count && !held_mark(b);
}

static void set_next(struct held_batch *b)
{
	const struct branch_mark *m = held_mark(b);

	b->next = m ? held_time(b, m->time) : b->item.time;
}

static size_t bytes_of(const struct held_batch *b)
{
	const struct branch_batch *batch = &b->batch.batch;
	size_t each = sizeof(*batch->ids) + (batch->flags ? sizeof(*batch->flags) : 0) +
		(batch->cycles ? sizeof(*batch->cycles) : 0);

	return sizeof(*b) + batch->count * each + batch->npairs * sizeof(*batch->pairs) +
		batch->nmarks * sizeof(*batch->marks);
}

/* ---- the heap ---------------------------------------------------------------------------- */

static bool before(const struct held_batch *a, const struct held_batch *b)
{
	return a->next != b->next ? a->next < b->next : a->number < b->number;
}

static void swap(struct held *h, size_t i, size_t k)
{
	struct held_batch *b = h->heap[i];

	h->heap[i] = h->heap[k];
	h->heap[k] = b;
}

static void sink(struct held *h, size_t i)
{
	for (;;) {
		size_t least = i;

		for (size_t k = 2 * i + 1; k <= 2 * i + 2 && k < h->n; k++)
			if (before(h->heap[k], h->heap[least]))
				least = k;
		if (least == i)
			return;
		swap(h, i, least);
		i = least;
	}
}

bool held_add(struct held *h, struct held_batch *b)
{
	size_t i = h->n;

	if (!array_grow(h->heap, h->n))
		return false;
	b->number = h->numbers++;
	set_next(b);
	h->heap[h->n++] = b;
	h->bytes += bytes_of(b);
	for (; i && before(b, h->heap[(i - 1) / 2]); i = (i - 1) / 2)
		swap(h, i, (i - 1) / 2);
	return true;
}

struct held_batch *held_first(const struct held *h)
{
	return h->n ? h->heap[0] : NULL;
}

void held_moved(struct held *h)
{
	struct held_batch *b = h->heap[0];

	if (held_done(b)) {
		h->bytes -= bytes_of(b);
		held_free_batch(b);
		h->heap[0] = h->heap[--h->n];
	} else {
		set_next(b);
	}
	if (h->n)
		sink(h, 0);
}

void held_clear(struct held *h)
{
	while (h->n)
		held_free_batch(h->heap[--h->n]);
	free(h->heap);
	*h = (struct held){ 0 };
}
