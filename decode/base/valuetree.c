/* SPDX-License-Identifier: MIT */
#include "decode/base/valuetree.h"
#include "common/array.h"
#include "decode/base/escape.h"
#include "decode/base/number.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

void tree_init(struct tree *t)
{
	memset(t, 0, sizeof(*t));
	out_memory(&t->text);
}

void tree_free(struct tree *t)
{
	free(t->nodes);
	out_free(&t->text);
	memset(t, 0, sizeof(*t));
}

void tree_clear(struct tree *t)
{
	t->count = 0;
	t->text.len = 0;
	t->depth = 0;
	t->too_deep = 0;
	t->full = false;
}

/* Appends a node; NULL if the tree is full. */
static struct tree_node *tree_add(struct tree *t, const char *name, enum tree_kind kind)
{
	struct tree_node *n;

	if (t->full || t->too_deep)
		return NULL;
	if (t->count >= TREE_MAX_NODES || !array_reserve(t->nodes, t->room, t->count + 1)) {
		t->full = true;
		return NULL;
	}
	n = &t->nodes[t->count++];
	*n = (struct tree_node){.name = name, .kind = kind, .end = t->count};
	return n;
}

void tree_uint(struct tree *t, const char *name, uint64_t v)
{
	struct tree_node *n = tree_add(t, name, TREE_UINT);

	if (n)
		n->u = v;
}

void tree_int(struct tree *t, const char *name, int64_t v)
{
	struct tree_node *n = tree_add(t, name, TREE_INT);

	if (n)
		n->i = v;
}

void tree_hex(struct tree *t, const char *name, uint64_t v, unsigned int digits)
{
	struct tree_node *n = tree_add(t, name, TREE_HEX);

	if (n) {
		n->u = v;
		n->digits = (uint8_t)digits;
	}
}

void tree_id(struct tree *t, const char *name, uint64_t v, unsigned int digits)
{
	struct tree_node *n = tree_add(t, name, TREE_ID);

	if (n) {
		n->u = v;
		n->digits = (uint8_t)digits;
	}
}

void tree_bool(struct tree *t, const char *name, bool v)
{
	struct tree_node *n = tree_add(t, name, TREE_BOOL);

	if (n)
		n->u = v;
}

static void tree_copy(struct tree *t, const char *name, enum tree_kind kind, const void *p,
		      size_t len)
{
	struct tree_node *n = tree_add(t, name, kind);

	if (!n)
		return;
	n->at = (uint32_t)t->text.len;
	n->len = (uint32_t)len;
	out_bytes(&t->text, p, len);
	if (t->text.error) {
		t->count--;
		t->full = true;
	}
}

void tree_text(struct tree *t, const char *name, const void *s, size_t n)
{
	tree_copy(t, name, TREE_TEXT, s, n);
}

void tree_str(struct tree *t, const char *name, const char *s)
{
	if (s)
		tree_copy(t, name, TREE_TEXT, s, strlen(s));
}

void tree_bytes(struct tree *t, const char *name, const void *p, size_t n)
{
	tree_copy(t, name, TREE_BYTES, p, n);
}

void tree_printf(struct tree *t, const char *name, const char *fmt, ...)
{
	char text[512];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	tree_str(t, name, text);
}

static void tree_open(struct tree *t, const char *name, enum tree_kind kind)
{
	if (t->depth == TREE_MAX_DEPTH || t->too_deep) {
		t->too_deep++;
		return;
	}
	/* counted even if the tree is full, so that tree_close() matches */
	t->open[t->depth++] = tree_add(t, name, kind) ? t->count - 1 : UINT32_MAX;
}

void tree_object(struct tree *t, const char *name)
{
	tree_open(t, name, TREE_OBJECT);
}

void tree_list(struct tree *t, const char *name)
{
	tree_open(t, name, TREE_LIST);
}

void tree_close(struct tree *t)
{
	uint32_t i;

	if (t->too_deep) {
		t->too_deep--;
		return;
	}
	if (!t->depth)
		return;
	i = t->open[--t->depth];
	if (i != UINT32_MAX)
		t->nodes[i].end = t->count;
}

static bool is_called(const struct tree_node *n, const char *name, size_t len)
{
	return !strncmp(n->name, name, len) && !n->name[len];
}

/* Returns element [n] of a list and moves *at after the bracket; NULL: no list, or too short. */
static const struct tree_node *find_element(const struct tree *t, const struct tree_node *n,
					    const char **at)
{
	uint32_t i = (uint32_t)(n - t->nodes) + 1;
	char *end;
	unsigned long k = strtoul(*at + 1, &end, 10);

	if (n->kind != TREE_LIST || *end != ']')
		return NULL;
	for (; k && i < n->end; k--)
		i = t->nodes[i].end;
	*at = end + 1;
	return i < n->end ? &t->nodes[i] : NULL;
}

/* A search: number of matches to skip, and number of matches so far. */
struct search {
	const struct tree *t;
	unsigned int left, found;
};

static const struct tree_node *take(struct search *s, const struct tree_node *n)
{
	s->found++;
	return s->left-- ? NULL : n;
}

static const struct tree_node *find_below(struct search *s, uint32_t first, uint32_t end,
					  bool list, const char *path);

