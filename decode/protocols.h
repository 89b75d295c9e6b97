/* SPDX-License-Identifier: MIT */
/* trawl-decode --protocol: analyses undocumented protocols in one or more captures. */
#ifndef TRAWL_DECODE_PROTOCOLS_H
#define TRAWL_DECODE_PROTOCOLS_H

#include "decode/query/reading.h"

/*
 * Reads n files ("-" is standard input) and prints the protocols that they contain together; json:
 * one object per line. Returns the exit status; error messages have been printed.
 */
int protocols_print(struct reading *r, char **paths, size_t n, bool json, struct out *out);

#endif
