/* SPDX-License-Identifier: MIT */
/*
 * A value tree: the decoded values of one event.
 *
 * A decoder appends values, objects and lists in the order in which they are shown. Printers walk
 * the nodes for JSON, for indented lines and for --where. The nodes are one array in that order, so
 * a tree is reused for every event without allocating.
 *
 * Names are not copied: they must stay valid until tree_clear(). Texts and bytes are copied. If
 * memory runs out, or after TREE_MAX_NODES, which limits what a hostile descriptor costs, `full` is
 * set and later values are left out; a marker in the output says so.
 */
#ifndef TRAWL_DECODE_BASE_VALUETREE_H
#define TRAWL_DECODE_BASE_VALUETREE_H

#include "decode/base/output.h"

enum tree_kind {
	TREE_UINT,
	TREE_INT,
	TREE_HEX,    /* unsigned; `digits` hex digits in text, a number in JSON */
	TREE_ID,     /* the same, but a string of hex digits in JSON: vendor and product ids */
	TREE_BOOL,
	TREE_TEXT,
	TREE_BYTES,
	TREE_OBJECT, /* the nodes up to `end` are its members */
	TREE_LIST,   /* the nodes up to `end` are its elements; JSON leaves out their names */
};

#define TREE_MAX_NODES 65536
#define TREE_MAX_DEPTH 16

struct tree_node {
	const char *name;
	uint8_t kind, digits;
	uint32_t end; /* OBJECT, LIST: index after its last descendant */
	union {
		uint64_t u;
		int64_t i;
		struct {
			uint32_t at, len; /* TEXT, BYTES: in tree.text */
		};
	};
};

struct tree {
	struct tree_node *nodes;
	uint32_t count, room;
	struct out text;
	uint32_t open[TREE_MAX_DEPTH]; /* indices of the open objects and lists */
	uint32_t depth;
	uint32_t too_deep; /* number of objects opened beyond TREE_MAX_DEPTH, which are not kept */
	bool full;
};

void tree_init(struct tree *t);
void tree_free(struct tree *t);
void tree_clear(struct tree *t);

void tree_uint(struct tree *t, const char *name, uint64_t v);
void tree_int(struct tree *t, const char *name, int64_t v);
void tree_hex(struct tree *t, const char *name, uint64_t v, unsigned int digits);
void tree_id(struct tree *t, const char *name, uint64_t v, unsigned int digits);
void tree_bool(struct tree *t, const char *name, bool v);
void tree_str(struct tree *t, const char *name, const char *s); /* NULL: adds nothing */
void tree_text(struct tree *t, const char *name, const void *s, size_t n);
void tree_bytes(struct tree *t, const char *name, const void *p, size_t n);
void tree_printf(struct tree *t, const char *name, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));
void tree_object(struct tree *t, const char *name);
void tree_list(struct tree *t, const char *name);
void tree_close(struct tree *t); /* closes the innermost open object or list */

/*
 * Finds the nth node, from 0, with a name or path: "setup.bRequest", "decoded.descriptors.bLength".
 * A part of a path matches the members of an object; only if there is none, it matches deeper
 * nodes. A path enters each element of a list, or the one with an index ("descriptors[1]"). A list
 * itself is followed by those of its elements that are values, also by those in lists in it.
 * Returns NULL if there are not so many.
 */
const struct tree_node *tree_find(const struct tree *t, const char *name, unsigned int nth);

/* Returns the n->len bytes of a TEXT or BYTES node, valid until the tree changes. */
static inline const char *tree_chars(const struct tree *t, const struct tree_node *n)
{
	return t->text.data + n->at;
}

/* Appends nodes first .. end - 1 (siblings with their descendants) as `"a":1,"b":{...}`. */
void tree_json(const struct tree *t, uint32_t first, uint32_t end, struct out *o);

/* The same as one line, `a=1 b={c=2 d=[3 4]}`. */
void tree_line(const struct tree *t, uint32_t first, uint32_t end, struct out *o);

/* The same as indented lines, each with its newline. */
void tree_lines(const struct tree *t, uint32_t first, uint32_t end, unsigned int indent,
		struct out *o);

#endif
