/* SPDX-License-Identifier: MIT */
#include "capture/tracefs/waiting.h"
#include "common/array.h"
#include "common/compare.h"

#include <stdlib.h>
#include <string.h>

int waiting_add(struct waiting *w, uint32_t cpu, const struct ring_event *ev, const void *about)
{
	uint8_t *copy;

	if (!array_reserve(w->records, w->room, w->n + 1))
		return -1;
	copy = malloc(ev->len);
	if (!copy)
		return -1;
	memcpy(copy, ev->data, ev->len);
	w->records[w->n++] = (struct waiting_record){
		.ts = ev->ts,
		.order = w->added++,
		.data = copy,
		.len = ev->len,
		.cpu = cpu,
		.about = about,
	};
	return 0;
}

static int by_time(const void *a, const void *b)
{
	const struct waiting_record *x = a, *y = b;

	return compare_pairs(x->ts, y->ts, x->order, y->order);
}

void waiting_sort(struct waiting *w)
{
	if (w->n)
		qsort(w->records, w->n, sizeof(*w->records), by_time);
}

void waiting_remove(struct waiting *w, size_t n)
{
	for (size_t i = 0; i < n; i++)
		free(w->records[i].data);
	w->n -= n;
	if (n && w->n)
		memmove(w->records, w->records + n, w->n * sizeof(*w->records));
}

void waiting_free(struct waiting *w)
{
	waiting_remove(w, w->n);
	free(w->records);
	*w = (struct waiting){ 0 };
}
