/* SPDX-License-Identifier: MIT */
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "common/array.h"
#include "decode/base/jdoc.h"
#include "decode/base/output.h"

static struct json_object *parse(const char *text)
{
	return jdoc_parse(text, strlen(text));
}

Test(jdoc, values)
{
	struct json_object *j = parse(" {\"a\": 1, \"b\": -2, "
				      "\"c\": \"x\\n\\u00fc\\ud83d\\ude00\", "
				      "\"d\": [1, 2.5, true, null], \"e\": {}, "
				      "\"f\": 9223372036854775808, "
				      "\"least\": -9223372036854775808, "
				      "\"big\": 18446744073709551615} ");

	cr_assert_not_null(j);
	cr_expect_eq(jdoc_int(j, "a", 0), 1);
	cr_expect_eq(jdoc_uint(j, "a", 0), 1);
	cr_expect_eq(jdoc_int(j, "b", 0), -2);
	cr_expect_eq(jdoc_uint(j, "b", 5), 5);
	cr_expect_eq(jdoc_int(j, "least", 0), INT64_MIN);
	cr_expect_eq(jdoc_int(j, "f", 5), 5);
	cr_expect_eq(jdoc_uint(j, "f", 0), 1ull << 63);
	cr_expect_str_eq(jdoc_string(j, "c"), "x\n\xc3\xbc\xf0\x9f\x98\x80");
	cr_expect_eq(jdoc_uint(j, "big", 0), UINT64_MAX);
	cr_expect_eq(jdoc_uint(j, "nosuch", 7), 7);
	cr_expect_str_eq(jdoc_string(j, "a"), "");
	cr_expect_str_eq(jdoc_string(jdoc_get(j, "a"), "x"), "");
	cr_expect_eq(jdoc_count(jdoc_get(j, "d")), 4);
	cr_expect_eq(jdoc_count(jdoc_get(j, "e")), 0);
	cr_expect_eq(jdoc_count(NULL), 0);
	json_object_put(j);
	j = parse("12");
	cr_expect_eq(json_object_get_int(j), 12);
	json_object_put(j);
}

Test(jdoc, wrong_texts)
{
	static const char *const bad[] = {
		"", "{", "[1,]", "{\"a\"}", "{\"a\":}", "{a:1}", "{'a':1}", "{'\"':[{},{}]}",
		"[1 2]", "\"x", "\"\\q\"",
		"\"\\u12\"", "tru", "01x", "-", "[1]]", "nullx",
	};

	for (size_t i = 0; i < ARRAY_SIZE(bad); i++)
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
		char *copy = malloc(n + 1); /* so that a sanitizer sees a read after the end */

		memcpy(copy, text, n);
		cr_expect_null(jdoc_parse(copy, n), "%zu", n);
		free(copy);
	}
}

static void expect_memory(const char *text, uint64_t limit, bool fits)
{
	struct json_object *j;

	jdoc_limit(limit);
	j = parse(text);
	cr_expect_eq(j != NULL, fits, "%s in %llu bytes", text, (unsigned long long)limit);
	json_object_put(j);
}

Test(jdoc, memory_is_bounded)
{
	struct json_object *held[2];

	expect_memory("[{},{},{},{},{},{},{},{}]", 6000, false);
	expect_memory("[{},{},{},{},{},{},{},{}]", 12000, true);
	expect_memory("[[],[],[],[],[],[],[],[]]", 1200, false);
	expect_memory("[0,0,0,0,0,0,0,0,0,0,0,0]", 800, false);
	expect_memory("{\"a\":0,\"b\":0,\"c\":0,\"d\":0}", 1300, false);
	expect_memory("[\"{},{},{},{},{},{},{},{}\"]", 600, true);
	expect_memory("[\"\\\"{},{},{},{},{},{},{}\"]", 600, true);
	cr_expect(out_lacked_memory());
	cr_expect_not_null(strstr(out_lack_reason(), "--memory"));
	/* a document counts until it is released */
	jdoc_limit(2600);
	held[0] = parse("[{}]");
	held[1] = parse("[{}]");
	cr_expect_not_null(held[1]);
	cr_expect_null(parse("[{}]"));
	json_object_put(held[0]);
	held[0] = parse("[{}]");
	cr_expect_not_null(held[0]);
	json_object_put(held[0]);
	json_object_put(held[1]);
}
