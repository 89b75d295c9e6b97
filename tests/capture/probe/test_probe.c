/* SPDX-License-Identifier: MIT */
#include "config.h"

#include <criterion/criterion.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "capture/probe/build.h"
#include "capture/probe/insn.h"
#include "capture/probe/probe.h"
#include "common/array.h"

static struct probe_list list;
static struct trawl_error err;

static int resolve_limited(size_t limit, const char *text)
{
	struct spec spec;
	int ret = spec_parse(text, &spec, &err);

	if (ret == 0)
		ret = probe_resolve(&spec, limit, &list, &err);
	spec_free(&spec);
	return ret;
}

/* Resolves a spec in which @ stands for the folder of the samples. */
__attribute__((format(printf, 2, 0))) static int resolve_v(size_t limit, const char *fmt,
							   va_list ap)
{
	const char *build = getenv("TRAWL_BUILD");
	char text[12000], whole[16384];
	const char *at;

	vsnprintf(text, sizeof(text), fmt, ap);
	at = strchr(text, '@');
	if (!at)
		return resolve_limited(limit, text);
	snprintf(whole, sizeof(whole), "%.*s%s/samples%s", (int)(at - text), text,
		 build ? build : ".", at + 1);
	return resolve_limited(limit, whole);
}

__attribute__((format(printf, 1, 2))) static struct probe *taken(const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	cr_assert_eq(resolve_v(0, fmt, ap), 0, "%s", err.text);
	va_end(ap);
	return list.probes[list.n - 1];
}

__attribute__((format(printf, 2, 3))) static void refused(const char *why, const char *fmt, ...)
{
	size_t before = list.n, files = list.nfiles;
	va_list ap;

	va_start(ap, fmt);
	cr_assert_eq(resolve_v(0, fmt, ap), -1, "%s was taken", fmt);
	va_end(ap);
	cr_assert_eq(err.status, TRAWL_USAGE);
	cr_assert(strstr(err.text, why), "no '%s' in: %s", why, err.text);
	cr_assert_eq(list.n, before);
	cr_assert_eq(list.nfiles, files);
}

static void done(void)
{
	probe_list_free(&list);
}

TestSuite(probe, .fini = done);

Test(probe, a_definition_is_a_line_for_the_kernel)
{
	struct probe *p = taken("usdt:@/forms:forms:multi");
	char line[PROBE_DEFINITION_MAX + 1], want[256];

	cr_assert_str_eq(p->display_name, "forms:multi");
	cr_assert_str_eq(p->event, "forms_multi");
	cr_assert_eq(p->nsites, 3);
	cr_assert_eq(probe_definition(p, 0, "grp", line, sizeof(line), &err), 0);
	snprintf(want, sizeof(want),
		 "p:grp/forms_multi /proc/self/fd/%d:0x%llx arg1=%%di:s32 arg2=\\1:u64\n",
		 p->file->fd, (unsigned long long)p->sites[0].offset);
	cr_assert_str_eq(line, want);
	cr_assert_str_eq(p->sites[1].fetchargs, "arg1=+0(%sp):s32 arg2=%si:u64");
	cr_assert_str_eq(p->sites[2].fetchargs, "arg1=\\33:s32 arg2=%r9:u64");
}

Test(probe, semaphores_are_in_the_definition)
{
	struct probe *p = taken("usdt:@/libgreet.so:greet:costly");
	char line[PROBE_DEFINITION_MAX + 1], want[64];

	cr_assert_eq(probe_definition(p, 0, "g", line, sizeof(line), &err), 0);
	snprintf(want, sizeof(want), ":0x%llx(0x%llx) arg1=",
		 (unsigned long long)p->sites[0].offset, (unsigned long long)p->sites[0].ref_ctr);
	cr_assert(strstr(line, want), "%s", line);
}

