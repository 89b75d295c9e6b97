/* SPDX-License-Identifier: MIT */
#include "edit/reportjobs.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/array.h"
#include "decode/export/html.h"
#include "edit/edit.h"
#include "edit/jobs.h"
#include "edit/recorder.h"
#include "edit/reportprogress.h"
#include "edit/reporttext.h"

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

	jobs_run(jobs, n, report_step, what);
	for (size_t i = 0; i < n; i++) {
		if (!ret)
			ret = job_result(r, &jobs[i], err);
		if (jobs[i].said >= 0)
			close(jobs[i].said);
	}
	return ret;
}

int report_record(struct report *r, struct trawl_error *err)
{
	size_t n = 2 * REPORT_WORDS + 8;
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
	report_step("recording", 0);
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

int report_take_over(struct report *r, struct trawl_error *err)
{
	report_step("asking the flight recorder for what it holds", 0);
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

int report_cut(struct report *r, uint64_t size, struct trawl_error *err)
{
	char most[32];
	struct job job = { .argv = (char *[]){ word("trawl-edit"), word("cut"), word("-w"),
					       r->files[CUT],
					       word(size ? "--max-size" : "--max-events"), most,
					       word("--"), word(r->file), NULL } };
	int ret;

	snprintf(most, sizeof(most), "%llu", size ? (unsigned long long)size : 1);
	jobs_run(&job, 1, report_step, "cutting");
	ret = job_result(r, &job, err);
	r->events = reported_events(&job);
	if (job.said >= 0)
		close(job.said);
	return ret;
}

int report_redact(struct report *r, struct trawl_error *err)
{
	char *argv[REPORT_WORDS + 8] = { word("trawl-edit"), word("redact"), word("-w"),
					 r->files[CAPTURE] };
	char *look[REPORT_WORDS + 8] = { word("trawl-edit"), word("secrets") };
	struct job jobs[] = { { .argv = argv }, { .argv = look, .out = r->files[SECRETS] } };
	size_t n = 4, k = 2;

	for (size_t i = 0; i < r->nclasses; i++)
		argv[n++] = look[k++] = word(r->classes[i]);
	argv[n++] = look[k++] = r->files[CUT];
	return must(r, "removing what is private", jobs, ARRAY_SIZE(jobs), err);
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

int report_make_views(struct report *r, struct trawl_error *err)
{
	bool part = r->events > HTML_EVENTS;
	char *capture = word(report_file_names[CAPTURE]);
	/* capture.trawl in the report names the machine, too */
	char *page[] = { word("trawl-export"), word("--to"), word("html"), word("--with-machine"),
			 word(report_file_names[part ? PAGE_PART : CAPTURE]), NULL };
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
