/* SPDX-License-Identifier: MIT */
#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

#include "capture/cli/spec.h"
#include "common/array.h"

static void parsed(const char *text, struct spec *spec)
{
	struct trawl_error err = { 0 };

	cr_assert_eq(spec_parse(text, spec, &err), 0, "%s: %s", text, err.text);
}

/* Expects that text is refused with `what` in the message and the caret under text[at]. */
static void refused(const char *text, const char *what, size_t at)
{
	struct trawl_error err = { 0 };
	struct spec spec;
	const char *caret;

	cr_assert_eq(spec_parse(text, &spec, &err), -1, "%s was taken", text);
	spec_free(&spec);
	cr_assert_eq(err.status, TRAWL_USAGE);
	cr_assert(strstr(err.text, what), "%s: no '%s' in: %s", text, what, err.text);
	caret = strrchr(err.text, '\n');
	cr_assert(caret && strlen(caret) == 1 + 4 + at + 1, "%s: wrong caret: %s", text, err.text);
}

Test(spec, uprobe_with_symbol)
{
	struct spec s;

	parsed("uprobe:/bin/x:main", &s);
	cr_assert_eq(s.kind, SPEC_UPROBE);
	cr_assert_str_eq(s.path, "/bin/x");
	cr_assert_str_eq(s.symbol, "main");
	cr_assert_eq(s.offset, 0);
	cr_assert_eq(s.returns, SPEC_NO_RETURN);
	cr_assert_eq(s.nargs, 0);
	spec_free(&s);
}

Test(spec, uprobe_with_everything)
{
	struct spec s;

	parsed("uprobe:my-name=/a:b/x:f*+0x12%return  a=+8(%di):u32 $retval:string \\5", &s);
	cr_assert_str_eq(s.own, "my-name");
	cr_assert_str_eq(s.path, "/a:b/x");
	cr_assert_str_eq(s.symbol, "f*");
	cr_assert_eq(s.offset, 0x12);
	cr_assert_eq(s.returns, SPEC_RETURN);
	cr_assert_eq(s.nargs, 3);
	cr_assert_str_eq(s.args[0].field, "a");
	cr_assert_str_eq(s.args[0].expr, "+8(%di)");
	cr_assert_str_eq(s.args[0].type, "u32");
	cr_assert_str_eq(s.args[1].expr, "$retval");
	cr_assert_str_eq(s.args[1].type, "string");
	cr_assert_str_eq(s.args[2].expr, "\\5");
	cr_assert_str_eq(s.args[2].type, "");
	spec_free(&s);
}

Test(spec, uprobe_with_offset)
{
	struct spec s;

	parsed("uprobe:x:0x1a0%return", &s);
	cr_assert_str_eq(s.symbol, "");
	cr_assert_eq(s.offset, 0x1a0);
	cr_assert_eq(s.returns, SPEC_RETURN);
	spec_free(&s);
	parsed("uprobe:x:4096", &s);
	cr_assert_eq(s.offset, 4096);
	spec_free(&s);
}

Test(spec, blanks_and_backslashes_in_paths)
{
	struct spec s;

	parsed("uprobe:/a\\ b\\\\c:f arg1", &s);
	cr_assert_str_eq(s.path, "/a b\\c");
	cr_assert_str_eq(s.symbol, "f");
	cr_assert_eq(s.nargs, 1);
	cr_assert_eq(s.args[0].at, strlen("uprobe:/a\\ b\\\\c:f "));
	spec_free(&s);
}

Test(spec, a_path_that_looks_like_a_name)
{
	struct spec s;

	parsed("uprobe:./a=b:f", &s);
	cr_assert_str_eq(s.own, "");
	cr_assert_str_eq(s.path, "./a=b");
	spec_free(&s);
}

Test(spec, string_constants_hold_colons)
{
	struct spec s;

	parsed("uprobe:x:f a=\\\"b:c\":string", &s);
	cr_assert_str_eq(s.args[0].expr, "\\\"b:c\"");
	cr_assert_str_eq(s.args[0].type, "string");
	spec_free(&s);
	parsed("uprobe:x:f a=\\\"f(x):y\" b=\\\"(:c\":string c=+0(\"d:e\")", &s);
	cr_assert_str_eq(s.args[0].expr, "\\\"f(x):y\"");
	cr_assert_str_eq(s.args[0].type, "");
	cr_assert_str_eq(s.args[1].expr, "\\\"(:c\"");
	cr_assert_str_eq(s.args[1].type, "string");
	cr_assert_str_eq(s.args[2].expr, "+0(\"d:e\")");
	spec_free(&s);
}

