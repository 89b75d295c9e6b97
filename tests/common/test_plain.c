/* SPDX-License-Identifier: MIT */
/* Untrusted text must not affect a terminal. */
#include <criterion/criterion.h>
#include <string.h>

#include "common/plain.h"

static void plain(const char *text, bool lines, const char *want)
{
	char copy[64];

	strcpy(copy, text);
	cr_expect_str_eq(plain_text(copy, lines), want);
}

Test(plain, control_characters_become_question_marks)
{
	plain("name", false, "name");
	plain("a\033[2Jb\a\177", false, "a?[2Jb??");
	plain("a\nb\tc\r", false, "a?b?c?");
	plain("a\nb\tc\r", true, "a\nb\tc?");
	plain("gr\303\266\303\237e", false, "gr\303\266\303\237e");
	plain("a\302\233 2J", false, "a?? 2J"); /* U+009b, CSI */
	/* U+202e reverses the rest of the line */
	plain("a\342\200\256b\342\201\251", false, "a???b???");
	plain("\342\200\247\342\200", false, "\342\200\247\342\200");
	plain("\342\200\033", false, "\342\200?");
	plain("\302", false, "\302");
	plain("", true, "");
}
