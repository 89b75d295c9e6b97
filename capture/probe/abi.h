/* SPDX-License-Identifier: MIT */
/* Types in DWARF, and how the System V ABI for x86-64 passes values of them. */
#ifndef TRAWL_CAPTURE_PROBE_ABI_H
#define TRAWL_CAPTURE_PROBE_ABI_H

#include "config.h"

#ifdef HAVE_DW
#include <elfutils/libdw.h>
#include <stdbool.h>
#include <stdint.h>

#include "capture/probe/types.h"

/* Does this DW_LANG_* pass and return values as the ABI says: C, C++, Objective-C? */
bool dwarf_is_c(int language);

/* The type that an entry has by DW_AT_type, its own or its origin's; false: none, which is void. */
bool dwarf_type_of(Dwarf_Die *die, Dwarf_Die *type);

/* What stands after names and qualifiers; false: void. */
bool dwarf_peel(const Dwarf_Die *from, Dwarf_Die *type);

/* An attribute that is a number, or `otherwise`. */
unsigned int dwarf_udata(Dwarf_Die *die, unsigned int name, unsigned int otherwise);

/* A type as C writes it; NULL is void. depth: 0. malloc'd. */
char *dwarf_type_text(Dwarf_Die *die, int depth);

enum abi_class { CLASS_NONE, CLASS_INTEGER, CLASS_SSE, CLASS_MEMORY };

/* How a type is passed: the classes of its eightbytes, or MEMORY as a whole. */
struct abi_type {
	enum abi_class part[2];
	unsigned int size, align;
	bool memory;
	bool scalar;       /* one value in one part */
	bool is_signed, is_float;
	enum probe_arg_show show;
};

/* What is still free. */
struct abi {
	unsigned int gp, sse;
	uint64_t stack; /* from rsp at the entry */
};

/* How a whole parameter or return value is passed. */
void abi_type_of(Dwarf_Die *die, struct abi_type *t);

/* Takes the next place for t. Returns the register number, or -1: at *stack; *sse tells which. */
int abi_take(struct abi *abi, const struct abi_type *t, bool *sse, uint64_t *stack);
#endif

#endif
