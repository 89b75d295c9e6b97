/* SPDX-License-Identifier: MIT */
/* trawl-decode: prints a saved file as text, JSON lines or a summary. */
#include "config.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "common/duration.h"
#include "decode/query/around.h"
#include "decode/base/fit.h"
#include "decode/base/escape.h"
#include "decode/base/cli.h"
#include "decode/base/glob.h"
#include "decode/diff.h"
#include "decode/flow/calltree.h"
#include "decode/flow/countsview.h"
#include "decode/flow/flow.h"
#include "decode/query/join.h"
#include "decode/export/contents.h"
#include "decode/export/jsonl.h"
#include "decode/query/reading.h"
#include "decode/export/summary.h"
#include "decode/export/print_text.h"
#include "decode/import/foreign.h"
#include "decode/protocols.h"

enum {
	OPTION_JSON = OPTION_PROGRAM, OPTION_SUMMARY, OPTION_META, OPTION_COLOR, OPTION_BOUNDS,
	OPTION_FIELDS, OPTION_PRINT, OPTION_AROUND, OPTION_WINDOW, OPTION_JOIN,
	OPTION_PROTOCOL, OPTION_DIFF, OPTION_CALLS, OPTION_COUNTS,
};

enum { CALLS_MOST = 1000000 };

static const struct option long_options[] = {
	READING_OPTIONS,
	{"to", required_argument, NULL, OPTION_TO}, /* the same as --until */
	{"json", no_argument, NULL, OPTION_JSON},
	{"summary", no_argument, NULL, OPTION_SUMMARY},
	{"meta", optional_argument, NULL, OPTION_META},
	{"color", required_argument, NULL, OPTION_COLOR},
	{"bounds", no_argument, NULL, OPTION_BOUNDS},
	{"fields", required_argument, NULL, OPTION_FIELDS},
	{"print", no_argument, NULL, OPTION_PRINT},
	{"around", required_argument, NULL, OPTION_AROUND},
	{"window", required_argument, NULL, OPTION_WINDOW},
	{"join", no_argument, NULL, OPTION_JOIN},
	{"protocol", no_argument, NULL, OPTION_PROTOCOL},
	{"diff", no_argument, NULL, OPTION_DIFF},
	{"calls", optional_argument, NULL, OPTION_CALLS},
	{"counts", no_argument, NULL, OPTION_COUNTS},
	{NULL, 0, NULL, 0},
};

static const char help_text[] =
	"Usage: trawl-decode [OPTION]... FILE\n"
	"       trawl-decode --protocol [OPTION]... FILE...\n"
	"       trawl-decode --diff [OPTION]... FILE FILE\n"
	"Shows a capture; FILE may be - for standard input.\n"
	"\n"
	"      --json           JSON: one object per line\n"
	"      --summary        overview of the file: times, counts, losses, machine\n"
	"  -D                   list the events of the file: names, counts, fields\n"
	"      --protocol       describe the messages of an unknown USB protocol in one or more FILEs\n"
	"      --diff           first difference between two captures of the same session\n"
	"                       (USB, branches)\n"
	"      --calls[=N]      tree of calls with folded loops; or the last N calls (branches)\n"
	"      --counts         execution counts of functions and edges (branches)\n"
	"      --meta[=GLOB]    list the metadata, or print those with these names\n"
	"\n"
	SELECTION_HELP
	"      --to TIME        the same as --until\n"
	"      --around EXPR    events of all sources around each event that matches EXPR\n"
	"      --join           USB: name the task that caused each transfer (by URB or sectors)\n"
	"      --window TIME    range for --around and --join (default 1ms)\n"
	"\n"
	"  -t                   print no times; -tt: since the epoch; -ttt: since the last line;\n"
	"                       -tttt: with date; -ttttt: since the first event; -tm: of the\n"
	"                       monotonic clock, as in dmesg\n"
	"      --memory SIZE    memory limit for the file: 512M, 2G (default: 256M)\n"
	"      --utc            times in UTC (default: local time)\n"
	"      --bounds         print the error bound of each time\n"
	"      --fields all     also print helper fields\n"
	"      --raw            one line per record, without joining transfers (USB)\n"
	"      --print          kernel events in the kernel's print format\n"
	"  -x, -X               payload in hex, or in hex and text (USB)\n"
	"      --show-keys      do not mask keystrokes, keys and PINs (USB)\n"
	"      --color WHEN     auto, always or never\n"
	"      --no-sandbox     do not enter the sandbox; for debuggers\n"
	"      --help, --version\n"
	"\n"
	"Exit status: 0 done, 1 the file is damaged or cut, 2 wrong usage, 3 not possible.\n";

