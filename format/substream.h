/* SPDX-License-Identifier: MIT */
/*
 * A substream of a chunk payload: bytes in pieces, each compressed or not. docs/format.md,
 * "Numbers and substreams".
 */
#ifndef TRAWL_FORMAT_SUBSTREAM_H
#define TRAWL_FORMAT_SUBSTREAM_H

#include <zstd.h>

#include "format/memory.h"
#include "format/varint.h"

enum {
	SUBSTREAM_PIECE = 1 << 20, /* bytes of a piece; an incompressible one is stored as it is */
	SUBSTREAM_WHOLE = 64 << 20, /* at high levels, which find repetitions far apart */
	SUBSTREAM_PAD = 16,        /* readable bytes after a substream that was read */
};

/* zstd's parameters; 0: the default of the level. */
struct substream_way {
	int level, min_match, hash_log;
	bool hard; /* largest window and search depth */
};

/* Offsets in a substream at which its statistics may change, ascending. */
struct marks {
	uint32_t *at;
	size_t n, cap;
};

/*
 * Compresses data and appends it as a substream. A new block begins at each mark that is far enough
 * from the one before, so that it gets its own statistics. way NULL: not compressed. marks NULL:
 * none. False when memory runs out.
 */
bool substream_put(struct buf *out, ZSTD_CCtx *z, const struct substream_way *way,
		   struct view data, const struct marks *marks);

/*
 * Reads a substream of at most max bytes into room; *out views it. False: damaged, with
 * in->bad; or no memory.
 */
bool substream_get(struct view *in, ZSTD_DCtx *z, size_t max, struct room *room,
		   struct view *out);

#endif
