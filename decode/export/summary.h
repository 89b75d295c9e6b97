/* SPDX-License-Identifier: MIT */
/* trawl-decode --summary: an overview of a file. */
#ifndef TRAWL_DECODE_EXPORT_SUMMARY_H
#define TRAWL_DECODE_EXPORT_SUMMARY_H

#include "decode/query/stream.h"

struct summary;

/* The stream must measure (stream_measure()) and stay valid. Returns NULL if memory runs out. */
struct summary *summary_new(struct stream *s);
void summary_free(struct summary *m);
struct consumer *summary_consumer(struct summary *m); /* to be passed to stream_run() */

struct reading; /* decode/query/reading.h: the file's name and size, --utc */
/* After stream_run(): prints the summary. */
void summary_print(struct summary *m, struct stream *s, const struct reading *r, struct out *o);

struct boots;
/*
 * Whether the wall clock was set between two consecutive sync blocks of a file. Unlike
 * clock_was_set() (format/clock.h), which handles a single section, this returns false if the
 * second block is from another boot, or earlier on CLOCK_MONOTONIC.
 */
bool summary_is_step(struct boots *boots, const struct trawl_sync *a, const struct trawl_sync *b);

#endif
