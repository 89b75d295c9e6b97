/* SPDX-License-Identifier: MIT */
#include <criterion/criterion.h>
#include <stdlib.h>

#include "common/array.h"
#include "decode/query/where.h"
#include "decode/base/escape.h"

/*
 * A decoder whose items have the fields a=-5, b=0xfffffffffffffff0, f=1.5, s="say \"x\"", e=2 with
 * the name "two", and none without a value.
 */
static bool value(void *state, const struct item *it, const char *name, struct value *v)
{
	memset(v, 0, sizeof(*v));
	if (!strcmp(name, "a")) {
		v->type = VALUE_INT;
		v->i = -5;
	} else if (!strcmp(name, "b")) {
		v->type = VALUE_UINT;
		v->u = 0xfffffffffffffff0;
	} else if (!strcmp(name, "f")) {
		v->type = VALUE_FLOAT;
		v->f = 1.5;
	} else if (!strcmp(name, "one") || !strcmp(name, "nought")) {
		v->type = VALUE_FLOAT;
		v->f = *name == 'o';
	} else if (!strcmp(name, "empty")) {
		v->type = VALUE_TEXT;
		v->text = "";
	} else if (!strcmp(name, "s")) {
		v->type = VALUE_TEXT;
		v->text = "say \"x\"";
		v->len = 7;
	} else if (!strcmp(name, "odd")) {
		v->type = VALUE_TEXT;
		v->text = "a\nb\t\\*\xff'";
		v->len = 8;
	} else if (!strcmp(name, "e")) {
		v->type = VALUE_UINT;
		v->u = 2;
		v->text = "two";
		v->len = 3;
	} else if (!strcmp(name, "zero")) {
		v->type = VALUE_UINT;
	} else {
		return !strcmp(name, "none");
	}
	return true;
}

static const struct decoder decoder = {.kind = "test", .value = value};
static const struct trawl_source source = {.name = "usdt"};
static const struct item item = {
	.time = 1500000000000000000u, .source = &source, .name = "app:start", .name_len = 9,
	.comm = "bash", .comm_len = 4, .cpu = 3, .pid = 100, .tid = 101,
};

/* Notes about the expression in the last holds(), and their number. */
static struct {
	char text[1024];
	int times;
} odd;

static void keep_odd(void *arg, const struct trawl_error *note)
{
	cr_expect_eq(arg, &odd);
	strcpy(odd.text, note->text);
	odd.times++;
}

static const uint64_t *took; /* the item's took_ns */

static bool holds(const char *text)
{
	struct trawl_error err;
	struct where *w = where_parse("--where", text, &err);
	bool is;

	cr_assert_not_null(w, "%s: %s", text, w ? "" : err.text);
	memset(&odd, 0, sizeof(odd));
	where_set_on_mismatch(w, keep_odd, &odd);
	is = where_match(w, &decoder, NULL, &item, took);
	cr_assert_eq(where_match(w, &decoder, NULL, &item, took), is);
	where_free(w);
	return is;
}

static void told(const char *text, bool wanted, int times, const char *says)
{
	cr_expect_eq(holds(text), wanted, "%s", text);
	cr_expect_eq(odd.times, times, "%s: told %d times", text, odd.times);
	cr_expect_str_eq(odd.text, says, "%s: %s", text, odd.text);
}

Test(where, tells_once_of_a_number_and_a_text)
{
	told("a == \"5\"", false, 1,
	     "--where: app:start has a number here, which cannot be compared with a text: a number "
	     "stands without quotes\n    a == \"5\"\n    ^");
	told("1 and 7 < s", false, 1,
	     "--where: app:start has a text here, which cannot be compared with a number: a text "
	     "stands in quotes\n    1 and 7 < s\n              ^");
	told("a ~ \"5*\"", false, 1,
	     "--where: app:start has a number here, which no pattern matches; compare it with ==\n"
	     "    a ~ \"5*\"\n    ^");
	told("a != \"x\" and b & 1 == s", false, 2,
	     "--where: app:start has a text here, which cannot be compared with a number: a text "
	     "stands in quotes\n    a != \"x\" and b & 1 == s\n                          ^");
	cr_expect_not(holds("a !~ \"5*\" or s > 3"));
	cr_expect_eq(odd.times, 2, "of each comparison");
	/* no note: a number with a name, a field without a value, an absent field */
	told("e == \"two\" and e == 2 and e ~ \"t*\"", true, 0, "");
	told("none == 1 or none == \"x\" or gone ~ \"x\" or gone < 3", false, 0, "");
	told("name != \"app:start\" and a == \"x\"", false, 0, "");
}

#define yes(text) cr_expect(holds(text), "should hold: %s", text)
#define no(text)  cr_expect(!holds(text), "should not hold: %s", text)

