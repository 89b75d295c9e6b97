/* SPDX-License-Identifier: MIT */
/*
 * Runs of equal elements, compared with a table of longest common subsequences, on all short
 * sequences.
 */
#include <criterion/criterion.h>
#include <stdlib.h>

#include "decode/base/align.h"

enum { MOST = 5, LETTERS = 3 };

/* The length of the longest common subsequence, by the table of na * nb entries. */
static size_t common(const uint64_t *a, size_t na, const uint64_t *b, size_t nb)
{
	size_t t[MOST + 1][MOST + 1] = { 0 };

	for (size_t i = 1; i <= na; i++)
		for (size_t k = 1; k <= nb; k++)
			t[i][k] = a[i - 1] == b[k - 1]	  ? t[i - 1][k - 1] + 1 :
				  t[i - 1][k] > t[i][k - 1] ? t[i - 1][k] :
							      t[i][k - 1];
	return t[na][nb];
}

/*
 * Checks that the runs consist of equal elements, in order, up to both ends; returns their length.
 */
static size_t aligned(const uint64_t *a, size_t na, const uint64_t *b, size_t nb)
{
	struct align_run *runs;
	size_t n, at = 0, bt = 0, total = 0;

	cr_assert(align(a, na, b, nb, &runs, &n));
	cr_assert(n && runs[n - 1].a + runs[n - 1].n == na && runs[n - 1].b + runs[n - 1].n == nb);
	for (size_t i = 0; i < n; i++) {
		cr_assert(runs[i].a >= at && runs[i].b >= bt, "in order");
		at = runs[i].a + runs[i].n;
		bt = runs[i].b + runs[i].n;
		cr_assert(at <= na && bt <= nb);
		for (size_t k = 0; k < runs[i].n; k++)
			cr_assert_eq(a[runs[i].a + k], b[runs[i].b + k]);
		total += runs[i].n;
	}
	free(runs);
	return total;
}

static size_t spell(uint64_t *letters, unsigned int number)
{
	size_t n = number % (MOST + 1);

	number /= MOST + 1;
	for (size_t i = 0; i < n; i++, number /= LETTERS)
		letters[i] = number % LETTERS;
	return n;
}

Test(align, as_many_are_equal_as_can_be)
{
	enum { ALL = (MOST + 1) * 243 };

	for (unsigned int x = 0; x < ALL; x += 7) {
		for (unsigned int y = 0; y < ALL; y += 11) {
			uint64_t a[MOST], b[MOST];
			size_t na = spell(a, x), nb = spell(b, y);

			cr_assert_eq(aligned(a, na, b, nb), common(a, na, b, nb), "%u %u", x, y);
		}
	}
}

/*
 * If the sequences differ over a longer distance than one search covers, later equal parts are
 * still found.
 */
Test(align, a_long_difference_does_not_hide_what_follows)
{
	enum { N = 20000, SAME = 5000 };
	uint64_t *a = malloc(N * sizeof(*a)), *b = malloc(N * sizeof(*b));

	cr_assert(a && b);
	for (uint64_t i = 0; i < N; i++) {
		a[i] = i < N - SAME ? 1000000 + i : i;
		b[i] = i < N - SAME ? 2000000 + i : i;
	}
	cr_expect_eq(aligned(a, N, b, N), SAME);
	free(a);
	free(b);
}
