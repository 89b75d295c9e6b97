/* SPDX-License-Identifier: MIT */
/* Texts of -i, command lines and fetch arguments, good and bad, and what is made of them. */
#include <unistd.h>

#include "capture/cli/options.h"
#include "capture/cli/readable.h"
#include "capture/cli/spec.h"
#include "common/array.h"
#include "tests/printed/inputs.h"

/* ---- texts of -i ----------------------------------------------------------------------------- */

static void show_text(FILE *to, const char *text)
{
	struct trawl_error err = {0};
	struct spec s;

	fprintf(to, "=== %s\n", text);
	if (spec_parse(text, &s, &err)) {
		fprintf(to, "%d %s\n", err.status, err.text);
		spec_free(&s);
		return;
	}
	fprintf(to, "%s at %zu group '%s' event '%s' filter '%s' own '%s' path '%s' %zu pid %d\n",
		spec_kind_name(s.kind), s.at, s.group, s.event, s.filter, s.own, s.path, s.path_at,
		s.pid);
	fprintf(to, " symbol '%s' %zu + 0x%" PRIx64 "%s provider '%s' name '%s' backend '%s' %u '%s'\n",
		s.symbol, s.symbol_at, s.offset, spec_return_name(s.returns), s.provider, s.name,
		s.backend, s.last, s.probe);
	for (size_t i = 0; i < s.nargs; i++)
		fprintf(to, " arg '%s' '%s' '%s' at %zu\n", s.args[i].field, s.args[i].expr,
			s.args[i].type, s.args[i].at);
	spec_fail(&s, s.symbol_at, &err, "%s", "here");
	fprintf(to, "%s\n", err.text);
	spec_free(&s);
}

static void show_spec(FILE *to, const struct inputs *in)
{
	char *text = strndup(in->data, in->size);

	text[strcspn(text, "\n")] = '\0';
	show_text(to, text);
	free(text);
}

