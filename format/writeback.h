/* SPDX-License-Identifier: MIT */
/*
 * What is after the end of a file that is written faster than anybody reads it: bulk. The kernel
 * would keep all of it in memory, and write it to the disk when there is too much; memory that it
 * has to find for that costs more than to write what is there again. So a thread of its own has
 * what was written go to the disk soon, and gives back the memory of what is there already.
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
