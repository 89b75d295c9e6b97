/* SPDX-License-Identifier: MIT */
/* trawl-edit: saved file to saved file. Each subcommand is one function in the table. */
#include "config.h"
#include "common/array.h"
#include "common/dupopt.h"
#include "common/nearest.h"
#include "common/printed.h"
#include "common/sandbox.h"
#include "common/sources.h"
#include "decode/base/cli.h"
#include "decode/base/outfile.h"
#include "decode/import/foreign.h"
#include "decode/import/unpack.h"
#include "decode/query/reading.h"
#include "edit/edit.h"
#include "edit/input.h"

#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static const char help[] =
	"Usage: trawl-edit COMMAND [OPTION]... FILE...\n"
	"Cuts, joins, converts, redacts and checks captures.\n"
	"\n"
	"  compact FILE -w OUT     compress a file as much as possible; slow\n"
	"  repair FILE -w OUT      save the undamaged parts of a file, and report what is lost\n"
	"  cut FILE [OPTION]... -w OUT  copy a part of a file, with the metadata of its events\n"
	"      --from TIME --until TIME --source NAME --name GLOB --pid PID --where EXPR -c, --count N,\n"
	"                          as for trawl-decode\n"
	"      --around EXPR --window TIME  events of all sources around each match\n"
	"      --every N           the first of every N events (a USB transfer is kept whole)\n"
	"      --max-size SIZE     at most SIZE (25M) bytes: the events nearest to the trigger, the\n"
	"                          last error, or the end\n"
	"      --max-events N      at most N events, selected in the same way\n"
	"      --utc               times without a time zone are UTC\n"
	"  merge FILE FILE... -w OUT  join files on one timeline: by the monotonic clock if they are of\n"
	"                          one boot, else by the wall clock; sources become NAME@MACHINE\n"
	"      --shift FILE=TIME   add TIME (+1.5s, -20ms) to the times of FILE\n"
	"  import FILE... -w OUT   convert pcap, pcapng or usbmon text files with USB, also compressed, to\n"
	"                          a .trawl file; OUT may be a folder for one file each\n"
	"      --level N           compression, 1 (fast) to 19 (small, the default)\n"
	"  redact FILE -w OUT      replace private data by stand-ins\n"
	"      --keep CLASS, --drop CLASS, --policy FILE  classes to keep or replace: keystrokes, pointer, sectors,\n"
	"                          payload, serials, commands, paths, names, strings, addresses,\n"
	"                          identity; symbols and date (kept by default)\n"
	"  secrets FILE            list private data in a file by class, with examples\n"
	"  verify FILE...          read all of each file, and report whether it is complete\n"
	"\n"
	"      --memory SIZE       memory limit for a trawl file: 512M, 2G (default: 256M)\n"
	"      --no-sandbox        do not enter the sandbox; for debuggers\n"
	"      --help, --version\n"
	"\n"
	"Exit status: 0 done, 1 the data is damaged or incomplete, 2 wrong usage, 3 not possible.\n";

/* ---- options, and one process for each file -------------------------------------------------- */

struct options {
	const char *out; /* -w */
	int level;       /* --level; 0: not given */
	uint64_t memory; /* --memory, bytes; 0: the default */
	bool no_sandbox;
};

enum { OPTION_LEVEL = OPTION_PROGRAM };

static const struct option verify_options[] = {
	{"memory", required_argument, NULL, OPTION_MEMORY},
	{"no-sandbox", no_argument, NULL, OPTION_NO_SANDBOX},
	{NULL, 0, NULL, 0},
};

static const struct option import_options[] = {
	{"level", required_argument, NULL, OPTION_LEVEL},
	{"memory", required_argument, NULL, OPTION_MEMORY},
	{"no-sandbox", no_argument, NULL, OPTION_NO_SANDBOX},
	{NULL, 0, NULL, 0},
};

static int level_of(const char *text, int *level, struct trawl_error *err)
{
	char *end;
	long n = strtol(text, &end, 10);

	if (end == text || *end || n < 1 || n > 19)
		return trawl_fail(err, TRAWL_USAGE,
				  "--level: '%s' is not a level; give 1 (fast) to 19 (small)",
				  text);
	*level = (int)n;
	return 0;
}

