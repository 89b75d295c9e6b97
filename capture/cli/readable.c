/* SPDX-License-Identifier: MIT */
#include "capture/cli/readable.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* "+8(INNER)" or "+u8(INNER)". */
struct level {
	const char *prefix; /* "u" or "" */
	long long offset;
	const char *inner;
	int len;
};

static bool take_level(const char *s, size_t len, struct level *l)
{
	char *after;
	bool minus = *s == '-';

	if ((*s != '+' && !minus) || len < 4 || s[len - 1] != ')')
		return false;
	l->prefix = s[1] == 'u' ? "u" : "";
	l->offset = strtoll(s + 1 + strlen(l->prefix), &after, 0);
	if (*after != '(')
		return false;
	if (minus)
		l->offset = (long long)-(unsigned long long)l->offset;
	l->inner = after + 1;
	l->len = (int)(s + len - 1 - l->inner);
	return l->len > 0;
}

/* "u32" 4, "x8[16]" 16 in all, "b4@2/8" 1; 0 for strings. *n gets the number of elements. */
static unsigned long size_of(const char *type, unsigned long *n)
{
	const char *bracket = strchr(type, '['), *slash = strchr(type, '/');
	unsigned long bits = 64;

	*n = bracket ? strtoul(bracket + 1, NULL, 10) : 1;
	if (strstr(type, "string"))
		return 0;
	if (!strncmp(type, "char", 4))
		bits = 8;
	else if (*type == 'b' && slash)
		bits = strtoul(slash + 1, NULL, 10);
	else if (*type)
		bits = strtoul(type + 1, NULL, 10);
	return bits / 8 * *n;
}

static bool is_safe(const char *base, int len)
{
	return len == 3 && (!strncmp(base, "%sp", 3) || !strncmp(base, "%ip", 3));
}

/*
 * Returns the last place up to an offset that is 4 more than a multiple of 8; for an offset of 0 or
 * more, at least 4. Numbers wrap, as addresses in the kernel do.
 */
static long long between(long long offset)
{
	unsigned long long n = (unsigned long long)offset, back = (n + 4) & 7;

	return offset >= 0 && n < back ? 4 : (long long)(n - back);
}

/* Writes a check of the memory `more` bytes behind a level's address. */
static void put_check(const struct level *l, unsigned long more, char *buf, size_t size)
{
	long long at = between((long long)((unsigned long long)l->offset + more));

	snprintf(buf, size, "+0(%c%s%llu(%.*s)):string", at < 0 ? '-' : '+', l->prefix,
		 at < 0 ? -(unsigned long long)at : (unsigned long long)at, l->len, l->inner);
}

void readable_checks(const char *fetch, struct readable *r)
{
	const char *colon = strrchr(fetch, ':'), *type = colon ? colon + 1 : "";
	size_t len = colon ? (size_t)(colon - fetch) : strlen(fetch);
	unsigned long n, size = size_of(type, &n);
	struct level outer, l;

	*r = (struct readable){ .text = strstr(type, "string") };
	if (!take_level(fetch, len, &outer))
		return;
	r->depth = 1;
	for (l = outer; take_level(l.inner, (size_t)l.len, &l);)
		r->depth++;
	if (r->depth == 1 && is_safe(l.inner, l.len))
		return;
	/*
	 * The kernel reports "(fault)" for a string's own address. Several strings are an array of
	 * pointers.
	 */
	if (r->text && !strchr(type, '[') && !take_level(outer.inner, (size_t)outer.len, &outer))
		return;
	put_check(&outer, 0, r->first, sizeof(r->first));
	if (r->text)
		size = 8 * n;
	if (size > 8)
		put_check(&outer, size - 8, r->last, sizeof(r->last));
}
