/* SPDX-License-Identifier: MIT */
#include "capture/probe/rustname.h"

#include <stdlib.h>
#include <string.h>

#include "capture/sys/alloc.h"
#include "common/array.h"

enum { HASH = 16 };

/* Finds "::h" and 16 hex digits at the name's end; NULL if it does not end so. */
static const char *hash_of(const char *s)
{
	size_t len = strlen(s);
	const char *at = s + len - HASH - 3;

	if (len <= HASH + 3 || strncmp(at, "::h", 3) ||
	    strspn(at + 3, "0123456789abcdef") != HASH)
		return NULL;
	return at;
}

/* Decodes an escape: "$u7b$" is "{". Returns what follows it; NULL if there is no escape at s. */
static const char *escape(const char *s, char *to)
{
	static const struct {
		const char *name;
		char is;
	} names[] = {{"$SP$", '@'}, {"$BP$", '*'}, {"$RF$", '&'}, {"$LT$", '<'},
		     {"$GT$", '>'}, {"$LP$", '('}, {"$RP$", ')'}, {"$C$", ','}};
	unsigned long code;
	char *end;

	for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
		if (!strncmp(s, names[i].name, strlen(names[i].name))) {
			*to = names[i].is;
			return s + strlen(names[i].name);
		}
	}
	if (strncmp(s, "$u", 2))
		return NULL;
	code = strtoul(s + 2, &end, 16);
	*to = (char)code;
	return *end == '$' && code >= ' ' && code < 127 ? end + 1 : NULL;
}

char *rust_name(const char *demangled)
{
	const char *end = hash_of(demangled), *s = demangled, *next;
	char *name = end ? xcalloc((size_t)(end - s) + 1, 1) : NULL;
	size_t n = 0;

	while (end && s < end) {
		/* A path component that begins with an escape has a '_' in front. */
		if (*s == '_' && s[1] == '$' && (s == demangled || s[-1] == ':'))
			s++;
		next = escape(s, &name[n]);
		if (next) {
			n++;
			s = next;
		} else if (!strncmp(s, "..", 2)) {
			memcpy(name + n, "::", 2);
			n += 2;
			s += 2;
		} else {
			name[n++] = *s++;
		}
	}
	return name;
}
