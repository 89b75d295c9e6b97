/* SPDX-License-Identifier: MIT */
/*
 * The most notable events of a capture: the trigger that saved it, failures, and the longest
 * operations.
 */
#ifndef TRAWL_DECODE_EXPORT_LONGEST_H
#define TRAWL_DECODE_EXPORT_LONGEST_H

#include "decode/base/decoder.h"

struct longest;
struct stream;

/*
 * The stream must measure (stream_measure()) and stay valid. triggers: the file may contain one;
 * the events before it are then remembered, as are those before the end if the command failed.
 * Returns NULL if memory runs out.
 */
struct longest *longest_new(struct stream *s, bool triggers);
void longest_free(struct longest *l);
void longest_item(struct longest *l, const struct decoder *d, void *state, const struct item *it);
/* Appends lines for --summary, preceded by a blank line; nothing if there is nothing to report. */
void longest_print(const struct longest *l, bool utc, struct out *o);

#endif
