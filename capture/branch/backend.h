/* SPDX-License-Identifier: MIT */
/*
 * A way to record branches: one struct of functions, one line in the table of backends.c. The
 * source calls, always from the session's thread:
 *
 *	usable()  Tries whether this machine can do it. Returns 0, or -1 with the reason and the remedy.
 *	open()    Attaches to the tasks; COMMAND waits to be run. No branches come yet. Returns the
 *	          state, or NULL with *err.
 *	start()   Lets branches come. Returns 0, or -1 with *err.
 *	fds()     Returns what to poll for.
 *	drain()   Gives the branches that are there to sink.event(). Returns 0, or -1 with *err.
 *	reached() Returns the time up to which drain() has given all that was collected. NULL: it
 *	          gives all that happened.
 *	halt()    Ends the capture: later branches do not count.
 *	stop()    Detaches from the tasks; drain() may still give branches from before halt().
 *	over()    Called after stop(). Returns true when drain() will give nothing more.
 *	close()   Frees the state.
 */
#ifndef TRAWL_CAPTURE_BRANCH_BACKEND_H
#define TRAWL_CAPTURE_BRANCH_BACKEND_H

#include <poll.h>
#include <stdbool.h>
#include "capture/branch/event.h"
#include "format/trawl.h"

/* A place in a program. Each time it is hit, the task's last branches are recorded. */
struct branch_site {
	int fd;               /* the file, which is open */
	uint64_t offset;      /* in it */
	uint64_t ref_ctr;     /* offset of the USDT semaphore in the file; 0: none */
	unsigned int last;    /* how many branches, at most */
};

struct branch_scope {
	const pid_t *pids; /* thread groups */
	size_t n;
	bool command;      /* pids has one entry: a COMMAND that waits to be run */
	const struct branch_site *sites; /* record the last branches before these sites; NULL:
					    * record all branches */
	size_t nsites;
};

struct branch_sink {
	int (*event)(struct branch_sink *s, const struct branch_event *e, struct trawl_error *err);
};

/* What -D says of ways that only ran on an emulated processor (docs/branch-hardware.md). */
#define BRANCH_UNPROVEN "; never tested on silicon, only on emulated processors"

struct branch_backend {
	const char *name;    /* as in -i branch:NAME */
	uint8_t number;      /* in files */
	const char *what;    /* one line for -D */
	bool partial;        /* it records samples or the last branches, never every branch */
	bool at_sites;      /* it can serve branch_scope.sites */
	bool near_at_sites; /* at sites it has no far branches */
	bool no_kinds;       /* the kind of a branch may be BRANCH_UNKNOWN: the source decodes the
			      * instruction */
	bool by_processor;   /* the processor records: it misses branches that the kernel emulates
			      * at uprobes */
	bool collects;       /* its events have `collected` */
	bool opens_events;   /* it opens events of perf on new tasks while it records */
	int (*usable)(struct trawl_error *err);
	void *(*open)(const struct branch_scope *scope, struct trawl_error *err);
	int (*start)(void *state, struct trawl_error *err);
	size_t (*fds)(void *state, struct pollfd *fds, size_t room);
	int (*drain)(void *state, struct branch_sink *sink, struct trawl_error *err);
	uint64_t (*reached)(void *state);
	void (*halt)(void *state);
	int (*stop)(void *state, struct trawl_error *err);
	bool (*over)(void *state);
	void (*close)(void *state);
};

/* The functions of a recording, which have the same names in each back end's file. */
#define BACKEND_FUNCTIONS                                                                         \
	.start = start, .fds = fds, .drain = drain, .halt = halt, .stop = stop, .over = over,     \
	.close = close_state

extern const struct branch_backend perf_bts_backend, perf_lbr_backend, intel_bts_backend,
	perf_joined_backend, kmod_lbr_backend, kmod_step_backend, ptrace_backend;
/* Ordered by preference; ends with NULL. */
extern const struct branch_backend *const branch_backends[];

/*
 * Returns the back end of this name if it is usable; for "" the first usable one that has at_sites
 * (if `sites`), or is not partial (otherwise). NULL with *err if there is none.
 */
const struct branch_backend *branch_backend_find(const char *name, bool sites,
						 struct trawl_error *err);

#endif
