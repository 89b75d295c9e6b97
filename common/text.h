/* SPDX-License-Identifier: MIT */
/* Beginnings and ends of names, and the characters that names consist of. */
#ifndef TRAWL_COMMON_TEXT_H
#define TRAWL_COMMON_TEXT_H

#include <stdbool.h>
#include <string.h>

static inline bool begins(const char *name, const char *with)
{
	return !strncmp(name, with, strlen(with));
}

static inline bool ends(const char *name, const char *with)
{
	size_t n = strlen(name), k = strlen(with);

	return n >= k && !strcmp(name + n - k, with);
}

/* Whether c can be part of a name in C. */
static inline bool is_word(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
	       c == '_';
}

/* The same, or whether it is a byte of a character beyond ASCII. */
static inline bool is_word_or_utf8(char c)
{
	return is_word(c) || (unsigned char)c >= 0x80;
}

#endif
