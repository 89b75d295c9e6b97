/* SPDX-License-Identifier: MIT */
/* trawl-decode --summary: what a file holds, on a page. */
#ifndef TRAWL_DECODE_EXPORT_SUMMARY_H
#define TRAWL_DECODE_EXPORT_SUMMARY_H

#include "decode/query/stream.h"

struct summary;

/* Of what the reader gives; NULL: no memory. */
struct summary *summary_new(const struct trawl_reader *r);
void summary_free(struct summary *m);
struct consumer *summary_consumer(struct summary *m); /* hand this to stream_run() */

/* After stream_run(). path is as the user wrote it; utc: times in UTC. */
void summary_print(struct summary *m, struct stream *s, const char *path, bool utc,
		   struct out *o);

struct boots;
/*
 * Whether the wall clock was set between two sync blocks that follow one another in a file. Unlike
 * clock_was_set() (format/clock.h), which knows one section, this says false where the second block
 * is of another boot, or earlier on CLOCK_MONOTONIC.
 */
bool summary_is_step(struct boots *boots, const struct trawl_sync *a, const struct trawl_sync *b);

#endif
