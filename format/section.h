/* SPDX-License-Identifier: MIT */
/*
 * A section of a chunk payload: bytes in pieces, each compressed or not. docs/format.md,
 * "Sections".
 */
#ifndef TRAWL_FORMAT_SECTION_H
#define TRAWL_FORMAT_SECTION_H

#include <zstd.h>

#include "format/memory.h"
#include "format/varint.h"

enum {
	SECTION_PIECE = 1 << 20, /* larger bulk is cut, so that noise in it stays uncompressed */
	SECTION_PAD = 16,        /* readable bytes behind a section that was read */
};

/* zstd's parameters; 0: those of the level. */
struct section_way {
	int level, min_match, hash_log;
};

/*
 * Compresses len bytes and appends them as a section. A new block begins at each mark (offsets,
 * ascending) that is far enough from the one before, so that it gets its own statistics.
 * way NULL: not compressed. False when memory runs out.
 */
bool section_put(struct buf *out, ZSTD_CCtx *z, const struct section_way *way,
		 const void *data, size_t len, const uint32_t *marks, size_t nmarks);

/*
 * Reads a section of at most max bytes into room; *section views it. False: damaged or no memory.
 */
bool section_get(struct view *in, ZSTD_DCtx *z, size_t max, struct room *room,
		 struct view *section);

#endif
