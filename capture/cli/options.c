/* SPDX-License-Identifier: MIT */
#include "config.h"

#include <ctype.h>
#include <errno.h>
#include <getopt.h>
#include <stdlib.h>
#include <string.h>

#include "common/dupopt.h"
#include "common/array.h"
#include "common/duration.h"
#include "common/otheropt.h"
#include "common/recordoptions.h"
#include "capture/cli/options.h"
#include "capture/source.h"

static const char help_head[] =
	"Usage: trawl -i SOURCE [-i SOURCE ...] [-w FILE] [OPTION ...] [-- COMMAND ...]\n"
	"\n"
	"Records user probes, kernel events, branches and USB. Without -w, prints the decoded events as\n"
	"they come; trawl-decode shows a FILE.\n"
	"\n"
	"  -i SOURCE       what to record; may be repeated:\n";

static const char help_tail[] =
	"  -D [SOURCE ...] list what can be recorded on this machine, and why the rest cannot; or the\n"
	"                  probes of usdt:PATH, functions of uprobe:PATH[:GLOB], events of event:GLOB\n"
	"  -w FILE         write to FILE; -: standard output\n"
	"  -p PID[,PID]    only these processes, their threads and new children\n"
	"  -- COMMAND ...  run it when all sources are armed; record it and its children; end with it\n"
	"\n"
	"  -c COUNT        end after the first COUNT records; a USB transfer has two\n"
	"  --duration TIME end after TIME: 10s, 500ms, 2m, 1h\n"
	"  -C SIZE         begin a new file after SIZE million bytes (or 64k, 10m, 1g)\n"
	"  -G TIME         begin a new file every TIME (2s, 10m); FILE may have strftime conversions\n"
	"  -W COUNT        with -C: keep the newest COUNT files; with -G: end after COUNT files\n"
	"  --ring SIZE     keep the newest SIZE in memory; write a FILE on each trigger: SIGUSR1,\n"
	"                  a crash of COMMAND, or --trigger; -W COUNT: end after COUNT files\n"
	"  --trigger EXPR  with --ring: an event that matches EXPR (see trawl-decode --where)\n"
	"  --after TIME    with --ring: record so long after a trigger (default 1s)\n"
	"  -s BYTES        keep at most BYTES of each string or data block of an event\n"
	"  -B KIB          size of the kernel buffer for each CPU and source\n"
	"  -U              write each batch of events immediately\n"
	"  --level N       compression, 1 (fast) to 19 (small); default: 1, adaptive\n"
	"  -Z USER         FILE belongs to USER, COMMAND runs as USER (default: the caller of sudo)\n"
	"  -t              without -w: format of times, as for trawl-decode: -t to -ttttt, -tm\n"
	"  -v              print more: losses by CPU, remarks on each probe\n"
	"  -q              print only errors\n"
	"  --json          with -D: as JSON; without -w: events as JSON lines\n"
	"  --self-test branch   record a known loop with each back end, and compare\n"
	"  --gc            remove probes and buffers of killed captures from the kernel\n"
	"  --help, --version\n"
	"\n"
	"Ends with COMMAND, with all processes of -p, by -c or --duration, or on an interrupt. Exit status:\n"
	"0 done, 1 done but events are missing, 2 wrong usage, 3 not possible on this machine.\n";

void options_help(FILE *out)
{
	fputs(help_head, out);
	for (size_t i = 0; sources[i]; i++) {
		if (!sources[i]->hidden)
			fprintf(out, "       %s:%s\n", sources[i]->name, sources[i]->summary);
	}
	fputs(help_tail, out);
}

/* Parses a decimal number in [min, max]; *end is the text after it. */
static bool number(const char *text, uint64_t min, uint64_t max, uint64_t *value, const char **end)
{
	char *stop;

	if (*text < '0' || *text > '9')
		return false;
	errno = 0;
	*value = strtoull(text, &stop, 10);
	*end = stop;
	return !errno && *value >= min && *value <= max;
}

static int whole_number(const char *option, const char *text, uint64_t min, uint64_t max,
			uint64_t *value, struct trawl_error *err)
{
	const char *end;

	if (number(text, min, max, value, &end) && !*end)
		return 0;
	return trawl_fail(err, TRAWL_USAGE, "%s %s: give a number from %llu to %llu", option, text,
			  (unsigned long long)min, (unsigned long long)max);
}

