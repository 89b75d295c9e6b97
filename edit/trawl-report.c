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
#include "common/array.h"
#include "common/plain.h"
#include "common/printed.h"
#include "decode/base/cli.h"
#include "decode/base/outfile.h"
#include "decode/export/html.h"
#include "edit/recorder.h"
#include "edit/reporttext.h"
#include "edit/edit.h"
#include "edit/jobs.h"
#include "edit/sha256.h"
#include "edit/zip.h"

#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

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

static const char how_to_read[] =
	"This is a capture by trawl: events of a machine, with exact times. Begin with:\n"
	"\n"
	"1. report.txt   what was expected and what happened, if the reporter described it\n"
	"2. summary.txt  an overview as text: why the capture was saved, longest operations, losses\n"
	"3. index.html   for Firefox or Chromium: timeline, events, search. It loads and sends nothing.\n"
	"                Begin with the longest operation of each kind; then search for its task, for\n"
	"                example pid == 4711. Press ? for the keys.\n"
	"\n"
	"manifest.txt    which private data was removed, and which was not\n"
	"usb.pcapng      the USB transfers for Wireshark, if there are any\n"
	"capture.trawl   the capture, for trawl-decode and the other programs of trawl (--json for scripts);\n"
	"                they also read the zip file itself\n";

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

enum { FOLDER_FILES = 10 };

struct report {
	const char *file, *out, *title, *message;
	char **command;
	const char *sources[ARGS], *classes[ARGS]; /* arguments for trawl, for trawl-edit redact */
	size_t nsources, nclasses;
	uint64_t max_size;
	bool yes;
	char folder[4096];
	char *files[FOLDER_FILES]; /* their paths; RECORDED to PAGE_PART */
	char name[64];
	char saved[4400]; /* the file that was recorded, or that the flight recorder saved */
	int recorder;     /* its PID; 0: the only running one */
	uint64_t size; /* of the zip, bytes */
	uint64_t events; /* in cut.trawl */
	bool damaged;
};

/* ---- files of the folder ------------------------------------------------------------------ */

enum folder_file { RECORDED, CUT, CAPTURE, PAGE, SECRETS, PACKETS, SUMMARY, MANIFEST, TEXT,
		   PAGE_PART };

static const char *const file_names[FOLDER_FILES] = {
	[RECORDED] = "recorded.trawl", [CUT] = "cut.trawl", [CAPTURE] = "capture.trawl",
	[PAGE] = "index.html", [SECRETS] = "secrets.txt", [PACKETS] = "usb.pcapng",
	[SUMMARY] = "summary.txt", [MANIFEST] = "manifest.txt", [TEXT] = "report.txt",
	/* the title of the page is the last component of the path */
	[PAGE_PART] = "page/capture.trawl",
};

static int make_folder(struct report *r, struct trawl_error *err)
{
	const char *dir = getenv("TMPDIR");

	snprintf(r->folder, sizeof(r->folder), "%s/trawl-report-XXXXXX",
		 dir && *dir ? dir : "/tmp");
	if (!mkdtemp(r->folder))
		return trawl_fail(err, TRAWL_CANNOT, "%s: a folder cannot be created there: %m; "
				  "set TMPDIR to another place", r->folder);
	for (int i = 0; i < FOLDER_FILES; i++)
		if (asprintf(&r->files[i], "%s/%s", r->folder, file_names[i]) < 0) {
			r->files[i] = NULL;
			rmdir(r->folder);
			return edit_no_memory(err);
		}
	return 0;
}

static void remove_folder(struct report *r)
{
	char *slash = strrchr(r->files[PAGE_PART], '/');

	for (int i = 0; i < FOLDER_FILES; i++)
		unlink(r->files[i]);
	*slash = '\0';
	rmdir(r->files[PAGE_PART]);
	rmdir(r->folder);
}

static void free_files(struct report *r)
{
	for (int i = 0; i < FOLDER_FILES; i++)
		free(r->files[i]);
}

/* ---- progress ----------------------------------------------------------------------------- */

/* The steps with their approximate share of the run time, in percent. */
static const struct step {
	const char *what;
	int percent;
} steps[] = {
	{ "reading", 10 }, { "cutting", 10 }, { "removing what is private", 40 },
	{ "making the page", 35 }, { "packing", 5 },
};

