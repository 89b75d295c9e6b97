/* SPDX-License-Identifier: MIT */
#include "decode/base/glob.h"

/*
 * Parses a set at p, after its '['. *in: whether c is in the set. Returns the end of the set, or
 * NULL if it has no ']': then the '[' is an ordinary character.
 */
static const char *set(const char *p, char c, bool *in)
{
	bool not = *p == '!' || *p == '^';
	const char *start = p += not;

	*in = false;
	for (; *p && (*p != ']' || p == start); p++) {
		char low = *p, high = low;

		if (p[1] == '-' && p[2] && p[2] != ']') {
			high = p[2];
			p += 2;
		}
		if ((unsigned char)c >= (unsigned char)low &&
		    (unsigned char)c <= (unsigned char)high)
			*in = true;
	}
	*in ^= not;
	return *p ? p + 1 : NULL;
}

/* Matches one pattern element against c. Returns the next element, or NULL if c does not match. */
static const char *step(const char *p, char c)
{
	const char *next;
	bool in;

	if (*p == '?')
		return p + 1;
	if (*p == '[') {
		next = set(p + 1, c, &in);
		if (next)
			return in ? next : NULL;
	}
	if (*p == '\\' && p[1])
		p++;
	return *p && *p == c ? p + 1 : NULL;
}

bool glob_match(const char *p, const char *text, size_t n)
{
	const char *end = text + n, *star = NULL, *retry = text, *next;

	while (text < end) {
		if (*p == '*') {
			star = ++p; /* tries the shortest match first, and backtracks to here */
			retry = text;
			continue;
		}
		next = step(p, *text);
		if (next) {
			p = next;
			text++;
		} else if (star) {
			p = star;
			text = ++retry;
		} else {
			return false;
		}
	}
	while (*p == '*')
		p++;
	return !*p;
}

const char *glob_unclosed(const char *p)
{
	const char *next;
	bool in;

	while (*p) {
		if (*p == '[') {
			next = set(p + 1, 0, &in);
			if (!next)
				return p;
			p = next;
		} else {
			p += *p == '\\' && p[1] ? 2 : 1;
		}
	}
	return NULL;
}
