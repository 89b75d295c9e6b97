/* SPDX-License-Identifier: MIT */
/*
 * The event of a probe in a trace.dat. The kernel's print format shows the fields as they are: a
 * value that could not be read as 0, and each alternative of a variant. So the record gets one more
 * field, the text of trawl-decode, and the print format shows that. The others stay for filters.
 */
#ifndef TRAWL_DECODE_EXPORT_DATPROBE_H
#define TRAWL_DECODE_EXPORT_DATPROBE_H

#include "decode/base/decoder.h"

bool datprobe_is(const struct item *it);
/* Writes what follows the number in the format text of the event. */
void datprobe_format(const struct trawl_event_type *t, const char *format, struct out *o);
/* Appends the record with the text to `record`, `text` as its last data. */
void datprobe_record(const struct item *it, const struct out *text, struct out *record);

#endif
