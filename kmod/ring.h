/* SPDX-License-Identifier: GPL-2.0-only */
/* The mmap'ed ring of a session: many tasks write, one program reads. */
#ifndef KMOD_RING_H
#define KMOD_RING_H

#include <linux/mm_types.h>
#include <linux/spinlock.h>
#include "kmod/trawl_uapi.h"

struct ring;

/* ring_new() - checks the request and fills in its answers. Returns ERR_PTR(-EINVAL),
 * ERR_PTR(-ENOMEM). */
struct ring *ring_new(struct trawl_ring_setup *setup);
void ring_free(struct ring *ring);

/* ring_map() - maps it into a program. */
int ring_map(struct ring *ring, struct vm_area_struct *vma);

/*
 * ring_put() - appends `count` records, all of them or none, next to each other. Any context but
 * NMI. Returns whether the reader is to be woken.
 */
bool ring_put(struct ring *ring, const struct trawl_record *records, u32 count);

/* ring_readable() - enough is unread for poll(); with `any`, a record is. */
bool ring_readable(struct ring *ring, bool any);

/* ring_short() - the ring is one that blocks, and fewer than 1/4 of it is free. */
bool ring_short(struct ring *ring);

/* ring_waiting(), ring_tasks() - count tasks that wait and that are traced for the reader to
 * see. */
void ring_waiting(struct ring *ring, int change);
u32 ring_tasks(struct ring *ring, int change);

#endif
