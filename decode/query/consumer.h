/* SPDX-License-Identifier: MIT */
/* A consumer takes the items of a stream: printers, exporters, filters. */
#ifndef TRAWL_DECODE_QUERY_CONSUMER_H
#define TRAWL_DECODE_QUERY_CONSUMER_H

#include "decode/base/decoder.h"

enum { CONSUMER_PASSED_OVER = 2 };

/*
 * item() and loss() return 0, or 1 if no more items are wanted (the output is closed). item() may
 * also return CONSUMER_PASSED_OVER: continue, but do not count the item for -c.
 */
struct consumer {
	int (*item)(struct consumer *c, const struct decoder *d, void *state,
		    const struct item *it);
	/*
	 * Takes a loss between two times on the timeline, before the first item at or after `to`.
	 * May be NULL.
	 */
	int (*loss)(struct consumer *c, const struct trawl_source *s, const struct trawl_loss *l,
		    uint64_t from, uint64_t to);
	/*
	 * Takes the items that are not selected, of all sources, in order with the others. May be
	 * NULL.
	 */
	void (*aside)(struct consumer *c, const struct decoder *d, void *state,
		      const struct item *it);
};

#endif