Test(spec, usdt_by_path)
{
	struct spec s;

	parsed("usdt:/bin/sh:prov:na*", &s);
	cr_assert_eq(s.kind, SPEC_USDT);
	cr_assert_str_eq(s.path, "/bin/sh");
	cr_assert_str_eq(s.provider, "prov");
	cr_assert_str_eq(s.name, "na*");
	spec_free(&s);
	parsed("usdt:/bin/sh:name arg1:string", &s);
	cr_assert_str_eq(s.provider, "*");
	cr_assert_str_eq(s.name, "name");
	cr_assert_eq(s.nargs, 1);
	spec_free(&s);
}

Test(spec, usdt_path_with_colons_is_the_one_that_exists)
{
	struct spec s;

	/* Neither /bin/sh:x nor /no:x is the name of a file. */
	parsed("usdt:/bin/sh:x:y", &s);
	cr_assert_str_eq(s.path, "/bin/sh");
	spec_free(&s);
	parsed("usdt:/no:x:y", &s);
	cr_assert_str_eq(s.path, "/no");
	cr_assert_str_eq(s.provider, "x");
	spec_free(&s);
}

Test(spec, names_of_cxx_have_colons_and_blanks)
{
	static const struct { const char *text, *path, *symbol; size_t nargs;
	} forms[] = {
		{"/bin/sh:a::b::c", "/bin/sh", "a::b::c", 0},
		{"/no:a::b::c", "/no", "a::b::c", 0},
		{"/no:x:a::b", "/no:x", "a::b", 0},
		{"/bin/sh:a::f(int, char const*) x $params", "/bin/sh", "a::f(int, char const*)",
		 2},
		{"/bin/sh:a::f(int x=+0(%di)", "/bin/sh", "a::f(int", 1},
		{"/bin/sh:a::operator%", "/bin/sh", "a::operator%", 0},
		{"/bin/sh:a::operator++", "/bin/sh", "a::operator++", 0},
		{"/bin/sh:a::~a", "/bin/sh", "a::~a", 0},
		{"/bin/sh:drop<dyn\\ any::Any+m::Send>::h1", "/bin/sh",
		 "drop<dyn any::Any+m::Send>::h1", 0},
	};
	struct spec s;
	char text[80];

	for (size_t i = 0; i < ARRAY_SIZE(forms); i++) {
		snprintf(text, sizeof(text), "uprobe:%s", forms[i].text);
		parsed(text, &s);
		cr_expect_str_eq(s.path, forms[i].path, "%s", text);
		cr_expect_str_eq(s.symbol, forms[i].symbol, "%s", text);
		cr_expect_eq(s.nargs, forms[i].nargs, "%s", text);
		cr_expect_eq(s.offset, 0);
		spec_free(&s);
	}
	parsed("uprobe:/bin/sh:a::operator++(int)+0x4%return", &s);
	cr_expect_str_eq(s.symbol, "a::operator++(int)");
	cr_expect_eq(s.offset, 4);
	cr_expect_eq(s.returns, SPEC_RETURN);
	spec_free(&s);
}

Test(spec, usdt_by_pid)
{
	struct spec s;

	parsed("usdt:pid=123:p:*", &s);
	cr_assert_eq(s.pid, 123);
	cr_assert_str_eq(s.path, "");
	cr_assert_str_eq(s.provider, "p");
	cr_assert_str_eq(s.name, "*");
	spec_free(&s);
	parsed("usdt:pid=7:n", &s);
	cr_assert_str_eq(s.provider, "*");
	spec_free(&s);
}

Test(spec, events_and_eprobes)
{
	struct spec s;

	parsed("event:sched:sched_*  if prev_prio > 3", &s);
	cr_assert_eq(s.kind, SPEC_EVENT);
	cr_assert_str_eq(s.group, "sched");
	cr_assert_str_eq(s.event, "sched_*");
	cr_assert_str_eq(s.filter, "prev_prio > 3");
	spec_free(&s);
	parsed("eprobe:own=syscalls.sys_enter_openat f=+0($filename):ustring if flags == 2", &s);
	cr_assert_eq(s.kind, SPEC_EPROBE);
	cr_assert_str_eq(s.own, "own");
	cr_assert_str_eq(s.group, "syscalls");
	cr_assert_str_eq(s.event, "sys_enter_openat");
	cr_assert_eq(s.nargs, 1);
	cr_assert_str_eq(s.args[0].type, "ustring");
	cr_assert_str_eq(s.filter, "flags == 2");
	spec_free(&s);
}

