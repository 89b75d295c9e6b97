/* SPDX-License-Identifier: MIT */
/*
 * The output of a session: the writer and its row of files, or the ring of the flight recorder;
 * rotation; clock-sync blocks.
 *
 * A file holds all events of a span of time, of all sources, and no others; the next file begins
 * where it ends. Sources are drained one after the other, so events after the end wait until all
 * sources have been drained up to it. With -C, the end is not known in advance: all events wait,
 * and are written in the order of time.
 *
 * If a file cannot be written, these functions return 0: the recording ends, and the error is kept
 * for the session's end. They return -1 with *err for any other failure.
 */
#ifndef TRAWL_CAPTURE_OUTPUT_RECORDING_H
#define TRAWL_CAPTURE_OUTPUT_RECORDING_H

#include <errno.h>

#include "capture/output/flight.h"
#include "capture/cli/options.h"
#include "capture/output/output.h"
#include "capture/output/pending.h"
#include "capture/source.h"
#include "capture/task/task.h"

/* Its flags are about the file, the size limit and errors, and may be set in any combination. */
struct recording {
	const struct options *o;
	struct session *session;
	struct tasks *tasks;        /* the session's */
	struct output output;
	bool deleted;               /* the present file was deleted, and a note printed */
	struct flight flight;       /* with --ring */
	struct trawl_writer *w;
	int fd;                     /* descriptor of the writer, for poll() only */

	/* Times of CLOCK_MONOTONIC, ns; both ends are included. */
	uint64_t begin;            /* of the present file */
	uint64_t cut;              /* end of the present file; UINT64_MAX: not known */
	uint64_t newest;           /* -C: of the last event that was written */
	uint64_t until;            /* the last file of the row ends here; UINT64_MAX: at the end */
	struct pending waiting;    /* waiting events, which the present file may not get */
	struct trawl_loss *losses; /* losses that the present file may not get */
	size_t nlosses;
	uint64_t early;            /* events in the present file from before its begin */
	bool lossy;                /* the present file has a loss */
	bool full;                 /* -C: the present file ends with the events of `newest` */

	uint64_t front;            /* bytes of the present file when its first event came */
	uint64_t unchecked;        /* bytes of records since its size was checked */
	uint64_t next_file;        /* -G: when the present one ends; UINT64_MAX: never */

	struct trawl_sync sync;    /* the latest clock sync */
	uint64_t drained;          /* all events up to then have been drained, and written */
	uint64_t settled;          /* waiting events up to then have been written */
	uint64_t horizon;          /* `drained` at the previous sync */

	bool small;                 /* its only file will become a small section */
	bool failed;                /* a file could not be written: */
	struct trawl_error error;
	const char *end;            /* why the recording ends; NULL while it goes on */
};

/* Nothing is open. */
#define RECORDING_NONE                                                                             \
	{                                                                                          \
		.fd = -1, .output = OUTPUT_NONE, .cut = UINT64_MAX, .until = UINT64_MAX            \
	}

/* Opens the output and the writer, with metadata on machine and capture in it. */
int recording_open(struct recording *r, const struct options *o, const struct user *user,
		   struct session *s, struct trawl_error *err);

/* Writes the first clock sync; events may be put from now on. */
int recording_start(struct recording *r, struct trawl_error *err);

/* Gives the present file its name. Called when all sources run, or the next file has begun. */
int recording_commit(struct recording *r, struct trawl_error *err);

/*
 * Handles what a function of the writer returned: ends the recording if the file cannot be written.
 * Returns 0, or -1 for any other failure.
 */
int recording_after_write(struct recording *r, int result, const struct trawl_error *err);

/* recording_put() for events that may have to wait, be early, be a trigger or fill the file. */
int recording_put_watched(struct recording *r, const struct trawl_record *record, uint64_t mono,
			  struct trawl_error *err);

/* Appends a record of the time mono to the file, now or later, and gives it to the trigger. */
static inline int recording_put(struct recording *r, const struct trawl_record *record,
				uint64_t mono, struct trawl_error *err)
{
	int result;

	if (mono > r->cut || mono < r->begin || r->o->ring || r->o->rotate_bytes)
		return recording_put_watched(r, record, mono, err);
	result = trawl_append(r->w, record, err);
	return result ? recording_after_write(r, result, err) : 0;
}

/*
 * Writes the waiting events up to the time `reached`: all events up to then have been put. May
 * begin another file.
 */
int recording_settle(struct recording *r, uint64_t reached, struct trawl_error *err);
/* The same, when the recording has ended and all events have been put. */
int recording_settle_last(struct recording *r, struct trawl_error *err);

/* --ring: the file that is due ends here; later events wait until recording_reopen(). */
void recording_cut(struct recording *r, uint64_t cut);
/* Whether all events up to there have been written. */
static inline bool recording_is_cut(const struct recording *r)
{
	return r->settled >= r->cut;
}
/* Continues after the cut, up to which the ring was taken. */
int recording_reopen(struct recording *r, struct trawl_error *err);

/* Writes a loss to each file whose span it touches; its count is in the first of them. */
int recording_loss(struct recording *r, const struct trawl_loss *loss, struct trawl_error *err);

/* Writes metadata of new tasks. */
int recording_tasks(struct recording *r, struct trawl_error *err);

void recording_sync(struct recording *r, enum trawl_sync_why why);
/* Waits until all blocks are written or have failed. */
void recording_flush(struct recording *r);

/* An event's time by CLOCK_MONOTONIC, ns; wall-clock times are converted by the newest sync. */
static inline uint64_t recording_mono(const struct recording *r, const struct source *source,
				      uint64_t ts)
{
	return source->realtime ? ts + r->sync.mono - r->sync.real : ts;
}

/* Begins another file if -C demands one although no event has come since. */
void recording_rotate_due(struct recording *r);

/* Ends the recording, unless it has ended. why: a constant text. */
void recording_end(struct recording *r, const char *why);

/*
 * Ends the recording because the file cannot be written. EPIPE is no failure: the reader has
 * exited.
 */
void recording_fail(struct recording *r, const struct trawl_error *err);
static inline bool recording_left(const struct recording *r)
{
	return r->failed && r->error.sys == EPIPE;
}

/* Ends the present file, and the ring. */
void recording_finish(struct recording *r);

#endif
