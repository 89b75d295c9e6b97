/* SPDX-License-Identifier: MIT */
#include <criterion/criterion.h>

#include "common/array.h"

Test(array, grow_one_by_one)
{
	uint32_t *v = NULL;
	size_t n = 0;

	for (; n < 1000; n++) {
		cr_assert(array_grow(v, n));
		v[n] = (uint32_t)n * 3;
	}
	for (size_t i = 0; i < n; i++)
		cr_assert_eq(v[i], i * 3);
	/* An array that became shorter grows again. */
	for (n = 500; n < 2000; n++) {
		cr_assert(array_grow(v, n));
		v[n] = (uint32_t)n * 3;
	}
	for (size_t i = 0; i < n; i++)
		cr_assert_eq(v[i], i * 3);
	free(v);
}

Test(array, reserve)
{
	uint8_t *v = NULL;
	uint32_t room = 0;

	cr_assert(array_reserve(v, room, 1));
	cr_expect_geq(room, 1);
	cr_assert(array_reserve(v, room, 5000u));
	cr_expect_geq(room, 5000);
	v[4999] = 1;
	cr_assert(array_reserve(v, room, 7u));
	cr_expect_eq(v[4999], 1);
	free(v);
}

Test(array, extended_by_zeroes)
{
	uint64_t *v = NULL;
	size_t n = 0;

	cr_assert(array_extend(v, n, 3u));
	cr_expect_eq(n, 3);
	for (size_t i = 0; i < 3; i++) {
		cr_expect_eq(v[i], 0);
		v[i] = 7;
	}
	cr_assert(array_extend(v, n, 2u));
	cr_expect_eq(n, 3);
	cr_assert(array_extend(v, n, 10u));
	cr_expect_eq(n, 10);
	cr_expect_eq(v[2], 7);
	cr_expect_eq(v[9], 0);
	free(v);
}

/* The sanitizer ends a program that allocates too much, unless it is configured to return NULL. */
const char *__asan_default_options(void);
const char *__asan_default_options(void)
{
	return "allocator_may_return_null=1";
}

Test(array, no_memory)
{
	uint64_t *v = malloc(sizeof(*v));
	uint64_t *kept = v;
	/* volatile, so that the compiler does not know the size */
	volatile size_t many = (size_t)1 << 58;
	size_t n = 1, room = 1;

	*v = 5;
	cr_expect_not(array_reserve(v, room, many));
	cr_expect_eq(room, 1);
	cr_expect_not(array_extend(v, n, many));
	cr_expect_eq(n, 1);
	cr_expect_eq(v, kept);
	cr_expect_eq(*v, 5);
	free(v);
}
