/* SPDX-License-Identifier: MIT */
/*
 * trawl-report: a capture as a zip file that a stranger can open.
 *
 * What makes it are the other programs, each in its sandbox: trawl records, trawl-edit cuts and
 * redacts, trawl-export makes the page and the packets, trawl-decode the summary. This one calls
 * them in a folder of its own, which is gone when it ends, shows what came of it, asks, and packs.
 */
#include "config.h"
#include "decode/base/cli.h"
#include "decode/base/outfile.h"
#include "edit/recorder.h"
#include "edit/reporttext.h"
#include "edit/edit.h"
#include "edit/sha256.h"
#include "edit/zip.h"

#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static const char help[] =
	"Usage: trawl-report [OPTION]... FILE [-o OUT.zip]\n"
	"       trawl-report [OPTION]... [--recorder PID] [-o OUT.zip]\n"
	"       trawl-report [OPTION]... [-i SOURCE]... [-o OUT.zip] -- COMMAND [ARGUMENT]...\n"
	"Packs a capture for somebody else: cut to a size, without what you would not publish, as a page\n"
	"that a browser opens. Nothing is sent.\n"
	"\n"
	"  -o, --output OUT.zip   the file (default: report-DATE-TIME.zip)\n"
	"  -i SOURCE              with COMMAND: what to record, as trawl has it (default: event:sched:*)\n"
	"      --recorder PID     without FILE: the flight recorder (trawl --ring) that is asked for what it\n"
	"                         holds; needed where several run\n"
	"      --title TEXT       one line: what fails\n"
	"      --message TEXT     what was expected, and what happened; without these two, $EDITOR\n"
	"      --keep CLASS, --drop CLASS, --policy FILE  what is removed, as trawl-edit redact has it\n"
	"      --max-size SIZE    of the zip (default: 25M)\n"
	"      --yes              packs without asking\n"
	"      --help, --version\n"
	"\n"
	"Status: 0 done, 1 the data is damaged or incomplete, 2 wrong usage, 3 cannot.\n";

static const char how_to_read[] =
	"This is a capture by trawl: what a machine did, with exact times. To begin with:\n"
	"\n"
	"1. report.txt   what was expected and what happened, if the reporter says so\n"
	"2. summary.txt  the capture in a page of text: why it was saved, what took longest, losses\n"
	"3. index.html   open it in Firefox or Chromium: timeline, events, search. It loads and sends\n"
	"                nothing. Begin with the longest of each kind; then search for its task, as\n"
	"                pid == 4711. Press ? for the keys.\n"
	"\n"
	"manifest.txt    what was removed before it was packed, and what was not\n"
	"usb.pcapng      the USB transfers for Wireshark; there only if there were any\n"
	"capture.trawl   all of it, for the programs of trawl: trawl-decode capture.trawl, with --json\n"
	"                for other programs; they also read the zip itself\n";

