/* SPDX-License-Identifier: MIT */
/*
 * The syntax tree of a condition (where.h): made by whereparse.c, used by wherecheck.c,
 * wherematch.c.
 */
#ifndef TRAWL_DECODE_QUERY_WHERENODE_H
#define TRAWL_DECODE_QUERY_WHERENODE_H

#include "decode/query/where.h"

enum { WHERE_NODES = 1000 };

enum op {
	/* two conditions, or one */
	AND, OR, NOT,
	/* two operands */
	EQ, NE, LT, LE, GT, GE, MATCH, UNLIKE,
	TRUTH, /* a single operand */
	/* operands */
	MASK,
	LITERAL,
	/* names that every item has; names of fields */
	TS, CPU, PID, TID, COMM, NAME, SOURCE,
	TOOK,
	FIELD,
};

struct node {
	enum op op;
	struct node *left, *right;
	struct value value;  /* LITERAL */
	const char *text;    /* FIELD: its name; the right side of MATCH: the pattern */
	size_t at;           /* offset in the text */
	bool warned;         /* a comparison that was invalid for an item: reported */
};

/* What the items so far had of a FIELD. */
enum where_use { WHERE_UNUSED, WHERE_ABSENT, WHERE_FOUND };

struct where {
	struct node nodes[WHERE_NODES];
	uint32_t n;
	struct node *root;
	uint8_t uses[WHERE_NODES]; /* enum where_use of each node */
	char *names; /* storage of names and texts, each NUL-terminated */
	size_t used;
	const char *option, *text; /* owned by the caller */
	void (*on_mismatch)(void *arg, const struct trawl_error *note);
	void *mismatch_arg;
};

/* Returns the type of an operand that is known from the text; VALUE_NONE for a field. */
enum value_type where_type(const struct node *n);

#endif
