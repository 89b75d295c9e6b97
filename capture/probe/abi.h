/* SPDX-License-Identifier: MIT */
/* DWARF types, and how the System V ABI for x86-64 passes values of them. */
#ifndef TRAWL_CAPTURE_PROBE_ABI_H
#define TRAWL_CAPTURE_PROBE_ABI_H

#include "config.h"

#ifdef HAVE_DW
#include <elfutils/libdw.h>
#include <stdbool.h>
#include <stdint.h>

#include "capture/probe/passing.h"
#include "capture/probe/types.h"

/*
 * A type as C writes it: "struct point *". die NULL is void. The caller passes depth 0 and frees
 * the result.
 */
char *dwarf_type_text(Dwarf_Die *die, int depth);

/*
 * The first bit of a bit-field member in its object. DWARF before version 4 counts from the storage
 * unit's most significant bit (DW_AT_bit_offset).
 */
unsigned int dwarf_first_bit(Dwarf_Die *member, unsigned int width);

enum abi_class { CLASS_NONE, CLASS_INTEGER, CLASS_SSE, CLASS_X87 };

/* How a type is passed: the class of each of its eightbytes, or in memory as a whole. */
struct abi_type {
	enum abi_class part[2];
	unsigned int size, align;
	bool memory;
	bool x87;          /* returned in st(0), though a parameter is in memory */
	bool int128;       /* has an integer of 16 bytes */
	bool wide;         /* has a value whose place depends on the compiler and its options */
	enum passing passing; /* UNKNOWN: its address may be passed instead */
	bool undecoded;    /* a number of a format that is not shown */
	/*
	 * Has an eightbyte without a member: of unnamed bit fields gcc makes an integer, clang and
	 * DWARF nothing. Where it is as a parameter, and what follows it, is unknown.
	 */
	bool padded;
	bool scalar;       /* a number or a pointer, not a struct, union or array */
	bool is_signed, is_float;
	enum probe_arg_show show;
};

/* What the parameters classified so far have used up. */
struct abi {
	/* general registers and xmm registers */
	unsigned int gp, sse;
	uint64_t stack; /* bytes from %rsp at the function's entry to the next stack argument */
	/*
	 * __int128 that does not fit into the registers left goes where the ABI says. clang before
	 * 18 may pass half of it in a register, and does not align it on the stack.
	 */
	bool int128_by_abi;
	bool gp_unknown, stack_unknown; /* a type whose place is unknown came before */
};

/* Classifies a whole parameter or return value (ABI section 3.2.3). */
void abi_type_of(Dwarf_Die *die, struct abi_type *t);

/*
 * Assigns t the next free place. Returns its index among the argument registers, the xmm ones if
 * *sse; or -1 if the value is on the stack, at *stack bytes from %rsp at the entry.
 */
int abi_take(struct abi *abi, const struct abi_type *t, bool *sse, uint64_t *stack);
#endif

#endif
