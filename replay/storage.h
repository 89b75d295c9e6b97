/* SPDX-License-Identifier: MIT */
/*
 * A disk with Bulk-Only Transport. Commands in the tape's order get the recorded answers. Others
 * are answered by a model of the disk, with the sectors and the capacity in the tape.
 *
 * A sector's contents are known from the beginning if the tape reads the sector before writing it,
 * else from the write on. Reading an unknown sector is a medium error: no data is invented.
 */
#ifndef TRAWL_REPLAY_STORAGE_H
#define TRAWL_REPLAY_STORAGE_H

#include "replay/verdict.h"

struct storage;

/*
 * Makes the disk of a tape; in and out are its bulk endpoints. speed: 0: without waiting. NULL with
 * *err if memory runs out. t and v must outlive it.
 */
struct storage *storage_new(struct tape *t, uint8_t in, uint8_t out, double speed,
			    struct verdict *v, struct trawl_error *err);
void storage_free(struct storage *s);

/*
 * Writes a remark on properties that were guessed because the capture lacks them. Returns false if
 * there are none.
 */
bool storage_guessed(const struct storage *s, char *text, size_t room);

/*
 * Takes data from the host. now: ns, CLOCK_MONOTONIC. Returns the status: 0, or -EPIPE if the data
 * is no valid command.
 */
int32_t storage_out(struct storage *s, const uint8_t *p, uint32_t n, uint64_t now);

/* The answer to the host's next read. */
struct storage_answer {
	const uint8_t *data; /* valid until the next call */
	uint32_t n;
	int32_t status;
	uint64_t due;        /* ns, CLOCK_MONOTONIC */
};

/*
 * Fills *a with the answer to a read of `room` bytes; false if there is none yet. storage_taken()
 * then consumes the answer.
 */
bool storage_in(struct storage *s, uint32_t room, struct storage_answer *a);
void storage_taken(struct storage *s, const struct storage_answer *a, uint64_t now);

/* Marks the remaining commands as done if they are only polls, which a host sends at any time. */
void storage_end(struct storage *s, uint64_t now);

/* Handles a reset of the transport. */
void storage_reset(struct storage *s);

#endif