enum { ARGS = 64, OPTION_TITLE = 0x100, OPTION_MESSAGE, OPTION_KEEP, OPTION_DROP, OPTION_POLICY,
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

struct report {
	const char *file, *out, *title, *message;
	char **command;
	const char *sources[ARGS], *classes[ARGS]; /* words for trawl, for trawl-edit redact */
	size_t nsources, nclasses;
	uint64_t max_size;
	bool yes;
	char folder[4096];
	char name[64];
	char saved[4400]; /* by the flight recorder */
	int recorder;     /* its PID; 0: the one that there is */
	uint64_t size; /* of the zip */
	bool damaged;
};

static volatile sig_atomic_t interrupted;

static void on_signal(int number)
{
	interrupted = number;
}

/* ---- files of the folder ------------------------------------------------------------------ */

static const char *const files[] = {"recorded.trawl", "cut.trawl",  "capture.trawl", "index.html",
				    "secrets.txt",    "usb.pcapng", "summary.txt",   "manifest.txt",
				    "said.txt",	      "report.txt"};

static const char *in_folder(const struct report *r, const char *name)
{
	static char rooms[8][4200];
	static unsigned int turn;
	char *to = rooms[turn++ % 8];

	snprintf(to, sizeof(rooms[0]), "%s/%s", r->folder, name);
	return to;
}

static int make_folder(struct report *r, struct trawl_error *err)
{
	const char *dir = getenv("TMPDIR");

	snprintf(r->folder, sizeof(r->folder), "%s/trawl-report-XXXXXX",
		 dir && *dir ? dir : "/tmp");
	if (mkdtemp(r->folder))
		return 0;
	return trawl_fail(err, TRAWL_CANNOT, "%s: no folder can be made there: %m; choose another "
			  "place by TMPDIR", r->folder);
}

static void remove_folder(const struct report *r)
{
	for (size_t i = 0; i < sizeof(files) / sizeof(*files); i++)
		unlink(in_folder(r, files[i]));
	rmdir(r->folder);
}

/* ---- the other programs ------------------------------------------------------------------- */

/* They are beside this one, or in PATH. */
static void run_program(char **argv)
{
	char path[4200];
	ssize_t n = readlink("/proc/self/exe", path, sizeof(path) - 64);
	char *slash;

	if (n > 0) {
		path[n] = '\0';
		slash = strrchr(path, '/');
		snprintf(slash + 1, 64, "%s", argv[0]);
		execv(path, argv);
	}
	execvp(argv[0], argv);
	fprintf(stderr, "trawl-report: %s: cannot be run: %s\n", argv[0], strerror(errno));
	_exit(TRAWL_CANNOT);
}

/* Its status; out, said: where its standard output and error go, or NULL; folder: where it runs. */
static int call_in(const char *folder, char **argv, const char *out, const char *said)
{
	pid_t pid = fork();
	int status;

	if (pid < 0)
		return TRAWL_CANNOT;
	if (!pid) {
		signal(SIGINT, SIG_DFL);
		signal(SIGTERM, SIG_DFL);
		if ((out && !freopen(out, "w", stdout)) || (said && !freopen(said, "w", stderr)))
			_exit(TRAWL_CANNOT);
		if (folder && chdir(folder))
			_exit(TRAWL_CANNOT);
		run_program(argv);
	}
	while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
		if (interrupted)
			kill(pid, SIGINT);
	if (interrupted)
		return 128 + interrupted;
	return WIFEXITED(status) ? WEXITSTATUS(status) : TRAWL_CANNOT;
}

static int call(char **argv, const char *out, const char *said)
{
	return call_in(NULL, argv, out, said);
}

/* 0: done, also of damaged data; -1 with *err, which says what the program said. */
static int must(struct report *r, char **argv, const char *out, struct trawl_error *err)
{
	const char *said = in_folder(r, "said.txt");
	bool view = out && strcmp(argv[1], "secrets");
	int status = call_in(view ? r->folder : NULL, argv, out, said);
	char line[600] = "";
	FILE *f;

	r->damaged |= status == TRAWL_BAD_DATA;
	if (status == TRAWL_OK || (status == TRAWL_BAD_DATA && !access(out ? out : argv[3], F_OK)))
		return 0;
	if (interrupted)
		return trawl_fail(err, TRAWL_CANNOT, "interrupted: nothing was written");
	f = fopen(said, "re");
	while (f && fgets(line, sizeof(line), f))
		if (strstr(line, "trawl"))
			break;
	if (f)
		fclose(f);
	line[strcspn(line, "\n")] = '\0';
	return trawl_fail(err, status == TRAWL_USAGE ? TRAWL_USAGE : TRAWL_CANNOT, "%s",
			  line[0] ? line : argv[0]);
}

static char *word(const char *text)
{
	return (char *)text;
}

/* Of a terminal its progress is the programs' names. */
static void step(const char *what)
{
	if (isatty(STDERR_FILENO))
		fprintf(stderr, "trawl-report: %s ...\n", what);
}

static int record(struct report *r, struct trawl_error *err)
{
	char *argv[2 * ARGS + 8];
	size_t n = 0;
	int status;

	argv[n++] = word("trawl");
	argv[n++] = word("-q");
	argv[n++] = word("-w");
	argv[n++] = word(in_folder(r, "recorded.trawl"));
	for (size_t i = 0; i < r->nsources; i++) {
		argv[n++] = word("-i");
		argv[n++] = word(r->sources[i]);
	}
	if (!r->nsources) {
		argv[n++] = word("-i");
		argv[n++] = word("event:sched:*");
	}
	argv[n++] = word("--");
	for (char **w = r->command; *w && n < 2 * ARGS + 7; w++)
		argv[n++] = *w;
	argv[n] = NULL;
	step("recording");
	status = call(argv, NULL, NULL);
	r->file = in_folder(r, "recorded.trawl");
	/* the command's own status does not matter: that it fails is what is reported */
	if (!access(r->file, R_OK))
		return 0;
	return trawl_fail(err, TRAWL_CANNOT,
			  interrupted ? "interrupted: nothing was written"
				      : "nothing was recorded (trawl ended with status %d): see "
					"its message above",
			  status);
}

/* What a flight recorder holds; the file stays where the recorder puts it. */
static int take_over(struct report *r, struct trawl_error *err)
{
	step("asking the flight recorder for what it holds");
	if (recorder_save(r->recorder, r->saved, sizeof(r->saved), err))
		return interrupted ? trawl_fail(err, TRAWL_CANNOT,
						"interrupted: no report was written") : -1;
	r->file = r->saved;
	return 0;
}

/* The capture cut to a size and redacted; what the page is made of. */
static int cut(struct report *r, uint64_t size, struct trawl_error *err)
{
	char most[32];
	char *argv[] = {word("trawl-edit"),
			word("cut"),
			word("-w"),
			word(in_folder(r, "cut.trawl")),
			word("--max-size"),
			most,
			word("--"),
			word(r->file),
			NULL};

	snprintf(most, sizeof(most), "%llu", (unsigned long long)size);
	step("cutting");
	return must(r, argv, NULL, err);
}

static int redact(struct report *r, struct trawl_error *err)
{
	char *argv[ARGS + 8] = { word("trawl-edit"), word("redact"), word("-w"),
				 word(in_folder(r, "capture.trawl")) };
	char *look[ARGS + 8] = { word("trawl-edit"), word("secrets") };
	size_t n = 4, k = 2;

	for (size_t i = 0; i < r->nclasses; i++)
		argv[n++] = look[k++] = word(r->classes[i]);
	argv[n++] = look[k++] = word(in_folder(r, "cut.trawl"));
	step("removing what is private");
	if (must(r, argv, NULL, err))
		return -1;
	return must(r, look, in_folder(r, "secrets.txt"), err);
}

/* Of the capture as it was given: what the redacted one's metadata has is the hash of a part of
 * it. */
static int hash_capture(const struct report *r, char hash[65], struct trawl_error *err)
{
	int fd = open(r->file, O_RDONLY | O_CLOEXEC), ret = 0;

	if (fd < 0 || !sha256_file(fd, hash))
		ret = trawl_fail(err, TRAWL_CANNOT, "%s: cannot be read: %m", r->file);
	if (fd >= 0)
		close(fd);
	return ret;
}

/* The manifest says what redact did, without examples: those are for the reporter's eyes. */
static int keep_manifest(struct report *r, const char *hash, struct trawl_error *err)
{
	FILE *from = fopen(in_folder(r, "secrets.txt"), "re");
	FILE *to = fopen(in_folder(r, "manifest.txt"), "we");
	char line[4096];

	if (to)
		fputs("What the capture had, how often, and whether it was removed:\n\n", to);
	while (from && to && fgets(line, sizeof(line), from))
		if (line[0] != ' ')
			fputs(line, to);
	if (to)
		fprintf(to,
			"\nTexts have stand-ins of the same length, and the same text has the same "
			"one everywhere;\ndata of transfers are zeros. Addresses at random places are "
			"moved: equal ones stay equal,\nthose of one range keep their distances, "
			"and 0 stays 0. A class that was kept is whole:\ncommand lines then show "
			"their paths.\n"
			"SHA-256 of the capture that this was made of, which the reporter "
			"has:\n%s\n",
			hash);
	if (from)
		fclose(from);
	if (to && !fclose(to) && from)
		return 0;
	return trawl_fail(err, TRAWL_CANNOT, "%s: cannot be written: %m", r->folder);
}

static int make_views(struct report *r, struct trawl_error *err)
{
	char *capture = word("capture.trawl"); /* as the page and the summary call it */
	char *page[] = { word("trawl-export"), word("--to"), word("html"), capture, NULL };
	char *summary[] = { word("trawl-decode"), word("--summary"), capture, NULL };
	char *usb[] = { word("trawl-export"), word("--to"), word("pcapng"), word("--source"),
			word("usb"), capture, NULL };
	const char *packets = in_folder(r, "usb.pcapng");

	step("making the page");
	if (must(r, page, in_folder(r, "index.html"), err) ||
	    must(r, summary, in_folder(r, "summary.txt"), err))
		return -1;
	if ((r->title || r->message || !r->yes) &&
	    reporttext_put(in_folder(r, "report.txt"), in_folder(r, "index.html"),
			   in_folder(r, "summary.txt"), err))
		return -1;
	if (call_in(r->folder, usb, packets, "/dev/null") > TRAWL_BAD_DATA)
		unlink(packets); /* there is no USB in it */
	return 0;
}

/* ---- what the reporter says --------------------------------------------------------------- */

static const char template[] =
	"\n"
	"Expected:\n"
	"\n"
	"\n"
	"Happened:\n"
	"\n"
	"\n"
	"# The first line is the title. Lines that begin with # are left out, and so is an empty report.\n";

static int edit_text(struct report *r, const char *path, struct trawl_error *err)
{
	const char *editor = getenv("VISUAL");
	char command[8192];
	FILE *f = fopen(path, "we");

	if (f)
		fputs(template, f);
	if (!f || fclose(f))
		return trawl_fail(err, TRAWL_CANNOT, "%s: cannot be written: %m", path);
	editor = editor && *editor ? editor : getenv("EDITOR");
	if (!editor || !*editor)
		return trawl_fail(err, TRAWL_USAGE, "no $EDITOR is set: say what fails by --title "
				  "and --message");
	snprintf(command, sizeof(command), "%s \"$0\"", editor);
	return call((char *[]){ word("sh"), word("-c"), command, word(path), NULL }, NULL, NULL) ?
	       trawl_fail(err, TRAWL_CANNOT, "%s: failed: nothing was written", editor) : 0;
}

static char *read_text(const char *path)
{
	FILE *f = fopen(path, "re");
	char *text = calloc(1, 1 << 16), line[2048];
	size_t n = 0;

	while (f && text && fgets(line, sizeof(line), f))
		if (line[0] != '#' && n + strlen(line) < (1 << 16) - 1)
			n += (size_t)sprintf(text + n, "%s", line);
	if (f)
		fclose(f);
	return text;
}

static int write_text(const struct report *r, const char *path, struct trawl_error *err)
{
	FILE *f = fopen(path, "we");

	if (f)
		fprintf(f, "%s\n\n%s\n", r->title ? r->title : "(no title)",
			r->message ? r->message : "");
	if (f && !fclose(f))
		return 0;
	return trawl_fail(err, TRAWL_CANNOT, "%s: cannot be written: %m", path);
}

/* By options, by an editor where somebody is there, or not at all. */
static int describe(struct report *r, struct trawl_error *err)
{
	const char *path = in_folder(r, "report.txt");
	char *text;
	FILE *f;

	if (r->title || r->message || r->yes || !isatty(STDIN_FILENO))
		return write_text(r, path, err);
	if (edit_text(r, path, err))
		return -1;
	text = read_text(path);
	f = fopen(path, "we");
	if (f && text)
		fputs(text, f);
	free(text);
	return f && !fclose(f) ? 0 : trawl_fail(err, TRAWL_CANNOT, "%s: %m", path);
}

/* ---- showing, asking, packing ------------------------------------------------------------- */

static void show_file(const char *path, unsigned int most)
{
	FILE *f = fopen(path, "re");
	char line[4096];

	while (f && most-- && fgets(line, sizeof(line), f))
		fputs(line, stdout);
	if (f)
		fclose(f);
}

/* What will be in it. False: not wanted. */
static bool agreed(struct report *r)
{
	char answer[16] = "", room[16];

	printf("The report would hold:\n\n");
	show_file(in_folder(r, "summary.txt"), 12);
	printf("\nAnd of what you may not want to publish, with examples of what the capture "
	       "had:\n\n");
	show_file(in_folder(r, "secrets.txt"), 200);
	printf("\n%s: %s. Nothing is sent anywhere.\n", r->out, edit_megabytes(room, r->size));
	fflush(stdout);
	if (r->yes)
		return true;
	printf("Write it? [y/N] ");
	fflush(stdout);
	return fgets(answer, sizeof(answer), stdin) && (answer[0] == 'y' || answer[0] == 'Y');
}

static int pack(const struct report *r, int fd, struct trawl_error *err)
{
	static const struct {
		const char *name;
		bool stored;
	} entries[] = {
		{ "report.txt", false }, { "index.html", false }, { "summary.txt", false },
		{ "manifest.txt", false }, { "usb.pcapng", false }, { "capture.trawl", true },
	};
	struct zip *z = zip_new(fd, err);
	struct trawl_error late;
	int ret = z ? zip_add(z, "HOW-TO-READ.txt", how_to_read, strlen(how_to_read), false, err)
		    : -1;

	for (size_t i = 0; !ret && i < sizeof(entries) / sizeof(*entries); i++) {
		const char *path = in_folder(r, entries[i].name);

		if (!access(path, F_OK))
			ret = zip_add_file(z, entries[i].name, path, entries[i].stored, err);
	}
	if (z && zip_close(z, &late) && !ret) {
		*err = late;
		ret = -1;
	}
	return ret;
}

/* Smaller and smaller parts of the capture, until the zip has the size. */
static int make_fitting(struct report *r, int fd, struct trawl_error *err)
{
	uint64_t part = r->max_size / 2;
	char room[16], hash[65];
	struct stat st;

	if (hash_capture(r, hash, err))
		return -1;
	for (int i = 0; i < 6; i++, part /= 2) {
		if (cut(r, part, err) || redact(r, err) || keep_manifest(r, hash, err) ||
		    make_views(r, err))
			return -1;
		if (lseek(fd, 0, SEEK_SET) || ftruncate(fd, 0))
			return trawl_fail(err, TRAWL_USAGE, "%s: is no regular file: choose "
					  "another name", r->out);
		if (pack(r, fd, err) || fstat(fd, &st))
			return -1;
		r->size = (uint64_t)st.st_size;
		if (r->size <= r->max_size)
			return 0;
	}
	return trawl_fail(err, TRAWL_USAGE, "--max-size: the smallest report takes %s",
			  edit_megabytes(room, r->size));
}

static int make_report(struct report *r, struct trawl_error *err)
{
	struct trawl_error late;
	struct outfile output;
	int ret;

	if (r->command && record(r, err))
		return -1;
	if (!r->command && !r->file && take_over(r, err))
		return -1;
	if (describe(r, err) || outfile_open(&output, r->out, err))
		return -1;
	ret = make_fitting(r, output.fd, err);
	if (!ret && !agreed(r))
		ret = trawl_fail(err, TRAWL_OK, "nothing was written");
	if (!ret && interrupted)
		ret = trawl_fail(err, TRAWL_CANNOT, "interrupted: nothing was written");
	if (outfile_close(&output, !ret, &late) && !ret) {
		*err = late;
		ret = -1;
	}
	if (!ret)
		printf("%s is written.\n", r->out);
	return ret;
}

/* ---- options ------------------------------------------------------------------------------ */

static int add_word(const char **list, size_t *n, const char *text, struct trawl_error *err)
{
	if (*n + 2 >= ARGS)
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
			return trawl_fail(err, TRAWL_USAGE, "--recorder: %s is no process id", optarg);
		return 0;
	case OPTION_YES:
		r->yes = true;
		return 0;
	default:
		return add_word(r->classes, &r->nclasses, name, err) ||
		       add_word(r->classes, &r->nclasses, optarg, err) ? -1 : 0;
	}
}

