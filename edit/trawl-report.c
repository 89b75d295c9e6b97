/* SPDX-License-Identifier: MIT */
/*
 * trawl-report: packs a capture into a zip file for a person who does not have trawl.
 *
 * The other programs do the work, each in its own sandbox: trawl records, trawl-edit cuts and
 * redacts, trawl-export makes the HTML page and the packets, trawl-decode the summary. trawl-report
 * runs them in a temporary folder, which it removes at the end, shows the result, asks for consent,
 * and packs.
 */
#include "config.h"

#include <getopt.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <time.h>
#include <unistd.h>

#include "common/printed.h"
#include "decode/base/cli.h"
#include "decode/base/outfile.h"
#include "edit/edit.h"
#include "edit/jobs.h"
#include "edit/report.h"
#include "edit/reportdescription.h"
#include "edit/reportjobs.h"
#include "edit/reportpack.h"
#include "edit/reportprogress.h"

static const char help[] =
	"Usage: trawl-report [OPTION]... FILE [-o OUT.zip]\n"
	"       trawl-report [OPTION]... [--recorder PID] [-o OUT.zip]\n"
	"       trawl-report [OPTION]... [-i SOURCE]... [-o OUT.zip] -- COMMAND [ARGUMENT]...\n"
	"Packs a capture as a zip file for a bug report: cut to a size, redacted, with a page for a\n"
	"browser. Nothing is sent.\n"
	"\n"
	"  -o, --output OUT.zip   output file (default: report-DATE-TIME.zip)\n"
	"  -i SOURCE              with COMMAND: what to record, as for trawl (default: event:sched:*)\n"
	"      --recorder PID     without FILE: the flight recorder (trawl --ring) whose events are packed;\n"
	"                         required if several run\n"
	"      --title TEXT       one line: the problem\n"
	"      --message TEXT     what was expected, and what happened; without both options: $EDITOR\n"
	"      --keep CLASS, --drop CLASS, --policy FILE  what is redacted, as for trawl-edit redact\n"
	"      --max-size SIZE    maximum size of the zip file (default: 25M)\n"
	"      --yes              do not ask before packing\n"
	"      --help, --version\n"
	"\n"
	"Exit status: 0 done, 1 the data is damaged or incomplete, 2 wrong usage, 3 not possible.\n";

enum { OPTION_TITLE = 0x100, OPTION_MESSAGE, OPTION_KEEP, OPTION_DROP, OPTION_POLICY,
       OPTION_SIZE, OPTION_YES, OPTION_RECORDER, OPTION_HELP, OPTION_VERSION };

static const struct option long_options[] = {
	{ "output", required_argument, NULL, 'o' },
	{ "title", required_argument, NULL, OPTION_TITLE },
	{ "message", required_argument, NULL, OPTION_MESSAGE },
	{ "keep", required_argument, NULL, OPTION_KEEP },
	{ "drop", required_argument, NULL, OPTION_DROP },
	{ "policy", required_argument, NULL, OPTION_POLICY },
	{ "max-size", required_argument, NULL, OPTION_SIZE },
	{ "recorder", required_argument, NULL, OPTION_RECORDER },
	{ "yes", no_argument, NULL, OPTION_YES },
	{ "help", no_argument, NULL, OPTION_HELP },
	{ "version", no_argument, NULL, OPTION_VERSION },
	{ NULL, 0, NULL, 0 },
};

static int make_report(struct report *r, struct trawl_error *err)
{
	struct trawl_error late;
	struct outfile output;
	char name[PATH_MAX];
	int ret;

	if (r->command && report_record(r, err))
		return -1;
	if (!r->command && !r->file && report_take_over(r, err))
		return -1;
	if (report_describe(r, err) || outfile_open(&output, r->out, err))
		return -1;
	ret = report_pack(r, output.fd, err);
	report_step_end();
	if (!ret && !report_agreed(r) && !jobs_interrupted)
		ret = trawl_fail(err, TRAWL_OK, "nothing was written");
	if (!ret && jobs_interrupted)
		ret = trawl_fail(err, TRAWL_CANNOT, "interrupted: nothing was written");
	if (outfile_close(&output, !ret, &late) && !ret) {
		*err = late;
		ret = -1;
	}
	if (ret)
		return ret;
	printf("%s is written.\n", report_shown_name(r, name));
	return printed_all(err);
}

/* ---- options ------------------------------------------------------------------------------ */

static int add_word(const char **list, size_t *n, const char *text, struct trawl_error *err)
{
	if (*n + 2 >= REPORT_WORDS)
		return trawl_fail(err, TRAWL_USAGE, "too many options");
	list[(*n)++] = text;
	return 0;
}

