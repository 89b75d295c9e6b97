/* SPDX-License-Identifier: MIT */
/*
 * The flight recorder of --ring. The writer keeps the newest events in memory (trawl.h, "ring"). A
 * trigger writes them to a file: a record for which the expression of --trigger holds, SIGUSR1, or
 * the crash of COMMAND. The trigger is an event in the file, of the source "trawl".
 *
 * Recording goes on for --after the trigger; later triggers until then belong to the same file. A
 * thread of its own writes the file while recording goes on.
 */
#ifndef TRAWL_CAPTURE_OUTPUT_FLIGHT_H
#define TRAWL_CAPTURE_OUTPUT_FLIGHT_H

#include <pthread.h>
#include <stdatomic.h>

#include "decode/query/watch.h"
#include "capture/output/newfile.h"
#include "capture/cli/options.h"

struct session;

/*
 * The states of a flight recorder. A file is due --after the trigger; the next one may become due
 * while this one is being written.
 *
 *	          trigger                   flight_write()
 *	 READY -------------->  DUE  ------------------------>  WRITING
 *	   ^                     ^                               |   |
 *	   |     flight_reap()   |                               |   | trigger
 *	   +---------------------|-------------------------------+   v
 *	                         +------------------------------ WRITING_DUE
 *	                                   flight_reap()
 *
 * flight_write() returns in READY where the file cannot be made, or was written without a thread.
 * flight_finish() returns in READY.
 */
enum flight_state { FLIGHT_READY = 0, FLIGHT_DUE = 1, FLIGHT_WRITING = 2, FLIGHT_WRITING_DUE = 3 };

struct flight {
	const struct options *o;
	const struct user *user;
	struct session *session;
	struct trawl_writer *w;
	struct watch *watch;   /* NULL: no --trigger */
	int source;            /* of triggers, in the writer */
	uint64_t ahead;        /* CLOCK_REALTIME minus CLOCK_MONOTONIC, ns */
	uint64_t last;         /* time of the last trigger event */
	uint64_t deadline;     /* CLOCK_MONOTONIC: when the file is due; 0: nothing triggered */
	char reason[300];      /* of the file that is due */
	uint32_t files, failed;

	/* The file that is being written. */
	char written_reason[300];
	struct newfile file;
	struct trawl_spill *spill;
	struct trawl_ring_state state; /* the ring when it was taken */
	uint64_t taken;                /* when that was, CLOCK_MONOTONIC, ns */
	pthread_t thread;
	bool writing;
	atomic_bool written;
	int result;
	uint64_t in_file; /* events of the file that was written last */
	bool lost;        /* the last failure left no file */
	struct trawl_error error;
};

/*
 * Parses the expression and checks that files can be made. Returns 0, or -1 with *err; call
 * flight_close() in any case.
 */
int flight_open(struct flight *f, const struct options *o, const struct user *user,
		struct session *s, struct trawl_error *err);
void flight_close(struct flight *f);

/*
 * The callback on_meta of struct trawl_writer_options: the watch needs metadata of probes and
 * devices.
 */
void flight_on_meta(void *arg, const struct trawl_meta *m);

/* Adds the source "trawl" and checks the expression against all sources, which are armed. */
int flight_arm(struct flight *f, struct trawl_writer *w, struct trawl_error *err);

void flight_sync(struct flight *f, const struct trawl_sync *sync);

/* Evaluates --trigger for a captured record. Returns 0, or -1 with *err. */
int flight_see(struct flight *f, const struct trawl_record *r, struct trawl_error *err);

/*
 * Trigger: SIGUSR1 from the process `from`; a crash of COMMAND at the time `at`. Return 0, or -1
 * with *err.
 */
int flight_signal(struct flight *f, pid_t from, struct trawl_error *err);
int flight_crash(struct flight *f, pid_t pid, const char *what, uint64_t at,
		 struct trawl_error *err);

/* Whether the expression uses an event's task. */
static inline bool flight_uses_task(const struct flight *f)
{
	return f->watch && watch_uses_task(f->watch);
}

static inline enum flight_state flight_state(const struct flight *f)
{
	return (enum flight_state)((f->deadline ? FLIGHT_DUE : 0) |
				   (f->writing ? FLIGHT_WRITING : 0));
}

/* Whether flight_write() is to be called now. */
static inline bool flight_due(const struct flight *f, uint64_t now)
{
	return flight_state(f) == FLIGHT_DUE && now >= f->deadline;
}

/* Does not wait any longer for events after the trigger. */
static inline void flight_end_wait(struct flight *f)
{
	if (f->deadline)
		f->deadline = 1;
}

/*
 * Starts writing the file that is due; the state is FLIGHT_DUE. The caller has written the file's
 * last metadata and sync. A failure is printed and counted; recording goes on.
 */
void flight_write(struct flight *f);

/* Gives the file its name if it has been written. wait: waits for that. */
void flight_reap(struct flight *f, bool wait);

/* At the session's end: writes the file that is due, even before its deadline, and waits. */
void flight_finish(struct flight *f);

/* "; 2 files written", for the line that ends the capture. */
const char *flight_verdict(const struct flight *f, char *buf, size_t size);

#endif