/* Returns the node, or its descendant for the rest of the path. */
static const struct tree_node *follow(struct search *s, const struct tree_node *n,
				      const char *rest)
{
	const struct tree *t = s->t;
	const struct tree_node *got;

	while (n && *rest == '[')
		n = find_element(t, n, &rest);
	if (!n || (*rest && *rest != '.'))
		return NULL;
	if (*rest)
		return find_below(s, (uint32_t)(n - t->nodes) + 1, n->end, n->kind == TREE_LIST,
				  rest + 1);
	got = take(s, n);
	for (uint32_t i = (uint32_t)(n - t->nodes) + 1; n->kind == TREE_LIST && !got && i < n->end;
	     i = t->nodes[i].kind == TREE_LIST ? i + 1 : t->nodes[i].end)
		if (t->nodes[i].kind != TREE_OBJECT && t->nodes[i].kind != TREE_LIST)
			got = take(s, &t->nodes[i]);
	return got;
}

/*
 * Searches nodes with the name of the first part; deep: also in their descendants. Elements of
 * lists have no names.
 */
static const struct tree_node *find_among(struct search *s, uint32_t first, uint32_t end,
					  bool list, bool deep, const char *path)
{
	size_t len = strcspn(path, ".[");
	const struct tree_node *got = NULL;

	for (uint32_t i = first; !got && i < end; i = s->t->nodes[i].end) {
		const struct tree_node *n = &s->t->nodes[i];

		if (!list && is_called(n, path, len))
			got = follow(s, n, path + len);
		else if (list || deep)
			got = find_among(s, i + 1, n->end, n->kind == TREE_LIST, deep, path);
	}
	return got;
}

static const struct tree_node *find_below(struct search *s, uint32_t first, uint32_t end,
					  bool list, const char *path)
{
	unsigned int before = s->found;
	const struct tree_node *got = find_among(s, first, end, list, false, path);

	return got || s->found > before ? got : find_among(s, first, end, list, true, path);
}

const struct tree_node *tree_find(const struct tree *t, const char *name, unsigned int nth)
{
	struct search s = {t, nth, 0};

	return find_below(&s, 0, t->count, false, name);
}

/* ---- printers ---------------------------------------------------------------------------- */

static void node_scalar(const struct tree *t, const struct tree_node *n, bool json, struct out *o)
{
	switch ((enum tree_kind)n->kind) {
	case TREE_UINT:
		out_u64(o, n->u);
		break;
	case TREE_INT:
		out_s64(o, n->i);
		break;
	case TREE_HEX:
		if (json)
			out_u64(o, n->u);
		else
			out_printf(o, "0x%0*llx", n->digits, (unsigned long long)n->u);
		break;
	case TREE_ID:
		out_printf(o, json ? "\"%0*llx\"" : "%0*llx", n->digits, (unsigned long long)n->u);
		break;
	case TREE_BOOL:
		out_str(o, n->u ? "true" : "false");
		break;
	case TREE_TEXT:
		json ? out_json(o, tree_chars(t, n), n->len)
		     : out_quoted(o, tree_chars(t, n), n->len);
		break;
	case TREE_BYTES:
		if (json)
			out_char(o, '"');
		out_hexbytes(o, tree_chars(t, n), n->len);
		if (json)
			out_char(o, '"');
		break;
	case TREE_OBJECT:
	case TREE_LIST:
		break;
	}
}

static bool is_branch(const struct tree_node *n)
{
	return n->kind == TREE_OBJECT || n->kind == TREE_LIST;
}

/* Prints nodes as JSON, or as text for people: a=1 b=[2 3]. names: members of an object. */
static void put_nodes(const struct tree *t, uint32_t first, uint32_t end, bool names, bool json,
		      struct out *o)
{
	for (uint32_t i = first; i < end; i = t->nodes[i].end) {
		const struct tree_node *n = &t->nodes[i];

		if (i != first)
			out_char(o, json ? ',' : ' ');
		if (names && json)
			out_json(o, n->name, strlen(n->name));
		else if (names)
			out_str(o, n->name);
		if (names)
			out_char(o, json ? ':' : '=');
		if (!is_branch(n)) {
			node_scalar(t, n, json, o);
			continue;
		}
		out_char(o, n->kind == TREE_LIST ? '[' : '{');
		put_nodes(t, i + 1, n->end, n->kind == TREE_OBJECT, json, o);
		out_char(o, n->kind == TREE_LIST ? ']' : '}');
	}
}

void tree_json(const struct tree *t, uint32_t first, uint32_t end, struct out *o)
{
	put_nodes(t, first, end, true, true, o);
	if (t->full && end == t->count)
		out_str(o, first == end ? "\"cut\":true" : ",\"cut\":true");
}

void tree_line(const struct tree *t, uint32_t first, uint32_t end, struct out *o)
{
	put_nodes(t, first, end, true, false, o);
	if (t->full && end == t->count)
		out_str(o, " (cut)");
}

/* Whether a list is printed in one line: it has no objects or lists. */
static bool is_flat(const struct tree *t, const struct tree_node *n)
{
	uint32_t first = (uint32_t)(n - t->nodes) + 1;

	if (n->kind != TREE_LIST)
		return false;
	for (uint32_t i = first; i < n->end; i++)
		if (is_branch(&t->nodes[i]))
			return false;
	return true;
}

void tree_lines(const struct tree *t, uint32_t first, uint32_t end, unsigned int indent,
		struct out *o)
{
	for (uint32_t i = first; i < end; i = t->nodes[i].end) {
		const struct tree_node *n = &t->nodes[i];

		out_fill(o, ' ', indent);
		out_str(o, n->name);
		if (is_branch(n) && !is_flat(t, n)) {
			out_char(o, '\n');
			tree_lines(t, i + 1, n->end, indent + 2, o);
			continue;
		}
		out_str(o, ": ");
		if (is_branch(n))
			put_nodes(t, i + 1, n->end, false, false, o);
		else
			node_scalar(t, n, false, o);
		out_char(o, '\n');
	}
	if (t->full && end == t->count && indent <= 2)
		out_str(o, "  (cut)\n");
}
