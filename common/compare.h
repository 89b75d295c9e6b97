/* SPDX-License-Identifier: MIT */
/* Comparisons of two values for qsort(): negative, 0 or positive. */
#ifndef TRAWL_COMMON_COMPARE_H
#define TRAWL_COMMON_COMPARE_H

#include <stdint.h>
#include <string.h>

static inline int compare_numbers(uint64_t x, uint64_t y)
{
	return x < y ? -1 : x > y;
}

/* Compares x and y; if they are equal, x2 and y2. */
static inline int compare_pairs(uint64_t x, uint64_t y, uint64_t x2, uint64_t y2)
{
	return x != y ? compare_numbers(x, y) : compare_numbers(x2, y2);
}

/* Elements are uint64_t. */
static inline int by_number(const void *a, const void *b)
{
	const uint64_t *x = a, *y = b;

	return compare_numbers(*x, *y);
}

/* Elements are char *. */
static inline int by_text(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

#endif
