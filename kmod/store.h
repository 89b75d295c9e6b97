/* SPDX-License-Identifier: GPL-2.0-only */
/* The branches of one task, kept until they are dumped: the last N, or the first N. */
#ifndef TRAWL_KMOD_STORE_H
#define TRAWL_KMOD_STORE_H

#include <linux/spinlock.h>
#include "kmod/trawl_uapi.h"

struct store {
	raw_spinlock_t lock;
	struct trawl_branch *records;	/* NULL: no room, nothing is kept */
	u32 capacity;
	/* store_put() reports when it puts this many since the last removal; 0: never */
	u32 threshold;
	/* the oldest are overwritten; otherwise the newest are lost */
	bool wraps;
	/* how many were written; record n is at index n % capacity */
	u64 written;
	u64 oldest;			/* position of the first that was not removed */
	/*
	 * records overwritten, without room, or removed without having been copied, since
	 * store_room() or store_clear()
	 */
	u64 lost;
};

/* store_init() - an empty store without room: every record is lost. */
void store_init(struct store *store);

/*
 * store_room() - allocates room for `capacity` records and discards what was in the store. Returns
 * 0, or -ENOMEM and changes nothing. May sleep.
 */
int store_room(struct store *store, u32 capacity, u32 threshold, bool wraps);
/* store_free() - frees the records; the store has no room then. */
void store_free(struct store *store);

/*
 * store_put() - appends a copy of the record. Any context but NMI. Returns whether the threshold
 * was just reached.
 */
bool store_put(struct store *store, const struct trawl_branch *record);

/* store_clear() - removes all records and forgets those lost. */
void store_clear(struct store *store);
/* store_drop() - removes all records; they count as lost. Any context but NMI. */
void store_drop(struct store *store);

/* store_count() - how many records there are. */
u32 store_count(struct store *store);

/* What was copied from a store. */
struct store_copied {
	u32 count;
	u32 there;    /* how many records there were, of which `count` fitted */
	u64 position; /* after the last record, counted since the store was made */
	u64 lost;
};

/*
 * store_copy() - copies the newest records to `to`, at most `capacity` of them, oldest first;
 * others may be appended meanwhile. With `clear` these are removed, and all older ones: those that
 * did not fit count as lost. Returns 0, or -EAGAIN when records come faster than they can be
 * copied. May sleep if there are more than 1,024.
 */
int store_copy(struct store *store, struct trawl_branch *to, u32 capacity, bool clear,
	       struct store_copied *copied);

#endif
