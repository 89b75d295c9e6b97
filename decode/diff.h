/* SPDX-License-Identifier: MIT */
/* --diff: two captures side by side, each source in the way of its kind. */
#ifndef TRAWL_DECODE_DIFF_H
#define TRAWL_DECODE_DIFF_H

#include "decode/query/reading.h"

/*
 * Compares paths[0] with paths[1] by what they hold and prints the first difference, then a
 * summary. Returns the exit status: TRAWL_OK if they are the same, TRAWL_BAD_DATA if not; its
 * message printed.
 */
int diff_print(struct reading *r, char **paths, bool json, struct out *out);

#endif
