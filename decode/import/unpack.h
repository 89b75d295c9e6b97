/* SPDX-License-Identifier: MIT */
/* Decompresses captures: gzip, zstd, xz, bzip2, and the zip files of trawl-report. */
#ifndef TRAWL_DECODE_IMPORT_UNPACK_H
#define TRAWL_DECODE_IMPORT_UNPACK_H

#include "format/trawl.h"

#include <stdio.h>

/* Creates an unnamed temporary file in $TMPDIR or /tmp. Returns its descriptor, or -1 with *err. */
int unpack_temporary(struct trawl_error *err);

/*
 * Decides by the first MiB, all that the descriptor has so far, whether the rest is copied after
 * it, and leaves the descriptor's offset at its end. Returns 0, or -1 with *err.
 */
typedef int unpack_front(int fd, const char *name, struct trawl_error *err);

/*
 * Copies all that can still be read of the descriptor `from`, called `name`, to a temporary file,
 * whose file system keeps a tenth free; only the first MiB, if `front` refuses it. front: NULL for
 * any contents. Returns 0, or -1 with *err.
 */
int unpack_copy(int from, int to, const char *name, unpack_front *front, struct trawl_error *err);

/* Whether the stream, positioned at its start, is compressed. Rewinds it. */
bool unpack_is_compressed(FILE *in);

/*
 * Writes the contents of a compressed file to the descriptor `to`. To limit decompression bombs, an
 * output above 64 MiB may have at most 1000 times the size of the input that was read for it, and
 * must leave a tenth of the file system free. front: as for unpack_copy(). Returns 0, or -1 with
 * *err.
 */
int unpack(FILE *in, int to, const char *name, unpack_front *front, struct trawl_error *err);

#endif
