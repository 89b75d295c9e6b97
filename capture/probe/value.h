/* SPDX-License-Identifier: MIT */
/* The values that a function is entered with and returns, as debug information describes them. */
#ifndef TRAWL_CAPTURE_PROBE_VALUE_H
#define TRAWL_CAPTURE_PROBE_VALUE_H

#include <stdbool.h>
#include <stddef.h>

#include "capture/probe/argloc.h"
#include "capture/probe/types.h"

/* What ":string" makes of a value. */
enum dwarf_text {
	DWARF_TEXT,         /* what it points to */
	DWARF_TEXT_POINTED, /* what the pointer there points to: libstdc++'s std::string */
	DWARF_TEXT_COUNTED, /* nothing: the text there does not end with a NUL */
};

/* Of a text that has a length: where its pointer and its length are; text.h. */
struct dwarf_counted {
	enum counted_form form;
	struct argloc pointer, length;
	struct argloc object; /* COUNTED_LIBCXX: the address of its 24 bytes */
};

struct dwarf_value {
	char *name;          /* of the parameter; "" for a return value */
	char *ctype;         /* "const char *", "struct point": as in C */
	char type[24];       /* the kernel's type for it: "s32", "x64"; "" if it has none */
	char own[16];        /* the value's, if that is another: low bits of the former; or "" */
	enum probe_arg_show show;
	enum dwarf_text text;
	bool member;         /* of the one before that is counted */
	struct argloc place;  /* ARGLOC_NONE with why if the kernel cannot get it */
	struct value_names *names; /* of an enumeration, or of the tag of alternatives; or NULL */
	size_t only_of; /* 1 + the parameter that tells which alternative it is; 0: none. There is a
			   value only */
	char *only_if;       /* where this is its name */
	struct dwarf_counted *counted; /* it is a text or refers to one; or NULL */
};

struct dwarf_function {
	bool convention; /* it is certain that C's calling convention holds */
	size_t nparams;
	struct dwarf_value *params; /* of a text by value, after it its members: "s", "s.len" */
	struct dwarf_value ret; /* ctype "void" if there is none */
	size_t nparts;          /* 2: it is returned in two registers, each a part */
	struct dwarf_value parts[2]; /* name: of the register, "rax" */
	bool ret_doubtful;      /* the compiler may have taken the value away: code_result_used() */
};

#endif
