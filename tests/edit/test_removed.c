/* SPDX-License-Identifier: MIT */
#include <criterion/criterion.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "edit/removed.h"
#include "edit/standin.h"

static void add(struct removed *r, const char *text)
{
	removed_text(r, SECRET_STRINGS, text, strlen(text));
}

/* Returns the value found in `in`, or "". */
static const char *found(const struct removed *r, const char *in, size_t *at)
{
	static char text[REMOVED_LONGEST + 1];
	const struct removed_value *v;

	*at = 0;
	v = removed_find(r, in, strlen(in), at, REMOVED_LEAST);
	snprintf(text, sizeof(text), "%.*s", v ? v->len : 0, v ? removed_text_of(r, v) : "");
	return text;
}

Test(removed, the_longest_is_found)
{
	struct removed r = { 0 };
	size_t at;

	add(&r, "password");
	add(&r, "password of 25 characters");
	add(&r, "pass");
	add(&r, "passwords");
	removed_ready(&r);
	cr_assert_str_eq(found(&r, "my passwords", &at), "passwords");
	cr_assert_eq(at, 3);
	cr_assert_str_eq(found(&r, "password of 25 character", &at), "password");
	cr_assert_str_eq(found(&r, "password of 25 characters.", &at), "password of 25 characters");
	cr_assert_str_eq(found(&r, "a pass", &at), "pass");
	cr_assert_str_eq(found(&r, "trespass, passages", &at), "");
	removed_public(&r, "passwords", 9);
	cr_assert_str_eq(found(&r, "my passwords", &at), "", "public with all that begins it");
	cr_assert_str_eq(found(&r, "password of 25 characters.", &at), "password of 25 characters");
	removed_free(&r);
}

Test(removed, of_a_long_text_every_part_is_found)
{
	struct removed r = { 0 };
	char text[100001];
	size_t at = 0, end = 0;

	for (size_t i = 0; i < sizeof(text); i++)
		text[i] = (char)('a' + rand() % 26);
	text[sizeof(text) - 1] = '\0';
	add(&r, text);
	removed_ready(&r);
	while (end < sizeof(text) - 1) {
		const struct removed_value *v = removed_find(&r, text, sizeof(text) - 1, &at, 6);

		cr_assert(v && at == end, "no gap");
		at = end = at + v->len;
	}
	removed_free(&r);
}

/* Values of a few letters share many prefixes. */
static size_t naive(char values[][72], size_t n, const char *p, size_t left)
{
	size_t best = 0;

	for (size_t i = 0; i < n; i++) {
		size_t len = strlen(values[i]);

		if (len >= REMOVED_WHOLE && len <= left && len > best && !memcmp(values[i], p, len))
			best = len;
	}
	return best;
}

Test(removed, as_a_plain_search)
{
	static char values[2000][72], text[20000];
	struct removed r = { .seed = 5 };
	size_t n = sizeof(values) / sizeof(values[0]), hits = 0;

	for (size_t i = 0; i < n; i++) {
		size_t len = REMOVED_WHOLE + (size_t)rand() % (REMOVED_LONGEST - REMOVED_WHOLE + 1);

		for (size_t k = 0; k < len; k++)
			values[i][k] = rand() % 12 ? 'a' : 'b';
		add(&r, values[i]);
	}
	for (size_t i = 0; i < sizeof(text); i++)
		text[i] = rand() % 12 ? 'a' : 'b';
	removed_ready(&r);
	for (size_t i = 0; i < sizeof(text); i++) {
		size_t at = i, want = naive(values, n, text + i, sizeof(text) - i);
		const struct removed_value *v = removed_find(&r, text, sizeof(text), &at, 4);

		cr_assert_eq(v && at == i ? v->len : 0, want, "at %zu", i);
		hits += want > 0;
	}
	cr_assert_gt(hits, 1000);
	removed_free(&r);
}

Test(removed, the_work_does_not_depend_on_the_values)
{
	struct removed r = { 0 };
	enum { BYTES = 1 << 20, VALUES = 50000 };
	char *text = malloc(BYTES), value[80];
	uint64_t lookups = 0;
	size_t at = 0;

	for (int i = 0; i < VALUES; i++) {
		snprintf(value, sizeof(value), "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA%07d", i);
		add(&r, value);
	}
	removed_ready(&r);
	memset(text, 'A', BYTES);
	r.lookups = &lookups;
	cr_assert_null(removed_find(&r, text, BYTES, &at, REMOVED_LEAST));
	cr_assert_leq(lookups, (uint64_t)REMOVED_LOOKUPS * BYTES);
	cr_assert_gt(lookups, BYTES);
	cr_assert_leq(r.nmarks, 6 * (size_t)VALUES);
	free(text);
	removed_free(&r);
}

/* Hashing the rest of the text for each 12 bytes would take hours. */
Test(removed, a_long_text_has_a_stand_in)
{
	enum { BYTES = 15 << 20 };
	char *text = malloc(BYTES), *to = malloc(BYTES);
	struct standin s;

	cr_assert(standin_start(&s));
	memset(text, 'A', BYTES);
	standin_text(&s, text, BYTES, to);
	cr_assert_neq(memcmp(to, to + BYTES / 2, 60), 0);
	free(text);
	free(to);
}
