/* SPDX-License-Identifier: MIT */
/*
 * How long the operations of a file took: a pair of events (durations.h), or a USB transfer. A pair
 * during which events may have been lost has no duration, as one of its ends may belong to another.
 */
#ifndef TRAWL_DECODE_QUERY_TOOK_H
#define TRAWL_DECODE_QUERY_TOOK_H

#include "decode/base/decoder.h"

struct took;

/* The reader must stay valid. Returns NULL if memory runs out. */
struct took *took_new(struct trawl_reader *reader);
void took_free(struct took *t);
/*
 * Takes an item, in time order. Returns true if it ends an operation: *ns is its duration, *began
 * the name of its first event, valid as long as t; NULL for a transfer, which is one item.
 */
bool took_item(struct took *t, const struct decoder *d, void *state, const struct item *it,
	       uint64_t *ns, const char **began);
/* Whether an item may begin a pair. */
bool took_begins(struct took *t, const struct item *it);

#endif
