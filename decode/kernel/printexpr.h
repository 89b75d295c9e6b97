/* SPDX-License-Identifier: MIT */
/* The expression tree of a print format, built by printparse.c and evaluated by printeval.c. */
#ifndef TRAWL_DECODE_KERNEL_PRINTEXPR_H
#define TRAWL_DECODE_KERNEL_PRINTEXPR_H

#include "decode/base/output.h"
#include "decode/kernel/printtoken.h"
#include "format/trawl.h"

enum node_op {
	NODE_NUMBER, /* number, size, is_signed */
	NODE_UNKNOWN, /* a number whose value is unknown */
	NODE_TEXT,   /* text */
	NODE_FIELD,  /* value of a field of the record */
	NODE_LOC,    /* the u32 that says where a field's bytes are */
	NODE_UNARY,  /* what a */
	NODE_BINARY, /* a what b */
	NODE_CHOICE, /* a ? b : c */
	NODE_CAST,   /* (size, is_signed) a */
	NODE_INDEX,  /* a[b] */
	NODE_LIST,   /* { {a, b}, ... } chained by next */
	NODE_CALL,   /* helper or text (args), args chained by next from a */
};

/* The helpers of the kernel's print formats. */
enum helper {
	HELPER_UNKNOWN,
	HELPER_FLAGS,
	HELPER_SYMBOLIC,
	HELPER_HEX,
	HELPER_HEX_STR,
	HELPER_HEX_DUMP,
	HELPER_ARRAY,
	HELPER_DYNAMIC_ARRAY,
	HELPER_FIELD,     /* __get_str(f), __get_dynamic_array(f), ...: the field */
	HELPER_FIELD_LEN, /* __get_dynamic_array_len(f) */
	HELPER_BITMASK,
	HELPER_SOCKADDR,
	HELPER_STACK,
	HELPER_SECS,    /* __print_ns_to_secs */
	HELPER_NO_SECS, /* __print_ns_without_secs */
	HELPER_FIRST,   /* __builtin_expect(a, b): the value is a */
	HELPER_BUFFER,  /* __get_buf(size): buffer that a kernel function writes to */
};

struct node {
	uint8_t op;
	uint8_t size; /* of a number or cast, in bytes; 0: unchanged */
	bool is_signed;
	uint8_t helper;
	int what; /* UNARY, BINARY: the operator, as in struct token */
	uint64_t number;
	const char *text;
	uint32_t len;
	const struct trawl_field *field;
	struct node *a, *b, *c, *next;
};

enum { NODE_BLOCK = 64 };

struct node_block {
	struct node_block *next;
	uint32_t used;
	struct node nodes[NODE_BLOCK];
};

/* Width and precision of a conversion (-1: none), and its flags. */
struct shape {
	int width, precision;
	bool left, zero, alternate, blank, plus;
	bool plain; /* none of the above is set */
};

/* Most conversions print just a field; these are printed without evaluating the tree. */
enum direct { DIRECT_NO, DIRECT_NUMBER, DIRECT_TEXT };

/* A piece of the format string: literal text, followed by a conversion with its arguments. */
struct piece {
	const char *text; /* literal text, or "" */
	uint32_t len;
	char conversion;  /* 'd', 's', 'p', ...; 0: literal only */
	char extension[8]; /* after %p: "S", "I4", "ISpc" */
	uint8_t size;      /* size of an integer in bytes: 1, 2, 4 or 8 */
	struct shape shape;
	struct node *width_arg, *precision_arg; /* arguments for '*', or NULL */
	struct node *arg;
	uint8_t direct;
	/* DIRECT_NUMBER: sizes in bytes of the value, and of a cast applied to it (0: none) */
	uint8_t value_size, cast_size;
	bool value_signed, cast_signed;
	uint32_t at;                   /* DIRECT_NUMBER: offset in the record */
	const struct trawl_field *field;
};

enum { PRINTFMT_PAD = 16 }; /* readable bytes after the pieces' texts */

struct printfmt {
	const struct trawl_event_type *type;
	const struct trawl_source *source;
	char *text;          /* copy of the print format */
	char *strings;       /* its string literals, unescaped */
	struct node_block *nodes;
	struct piece *pieces;
	size_t npieces;
	char *unknown;
	bool symbols;
	struct out scratch;  /* buffer for texts made by helpers */
	struct out literals; /* literal texts of the pieces, escaped for printing */
};

#endif