static int parse(struct options *o, int argc, char **argv, const char *letters,
		 const struct option *long_options, struct trawl_error *err)
{
	struct dupopt once = {{false}};
	int option;

	while ((option = getopt_long(argc, argv, letters, long_options, NULL)) != -1) {
		if (option == '?' || option == ':')
			return cli_bad_option(option, argv, long_options, err);
		if (optarg && dupopt_given(&once, option, long_options, err))
			return -1;
		if (option == OPTION_LEVEL && level_of(optarg, &o->level, err))
			return -1;
		if (option == 'w')
			o->out = optarg;
		else if (option == OPTION_NO_SANDBOX)
			o->no_sandbox = true;
		else if (option == OPTION_MEMORY && reading_memory(optarg, &o->memory, err))
			return -1;
	}
	return 0;
}

/* Processes one file. Returns 0, or -1 with *err. */
typedef int file_fn(const struct options *o, const char *path, struct trawl_error *err);

static int status_of(const char *path, pid_t pid)
{
	struct trawl_error err;
	int status;

	while (waitpid(pid, &status, 0) < 0)
		if (errno != EINTR)
			return TRAWL_CANNOT;
	if (WIFEXITED(status))
		return WEXITSTATUS(status);
	trawl_fail(&err, TRAWL_CANNOT, "%s: the process that read it was ended by signal %d (%s)", path,
		   WTERMSIG(status), strsignal(WTERMSIG(status)));
	return cli_error(&err);
}

/*
 * Calls fn for each file; for several in a process each, because the sandbox of one allows opening
 * no other. Returns the exit status; messages have been printed.
 */
static int for_each(const struct options *o, char **paths, int n, file_fn *fn)
{
	struct trawl_error err = {0};
	int worst = TRAWL_OK, got;
	pid_t pid;

	if (n == 1)
		return fn(o, paths[0], &err) ? cli_error(&err) : TRAWL_OK;
	for (int i = 0; i < n; i++) {
		fflush(stdout);
		pid = fork();
		if (pid == 0)
			exit(fn(o, paths[i], &err) ? cli_error(&err) : TRAWL_OK);
		if (pid < 0) {
			trawl_fail(&err, TRAWL_CANNOT, "%s: %s", paths[i], strerror(errno));
			return cli_error(&err);
		}
		got = status_of(paths[i], pid);
		worst = got > worst ? got : worst;
	}
	return worst;
}

/* ---- import --------------------------------------------------------------------------------- */

static bool same_file(FILE *in, const char *out)
{
	struct stat a, b;

	return !fstat(fileno(in), &a) && !stat(out, &b) && a.st_dev == b.st_dev &&
	       a.st_ino == b.st_ino;
}

/* Explains why a file cannot be imported, using trawl's own reader. */
static int cannot_import(FILE *in, const char *path, struct trawl_error *err)
{
	struct trawl_reader *r = trawl_open_fd(fileno(in), path, 0, err);

	trawl_close(r);
	if (r)
		trawl_fail(err, TRAWL_CANNOT, "%s: is a trawl file already, which needs no import",
			   path);
	return -1;
}

/*
 * Imports one file and appends it to the output. Returns 0; 1 with *err if something is wrong with
 * the data; -1 with *err if nothing was imported.
 */
static int import_stream(FILE *in, const char *path, int to, const char *out, int level,
			 struct trawl_error *err)
{
	enum foreign_kind kind = foreign_kind(in);
	struct foreign_output into = { .name = out, .level = level };
	struct usb_import im;

	if (kind == FOREIGN_NONE)
		return cannot_import(in, path, err);
	into.fd = dup(to);
	if (into.fd < 0)
		return trawl_fail(err, TRAWL_CANNOT, "%s: %s", out, strerror(errno));
	if (foreign_import(in, kind, path, &into, &im, err))
		return -1;
	if (foreign_verdict(&im, path, err))
		return im.events ? 1 : -1;
	cli_message("%s: %llu events%s", path, (unsigned long long)im.events,
		    im.apart ? "; interfaces recorded the same bus: each is a source (--source)"
			     : "");
	return 0;
}

/*
 * Copies the unread rest of a pipe or of standard input to a file, because it has to be read twice.
 */
