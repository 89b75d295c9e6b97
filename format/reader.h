/* SPDX-License-Identifier: MIT */
/* A reader (trawl.h) of bytes in memory. */
#ifndef TRAWL_FORMAT_READER_H
#define TRAWL_FORMAT_READER_H

#include "format/openfile.h"

/* For tests: reads p[0 .. n), which must stay valid, as a file or as a pipe. NULL with *err. */
struct trawl_reader *reader_memory(const void *p, size_t n, bool pipe, struct trawl_error *err);

#endif
