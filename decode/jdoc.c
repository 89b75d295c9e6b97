/* SPDX-License-Identifier: MIT */
#include "decode/jdoc.h"

#include <stdlib.h>
#include <string.h>

#define DEPTH 64
#define SIZE_LIMIT (64u << 20)

/* Nodes and strings live in blocks that go at once; the root is the first node of the first. */
struct block {
	struct block *next;
	size_t used, size;
	_Alignas(16) char bytes[];
};

struct parser {
	const char *p, *end;
	struct block *blocks; /* newest first */
	struct block *oldest;
};

static void *take(struct parser *ps, size_t n)
{
	struct block *b = ps->blocks;
	void *at;

	n = (n + 15) & ~(size_t)15;
	if (!b || b->size - b->used < n) {
		size_t size = n > 4096 ? n : 4096;

		b = malloc(sizeof(*b) + size);
		if (!b)
			return NULL;
		b->used = 0;
		b->size = size;
		b->next = NULL;
		/* a list in order of age, so that the root's block leads to all */
		if (ps->blocks)
			ps->blocks->next = b;
		else
			ps->oldest = b;
		ps->blocks = b;
	}
	at = b->bytes + b->used;
	b->used += n;
	return at;
}

static void blank(struct parser *ps)
{
	while (ps->p < ps->end && (*ps->p == ' ' || *ps->p == '\t' || *ps->p == '\n' ||
				   *ps->p == '\r'))
		ps->p++;
}

static bool literal(struct parser *ps, const char *word)
{
	size_t n = strlen(word);

	if ((size_t)(ps->end - ps->p) < n || memcmp(ps->p, word, n))
		return false;
	ps->p += n;
	return true;
}

static int hex4(struct parser *ps)
{
	int v = 0, i;

	if (ps->end - ps->p < 4)
		return -1;
	for (i = 0; i < 4; i++) {
		char c = *ps->p++;
		int d = c >= '0' && c <= '9' ? c - '0' :
			c >= 'a' && c <= 'f' ? c - 'a' + 10 :
			c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;

		if (d < 0)
			return -1;
		v = v * 16 + d;
	}
	return v;
}

static char *utf8(char *to, unsigned int c)
{
	if (c < 0x80) {
		*to++ = (char)c;
	} else if (c < 0x800) {
		*to++ = (char)(0xc0 | c >> 6);
		*to++ = (char)(0x80 | (c & 63));
	} else if (c < 0x10000) {
		*to++ = (char)(0xe0 | c >> 12);
		*to++ = (char)(0x80 | (c >> 6 & 63));
		*to++ = (char)(0x80 | (c & 63));
	} else {
		*to++ = (char)(0xf0 | c >> 18);
		*to++ = (char)(0x80 | (c >> 12 & 63));
		*to++ = (char)(0x80 | (c >> 6 & 63));
		*to++ = (char)(0x80 | (c & 63));
	}
	return to;
}

/* The escape behind a backslash; NULL if it is none. It is never shorter than what it stands for. */
static char *escape(struct parser *ps, char *to)
{
	static const char from[] = "\"\\/bfnrt", into[] = "\"\\/\b\f\n\r\t";
	const char *at;
	int c, low;

	if (ps->p == ps->end)
		return NULL;
	if (*ps->p != 'u') {
		at = *ps->p ? strchr(from, *ps->p++) : NULL;
		if (!at)
			return NULL;
		*to++ = into[at - from];
		return to;
	}
	ps->p++;
	c = hex4(ps);
	if (c < 0)
		return NULL;
	if (c >= 0xd800 && c < 0xdc00 && ps->end - ps->p >= 6 && ps->p[0] == '\\' &&
	    ps->p[1] == 'u') {
		ps->p += 2;
		low = hex4(ps);
		if (low < 0xdc00 || low > 0xdfff)
			return NULL;
		c = 0x10000 + ((c - 0xd800) << 10) + (low - 0xdc00);
	}
	return utf8(to, (unsigned int)c);
}

static char *string(struct parser *ps, size_t *len)
{
	const char *close;
	char *text, *to;

	if (ps->p == ps->end || *ps->p != '"')
		return NULL;
	ps->p++;
	for (close = ps->p; close < ps->end && *close != '"'; close++)
		if (*close == '\\')
			close++;
	if (close >= ps->end)
		return NULL;
	text = to = take(ps, (size_t)(close - ps->p) + 1);
	if (!text)
		return NULL;
	while (ps->p < close) {
		char c = *ps->p++;

		if ((unsigned char)c < 0x20)
			return NULL;
		if (c != '\\')
			*to++ = c;
		else if (!(to = escape(ps, to)))
			return NULL;
	}
	*to = '\0';
	*len = (size_t)(to - text);
	ps->p++;
	return text;
}

