/* SPDX-License-Identifier: MIT */
/* Compressed files (gzip, zstd, xz, bzip2), where a capture is wanted. */
#ifndef TRAWL_DECODE_IMPORT_UNPACK_H
#define TRAWL_DECODE_IMPORT_UNPACK_H

#include "format/trawl.h"

#include <stdio.h>

/* A unnamed temporary file, in $TMPDIR or /tmp; -1 with *err. */
int unpack_temporary(struct trawl_error *err);

/* Whether the stream, at its beginning, is compressed. Rewinds. */
bool unpack_is_compressed(FILE *in);

/* The contents of a compressed file, in a temporary file at its beginning; NULL with *err. */
FILE *unpack(FILE *in, const char *name, struct trawl_error *err);

#endif
