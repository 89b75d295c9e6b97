/* SPDX-License-Identifier: MIT */
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "capture/cli/options.h"
#include "capture/output/output.h"
#include "common/array.h"

enum { WORDS_MAX = 48 };

/* Parses a command line given as one string with words separated by single blanks. */
static int parse(struct options *o, const char *line, struct trawl_error *err)
{
	static char copy[1024];
	static char *argv[WORDS_MAX + 1];
	int argc = 0;

	snprintf(copy, sizeof(copy), "trawl %s", line);
	for (char *word = strtok(copy, " "); word && argc < WORDS_MAX; word = strtok(NULL, " "))
		argv[argc++] = word;
	argv[argc] = NULL;
	err->text[0] = '\0';
	return options_parse(o, argc, argv, err);
}

static struct options good(const char *line)
{
	struct options o;
	struct trawl_error err;

	cr_assert_eq(parse(&o, line, &err), 0, "%s: %s", line, err.text);
	return o;
}

static void bad(const char *line, const char *says)
{
	struct options o;
	struct trawl_error err;

	cr_assert_eq(parse(&o, line, &err), -1, "%s", line);
	cr_expect_eq(err.status, TRAWL_USAGE, "%s", line);
	cr_expect_not_null(strstr(err.text, says), "%s: %s", line, err.text);
	options_free(&o);
}

Test(options, the_flight_recorder)
{
	struct options o = good("-i x --ring 64M --trigger a>1 --after 2s -w f -W 3");

	cr_expect_eq(o.ring, 64u << 20);
	cr_expect_str_eq(o.trigger, "a>1");
	cr_expect_eq(o.after, 2000000000u);
	cr_expect_eq(o.rotate_files, 3);
	options_free(&o);
	o = good("-i x --ring 1m -w f");
	cr_expect_eq(o.after, 1000000000u);
	options_free(&o);
	o = good("-i x --ring 1m -w f --after 0s");
	cr_expect_eq(o.after, 0);
	options_free(&o);
	o = good("-i x --ring 67108864 -w f");
	cr_expect_eq(o.ring, 64u << 20, "bytes, where there is no unit");
	options_free(&o);
	o = good("-i x --ring 2147483648 -w f");
	cr_expect_eq(o.ring, 2ull << 30, "any number of bytes, as 2g");
	options_free(&o);
	o = good("-i x -C 2097152k -w f");
	cr_expect_eq(o.rotate_bytes, 2ull << 30);
	options_free(&o);
	bad("-i x --ring 18446744073709551615 -w f", "give a size");
	bad("-i x --ring 17179869184g -w f", "give a size");
	bad("-i x --ring 64 -w f", "too small; give 1m");
	bad("-i x --ring 1m -w f --after soon", "--after: not a duration");
	bad("-i x --ring 1m -w f --trigger a --trigger b", "join the expressions with 'or'");
}

Test(options, a_whole_command_line)
{
	struct options
		o = good("-i usdt:a:b -i event:x:y -w f.trawl -c 10 -s 64 -B 512 -C 5 -G 60 -W 3 "
			 "-Z nobody -vv -q -U --level 7 -- prog -x");

	cr_assert_eq(o.ninterfaces, 2);
	cr_expect_str_eq(o.interfaces[0], "usdt:a:b");
	cr_expect_str_eq(o.interfaces[1], "event:x:y");
	cr_expect_str_eq(o.write, "f.trawl");
	cr_expect_eq(o.count, 10);
	cr_expect_eq(o.snaplen, 64);
	cr_expect_eq(o.buffer_kb, 512);
	cr_expect_eq(o.rotate_bytes, 5000000);
	cr_expect_eq(o.rotate_time, 60000000000);
	cr_expect_eq(o.rotate_files, 3);
	cr_expect_str_eq(o.user, "nobody");
	cr_expect_eq(o.verbose, 2);
	cr_expect(o.quiet && o.unbuffered);
	cr_expect_eq(o.level, 7);
	cr_assert_not_null(o.command);
	cr_expect_str_eq(o.command[0], "prog");
	cr_expect_str_eq(o.command[1], "-x"); /* belongs to COMMAND */
	cr_expect_null(o.command[2]);
	options_free(&o);
}

Test(options, several_processes)
{
	struct options o = good("-i event:x:y -p 12 -p 34 -tttt");

	cr_assert_eq(o.npids, 2);
	cr_expect(o.pids[0] == 12 && o.pids[1] == 34);
	cr_expect_eq(o.time_style, 4);
	cr_expect_null(o.command);
	options_free(&o);
}

Test(options, times_and_sizes)
{
	static const struct { const char *text; uint64_t ns; } times[] = {
		{ "3", 3000000000 }, { "3s", 3000000000 }, { "250ms", 250000000 },
		{ "10us", 10000 }, { "2m", 120000000000 }, { "1h", 3600000000000 },
		{ "1.5s", 1500000000 }, { "500ns", 500 }, { "2d", 172800000000000 },
	};
	static const struct { const char *text; uint64_t bytes; } sizes[] = {
		{ "1", 1000000 }, { "64k", 65536 }, { "10M", 10485760 }, { "2gb", 2147483648 },
	};

	for (size_t i = 0; i < ARRAY_SIZE(times); i++) {
		char line[64];
		struct options o;

		snprintf(line, sizeof(line), "-i x --duration %s", times[i].text);
		o = good(line);
		cr_expect_eq(o.duration, times[i].ns, "%s", line);
		options_free(&o);
	}
	for (size_t i = 0; i < ARRAY_SIZE(sizes); i++) {
		char line[64];
		struct options o;

		snprintf(line, sizeof(line), "-i x -w f -C %s", sizes[i].text);
		o = good(line);
		cr_expect_eq(o.rotate_bytes, sizes[i].bytes, "%s", line);
		options_free(&o);
	}
}