static const uint64_t AFTER_DEFAULT = 1000000000;

/* At least min; times that are added to it do not overflow. */
static int duration(const char *option, const char *text, uint64_t min, uint64_t *ns,
		    struct trawl_error *err)
{
	if (duration_parse(option, text, ns, err))
		return -1;
	if (*ns >= min && *ns <= UINT64_MAX / 4)
		return 0;
	return trawl_fail(err, TRAWL_USAGE, "%s %s: give a duration from 1ns to 100 years", option,
			  text);
}

/* Parses a size: a number with k, m, g (powers of 1024), or alone in units of `bare` bytes. */
static int size(const char *option, const char *text, uint64_t bare, uint64_t *bytes,
		struct trawl_error *err)
{
	static const uint64_t most = 1ull << 60; /* sizes that are added to it do not overflow */
	uint64_t n, unit = 0;
	const char *end;

	if (number(text, 1, most, &n, &end)) {
		if (!*end)
			unit = bare;
		else if (!strcasecmp(end, "k") || !strcasecmp(end, "kb"))
			unit = 1 << 10;
		else if (!strcasecmp(end, "m") || !strcasecmp(end, "mb"))
			unit = 1 << 20;
		else if (!strcasecmp(end, "g") || !strcasecmp(end, "gb"))
			unit = 1 << 30;
		if (unit && n <= most / unit) {
			*bytes = n * unit;
			return 0;
		}
	}
	return trawl_fail(err, TRAWL_USAGE,
			  "%s %s: give a size in %sbytes, or with k, m or g", option, text,
			  bare > 1 ? "millions of " : "");
}

static int add_interface(struct options *o, const char *text, struct trawl_error *err)
{
	if (!*text)
		return trawl_fail(err, TRAWL_USAGE, "-i: is empty; name a source (trawl -D lists them)");
	if (!array_grow(o->interfaces, o->ninterfaces))
		return trawl_fail(err, TRAWL_CANNOT, "out of memory");
	o->interfaces[o->ninterfaces++] = text;
	return 0;
}

static int add_pid(struct options *o, const char *text, struct trawl_error *err)
{
	uint64_t pid;

	if (!array_grow(o->pids, o->npids))
		return trawl_fail(err, TRAWL_CANNOT, "out of memory");
	if (whole_number("-p", text, 1, 1u << 22, &pid, err)) {
		if (isalpha((unsigned char)*text))
			return trawl_fail(err, TRAWL_USAGE, "-p %s: not a process ID; for a "
							    "running program give -p "
							    "\"$(pidof %s)\"", text, text);
		return -1;
	}
	for (size_t i = 0; i < o->npids; i++) {
		if (o->pids[i] == (pid_t)pid)
			return 0;
	}
	o->pids[o->npids++] = (pid_t)pid;
	return 0;
}

/* Adds a list of process ids, separated by commas (as of ps -p) or blanks (as pidof prints it). */
static int add_pids(struct options *o, const char *list, struct trawl_error *err)
{
	char copy[4096], *rest = copy, *pid;
	int n = 0;

	if (strlen(list) >= sizeof(copy))
		return trawl_fail(err, TRAWL_USAGE, "-p: more than %zu characters; give -p several times",
				  sizeof(copy) - 1);
	strcpy(copy, list);
	while ((pid = strtok_r(rest, ", \n", &rest))) {
		if (add_pid(o, pid, err))
			return -1;
		n++;
	}
	return n ? 0 : trawl_fail(err, TRAWL_USAGE, "-p: no process ID; is the program running?");
}

static int take_long(struct options *o, int c, const char *arg, struct trawl_error *err)
{
	uint64_t n;

	switch (c) {
	case OPT_SELF_TEST:
		if (strcmp(arg, "branch"))
			return trawl_fail(err, TRAWL_USAGE, "--self-test %.40s: no such test; "
							    "give --self-test branch", arg);
		o->job = JOB_SELF_TEST;
		return 0;
	case OPT_GC:
		o->job = JOB_GC;
		return 0;
	case OPT_HELP:
		o->job = JOB_HELP;
		return 0;
	case OPT_VERSION:
		o->job = JOB_VERSION;
		return 0;
	case OPT_DURATION:
		return duration("--duration", arg, 1, &o->duration, err);
	case OPT_RING:
		return size("--ring", arg, 1, &o->ring, err);
	case OPT_TRIGGER:
		if (o->trigger)
			return trawl_fail(err, TRAWL_USAGE,
					  "--trigger: given twice; join the expressions with 'or'");
		o->trigger = arg;
		return 0;
	case OPT_AFTER:
		o->has_after = true;
		return duration("--after", arg, 0, &o->after, err);
	case OPT_JSON:
		o->json = true;
		return 0;
	case OPT_LEVEL:
		if (whole_number("--level", arg, 1, 19, &n, err))
			return -1;
		o->level = (int)n;
		return 0;
	}
	return -1;
}

