/* SPDX-License-Identifier: MIT */
/* Finds the sections of a file, and the reason why a file has none. */
#ifndef TRAWL_FORMAT_LOCATE_H
#define TRAWL_FORMAT_LOCATE_H

#include "format/openfile.h"

/*
 * Finds all sections of a seekable input by their indexes, or by a scan. Returns 0, or -1 with
 * *err.
 */
int locate(struct trawl_reader *r, struct trawl_error *err);

/* Checks all blocks of the sections that were found by their index. Returns 0, or -1 with *err. */
int locate_check(struct trawl_reader *r, struct trawl_error *err);

/* Converts a step of a walk other than WALK_BLOCK: returns 0 at the end, else -1 with *err. */
int walk_fault(struct trawl_reader *r, enum walk step, const struct walked *f,
	       struct trawl_error *err);

/*
 * Returns 0 if the input begins as a file of this format does, or has a block of it near the
 * beginning; else -1 with *err.
 */
int probe_front(struct trawl_reader *r, struct trawl_error *err);

#endif
