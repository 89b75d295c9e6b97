/* SPDX-License-Identifier: MIT */
/* What stands out in a capture: why it was written, what failed, and what took longest. */
#ifndef TRAWL_DECODE_EXPORT_LONGEST_H
#define TRAWL_DECODE_EXPORT_LONGEST_H

#include "decode/base/decoder.h"

struct longest;

/* triggers: there may be one, and what was before it is told. */
struct longest *longest_new(bool triggers);
void longest_free(struct longest *l);
void longest_item(struct longest *l, const struct decoder *d, void *state, const struct item *it);
/* Events were lost: what began before and ends after that is not known. */
void longest_forget(struct longest *l);
/* Lines of --summary, with a blank one in front; nothing if nothing stands out. */
void longest_print(const struct longest *l, bool utc, struct out *o);

#endif
