/* SPDX-License-Identifier: MIT */
/*
 * Early write-back of a file that grows fast. The kernel keeps written pages in memory until they
 * are too many; finding more memory then costs the writer more than reusing pages would. So a
 * thread starts the write-back of what was written, and drops from memory what is on the disk.
 *
 * A disk that is slower than the recorder holds up this thread, not the writer.
 */
#ifndef TRAWL_FORMAT_WRITEBACK_H
#define TRAWL_FORMAT_WRITEBACK_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
	WRITEBACK_STEP = 8 << 20,    /* bytes that are looked at together */
	WRITEBACK_HURRY_MS = 32,     /* a step in less is a hurry: 256 MB/s */
	WRITEBACK_KEPT = 128 << 20,  /* bytes at the end that stay in memory */
};

/* From where to where bytes of a file are to be written to the disk, and to be forgotten. */
struct writeback_work {
	uint64_t write, write_end;
	uint64_t forget, forget_end;
};

struct writeback {
	int fd;
	uint64_t seen;           /* offset in the file where the present step began, */
	uint64_t since;          /* and when: CLOCK_MONOTONIC ns; 0: nothing was written yet */
	bool started;
	pthread_t thread;
	pthread_mutex_t lock;    /* of what follows */
	pthread_cond_t work;
	bool quit;
	uint64_t wanted;         /* up to here it is to be written, */
	uint64_t written;        /* and is on its way; below the thread's */
	uint64_t forgotten;
};

/* For a regular file, from an offset on. fd stays the caller's. */
void writeback_init(struct writeback *t, int fd, uint64_t at);
/* The file is written up to this offset. Starts the thread in the first hurry. */
void writeback_wrote(struct writeback *t, uint64_t end);
/* The same at a time. Is it a hurry, so that there is work up to `end`? */
bool writeback_hurry(struct writeback *t, uint64_t end, uint64_t now);
/* The next step of the work up to t->wanted; false if there is none. */
bool writeback_next(struct writeback *t, struct writeback_work *w);
/* Ends the thread. */
void writeback_done(struct writeback *t);

#endif
