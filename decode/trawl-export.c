/* SPDX-License-Identifier: MIT */
/*
 * trawl-export: converts a saved file to another tool's format. Each format has a line in
 * formats[].
 */
#include "config.h"
#include "common/array.h"

#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "decode/export/choice.h"
#include "decode/base/cli.h"
#include "decode/export/csv.h"
#include "decode/flow/export.h"
#include "decode/flow/flow.h"
#include "decode/export/export.h"
#include "decode/export/gzip.h"
#include "decode/export/html.h"
#include "decode/export/jsonl.h"
#include "decode/base/outfile.h"
#include "decode/export/pcap.h"
#include "decode/export/pcapng.h"
#include "decode/export/perfetto.h"
#include "decode/query/reading.h"
#include "decode/export/tracedat.h"
#include "decode/export/umockdev.h"
#include "decode/export/usbmonout.h"
#include "decode/import/foreign.h"
#include "decode/import/unpack.h"

/* ---- the formats -------------------------------------------------------------------------- */

static int to_pcapng(const struct export_options *o, struct stream *s, struct out *out,
		     struct trawl_error *err)
{
	struct pcapng *p;
	int got;

	errno = 0; /* names and options that did not fit in memory would be missing */
	p = pcapng_new(s, out, o->with_machine);
	if (!p || errno == ENOMEM) {
		pcapng_free(p);
		return trawl_fail(err, TRAWL_CANNOT, "out of memory");
	}
	got = stream_run(s, pcapng_consumer(p), err);
	if (!got && pcapng_end(p) && !out->error)
		got = trawl_fail(err, TRAWL_CANNOT, "out of memory");
	pcapng_free(p);
	return got;
}

static int to_pcapng_gz(const struct export_options *o, struct stream *s, struct out *out,
			struct trawl_error *err)
{
	struct out names;
	struct gzip *g;
	int got;

	/*
	 * the names of fields go into the comment of the gzip header, where the dissector can read
	 * them without decompressing
	 */
	out_memory(&names);
	pcapng_fields(s, &names);
	out_char(&names, '\0');
	g = names.error ? NULL : gzip_new(out, names.data);
	out_free(&names);
	if (!g)
		return trawl_fail(err, TRAWL_CANNOT,
				  "--to pcapng.gz: out of memory, or built without zlib; use --to "
				  "pcapng and gzip");
	got = to_pcapng(o, s, out, err);
	gzip_end(g);
	return got;
}

static int to_json(const struct export_options *o, struct stream *s, struct out *out,
		   struct trawl_error *err)
{
	struct jsonl_printer j = {.out = out, .stream = s};

	jsonl_printer_start(&j);
	return stream_run(s, &j.consumer, err);
}

static int to_pcap(const struct export_options *o, struct stream *s, struct out *out,
		   struct trawl_error *err)
{
	struct trawl_error ignored;
	struct pcap_printer p;
	int got;

	if (pcap_start(&p, s, out, err))
		return -1;
	got = stream_run(s, &p.consumer, err);
	if (got)
		pcap_end(&p, &ignored);
	else
		got = pcap_end(&p, err);
	return got;
}

static int to_usbmon(const struct export_options *o, struct stream *s, struct out *out,
		     struct trawl_error *err)
{
	struct usbmon_printer p;

	if (usbmon_printer_start(&p, s, out, err))
		return -1;
	return stream_run(s, &p.consumer, err);
}

static int to_drcov(const struct export_options *o, struct stream *s, struct out *out,
		    struct trawl_error *err)
{
	return drcov_write(s, out, err);
}

static int to_lcov(const struct export_options *o, struct stream *s, struct out *out,
		   struct trawl_error *err)
{
	return lcov_write(s, out, err);
}

static int to_folded(const struct export_options *o, struct stream *s, struct out *out,
		     struct trawl_error *err)
{
	return folded_write(s, out, err);
}

static int to_brstack(const struct export_options *o, struct stream *s, struct out *out,
		      struct trawl_error *err)
{
	return brstack_write(s, out, err);
}