static int take_number(struct options *o, int c, const char *arg, struct trawl_error *err)
{
	const char option[] = { '-', (char)c, '\0' };
	uint64_t n;

	if (whole_number(option, arg, 1, c == 'c' ? UINT64_MAX : INT32_MAX, &n, err))
		return -1;
	switch (c) {
	case 'c':
		o->count = n;
		break;
	case 's':
		o->snaplen = (uint32_t)n;
		break;
	case 'B':
		o->buffer_kb = (uint32_t)n;
		break;
	case 'W':
		o->rotate_files = (uint32_t)n;
		break;
	}
	return 0;
}

static int set_file(struct options *o, const char *name, struct trawl_error *err)
{
	if (!*name)
		return trawl_fail(err, TRAWL_USAGE,
				  "-w: the name is empty; give a file, or - for standard output");
	o->write = name;
	return 0;
}

/* -t, -tt, ..., -tm. */
static int set_time_style(struct options *o, int c, struct trawl_error *err)
{
	if (c == 'm' && o->time_style != 1)
		return trawl_fail(err, TRAWL_USAGE,
				  "-m: does not follow exactly one -t; use -tm for times of the "
				  "monotonic clock");
	if (c == 'm')
		o->time_style = TIME_STYLE_MONOTONIC;
	else if (++o->time_style > TIME_STYLES_COUNTED)
		return trawl_fail(err, TRAWL_USAGE,
				  "-t: given too often; at most five are allowed (-ttttt)");
	return 0;
}

static int take(struct options *o, int c, const char *arg, struct trawl_error *err)
{
	switch (c) {
	case 'D':
		o->job = JOB_LIST;
		return 0;
	case 'i':
		return add_interface(o, arg, err);
	case 'w':
		return set_file(o, arg, err);
	case 'p':
		return add_pids(o, arg, err);
	case 'G':
		return duration("-G", arg, 1, &o->rotate_time, err);
	case 'C':
		return size("-C", arg, 1000000 /* as tcpdump's */, &o->rotate_bytes, err);
	case 'Z':
		o->user = arg;
		return 0;
	case 'q':
		o->quiet = true;
		return 0;
	case 'v':
		o->verbose++;
		return 0;
	case 't':
	case 'm':
		return set_time_style(o, c, err);
	case 'U':
		o->unbuffered = true;
		return 0;
	case 'c':
	case 's':
	case 'B':
	case 'W':
		return take_number(o, c, arg, err);
	}
	return take_long(o, c, arg, err);
}

enum { RING_LEAST = 1 << 20 };

static int check_ring(struct options *o, struct trawl_error *err)
{
	if (!o->ring && (o->trigger || o->has_after))
		return trawl_fail(err, TRAWL_USAGE,
				  "%s is for a flight recorder; give --ring SIZE too",
				  o->trigger ? "--trigger" : "--after");
	if (!o->ring)
		return 0;
	if (o->ring < RING_LEAST)
		return trawl_fail(err, TRAWL_USAGE, "--ring: too small; give 1m or more");
	if (!o->write)
		return trawl_fail(err, TRAWL_USAGE,
				  "--ring: needs a name for the files of triggers; give -w FILE");
	if (o->rotate_bytes || o->rotate_time)
		return trawl_fail(err, TRAWL_USAGE,
				  "-%c: cannot be combined with --ring, where each trigger begins "
				  "a file; -W COUNT limits the number of files",
				  o->rotate_bytes ? 'C' : 'G');
	if (o->count || o->unbuffered)
		return trawl_fail(err, TRAWL_USAGE, "-%c: cannot be combined with --ring: %s",
				  o->count ? 'c' : 'U',
				  o->count ? "-W COUNT limits the number of files" :
					     "nothing is written before a trigger");
	if (!o->has_after)
		o->after = AFTER_DEFAULT;
	return 0;
}

