/* SPDX-License-Identifier: MIT */
#include <criterion/criterion.h>

#include <string.h>

#include "edit/redact.h"

static void hide(struct redact *x, enum secret_class class, char *p, size_t n)
{
	(void)x, (void)class;
	memset(p, '#', n);
}

static void becomes(const char *text, const char *want)
{
	char got[300];

	strcpy(got, text);
	cr_expect(redact_is_sql(got, strlen(got)), "%s", text);
	redact_sql(NULL, got, strlen(got), hide);
	cr_expect_str_eq(got, want, "%s", got);
}

Test(sql, words_of_the_language_stay)
{
	becomes("SELECT name FROM people WHERE id = 17 AND x IN ($1, 2)",
		"SELECT #### FROM ###### WHERE ## = ## AND # IN ($1, #)");
	becomes("begin", "begin");
	becomes("commit;", "commit;");
	becomes("update a.select set \"from\" = 'select from where' where b = 'it''s'",
		"update #.###### set \"####\" = '#################' where # = '##''#'");
	becomes("select $$from where$$, $t$ and $x$ or $t$, `select`",
		"select $$##########$$, $t$############$t$, `######`");
	becomes("select 1 -- from\nfrom /* where */ t", "select # --#####\nfrom /*#######*/ #");
}

/* The rest of a text that was cut is not shown. */
Test(sql, quotes_that_do_not_end)
{
	becomes("select 'from where", "select '##########");
	becomes("select /*from where", "select /*##########");
	becomes("select $a$from where", "select $a$##########");
	becomes("select $a$", "select $a$");
}

Test(sql, other_texts)
{
	static const char *const texts[] = { "", "selection from", "hello select", "Update: my password",
					     "insert 'a\\'b'", "from where" };

	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++)
		cr_expect(!redact_is_sql(texts[i], strlen(texts[i])), "%s", texts[i]);
}