static const struct export_format formats[] = {
	{.name = "pcapng",
	 .what = "packets, for Wireshark",
	 .run = to_pcapng,
	 .packets = true,
	 .binary = true},
	{.name = "pcapng.gz",
	 .what = "the same, compressed with gzip",
	 .run = to_pcapng_gz,
	 .packets = true,
	 .binary = true},
	{.name = "pcap",
	 .what = "packets of one source (USB), for older programs",
	 .run = to_pcap,
	 .packets = true,
	 .binary = true},
	{.name = "usbmon",
	 .what = "USB events as the kernel's usbmon text",
	 .run = to_usbmon,
	 .packets = true},
	{.name = "perfetto",
	 .what = "a trace for ui.perfetto.dev: every source",
	 .run = perfetto_export,
	 .binary = true},
	{.name = "trace-dat",
	 .what = "kernel events for trace-cmd report and KernelShark",
	 .run = tracedat_export,
	 .binary = true,
	 .spool = true},
	{.name = "drcov",
	 .what = "code that ran (branches), for Lighthouse and its like",
	 .run = to_drcov,
	 .batches = true,
	 .binary = true},
	{.name = "lcov",
	 .what = "lines that ran (branches), for genhtml",
	 .run = to_lcov,
	 .batches = true},
	{.name = "folded",
	 .what = "calls (branches), for flame graphs",
	 .run = to_folded,
	 .batches = true},
	{.name = "brstack",
	 .what = "branch stacks as of perf script, for AutoFDO",
	 .run = to_brstack,
	 .batches = true},
	{.name = "json", .what = "JSON lines, as of trawl-decode --json", .run = to_json},
	{.name = "html",
	 .what = "a page that a browser opens from disk: timeline, table, search",
	 .run = html_export,
	 .binary = true},
	{.name = "umockdev",
	 .what = "a tar archive for umockdev-run: USB devices and their transfers",
	 .run = umockdev_export,
	 .packets = true,
	 .binary = true,
	 .spool = true},
	{.name = "csv", .what = "one table, a column for each field", .run = csv_export},
};
#define NFORMATS ARRAY_SIZE(formats)

/* ---- options ------------------------------------------------------------------------------ */

/* --to is the format here; the end of the time range is --until. */
enum { OPTION_FORMAT = OPTION_PROGRAM, OPTION_FIELDS, OPTION_LINKTYPE, OPTION_NO_DESCRIPTORS,
       OPTION_DECIMAL, OPTION_NO_FORMULAS, OPTION_WITH_MACHINE };

static const struct option long_options[] = {
	READING_OPTIONS,
	{"to", required_argument, NULL, OPTION_FORMAT},
	{"fields", required_argument, NULL, OPTION_FIELDS},
	{"linktype", required_argument, NULL, OPTION_LINKTYPE},
	{"no-descriptors", no_argument, NULL, OPTION_NO_DESCRIPTORS},
	{"decimal", no_argument, NULL, OPTION_DECIMAL},
	{"no-formulas", no_argument, NULL, OPTION_NO_FORMULAS},
	{"with-machine", no_argument, NULL, OPTION_WITH_MACHINE},
	{NULL, 0, NULL, 0},
};

struct options {
	struct reading reading;
	struct export_options export;
	const struct export_format *format;
};

static void print_help(void)
{
	size_t i;

	fputs("Usage: trawl-export --to FORMAT [OPTION]... FILE [-w OUT]\n"
	      "Converts a capture to the file format of another tool. FILE and OUT may be -; without -w,\n"
	      "writes to standard output.\n"
	      "\n"
	      "      --to FORMAT      one of:\n", stdout);
	for (i = 0; i < NFORMATS; i++)
		printf("         %-13s %s\n", formats[i].name, formats[i].what);
	fputs("  -w OUT               output file; only its owner can read it\n"
	      "\n"
	      SELECTION_HELP
	      "\n"
	      "      --memory SIZE    memory limit for the file: 512M, 2G (default: 256M)\n"
	      "      --utc            --from and --until without a time zone are UTC\n"
	      "      --fields LIST    csv: the columns (a,b,c); other formats: all (with helper fields)\n"
	      "      --decimal        csv: numbers above 2^63-1 in decimal (most programs round them)\n"
	      "      --no-formulas    csv: precede texts that begin with = + - @ by a '\n"
	      "      --raw            json, csv: records without joining transfers (USB); pcapng,\n"
	      "                       pcap, usbmon: --where and --name select single events\n"
	      "      --show-keys      do not mask keystrokes, keys and PINs (USB)\n"
	      "      --linktype N     pcap, pcapng: link type of USB packets: 220, 189, 249\n"
	      "      --no-descriptors pcapng: do not add packets with USB descriptors at the begin\n"
	      "      --with-machine   pcapng, html, trace-dat: include command lines and host name\n"
	      "      --no-sandbox     do not enter the sandbox; for debuggers\n"
	      "      --help, --version\n"
	      "\n"
	      "Exit status: 0 done, 1 the file is damaged or cut, 2 wrong usage, 3 not possible.\n", stdout);
}

