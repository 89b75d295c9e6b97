/* SPDX-License-Identifier: MIT */
#ifndef TRAWL_DECODE_BASE_GLOB_H
#define TRAWL_DECODE_BASE_GLOB_H

#include <stdbool.h>
#include <stddef.h>

/*
 * Whether the pattern matches all n bytes of text. `*`: any bytes, `?`: one byte, [a-z] and [!a-z]:
 * sets, `\`: the next character literally. Takes at most time proportional to the product of both
 * lengths.
 */
bool glob_match(const char *pattern, const char *text, size_t n);

/* Returns the first '[' of a pattern without a ']', or NULL. */
const char *glob_unclosed(const char *pattern);

#endif