enum mode { MODE_TEXT, MODE_JSON, MODE_SUMMARY, MODE_META };

struct options {
	struct reading reading;
	enum mode mode;
	const char *meta; /* glob of --meta; NULL: list the names */
	const char *around_text; /* operand of --around, or NULL */
	uint64_t window;  /* --window, ns */
	struct around *around;
	bool list;        /* -D */
	bool join, has_window; /* --join, --window */
	bool protocol;    /* --protocol */
	bool diff;        /* --diff */
	bool calls, counts; /* --calls, --counts */
	uint64_t last_calls; /* --calls=N; 0: all */
	int times;        /* how many -t */
	bool monotonic;   /* -tm */
	bool bounds, colour;
};

static int set_mode(struct options *o, enum mode mode, struct trawl_error *err)
{
	if (o->mode != MODE_TEXT && o->mode != mode)
		return trawl_fail(err, TRAWL_USAGE, "--json, --summary, --meta: cannot be "
						    "combined; give one of them");
	o->mode = mode;
	return 0;
}

static int set_colour(struct options *o, const char *arg, struct trawl_error *err)
{
	const char *no = getenv("NO_COLOR");

	if (!strcmp(arg, "auto"))
		o->colour = isatty(STDOUT_FILENO) && !(no && *no);
	else if (!strcmp(arg, "always"))
		o->colour = true;
	else if (!strcmp(arg, "never"))
		o->colour = false;
	else
		return trawl_fail(err, TRAWL_USAGE, "--color: '%s' is unknown; use auto, always or "
						    "never",
				  arg);
	return 0;
}

static int set_last_calls(struct options *o, const char *arg, struct trawl_error *err)
{
	char *end;

	o->last_calls = strtoull(arg, &end, 10);
	if (*end || *arg < '1' || *arg > '9' || o->last_calls > CALLS_MOST)
		return trawl_fail(err, TRAWL_USAGE,
				  "--calls: '%.40s' is not a number from 1 to %d; for example "
				  "--calls=200",
				  arg, CALLS_MOST);
	return 0;
}

static int set_fields(struct options *o, const char *arg, struct trawl_error *err)
{
	if (strcmp(arg, "all"))
		return trawl_fail(err, TRAWL_USAGE,
				  "--fields: '%.100s' is unknown; use 'all' to add helper fields, "
				  "or trawl-export --to csv for a list of fields",
				  arg);
	o->reading.decode.all_fields = true;
	return 0;
}

static int set_around(struct options *o, const char *arg, struct trawl_error *err)
{
	if (o->around_text)
		return trawl_fail(err, TRAWL_USAGE,
				  "--around: given twice; join the expressions with 'or'");
	o->around_text = arg;
	return 0;
}

/* The options that have no operand and cannot be wrong. */
static void set_flag(struct options *o, int option)
{
	struct decode_options *decode = &o->reading.decode;

	switch (option) {
	case OPTION_BOUNDS:
		o->bounds = true;
		break;
	case OPTION_PRINT:
		decode->print = true;
		break;
	case OPTION_JOIN:
		o->join = true;
		break;
	case OPTION_PROTOCOL:
		o->protocol = o->reading.many = true;
		break;
	case OPTION_DIFF:
		o->diff = o->reading.many = true;
		break;
	case OPTION_COUNTS:
		o->counts = decode->raw = true;
		break;
	case 'D':
		o->list = true;
		break;
	case 'm':
		o->monotonic = true;
		break;
	default: /* -x, -X */
		decode->hexdump = option == 'x' ? 1 : 2;
		break;
	}
}

