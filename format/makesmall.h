/* SPDX-License-Identifier: MIT */
/* The small form of a file (small.h). */
#ifndef TRAWL_FORMAT_MAKESMALL_H
#define TRAWL_FORMAT_MAKESMALL_H

#include "format/bytes.h"

/*
 * Appends the small form of a file with one complete section. Returns false if the file is not such
 * a one, or would not become smaller.
 */
bool small_build(struct buf *out, const uint8_t *file, size_t n);

/*
 * Appends a file whose small section has these items (small.h), without checking them: for tests.
 */
bool small_pack(struct buf *out, bool compact, const uint8_t *items, size_t n);

#endif
