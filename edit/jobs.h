/* SPDX-License-Identifier: MIT */
/* Other programs, which are run side by side, with progress, until they end or are interrupted. */
#ifndef TRAWL_EDIT_JOBS_H
#define TRAWL_EDIT_JOBS_H

#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

struct job {
	char **argv;        /* the program is looked for beside this one, then in $PATH */
	const char *folder; /* its working directory; NULL: this program's */
	const char *out;    /* a file for its standard output; NULL: this program's */
	bool optional;      /* for the caller: it may fail */
	int said;           /* file in memory of its standard error, the caller's to close */
	pid_t pid;
	int status;         /* exit status; it ended by a signal: TRAWL_CANNOT */
};

/* The signal that ends this program, or 0. Jobs that run then are interrupted. */
extern volatile sig_atomic_t jobs_interrupted;
void jobs_catch_signals(void);

/* Called once a second with the seconds since jobs_run() was called. */
typedef void jobs_progress(const char *what, int seconds);
/* Runs jobs side by side until all have ended. */
void jobs_run(struct job *jobs, size_t n, jobs_progress *progress, const char *what);
/*
 * Reads the first line with `mark` of a job's standard error, without its newline. False: there is
 * none.
 */
bool job_said(const struct job *j, const char *mark, char *line, size_t size);
/*
 * Runs one program that shares this one's terminal. Returns its exit status; 128 and the signal's
 * number after an interrupt.
 */
int job_call(char **argv);

#endif
