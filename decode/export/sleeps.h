/* SPDX-License-Identifier: MIT */
/*
 * Uninterruptible sleeps (state D) of tasks, in which they wait for a disk or a lock of the kernel:
 * the longest, which the summary shows. The scheduler's events tell them.
 *
 * A capture of COMMAND or -p lacks the switches between other tasks. Then only tasks count of which
 * the file says that they were recorded: a sleep of another one may have ended unseen. For the same
 * reason nobody is then said to sleep until the end.
 */
#ifndef TRAWL_DECODE_EXPORT_SLEEPS_H
#define TRAWL_DECODE_EXPORT_SLEEPS_H

#include "decode/base/decoder.h"
#include "decode/base/output.h"
#include "format/trawl.h"

enum { SLEEPS_MAX = 6, SLEEPERS_MAX = 1024, SLEEPS_CPUS = 1024 };

struct sleep {
	uint64_t begin, end; /* end 0: still asleep */
	int32_t tid;         /* 0: none */
	char comm[16];
	int32_t waker;       /* ITEM_NO_TASK: none, or in an interrupt */
	char waker_comm[16];
	const struct trawl_source *source; /* of its events, as machines may have equal tids */
	uint32_t section;
	bool recorded;       /* its task was in the scope of the capture */
};

/* The owner sets the reader; the rest is zero at first. */
struct sleeps {
	const struct trawl_reader *reader;
	struct sleep longest[SLEEPS_MAX];    /* that ended, the longest first */
	struct sleep sleepers[SLEEPERS_MAX]; /* by tid; a newer one replaces another */
	int32_t running[SLEEPS_CPUS];        /* the task that runs on each processor; 0: unknown */
	bool partial;                        /* a switch is missing that was not lost */
};

void sleeps_item(struct sleeps *s, const struct decoder *d, void *state, const struct item *it);
/* Events were lost: those who sleep may have been woken. */
void sleeps_lost(struct sleeps *s);
/* last: the time of the last event. */
void sleeps_print(const struct sleeps *s, uint64_t last, bool utc, struct out *o);

#endif
