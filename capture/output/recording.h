/* SPDX-License-Identifier: MIT */
/*
 * The output of a session: the writer and its row of files, or the ring of the flight recorder;
 * rotation; clock-sync blocks.
 *
 * A file that cannot be written is no error of these functions: it ends the recording, and the
 * error is kept for the session's end. -1 with *err means any other failure.
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
	uint64_t drained;	    /* when the last drain that emptied all buffers began */
	uint64_t horizon;	    /* `drained` at the sync before */

	bool failed;                /* a file could not be written: */
	struct trawl_error error;
	const char *end;            /* why the recording ends; NULL while it goes on */
};

/* Nothing is open. */
#define RECORDING_NONE { .fd = -1, .output = OUTPUT_NONE }

/* Opens the output and the writer, with metadata on machine and capture in it. */
int recording_open(struct recording *r, const struct options *o, const struct user *user,
		   struct session *s, struct trawl_error *err);

/* Writes the first clock sync; events may be put from now on. */
int recording_start(struct recording *r, struct trawl_error *err);

/* Gives the present file its name: all sources run, or the next file has begun. */
int recording_commit(struct recording *r, struct trawl_error *err);

/* Takes what the writer returned. Returns 0 for a file that cannot be written, after ending the
 * recording. */
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

/* Writes metadata of new tasks. */
int recording_tasks(struct recording *r, struct trawl_error *err);

void recording_sync(struct recording *r, enum trawl_sync_why why);
/* Waits until all blocks are written or have failed. */
void recording_flush(struct recording *r);

/* A drain that began at this time emptied all buffers. */
void recording_drained(struct recording *r, uint64_t began);

/* An event's time by CLOCK_MONOTONIC, ns; wall-clock times are converted by the newest sync. */
static inline uint64_t recording_mono(const struct recording *r, const struct source *source,
				      uint64_t ts)
{
	return source->realtime ? ts + r->sync.mono - r->sync.real : ts;
}

/* Begins another file if -G or -C says so. */
void recording_rotate_due(struct recording *r, uint64_t now);

/* Ends it, unless something has already. */
void recording_end(struct recording *r, const char *why);

/* Ends the recording because the file cannot be written. EPIPE is no failure: the reader has
 * exited. */
void recording_fail(struct recording *r, const struct trawl_error *err);
static inline bool recording_left(const struct recording *r)
{
	return r->failed && r->error.sys == EPIPE;
}

/* Ends the present file, and the ring. */
void recording_finish(struct recording *r);

#endif
