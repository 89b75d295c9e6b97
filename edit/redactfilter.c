/* SPDX-License-Identifier: MIT */
/*
 * Filters of trace events, as in "prev_comm == "bash" && next_pid > 5": names of fields, operators
 * and small numbers are kept, so that a reader sees what was not recorded.
 */
#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "edit/redact.h"

size_t redact_quoted_length(const char *p, char quote)
{
	size_t n = 0;

	while (p[n] && p[n] != quote)
		n += p[n] == '\\' && p[n + 1] ? 2 : 1;
	return n;
}

/* Returns the length of a field's name, with suffixes as in .ustring, or 0. */
static size_t field_length(const char *p)
{
	size_t n = 0;

	while (isalnum((unsigned char)p[n]) || p[n] == '_' || (n && p[n] == '.'))
		n++;
	return isdigit((unsigned char)*p) ? 0 : n;
}

/* Returns the length of an operator that compares; 0 for && and others. */
static size_t operator_length(const char *p)
{
	if (*p && strchr("=!<>", *p) && p[1] == '=')
		return 2;
	return *p && strchr("<>&~", *p) && p[1] != *p;
}

/* Whether a value is a number that is no address. */
static bool is_small(const char *p, size_t n)
{
	char *end;
	long long v;

	errno = 0;
	v = strtoll(p, &end, 0);
	return n && !isspace((unsigned char)*p) && !errno && end == p + n && v >= INT32_MIN &&
	       v <= UINT32_MAX;
}

void redact_filter(struct redact *x, char *p, redact_piece_fn *piece)
{
	while (*(p += strspn(p, " \t\n!()|&"))) {
		size_t field = field_length(p), n, quotes;
		char *op = p + field + strspn(p + field, " \t\n");

		if (!field || !operator_length(op)) {
			piece(x, SECRET_STRINGS, p, strlen(p));
			return;
		}
		p = op + operator_length(op);
		p += strspn(p, " \t\n");
		quotes = *p == '"' || *p == '\'';
		n = quotes ? redact_quoted_length(p + 1, *p) : strcspn(p, " \t\n)|&");
		if (quotes || !is_small(p, n))
			piece(x, SECRET_STRINGS, p + quotes, n);
		p += quotes + n;
		p += quotes && *p;
	}
}
