/* SPDX-License-Identifier: MIT */
/* The parameters and the return value of a function, as debug information describes them. */
#ifndef TRAWL_CAPTURE_PROBE_VALUE_H
#define TRAWL_CAPTURE_PROBE_VALUE_H

#include <stdbool.h>
#include <stddef.h>

#include "capture/probe/argloc.h"
#include "capture/probe/types.h"

/* What ":string" records for a value. */
enum dwarf_text {
	DWARF_TEXT,         /* the string that the value points to */
	/* the string that the first member of the object points to: libstdc++'s std::string */
	DWARF_TEXT_POINTED,
	DWARF_TEXT_COUNTED, /* nothing: the string does not end with a NUL */
};

/* Where pointer and length of a string are (text.h). */
struct dwarf_counted {
	enum counted_form form;
	struct argloc pointer, length;
	struct argloc object; /* COUNTED_LIBCXX: the address of the object's 24 bytes */
};

struct dwarf_value {
	char *name;          /* the parameter's name; "" for a return value */
	char *ctype;         /* type as C writes it: "const char *", "struct point" */
	char type[24];       /* the field's type in the kernel: "s32", "x64"; "" if it has none */
	char own[16];        /* the value's type, if it is narrower than the field; else "" */
	unsigned int bits;   /* of a signed bit field, whose sign the kernel does not read; or 0 */
	enum probe_arg_show show;
	enum dwarf_text text;
	bool member;         /* a member of the preceding string */
	bool address;        /* of a return value: this is its address, it is in memory */
	/* it is behind a pointer that the user's ARG follows, or that may be null */
	bool followed;
	struct argloc argloc;  /* ARGLOC_NONE, with the reason, if the kernel cannot record it */
	struct value_names *names; /* names of an enumeration's values or of a tag's; or NULL */
	/*
	 * 1 + number of the tag; 0: none. The value exists only while the tag's value is named
	 * only_if
	 */
	size_t only_of;
	char *only_if;       /* name of the tag's value */
	struct dwarf_counted *counted; /* it is a string with a length or refers to one; or NULL */
};

/*
 * What must be found in the program before a function's return value is believed: the compiler may
 * have dropped it.
 */
enum ret_proof {
	PROOF_NONE,
	PROOF_USED,      /* a caller must use it */
	PROOF_ADDRESS,   /* the same, of the address of a result in memory */
	PROOF_BOTH_USED, /* it is in %rax and %rdx: callers must use both */
	PROOF_PAIR,      /* it is in %rdx only if callers use that */
};

struct dwarf_function {
	bool convention; /* the function certainly follows the C calling convention */
	bool bare;       /* what it takes and returns is unknown: the unit has no types */
	size_t nparams;
	struct dwarf_value *params; /* a string by value is followed by its members: "s", "s.len" */
	struct dwarf_value ret; /* ctype is "void" if there is none */
	size_t nparts;          /* 2: has two eightbytes, each of which is a part */
	/* the name is the register's: "rax"; NULL: padding, which has no register */
	struct dwarf_value parts[2];
	struct dwarf_function *results; /* the return value by its members, as params; or NULL */
	enum ret_proof proof;
};

/* Frees what *fn contains, not fn itself. */
void dwarf_function_free(struct dwarf_function *fn);

#endif