static FILE *copy_of(FILE *pipe, const char *path, struct trawl_error *err)
{
	int fd = unpack_temporary(err);
	FILE *copy = fd < 0 ? NULL : fdopen(fd, "r+");

	if (!copy && fd >= 0) {
		trawl_fail(err, TRAWL_CANNOT, "%s: %s", path, strerror(errno));
		close(fd);
	}
	if (copy && unpack_copy(fileno(pipe), fd, path, err)) {
		fclose(copy);
		copy = NULL;
	}
	fclose(pipe);
	if (copy)
		rewind(copy);
	return copy;
}

static FILE *open_input(const char *path, const char *out, struct trawl_error *err)
{
	bool standard = !strcmp(path, "-");
	int fd = standard ? fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 3) :
			    open(path, O_RDONLY | O_CLOEXEC);
	FILE *in = fd < 0 ? NULL : fdopen(fd, "r");

	if (!in) {
		trawl_fail(err, TRAWL_CANNOT, "%s: cannot be opened: %s", path, strerror(errno));
		return NULL;
	}
	if (standard || fseek(in, 0, SEEK_SET))
		return copy_of(in, path, err);
	if (same_file(in, out))
		trawl_fail(err, TRAWL_USAGE, "%s: is the input too; name another file", out);
	else
		return in;
	fclose(in);
	return NULL;
}

/* The files that are imported into one output, all open. */
struct import {
	char **paths;
	int n;
	FILE **in;
	FILE *plain; /* temporary file for unpacked input; NULL: `why` has the reason */
	struct trawl_error why;
	struct outfile output;
};

static void close_all(struct import *im)
{
	for (int i = 0; im->in && i < im->n; i++)
		if (im->in[i])
			fclose(im->in[i]);
	if (im->plain)
		fclose(im->plain);
	free(im->in);
}

static int open_all(const struct options *o, struct import *im, const char *out,
		    struct trawl_error *err)
{
	struct trawl_error late;
	int fd;

	im->in = calloc((size_t)im->n, sizeof(*im->in));
	if (!im->in)
		return trawl_fail(err, TRAWL_CANNOT, "out of memory");
	for (int i = 0; i < im->n; i++) {
		im->in[i] = open_input(im->paths[i], out, err);
		if (!im->in[i])
			return -1;
		if (!strcmp(im->paths[i], "-"))
			im->paths[i] = (char *)"standard input";
	}
	fd = unpack_temporary(&im->why);
	im->plain = fd < 0 ? NULL : fdopen(fd, "w+");
	if (outfile_open(&im->output, out, err))
		return -1;
	if (o->no_sandbox)
		return 0;
	if (outfile_keeper(&im->output, err))
		return -1;
	if (!sandbox_enter(cli_program, im->paths[0], err))
		return 0;
	outfile_close(&im->output, false, &late);
	return -1;
}

/* Returns the i-th input, unpacked if it is compressed; NULL with *err. */
static FILE *plain(struct import *im, int i, struct trawl_error *err)
{
	if (!unpack_is_compressed(im->in[i]))
		return im->in[i];
	if (!im->plain) {
		*err = im->why;
		return NULL;
	}
	rewind(im->plain);
	if (ftruncate(fileno(im->plain), 0)) {
		trawl_fail(err, TRAWL_CANNOT, "temporary file: %s", strerror(errno));
		return NULL;
	}
	if (unpack(im->in[i], fileno(im->plain), im->paths[i], err))
		return NULL;
	rewind(im->plain);
	return im->plain;
}

static int import_one(struct import *im, int i, const char *out, int level, struct trawl_error *err)
{
	FILE *in = plain(im, i, err);

	return in ? import_stream(in, im->paths[i], im->output.fd, out, level, err) : -1;
}

/*
 * Imports all files into one output, one section each. Returns 0; 1 with *err if something is wrong
 * with the data; -1 with *err if no file was made.
 */
static int import_files(const struct options *o, char **paths, int n, const char *out,
			struct trawl_error *err)
{
	struct import im = {.paths = paths, .n = n};
	struct trawl_error late, worst = {0};
	int ret = 0;

