/* SPDX-License-Identifier: MIT */
/*
 * A disk by Bulk-Only Transport: commands that come in the order of the tape get the recorded
 * answers; others are answered by what the tape tells of the disk: its sectors, its capacity.
 *
 * A sector is known from the beginning if the tape reads it before it writes it, and from then on
 * otherwise. Reading one that is not known is a medium error: nothing is made up.
 */
#ifndef TRAWL_REPLAY_STORAGE_H
#define TRAWL_REPLAY_STORAGE_H

#include "replay/verdict.h"

struct storage;

/*
 * The disk of a tape, whose bulk endpoints are these. speed: of times; 0: none waits. NULL with
 * *err: out of memory.
 */
struct storage *storage_new(struct tape *t, uint8_t in, uint8_t out, double speed,
			    struct verdict *v, struct trawl_error *err);
void storage_free(struct storage *s);

/* Writes one line about what was guessed of the disk because the capture does not tell it. False:
 * nothing was. */
bool storage_guessed(const struct storage *s, char *text, size_t room);

/* Data from the host. Returns the status: 0, or -EPIPE: it makes no sense. */
int32_t storage_out(struct storage *s, const uint8_t *p, uint32_t n, uint64_t now);

/* What the host gets next. */
struct storage_answer {
	const uint8_t *data; /* until the next call */
	uint32_t n;
	int32_t status;
	uint64_t due;        /* the monotonic time when */
};

/* Sets *a to the answer for a host that reads `room` bytes; false: there is none yet.
 * storage_taken() consumes it. */
bool storage_in(struct storage *s, uint32_t room, struct storage_answer *a);
void storage_taken(struct storage *s, const struct storage_answer *a, uint64_t now);

/* Nothing is left of the tape but commands that a host sends when it likes: they are done. */
void storage_end(struct storage *s, uint64_t now);

/* The host reset the transport. */
void storage_reset(struct storage *s);

#endif