static bool number(struct parser *ps, struct jdoc *j)
{
	const char *start = ps->p;
	char text[64];
	size_t n;
	bool exact = true;

	j->negative = *ps->p == '-';
	ps->p += j->negative;
	if (ps->p == ps->end || *ps->p < '0' || *ps->p > '9')
		return false;
	for (; ps->p < ps->end && *ps->p >= '0' && *ps->p <= '9'; ps->p++) {
		if (__builtin_mul_overflow(j->integer, 10, &j->integer) ||
		    __builtin_add_overflow(j->integer, (unsigned int)(*ps->p - '0'), &j->integer))
			exact = false;
	}
	j->type = JDOC_INT;
	if (ps->p < ps->end && (*ps->p == '.' || *ps->p == 'e' || *ps->p == 'E'))
		exact = false;
	while (ps->p < ps->end && *ps->p && strchr("+-.0123456789eE", *ps->p))
		ps->p++;
	n = (size_t)(ps->p - start);
	if (n >= sizeof(text))
		return false;
	memcpy(text, start, n);
	text[n] = '\0';
	j->number = strtod(text, NULL);
	if (!exact)
		j->type = JDOC_FLOAT;
	return true;
}

static struct jdoc *value(struct parser *ps, int depth);

static bool members(struct parser *ps, struct jdoc *parent, char close, int depth)
{
	struct jdoc **link = &parent->first, *j;
	const char *key;
	size_t n;

	ps->p++;
	blank(ps);
	if (ps->p < ps->end && *ps->p == close) {
		ps->p++;
		return true;
	}
	for (;;) {
		key = NULL;
		blank(ps);
		if (close == '}') {
			key = string(ps, &n);
			blank(ps);
			if (!key || ps->p == ps->end || *ps->p++ != ':')
				return false;
		}
		j = value(ps, depth + 1);
		if (!j)
			return false;
		j->key = key;
		*link = j;
		link = &j->next;
		blank(ps);
		if (ps->p == ps->end)
			return false;
		if (*ps->p == close)
			break;
		if (*ps->p++ != ',')
			return false;
	}
	ps->p++;
	return true;
}

static bool scalar(struct parser *ps, struct jdoc *j)
{
	if (*ps->p == '"') {
		j->type = JDOC_STRING;
		j->string = string(ps, &j->len);
		return j->string;
	}
	if (literal(ps, "null"))
		return true;
	j->type = JDOC_BOOL;
	if (literal(ps, "true")) {
		j->integer = 1;
		return true;
	}
	return literal(ps, "false") || number(ps, j);
}

static struct jdoc *value(struct parser *ps, int depth)
{
	struct jdoc *j = take(ps, sizeof(*j));
	bool ok;

	blank(ps);
	if (!j || ps->p == ps->end || depth > DEPTH)
		return NULL;
	memset(j, 0, sizeof(*j));
	if (*ps->p == '{' || *ps->p == '[') {
		j->type = *ps->p == '{' ? JDOC_OBJECT : JDOC_ARRAY;
		ok = members(ps, j, *ps->p == '{' ? '}' : ']', depth);
	} else {
		ok = scalar(ps, j);
	}
	return ok ? j : NULL;
}

static void free_blocks(struct block *b)
{
	struct block *next;

	for (; b; b = next) {
		next = b->next;
		free(b);
	}
}

struct jdoc *jdoc_parse(const void *text, size_t len)
{
	struct parser ps = {text, (const char *)text + len, NULL, NULL};
	struct jdoc *root;

	if (len > SIZE_LIMIT)
		return NULL;
	root = value(&ps, 0);
	blank(&ps);
	if (root && ps.p == ps.end)
		return root;
	free_blocks(ps.oldest);
	return NULL;
}

void jdoc_free(struct jdoc *root)
{
	if (root)
		free_blocks((struct block *)((char *)root - offsetof(struct block, bytes)));
}

const struct jdoc *jdoc_get(const struct jdoc *object, const char *key)
{
	const struct jdoc *j;

	if (!object || object->type != JDOC_OBJECT)
		return NULL;
	for (j = object->first; j; j = j->next)
		if (!strcmp(j->key, key))
			return j;
	return NULL;
}

const char *jdoc_string(const struct jdoc *object, const char *key)
{
	const struct jdoc *j = jdoc_get(object, key);

	return j && j->type == JDOC_STRING ? j->string : "";
}

uint64_t jdoc_uint(const struct jdoc *object, const char *key, uint64_t otherwise)
{
	const struct jdoc *j = jdoc_get(object, key);

	return j && j->type == JDOC_INT && !j->negative ? j->integer : otherwise;
}

int64_t jdoc_int(const struct jdoc *object, const char *key, int64_t otherwise)
{
	const struct jdoc *j = jdoc_get(object, key);

	if (!j || j->type != JDOC_INT || j->integer > INT64_MAX)
		return otherwise;
	return j->negative ? -(int64_t)j->integer : (int64_t)j->integer;
}