/* What follows "--" is a command; in front of it one FILE, or none. */
static int set_operands(struct report *r, int argc, char **argv, struct trawl_error *err)
{
	bool command = optind < argc && optind > 1 && !strcmp(argv[optind - 1], "--");

	if (command)
		r->command = argv + optind;
	else if (optind < argc)
		r->file = argv[optind];
	if (r->recorder && (r->file || r->command))
		return edit_usage(err, "--recorder is for a report without FILE and COMMAND", "");
	if (!command && optind + 1 < argc)
		return edit_usage(err, "one FILE at a time, and not also ", argv[optind + 1]);
	if (r->nsources && !command)
		return edit_usage(err, "-i is for recording: give -- COMMAND", "");
	if (!r->yes && !isatty(STDIN_FILENO))
		return edit_usage(err, "nobody is there to be asked: give --yes", "");
	return 0;
}

static int parse(struct report *r, int argc, char **argv, struct trawl_error *err)
{
	int option;

	while ((option = getopt_long(argc, argv, "+:o:i:", long_options, NULL)) != -1) {
		if (option == OPTION_HELP)
			fputs(help, stdout);
		if (option == OPTION_VERSION)
			puts("trawl-report " VERSION);
		if (option == OPTION_HELP || option == OPTION_VERSION)
			exit(TRAWL_OK);
		if (option == '?' || option == ':')
			return cli_bad_option(option, argv, long_options, err);
		if (set_option(r, option, err))
			return -1;
	}
	/* options may stand after FILE, too */
	if (optind < argc && strcmp(argv[optind - 1], "--") && !r->file) {
		r->file = argv[optind++];
		if (optind < argc && argv[optind][0] == '-')
			return parse(r, argc, argv, err);
	}
	if (r->file && optind >= argc && !r->recorder)
		return r->nsources ? edit_usage(err, "-i is for recording: give -- COMMAND", "") :
		       r->yes || isatty(STDIN_FILENO) ? 0 :
		       edit_usage(err, "nobody is there to be asked: give --yes", "");
	return set_operands(r, argc, argv, err);
}

static void name_output(struct report *r)
{
	time_t now = time(NULL);
	struct tm tm;

	if (r->out)
		return;
	strftime(r->name, sizeof(r->name), "report-%Y%m%d-%H%M%S.zip", localtime_r(&now, &tm));
	r->out = r->name;
}

int main(int argc, char **argv)
{
	struct sigaction act = { .sa_handler = on_signal };
	struct report r = { .max_size = 25 << 20 };
	struct trawl_error err = { 0 };
	int ret;

	cli_program = "trawl-report";
	opterr = 0;
	signal(SIGXFSZ, SIG_IGN);
	sigaction(SIGINT, &act, NULL);
	sigaction(SIGTERM, &act, NULL);
	if (parse(&r, argc, argv, &err))
		return cli_error(&err);
	if (r.file && access(r.file, R_OK)) {
		trawl_fail(&err, TRAWL_CANNOT, "%s: cannot be opened: %m", r.file);
		return cli_error(&err);
	}
	name_output(&r);
	if (make_folder(&r, &err))
		return cli_error(&err);
	ret = make_report(&r, &err);
	remove_folder(&r);
	if (ret)
		return cli_error(&err);
	return r.damaged ? TRAWL_BAD_DATA : TRAWL_OK;
}