static const char *const heads[] = {
	"", ":", "usb", "usb:", "branch", "branch:", "branch:perf-bts", "branch:nosuch:",
	"branch:last=32@uprobe:/x:f", "branch:last=0@uprobe:/x:f", "branch:last=1024@usdt:/x:p:n a=arg1",
	"branch:last=1025@uprobe:/x:f", "branch:last=@uprobe:/x:f", "branch:last=4", "branch:last=4@",
	"branch:last=4@event:a:b", "branch:kmod-step:last=7@uprobe:/x:f %di", "branch:a:b", "branch:last=x@y",
	"event", "event:", "event:sched", "event:sched:", "event::x", "event:sched:sched_switch",
	"event:sched:sched_switch if prev_prio < 100", "event:sched:sched_switch if", "event:a:b if  ",
	"event:a:b iff x", "event:a:b x", "event:a.b", "event:a/b", "event:sched:* if a && (b || c)",
	"event:*", "event:a:b:c", "event:a: b", "event: a:b", "events:a:b", "Event:a:b",
	"eprobe", "eprobe:", "eprobe:a", "eprobe:a.", "eprobe:.b", "eprobe:a.b", "eprobe:x=a.b $c",
	"eprobe:a.b c=$d:u32 +0($e):string at-exit if f == 1", "eprobe:a.b.c", "eprobe:a:b",
	"eprobe:1x=a.b", "eprobe:x-y=a.b", "eprobe:x y=a.b", "eprobe:a.b if", "eprobe:a.* $x",
	"uprobe", "uprobe:", "uprobe:x", "uprobe:x:", "uprobe::f", "uprobe:/x:f", "uprobe:/x:f+", "uprobe:/x:f+0x",
	"uprobe:/x:f+8", "uprobe:/x:f+0x8%return", "uprobe:/x:f-8", "uprobe:/x:f+8+8", "uprobe:/x:0x10",
	"uprobe:/x:16", "uprobe:/x:0x", "uprobe:/x:0x10000000000000000", "uprobe:/x:1f", "uprobe:/x:f%",
	"uprobe:/x:f%ret", "uprobe:/x:f%return", "uprobe:/x:f%uretprobe", "uprobe:/x:f%retrun",
	"uprobe:/x:f%return x", "uprobe:/x:%return", "uprobe:own=/x:f", "uprobe:own=x:f", "uprobe:=x:f",
	"uprobe:o wn=/x:f", "uprobe:o-w.n=/x:f", "uprobe:o+n=/x:f", "uprobe:./own=x:f", "uprobe:/x=y:f",
	"uprobe:/my\\ program:f", "uprobe:/my program:f", "uprobe:/a\\\\b:f", "uprobe:/a\\b:f", "uprobe:/a:b:f",
	"uprobe:/x:a::b", "uprobe:/x:a::b(int, char const*)", "uprobe:/x:a::b(int, char const*) const x",
	"uprobe:/x:a::b<int>", "uprobe:/x:operator()", "uprobe:/x:a::operator<<", "uprobe:/x:f(", "uprobe:/x:f)",
	"uprobe:/x:<S\\ as\\ T>::f", "uprobe:/x:f*", "uprobe:/x:[ab]*", "uprobe:/x:main.(*T).Add",
	"uprobe:/x:f ", "uprobe: /x:f", "uprobe:/x:f  a", "uprobe:/x:f\ta", "uprobe:/x:f\na",
	"uretprobe:/x:f", "kprobe:f", "kretprobe:f", "tracepoint:a:b", "u:/x:f", "p:/x:f",
	"usdt", "usdt:", "usdt:/x", "usdt:/x:", "usdt:/x:n", "usdt:/x:p:n", "usdt:/x:p:", "usdt:/x::n",
	"usdt:/x:p:n:m", "usdt:/x:*", "usdt:/x:*:*", "usdt:pid=1:n", "usdt:pid=:n", "usdt:pid=0:n",
	"usdt:pid=-1:n", "usdt:pid=x:n", "usdt:pid=4194304:n", "usdt:pid=99999999999:n", "usdt:pid=1",
	"usdt:/x:p:n%return", "usdt:/x:p:n+4", "usdt:own=/x:p:n", "usdt:x:p:n arg2:string a=arg1:u8",
	"synth:a=b.c,d.e key=f", "task", "task:", "unknown:x",
};
static const char *const args[] = {
	"a", "a:u8", "x=a", "x=a:u8", "x=", "=a", "x=:u8", ":u8", "a:", "x=+8(%di):string", "+8(%di", "%di:",
	"$retval", "$params", "\\5", "@sym+8:u16", "a->b.c[3]:x8[4]", "a[1].b", "a:b4@2/8", "1a=%di", "a b=c",
	"a if b", "if a", "x=y=z", "a::b", "a:b:c", "'a b'", "\"a\"", "a\\ b", "größe", "~r0", "a,b", "(a)",
	"x=(a)", "+0(a b)", "+0( a)", "$comm:string", "&a", "*a",
};

static void show_table(FILE *to)
{
	char text[512];

	for (size_t i = 0; i < ARRAY_SIZE(heads); i++)
		show_text(to, heads[i]);
	for (size_t i = 0; i < ARRAY_SIZE(args); i++) {
		snprintf(text, sizeof(text), "uprobe:/x:f %s", args[i]);
		show_text(to, text);
		snprintf(text, sizeof(text), "usdt:/x:p:n a=arg1 %s b=arg2:u8", args[i]);
		show_text(to, text);
		snprintf(text, sizeof(text), "eprobe:a.b %s if c == 1", args[i]);
		show_text(to, text);
	}
}

/* Where paths with colons exist. */
static void show_paths(FILE *to)
{
	static const char *const texts[] = {
		"uprobe:x:f", "uprobe:x:y:f", "uprobe:x:y:z:f", "uprobe:./x:y:f", "uprobe:./x:y:a::b",
		"usdt:x:y:n", "usdt:x:y:p:n", "usdt:./x:y:z:p:n", "uprobe:a\\ b:f", "uprobe:a=b:f",
		"uprobe:./a=b:f", "uprobe:o=a=b:f", "usdt:x:y", "uprobe:x:y",
	};

	for (size_t i = 0; i < ARRAY_SIZE(texts); i++)
		show_text(to, texts[i]);
}

/* ---- fetch arguments ------------------------------------------------------------------------- */