	if (open_all(o, &im, out, err)) {
		close_all(&im);
		return -1;
	}
	for (int i = 0; i < n && ret >= 0; i++) {
		if (worst.status)
			cli_error(&worst);
		worst.status = TRAWL_OK;
		ret = import_one(&im, i, out, o->level, err);
		if (ret > 0)
			worst = *err;
	}
	close_all(&im);
	if (ret >= 0 && out_lacked_memory())
		ret = edit_no_memory(err);
	if (ret >= 0)
		trawl_make_small(im.output.fd);
	if (outfile_close(&im.output, ret >= 0, &late)) {
		*err = late;
		return -1;
	}
	if (ret >= 0)
		*err = worst;
	return ret < 0 ? -1 : worst.status != TRAWL_OK;
}

/*
 * Writes FOLDER/NAME.trawl, NAME being the input's without the extensions of captures and
 * compression.
 */
static void name_in(const char *folder, const char *path, char *to, size_t room)
{
	static const char *const endings[] = {".gz", ".zst", ".xz", ".bz2", ".pcapng", ".pcap",
					      ".cap", ".txt"};
	const char *slash = strrchr(path, '/'), *base = slash ? slash + 1 : path;
	size_t n = strlen(base);

	for (size_t i = 0; i < ARRAY_SIZE(endings); i++) {
		size_t k = strlen(endings[i]);

		if (n > k && !strncmp(base + n - k, endings[i], k))
			n -= k;
	}
	snprintf(to, room, "%s/%.*s.trawl", folder, (int)n, base);
}

static int import_into_folder(const struct options *o, const char *path, struct trawl_error *err)
{
	char out[4096], *paths[] = {(char *)path};
	struct stat st;

	if (!strcmp(path, "-"))
		return trawl_fail(err, TRAWL_USAGE, "import: standard input has no name for a file "
				  "in %s; name the file with -w", o->out);
	name_in(o->out, path, out, sizeof(out));
	if (stat(out, &st) == 0)
		return trawl_fail(err, TRAWL_USAGE, "%s: exists already; remove it, or choose "
				  "another folder", out);
	return import_files(o, paths, 1, out, err) ? -1 : 0;
}

static int import(int argc, char **argv, struct trawl_error *err)
{
	struct options o = {0};
	struct stat st;

	if (parse(&o, argc, argv, ":w:", import_options, err))
		return -1;
	o.level = o.level ? o.level : FOREIGN_BEST;
	if (!o.out)
		return edit_usage(err, "import: -w OUT is missing", "");
	if (optind == argc)
		return edit_usage(err, "import: FILE is missing", "");
	if (stat(o.out, &st) == 0 && S_ISDIR(st.st_mode))
		return for_each(&o, argv + optind, argc - optind, import_into_folder);
	return import_files(&o, argv + optind, argc - optind, o.out, err) ? -1 : 0;
}

/* ---- verify --------------------------------------------------------------------------------- */

static struct trawl_reader *open_caged(const struct options *o, const char *path,
				       struct trawl_error *err)
{
	struct trawl_reader *r = NULL;
	int fd = strcmp(path, "-") ? open(path, O_RDONLY | O_CLOEXEC) :
				     fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 3);

	if (fd < 0) {
		trawl_fail(err, TRAWL_CANNOT, "%s: cannot be opened: %s", path, strerror(errno));
		return NULL;
	}
	if (o->no_sandbox || !sandbox_enter(cli_program, path, err))
		r = trawl_open_fd(fd, path, o->memory, err);
	close(fd);
	return r;
}

/*
 * Whether the file is a report of trawl-report, in which the capture is to be verified. A FIFO must
 * be opened only once: between two opens its writer would have no reader.
 */
static bool is_zip(const char *path)
{
	struct stat st;
	int fd = stat(path, &st) || !S_ISREG(st.st_mode) ? -1 : open(path, O_RDONLY | O_CLOEXEC);
	char front[4];
	bool zip = fd >= 0 && pread(fd, front, 4, 0) == 4 && !memcmp(front, "PK\3\4", 4);

	if (fd >= 0)
		close(fd);
	return zip;
}

static int verify_reader(struct trawl_reader *r, const char *path, struct trawl_error *err);

static int verify_zip(const struct options *o, const char *path, struct trawl_error *err)
{
	struct edit_input in;
	struct trawl_reader *r = NULL;
	int ret;

	if (edit_input_open(&in, path, err))
		return -1;
	if (!edit_input_ready(&in, o->no_sandbox, err))
		r = trawl_open_within(in.path, o->memory, err);
	ret = verify_reader(r, path, err);
	if (ret)
		edit_input_call(&in, err);
	edit_input_close(&in);
	return ret;
}

