/* SPDX-License-Identifier: MIT */
#include <criterion/criterion.h>
#include <unistd.h>
#include <stdio.h>
#include <string.h>

#include "common/array.h"
#include "decode/base/fit.h"

static void cut(unsigned int columns, const char *line, const char *want)
{
	struct out o;

	out_memory(&o);
	fit_cut(&o, line, strlen(line), columns);
	cr_expect_eq(o.len, strlen(want), "%.*s", (int)o.len, o.data);
	cr_expect(!memcmp(o.data, want, strlen(want)), "%.*s", (int)o.len, o.data);
	out_free(&o);
}

Test(fit, columns_of_characters)
{
	cut(8, "abcdefgh", "abcdefgh");
	cut(8, "abcdefghi\n", "abcde...\n");
	cut(8, "a\tb", "a...");
	cut(9, "a\tb", "a\tb");
	cut(8, "\033[1mabcdefghi\033[0m", "\033[1mabcde...\033[0m");
	/* a combining character takes no column, an umlaut takes one */
	cut(8, "a\u0301b\u0301cdefgh", "a\u0301b\u0301cdefgh");
	cut(8, "größegrö", "größegrö");
}

Test(fit, wide_characters_take_two)
{
	static const char *const wide[] = {"\u4e00", "\uac00", "\u231a", "\u2614", "\u2b50",
					   "\U0001f004", "\U0001f600", "\U00017000", "\U00020000"};

	for (size_t i = 0; i < ARRAY_SIZE(wide); i++) {
		char line[40], less[40];

		snprintf(line, sizeof(line), "%s%s%s%s", wide[i], wide[i], wide[i], wide[i]);
		snprintf(less, sizeof(less), "%s%s...", wide[i], wide[i]);
		cut(8, line, line);
		cut(7, line, less);
	}
	cut(8, "\u303f\u303f\u2500\u2500\u2500\u2500\u2500\u2500",
	    "\u303f\u303f\u2500\u2500\u2500\u2500\u2500\u2500");
}

Test(fit, bytes_that_are_no_text_take_a_column_each)
{
	cut(4, "\xff\xe4\xb8z", "\xff\xe4\xb8z");
	cut(4, "\xff\xe4\xb8zz", "\xff...");
	cut(4, "\xc0\x80zz", "\xc0\x80zz"); /* overlong encoding: not a character */
}

Test(fit, a_line_that_comes_in_parts_is_folded_as_one)
{
	static const char want[] = "one line\nand half of one";
	struct folded f;
	struct out o;
	char text[64];
	int p[2];

	cr_assert_eq(pipe(p), 0);
	out_open(&o, p[1]);
	folded_start(&f, &o, 40);
	out_str(&o, "one ");
	out_flush(&o);
	out_str(&o, "line\nand ");
	out_flush(&o);
	out_str(&o, "half of one");
	out_flush(&o);
	folded_end(&f);
	out_free(&o);
	close(p[1]);
	cr_assert_eq(read(p[0], text, sizeof(text)), (ssize_t)strlen(want));
	cr_expect(!memcmp(text, want, strlen(want)), "%.*s", (int)strlen(want), text);
	close(p[0]);
}