Test(where, integers_of_both_kinds_compare_exactly)
{
	yes("a == -5");
	yes("a < 0");
	yes("a < b");
	yes("b > a");
	no("b < 0");
	yes("b == 18446744073709551600");
	yes("b == 0xfffffffffffffff0");
	no("b == 18446744073709551601");
	yes("b > 9223372036854775807");
	yes("a >= -5 && a <= -5");
	yes("a != 5");
	yes("-9223372036854775808 < a");
}

Test(where, floats_and_units)
{
	yes("f == 1.5");
	yes("f > 1 and f < 2");
	yes("zero < 1ms");
	yes("1ms == 1000000");
	yes("1.5us == 1500");
	yes("2k == 2048");
	yes("1G == 1073741824");
	yes("f == 15e-1");
}

Test(where, texts)
{
	yes("s == 'say \"x\"'");
	yes("s == \"say \\\"x\\\"\"");
	yes("comm = \"bash\"");
	yes("comm ~ \"ba*\"");
	yes("comm ~ '[a-c]?s[!a-g]'");
	no("comm ~ 'bas'");
	yes("comm !~ 'zsh*'");
	yes("comm < 'cat'");
	yes("name ~ 'app:*' and source == 'usdt'");
	yes("e == 'two' and e == 2 and e ~ 't*'");
}

Test(where, texts_are_read_as_they_are_printed)
{
	struct out o;
	struct value v;

	yes("odd == 'a\\nb\\t\\\\*\\xff\\''");
	yes("odd == \"a\\x0ab\\x09\\x5C*\\xFF'\"");
	no("odd == 'a\\\\nb'");
	yes("odd ~ 'a\\nb\\t\\\\\\*\\xff\\''");
	yes("odd ~ 'a?b*\\\\[*]*'");
	no("odd ~ 'a\\*'");
	no("s ~ 'say\\x2a'"); /* a literal character, not a glob */
	yes("s ~ 'say\\x20*'");
	value(NULL, NULL, "odd", &v);
	out_memory(&o);
	out_str(&o, "odd == ");
	out_quoted(&o, v.text, v.len);
	out_char(&o, '\0');
	yes(o.data);
	out_free(&o);
}

/* Only an item that ends an operation has took_ns. */
Test(where, durations)
{
	const uint64_t ns = 1500000;

	no("took_ns > 0 or took_ns < 1");
	took = &ns;
	yes("took_ns == 1.5ms and took_ns > 1ms");
	no("took_ns > 2ms or fields.took_ns");
	took = NULL;
}

Test(where, names_of_every_item)
{
	yes("ts_ns == 1500000000000000000 and ts_ns == ts");
	yes("ts == 1500000000000000000");
	yes("cpu == 3 and pid == 100 and tid == 101");
	no("fields.pid == 100"); /* no such field */
	yes("fields.a == -5");
}

Test(where, logic)
{
	yes("a == 1 or a == -5");
	yes("not a == 1");
	yes("!(a == 1 || b == 1)");
	yes("a == 1 and a == 2 or a == -5"); /* `and` binds more tightly */
	no("a == 1 and (a == 2 or a == -5)");
	yes("not not a == -5");
	yes("true and not false");
}

Test(where, operands_alone_and_bits)
{
	yes("a");
	no("zero");
	yes("f");
	yes("one");
	no("nought");
	yes("s");
	no("empty");
	no("none");
	no("nosuch");
	yes("b & 0x10");
	no("b & 0xf");
	yes("b & 0xff == 0xf0");
	no("s & 1");
}

Test(where, no_value_is_never_equal_nor_different)
{
	no("none == 0");
	no("none != 0");
	no("nosuch != 0");
	no("nosuch ~ '*'");
	no("nosuch !~ 'x'");
	yes("not none == 0");
}

static void wrong(const char *text, const char *what, int caret)
{
	struct trawl_error err;
	struct where *w = where_parse("--where", text, &err);
	const char *line;

	cr_assert_null(w, "accepted: %s", text);
	cr_expect_eq(err.status, TRAWL_USAGE);
	cr_expect(strstr(err.text, what), "'%s' not in: %s", what, err.text);
	line = strrchr(err.text, '\n');
	cr_assert_not_null(line);
	cr_expect_eq((int)strlen(line + 1), 4 + caret + 1, "caret of %s: %s", text, err.text);
}