Test(probe, sites_that_differ_get_one_type)
{
	struct probe *p = taken("usdt:@/forms:mixed");

	cr_assert_str_eq(p->args[0].type, "u64");
	cr_assert_str_eq(p->sites[0].fetchargs, "arg1=%ax:b32@0/64");
	cr_assert_str_eq(p->sites[0].args[0].type, "s32");
	cr_assert_str_eq(p->sites[1].fetchargs, "arg1=%cx:u64");
	cr_assert_str_eq(p->sites[2].fetchargs, "arg1=%ax:b8@8/64");
	cr_assert_str_eq(p->sites[2].args[0].type, "s8");
	cr_assert_str_eq(p->sites[3].fetchargs, "arg1=\\18446744073709551614:u64");
	cr_assert_str_eq(p->sites[3].args[0].type, "s16");
}

Test(probe, an_array_element_is_base_index_and_window)
{
	struct probe *p = taken("usdt:@/forms:sib");
	const struct probe_arg_site *a = &p->sites[0].args[0];

	cr_assert_str_eq(p->sites[0].fetchargs, "arg1=\\0:s32 arg1_base=%di:x64 arg1_idx=%si:s64 "
						"arg1_win=+0(%di):x64[64]");
	cr_assert_eq(a->state, PROBE_ARG_COMPUTED);
	cr_assert_str_eq(a->sib.window, "arg1_win");
	cr_assert_eq(a->sib.scale, 4);
	cr_assert_eq(a->sib.length, 512);
	cr_assert_not(p->args[0].helper);
	for (int i = 1; i < 4; i++)
		cr_assert(p->args[i].helper);
}

Test(probe, what_no_site_has_is_called_na)
{
	struct probe *p = taken("usdt:@/forms:floats");

	cr_assert_str_eq(p->args[0].name, "arg1");
	cr_assert_eq(p->args[0].show, PROBE_SHOW_FLOAT);
	cr_assert_str_eq(p->sites[0].args[0].type, "f64");
	cr_assert_str_eq(p->args[2].name, "arg3_na");
	cr_assert_eq(p->sites[0].args[2].state, PROBE_ARG_UNAVAILABLE);
	cr_assert(strstr(p->sites[0].args[2].why, "%xmm0"));
	cr_assert_str_eq(p->sites[0].args[2].fetch, "\\0:u8");
}

Test(probe, what_one_site_lacks_is_said_of_that_site)
{
	struct probe *p = taken("usdt:@/forms:partial");

	cr_assert_str_eq(p->args[1].name, "arg2");
	cr_assert_eq(p->sites[0].args[1].state, PROBE_ARG_EXACT);
	cr_assert_eq(p->sites[1].args[1].state, PROBE_ARG_UNAVAILABLE);
	cr_assert(strstr(p->sites[1].args[1].why, "no argument 2"), "%s", p->sites[1].args[1].why);
	cr_assert_str_eq(p->sites[1].args[1].fetch, "\\0:s32");
}

/* Returns the index of an argument, not counting checks, which precede the others. */
static size_t own(const struct probe *p, size_t k)
{
	size_t front = 0;

	while (front < p->nargs && p->args[front].check)
		front++;
	return front + k;
}

Test(probe, users_name_and_type_arguments)
{
	struct probe *p = taken("usdt:@/forms:text msg=arg1:str arg2:x64 at=+4(arg3):string "
				"n=%%rdi");
	const struct probe_arg *args = p->args + own(p, 0);
	const struct probe_arg_site *at = p->sites[0].args + own(p, 0);

	cr_assert_str_eq(args[0].name, "msg");
	cr_assert_str_eq(args[0].type, "string");
	cr_assert_eq(args[0].show, PROBE_SHOW_TEXT);
	cr_assert_str_eq(at[0].fetch, "+0(%di):string");
	cr_assert_str_eq(at[1].fetch, "+8(%si):x64");
	cr_assert_eq(strncmp(at[3].fetch, "+4(+", 4), 0);
	cr_assert_str_eq(args[4].name, "n");
	cr_assert_str_eq(at[4].fetch, "%di:x64");
}