/* Draws the progress bar at the beginning of a step; for a name not in steps[], prints a line. */
static void step(const char *what, int seconds)
{
	char bar[21] = "....................";
	size_t i;
	int done = 0;

	if (!isatty(STDERR_FILENO))
		return;
	for (i = 0; i < ARRAY_SIZE(steps) && strcmp(steps[i].what, what); i++)
		done += steps[i].percent;
	if (i == ARRAY_SIZE(steps)) {
		fprintf(stderr, "trawl-report: %s ...\n", what);
		return;
	}
	memset(bar, '#', (size_t)done / 5);
	fprintf(stderr, "\r\033[Ktrawl-report: [%s] %3d %%  %s", bar, done, what);
	if (seconds)
		fprintf(stderr, " (%d s)", seconds);
}

static void step_end(void)
{
	if (isatty(STDERR_FILENO))
		fputs("\r\033[K", stderr);
}

/* ---- the other programs ------------------------------------------------------------------- */

/* Sets *err to the message of a job that failed, without the name of its program. Returns -1. */
static int job_failed(const struct report *r, const struct job *j, struct trawl_error *err)
{
	size_t name = strlen(j->argv[0]);
	char line[600];

	/* jobs write to the folder only, which the user did not name */
	if (job_find_line(j, "the disk is full", line, sizeof(line)) ||
	    job_find_line(j, strerror(ENOSPC), line, sizeof(line)))
		return trawl_fail(err, TRAWL_CANNOT, "%.*s: the disk is full; make room, or set "
				  "TMPDIR to another place",
				  (int)(strrchr(r->folder, '/') - r->folder), r->folder);
	if (!job_find_line(j, "trawl", line, sizeof(line)))
		return trawl_fail(err, TRAWL_CANNOT, "%s: failed with status %d; run it by itself "
				  "to see why", j->argv[0], j->status);
	if (strncmp(line, j->argv[0], name) != 0 || strncmp(line + name, ": ", 2) != 0)
		name = 0;
	return trawl_fail(err, j->status == TRAWL_USAGE ? TRAWL_USAGE : TRAWL_CANNOT, "%s",
			  line + (name ? name + 2 : 0));
}

/* Returns 0 if the job succeeded, also on damaged data; or -1 with its message in *err. */
static int job_result(struct report *r, const struct job *j, struct trawl_error *err)
{
	const char *made = j->out ? j->out : j->argv[3];

	if (jobs_interrupted)
		return trawl_fail(err, TRAWL_CANNOT, "interrupted: nothing was written");
	if (j->optional) {
		if (j->status > TRAWL_BAD_DATA)
			unlink(made);
		return 0;
	}
	r->damaged |= j->status == TRAWL_BAD_DATA;
	if (j->status == TRAWL_OK || (j->status == TRAWL_BAD_DATA && !access(made, F_OK)))
		return 0;
	return job_failed(r, j, err);
}

/* Runs jobs that must succeed. Returns 0, or -1 with the first error message in *err. */
static int must(struct report *r, const char *what, struct job *jobs, size_t n,
		struct trawl_error *err)
{
	int ret = 0;

	jobs_run(jobs, n, step, what);
	for (size_t i = 0; i < n; i++) {
		if (!ret)
			ret = job_result(r, &jobs[i], err);
		if (jobs[i].said >= 0)
			close(jobs[i].said);
	}
	return ret;
}

static char *word(const char *text)
{
	return (char *)text;
}

static int record(struct report *r, struct trawl_error *err)
{
	size_t n = 2 * ARGS + 8;
	char **argv;
	int status;

	for (char **w = r->command; *w; w++)
		n++;
	argv = calloc(n, sizeof(*argv));
	if (!argv)
		return edit_no_memory(err);
	n = 0;
	snprintf(r->saved, sizeof(r->saved), "%s", r->files[RECORDED]);
	argv[n++] = word("trawl");
	argv[n++] = word("-q");
	argv[n++] = word("-w");
	argv[n++] = word(r->saved);
	for (size_t i = 0; i < r->nsources; i++) {
		argv[n++] = word("-i");
		argv[n++] = word(r->sources[i]);
	}
	if (!r->nsources) {
		argv[n++] = word("-i");
		argv[n++] = word("event:sched:*");
	}
	argv[n++] = word("--");
	for (char **w = r->command; *w; w++)
		argv[n++] = *w;
	step("recording", 0);
	status = job_call(argv);
	free(argv);
	r->file = r->saved;
	/* the command's own status does not matter: its failure may be what is reported */
	if (!access(r->file, R_OK))
		return 0;
	return trawl_fail(err, TRAWL_CANNOT,
			  jobs_interrupted ? "interrupted: nothing was written"
				      : "nothing was recorded (trawl ended with status %d); see "
					"its message above",
			  status);
}

