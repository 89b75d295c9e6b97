/* SPDX-License-Identifier: GPL-2.0-only */
/* Where the branches of one task are kept until they are dumped: the last N, or until it is
 * full. */
#ifndef KMOD_STORE_H
#define KMOD_STORE_H

#include <linux/spinlock.h>
#include "kmod/trawl_uapi.h"

struct store {
	raw_spinlock_t lock;
	struct trawl_record *records;	/* NULL: nothing is kept */
	u32 capacity;
	u32 threshold;			/* store_put() says when so many are there; 0: never */
	bool wraps;			/* the oldest make room; otherwise the newest are lost */
	u64 written;			/* record n is at index n % capacity */
	u64 oldest;			/* the first that was not cleared */
	u64 lost;
};

/* store_init() - an empty store without room: what comes is lost. */
void store_init(struct store *store);

/*
 * store_room() - replaces the room by one of `capacity` records; what there was is discarded.
 * May sleep. Returns 0, or -ENOMEM, and then nothing changed.
 */
int store_room(struct store *store, u32 capacity, u32 threshold, bool wraps);
void store_free(struct store *store);

/* store_put() - appends a copy. Any context but NMI. Returns whether the threshold was just
 * reached. */
bool store_put(struct store *store, const struct trawl_record *record);

/* store_clear() - removes what there is. */
void store_clear(struct store *store);

/* store_count() - how many records there are. */
u32 store_count(struct store *store);

/*
 * store_copy() - copies the newest records, at most `capacity`, oldest first, while others may
 * be appended; with `clear`, they are removed. Of more than
 * 1,024 it may sleep. *position becomes the position of the
 * record after the last, counted since the store is there; *count how many were copied. Returns 0,
 * or -EAGAIN when records come faster than they can be copied.
 */
int store_copy(struct store *store, struct trawl_record *to, u32 capacity, bool clear, u32 *count,
	       u64 *position, u64 *lost);

#endif