/* Checks the options against each other. */
static int check(struct options *o, struct trawl_error *err)
{
	bool rotates = o->rotate_bytes || o->rotate_time;

	if (o->job == JOB_GC && (o->ninterfaces || o->write || o->command))
		return trawl_fail(err, TRAWL_USAGE, "--gc: cannot be combined with recording; "
						    "give it alone");
	if (o->job != JOB_CAPTURE)
		return 0;
	if (!o->ninterfaces)
		return trawl_fail(err, TRAWL_USAGE,
				  "nothing to record; name a source with -i (trawl -D lists them)");
	if (rotates && !o->ring && (!o->write || !strcmp(o->write, "-")))
		return trawl_fail(err, TRAWL_USAGE, "-%c: needs the name of a file; give -w FILE",
				  o->rotate_bytes ? 'C' : 'G');
	if (o->rotate_files && !rotates && !o->ring)
		return trawl_fail(err, TRAWL_USAGE, "-W %u: needs -C, -G or --ring",
				  o->rotate_files);
	if (o->json && o->write)
		return trawl_fail(err, TRAWL_USAGE,
				  "--json prints events, -w writes a file; use trawl-decode --json "
				  "on the file");
	if (o->time_style && o->write)
		return trawl_fail(err, TRAWL_USAGE,
				  "-t: is for printed events, -w writes a file; use "
				  "trawl-decode -t on the file");
	if (o->npids && o->command)
		return trawl_fail(err, TRAWL_USAGE, "-p and a command: choose one of them");
	return check_ring(o, err);
}

/* Options of other tools, and of trawl-decode, with their remedies. */
static const struct otheropt elsewhere[] = {
	{ "-r --read", "trawl-decode FILE shows a capture" },
	{ "-e --event", "a kernel event is -i event:GROUP:NAME" },
	{ "-f -ff --follow --follow-forks",
	  "what COMMAND and -p start is recorded, too: leave it out; if a filter is meant, it follows "
	  "its event: -i 'event:GROUP:NAME if FIELD == 1'" },
	{ "--filter", "a filter follows its event: -i 'event:GROUP:NAME if FIELD == 1'" },
	{ "-o --output --write", "the file to write is -w FILE" },
	{ "--interface", "a source is -i SOURCE" },
	{ "-L --list --list-interfaces", "-D lists the sources" },
	{ "-l", "-D lists the sources, -D event:GLOB events; printed lines are not held back" },
	{ "--pid --tid -P", "a process is -p PID" },
	{ "-a --all-cpus", "without -p and COMMAND the whole machine is recorded: leave it out" },
	{ "-n -nn", "addresses and names are kept as they are: leave it out" },
	{ "-A", "trawl-decode -X shows payload as text: "
		"trawl -U -w - ... | trawl-decode -X -" },
	{ "-F --freq", "trawl records every event, it takes no samples: leave it out" },
	{ "-g --call-graph --stack", "trawl records no call graphs; perf record -g does" },
	{ "-m --mmap-pages -b", "the buffer for each CPU is -B KIB" },
	{ "--time --timeout -T", "the time to record is --duration TIME" },
	{ "--count", "the number of events is -c COUNT" },
	{ "--sort", "events are in order of time; of a file, trawl-export --to csv FILE | sort" },
	{ "-V", "the version is --version" },
	{ "-h", "--help lists all options" },
#define OF_DECODE(option) \
	{ option, "but trawl-decode has it: trawl -U -w - ... | trawl-decode " option " ... -" }
	OF_DECODE("--where"), OF_DECODE("--source"), OF_DECODE("--name"), OF_DECODE("--from"),
	OF_DECODE("--until"), OF_DECODE("--to"), OF_DECODE("--around"), OF_DECODE("--window"),
	OF_DECODE("--join"), OF_DECODE("--utc"), OF_DECODE("--bounds"), OF_DECODE("--fields"),
	OF_DECODE("--raw"), OF_DECODE("--print"), OF_DECODE("--summary"), OF_DECODE("--protocol"),
	OF_DECODE("--show-keys"), OF_DECODE("--color"), OF_DECODE("-x"), OF_DECODE("-X"),
#undef OF_DECODE
	{ NULL, NULL },
};

