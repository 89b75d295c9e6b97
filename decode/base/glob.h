/* SPDX-License-Identifier: MIT */
#ifndef TRAWL_DECODE_BASE_GLOB_H
#define TRAWL_DECODE_BASE_GLOB_H

#include <stdbool.h>
#include <stddef.h>

/*
 * Does all of text match the pattern? `*` any bytes, `?` one byte, [a-z] and [!a-z] sets, `\` takes
 * the next character as it is. Text need not end in NUL. Never slower than pattern times text.
 */
bool glob_match(const char *pattern, const char *text, size_t n);

/* The first '[' of a pattern that no ']' follows; NULL if all are closed. */
const char *glob_unclosed(const char *pattern);

#endif
