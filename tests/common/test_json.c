/* SPDX-License-Identifier: MIT */
#include <criterion/criterion.h>

#include "common/json.h"

Test(json, nesting_and_commas)
{
	struct json j = { 0 };

	json_object(&j, NULL);
	json_string(&j, "a", "x");
	json_array(&j, "b");
	json_uint(&j, NULL, UINT64_MAX);
	json_int(&j, NULL, INT64_MIN);
	json_object(&j, NULL);
	json_end(&j);
	json_end(&j);
	json_bool(&j, "c", true);
	json_end(&j);
	cr_expect_str_eq(j.text,
			 "{\"a\":\"x\",\"b\":[18446744073709551615,-9223372036854775808,{}],"
			 "\"c\":true}");
	json_free(&j);
}

static void expect_string(const char *bytes, size_t len, const char *json)
{
	struct json j = { 0 };

	json_bytes(&j, NULL, bytes, len);
	cr_expect_str_eq(j.text, json);
	json_free(&j);
}

Test(json, any_bytes_become_valid_text)
{
	expect_string("a\"b\\c\n\x7f", 7, "\"a\\\"b\\\\c\\u000a\\u007f\"");
	expect_string("\0x", 2, "\"\\u0000x\"");
	expect_string("\xc3\xa9\xe2\x82\xac\xf0\x9f\x90\x9f", 9,
		      "\"\xc3\xa9\xe2\x82\xac\xf0\x9f\x90\x9f\"");
	/* a stray byte, an overlong form, a surrogate, a cut sequence, beyond U+10FFFF */
	expect_string("\xff", 1, "\"\xef\xbf\xbd\"");
	expect_string("\xc0\xaf", 2, "\"\xef\xbf\xbd\xef\xbf\xbd\"");
	expect_string("\xed\xa0\x80", 3, "\"\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd\"");
	expect_string("\xe2\x82", 2, "\"\xef\xbf\xbd\xef\xbf\xbd\"");
	expect_string("\xf4\x90\x80\x80", 4,
		      "\"\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd\"");
}