Test(spec, branch)
{
	struct spec s;

	parsed("branch", &s);
	cr_assert_str_eq(s.backend, "");
	spec_free(&s);
	parsed("branch:lbr", &s);
	cr_assert_str_eq(s.backend, "lbr");
	cr_assert_eq(s.last, 0);
	spec_free(&s);
	parsed("branch:last=32@uprobe:/bin/a\\ b:f+4 x=arg1 arg2", &s);
	cr_assert_str_eq(s.backend, "");
	cr_assert_eq(s.last, 32);
	cr_assert_str_eq(s.probe, "uprobe:/bin/a\\ b:f+4 x=arg1 arg2");
	spec_free(&s);
	parsed("branch:kmod-lbr:last=1024@usdt:./x:p:*", &s);
	cr_assert_str_eq(s.backend, "kmod-lbr");
	cr_assert_eq(s.last, 1024);
	cr_assert_str_eq(s.probe, "usdt:./x:p:*");
	spec_free(&s);
}

static const struct {
	const char *text, *what;
	size_t at;
} wrong[] = {
	{ "", "no such source", 0 },
	{ "uprob:x:f", "did you mean uprobe", 0 },
	{ "uprobe", "no symbol", 6 },
	{ "uprobe:", "no symbol", 7 },
	{ "uprobe:x", "no symbol", 8 },
	{ "uprobe:x:", "no symbol after", 9 },
	{ "uprobe::f", "no path", 7 },
	{ "uprobe:x:+4", "no symbol before the '+'", 9 },
	{ "uprobe:x:f+", "not an offset", 11 },
	{ "uprobe:x:f+4x", "not an offset", 11 },
	{ "uprobe:x:0x", "not an offset", 9 },
	{ "uprobe:x:99999999999999999999999", "not an offset", 9 },
	{ "uprobe:x:f%retu", "only %return", 10 },
	{ "uprobe:x:f a=", "without a value", 13 },
	{ "uprobe:x:f a:", "no type", 12 },
	{ "uprobe:x:f =a", "no field name", 11 },
	{ "uprobe:x:f arg1 if a > 1", "takes no filter", 16 },
	{ "uprobe:x\\", "after the backslash", 8 },
	{ "usdt:/bin/sh", "no probe", 12 },
	{ "usdt:/bin/sh:", "no probe", 13 },
	{ "usdt::x", "no path", 5 },
	{ "usdt:pid=x:y", "not a process id", 9 },
	{ "usdt:pid=0:y", "not a process id", 9 },
	{ "usdt:pid=99999999999:y", "not a process id", 9 },
	{ "usdt:pid=5", "no probe", 10 },
	{ "usdt:pid=5::x", "no provider", 11 },
	{ "usdt:pid=5:p:", "no probe name", 13 },
	{ "event:sched", "event:sched:* is all of a group", 11 },
	{ "event:sched:", "name is missing", 12 },
	{ "event:sched:a/b", "a filter follows ' if '", 13 },
	{ "event:sched:a+b", "cannot be in a name", 13 },
	{ "event:sched:x foo", "takes no arguments", 14 },
	{ "event:sched:x if", "no filter", 16 },
	{ "eprobe:sched", "no event", 12 },
	{ "eprobe:a.b*", "cannot be in a name", 10 },
	{ "branch:a:b", "write branch:BACKEND", 9 },
	{ "branch:x=1", "write branch:BACKEND", 7 },
	{ "branch:last=0@uprobe:x:f", "1 to 1024", 12 },
	{ "branch:last=1025@uprobe:x:f", "1 to 1024", 12 },
	{ "branch:last=@uprobe:x:f", "1 to 1024", 12 },
	{ "branch:last=99999999999999999999@uprobe:x:f", "1 to 1024", 12 },
	{ "branch:x:last=32", "needs a probe", 16 },
	{ "branch:last=32@usb", "not a probe", 15 },
	{ "branch:ptrace x", "nothing may follow", 14 },
};

Test(spec, what_is_wrong_is_shown_with_a_caret)
{
	for (size_t i = 0; i < ARRAY_SIZE(wrong); i++)
		refused(wrong[i].text, wrong[i].what, wrong[i].at);
}

Test(spec, long_texts_are_shown_around_the_caret)
{
	char text[600] = "uprobe:x:f ";
	struct trawl_error err;
	struct spec spec;

	memset(text + strlen(text), 'a', 500);
	strcat(text, " b=");
	cr_assert_eq(spec_parse(text, &spec, &err), -1);
	spec_free(&spec);
	cr_assert_lt(strlen(err.text), 400);
	cr_assert(strstr(err.text, "a b=\n"), "%s", err.text);
}
