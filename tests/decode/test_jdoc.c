/* SPDX-License-Identifier: MIT */
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "decode/jdoc.h"

static struct jdoc *parse(const char *text)
{
	return jdoc_parse(text, strlen(text));
}

Test(jdoc, values)
{
	struct jdoc *j = parse(" {\"a\": 1, \"b\": -2, \"c\": \"x\\n\\u00fc\\ud83d\\ude00\", "
			       "\"d\": [1, 2.5, true, null], \"e\": {}, "
			       "\"big\": 18446744073709551615} ");
	const struct jdoc *d;

	cr_assert_not_null(j);
	cr_expect_eq(jdoc_int(j, "a", 0), 1);
	cr_expect_eq(jdoc_int(j, "b", 0), -2);
	cr_expect_str_eq(jdoc_string(j, "c"), "x\n\xc3\xbc\xf0\x9f\x98\x80");
	cr_expect_eq(jdoc_uint(j, "big", 0), UINT64_MAX);
	cr_expect_eq(jdoc_uint(j, "nosuch", 7), 7);
	cr_expect_str_eq(jdoc_string(j, "a"), "");
	d = jdoc_get(j, "d");
	cr_assert_not_null(d);
	cr_expect_eq(d->type, JDOC_ARRAY);
	cr_expect_eq(d->first->next->type, JDOC_FLOAT);
	cr_expect_float_eq(d->first->next->number, 2.5, 0);
	cr_expect_eq(d->first->next->next->type, JDOC_BOOL);
	cr_expect_null(d->first->next->next->next->next);
	jdoc_free(j);
	jdoc_free(NULL);
}

Test(jdoc, many_values_span_blocks)
{
	size_t n = 5000, at = 1;
	char *text = malloc(n * 8 + 2);
	const struct jdoc *e;
	struct jdoc *j;

	text[0] = '[';
	for (size_t i = 0; i < n; i++)
		at += (size_t)sprintf(text + at, "%zu%c", i, i + 1 < n ? ',' : ']');
	j = jdoc_parse(text, at);
	cr_assert_not_null(j);
	e = j->first;
	for (size_t i = 0; i < n; i++, e = e->next)
		cr_assert_eq(e->integer, i);
	jdoc_free(j);
	free(text);
}

Test(jdoc, wrong_texts)
{
	static const char *const bad[] = {
		"", "{", "[1,]", "{\"a\"}", "{\"a\":}", "{a:1}", "[1 2]", "\"x", "\"\\q\"",
		"\"\\u12\"", "\"\\ud83d\\u0041\"", "tru", "01x", "-", "[1]]", "\"a\nb\"", "nullx",
	};

	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		cr_expect_null(parse(bad[i]), "%s", bad[i]);
}

Test(jdoc, depth_is_bounded)
{
	char text[100001];

	memset(text, '[', 100000);
	cr_expect_null(jdoc_parse(text, 100000));
}

Test(jdoc, every_prefix_is_wrong_but_harmless)
{
	static const char text[] = "{\"a\":[1,2,{\"b\":\"c\\u0041\"}],\"d\":true}";

	for (size_t n = 0; n < sizeof(text) - 1; n++) {
		char *copy = malloc(n + 1); /* so that a sanitizer sees a read behind the end */

		memcpy(copy, text, n);
		cr_expect_null(jdoc_parse(copy, n), "%zu", n);
		free(copy);
	}
}
