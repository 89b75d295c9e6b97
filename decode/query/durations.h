/* SPDX-License-Identifier: MIT */
/*
 * Durations: the time between two events whose names differ in their last word, such as start and
 * done, enter and exit, a function and its %return. Both must be of one task, or for disk requests
 * of one device and sector. Pairs may nest.
 */
#ifndef TRAWL_DECODE_QUERY_DURATIONS_H
#define TRAWL_DECODE_QUERY_DURATIONS_H

#include "decode/base/decoder.h"

struct durations;

/* NULL: out of memory. */
struct durations *durations_new(void);
void durations_free(struct durations *s);
/*
 * Takes an item, in time order. Returns true if it ends a pair: *ns is its duration, *begin the
 * name of its first event, valid as long as the durations.
 */
bool durations_item(struct durations *s, const struct decoder *d, void *state,
		    const struct item *it, uint64_t *ns, const char **begin);
/* Whether an item may begin a pair. */
bool durations_begins(struct durations *s, const struct item *it);
/* Call after a loss: drops all open pairs, whose ends may be missing. */
void durations_forget(struct durations *s);

#endif
