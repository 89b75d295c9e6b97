/* SPDX-License-Identifier: MIT */
/*
 * Statements of SQL in texts: its own words are kept, so that a reader sees what was asked. All
 * else (names, numbers, comments, what is in quotes) gets stand-ins, the same for the same word.
 */
#include <ctype.h>
#include <string.h>
#include <strings.h>

#include "common/array.h"
#include "common/text.h"
#include "edit/redact.h"

/* Words of which one begins a statement. */
static const char *const first_words[] = {
	"alter", "analyze", "begin", "call", "commit", "copy", "create", "delete", "drop", "end",
	"explain", "insert", "lock", "merge", "prepare", "release", "replace", "rollback",
	"savepoint", "select", "truncate", "update", "vacuum", "with",
};

static const char *const others[] = {
	"add", "all", "and", "any", "as", "asc", "avg", "between", "bigint", "boolean", "by",
	"cascade", "case", "cast", "column", "concurrently", "conflict", "constraint", "count",
	"cross", "default", "desc", "distinct", "do", "else", "except", "exclusive", "exists",
	"false", "fetch", "first", "for", "foreign", "from", "full", "group", "having", "if",
	"ilike", "immediate", "in", "index", "inner", "int", "integer", "intersect", "interval",
	"into", "is", "isolation", "join", "key", "last", "left", "level", "like", "limit",
	"locked", "materialized", "max", "min", "mode", "natural", "no", "not", "nothing", "nowait",
	"null", "numeric", "of", "offset", "on", "only", "or", "order", "outer", "over",
	"partition", "primary", "read", "recursive", "references", "repeatable", "returning",
	"right", "row", "rows", "serializable", "set", "share", "skip", "sum", "table", "temp",
	"temporary", "text", "then", "timestamp", "to", "transaction", "true", "union", "unique",
	"using", "values", "varchar", "view", "when", "where", "window", "work", "write",
};

static bool is_one_of(const char *const *list, size_t count, const char *p, size_t n)
{
	for (size_t i = 0; i < count; i++)
		if (strlen(list[i]) == n && !strncasecmp(list[i], p, n))
			return true;
	return false;
}

static size_t word(const char *p, size_t n)
{
	size_t i = 0;

	while (i < n && is_word_or_utf8(p[i]))
		i++;
	return i;
}

/* With a backslash it is unclear where a quote ends. */
bool redact_is_sql(const char *p, size_t n)
{
	size_t first = word(p, n);

	return is_one_of(first_words, ARRAY_SIZE(first_words), p, first) &&
	       (first == n || isspace((unsigned char)p[first]) || p[first] == ';') &&
	       !memchr(p, '\\', n);
}

/* Returns where a text ends that is quoted by `end`; n if that does not follow. */
static size_t until(const char *p, size_t n, size_t from, const char *end, size_t len)
{
	const char *found = from < n ? memmem(p + from, n - from, end, len) : NULL;

	return found ? (size_t)(found - p) : n;
}

/*
 * Whether p begins with quotes or a comment; sets *in to the offset of the text in it, *end to that
 * of its end.
 */
static bool quoted(const char *p, size_t n, size_t *in, size_t *end)
{
	size_t tag;

	if (*p == '\'' || *p == '"' || *p == '`') {
		*in = 1;
		*end = until(p, n, 1, p, 1);
		return true;
	}
	if (n >= 2 && (!memcmp(p, "--", 2) || !memcmp(p, "/*", 2))) {
		*in = 2;
		*end = *p == '-' ? until(p, n, 2, "\n", 1) : until(p, n, 2, "*/", 2);
		return true;
	}
	tag = *p == '$' ? 1 + word(p + 1, n - 1) : 0; /* $$text$$, $tag$text$tag$ */
	if (!tag || tag >= n || p[tag] != '$')
		return false;
	*in = tag + 1;
	*end = until(p, n, tag + 1, p, tag + 1);
	return true;
}

static bool is_kept(const char *p, size_t n, size_t at, size_t len)
{
	bool part = (at && strchr(".$@:", p[at - 1])) || (at + len < n && p[at + len] == '.');

	return !part && (is_one_of(first_words, ARRAY_SIZE(first_words), p + at, len) ||
			 is_one_of(others, ARRAY_SIZE(others), p + at, len));
}

static bool is_parameter(const char *p, size_t at, size_t len)
{
	for (size_t i = 0; i < len; i++)
		if (!isdigit((unsigned char)p[at + i]))
			return false;
	return at && p[at - 1] == '$';
}

void redact_sql(struct redact *x, char *p, size_t n, redact_piece_fn *piece)
{
	for (size_t at = 0, in, end, len; at < n;) {
		if (quoted(p + at, n - at, &in, &end)) {
			if (end > in)
				piece(x, SECRET_STRINGS, p + at + in, end - in);
			/* what closes it is no begin of another */
			at += end + (at + end < n ? (p[at] == '$' || p[at] == '/' ? in : 1) : 0);
			continue;
		}
		len = word(p + at, n - at);
		if (len && !is_kept(p, n, at, len) && !is_parameter(p, at, len))
			piece(x, SECRET_STRINGS, p + at, len);
		at += len ? len : 1;
	}
}
