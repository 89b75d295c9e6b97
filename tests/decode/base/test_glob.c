/* SPDX-License-Identifier: MIT */
#include <criterion/criterion.h>
#include <string.h>

#include "decode/base/glob.h"

static bool match(const char *pattern, const char *text)
{
	return glob_match(pattern, text, strlen(text));
}

Test(glob, stars_and_marks)
{
	cr_expect(match("", ""));
	cr_expect(match("*", ""));
	cr_expect(match("*", "anything"));
	cr_expect(match("a*c", "abc"));
	cr_expect(match("a*c", "ac"));
	cr_expect(match("a*b*c", "axxbyybzc"));
	cr_expect(match("?b?", "abc"));
	cr_expect(match("**a**", "bab"));
	cr_expect_not(match("a*c", "abcd"));
	cr_expect_not(match("?", ""));
	cr_expect_not(match("a", "ab"));
	cr_expect_not(match("ab", "a"));
}

Test(glob, sets)
{
	cr_expect(match("[abc]", "b"));
	cr_expect(match("[a-c]x", "cx"));
	cr_expect(match("[!a-c]", "d"));
	cr_expect(match("[^a-c]", "d"));
	cr_expect(match("[]]", "]"));
	cr_expect(match("[a-]", "-"));
	cr_expect_not(match("[!a-c]", "b"));
	cr_expect(match("[abc", "[abc")); /* without its closing bracket this is not a set */
}

Test(glob, escapes)
{
	cr_expect(match("\\*", "*"));
	cr_expect_not(match("\\*", "a"));
	cr_expect(match("a\\", "a\\"));
}

Test(glob, text_needs_no_nul)
{
	cr_expect(glob_match("ab", "abc", 2));
	cr_expect_not(glob_match("ab*", "abc", 1));
}

Test(glob, many_stars_stay_cheap)
{
	char text[10001];

	memset(text, 'a', 10000);
	text[10000] = '\0';
	cr_expect_not(match("a*a*a*a*a*a*a*a*a*a*b", text));
}
