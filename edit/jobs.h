/* SPDX-License-Identifier: MIT */
/*
 * Runs other programs, several at the same time, with a progress display, until they end or are
 * interrupted.
 */
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
	bool optional;      /* for the caller: the job may fail */
	int said;           /* memory file with its standard error; closed by the caller */
	pid_t pid;
	int status;         /* exit status; TRAWL_CANNOT if a signal ended it */
};

/* A word of argv: execvp() takes them without const, and changes none. */
static inline char *word(const char *text)
{
	return (char *)text;
}

/* The signal that ends this program, or 0. Jobs that run then are interrupted. */
extern volatile sig_atomic_t jobs_interrupted;
void jobs_catch_signals(void);

/* Called once a second with the seconds since jobs_run() was called. */
typedef void jobs_progress(const char *what, int seconds);
/* Runs jobs side by side until all have ended. */
void jobs_run(struct job *jobs, size_t n, jobs_progress *progress, const char *what);
/*
 * Copies the first line of a job's standard error that contains `mark`, without its newline.
 * Returns false if there is none.
 */
bool job_find_line(const struct job *j, const char *mark, char *line, size_t size);
/*
 * Runs one program that shares this program's terminal. Returns its exit status, or 128 plus the
 * signal number after an interrupt.
 */
int job_call(char **argv);

#endif