/* Makes a flight recorder save its contents; the saved file stays where the recorder wrote it. */
static int take_over(struct report *r, struct trawl_error *err)
{
	step("asking the flight recorder for what it holds", 0);
	if (recorder_save(r->recorder, r->saved, sizeof(r->saved), err))
		return jobs_interrupted ? trawl_fail(err, TRAWL_CANNOT,
						"interrupted: no report was written") : -1;
	r->file = r->saved;
	return 0;
}

/* Returns the number of kept events, from "cut.trawl: 17 events, 1.2 kB; 5 left out". */
static uint64_t reported_events(const struct job *j)
{
	char line[5000], *at = line;

	if (!job_find_line(j, " left out", line, sizeof(line)))
		return 0;
	for (char *next = line; (next = strstr(next + 1, " event"));)
		at = next; /* the last one: the name may have such words */
	while (at > line && at[-1] >= '0' && at[-1] <= '9')
		at--;
	return strtoull(at, NULL, 10);
}

/* Cuts the capture to at most `size` bytes; 0: to one event. */
static int cut(struct report *r, uint64_t size, struct trawl_error *err)
{
	char most[32];
	struct job job = { .argv = (char *[]){ word("trawl-edit"), word("cut"), word("-w"),
					       r->files[CUT],
					       word(size ? "--max-size" : "--max-events"), most,
					       word("--"), word(r->file), NULL } };
	int ret;

	snprintf(most, sizeof(most), "%llu", size ? (unsigned long long)size : 1);
	jobs_run(&job, 1, step, "cutting");
	ret = job_result(r, &job, err);
	r->events = reported_events(&job);
	if (job.said >= 0)
		close(job.said);
	return ret;
}

static int redact(struct report *r, struct trawl_error *err)
{
	char *argv[ARGS + 8] = { word("trawl-edit"), word("redact"), word("-w"),
				 r->files[CAPTURE] };
	char *look[ARGS + 8] = { word("trawl-edit"), word("secrets") };
	struct job jobs[] = { { .argv = argv }, { .argv = look, .out = r->files[SECRETS] } };
	size_t n = 4, k = 2;

	for (size_t i = 0; i < r->nclasses; i++)
		argv[n++] = look[k++] = word(r->classes[i]);
	argv[n++] = look[k++] = r->files[CUT];
	return must(r, "removing what is private", jobs, ARRAY_SIZE(jobs), err);
}

/*
 * Hashes the original capture, because the metadata of the redacted one has the hash of the cut
 * file instead.
 */
static int hash_capture(const struct report *r, char hash[65], struct trawl_error *err)
{
	int fd = open(r->file, O_RDONLY | O_CLOEXEC), ret = 0;

	step("reading", 0);
	if (fd < 0 || !sha256_file(fd, hash, &jobs_interrupted))
		ret = trawl_fail(err, TRAWL_CANNOT,
				 jobs_interrupted ? "interrupted: nothing was written"
					     : "%s: cannot be read: %m", r->file);
	if (fd >= 0)
		close(fd);
	return ret;
}

/*
 * Writes the manifest: a list of what redact removed, without the examples, which only the reporter
 * may see.
 */
static int keep_manifest(struct report *r, const char *hash, struct trawl_error *err)
{
	FILE *from = fopen(r->files[SECRETS], "re");
	FILE *to = fopen(r->files[MANIFEST], "we");
	char line[4096];

	if (to)
		fputs("Private data in the capture, how often it occurred, and whether it was removed:\n\n", to);
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
			"SHA-256 of the capture that was given to trawl-report, which the reporter "
			"has:\n%s\nThe original_sha256 of the summary is that of the part of it "
			"that the report was\nmade of, before private data was removed: the "
			"reporter does not keep that part.\n",
			hash);
	if (from)
		fclose(from);
	if (to && !fclose(to) && from)
		return 0;
	return trawl_fail(err, TRAWL_CANNOT, "%s: cannot be written: %m", r->folder);
}