static void show_readable(FILE *to)
{
	static const char *const starts[] = {"%di", "+0(%di)", "-8(%si)", "+u16(%dx)", "+8(+4(%di))",
		"+0(%sp)", "+8(+0(%sp))", "-4(+8(+0(%ip)))", "+0(+0(+0(%ax)))", "$comm", "@0x10", "+0(@8)",
		"\\5", "+4($f)", "+0(+8($f))", "+2147483647(%di)", "-2147483648(+0(%di))", "+1(%di)",
		"+7(+9(%di))", "+16(%r12)", "+0($stack)", "+8(+0($stack2))"};
	static const char *const types[] = {"", ":u8", ":u16", ":s32", ":x64", ":string", ":ustring",
		":u8[64]", ":u32[3]", ":u64[2]", ":string[4]", ":b4@2/8", ":b20@4/64", ":char", ":char[5]"};

	for (size_t i = 0; i < ARRAY_SIZE(starts); i++)
		for (size_t k = 0; k < ARRAY_SIZE(types); k++) {
			struct readable r = {0};
			char text[128];

			snprintf(text, sizeof(text), "%s%s", starts[i], types[k]);
			readable_checks(text, &r);
			fprintf(to, "%s: %u %d '%s' '%s'\n", text, r.depth, r.text, r.first, r.last);
		}
}

/* ---- command lines --------------------------------------------------------------------------- */

static void show_options(FILE *to, const struct options *o)
{
	fprintf(to, "job %d write %s user %s count %" PRIu64 " duration %" PRIu64 " rotate %" PRIu64
		" %" PRIu64 " %u ring %" PRIu64 "\n", o->job, o->write ? o->write : "-",
		o->user ? o->user : "-", o->count, o->duration, o->rotate_bytes, o->rotate_time,
		o->rotate_files, o->ring);
	fprintf(to, " trigger %s after %" PRIu64 " %d buffer %u snaplen %u level %d verbose %d time %d "
		"%d%d%d\n", o->trigger ? o->trigger : "-", o->after, o->has_after, o->buffer_kb,
		o->snaplen, o->level, o->verbose, o->time_style, o->quiet, o->unbuffered, o->json);
	for (size_t i = 0; i < o->ninterfaces; i++)
		fprintf(to, " -i %s\n", o->interfaces[i]);
	for (size_t i = 0; i < o->npids; i++)
		fprintf(to, " pid %d\n", o->pids[i]);
	for (size_t i = 0; i < o->nlisted; i++)
		fprintf(to, " listed %s\n", o->listed[i]);
	for (size_t i = 0; o->command && o->command[i]; i++)
		fprintf(to, " word %s\n", o->command[i]);
}

/* A command line: words with blanks between them; ~ stands for a blank in a word. */
static void show_line(FILE *to, const char *line)
{
	struct trawl_error err = {0};
	struct options o;
	char copy[512], *argv[33];
	int argc = 0;

	snprintf(copy, sizeof(copy), "trawl %s", line);
	for (char *word = strtok(copy, " "); word && argc < 32; word = strtok(NULL, " ")) {
		for (char *c = word; *c; c++)
			*c = *c == '~' ? ' ' : *c;
		argv[argc++] = word;
	}
	argv[argc] = NULL;
	fprintf(to, "=== %s\n", line);
	if (options_parse(&o, argc, argv, &err))
		fprintf(to, "%d %s\n", err.status, err.text);
	else
		show_options(to, &o);
	options_free(&o);
}

