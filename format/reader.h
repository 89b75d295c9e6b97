/* SPDX-License-Identifier: MIT */
/* The reader of trawl.h on other inputs than files. */
#ifndef TRAWL_FORMAT_READER_H
#define TRAWL_FORMAT_READER_H

#include "format/openfile.h"

/* Reads p[0 .. n) as a file, or as a pipe: for tests. */
struct trawl_reader *reader_memory(const void *p, size_t n, bool pipe, struct trawl_error *err);

#endif