static int set_option(void *arg, int option, struct trawl_error *err)
{
	struct options *o = arg;

	switch (option) {
	case OPTION_JSON:
		return set_mode(o, MODE_JSON, err);
	case OPTION_SUMMARY:
		o->reading.decode.summary = true;
		return set_mode(o, MODE_SUMMARY, err);
	case OPTION_META:
		o->meta = optarg;
		return set_mode(o, MODE_META, err);
	case OPTION_COLOR:
		return set_colour(o, optarg, err);
	case OPTION_FIELDS:
		return set_fields(o, optarg, err);
	case OPTION_AROUND:
		return set_around(o, optarg, err);
	case OPTION_CALLS:
		o->calls = o->reading.decode.raw = true;
		return optarg ? set_last_calls(o, optarg, err) : 0;
	case OPTION_WINDOW:
		o->has_window = true;
		return duration_parse("--window", optarg, &o->window, err);
	case 't':
		if (++o->times > TIME_COUNTED)
			return trawl_fail(err, TRAWL_USAGE,
					  "-t: given too often; at most five are allowed (-ttttt)");
		return 0;
	default:
		set_flag(o, option);
		return 0;
	}
}

static void print_help(void)
{
	fputs(help_text, stdout);
}

static const struct reading_program program = {
	.usage = "trawl-decode [OPTION]... FILE",
	.letters = ":c:DtmxX",
	.options = long_options,
	.again = OPTION_AROUND, /* may be repeated; it then says how to combine two operands */
	.help = print_help,
	.option = set_option,
};

/* Returns 0; 1 if --help or --version was answered; or -1 with *err. */
static int parse(struct options *o, int argc, char **argv, struct trawl_error *err)
{
	int got = set_colour(o, "auto", err);

	if (!got)
		got = reading_parse(&o->reading, &program, o, argc, argv, err);
	if (!got && o->has_window && !o->around_text && !o->join)
		return trawl_fail(err, TRAWL_USAGE,
				  "--window: has no effect alone; add --around or --join");
	if (!got && o->monotonic && o->times != 1)
		return trawl_fail(err, TRAWL_USAGE, "-m: does not follow exactly one -t; use -tm "
						    "for times of the monotonic clock");
	if (!got && o->list && ((o->mode != MODE_TEXT && o->mode != MODE_JSON) || o->join ||
				o->around_text || o->protocol))
		return trawl_fail(err, TRAWL_USAGE, "-D: cannot be combined with another view, "
						    "--join or --around; only with --json and "
						    "options that select events");
	if (!got && o->join && o->mode != MODE_TEXT && o->mode != MODE_JSON)
		return trawl_fail(err, TRAWL_USAGE,
				  "--join: cannot be combined with --summary or --meta; use it for "
				  "text or with --json");
	if (!got && o->protocol && ((o->mode != MODE_TEXT && o->mode != MODE_JSON) ||
				    o->join || o->around_text || o->reading.decode.raw))
		return trawl_fail(err, TRAWL_USAGE, "--protocol: cannot be combined with "
						    "--summary, --meta, --around, --join or --raw; "
						    "use it alone or with --json");
	if (!got && (o->calls || o->counts) &&
	    (o->calls == o->counts || (o->mode != MODE_TEXT && o->mode != MODE_JSON) || o->join ||
	     o->list || o->around_text || o->protocol || o->diff))
		return trawl_fail(err, TRAWL_USAGE,
				  "%s: cannot be combined with another view, --around, --join or "
				  "-D; use it alone or with --json",
				  o->calls ? "--calls" : "--counts");
	if (!got && (o->calls || o->counts))
		return flow_selectable(&o->reading.selection, o->calls ? "--calls" : "--counts",
				       err);
	if (!got && o->diff &&
	    ((o->mode != MODE_TEXT && o->mode != MODE_JSON) || o->join || o->list ||
	     o->around_text || o->protocol || o->reading.decode.raw))
		return trawl_fail(err, TRAWL_USAGE,
				  "--diff: cannot be combined with --summary, --meta, --around, "
				  "--join, --protocol, --raw or -D; use it alone or with --json");
	if (!got && o->diff && argc - optind != 2)
		return trawl_fail(err, TRAWL_USAGE, "--diff: needs two files, not %d; use "
						    "trawl-decode --diff GOOD BAD", argc - optind);
	return got;
}