static int verify_file(const struct options *o, const char *path, struct trawl_error *err)
{
	if (strcmp(path, "-") && is_zip(path))
		return verify_zip(o, path, err);
	return verify_reader(open_caged(o, path, err), path, err);
}

/*
 * Reads all events. If r is NULL, fails with *err unchanged. Returns 0 if the file is complete and
 * undamaged.
 */
static int verify_reader(struct trawl_reader *r, const char *path, struct trawl_error *err)
{
	struct trawl_verdict v;
	struct trawl_event ev;
	uint64_t events = 0, tasks = 0;
	const struct trawl_source *source = NULL;
	bool of_tasks = false, whole;
	char apart[60] = "";
	int got;

	if (!r)
		return -1;
	while ((got = trawl_next(r, &ev, err)) > 0) {
		if (ev.source != source) {
			source = ev.source;
			of_tasks = is_task_source(source->name);
		}
		events++;
		tasks += of_tasks;
	}
	trawl_verdict(r, &v);
	trawl_close(r);
	if (got < 0)
		return -1;
	/* events of the task source are counted separately: trawl-decode does not show them */
	if (tasks)
		snprintf(apart, sizeof(apart), " (and %llu of the task source)",
			 (unsigned long long)tasks);
	whole = edit_is_whole(&v) && !v.cut_at;
	/* trawl_fail() escapes control characters: the file name may be untrusted, too */
	trawl_fail(err, TRAWL_OK, "%s: %llu events%s, %llu bytes%s%s", path,
		   (unsigned long long)(events - tasks), apart, (unsigned long long)v.bytes,
		   whole ? ": " : "", whole ? v.text : "");
	puts(err->text);
	return whole ? 0 : trawl_fail(err, TRAWL_BAD_DATA, "%s: %s", path, v.text);
}

static int verify(int argc, char **argv, struct trawl_error *err)
{
	struct options o = {0};

	if (parse(&o, argc, argv, ":", verify_options, err))
		return -1;
	if (optind == argc)
		return edit_usage(err, "verify: FILE is missing", "");
	return for_each(&o, argv + optind, argc - optind, verify_file);
}

/* ---- commands ------------------------------------------------------------------------------- */

static const struct {
	const char *name;
	edit_command *run;
} commands[] = {
	{"compact", compact_command},
	{"cut", cut_command},
	{"import", import},
	{"merge", merge_command},
	{"redact", redact_command},
	{"repair", repair_command},
	{"secrets", secrets_command},
	{"verify", verify},
};

static int no_such_command(const char *name, struct trawl_error *err)
{
	struct nearest near = {.wanted = name};
	char hint[256];

	for (size_t i = 0; i < ARRAY_SIZE(commands); i++)
		nearest_offer(&near, commands[i].name);
	trawl_fail(err, TRAWL_USAGE, "no such command: %s%s", name,
		   near.count ? nearest_hint(&near, hint, sizeof(hint)) : "; see --help");
	nearest_free(&near);
	return -1;
}

/* Of a command, too: "trawl-edit cut --help". */
static bool asks_for_help(int argc, char **argv)
{
	for (int i = 1; i < argc && strcmp(argv[i], "--"); i++) {
		if (!strcmp(argv[i], "--help"))
			return true;
	}
	return false;
}

static int run(int argc, char **argv, struct trawl_error *err)
{
	if (argc < 2)
		return edit_usage(err, "no command", "");
	if (asks_for_help(argc, argv)) {
		fputs(help, stdout);
		return TRAWL_OK;
	}
	if (!strcmp(argv[1], "--version")) {
		puts("trawl-edit " VERSION);
		return TRAWL_OK;
	}
	for (size_t i = 0; i < ARRAY_SIZE(commands); i++)
		if (!strcmp(argv[1], commands[i].name))
			return commands[i].run(argc - 1, argv + 1, err);
	return no_such_command(argv[1], err);
}

int main(int argc, char **argv)
{
	struct trawl_error err;
	int status;

	cli_program = "trawl-edit";
	opterr = 0;
	signal(SIGXFSZ, SIG_IGN); /* so that a write beyond the limit fails with EFBIG */
	status = run(argc, argv, &err);
	return status < 0 || printed_all(&err) ? cli_error(&err) : status;
}