static int set_format(struct options *o, const char *name, struct trawl_error *err)
{
	char list[512] = "";
	size_t n = 0;

	for (size_t i = 0; i < NFORMATS; i++) {
		if (!strcmp(formats[i].name, name)) {
			o->format = &formats[i];
			o->reading.decode.export = formats[i].packets;
			o->reading.decode.raw |= formats[i].batches;
			return 0;
		}
		if (n < sizeof(list))
			n += (size_t)snprintf(list + n, sizeof(list) - n, "%s%s", i ? ", " : "",
					      formats[i].name);
	}
	return trawl_fail(err, TRAWL_USAGE, "--to: '%.100s' is not a format; choose one of "
					    "%s%s", name,
			  list,
			  name[strspn(name, "+")] >= '0' && name[strspn(name, "+")] <= '9'
				  ? " (the end of a time range is --until)"
				  : "");
}

static int set_linktype(struct options *o, const char *arg, struct trawl_error *err)
{
	if (strcmp(arg, "189") && strcmp(arg, "220") && strcmp(arg, "249"))
		return trawl_fail(err, TRAWL_USAGE, "--linktype: '%.40s' is not a link type of USB "
						    "packets; use 220, 189 for programs without "
						    "220, or 249 for captures by USBPcap", arg);
	o->reading.decode.linktype = (uint16_t)atoi(arg);
	return 0;
}

static int set_option(void *arg, int option, struct trawl_error *err)
{
	struct options *o = arg;

	switch (option) {
	case OPTION_FORMAT:
		return set_format(o, optarg, err);
	case OPTION_FIELDS:
		o->export.columns = optarg;
		return 0;
	case OPTION_DECIMAL:
		o->export.decimal = true;
		return 0;
	case OPTION_NO_FORMULAS:
		o->export.no_formulas = true;
		return 0;
	case OPTION_NO_DESCRIPTORS:
		o->reading.decode.no_descriptors = true;
		return 0;
	case OPTION_WITH_MACHINE:
		o->export.with_machine = true;
		return 0;
	case OPTION_LINKTYPE:
		return set_linktype(o, optarg, err);
	default: /* -w */
		o->export.output = optarg;
		return 0;
	}
}

static const struct reading_program program = {
	.usage = "trawl-export --to FORMAT FILE -w OUT",
	.letters = ":c:w:",
	.options = long_options,
	.help = print_help,
	.option = set_option,
};

static int check(struct options *o, struct trawl_error *err)
{
	char what[32];

	if (!o->format)
		return trawl_fail(err, TRAWL_USAGE,
				  "--to: no format is given; --help lists the formats");
	if (o->export.columns && !strcmp(o->export.columns, "all")) {
		o->reading.decode.all_fields = true;
		o->export.columns = NULL;
	}
	if (o->export.columns && o->format->run != csv_export)
		return trawl_fail(err, TRAWL_USAGE, "--fields: a list of columns applies to csv "
						    "only; leave it out, or use 'all'");
	if ((o->export.decimal || o->export.no_formulas) && o->format->run != csv_export)
		return trawl_fail(err, TRAWL_USAGE, "%s: applies to csv only; leave it out",
				  o->export.decimal ? "--decimal" : "--no-formulas");
	snprintf(what, sizeof(what), "--to %s", o->format->name);
	if (o->format->batches && flow_selectable(&o->reading.selection, what, err))
		return -1;
	if (!strcmp(o->export.output, "-") && o->format->binary && isatty(STDOUT_FILENO))
		return trawl_fail(err, TRAWL_USAGE, "--to %s: binary output is not written to a "
						    "terminal; give -w OUT",
				  o->format->name);
	return 0;
}

/* ---- the output --------------------------------------------------------------------------- */

static int open_output(const struct options *o, struct outfile *f, struct trawl_error *err)
{
	const char *name = o->export.output;
	struct stat in, out;

	if (!stat(o->reading.path, &in) && !stat(name, &out) && in.st_dev == out.st_dev &&
	    in.st_ino == out.st_ino)
		return trawl_fail(err, TRAWL_USAGE, "-w %s: is the input file; choose another "
						    "name", name);
	if (outfile_open(f, name, err))
		return -1;
	return o->reading.no_sandbox ? 0 : outfile_keeper(f, err);
}

/* Warns that packets contain keystrokes, since they hold the original data. */
static void warn_of_keys(const struct options *o, const struct stream *s)
{
	uint64_t n = stream_secrets(s);
	struct trawl_error note;

	if (!n || !o->format->packets || o->reading.decode.show_keys)
		return;
	trawl_fail(&note, TRAWL_OK,
		   "%" PRIu64 " packet%s may contain keystrokes or keys in clear; check them "
			      "before you share the file (--show-keys silences this)",
		   n, n == 1 ? "" : "s");
	cli_error(&note);
}

