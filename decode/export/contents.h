/* SPDX-License-Identifier: MIT */
/* trawl-decode -D: lists the kinds of events in a file, the number of each, and their fields. */
#ifndef TRAWL_DECODE_EXPORT_CONTENTS_H
#define TRAWL_DECODE_EXPORT_CONTENTS_H

#include "decode/query/stream.h"

struct contents;

/* NULL: out of memory. */
struct contents *contents_new(void);
void contents_free(struct contents *c);
struct consumer *contents_consumer(struct contents *c); /* to be passed to stream_run() */

/* After stream_run(): prints a line for each kind of event, or one JSON array. */
void contents_print(const struct contents *c, bool as_json, struct out *o);

#endif
