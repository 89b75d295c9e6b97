// SPDX-License-Identifier: GPL-2.0-only
/*
 * The reader may write anything anywhere in its mapping. The module therefore keeps its own
 * positions and reads nothing from the mapping but the tail, which it uses only if it is plausible.
 */
#include "kmod/ring.h"
#include <linux/log2.h>
#include <linux/mm.h>
#include <linux/slab.h>
#include <linux/timekeeping.h>
#include <linux/vmalloc.h>

struct ring {
	raw_spinlock_t lock;
	struct trawl_ring *shared;	/* the first page of the mapping; the records follow */
	struct trawl_branch *records;
	u32 size, flags, wakeup;
	u64 head, tail;			/* positions */
	u64 lost;			/* in all */
	/* lost since the last record: how many, time of the first and of the last */
	u64 hole, hole_begin, hole_end;
	u64 woken_at;			/* what head was when the reader was last woken */
	u32 waiting, tasks;
};

static bool valid(const struct trawl_ring_setup *s)
{
	if (s->flags & ~TRAWL_RING_FLAGS || s->flags == TRAWL_RING_FLAGS)
		return false;
	if (s->records < TRAWL_RING_MIN || s->records > TRAWL_RING_MAX ||
	    !is_power_of_2(s->records))
		return false;
	return s->wakeup <= s->records;
}

struct ring *ring_new(struct trawl_ring_setup *s)
{
	struct ring *ring;

	if (!valid(s))
		return ERR_PTR(-EINVAL);
	ring = kzalloc(sizeof(*ring), GFP_KERNEL_ACCOUNT);
	if (!ring)
		return ERR_PTR(-ENOMEM);
	s->data_offset = PAGE_SIZE;
	s->mmap_bytes = PAGE_ALIGN(s->data_offset + (u64)s->records * sizeof(struct trawl_branch));
	ring->shared = vmalloc_user(s->mmap_bytes);
	if (!ring->shared) {
		kfree(ring);
		return ERR_PTR(-ENOMEM);
	}
	raw_spin_lock_init(&ring->lock);
	ring->records = (void *)ring->shared + s->data_offset;
	ring->shared->records = ring->size = s->records;
	ring->flags = s->flags;
	ring->wakeup = s->wakeup ?: s->records / 2;
	return ring;
}

void ring_free(struct ring *ring)
{
	if (!ring)
		return;
	vfree(ring->shared);
	kfree(ring);
}

int ring_map(struct ring *ring, struct vm_area_struct *vma)
{
	return remap_vmalloc_range(vma, ring->shared, vma->vm_pgoff);
}

/*
 * Reads the reader's tail and uses it if it is plausible; returns how many records fit into the
 * ring.
 */
static u32 room(struct ring *ring)
{
	/* Pairs with the reader's store: it has read the records before its tail. */
	u64 tail = smp_load_acquire(&ring->shared->tail);

	if (tail >= ring->tail && tail <= ring->head)
		ring->tail = tail;
	return ring->size - min_t(u64, ring->head - ring->tail, ring->size);
}

static void append(struct ring *ring, const struct trawl_branch *record)
{
	ring->records[ring->head & (ring->size - 1)] = *record;
	ring->head++;
	/* Pairs with the reader's load: the record is there before the head says so. */
	smp_store_release(&ring->shared->head, ring->head);
}

static void note_hole(struct ring *ring, const struct trawl_branch *first, u32 count)
{
	if (!ring->hole)
		ring->hole_begin = first->time;
	ring->hole_end = first[count - 1].time;
	ring->hole += count;
	ring->lost += count;
	WRITE_ONCE(ring->shared->lost, ring->lost);
}

static void put_lost(struct ring *ring)
{
	struct trawl_branch r = {
		.kind = TRAWL_KIND_LOST,
		.from = ring->hole,
		.to = ring->hole_begin,
		.time = ring->hole_end,
	};

	append(ring, &r);
	ring->hole = 0;
}

bool ring_put(struct ring *ring, const struct trawl_branch *records, u32 count)
{
	bool overwrites = ring->flags & TRAWL_RING_OVERWRITE, wake;
	unsigned long flags;
	u32 i;

	raw_spin_lock_irqsave(&ring->lock, flags);
	if (!overwrites && room(ring) < count + !!ring->hole) {
		note_hole(ring, records, count);
	} else {
		if (ring->hole)
			put_lost(ring);
		for (i = 0; i < count; i++)
			append(ring, &records[i]);
	}
	wake = ring->head - (overwrites ? ring->woken_at : max(ring->woken_at, ring->tail)) >=
	       ring->wakeup;
	if (wake)
		ring->woken_at = ring->head;
	raw_spin_unlock_irqrestore(&ring->lock, flags);
	return wake;
}

bool ring_readable(struct ring *ring, bool any)
{
	unsigned long flags;
	u64 unread;

	raw_spin_lock_irqsave(&ring->lock, flags);
	room(ring);
	unread = ring->head - ring->tail;
	raw_spin_unlock_irqrestore(&ring->lock, flags);
	return unread >= (any ? 1 : ring->wakeup);
}

bool ring_short(struct ring *ring)
{
	unsigned long flags;
	bool little;

	if (!(ring->flags & TRAWL_RING_BLOCK))
		return false;
	raw_spin_lock_irqsave(&ring->lock, flags);
	little = room(ring) < ring->size / 4;
	raw_spin_unlock_irqrestore(&ring->lock, flags);
	return little;
}

void ring_waiting(struct ring *ring, int change)
{
	unsigned long flags;

	raw_spin_lock_irqsave(&ring->lock, flags);
	ring->waiting += change;
	WRITE_ONCE(ring->shared->waiting, ring->waiting);
	raw_spin_unlock_irqrestore(&ring->lock, flags);
}

u32 ring_tasks(struct ring *ring, int change)
{
	unsigned long flags;
	u32 n;

	raw_spin_lock_irqsave(&ring->lock, flags);
	n = ring->tasks += change;
	WRITE_ONCE(ring->shared->tasks, n);
	raw_spin_unlock_irqrestore(&ring->lock, flags);
	return n;
}
