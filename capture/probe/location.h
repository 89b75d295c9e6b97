/* SPDX-License-Identifier: MIT */
/*
 * A parameter's DWARF location, evaluated for the address of a probe without a running process: the
 * result of the expression is kept symbolically, as a register or the frame's base plus a constant.
 */
#ifndef TRAWL_CAPTURE_PROBE_LOCATION_H
#define TRAWL_CAPTURE_PROBE_LOCATION_H

#include "config.h"

#ifdef HAVE_DW
#include <elfutils/libdw.h>
#include <stdbool.h>
#include <stdint.h>

enum { LOCATION_PIECES = 8, DWARF_RBP = 6, DWARF_RSP = 7, DWARF_XMM0 = 17 };

/*
 * base + offset. The CFA, canonical frame address, is the value of %rsp in the caller before its
 * call: %rsp + 8 at the function's entry.
 */
enum symbolic_base { BASE_NONE, BASE_ADDRESS, BASE_REGISTER, BASE_CFA, BASE_MEMORY };

struct symbolic {
	enum symbolic_base base; /* NONE: the value is the offset, a constant */
	int reg;                 /* REGISTER: its DWARF number */
	int64_t offset;          /* added to the base; ADDRESS: the virtual address as linked */
	uint64_t mask;           /* bits of the sum that count; 0: all */
	/*
	 * MEMORY: the base is the 8-byte value stored at of + of_offset; `of` is not MEMORY itself.
	 */
	enum symbolic_base of;
	int of_reg;
	int64_t of_offset;
};

/* The sum of two numbers from a file, which may overflow as addresses do. */
static inline int64_t location_sum(int64_t a, int64_t b)
{
	return (int64_t)((uint64_t)a + (uint64_t)b);
}

enum piece_form {
	PIECE_NOWHERE,  /* optimised away */
	PIECE_REGISTER, /* in register at.reg */
	PIECE_MEMORY,   /* in memory at address `at` */
	PIECE_VALUE,    /* `at` is the value itself */
	PIECE_BYTES,    /* a constant, in `bytes` */
};

/* Where a part of an object is. */
struct piece {
	enum piece_form form;
	unsigned int start, size; /* bytes, in the object; size 0: up to the object's end */
	struct symbolic at;
	uint8_t bytes[16];
};

struct location {
	bool list; /* DWARF gives it for a range of addresses, not for the whole function */
	size_t n;
	struct piece pieces[LOCATION_PIECES];
};

enum location_result {
	LOCATION_FOUND,
	LOCATION_NONE,     /* DWARF gives no location */
	LOCATION_NOT_HERE, /* DWARF gives locations, but none for this address */
	LOCATION_UNKNOWN,  /* the location is not supported; `why` has the reason */
};

/* An address in a function. */
struct location_address {
	Dwarf_Die *function;
	uint64_t address;
	/*
	 * the frame's base there (BASE_NONE: unknown); NULL: it is the function's entry, where an
	 * entry value (DW_OP_entry_value) is the register's current value
	 */
	const struct symbolic *cfa;
};

/* Finds where a variable of the function is when a probe at the address is hit. */
enum location_result location_find(const struct location_address *at, Dwarf_Die *variable,
				   struct location *loc, char *why, size_t why_size);

/* The kernel's name of a register with this DWARF number: "di"; NULL if it has none. */
const char *location_register(int reg);
#endif

#endif
