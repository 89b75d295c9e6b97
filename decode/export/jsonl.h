/* SPDX-License-Identifier: MIT */
/* Items as JSON lines: one object per line. */
#ifndef TRAWL_DECODE_EXPORT_JSONL_H
#define TRAWL_DECODE_EXPORT_JSONL_H

#include "decode/base/printcache.h"
#include "decode/query/join.h"
#include "decode/query/stream.h"

struct jsonl_printer {
	struct consumer consumer; /* to be passed to stream_run() */
	struct out *out;
	struct stream *stream;       /* needed for bounds */
	bool bounds;                 /* add "bound_ns" */
	struct join *join;           /* not NULL: add "join" to USB transfers */
	struct print_caches caches;          /* cleared by jsonl_printer_start() */
};

/* Sets the functions of the consumer and clears the caches; the other members are set before. */
void jsonl_printer_start(struct jsonl_printer *j);

/*
 * Appends the object without a newline. bound: value of "bound_ns", or NULL. caches must be zeroed
 * before the first call.
 */
void jsonl_object(struct print_caches *caches, const struct decoder *d, void *state,
		  const struct item *it, const uint64_t *bound, struct out *o);

#endif
