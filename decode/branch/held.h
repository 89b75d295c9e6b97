/* SPDX-License-Identifier: MIT */
/*
 * Batches of which some branches have not been emitted yet: events of other sources, and branches
 * of other tasks, come between their branches. A heap, ordered by the time of each batch's next
 * branch.
 */
#ifndef TRAWL_DECODE_BRANCH_HELD_H
#define TRAWL_DECODE_BRANCH_HELD_H

#include "decode/base/decoder.h"
#include "decode/branch/batch.h"

struct held_batch {
	struct branch_batch_detail batch;
	struct item item;      /* the next item; its time is that of the last mark before it */
	char comm[16];         /* item.comm */
	uint64_t time, ts;     /* time of the record: on the timeline, and its time stamp */
	uint32_t branch, mark; /* index of the next branch and of the next mark */
	uint64_t number;       /* sequence number of the record, which orders equal times */
	uint64_t next;         /* time of the next branch or mark, on the timeline */
};

struct held {
	struct held_batch **heap;
	size_t n;
	size_t bytes; /* memory of all batches, approximately */
	uint64_t numbers;
};

/*
 * Returns an empty batch for a record, which the caller frees by held_free_batch(); NULL without
 * memory.
 */
struct held_batch *held_new_batch(void);
void held_free_batch(struct held_batch *b);

/* Returns the time on the timeline of a time stamp of the batch. */
uint64_t held_time(const struct held_batch *b, uint64_t ts);
/* Returns the mark before the next branch; NULL if there is none. */
const struct branch_mark *held_mark(const struct held_batch *b);
/* Whether all branches and marks of the batch have been emitted. */
bool held_done(const struct held_batch *b);

/* Takes over the batch. Returns false without memory: the caller still owns it. */
bool held_add(struct held *h, struct held_batch *b);
/* Returns the batch whose next branch or mark is the earliest; NULL if none is held. */
struct held_batch *held_first(const struct held *h);
/*
 * Call after a branch or mark of the first batch was emitted. Frees the batch if that was its last.
 */
void held_moved(struct held *h);
void held_clear(struct held *h);

#endif
