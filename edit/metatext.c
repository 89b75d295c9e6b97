/* SPDX-License-Identifier: MIT */
#include "edit/metatext.h"

#include <string.h>

static size_t quoted_length(const char *p, size_t n)
{
	size_t i = 0;

	while (i < n && p[i] != '"')
		i += p[i] == '\\' && i + 1 < n ? 2 : 1;
	return i;
}

bool metatext_next(struct metatext *t)
{
	bool first = !t->at && !t->n;
	const char *quote;

	if (first && t->len && t->data[0] != '{') {
		t->n = t->len;
		return true;
	}
	if (t->at + t->n >= t->len || t->data[0] != '{')
		return false;
	t->at += t->n + !first;
	quote = memchr(t->data + t->at, '"', t->len - t->at);
	if (!quote)
		return false;
	t->at = (size_t)(quote - t->data) + 1;
	t->n = quoted_length(t->data + t->at, t->len - t->at);
	return true;
}

size_t metatext_of_name(const char *name)
{
	const char *slash = strrchr(name, '/');

	if (slash && slash[1] && !slash[1 + strspn(slash + 1, "0123456789")])
		return (size_t)(slash + 1 - name);
	return strlen(name);
}
