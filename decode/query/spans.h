/* SPDX-License-Identifier: MIT */
/*
 * The time between two events whose names differ in their last word: start and done, enter and
 * exit, a function and its %return. Both are of one task; of a request to a disk, of one device and
 * sector. Of nested pairs the innermost ends first.
 */
#ifndef TRAWL_DECODE_QUERY_SPANS_H
#define TRAWL_DECODE_QUERY_SPANS_H

#include "decode/base/decoder.h"

struct spans;

struct spans *spans_new(void);
void spans_free(struct spans *s);
/*
 * An item, in order of time. True: it ends what began *ns before; *begin is the name of the event
 * that began it and lives as long as the spans.
 */
bool spans_item(struct spans *s, const struct decoder *d, void *state, const struct item *it,
		uint64_t *ns, const char **begin);
/* Whether an item begins something. */
bool spans_begins(struct spans *s, const struct item *it);
/* Events were lost: what is open may have ended. */
void spans_forget(struct spans *s);

#endif
