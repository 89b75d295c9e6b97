/* SPDX-License-Identifier: MIT */
/* Decompresses captures: gzip, zstd, xz, bzip2, and the zip files of trawl-report. */
#ifndef TRAWL_DECODE_IMPORT_UNPACK_H
#define TRAWL_DECODE_IMPORT_UNPACK_H

#include "format/trawl.h"

#include <stdio.h>

/* Creates an unnamed temporary file in $TMPDIR or /tmp. Returns its descriptor, or -1 with *err. */
int unpack_temporary(struct trawl_error *err);

/* Copies all that can still be read of the descriptor `from`, called `name`, to a temporary file,
 * whose file system keeps a tenth free. Returns 0, or -1 with *err. */
int unpack_copy(int from, int to, const char *name, struct trawl_error *err);

/* Whether the stream, positioned at its start, is compressed. Rewinds it. */
bool unpack_is_compressed(FILE *in);

/*
 * Writes the contents of a compressed file to the descriptor `to`. To limit decompression bombs, an
 * output above 64 MiB may have at most 1000 times the size of the input, and must leave a tenth of
 * the file system free. Returns 0, or -1 with *err.
 */
int unpack(FILE *in, int to, const char *name, struct trawl_error *err);

#endif