Test(probe, what_a_pointer_leads_to_is_checked)
{
	struct probe *p = taken("uprobe:@/tick:tick_step a=+8(+0(%%di)):u32 b=+0(%%si):x8[32] "
				"c=+0(+16(%%si)):string d=+0(%%si):string e=%%di f=+8(%%sp) "
				"g=+0(%%si)");

	cr_assert_str_eq(p->sites[0].fetchargs,
			 "_c=+0(+0(\\1)):string _r=+0(+4(+0(%di))):string _r_2=+0(+4(%si)):string "
			 "_r_3=+0(+20(%si)):string _r_4=+0(+12(%si)):string "
			 "_r_5=+0(+4(%si)):string a=+8(+0(%di)):u32 b=+0(%si):x8[32] "
			 "c=+0(+16(%si)):string d=+0(%si):string e=%di:x64 f=+8(%sp):x64 "
			 "g=+0(%si):x64 _e=$comm:string");
	for (size_t k = 0; k < p->nargs; k++) {
		const struct probe_arg *a = &p->args[k];

		if (a->check == PROBE_CHECK_FIRST)
			cr_expect_eq(a->zeroed, strchr("bg", *p->args[a->of].name) != NULL);
		cr_expect_eq(a->helper, a->check != PROBE_CHECK_NONE, "%s", a->name);
	}
	p = taken("uprobe:@/tick:tick_step d=+0(%%si):string e=%%di f=+8(%%sp)");
	cr_assert_eq(p->nargs, 3);
}

Test(probe, what_users_get_wrong)
{
	refused("has no arg4; it has 3 arguments", "usdt:@/forms:text arg4");
	refused("are called arg1", "usdt:@/forms:text foo");
	refused("not a type", "usdt:@/forms:text arg1:int");
	refused("1 to 64 elements", "usdt:@/forms:text arg1:u8[65]");
	refused("no pointer", "usdt:@/forms:reg32 arg1:string");
	refused("cannot be recorded as s64", "usdt:@/forms:reg32 arg1:s64");
	refused("is for functions only", "usdt:@/forms:text $retval");
	refused("no such register", "usdt:@/forms:text %%zz");
	refused("no such variable", "usdt:@/forms:text $foo");
	refused("a ')' is missing", "usdt:@/forms:text +8(arg1");
	refused("an offset is a number", "usdt:@/forms:text +x(arg1)");
	refused("not a name for a field", "usdt:@/forms:text common_pid=arg1");
	refused("already", "usdt:@/forms:text a=%%di a=%%si");
	refused("12 levels", "uprobe:@/tick:tick_step +0(+0(+0(+0(+0(+0(+0(+0(+0(+0(+0(+0(+0(%%di"
			     ")))))))))))))");
}

Test(probe, nothing_of_the_name)
{
	refused("no such file", "usdt:/no/such/file:x");
	refused("no such program in $PATH", "usdt:no-such-program:x");
	refused("did you mean multi?", "usdt:@/forms:multy");
	refused("there is forms:multi", "usdt:@/forms:form:multi");
	refused("did you mean tick_step", "uprobe:@/tick:tick_stp");
	refused("a variable", "uprobe:@/forms:form_table");
	refused("give the library that defines it", "uprobe:@/tick:printf");
	refused("not a regular file", "uprobe:@:main");
	refused("not an ELF file", "uprobe:/etc/passwd:main");
	refused("no usdt probes", "usdt:@/params:x");
	refused("no such process", "usdt:pid=%d:x", 0x3fffffff);
	refused("no such probe in process", "usdt:pid=%d:no_such_probe", getpid());
}

/* The maps of a process are closed again in any case. */
Test(probe, files_of_a_process_are_closed)
{
	int before = dup(STDERR_FILENO), after;

	for (int i = 0; i < 3; i++)
		refused("no such probe in process", "usdt:pid=%d:no_such_probe", getpid());
	after = dup(STDERR_FILENO);
	cr_expect_eq(after, before + 1, "%d descriptors are left", after - before - 1);
	close(before);
	close(after);
}