Test(where, errors_have_a_caret)
{
	wrong("", "something is missing", 0);
	wrong("a ==", "something is missing", 4);
	wrong("a == 1 b", "expected and, or, or the end", 7);
	wrong("(a == 1", "expected )", 7);
	wrong("a == 'x", "quote is not closed", 5);
	wrong("a ~ 5", "a pattern in quotes", 4);
	wrong("a == 5parsecs", "unknown unit", 6);
	wrong("vid == 1b1c", "begin with 0x", 8);
	wrong("a == 18446744073709551616", "too large", 5);
	wrong("a == -9223372036854775809", "too small", 5);
	wrong("and", "expected a field", 0);
	wrong("a == 0x", "hexadecimal digits", 7);
	wrong("a @ 3", "expected and, or", 2);
	wrong("s == 'x\\q'", "unknown escape", 7);
	wrong("s == 'x\\*'", "unknown escape", 7);
	wrong("s == '\\x4'", "unknown escape", 6);
	wrong("s ~ 'a\\x00'", "unknown escape", 6);
	wrong("s == 'x\\", "quote is not closed", 5);
	wrong("s ~ \"[a\"", "no ] closes this set", 5);
	wrong("s !~ 'x\\n\\[[a'", "no ] closes this set", 11);
	wrong("tid == \"abc\"", "a number and a text", 7);
	wrong("'x' != tid", "a number and a text", 7);
	wrong("comm == 5", "a number and a text", 8);
	wrong("cpu ~ 'x*'", "a number and a text", 6);
	wrong("a & 1 == 'x'", "a number and a text", 9);
}

Test(where, hostile_texts_end_in_an_error)
{
	char *text = malloc(100001);
	struct trawl_error err;

	memset(text, '(', 100000);
	text[100000] = '\0';
	cr_assert_null(where_parse("--where", text, &err));
	cr_expect(strstr(err.text, "nested too deeply"));
	memset(text, '!', 100000);
	cr_assert_null(where_parse("--where", text, &err));
	for (int i = 0; i < 100000; i += 4)
		memcpy(text + i, "a or", 4);
	for (int i = 4; i < 100000; i += 5)
		text[i - 1] = ' ';
	cr_assert_null(where_parse("--where", text, &err));
	free(text);
}

/* ---- decisions without an item --------------------------------------------------------------- */

static bool has_a(void *arg, const char *field)
{
	return !strcmp(field, "a");
}

/* Tests events of `source` named app:start, or with any name, that have a field "a". */
static bool possible(const char *text, bool named)
{
	struct trawl_error err;
	struct where *w = where_parse("--trigger", text, &err);
	bool is;

	cr_assert_not_null(w, "%s", text);
	is = where_possible(w, &source, named ? "app:start" : NULL, has_a, NULL);
	where_free(w);
	return is;
}

#define can(text)   cr_expect(possible(text, true), "may hold: %s", text)
#define never(text) cr_expect(!possible(text, true), "cannot hold: %s", text)

Test(where, what_cannot_hold_is_known_beforehand)
{
	can("a == 5");
	can("not a == 5");
	never("b == 5");
	never("b");
	never("a == b");
	can("not b == 5");
	can("a == 5 or b == 5");
	never("a == 5 and b == 5");
	can("name == 'app:start' and a > 1");
	never("name == 'app:stop' and a > 1");
	can("name == 'app:stop' or a > 1");
	never("name ~ 'sched:*'");
	can("name !~ 'sched:*'");
	can("source == 'usdt'");
	never("source != 'usdt'");
	never("not source == 'usdt'");
	never("b & 1");
	can("a & 1");
	can("comm == 'x' and pid == 1 and cpu == 0 and ts > 0");
	never("false");
	can("true");
	cr_expect(possible("name == 'app:stop'", false));
	cr_expect(!possible("name == 'app:stop' and b == 1", false));
}

static bool is_start(void *arg, const char *text, bool pattern)
{
	return !strcmp(text, pattern ? "app:*" : "app:start");
}

static const char *unknown(const char *text, size_t *at)
{
	static char copy[64];
	struct trawl_error err;
	struct where *w = where_parse("--trigger", text, &err);
	const char *bad;

	cr_assert_not_null(w);
	bad = where_unknown_event(w, is_start, NULL, at);
	strcpy(copy, bad ? bad : "");
	where_free(w);
	return copy;
}

Test(where, names_of_events_can_be_checked)
{
	size_t at;

	cr_expect_str_eq(unknown("name == 'app:start' or name ~ 'app:*'", &at), "");
	cr_expect_str_eq(unknown("a == 'app:stop'", &at), "");
	cr_expect_str_eq(unknown("a == 1 and name != 'app:stop'", &at), "app:stop");
	cr_expect_eq(at, 19);
	cr_expect_str_eq(unknown("'x' == name", &at), "x");
	cr_expect_eq(at, 0);
	cr_expect_str_eq(unknown("name ~ 'sched:*'", &at), "sched:*");
}

Test(where, asking_for_the_task_is_known)
{
	static const struct {
		const char *text;
		bool uses_task;
	} cases[] = {
		{"a == 1", false}, {"comm == 'x'", true}, {"a and not (1 == pid)", true},
		{"tid == 1", false}, {"name == 'comm'", false},
	};
	struct trawl_error err;

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct where *w = where_parse("--where", cases[i].text, &err);

		cr_expect_eq(where_uses_task(w), cases[i].uses_task, "%s", cases[i].text);
		where_free(w);
	}
}
