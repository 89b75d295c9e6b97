/* SPDX-License-Identifier: MIT */
/* Items as JSON lines: one object a line. */
#ifndef TRAWL_DECODE_EXPORT_JSONL_H
#define TRAWL_DECODE_EXPORT_JSONL_H

#include "decode/base/printcache.h"
#include "decode/query/join.h"
#include "decode/query/stream.h"

struct jsonl_printer {
	struct consumer consumer; /* hand this to stream_run() */
	struct out *out;
	struct stream *stream;       /* for bounds */
	bool bounds;                 /* "bound_ns" too */
	struct join *join;           /* not NULL: "join" too, of USB transfers */
	struct cells cells;          /* jsonl_printer_start() clears them */
};

void jsonl_printer_start(struct jsonl_printer *j);

/* The object without a newline: also the bytes of an exported packet. cells begin as zeros. */
void jsonl_object(struct cells *cells, const struct decoder *d, void *state,
		  const struct item *it, const uint64_t *bound, struct out *o);

#endif