Test(probe, arguments_that_are_too_long_or_too_many)
{
	char text[12000] = "uprobe:@/tick:tick_step";

	refused("can be read takes more than", "uprobe:@/tick:tick_step "
		"a=+1000000000(+1000000000(+1000000000(+1000000000(%%di)))):x8");
	refused("63 characters", "uprobe:@/tick:tick_step "
		"a=+1000000000(+1000000000(+1000000000(+1000000000(+1000000000(%%di))))):string");
	for (int i = 0; i < 129; i++)
		sprintf(text + strlen(text), " a%d=%%%%di", i);
	refused("129 arguments; the kernel takes at most 128", text, 0);
	strcpy(text, "uprobe:@/tick:tick_step");
	for (int i = 0; i < 120; i++)
		sprintf(text + strlen(text), " a_long_name_of_a_field_%03d=%%%%r10:u64", i);
	refused("its definition has", text, 0);
}

Test(probe, the_longest_arguments_lose_letters_of_their_names)
{
	struct probe *p = taken("uprobe:@/tick:tick_step a_very_long_name_for_a_field_ok="
				"+1000000000(+1000000000(%%di)):string");

	const struct probe_arg *a = &p->args[own(p, 0)];

	cr_assert_leq(strlen(a->name) + 1 + strlen(p->sites[0].args[own(p, 0)].fetch),
		      PROBE_ARG_MAX);
	cr_assert_eq(strncmp(a->name, "a_very_long_name", 16), 0);
}

Test(probe, uprobe_offsets)
{
	struct probe *p = taken("uprobe:@/tick:tick_step");
	unsigned long long offset = p->sites[0].offset;

	p = taken("uprobe:@/tick:0x%llx", offset);
	cr_assert_eq(p->sites[0].vaddr, list.probes[0]->sites[0].vaddr);
	cr_assert_str_eq(p->sites[0].symbol, "tick_step");
	refused("bytes long", "uprobe:@/tick:tick_step+0x10000");
	refused("has this offset", "uprobe:@/tick:0x7fffffffffff");
	refused("not in the code", "uprobe:@/tick:0x0");
	refused("leave the offset out", "uprobe:@/forms:run_none+1%%return");
}

Test(probe, the_middle_of_an_instruction)
{
	if (!insn_known())
		cr_skip_test("built without Zydis");
	/* push %rbx, push %rbp, push %r12 (two bytes), ... */
	refused("in the middle of an instruction: 'push %r12' is at +0x2, the next one at +0x4",
		"uprobe:@/forms:run_none+3");
}

Test(probe, return_probes_know_the_return_value_only)
{
	struct probe *p = taken("uprobe:@/tick:tick_name%%uretprobe $retval:string ax=%%ax");

	cr_assert_eq(p->kind, PROBE_URETPROBE);
	cr_assert_str_eq(p->display_name, "tick:tick_name%uretprobe");
	cr_assert_str_eq(p->sites[0].fetchargs, "retval=+0($retval):string ax=%ax:x64");
	refused("when the function is entered", "uprobe:@/tick:tick_name%%return arg1");
	refused("write tick_name%return", "uprobe:@/tick:tick_name $retval");
}

Test(probe, a_return_is_caught_at_the_ret_instruction)
{
	struct probe *p;

	if (!insn_known())
		cr_skip_test("built without Zydis");
	p = taken("uprobe:@/tick:tick_name%%return $retval:string ax=%%ax");
	cr_assert_eq(p->kind, PROBE_UPROBE);
	cr_assert_str_eq(p->display_name, "tick:tick_name%return");
	cr_assert_str_eq(p->sites[0].fetchargs, "retval=+0(%ax):string ax=%ax:x64");
	cr_assert_str_eq(p->sites[0].exit, "return");
	cr_assert_str_eq(taken("uprobe:@/tick:tick_name%%ret")->display_name, "tick:tick_name%ret");
}

Test(probe, events_have_names_that_the_kernel_takes)
{
	taken("uprobe:up-7.x=@/tick:tick_name");
	cr_assert_str_eq(list.probes[0]->event, "up_7_x");
}

