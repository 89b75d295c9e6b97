/* SPDX-License-Identifier: MIT */
/* trawl-decode --diff: compares two captures; each kind of source has its own comparison. */
#ifndef TRAWL_DECODE_DIFF_H
#define TRAWL_DECODE_DIFF_H

#include "decode/query/reading.h"

/*
 * Compares the files paths[0] and paths[1] and prints the first difference and a summary. Returns
 * the exit status: TRAWL_OK if they are equal, TRAWL_BAD_DATA if not, or that of an error, whose
 * message has been printed.
 */
int diff_print(struct reading *r, char **paths, bool json, struct out *out);

#endif
