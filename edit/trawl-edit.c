/* SPDX-License-Identifier: MIT */
/* trawl-edit: saved file to saved file. Each subcommand is one function in the table. */
#include "config.h"
#include "decode/base/cli.h"
#include "decode/base/outfile.h"
#include "decode/import/foreign.h"
#include "decode/import/unpack.h"
#include "edit/edit.h"

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
	"  cut FILE [OPTION]... -w OUT  a part of a file, with what its events need\n"
	"      --from TIME --until TIME --source NAME --name GLOB --pid PID --where EXPR -c N, as\n"
	"                          trawl-decode has them\n"
	"      --around EXPR --window TIME  what every source saw around each match\n"
	"      --every N           the first of every N events (of a transfer both ends)\n"
	"      --max-size SIZE     at most so large (25M): what is nearest to the trigger, to the last\n"
	"                          error, or to the end\n"
	"      --utc               times without a zone are UTC\n"
	"  import FILE... -w OUT   pcap, pcapng or usbmon text files with USB, which may be compressed, become\n"
	"                          a .trawl file, or, where OUT is a folder, one each in it\n"
	"      --level N           compression, 1 (fast) to 19 (small, the default)\n"
	"  verify FILE...          reads all of each file and says whether it is whole\n"
	"\n"
	"      --help, --version\n"
	"\n"
	"Status: 0 done, 1 the data is damaged or incomplete, 2 wrong usage, 3 cannot.\n";


/* ---- import --------------------------------------------------------------------------------- */

struct target {
	const char *path;
	int level;
};

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

/* Appends what a file holds to the output. A file from which nothing comes is a failure. */
static int import_stream(FILE *in, const char *path, int to, const struct target *out,
			 struct trawl_error *err)
{
	enum foreign_kind kind = foreign_kind(in);
	struct usb_import im;
	int fd;

	if (kind == FOREIGN_NONE)
		return cannot_import(path, err);
	fd = dup(to);
	if (fd < 0)
		return trawl_fail(err, TRAWL_CANNOT, "%s: %s", out->path, strerror(errno));
	if (foreign_import(in, kind, path, fd, out->path, out->level, &im, err))
		return -1;
	if (foreign_verdict(&im, path, err))
		return im.events ? 1 : -1;
	fprintf(stderr, "trawl-edit: %s: %llu events\n", path, (unsigned long long)im.events);
	return 0;
}

static int import_path(const char *path, int to, const struct target *out, struct trawl_error *err)
{
	FILE *in = fopen(path, "re"), *plain;
	int ret;

	if (!in)
		return trawl_fail(err, TRAWL_CANNOT, "%s: cannot be opened: %s", path,
				  strerror(errno));
	if (fseek(in, 0, SEEK_SET)) {
		fclose(in);
		return trawl_fail(err, TRAWL_USAGE, "%s: is a pipe: save it to a file first", path);
	}
	if (same_file(in, out->path)) {
		fclose(in);
		return trawl_fail(err, TRAWL_USAGE, "%s: is the input too: name another file",
				  out->path);
	}
	if (unpack_is_compressed(in)) {
		plain = unpack(in, path, err);
		fclose(in);
		in = plain;
	}
	ret = in ? import_stream(in, path, to, out, err) : -1;
	if (in)
		fclose(in);
	return ret;
}

/* All of them into one file, one section each. 0, 1: with something wrong, -1: no file. */
static int import_files(char **paths, int n, const struct target *out, struct trawl_error *err)
{
	struct trawl_error late, worst = {0};
	struct outfile output;
	int ret = 0;

	if (outfile_open(&output, out->path, err))
		return -1;
	for (int i = 0; i < n && ret >= 0; i++) {
		if (worst.status)
			cli_error(&worst);
		worst.status = TRAWL_OK;
		ret = import_path(paths[i], output.fd, out, err);
		if (ret > 0)
			worst = *err;
	}
	if (ret >= 0)
		trawl_make_small(output.fd);
	if (outfile_close(&output, ret >= 0, &late)) {
		*err = late;
		return -1;
	}
	if (ret >= 0)
		*err = worst;
	return ret < 0 ? -1 : worst.status != TRAWL_OK;
}

