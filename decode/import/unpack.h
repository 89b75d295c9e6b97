/* SPDX-License-Identifier: MIT */
/* Compressed files (gzip, zstd, xz, bzip2), and zip files of trawl-report, where a capture is
 * wanted. */
#ifndef TRAWL_DECODE_IMPORT_UNPACK_H
#define TRAWL_DECODE_IMPORT_UNPACK_H

#include "format/trawl.h"

#include <stdio.h>

/* A unnamed temporary file, in $TMPDIR or /tmp; -1 with *err. */
int unpack_temporary(struct trawl_error *err);

/* Whether the stream, at its beginning, is compressed. Rewinds. */
bool unpack_is_compressed(FILE *in);

/*
 * Writes the contents of a compressed file into a temporary one. A small file can be made that
 * fills any disk: beyond 64 MiB it may grow to 1000 times its size, and leaves a tenth of the disk
 * free.
 * 0, or -1 with *err.
 */
int unpack(FILE *in, int to, const char *name, struct trawl_error *err);

#endif