/* ---- actions ------------------------------------------------------------------------------- */

/*
 * Returns the consumer that receives the stream: c itself, or one that passes on what is around the
 * matches.
 */
static struct consumer *shown(const struct options *o, struct consumer *c, struct out *separator)
{
	return o->around ? around_consumer(o->around, c, separator) : c;
}

static int print_text(const struct options *o, struct stream *s, struct out *out,
		      struct trawl_error *err)
{
	struct text_printer t = {
		.out = out,
		.stream = s,
		.time = {.style = o->monotonic ? TIME_MONOTONIC : (enum time_style)o->times,
			 .utc = o->reading.utc},
		.colour = o->colour,
		.bounds = o->bounds,
		.columns = o->reading.decode.columns,
	};
	struct consumer *c = &t.consumer;
	struct out line;
	struct join *j = NULL;
	int got;

	text_printer_start(&t);
	if (o->join) {
		j = join_new(o->window);
		if (!j)
			return trawl_fail(err, TRAWL_CANNOT, "out of memory");
		c = join_consumer(j, c, out);
	}
	if (t.columns) {
		out_memory(&line);
		t.line = &line;
	}
	got = stream_run(s, shown(o, c, out), err);
	if (t.line)
		out_free(t.line);
	if (j && !got)
		join_report(j);
	join_free(j);
	return got;
}

static int print_json(const struct options *o, struct stream *s, struct out *out,
		      struct trawl_error *err)
{
	struct jsonl_printer j = {
		.out = out,
		.stream = s,
		.bounds = o->bounds,
	};

	int got;

	if (o->join && !(j.join = join_new(o->window)))
		return trawl_fail(err, TRAWL_CANNOT, "out of memory");
	jsonl_printer_start(&j);
	got = stream_run(s, shown(o, &j.consumer, NULL), err);
	if (j.join && !got)
		join_report(j.join);
	join_free(j.join);
	return got;
}

static int print_summary(const struct options *o, struct stream *s, struct out *out,
			 struct trawl_error *err)
{
	struct summary *m = stream_measure(s, err) ? NULL : summary_new(s);
	int result;

	if (!m)
		return trawl_fail(err, TRAWL_CANNOT, "out of memory");
	result = stream_run(s, shown(o, summary_consumer(m), NULL), err);
	if (!result)
		summary_print(m, s, &o->reading, out);
	summary_free(m);
	return result;
}

static int print_contents(const struct options *o, struct stream *s, struct out *out,
			  struct trawl_error *err)
{
	struct contents *c = contents_new();
	int got;

	if (!c)
		return trawl_fail(err, TRAWL_CANNOT, "out of memory");
	got = stream_run(s, contents_consumer(c), err);
	if (!got)
		contents_print(c, o->mode == MODE_JSON, out);
	contents_free(c);
	return got;
}

static int skip_item(struct consumer *c, const struct decoder *d, void *state,
		     const struct item *it)
{
	return 0;
}

static void list_piece(const struct trawl_meta *m, struct out *out)
{
	size_t start;

	out_printf(out, "%10zu  ", m->len);
	start = out->len;
	out_safe(out, m->type, strlen(m->type));
	out_pad(out, start, 27, 1);
	out_safe(out, m->name, strlen(m->name));
	out_char(out, '\n');
}

/*
 * Reads the whole file, because metadata may be anywhere, and lists or prints it. The text is
 * printed unchanged, except to a terminal, where control characters are escaped.
 */
static int print_meta(const struct options *o, struct stream *s, struct out *out,
		      struct trawl_error *err)
{
	struct consumer c = { .item = skip_item };
	struct trawl_reader *r = stream_reader(s);
	size_t i, found = 0;

