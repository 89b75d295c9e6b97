/* SPDX-License-Identifier: MIT */
/* Finding the sections of a file, and what is wrong with one that has none. */
#ifndef TRAWL_FORMAT_LOCATE_H
#define TRAWL_FORMAT_LOCATE_H

#include "format/openfile.h"

/* Finds all sections of a seekable input, by their indexes or by a scan. 0, or -1 and *err. */
int locate(struct trawl_reader *r, struct trawl_error *err);

/* Looks at all blocks of the sections that were known from an index only. */
int locate_check(struct trawl_reader *r, struct trawl_error *err);

/* What a walk that is not WALK_BLOCK means: 0 at the end, -1 and *err. */
int walk_fault(struct trawl_reader *r, enum walk step, const struct walked *f,
	       struct trawl_error *err);

/* 0 if the input begins like a file of ours, or has a block of ours early on; else -1 and *err. */
int probe_front(struct trawl_reader *r, struct trawl_error *err);

#endif