Test(options, jobs_need_no_source)
{
	struct options o = good("-D --json");

	cr_expect_eq(o.job, JOB_LIST);
	cr_expect(o.json);
	options_free(&o);
	o = good("--gc");
	cr_expect_eq(o.job, JOB_GC);
	options_free(&o);
	o = good("--help");
	cr_expect_eq(o.job, JOB_HELP);
	options_free(&o);
	o = good("--version");
	cr_expect_eq(o.job, JOB_VERSION);
	options_free(&o);
}

Test(options, wrong_usage_says_what)
{
	bad("", "-i");
	bad("-w f", "-i");
	bad("-i", "-i needs a value");
	bad("-i x -c 0", "-c 0: give a number");
	bad("-i x -c ten", "-c ten");
	bad("-i x -c -5", "-c -5");
	bad("-i x -c 99999999999999999999999", "-c 9999");
	bad("-i x --level 20", "--level 20");
	bad("-i x --duration 5x", "--duration: not a duration");
	bad("-i x --duration 0", "from 1ns");
	bad("-i x --duration 99999999999h", "not a duration");
	bad("-i x --duration 5000000h", "100 years");
	bad("-i x --duration s", "--duration: not a duration");
	bad("-i x -w f -C 5q", "-C 5q");
	bad("-i x -C 5", "-C: needs the name of a file");
	bad("-i x -G 5 -w -", "-G: needs the name of a file");
	bad("-i x -w f -W 3", "-W 3: needs");
	bad("-i x -p 0", "-p 0");
	bad("-i x -p 4 -- prog", "-p and a command");
	bad("-i x prog", "prog: neither an option nor its value");
	bad("-i x -w f --json", "--json");
	bad("-i x -x", "-x: no such option");
	bad("-i x --nonsense", "--nonsense: no such option; --help");
	bad("-i x -qx", "-x: no such option; but trawl-decode has it");
	bad("-i x --where a==1", "trawl -U -w - ... | trawl-decode --where ... -");
	bad("-f -i x", "-f: no such option; what COMMAND and -p start is recorded, too");
	bad("-i x --filter y", "--filter: no such option; a filter follows its event");
	bad("-i x --name=y", "--name: no such option; but trawl-decode has it");
	bad("-i x --raw", "trawl-decode --raw ... -");
	bad("-i x --gc=3", "--gc=3: takes no value");
	bad("-i x --level", "--level: needs a value");
}

Test(options, help_lists_every_option)
{
	static const char *const all[] = { "-i ", "-D ", "-w ", "-p ", "-- ", "-c ", "--duration ",
					   "-C ", "-G ", "-W ", "-s ", "-B ", "-U ", "--level ",
					   "-Z ", "-t ", "-v ", "-q ", "--json ", "--gc ",
					   "--help", "--version" };

	char help[8192] = "";
	FILE *out = fmemopen(help, sizeof(help), "w");

	cr_assert_not_null(out);
	options_help(out);
	fclose(out);
	for (size_t i = 0; i < ARRAY_SIZE(all); i++)
		cr_expect_not_null(strstr(help, all[i]), "%s", all[i]);
}

static void expect_name(const char *line, uint32_t count, uint32_t again, const char *name)
{
	struct options o = good(line);
	struct trawl_error err;
	char *period = output_period(&o, 86400 * 365, &err), *got;

	cr_assert_not_null(period);
	got = output_name(&o, period, count, again, &err);
	cr_assert_not_null(got);
	cr_expect_str_eq(got, name);
	free(got);
	free(period);
	options_free(&o);
}

Test(output, names_are_tcpdumps)
{
	setenv("TZ", "UTC", 1);
	expect_name("-i x -w f%Y", 0, 0, "f%Y"); /* without -G the name is taken literally */
	expect_name("-i x -w f -C 1", 0, 0, "f");
	expect_name("-i x -w f -C 1", 1, 0, "f1");
	expect_name("-i x -w f -C 1", 10, 0, "f10");
	expect_name("-i x -w f -C 1 -W 10", 0, 0, "f0");
	expect_name("-i x -w f -C 1 -W 11", 0, 0, "f00");
	expect_name("-i x -w f -C 1 -W 11", 7, 0, "f07");
	expect_name("-i x -w f-%Y%m%d -G 60", 0, 0, "f-19710101");
	expect_name("-i x -w f-%Y%m%d -G 60 -C 1", 2, 0, "f-197101012");
	expect_name("-i x -w f.trawl -C 1", 0, 0, "f.trawl");
	expect_name("-i x -w f.trawl -C 1", 1, 0, "f1.trawl");
	expect_name("-i x -w f.trawl -C 1 -W 11", 7, 0, "f07.trawl");
	expect_name("-i x -w d/.trawl -C 1", 1, 0, "d/.trawl1");
}

/* tcpdump overwrites the file; here it gets a number other than those of -C. */
Test(output, a_name_that_comes_again_is_another_file)
{
	setenv("TZ", "UTC", 1);
	expect_name("-i x -w f -G 1", 0, 1, "f.1");
	expect_name("-i x -w f-%Y%m%d -G 60", 0, 12, "f-19710101.12");
	expect_name("-i x -w f -G 1 -C 1", 1, 2, "f1.2");
	expect_name("-i x -w f.trawl -G 2s", 0, 1, "f.1.trawl");
	expect_name("-i x -w f.trawl -G 500ms -C 1", 1, 2, "f1.2.trawl");
	expect_name("-i x -w f -G 1 -C 1", 11, 0, "f11");
}
