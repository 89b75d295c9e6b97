/* SPDX-License-Identifier: MIT */
/* trawl-edit: saved file to saved file. Each subcommand is one function in the table. */
#include "config.h"
#include "decode/base/cli.h"
#include "decode/base/outfile.h"
#include "decode/import/foreign.h"

#include <errno.h>
#include <getopt.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const char help[] =
	"Usage: trawl-edit COMMAND [OPTION]... FILE...\n"
	"Makes saved files out of saved files.\n"
	"\n"
	"  import FILE -w OUT   a pcap, pcapng or usbmon text file with USB becomes a .trawl file\n"
	"  verify FILE...       reads all of each file and says whether it is whole\n"
	"\n"
	"      --help, --version\n"
	"\n"
	"Status: 0 done, 1 the data is damaged or incomplete, 2 wrong usage, 3 cannot.\n";

static int usage(struct trawl_error *err, const char *text, const char *what)
{
	return trawl_fail(err, TRAWL_USAGE, "%s%s; see --help", text, what);
}

/* ---- import --------------------------------------------------------------------------------- */

static bool same_file(FILE *in, const char *out)
{
	struct stat a, b;

	return !fstat(fileno(in), &a) && !stat(out, &b) && a.st_dev == b.st_dev &&
	       a.st_ino == b.st_ino;
}

/* What it is instead, the reader of our own files knows. */
static int cannot_import(const char *path, struct trawl_error *err)
{
	struct trawl_error what;
	struct trawl_reader *r = trawl_open(path, &what);

	trawl_close(r);
	if (r)
		return trawl_fail(err, TRAWL_CANNOT, "%s: is a trawl file already", path);
	return trawl_fail(err, TRAWL_CANNOT, "%s (import takes pcap, pcapng and usbmon text)",
			  what.text);
}

static int import_file(FILE *in, const char *path, const char *out, struct trawl_error *err)
{
	enum foreign_kind kind = foreign_kind(in);
	struct usb_import im;
	struct outfile output;
	struct trawl_error late;
	int fd, failed;

	if (kind == FOREIGN_NONE)
		return cannot_import(path, err);
	if (same_file(in, out))
		return trawl_fail(err, TRAWL_USAGE, "%s: is the input too: name another file", out);
	if (outfile_open(&output, out, err))
		return -1;
	fd = dup(output.fd);
	failed = fd < 0 ? trawl_fail(err, TRAWL_CANNOT, "%s: %s", out, strerror(errno)) :
			  foreign_import(in, kind, path, fd, out, FOREIGN_BEST, &im, err);
	if (outfile_close(&output, !failed, &late)) {
		*err = late;
		return -1;
	}
	if (failed)
		return -1;
	fprintf(stderr, "trawl-edit: %s: %llu events\n", path, (unsigned long long)im.events);
	return foreign_verdict(&im, path, err);
}

static int import(int argc, char **argv, struct trawl_error *err)
{
	const char *out = NULL;
	FILE *in;
	int option, ret;

	while ((option = getopt(argc, argv, ":w:")) != -1) {
		if (option != 'w')
			return cli_bad_option(option, argv, NULL, err);
		if (out)
			return usage(err, "-w: given twice: leave one out", "");
		out = optarg;
	}
	if (!out)
		return usage(err, "import: -w OUT is missing", "");
	if (optind + 1 != argc)
		return usage(err, "import: one FILE is wanted", "");
	in = fopen(argv[optind], "re");
	if (!in)
		return trawl_fail(err, TRAWL_CANNOT, "%s: cannot be opened: %s", argv[optind],
				  strerror(errno));
	if (fseek(in, 0, SEEK_SET))
		ret = trawl_fail(err, TRAWL_USAGE, "%s: is a pipe: save it to a file first",
				 argv[optind]);
	else
		ret = import_file(in, argv[optind], out, err);
	fclose(in);
	return ret;
}

/* ---- verify --------------------------------------------------------------------------------- */

/* Reads every event. 0 when the file is whole. */
static int verify_file(const char *path, struct trawl_error *err)
{
	struct trawl_reader *r = trawl_open(path, err);
	struct trawl_verdict v;
	struct trawl_event ev;
	uint64_t events = 0, tasks = 0;
	int got;

	if (!r)
		return -1;
	while ((got = trawl_next(r, &ev, err)) > 0) {
		events++;
		tasks += !strcmp(ev.source->name, "task");
	}
	trawl_verdict(r, &v);
	trawl_close(r);
	if (got < 0)
		return -1;
	/* the events that tell of tasks are in no other count: trawl-decode does not show them */
	printf("%s: %llu events", path, (unsigned long long)(events - tasks));
	if (tasks)
		printf(" (and %llu of the task source)", (unsigned long long)tasks);
	printf(", %llu bytes", (unsigned long long)v.bytes);
	if (v.complete && !v.damaged && !v.cut_at && !v.junk) {
		printf(": %s\n", v.text);
		return 0;
	}
	putchar('\n'); /* what is wrong is told on standard error */
	return trawl_fail(err, TRAWL_BAD_DATA, "%s: %s", path, v.text);
}

static int verify(int argc, char **argv, struct trawl_error *err)
{
	struct trawl_error worst = {0};
	int option;

	while ((option = getopt(argc, argv, ":")) != -1)
		return cli_bad_option(option, argv, NULL, err);
	if (optind == argc)
		return usage(err, "verify: FILE is missing", "");
	for (; optind < argc; optind++) {
		if (verify_file(argv[optind], err) == 0)
			continue;
		if (worst.status)
			cli_error(&worst);
		if (err->status >= worst.status)
			worst = *err;
	}
	*err = worst;
	return worst.status ? -1 : 0;
}

/* ---- commands ------------------------------------------------------------------------------- */

static const struct {
	const char *name;
	int (*run)(int argc, char **argv, struct trawl_error *err);
} commands[] = {
	{"import", import},
	{"verify", verify},
};

static int run(int argc, char **argv, struct trawl_error *err)
{
	if (argc < 2)
		return usage(err, "no command", "");
	for (size_t i = 0; i < sizeof(commands) / sizeof(commands[0]); i++)
		if (!strcmp(argv[1], commands[i].name))
			return commands[i].run(argc - 1, argv + 1, err);
	return usage(err, "no such command: ", argv[1]);
}

int main(int argc, char **argv)
{
	struct trawl_error err;

	cli_program = "trawl-edit";
	opterr = 0;
	signal(SIGXFSZ, SIG_IGN); /* the write fails, and says so */
	if (argc > 1 && !strcmp(argv[1], "--help")) {
		fputs(help, stdout);
		return TRAWL_OK;
	}
	if (argc > 1 && !strcmp(argv[1], "--version")) {
		puts("trawl-edit " VERSION);
		return TRAWL_OK;
	}
	return run(argc, argv, &err) < 0 ? cli_error(&err) : TRAWL_OK;
}
