/* SPDX-License-Identifier: MIT */
/*
 * What sources see of a session. A session arms all sources, starts them and COMMAND, drains them
 * into the writer, writes a clock sync every second, stops, cleans up and prints the end report.
 */
#ifndef TRAWL_CAPTURE_SESSION_H
#define TRAWL_CAPTURE_SESSION_H

#include <sys/types.h>
#include "capture/task/taskfilter.h"
#include "capture/cli/options.h"
#include "capture/source.h"

/* Returns the session's writer, for trawl_writer_source(), _event_type(), _meta(), _loss(). */
struct trawl_writer *session_writer(struct session *s);
const struct options *session_options(const struct session *s);

/*
 * The tasks that -p and COMMAND name (thread group ids; the command's waits to run during arm()).
 * Returns their number; 0: the whole machine.
 */
size_t session_scope(const struct session *s, const pid_t **pids);

/* Events within this span are captured. CLOCK_MONOTONIC, ns; both ends are included. */
struct session_span {
	uint64_t begin; /* UINT64_MAX before the start */
	uint64_t end;   /* UINT64_MAX: not known yet */
};

const struct session_span *session_span(const struct session *s);
/*
 * The time of the last event that is captured: the span's end, or with -c, after it has ended the
 * capture, that of the last of COUNT. UINT64_MAX: not known yet.
 */
uint64_t session_last(const struct session *s);

/*
 * Appends one record. Returns 0; 1 when the session wants no more (-c, --duration): the caller
 * drops this record and the rest of its drain; -1 with *err for a record that the writer rejects. A
 * file that cannot be written is no error here: it ends the session.
 */
int session_append(struct input *in, const struct trawl_record *r, struct trawl_error *err);

/* Writes a loss to the file. The source counts it for its stats(). */
int session_loss(struct session *s, const struct trawl_loss *loss, struct trawl_error *err);

/* The tasks whose names and maps the file gets. Sources of trace events add every TID. */
struct tasks *session_tasks(struct session *s);

/* The followed tasks: for sources whose kernel side records all tasks. */
struct task_filter *session_followed(struct session *s);

struct crash; /* capture/task/crash.h */
/* What is to be told of the tasks of the scope, if a crash of COMMAND is a trigger; else NULL. */
struct crash *session_crash(struct session *s);
/* A place in a file where a source of this capture has a uprobe. */
struct session_site {
	uint64_t inode, offset;
	unsigned int major, minor; /* of the device */
};

/* Called by arm(); start() sees those of all sources. */
void session_add_site(struct session *s, const struct session_site *site);
const struct session_site *session_sites(const struct session *s, size_t *n);
/* Called when a source, rather than the session, reaped a process. status: as of waitpid(). */
void session_on_reaped(struct session *s, pid_t pid, int status);
/* Updates the followed-task table to now. Returns 0, or -1 with *err. */
int session_learn(struct session *s, struct trawl_error *err);

/* Prints "trawl: …\n" on stderr, unless -q. For notes, not for errors. */
void session_note(struct session *s, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/* Likewise, even with -q; the exit status becomes 1: the capture is incomplete. */
void session_incomplete(struct session *s, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));

/* Whether the i-th -i text repeats an earlier one; prints a note then. */
bool session_is_repeated(const struct input *in, size_t i);

/* Calls rotate() of all sources: a file ends now. */
void session_end_file(struct session *s);
/* The same, and writes the end report of a file that is not the last one. */
void session_rotate(struct session *s);

/* Runs a session as the options say. Returns an exit status, or -1 with *err. */
int session_run(const struct options *o, struct trawl_error *err);

#endif