Test(probe, names_are_unique)
{
	struct probe *a = taken("uprobe:@/tick:tick_name"),
		     *b = taken("uprobe:@/tick:tick_name $comm");
	struct probe *c = taken("uprobe:tick_tick_name=@/tick:tick_step");

	cr_assert_str_eq(a->event, "tick_tick_name");
	cr_assert_str_eq(b->event, "tick_tick_name_2");
	cr_assert_str_eq(b->display_name, "tick:tick_name#2");
	cr_assert_str_eq(c->event, "tick_tick_name_3");
	cr_assert_eq(list.nfiles, 1, "one file, opened once");
}

Test(probe, what_is_asked_for_twice_is_one)
{
	struct probe *own;

	taken("uprobe:@/tick:tick_name");
	taken("usdt:@/tick:loop");
	taken("usdt:@/tick:loop");
	cr_assert_eq(list.n, 2);
	cr_assert_eq(list.nnotes, 1);
	cr_assert(strstr(list.notes[0], "tick:loop: given twice: recorded once"));
	taken("uprobe:@/tick:tick_*");
	cr_assert_eq(list.n, 3);
	for (size_t i = 1; i < list.n; i++)
		cr_assert_str_neq(list.probes[i]->display_name, "tick:tick_name#2");
	cr_assert_eq(list.nnotes, 2);
	cr_assert(strstr(list.notes[1], "1 of its 2 probes, tick:tick_name for one, asked"));
	own = taken("uprobe:mine=@/tick:tick_name");
	cr_assert_str_eq(own->display_name, "mine");
}

Test(probe, what_has_no_name_is_called_as_it_is_inside)
{
	struct probe *p = taken("uprobe:@/tick:tick_name \\1 +8(%%di):u32 +0(%%di) +0(+8($stack)) "
				"@0x4000");

	const struct probe_arg *args = p->args + own(p, 0);

	cr_assert_str_eq(args[0].name, "imm");
	cr_assert_str_eq(args[1].name, "di");
	cr_assert_str_eq(args[2].name, "di_2");
	cr_assert_str_eq(args[3].name, "stack");
	cr_assert_str_eq(args[4].name, "mem");
}

/* The parameter's own name is kept, although a field of tracefs cannot have it. */
static void labelled(const struct probe_arg *arg, const char *name, const char *label)
{
	cr_expect_str_eq(arg->name, name);
	cr_expect(arg->label && !strcmp(arg->label, label), "%s: %s", label,
		  arg->label ? arg->label : "no label");
}

Test(probe, names_that_are_no_identifiers, .timeout = 20)
{
	struct probe *p = taken("uprobe:@/params:params_names $params");
	char *json = probe_meta_json(p);

	labelled(&p->args[0], "gr__e", "gr\303\266\303\237e");
	labelled(&p->args[1], "gr__e_2", "gr\303\244\303\237e");
	cr_expect_str_eq(p->args[2].name, "common_pid_2");
	cr_expect_null(p->args[2].label, "each record has a field of this name");
	labelled(&p->args[3], "a_parameter_whose_name_the_kern",
		 "a_parameter_whose_name_the_kernel_has_no_room_for");
	cr_expect(strstr(json, "\"name\":\"gr\303\266\303\237e\",\"note\""), "%s", json);
	free(json);
}

/* Each field has one display name, and no two have the same; parameters of a pack, for example. */
Test(probe, no_two_arguments_have_a_name)
{
	static const char *const names[] = {"args", "args", "\303\244", "\303\244", "a b", "a=b",
					    "common_type", "gr__e", "gr\303\266\303\237e"};
	static const char *const fields[] = {"args", "args_2", "_", "__2", "a_b", "a_b_2",
					     "common_type_2", "gr__e", "gr__e_2"};
	static const char *const labels[] = {NULL, NULL, "\303\244", NULL, NULL, NULL, NULL, NULL,
					     "gr\303\266\303\237e"};
	struct probe p = { 0 };

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		probe_add_arg(&p, names[i], "");
		cr_expect_str_eq(p.args[i].name, fields[i]);
		if (labels[i])
			labelled(&p.args[i], fields[i], labels[i]);
		else
			cr_expect_null(p.args[i].label, "%s", names[i]);
	}
	for (size_t i = 0; i < p.nargs; i++)
		free(p.args[i].label);
	free(p.args);
}

