/* SPDX-License-Identifier: MIT */
/* The small form of a file (small.h). */
#ifndef TRAWL_FORMAT_MAKESMALL_H
#define TRAWL_FORMAT_MAKESMALL_H

#include "format/bytes.h"

/* Makes the small form of a file of one whole section; false: it is none, or it would be larger. */
bool small_build(struct buf *out, const uint8_t *file, size_t n);

/* Appends a file whose small section holds these items (small.h), whatever they say. */
bool small_pack(struct buf *out, bool later, const uint8_t *items, size_t n);

#endif