/* If the capture has more than HTML_EVENTS events, the page gets those nearest to its trigger. */
static int cut_for_page(struct report *r, struct trawl_error *err)
{
	char most[32], *slash = strrchr(r->files[PAGE_PART], '/');
	struct job job = { .argv = (char *[]){ word("trawl-edit"), word("cut"), word("-w"),
					       r->files[PAGE_PART], word("--max-events"), most,
					       r->files[CAPTURE], NULL } };
	int made;

	snprintf(most, sizeof(most), "%d", HTML_EVENTS);
	*slash = '\0';
	made = mkdir(r->files[PAGE_PART], 0700);
	*slash = '/';
	if (made && errno != EEXIST)
		return trawl_fail(err, TRAWL_CANNOT, "%s: a folder cannot be created there: %m",
				  r->folder);
	return must(r, "making the page", &job, 1, err);
}

/*
 * Makes the page, the summary and the packets. They show the name of the file from which they were
 * made.
 */
static int make_views(struct report *r, struct trawl_error *err)
{
	bool part = r->events > HTML_EVENTS;
	char *capture = word(file_names[CAPTURE]);
	/* capture.trawl in the report names the machine, too */
	char *page[] = { word("trawl-export"), word("--to"), word("html"), word("--with-machine"),
			 word(file_names[part ? PAGE_PART : CAPTURE]), NULL };
	char *summary[] = { word("trawl-decode"), word("--summary"), capture, NULL };
	char *usb[] = { word("trawl-export"), word("--to"), word("pcapng"), word("--source"),
			word("usb"), capture, NULL };
	struct job jobs[] = {
		{ .argv = page, .folder = r->folder, .out = r->files[PAGE] },
		{ .argv = summary, .folder = r->folder, .out = r->files[SUMMARY] },
		/* it fails if the capture has no USB */
		{ .argv = usb, .folder = r->folder, .out = r->files[PACKETS], .optional = true },
	};

	if ((part && cut_for_page(r, err)) ||
	    must(r, "making the page", jobs, ARRAY_SIZE(jobs), err))
		return -1;
	if (r->title || r->message || !r->yes)
		return reporttext_put(r->files[TEXT], r->files[PAGE], r->files[SUMMARY], err);
	return 0;
}

/* ---- the reporter's description -------------------------------------------------------------- */

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
	int ret;

	if (f)
		fputs(template, f);
	if (!f || fclose(f))
		return trawl_fail(err, TRAWL_CANNOT, "%s: cannot be written: %m", path);
	editor = editor && *editor ? editor : getenv("EDITOR");
	if (!editor || !*editor)
		return trawl_fail(err, TRAWL_USAGE, "$EDITOR: is not set; say what fails by --title "
				  "and --message");
	snprintf(command, sizeof(command), "%s \"$0\"", editor);
	/* while the editor runs, only the editor handles the terminal's signals */
	signal(SIGINT, SIG_IGN);
	signal(SIGQUIT, SIG_IGN);
	ret = job_call((char *[]){ word("sh"), word("-c"), command, word(path), NULL });
	jobs_catch_signals();
	return ret ? trawl_fail(err, TRAWL_CANNOT, "%s: failed; nothing was written", editor) : 0;
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

/* Writes the reporter's description, from options or, on a terminal, from an editor. */
static int describe(struct report *r, struct trawl_error *err)
{
	const char *path = r->files[TEXT];
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

/* ---- confirmation, packing ------------------------------------------------------------------- */

static void show_file(const char *path, unsigned int most)
{
	FILE *f = fopen(path, "re");
	char line[4096];

	while (f && most-- && fgets(line, sizeof(line), f))
		fputs(line, stdout);
	if (f)
		fclose(f);
}

/* The name of the report, for a terminal. */
static const char *shown_name(const struct report *r, char name[PATH_MAX])
{
	snprintf(name, PATH_MAX, "%s", r->out);
	return plain_text(name, false);
}

/* Shows the contents of the report and asks for consent. Returns false if it is refused. */
static bool agreed(struct report *r)
{
	char answer[16] = "", room[16], name[PATH_MAX];

	printf("Contents of the report:\n\n");
	show_file(r->files[SUMMARY], 12);
	printf("\nPrivate data in the capture, with examples, and whether it was removed:\n\n");
	show_file(r->files[SECRETS], 200);
	printf("\n%s: %s. Nothing is sent anywhere.\n", shown_name(r, name),
	       edit_megabytes(room, r->size));
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
		enum folder_file file;
		bool stored;
	} entries[] = {
		{ TEXT, false }, { PAGE, false }, { SUMMARY, false },
		{ MANIFEST, false }, { PACKETS, false }, { CAPTURE, true },
	};
	struct zip *z = zip_new(fd, err);
	struct trawl_error late;
	int ret = z ? zip_add(z, "HOW-TO-READ.txt", how_to_read, strlen(how_to_read), false, err)
		    : -1;

	for (size_t i = 0; !ret && i < ARRAY_SIZE(entries); i++) {
		const char *path = r->files[entries[i].file];

		if (!access(path, F_OK))
			ret = zip_add_file(z, file_names[entries[i].file], path, entries[i].stored,
					   err);
	}
	if (z && zip_close(z, &late) && !ret) {
		*err = late;
		ret = -1;
	}
	return ret;
}

