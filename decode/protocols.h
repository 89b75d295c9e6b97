/* SPDX-License-Identifier: MIT */
/* trawl-decode --protocol: the protocols in one capture or several. */
#ifndef TRAWL_DECODE_PROTOCOLS_H
#define TRAWL_DECODE_PROTOCOLS_H

#include "decode/query/reading.h"

/*
 * Reads n files, "-" is standard input, and prints the protocols in all of them together; json: one
 * object a line. Returns the exit status; messages of what is wrong are printed.
 */
int protocols_print(struct reading *r, char **paths, size_t n, bool json, struct out *out);

#endif
