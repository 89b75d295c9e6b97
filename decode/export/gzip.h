/* SPDX-License-Identifier: MIT */
/* Compresses an output with gzip (RFC 1952). */
#ifndef TRAWL_DECODE_EXPORT_GZIP_H
#define TRAWL_DECODE_EXPORT_GZIP_H

#include "decode/base/output.h"

struct gzip;

/*
 * Redirects everything written to `out` through gzip to its descriptor. The comment is stored
 * uncompressed in the gzip header. Returns NULL if memory runs out or zlib is not available.
 */
struct gzip *gzip_new(struct out *out, const char *comment);
/* Flushes out, writes the end of the gzip stream, and frees g. Failures are left in out->error. */
void gzip_end(struct gzip *g);

#endif
