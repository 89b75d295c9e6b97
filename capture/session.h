/* SPDX-License-Identifier: MIT */
/*
 * A session: arms all sources, starts them and the command, drains them into the writer, syncs
 * every second, stops, cleans up and says how it went.
 *
 * This header is what sources see of it.
 */
#ifndef TRAWL_CAPTURE_SESSION_H
#define TRAWL_CAPTURE_SESSION_H

#include <sys/types.h>
#include "capture/task/taskfilter.h"
#include "capture/cli/options.h"
#include "capture/source.h"

/* The writer of the present session, for trawl_writer_source(), _event_type(), _meta(), _loss(). */
struct trawl_writer *session_writer(struct session *s);
const struct options *session_options(const struct session *s);

/*
 * The tasks that -p and COMMAND name (thread group ids; the command's waits to run during arm()).
 * Returns their number; 0: the whole machine.
 */
size_t session_scope(const struct session *s, const pid_t **pids);

/* The time in which events count, CLOCK_MONOTONIC, both ends with it. */
struct session_span {
	uint64_t begin; /* UINT64_MAX before the start */
	uint64_t end;   /* UINT64_MAX: not known yet */
};

const struct session_span *session_span(const struct session *s);

/*
 * Hands one record to the writer, as trawl_append(). Returns 0; 1 when the session has all that
 * it wants (-c, --duration): the caller drops this record and the rest of what it is draining; -1
 * for a record that the writer rejects. A file that cannot be written ends the session by itself.
 */
int session_append(struct input *in, const struct trawl_record *r, struct trawl_error *err);

/* Tells the file of lost events; the source counts them for its stats(). */
int session_loss(struct session *s, const struct trawl_loss *loss, struct trawl_error *err);

/* The tasks whose names and maps the file will hold; tracefs sources tell it of every TID. */
struct tasks *session_tasks(struct session *s);

/*
 * The tasks of the scope and all that they started; asked by sources that let all tasks' events
 * in.
 */
struct task_filter *session_followed(struct session *s);

/* Is it to be known when COMMAND crashed? Then the two below are told of it. */
bool session_asks_crash(const struct session *s);

/* A signal without a handler was delivered to a task of the scope; a task has ended. */
void session_on_signal(struct session *s, int sig, uint64_t time);
void session_on_exit(struct session *s, pid_t tid);
/* A source collected the end of a process: status as of waitpid(). COMMAND's parent is then told by it. */
void session_on_reaped(struct session *s, pid_t pid, int status);
/* Takes in which tasks have started and ended until now. */
int session_learn(struct session *s, struct trawl_error *err);

/* A note for the user on stderr, unless -q: "trawl: …\n". For things that are no error. */
void session_note(struct session *s, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/* Likewise for something that makes the capture incomplete: the exit status will be 1. */
void session_incomplete(struct session *s, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));

/* Is its i-th text the same as one before? Then that is said. */
bool session_is_repeated(const struct input *in, size_t i);

/* The present file ends: sources say what events so far need. */
void session_rotate(struct session *s);

int session_run(const struct options *o, struct trawl_error *err);

#endif