static const char *const options[] = {
	"-c", "-s", "-B", "-W", "-G", "-C", "-p", "-Z", "-w", "-i", "--duration", "--ring", "--after",
	"--level", "--trigger", "--self-test", "-D", "-t", "-q", "-v", "-U", "--json", "--gc", "--help",
	"--version", "-x", "-r", "-e", "-f", "--filter", "-o", "-L", "-l", "--pid", "-a", "-n", "-A", "-F",
	"-g", "-m", "-b", "--time", "--count", "--sort", "-V", "-h", "--where", "--from", "--nosuch", "-?",
	"--j", "--du", "-tm", "-ttttt", "-tttttt", "-ttm", "-vv", "-qU",
};
static const char *const values[] = {
	"", "0", "1", "19", "20", "64", "1000", "-1", "+1", "x", "1x", "1.5", "1k", "1kb", "1K", "64m", "1MB",
	"2g", "1GB", "1t", "4294967295", "4294967296", "18446744073709551615", "18446744073709551616",
	"2147483647", "2147483648", "1s", "1.5s", "10ms", "7us", "9ns", "2min", "3h", "1d", "100y", "0s",
	"1s2", "17179869184g", "1,2,3", "1~2", "1,,2", "4194304", "4194305", "-", "file", "branch",
	"a>1", "event:a:b",
};
static const char *const lines[] = {
	"", "-- true", "-i x -- true -x", "-i x -p 1 -- true", "-i x -p 1 -p 2", "-i x -w f -w g", "-i x --",
	"-i x true", "-i x 5", "-i x usb:1", "-i x list", "record -i x", "report", "if", "-i x -w f -C 1 -W 3",
	"-i x -w - -C 1", "-i x -C 1", "-i x -G 1s", "-i x -W 3", "-i x -w f -W 3", "-i x --ring 1m",
	"-i x --ring 64m -w f --trigger a>1 --after 1s", "-i x --ring 64m -w f -C 5", "-i x --ring 64m -w f -G 5s",
	"-i x --ring 64m -w f -c 5", "-i x --ring 64m -w f -U", "-i x --ring 1k -w f", "-i x --ring 64m -w -",
	"-i x --trigger a", "-i x --after 1s", "-i x -w f --ring 2m --after 0s", "-i x -w f --json",
	"-i x -w f -t", "-i x --json", "-D", "-D --json", "--json -D", "-D usb branch", "-D -i x", "-D usb -q",
	"-D --json usb --json", "--gc", "--gc -i x", "--gc -v", "-i x --gc", "--self-test branch -i x",
	"--help -i x", "--version x", "-i", "-i ", "-w", "-i x -w", "-c 1 -c 2 -i x", "-i x --level 3 --level 4",
	"-i x -i y -i z -q", "-i x -tt", "-i x -tm", "-i x -t -t -t -t -t -t", "-i x -s 0", "-i x -B 1 -s 2 -c 3",
	"--trigger a --trigger b -i x", "-ix -wf", "-i x --duration=5s", "-i x --json=5", "-i x -qqv",
};

static void show_lines(FILE *to)
{
	char line[256];

	for (size_t i = 0; i < ARRAY_SIZE(lines); i++)
		show_line(to, lines[i]);
	for (size_t i = 0; i < ARRAY_SIZE(options); i++)
		for (size_t k = 0; k < ARRAY_SIZE(values); k++) {
			snprintf(line, sizeof(line), "-i x %s %s", options[i], values[k]);
			show_line(to, line);
			snprintf(line, sizeof(line), "%s %s -i x -w f", options[i], values[k]);
			show_line(to, line);
		}
	options_help(to);
}

static void take(struct printed *p, const char *name, void (*show)(FILE *to))
{
	char *text;
	size_t len;
	FILE *to = open_memstream(&text, &len);

	show(to);
	fclose(to);
	printed_take(p, name, text, len);
	free(text);
}

/* Which colon ends a path depends on the files that there are; so this is in a new folder. */
Test(printed, cli)
{
	static const char *const files[] = {"x", "x:y", "x:y:z", "a b", "a=b"};
	char folder[] = "/tmp/trawl-printed-XXXXXX";
	struct printed p;

	cr_assert(mkdtemp(folder));
	cr_assert_eq(chdir(folder), 0);
	printed_open(&p, "cli");
	inputs_take(&p, "spec", show_spec);
	take(&p, "table", show_table);
	take(&p, "readable", show_readable);
	take(&p, "lines", show_lines);
	for (size_t i = 0; i < ARRAY_SIZE(files); i++)
		fclose(fopen(files[i], "w"));
	take(&p, "paths", show_paths);
	for (size_t i = 0; i < ARRAY_SIZE(files); i++)
		unlink(files[i]);
	printed_close(&p);
	cr_assert_eq(rmdir(folder), 0);
}