/* Reports that nothing was chosen; another note on the selection (reading_finish()) says why. */
static void note_empty(const struct options *o, const struct stream *s, const char *name)
{
	struct trawl_error note;

	if (o->reading.selection.all || stream_selection(s)->taken)
		return;
	trawl_fail(&note, TRAWL_OK, "%s: no event is chosen, so it has none; trawl-decode "
		   "--summary shows what can be", name);
	cli_error(&note);
}

/* Converts everything to fd. Returns the exit status; error messages have been printed. */
static int convert(struct options *o, struct stream *s, int fd, struct trawl_error *err)
{
	const char *name = strcmp(o->export.output, "-") ? o->export.output : "standard output";
	struct out out;
	int status;

	out_open(&out, fd);
	status = reading_finish(s, &out, name, o->format->run(&o->export, s, &out, err), err);
	out_free(&out);
	warn_of_keys(o, s);
	if (!status && !err->text[0])
		note_empty(o, s, name);
	return status;
}

/*
 * Whether --where or --name select transfers: then both packets of a matching transfer are
 * exported, not just packets that match by themselves.
 */
static bool chooses_transfers(const struct options *o)
{
	const struct selection *sel = &o->reading.selection;

	return o->format->packets && !o->reading.decode.raw && (sel->where || sel->nnames);
}

/* Opens the stream; all files are open already. */
static struct stream *open_input(struct options *o, struct foreign *f, struct choice **choice,
				 struct trawl_error *err)
{
	struct reading *r = &o->reading;

	if (reading_sandbox(r, err) || foreign_resolve(f, err))
		return NULL;
	r->decode.fd = f->fd;
	if (chooses_transfers(o) &&
	    choice_find(r->path, &r->decode, &r->selection, choice, err))
		return NULL;
	return stream_open(r->path, &r->decode, &r->selection, err);
}

/*
 * Closes the output; returns the exit status. A heading without an event, which is all that could
 * be read of a damaged file, does not replace another file.
 */
static int end_output(const struct options *o, struct outfile *f, int status,
		      struct trawl_error *err)
{
	bool heading = status == TRAWL_BAD_DATA && !o->reading.selection.taken && f->file.fd >= 0;
	struct trawl_error note;

	if (!heading)
		return outfile_end(f, (enum trawl_status)status, err) ? cli_error(err) : status;
	outfile_close(f, false, &note);
	trawl_fail(&note, TRAWL_OK, "%s: not written: no event for it could be read",
		   o->export.output);
	cli_note(NULL, &note);
	return status;
}

static int export_to(struct options *o, struct foreign *f, struct outfile *output,
		     struct trawl_error *err)
{
	struct trawl_error dropped;
	struct choice *choice = NULL;
	struct stream *s = open_input(o, f, &choice, err);
	int status;

	if (!s) {
		outfile_close(output, false, &dropped);
		choice_free(choice);
		return cli_error(err);
	}
	status = convert(o, s, output->fd, err);
	status = end_output(o, output, status, err);
	stream_close(s);
	choice_free(choice);
	return f->verdict.status && !status ? cli_error(&f->verdict) : status;
}

static int run(struct options *o, struct trawl_error *err)
{
	struct foreign f;
	struct outfile output;
	int status;

	o->export.spool = -1;
	o->export.memory = o->reading.memory.most;
	/* selecting transfers requires reading the input twice */
	if (foreign_open(&f, o->reading.path, chooses_transfers(o), err) ||
	    (o->format->spool && (o->export.spool = unpack_temporary(err)) < 0) ||
	    open_output(o, &output, err))
		status = cli_error(err);
	else
		status = export_to(o, &f, &output, err);
	if (o->export.spool >= 0)
		close(o->export.spool);
	foreign_close(&f);
	return status;
}

int main(int argc, char **argv)
{
	struct options o = {.export.output = "-"};
	struct trawl_error err = {0};
	int status = TRAWL_OK, got;

	cli_program = "trawl-export";
	signal(SIGPIPE, SIG_IGN);
	signal(SIGXFSZ, SIG_IGN); /* the write fails instead, and is reported */
	got = reading_parse(&o.reading, &program, &o, argc, argv, &err);
	if (!got)
		got = check(&o, &err);
	if (got < 0)
		status = cli_error(&err);
	else if (got == 0)
		status = run(&o, &err);
	selection_free(&o.reading.selection);
	return status;
}
