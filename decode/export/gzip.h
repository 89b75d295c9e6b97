/* SPDX-License-Identifier: MIT */
/* An output that is compressed on its way to the file (RFC 1952). */
#ifndef TRAWL_DECODE_EXPORT_GZIP_H
#define TRAWL_DECODE_EXPORT_GZIP_H

#include "decode/base/output.h"

struct gzip;

/*
 * Makes what is written to `out` go through gzip to its descriptor. comment is kept readable in
 * the header of the stream. NULL if it cannot be (memory, or built without zlib).
 */
struct gzip *gzip_new(struct out *out, const char *comment);
/* Flushes out and writes the end of the stream; out->error tells of failures. Frees. */
void gzip_end(struct gzip *g);

#endif