static int bad_option(int c, char **argv, struct trawl_error *err)
{
	const char *given = argv[optind - 1];

	if (c == ':' && optopt < 256)
		return trawl_fail(err, TRAWL_USAGE, "-%c needs a value; trawl --help lists all",
				  optopt);
	if (c == ':')
		return trawl_fail(err, TRAWL_USAGE, "%s: needs a value; trawl --help lists all",
				  given);
	if (optopt >= 256)
		return trawl_fail(err, TRAWL_USAGE, "%s: takes no value", given);
	return otheropt_fail(optopt ? (char[]){ '-', (char)optopt, '\0' } : given, elsewhere,
			     record_options, err);
}

/* Writes the error for a word that belongs to no option. */
static int stray_word(const char *word, struct trawl_error *err)
{
	static const char *const verbs[] = { "record", "start", "stat", "trace", "capture", "top" };

	for (size_t i = 0; i < ARRAY_SIZE(verbs); i++)
		if (!strcmp(word, verbs[i]))
			return trawl_fail(err, TRAWL_USAGE, "%s: trawl has no subcommands: "
					  "trawl -i SOURCE -w FILE records", word);
	if (!strcmp(word, "list") || !strcmp(word, "ls"))
		return trawl_fail(err, TRAWL_USAGE, "%s: trawl -D lists the sources", word);
	if (!strcmp(word, "report") || !strcmp(word, "script") || !strcmp(word, "show"))
		return trawl_fail(err, TRAWL_USAGE, "%s: trawl-decode FILE shows a capture", word);
	if (!strcmp(word, "if"))
		return trawl_fail(err, TRAWL_USAGE, "if: a source and its filter are one word: "
				  "-i 'event:GROUP:NAME if FIELD == 1'");
	if (!word[strspn(word, "0123456789")])
		return trawl_fail(err, TRAWL_USAGE, "%s: neither an option nor its value; give "
				  "several processes as one word: -p \"$(pidof NAME)\" or -p 1,2", word);
	if (strchr(word, ':'))
		return trawl_fail(err, TRAWL_USAGE, "%s: a source follows -i, with its arguments "
				  "as one word: -i '%s'", word, word);
	return trawl_fail(
		err, TRAWL_USAGE,
		"%s: neither an option nor its value; put a command after `--`, a source after "
		"-i", word);
}

/* -i and -p may be repeated; take_long() has a better message for a second --trigger. */
static bool has_one_value(int c)
{
	return optarg && c != 'i' && c != 'p' && c != OPT_TRIGGER;
}

int options_parse(struct options *o, int argc, char **argv, struct trawl_error *err)
{
	struct dupopt once = { 0 };
	int c, before;

	*o = (struct options){ .argc = argc, .argv = argv };
	optind = 0; /* glibc: start anew */
	opterr = 0;
	while (before = optind ? optind : 1,
	       (c = getopt_long(argc, argv, RECORD_SHORT_OPTIONS, record_options, NULL)) !=
		       -1) {
		if (c == '?' || c == ':')
			return bad_option(c, argv, err);
		if (optarg && !strcmp(optarg, "--"))
			return trawl_fail(err, TRAWL_USAGE, "%s: needs a value; `--` is none",
					  argv[optind - 2]);
		if (has_one_value(c) && dupopt_given(&once, c, record_options, err))
			return -1;
		if (take(o, c, optarg, err))
			return -1;
	}
	if (optind > before) { /* getopt has passed `--` */
		if (optind == argc)
			return trawl_fail(err, TRAWL_USAGE,
					  "--: no command follows; give one, or leave `--` out");
		o->command = argv + optind;
	} else if (o->job == JOB_LIST) {
		o->listed = argv + optind;
		for (; optind < argc; optind++) { /* --json may stand after what is to be listed */
			if (!strcmp(argv[optind], "--json"))
				o->json = true;
			else if (argv[optind][0] == '-')
				return trawl_fail(err, TRAWL_USAGE,
						  "%s: -D takes only what is to be listed, and "
						  "--json; see trawl --help",
						  argv[optind]);
			else
				o->listed[o->nlisted++] = argv[optind];
		}
		if (!o->nlisted && o->ninterfaces) { /* -D -i SOURCE */
			o->listed = (char **)o->interfaces;
			o->nlisted = o->ninterfaces;
		}
	} else if (optind < argc) {
		return stray_word(argv[optind], err);
	}
	return check(o, err);
}

void options_free(struct options *o)
{
	free(o->interfaces);
	free(o->pids);
	*o = (struct options){ 0 };
}
