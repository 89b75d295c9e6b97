/* SPDX-License-Identifier: MIT */
/* What a page says of the capture as a whole: steps of the clock, metadata, edits. */
#ifndef TRAWL_DECODE_EXPORT_PAGEABOUT_H
#define TRAWL_DECODE_EXPORT_PAGEABOUT_H

#include "decode/base/output.h"
#include "format/trawl.h"

/*
 * Appends members of a JSON object, each behind a comma. Without `with_machine`, they say nothing
 * of the machine's owner.
 */
void page_about(struct trawl_reader *r, bool with_machine, struct out *o);

#endif
