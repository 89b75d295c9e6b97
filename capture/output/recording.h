/* SPDX-License-Identifier: MIT */
/*
 * Where what a session captures goes: the writer and the row of files behind it, or the ring of
 * the flight recorder; when the next file is due; and the clock-sync blocks.
 *
 * Nothing here fails because a file cannot be written: that ends the recording, with the error kept
 * for the session's end. What returns -1 with *err has met something that is no fault of a file.
 */
#ifndef TRAWL_CAPTURE_OUTPUT_RECORDING_H
#define TRAWL_CAPTURE_OUTPUT_RECORDING_H

#include <errno.h>

#include "capture/output/flight.h"
#include "capture/cli/options.h"
#include "capture/output/output.h"
#include "capture/source.h"
#include "capture/task/task.h"

struct recording {
	const struct options *o;
	struct session *session;
	struct tasks *tasks;        /* the session's */
	struct output output;
	bool deleted; /* it is known that the present file was */
	struct flight flight;       /* with --ring */
	struct trawl_writer *w;
	int fd;                     /* the writer's, for poll() only */

	uint64_t front;             /* bytes of the present file when its first event came */
	uint64_t unchecked;         /* bytes of records since its size was looked at */
	uint64_t next_file;         /* when -G's next one begins; UINT64_MAX: never */

	struct trawl_sync sync;     /* the newest */
	uint64_t drained;           /* when the last drain that left nothing behind began */
	uint64_t horizon;           /* the same of the sync before */

	bool failed;                /* a file could not be written: */
	struct trawl_error error;
	const char *end;            /* why the recording ends; NULL while it goes on */
};

/* Nothing is open. */
#define RECORDING_NONE { .fd = -1, .output = OUTPUT_NONE }

/* Opens the output and the writer, with metadata on machine and capture in it. */
int recording_open(struct recording *r, const struct options *o, const struct user *user,
		   struct session *s, struct trawl_error *err);

/* From now on events may come. */
int recording_start(struct recording *r, struct trawl_error *err);

/* All is armed and runs, or another file has begun: the present file gets its name. */
int recording_commit(struct recording *r, struct trawl_error *err);

/* What the writer returned: a file that cannot be written is no failure of the caller's. */
int recording_taken(struct recording *r, int result, const struct trawl_error *err);

/* recording_put() with --ring or -C: each event may be a trigger or fill a file. */
int recording_put_watched(struct recording *r, const struct trawl_record *record,
			  struct trawl_error *err);

/* One record to the writer, as trawl_append(), and to the trigger. May begin another file. */
static inline int recording_put(struct recording *r, const struct trawl_record *record,
				struct trawl_error *err)
{
	int result;

	if (r->o->ring || r->o->rotate_bytes)
		return recording_put_watched(r, record, err);
	result = trawl_append(r->w, record, err);
	return result ? recording_taken(r, result, err) : 0;
}
int recording_loss(struct recording *r, const struct trawl_loss *loss, struct trawl_error *err);

/* What is new of tasks. */
int recording_tasks(struct recording *r, struct trawl_error *err);

void recording_sync(struct recording *r, enum trawl_sync_why why);
/* Waits until all is written, or known not to be. */
void recording_flush(struct recording *r);

/* A drain that began then has left nothing behind in the kernel. */
void recording_drained(struct recording *r, uint64_t began);

/* An event's time by CLOCK_MONOTONIC; the wall clock's are compared by the newest sync. */
static inline uint64_t recording_mono(const struct recording *r, const struct source *source,
				      uint64_t ts)
{
	return source->realtime ? ts + r->sync.mono - r->sync.real : ts;
}

/* Begins another file if -G or -C says so. */
void recording_rotate_due(struct recording *r, uint64_t now);

/* Ends it, unless something has already. */
void recording_end(struct recording *r, const char *why);

/* The file cannot be written any more: that ends it, and its reader's leaving is no failure. */
void recording_fail(struct recording *r, const struct trawl_error *err);
static inline bool recording_left(const struct recording *r)
{
	return r->failed && r->error.sys == EPIPE;
}

/* Ends the present file, and the ring. */
void recording_finish(struct recording *r);

#endif
