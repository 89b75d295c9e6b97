/* SPDX-License-Identifier: MIT */
/*
 * Early write-back of a file that grows fast. By default the kernel keeps written pages in memory
 * until there are too many of them; finding free memory then costs the writer more time than
 * reusing pages would. Therefore a thread starts the write-back of new pages early, and drops pages
 * from the page cache that are on disk.
 *
 * A disk that is slower than the recorder delays this thread, not the writer.
 */
#ifndef TRAWL_FORMAT_WRITEBACK_H
#define TRAWL_FORMAT_WRITEBACK_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

enum {
	WRITEBACK_STEP = 8 << 20,    /* granularity of the work */
	/* write-back starts when a step is written in less time: 256 MB/s */
	WRITEBACK_FAST_MS = 32,
	WRITEBACK_KEPT = 128 << 20,  /* bytes at the end of the file that stay in the page cache */
};

/* A step of the work: file ranges to be written to disk, and to be dropped from the page cache. */
struct writeback_work {
	uint64_t write, write_end;
	uint64_t forget, forget_end;
};

struct writeback {
	int fd;
	/*
	 * The start of the current step: offset in the file, and CLOCK_MONOTONIC, ns (0: nothing
	 * was written yet).
	 */
	uint64_t seen, since;
	bool started;
	pthread_t thread;
	pthread_mutex_t lock;    /* protects the members below */
	pthread_cond_t work;
	bool quit;
	/* Offsets in the file up to which: */
	uint64_t wanted;         /* write-back is requested */
	uint64_t written;        /* write-back was started */
	uint64_t forgotten;      /* pages were dropped from the cache */
};

/* Initialises t for the regular file fd, which remains the caller's, beginning at offset `at`. */
void writeback_init(struct writeback *t, int fd, uint64_t at);
/*
 * Call after writing the file up to offset `end`. Starts the thread when the file first grows fast.
 */
void writeback_wrote(struct writeback *t, uint64_t end);
/* The same with the time as a parameter. Returns whether the file grew fast: then there is work. */
bool writeback_is_fast(struct writeback *t, uint64_t end, uint64_t now);
/* Stores the next step up to t->wanted in *w; returns false if there is none. */
bool writeback_next(struct writeback *t, struct writeback_work *w);
/* Ends the thread. */
void writeback_done(struct writeback *t);

#endif
