/* SPDX-License-Identifier: MIT */
/* Errors about an unknown name list the known names. */
#include <criterion/criterion.h>

#include "decode/query/listing.h"

static const char *hint(const char *wanted, size_t n, const char *const *names)
{
	static struct listing l;

	listing_free(&l);
	listing_start(&l, wanted);
	for (size_t i = 0; i < n; i++)
		listing_add(&l, names[i]);
	return listing_hint(&l);
}

#define HINT(wanted, ...) hint(wanted, sizeof((const char *[]){__VA_ARGS__}) / sizeof(char *), \
			       (const char *[]){__VA_ARGS__})

Test(listing, each_name_once)
{
	cr_expect_str_eq(HINT("zzzzzz", "ab", "abc", "ab", "abc", "bc", "c", "bc"),
			 "; there are ab, abc, bc, c");
	cr_expect_str_eq(HINT("zzzzzz", "one", "one"), "; there are one");
	cr_expect_str_eq(HINT("zzzzzz", "xab", "ab"), "; there are xab, ab",
			 "the end of another is none");
}

Test(listing, names_of_the_tool_and_long_ones_are_counted)
{
	char text[64];

	memset(text, 'n', 61);
	text[61] = 0;
	cr_expect_str_eq(HINT("zzzzzz", "one", "__two", text), "; there are one, ...");
	text[60] = 0;
	cr_expect(strstr(HINT("zzzzzz", "one", text), text));
}