	if (!stream_seekable(s) && stream_run(s, &c, err))
		return -1;
	for (i = 0; i < trawl_meta_count(r); i++) {
		const struct trawl_meta *m = trawl_meta_at(r, i);

		if (!o->meta) {
			list_piece(m, out);
		} else if (glob_match(o->meta, m->name, strlen(m->name))) {
			found++;
			if (isatty(STDOUT_FILENO))
				out_visible(out, m->data, m->len);
			else
				out_bytes(out, m->data, m->len);
			if (strncmp(m->type, "application/octet", 17) && m->len &&
			    ((const char *)m->data)[m->len - 1] != '\n')
				out_char(out, '\n');
		}
	}
	if (o->meta && !found)
		return trawl_fail(err, TRAWL_USAGE,
				  "--meta: no metadata has the name '%s'; --meta alone lists all "
				  "names",
				  o->meta);
	return 0;
}

static void flush(void *out)
{
	out_flush(out);
}

static int run(struct options *o, struct stream *s, struct out *out, struct trawl_error *err)
{
	trawl_when_waiting(stream_reader(s), flush, out);
	if (o->calls)
		return calls_print(&(struct calls_options){ .last = o->last_calls,
							    .json = o->mode == MODE_JSON,
							    .utc = o->reading.utc },
				   &o->reading.selection, s, out, err);
	if (o->counts)
		return counts_print(&o->reading.selection, s, o->mode == MODE_JSON, out, err);
	if (o->list)
		return print_contents(o, s, out, err);
	switch (o->mode) {
	case MODE_JSON:
		return print_json(o, s, out, err);
	case MODE_SUMMARY:
		return print_summary(o, s, out, err);
	case MODE_META:
		return print_meta(o, s, out, err);
	default:
		return print_text(o, s, out, err);
	}
}

static struct stream *open_stream(struct options *o, struct foreign *f, struct trawl_error *err)
{
	struct reading *r = &o->reading;

	if (foreign_open(f, r->path, false, err) || reading_sandbox(r, err) ||
	    foreign_resolve(f, err))
		return NULL;
	r->decode.fd = f->fd;
	r->bytes = f->fd == f->in ? 0 : f->bytes;
	r->decode.reasons_once = o->mode == MODE_TEXT;
	if (o->around_text) {
		o->around = around_find(r->path, o->around_text, o->window, &r->decode, err);
		if (!o->around)
			return NULL;
	}
	return stream_open(r->path, &r->decode, &r->selection, err);
}

int main(int argc, char **argv)
{
	struct options o = {.mode = MODE_TEXT, .window = 1000000};
	struct reading *r = &o.reading;
	struct trawl_error err = {0};
	struct foreign f = FOREIGN_NOTHING;
	struct folded folded = {0};
	struct stream *s = NULL;
	struct out out;
	int status = TRAWL_OK, got;

	cli_program = "trawl-decode";
	signal(SIGPIPE, SIG_IGN);
	signal(SIGXFSZ, SIG_IGN); /* the write fails instead, and is reported */
	out_open(&out, STDOUT_FILENO);
	r->decode.columns = fit_terminal(STDOUT_FILENO);
	got = parse(&o, argc, argv, &err);
	if (got > 0)
		goto out;
	/* documents stay as they are */
	if (r->decode.columns && o.mode != MODE_JSON && o.mode != MODE_META)
		folded_start(&folded, &out, r->decode.columns);
	if (got == 0 && o.protocol) {
		status = protocols_print(r, argv + optind, (size_t)(argc - optind),
					 o.mode == MODE_JSON, &out);
		goto out;
	}
	if (got == 0 && o.diff) {
		status = diff_print(r, argv + optind, o.mode == MODE_JSON, &out);
		goto out;
	}
	if (got == 0)
		s = open_stream(&o, &f, &err);
	if (!s) {
		status = cli_error(&err);
		goto out;
	}
	status = reading_finish(s, &out, "standard output", run(&o, s, &out, &err), &err);
	if (!status && f.verdict.status)
		status = cli_error(&f.verdict);
out:
	stream_close(s);
	around_free(o.around);
	foreign_close(&f);
	selection_free(&r->selection);
	folded_end(&folded);
	out_free(&out);
	return status;
}
