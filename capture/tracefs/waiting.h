/* SPDX-License-Identifier: MIT */
/*
 * Records of the kernel's ring buffers that wait to be handled in time order.
 *
 * CPUs are read one after the other, so a record may be read before an earlier one of another CPU.
 * Whoever decides on a record by what other CPUs recorded keeps it here until all CPUs have been
 * read up to its time.
 */
#ifndef TRAWL_CAPTURE_TRACEFS_WAITING_H
#define TRAWL_CAPTURE_TRACEFS_WAITING_H

#include <stddef.h>
#include <stdint.h>

#include "capture/tracefs/ring.h"

struct waiting_record {
	uint64_t ts, order; /* order: of arrival */
	uint8_t *data;      /* a copy, owned */
	uint32_t len, cpu;
	const void *about;  /* the caller's */
};

/* Empty if all zero. Sorted: between waiting_sort() and the next waiting_add(). */
struct waiting {
	struct waiting_record *records;
	size_t n, room;
	uint64_t added;
};

/* Adds a copy of a record. Returns 0, or -1 without memory. */
int waiting_add(struct waiting *w, uint32_t cpu, const struct ring_event *ev, const void *about);

/* Sorts by time; records of one time stay in the order of their arrival. */
void waiting_sort(struct waiting *w);

/* Removes the first n records. */
void waiting_remove(struct waiting *w, size_t n);

void waiting_free(struct waiting *w);

#endif
