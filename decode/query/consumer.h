/* SPDX-License-Identifier: MIT */
/* The contract of a consumer, which takes the items of a stream. */
#ifndef TRAWL_DECODE_QUERY_CONSUMER_H
#define TRAWL_DECODE_QUERY_CONSUMER_H

#include "decode/base/decoder.h"

enum { CONSUMER_PASSED_OVER = 2 };

/*
 * Where items end up. Both return 0, or 1 when no more are wanted (the output is gone). item() may
 * also return CONSUMER_PASSED_OVER: go on, but the item does not count for -c.
 */
struct consumer {
	int (*item)(struct consumer *c, const struct decoder *d, void *state,
		    const struct item *it);
	/* Events lost between two times of the timeline; comes before the first item at or after
	 * `to`. May be NULL. */
	int (*loss)(struct consumer *c, const struct trawl_source *s, const struct trawl_loss *l,
		    uint64_t from, uint64_t to);
	/* Gets the items that the selection leaves out, of all sources, in order with the others.
	 * May be NULL. */
	void (*aside)(struct consumer *c, const struct decoder *d, void *state,
		      const struct item *it);
};

#endif
