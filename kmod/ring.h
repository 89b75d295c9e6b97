/* SPDX-License-Identifier: GPL-2.0-only */
/* The ring of a session, which a program maps: many tasks write records, one program reads them. */
#ifndef TRAWL_KMOD_RING_H
#define TRAWL_KMOD_RING_H

#include <linux/mm_types.h>
#include <linux/spinlock.h>
#include "kmod/trawl_uapi.h"

struct ring;

/*
 * ring_new() - checks the request, allocates the ring and fills in the request's results. The
 * caller frees it by ring_free(). Returns ERR_PTR(-EINVAL) or ERR_PTR(-ENOMEM) on an error.
 */
struct ring *ring_new(struct trawl_ring_setup *setup);
void ring_free(struct ring *ring);

/* ring_map() - maps the ring into a program's memory. */
int ring_map(struct ring *ring, struct vm_area_struct *vma);

/*
 * ring_put() - appends all of `count` records, next to each other, or none of them. Any context but
 * NMI. Returns whether the reader must be woken.
 */
bool ring_put(struct ring *ring, const struct trawl_branch *records, u32 count);

/*
 * ring_readable() - whether as many records are unread as poll() waits for; with `any`, whether at
 * least one is.
 */
bool ring_readable(struct ring *ring, bool any);

/* ring_short() - whether the ring blocks and less than 1/4 of it is free. */
bool ring_short(struct ring *ring);

/*
 * ring_waiting(), ring_tasks() - add `change` to the number of waiting and of traced tasks that the
 * reader sees. ring_tasks() returns the new number.
 */
void ring_waiting(struct ring *ring, int change);
u32 ring_tasks(struct ring *ring, int change);

#endif
