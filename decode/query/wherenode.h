/* SPDX-License-Identifier: MIT */
/* A condition (where.h) as a tree: whereparse.c makes it, wherecheck.c and wherematch.c read it. */
#ifndef TRAWL_DECODE_QUERY_WHERENODE_H
#define TRAWL_DECODE_QUERY_WHERENODE_H

#include "decode/query/where.h"

enum { WHERE_NODES = 1000 };

enum op {
	/* two conditions, or one */
	AND, OR, NOT,
	/* two operands */
	EQ, NE, LT, LE, GT, GE, MATCH, UNLIKE,
	TRUTH, /* one operand alone */
	/* operands */
	MASK,
	LITERAL,
	/* names: of every item, and of fields */
	TS, CPU, PID, TID, COMM, NAME, SOURCE,
	FIELD,
};

struct node {
	enum op op;
	struct node *left, *right;
	struct value value;  /* LITERAL */
	const char *text;    /* FIELD: its name; the right side of MATCH: the pattern */
	size_t at;           /* where in the text it stands */
	bool warned;         /* of a comparison: the user was told that it is invalid for an item */
};

struct where {
	struct node nodes[WHERE_NODES];
	uint32_t n;
	struct node *root;
	char *names; /* storage of names and texts, NUL-terminated each */
	size_t used;
	const char *option, *text; /* the caller's */
	void (*odd)(void *arg, const struct trawl_error *note);
	void *odd_arg;
};

/* The type of an operand as the text tells it: a number, a text, or VALUE_NONE for a field. */
enum value_type where_type(const struct node *n);

#endif