/* Packs a part of the capture of at most this size (cut()). */
static int pack_part(struct report *r, uint64_t part, const char *hash, int fd,
		     struct trawl_error *err)
{
	struct stat st;

	if (cut(r, part, err) || redact(r, err) || keep_manifest(r, hash, err) ||
	    make_views(r, err))
		return -1;
	if (lseek(fd, 0, SEEK_SET) || ftruncate(fd, 0))
		return trawl_fail(err, TRAWL_USAGE, "%s: not a regular file; choose another name",
				  r->out);
	step("packing", 0);
	if (pack(r, fd, err) || fstat(fd, &st))
		return -1;
	r->size = (uint64_t)st.st_size;
	return 0;
}

/*
 * Packs smaller and smaller parts of the capture until the zip is small enough; the last one is a
 * single event, and so the smallest report.
 */
static int make_fitting(struct report *r, int fd, struct trawl_error *err)
{
	enum { PARTS = 6 };
	uint64_t part = r->max_size / 2;
	char hash[65];

	if (hash_capture(r, hash, err))
		return -1;
	for (int i = 0; i <= PARTS; i++, part /= 2) {
		bool last = i == PARTS;
		int ret = pack_part(r, last ? 0 : part, hash, fd, err);

		if (ret && !last && err->status == TRAWL_USAGE) {
			i = PARTS - 1; /* not even one event fits */
			continue;
		}
		if (ret)
			return -1;
		if (r->size <= r->max_size)
			return 0;
	}
	/* stand-ins are random, and so is how well they compress */
	return trawl_fail(err, TRAWL_USAGE, "--max-size: is too small; the smallest report needs "
			  "--max-size %llu", (unsigned long long)(r->size + r->size / 64 + 256));
}

static int make_report(struct report *r, struct trawl_error *err)
{
	struct trawl_error late;
	struct outfile output;
	char name[PATH_MAX];
	int ret;

	if (r->command && record(r, err))
		return -1;
	if (!r->command && !r->file && take_over(r, err))
		return -1;
	if (describe(r, err) || outfile_open(&output, r->out, err))
		return -1;
	ret = make_fitting(r, output.fd, err);
	step_end();
	if (!ret && !agreed(r) && !jobs_interrupted)
		ret = trawl_fail(err, TRAWL_OK, "nothing was written");
	if (!ret && jobs_interrupted)
		ret = trawl_fail(err, TRAWL_CANNOT, "interrupted: nothing was written");
	if (outfile_close(&output, !ret, &late) && !ret) {
		*err = late;
		ret = -1;
	}
	if (!ret)
		printf("%s is written.\n", shown_name(r, name));
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
	jobs_catch_signals();
	ret = parse(&r, argc, argv, &err);
	if (ret)
		return ret < 0 ? cli_error(&err) : TRAWL_OK;
	if (r.file && access(r.file, R_OK)) {
		trawl_fail(&err, TRAWL_CANNOT, "%s: cannot be opened: %m", r.file);
		return cli_error(&err);
	}
	name_output(&r);
	ret = make_folder(&r, &err);
	if (!ret) {
		ret = make_report(&r, &err);
		remove_folder(&r);
	}
	free_files(&r);
	if (ret)
		return cli_error(&err);
	return r.damaged ? TRAWL_BAD_DATA : TRAWL_OK;
}