Test(probe, what_is_a_name_of_an_argument)
{
	static const char *const good[] = { "a", "_", "a1", "_5a" };
	static const char *const bad[] = { "", "1a", "+a", "a+", "a b", "(", "a.b", "common_pid" };

	for (size_t i = 0; i < ARRAY_SIZE(good); i++)
		cr_expect(probe_arg_name_ok(good[i]), "%s", good[i]);
	for (size_t i = 0; i < ARRAY_SIZE(bad); i++)
		cr_expect_not(probe_arg_name_ok(bad[i]), "'%s'", bad[i]);
}

/* Also bytes that are not UTF-8: a digit after them is still taken for the first letter. */
Test(probe, any_bytes_make_a_name, .timeout = 60)
{
	static const char last[] = { 0, '1', 'A', '\x88' };

	for (unsigned int i = 1; i < 1 << 18; i++) {
		const char name[] = { (char)(i >> 2), (char)(i >> 10), last[i & 3], 0 };
		struct probe p = { 0 };

		probe_add_arg(&p, name, "");
		if (!probe_arg_name_ok(p.args[0].name))
			cr_assert_fail("%02x %02x %02x", (uint8_t)name[0], (uint8_t)name[1],
				       (uint8_t)name[2]);
		free(p.args[0].label);
		free(p.args);
	}
}

Test(probe, signals_end_resolving, .timeout = 20)
{
	static const int signals[] = {SIGINT, SIGTERM, SIGHUP};
	sigset_t set;

	for (size_t i = 0; i < ARRAY_SIZE(signals); i++) {
		int got;

		sigemptyset(&set);
		sigaddset(&set, signals[i]);
		sigprocmask(SIG_BLOCK, &set, NULL);
		raise(signals[i]);
		cr_expect_eq(resolve_limited(0, "uprobe:libc.so.6:str*"), -1);
		cr_expect(strstr(err.text, "interrupted"), "%s", err.text);
		cr_expect_eq(err.status, TRAWL_CANNOT);
		cr_expect_eq(list.n, 0);
		sigwait(&set, &got);
		sigprocmask(SIG_UNBLOCK, &set, NULL);
	}
}

Test(probe, long_names_are_cut_and_told_apart)
{
	char name[120];
	struct probe *a, *b;

	memset(name, 'n', sizeof(name));
	name[sizeof(name) - 1] = '\0';
	a = taken("uprobe:%s1=@/tick:tick_name", name);
	b = taken("uprobe:%s2=@/tick:tick_name", name);
	cr_assert_eq(strlen(a->event), PROBE_NAME_MAX - 1);
	cr_assert_eq(strlen(b->event), PROBE_NAME_MAX - 1);
	cr_assert_str_neq(a->event, b->event);
	cr_assert_str_neq(a->display_name, b->display_name);
}

Test(probe, a_pattern_passes_over_functions_without_the_argument)
{
	taken("uprobe:@/params:params_s* x=a");
	cr_assert_eq(list.n, 3, "params_stack, params_structs, params_spill: %zu", list.n);
	cr_assert_eq(list.nnotes, 0);
	taken("uprobe:@/params:params_* i");
	cr_assert_eq(list.nnotes, 1);
	cr_assert(strstr(list.notes[0], "passed over, params_"), "%s", list.notes[0]);
	cr_assert(strstr(list.notes[0], "has no such parameter"), "%s", list.notes[0]);
	cr_assert_null(strchr(list.notes[0], '\n'), "one line");
	cr_assert_lt(list.n, 3 + 4);
	refused("params_", "uprobe:@/params:params_* nosuch");
	/* A type or a name would be that of no field. */
	refused("write $params alone", "uprobe:@/params:params_stack $params:u8");
	refused("write $params alone", "uprobe:@/params:params_stack x=$params");
	cr_assert_eq(list.nnotes, 1);
}

