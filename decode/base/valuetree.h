/* SPDX-License-Identifier: MIT */
/*
 * Named values in a tree: what a decoder found out about one event.
 *
 * A decoder appends values, objects and lists in the order in which they are to be shown; the
 * printers walk the same nodes for JSON, for indented lines and for --where. Nodes are kept in one
 * array in that order, so that a tree is reused from event to event without allocating.
 *
 * Names are not copied: they are string literals, or live as long as the tree's content. Texts and
 * bytes are copied. When memory runs out, or after TREE_MAX_NODES, `full` is set and later values
 * are left out (a marker says so in the output): a hostile descriptor costs a bounded tree.
 */
#ifndef TRAWL_DECODE_BASE_VALUETREE_H
#define TRAWL_DECODE_BASE_VALUETREE_H

#include "decode/base/output.h"

enum tree_kind {
	TREE_UINT,
	TREE_INT,
	TREE_HEX,    /* unsigned, `digits` hex digits for people, a number in JSON */
	TREE_ID,     /* likewise, but a string of hex digits in JSON: vendor and product ids */
	TREE_BOOL,
	TREE_TEXT,
	TREE_BYTES,
	TREE_OBJECT, /* the nodes up to `end` are its members */
	TREE_LIST,   /* the nodes up to `end` are its elements; their names are not shown in JSON */
};

#define TREE_MAX_NODES 65536
#define TREE_MAX_DEPTH 16

struct tree_node {
	const char *name;
	uint8_t kind, digits;
	uint32_t end; /* OBJECT, LIST: index after the last node below this one */
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
	uint32_t open[TREE_MAX_DEPTH]; /* indices of the objects that are open */
	uint32_t depth;
	uint32_t too_deep; /* objects opened beyond TREE_MAX_DEPTH and not kept */
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
void tree_str(struct tree *t, const char *name, const char *s); /* s == NULL: nothing is added */
void tree_text(struct tree *t, const char *name, const void *s, size_t n);
void tree_bytes(struct tree *t, const char *name, const void *p, size_t n);
void tree_printf(struct tree *t, const char *name, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));
void tree_object(struct tree *t, const char *name);
void tree_list(struct tree *t, const char *name);
void tree_close(struct tree *t); /* the innermost open object or list */

/*
 * The nth node, from 0, of this name, or of a path: "setup.bRequest",
 * "decoded.descriptors.bLength". Of each part, nodes at the top of what it is looked for in hide
 * those below. A path goes into each element of a list, or into that of an index
 * ("descriptors[1]"); after a list itself come its elements that are values. NULL: there is none,
 * or not so many.
 */
const struct tree_node *tree_find(const struct tree *t, const char *name, unsigned int nth);

/* The bytes of a TEXT or BYTES node. */
static inline const char *tree_chars(const struct tree *t, const struct tree_node *n)
{
	return t->text.data + n->at;
}

/* Nodes first .. end - 1 (siblings and what is below them) as `"a":1,"b":{...}`. */
void tree_json(const struct tree *t, uint32_t first, uint32_t end, struct out *o);

/* The same as one line, `a=1 b={c=2 d=[3 4]}`. */
void tree_line(const struct tree *t, uint32_t first, uint32_t end, struct out *o);

/* The same as indented lines, each with its newline. */
void tree_lines(const struct tree *t, uint32_t first, uint32_t end, unsigned int indent,
		struct out *o);

#endif
