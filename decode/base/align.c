/* SPDX-License-Identifier: MIT */
#include "decode/base/align.h"

#include <stdlib.h>

#include "common/array.h"

/* Most edits of a search. Sequences with more differences are aligned in pieces. */
#define EDITS_MAX 1024

struct aligned {
	const uint64_t *a, *b;
	struct align_run *runs;
	size_t n, room;
	int32_t *reach; /* for each edit count d, each diagonal -d..d: how far a is matched */
};

/* The current piece: its start and the lengths of both sides. */
struct extent {
	size_t a, b;
	int32_t na, nb;
};

/* Adds n elements, or extends the run that ends there. */
static bool add(struct aligned *s, size_t a, size_t b, size_t n)
{
	struct align_run *last = s->n ? &s->runs[s->n - 1] : NULL;

	if (last && last->a + last->n == a && last->b + last->n == b) {
		last->n += n;
		return true;
	}
	if (!array_reserve(s->runs, s->room, s->n + 1))
		return false;
	s->runs[s->n++] = (struct align_run){a, b, n};
	return true;
}

static int32_t *row(const struct aligned *s, int32_t d)
{
	return s->reach + (size_t)d * (size_t)d + (size_t)d; /* rows of 1, 3, 5, ... ; its middle */
}

/* Returns where diagonal k = a - b starts with d edits: one step from the better neighbour. */
static int32_t start(const struct aligned *s, int32_t d, int32_t k)
{
	const int32_t *before = row(s, d - 1);

	if (k == -d || (k != d && before[k - 1] < before[k + 1]))
		return before[k + 1];
	return before[k - 1] + 1;
}

static int32_t slide(const struct aligned *s, const struct extent *e, int32_t x, int32_t k)
{
	while (x < e->na && x - k < e->nb &&
	       s->a[e->a + (size_t)x] == s->b[e->b + (size_t)(x - k)])
		x++;
	return x;
}

/* Walks back from (d, k) to the origin, and adds the runs on the way in forward order. */
static bool trace(struct aligned *s, const struct extent *e, int32_t d, int32_t k)
{
	int32_t x = row(s, d)[k], from, previous;

	if (!d)
		return !x || add(s, e->a, e->b, (size_t)x);
	previous =
		k == -d || (k != d && row(s, d - 1)[k - 1] < row(s, d - 1)[k + 1]) ? k + 1 : k - 1;
	from = start(s, d, k);
	if (!trace(s, e, d - 1, previous))
		return false;
	return x <= from || add(s, e->a + (size_t)from, e->b + (size_t)(from - k),
				(size_t)(x - from));
}

/*
 * Aligns a piece from (*a0, *b0) on, to the ends or as far as EDITS_MAX edits reach; sets *a0 and
 * *b0 to its end.
 */
static bool piece(struct aligned *s, size_t *a0, size_t na, size_t *b0, size_t nb)
{
	size_t wide = na - *a0 < INT32_MAX / 2 ? na - *a0 : INT32_MAX / 2;
	size_t high = nb - *b0 < INT32_MAX / 2 ? nb - *b0 : INT32_MAX / 2;
	const struct extent e = { *a0, *b0, (int32_t)wide, (int32_t)high };
	int32_t best = -1, far = -1, d = 0;

	for (d = 0; d < EDITS_MAX; d++) {
		far = -1;
		for (int32_t k = -d; k <= d; k += 2) {
			int32_t x = slide(s, &e, d ? start(s, d, k) : 0, k);

			row(s, d)[k] = x;
			/* of equally far places, prefers the one that advances both sides */
			if (x <= e.na && x - k <= e.nb &&
			    (2 * x - k > far || (2 * x - k == far && abs(k) < abs(best)))) {
				far = 2 * x - k;
				best = k;
			}
			if (x >= e.na && x - k >= e.nb)
				goto found;
		}
	}
	d--;
found:
	if (far < 0 || !trace(s, &e, d, best))
		return false;
	*b0 += (size_t)(row(s, d)[best] - best);
	*a0 += (size_t)row(s, d)[best];
	return true;
}

bool align(const uint64_t *a, size_t na, const uint64_t *b, size_t nb, struct align_run **runs,
	   size_t *nruns)
{
	struct aligned s = {.a = a, .b = b};
	size_t at = 0, bt = 0;

	s.reach = malloc((size_t)EDITS_MAX * EDITS_MAX * sizeof(*s.reach));
	if (!s.reach)
		return false;
	while (at < na && bt < nb)
		if (!piece(&s, &at, na, &bt, nb))
			goto fail;
	free(s.reach);
	s.reach = NULL;
	if (!add(&s, na, nb, 0))
		goto fail;
	*runs = s.runs;
	*nruns = s.n;
	return true;
fail:
	free(s.reach);
	free(s.runs);
	return false;
}
