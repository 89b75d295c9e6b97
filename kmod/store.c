// SPDX-License-Identifier: GPL-2.0-only
#include "kmod/store.h"
#include <linux/mm.h>
#include <linux/minmax.h>
#include <linux/sched.h>
#include <linux/string.h>

/* Records copied at once with interrupts off, which takes some microseconds. */
#define COPY_AT_ONCE	1024
#define COPY_TRIES	8

void store_init(struct store *store)
{
	memset(store, 0, sizeof(*store));
	raw_spin_lock_init(&store->lock);
}

int store_room(struct store *store, u32 capacity, u32 threshold, bool wraps)
{
	struct trawl_branch *records, *old;
	unsigned long flags;

	records = kvcalloc(capacity, sizeof(*records), GFP_KERNEL_ACCOUNT | __GFP_NOWARN);
	if (!records)
		return -ENOMEM;
	raw_spin_lock_irqsave(&store->lock, flags);
	old = store->records;
	store->records = records;
	store->capacity = capacity;
	store->threshold = threshold;
	store->wraps = wraps;
	store->written = store->oldest = store->lost = 0;
	raw_spin_unlock_irqrestore(&store->lock, flags);
	kvfree(old);
	return 0;
}

void store_free(struct store *store)
{
	kvfree(store->records);
	store->records = NULL;
}

/* The position of the oldest record that is still there. */
static u64 first(const struct store *store)
{
	u64 kept = store->written > store->capacity ? store->written - store->capacity : 0;

	return max(kept, store->oldest);
}

bool store_put(struct store *store, const struct trawl_branch *record)
{
	unsigned long flags;
	bool reached = false;
	u32 index;

	raw_spin_lock_irqsave(&store->lock, flags);
	if (!store->records ||
	    (!store->wraps && store->written - store->oldest >= store->capacity)) {
		store->lost++;
		goto out;
	}
	if (store->written - first(store) == store->capacity)
		store->lost++;
	div_u64_rem(store->written, store->capacity, &index);
	store->records[index] = *record;
	store->written++;
	reached = store->threshold && store->written - store->oldest == store->threshold;
out:
	raw_spin_unlock_irqrestore(&store->lock, flags);
	return reached;
}

void store_clear(struct store *store)
{
	unsigned long flags;

	raw_spin_lock_irqsave(&store->lock, flags);
	store->oldest = store->written;
	store->lost = 0;
	raw_spin_unlock_irqrestore(&store->lock, flags);
}

void store_drop(struct store *store)
{
	unsigned long flags;

	raw_spin_lock_irqsave(&store->lock, flags);
	store->lost += store->written - first(store);
	store->oldest = store->written;
	raw_spin_unlock_irqrestore(&store->lock, flags);
}

u32 store_count(struct store *store)
{
	unsigned long flags;
	u32 n;

	raw_spin_lock_irqsave(&store->lock, flags);
	n = store->written - first(store);
	raw_spin_unlock_irqrestore(&store->lock, flags);
	return n;
}

/*
 * Copies one piece, from *from up to `end` at most; false if *from has been overwritten meanwhile.
 */
static bool piece(struct store *store, struct trawl_branch *to, u64 *from, u64 end)
{
	unsigned long flags;
	bool whole;
	u32 i, index, n = min_t(u64, COPY_AT_ONCE, end - *from);

	raw_spin_lock_irqsave(&store->lock, flags);
	whole = first(store) <= *from && end <= store->written;
	for (i = 0; whole && i < n; i++) {
		div_u64_rem(*from + i, store->capacity, &index);
		to[i] = store->records[index];
	}
	raw_spin_unlock_irqrestore(&store->lock, flags);
	*from += n;
	return whole;
}

static bool copy_once(struct store *store, struct trawl_branch *to, u32 capacity,
		      struct store_copied *copied)
{
	unsigned long flags;
	u64 begin, end, from;

	raw_spin_lock_irqsave(&store->lock, flags);
	end = store->written;
	begin = first(store);
	copied->lost = store->lost;
	raw_spin_unlock_irqrestore(&store->lock, flags);
	copied->there = end - begin;
	if (end - begin > capacity)
		begin = end - capacity;
	for (from = begin; from < end;) {
		u64 at = from - begin;

		if (!piece(store, to + at, &from, end))
			return false;
		if (from < end)
			cond_resched();
	}
	copied->count = end - begin;
	copied->position = end;
	return true;
}

/*
 * Removes the copied records and older ones, which are lost. store_put() has counted those as lost
 * that it has overwritten since they were copied: they are not.
 */
static void remove_copied(struct store *store, struct store_copied *copied)
{
	u64 begin = copied->position - copied->count, oldest = first(store);

	if (store->written < copied->position)
		return; /* store_room() has replaced them */
	if (begin > oldest)
		store->lost += begin - oldest;
	else
		store->lost -= min(oldest, copied->position) - begin;
	store->oldest = copied->position;
	copied->lost = store->lost;
}

int store_copy(struct store *store, struct trawl_branch *to, u32 capacity, bool clear,
	       struct store_copied *copied)
{
	unsigned long flags;
	int try;

	for (try = 0; try < COPY_TRIES; try++) {
		if (!copy_once(store, to, capacity, copied))
			continue;
		raw_spin_lock_irqsave(&store->lock, flags);
		if (clear)
			remove_copied(store, copied);
		raw_spin_unlock_irqrestore(&store->lock, flags);
		return 0;
	}
	return -EAGAIN;
}