static int set_option(struct report *r, int option, struct trawl_error *err)
{
	const char *name = option == OPTION_KEEP ? "--keep" :
			   option == OPTION_DROP ? "--drop" : "--policy";
	char *end;

	switch (option) {
	case 'o':
		r->out = optarg;
		return 0;
	case 'i':
		return add_word(r->sources, &r->nsources, optarg, err);
	case OPTION_TITLE:
		r->title = optarg;
		return 0;
	case OPTION_MESSAGE:
		r->message = optarg;
		return 0;
	case OPTION_SIZE:
		return edit_size("--max-size", optarg, &r->max_size, err);
	case OPTION_RECORDER:
		r->recorder = (int)strtol(optarg, &end, 10);
		if (*end || end == optarg || r->recorder <= 0)
			return trawl_fail(err, TRAWL_USAGE, "--recorder: '%s' is not a process id; "
					  "pgrep -a trawl lists them", optarg);
		return 0;
	case OPTION_YES:
		r->yes = true;
		return 0;
	default:
		return add_word(r->classes, &r->nclasses, name, err) ||
		       add_word(r->classes, &r->nclasses, optarg, err) ? -1 : 0;
	}
}

#define NO_COMMAND  "-i: nothing is recorded without a command; give -- COMMAND"
#define NO_TERMINAL "standard input: not a terminal, so nobody can confirm; give --yes"

/* Takes the operands: -- COMMAND, or at most one FILE. */
static int set_operands(struct report *r, int argc, char **argv, struct trawl_error *err)
{
	bool command = optind < argc && optind > 1 && !strcmp(argv[optind - 1], "--");

	if (command)
		r->command = argv + optind;
	else if (optind < argc)
		r->file = argv[optind];
	if (r->recorder && (r->file || r->command))
		return edit_usage(err, "--recorder: cannot be combined with FILE or COMMAND", "");
	if (!command && optind + 1 < argc)
		return edit_usage(err, argv[optind + 1], ": one FILE at a time");
	if (r->nsources && !command)
		return trawl_fail(err, TRAWL_USAGE, NO_COMMAND);
	if (!r->yes && !isatty(STDIN_FILENO))
		return trawl_fail(err, TRAWL_USAGE, NO_TERMINAL);
	return 0;
}

/* Returns 0; 1 if --help or --version was answered; or -1 with *err. */
static int parse(struct report *r, int argc, char **argv, struct trawl_error *err)
{
	int option;

	while ((option = getopt_long(argc, argv, "+:o:i:", long_options, NULL)) != -1) {
		if (option == OPTION_HELP)
			fputs(help, stdout);
		if (option == OPTION_VERSION)
			puts("trawl-report " VERSION);
		if (option == OPTION_HELP || option == OPTION_VERSION)
			return printed_all(err) ? -1 : 1;
		if (option == '?' || option == ':')
			return cli_bad_option(option, argv, long_options, err);
		if (set_option(r, option, err))
			return -1;
	}
	/* options may follow FILE */
	if (optind < argc && strcmp(argv[optind - 1], "--") && !r->file) {
		r->file = argv[optind++];
		if (optind < argc && argv[optind][0] == '-')
			return parse(r, argc, argv, err);
	}
	if (r->file && optind >= argc && !r->recorder)
		return r->nsources ? trawl_fail(err, TRAWL_USAGE, NO_COMMAND) :
		       r->yes || isatty(STDIN_FILENO) ? 0 :
		       trawl_fail(err, TRAWL_USAGE, NO_TERMINAL);
	return set_operands(r, argc, argv, err);
}

/*
 * Whether redact drops the date. A policy file may do so as well; then the file name just has a
 * number as well.
 */
static bool drops_date(const struct report *r)
{
	bool goes = false;

	for (size_t i = 0; i + 1 < r->nclasses; i += 2)
		goes |= !strcmp(r->classes[i], "--policy") ||
			(!strcmp(r->classes[i], "--drop") && (strstr(r->classes[i + 1], "date") ||
							      strstr(r->classes[i + 1], "all")));
	return goes;
}

static unsigned int random_number(void)
{
	unsigned int n = 0;

	if (getrandom(&n, sizeof(n), 0) != sizeof(n))
		n = (unsigned int)getpid();
	return n;
}

static void name_output(struct report *r)
{
	time_t now = time(NULL);
	struct tm tm;

	if (r->out)
		return;
	if (drops_date(r))
		snprintf(r->name, sizeof(r->name), "report-%08x.zip", random_number());
	else
		strftime(r->name, sizeof(r->name), "report-%Y%m%d-%H%M%S.zip",
			 localtime_r(&now, &tm));
	r->out = r->name;
}

int main(int argc, char **argv)
{
	struct report r = { .max_size = 25 << 20 };
	struct trawl_error err = { 0 };
	int ret;

	cli_program = "trawl-report";
	opterr = 0;
	signal(SIGXFSZ, SIG_IGN);
	signal(SIGPIPE, SIG_IGN); /* the folder has the capture unredacted: it is removed first */
	jobs_catch_signals();
	ret = parse(&r, argc, argv, &err);
	if (ret)
		return ret < 0 ? cli_error(&err) : TRAWL_OK;
	if (r.file && access(r.file, R_OK)) {
		trawl_fail(&err, TRAWL_CANNOT, "%s: cannot be opened: %m", r.file);
		return cli_error(&err);
	}
	name_output(&r);
	ret = report_folder_make(&r, &err);
	if (!ret) {
		ret = make_report(&r, &err);
		report_folder_remove(&r);
	}
	report_free(&r);
	if (ret)
		return cli_error(&err);
	return r.damaged ? TRAWL_BAD_DATA : TRAWL_OK;
}
