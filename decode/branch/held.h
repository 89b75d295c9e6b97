/* SPDX-License-Identifier: MIT */
/*
 * Batches that have begun and not ended: between their branches there are events of other sources
 * and branches of other tasks. A heap, by the time of what comes next in each.
 */
#ifndef TRAWL_DECODE_BRANCH_HELD_H
#define TRAWL_DECODE_BRANCH_HELD_H

#include "decode/base/decoder.h"
#include "decode/branch/batch.h"

struct held_batch {
	struct branch_batch_detail batch;
	struct item item;      /* of its branches; has the time of the last mark before them */
	char comm[16];         /* item.comm */
	uint64_t time, ts;     /* of the record */
	uint32_t branch, mark; /* what comes next */
	uint64_t number;       /* in the order of records: decides between equal times */
	uint64_t next;         /* the time of what comes next, on the timeline */
};

struct held {
	struct held_batch **heap;
	size_t n;
	size_t bytes; /* of memory, about */
	uint64_t numbers;
};

/* An empty batch for a record; NULL: no memory. The caller frees it by held_free_batch(). */
struct held_batch *held_new_batch(void);
void held_free_batch(struct held_batch *b);

/* A time of the batch's clock, on the timeline. */
uint64_t held_time(const struct held_batch *b, uint64_t ts);
/* The mark that is due in front of the next branch; NULL: the branch itself is. */
const struct branch_mark *held_mark(const struct held_batch *b);
/* Has everything in it been given? */
bool held_done(const struct held_batch *b);

/* Takes the batch. False: no memory, and it is the caller's still. */
bool held_add(struct held *h, struct held_batch *b);
/* The one whose next branch or mark is the earliest; NULL: there is none. */
struct held_batch *held_first(const struct held *h);
/* To be called when something of the first one has been given: it is freed if that was the last. */
void held_moved(struct held *h);
void held_clear(struct held *h);

#endif