/* FOLDER/NAME.trawl of a file: its name without the endings of captures and of compression. */
static void name_in(const char *folder, const char *path, char *to, size_t room)
{
	static const char *const endings[] = {".gz", ".zst", ".xz", ".bz2", ".pcapng", ".pcap",
					      ".cap", ".txt"};
	const char *slash = strrchr(path, '/'), *base = slash ? slash + 1 : path;
	size_t n = strlen(base);

	for (size_t i = 0; i < sizeof(endings) / sizeof(endings[0]); i++) {
		size_t k = strlen(endings[i]);

		if (n > k && !strncmp(base + n - k, endings[i], k))
			n -= k;
	}
	snprintf(to, room, "%s/%.*s.trawl", folder, (int)n, base);
}

static int import_each(char **paths, int n, const struct target *folder, struct trawl_error *err)
{
	struct trawl_error worst = {0};
	char out[4096];
	struct stat st;

	for (int i = 0; i < n; i++) {
		int ret;

		name_in(folder->path, paths[i], out, sizeof(out));
		if (stat(out, &st) == 0)
			ret = trawl_fail(err, TRAWL_USAGE, "%s: exists already: remove it, or choose "
					 "another folder", out);
		else
			ret = import_files(paths + i, 1,
					   &(struct target){out, folder->level}, err);
		if (!ret)
			continue;
		if (worst.status)
			cli_error(&worst);
		if (err->status >= worst.status)
			worst = *err;
	}
	*err = worst;
	return worst.status ? -1 : 0;
}

static int level_of(const char *text, int *level, struct trawl_error *err)
{
	char *end;
	long n = strtol(text, &end, 10);

	if (end == text || *end || n < 1 || n > 19)
		return trawl_fail(err, TRAWL_USAGE, "--level: %s is no level: 1 (fast) to 19 (small)",
				  text);
	*level = (int)n;
	return 0;
}

static int import(int argc, char **argv, struct trawl_error *err)
{
	enum { LEVEL = 0x100 };
	static const struct option options[] = {
		{"level", required_argument, NULL, LEVEL},
		{NULL, 0, NULL, 0},
	};
	struct target out = {NULL, 0};
	struct stat st;
	int option;

	while ((option = getopt_long(argc, argv, ":w:", options, NULL)) != -1) {
		if (option != 'w' && option != LEVEL)
			return cli_bad_option(option, argv, options, err);
		if (option == 'w' ? out.path != NULL : out.level != 0)
			return trawl_fail(err, TRAWL_USAGE, "%s: given twice: leave one out",
					  option == 'w' ? "-w" : "--level");
		if (option == LEVEL && level_of(optarg, &out.level, err))
			return -1;
		if (option == 'w')
			out.path = optarg;
	}
	out.level = out.level ? out.level : FOREIGN_BEST;
	if (!out.path)
		return edit_usage(err, "import: -w OUT is missing", "");
	if (optind == argc)
		return edit_usage(err, "import: FILE is missing", "");
	if (stat(out.path, &st) == 0 && S_ISDIR(st.st_mode))
		return import_each(argv + optind, argc - optind, &out, err);
	return import_files(argv + optind, argc - optind, &out, err) ? -1 : 0;
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
		return edit_usage(err, "verify: FILE is missing", "");
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
	edit_command *run;
} commands[] = {
	{"cut", cut_command},
	{"import", import},
	{"verify", verify},
};

static int run(int argc, char **argv, struct trawl_error *err)
{
	if (argc < 2)
		return edit_usage(err, "no command", "");
	for (size_t i = 0; i < sizeof(commands) / sizeof(commands[0]); i++)
		if (!strcmp(argv[1], commands[i].name))
			return commands[i].run(argc - 1, argv + 1, err);
	return edit_usage(err, "no such command: ", argv[1]);
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