Test(probe, an_explicit_probe_beside_a_pattern_is_one_with_its_arguments)
{
	struct probe *p;

	taken("uprobe:@/tick:tick_*");
	cr_assert_eq(list.n, 2);
	p = taken("uprobe:@/tick:tick_step n=arg2");
	cr_assert_eq(list.n, 2);
	cr_assert_str_eq(p->display_name, "tick:tick_step");
	cr_assert_str_eq(p->event, "tick_tick_step");
	cr_assert_eq(p->nargs, 1);
	/* In the other order, and again. */
	taken("uprobe:@/tick:tick_* $params");
	taken("uprobe:@/tick:* $params");
	for (size_t i = 0, n = 0; i < list.n; i++) {
		n += !strncmp(list.probes[i]->display_name, "tick:tick_step", 14);
		cr_assert_leq(n, 1, "%s", list.probes[i]->display_name);
	}
	refused("no such parameter", "uprobe:@/tick:tick_name nosuch");
	probe_list_free(&list);

	taken("usdt:@/forms:reg*");
	p = taken("usdt:@/forms:reg32 mine=arg1");
	cr_assert_eq(list.n, 5);
	cr_assert_str_eq(p->display_name, "forms:reg32");
	cr_assert_str_eq(p->args[0].name, "mine");
	taken("usdt:@/forms:reg*");
	cr_assert_eq(list.n, 5);
	cr_assert_str_eq(p->args[0].name, "mine");
}

Test(probe, a_usdt_pattern_passes_over_probes_without_the_argument)
{
	size_t n;

	taken("usdt:@/forms:forms:* x=+0(arg3):u8");
	n = list.n;
	/* One line for each reason. */
	cr_assert_eq(list.nnotes, 4);
	cr_assert(strstr(list.notes[2], " 8 of the probes it matches are passed over, forms:"),
		  "%s", list.notes[2]);
	cr_assert(strstr(list.notes[2], " has no arg3; it has 2 arguments"), "%s", list.notes[2]);
	cr_assert_null(strchr(list.notes[2], '\n'), "one line");
	taken("usdt:@/forms:forms:* $comm");
	cr_assert_gt(list.n, n);
	refused("", "usdt:@/forms:forms:* arg40");
}

Test(probe, a_function_is_its_clones)
{
	struct probe *p = taken("uprobe:@/forms:compiled");

	cr_assert(strstr(p->display_name, "forms:compiled"), "%s", p->display_name);
	cr_assert(strstr(p->sites[0].symbol, "compiled.constprop."), "%s", p->sites[0].symbol);
	refused("no such symbol", "uprobe:@/forms:compile");
}

Test(probe, globs_have_a_limit)
{
	taken("usdt:@/forms:reg*");
	cr_assert_eq(list.n, 5);
	taken("uprobe:@/params:params_*");
	cr_assert_eq(list.n, 16);
	cr_assert_eq(resolve_limited(3, "uprobe:libc.so.6:str*"), -1);
	cr_assert(strstr(err.text, "more than 3 probes"), "%s", err.text);
	cr_assert_eq(list.n, 16, "what was there before stays");
}

Test(probe, metadata_is_json_of_all_of_it)
{
	char *json = probe_meta_json(taken("usdt:@/forms:sibmix"));
	static const char *const parts[] = {
		"{\"event\":\"forms:sibmix\",\"kind\":\"usdt\",\"tracefs\":\"forms_sibmix\"",
		"\"name\":\"arg1\",\"note\":\"-4@(%rdi,%rsi,4)\",\"fetch\":\"\\\\0:s32\",\"type\":"
		"\"s32\",\"state\":\"computed\",\"sib\":{\"base\":\"arg1_base\",\"index\":\"arg1_"
		"idx\",\"scale\":4,\"disp\":0,\"window\":\"arg1_win\",\"start\":0,\"length\":512}",
		"\"note\":\"-4@%eax\",\"fetch\":\"%ax:s32\",\"type\":\"s32\",\"state\":\"exact\"",
		"\"symbol\":\"run_sibmix+0x",
		"\"insn\":\"",
		"\"deleted\":false",
		"\"build_id\":\"",
	};

	for (size_t i = 0; i < ARRAY_SIZE(parts); i++)
		cr_assert(strstr(json, parts[i]), "no %s in %s", parts[i], json);
	free(json);
}
