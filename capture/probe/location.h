/* SPDX-License-Identifier: MIT */
/*
 * A parameter's location in DWARF, evaluated for the address of a probe without a process: what
 * the expression computes is kept as a register or the frame plus a constant.
 */
#ifndef TRAWL_CAPTURE_PROBE_LOCATION_H
#define TRAWL_CAPTURE_PROBE_LOCATION_H

#include "config.h"

#ifdef HAVE_DW
#include <elfutils/libdw.h>
#include <stdbool.h>
#include <stdint.h>

enum { LOCATION_PIECES = 8, DWARF_RBP = 6, DWARF_RSP = 7, DWARF_XMM0 = 17 };

/* base + offset. CFA, the canonical frame address, is that of the caller's stack: %rsp + 8 at
 * entry. */
enum symbolic_base { BASE_NONE, BASE_ADDRESS, BASE_REGISTER, BASE_CFA, BASE_MEMORY };

struct symbolic {
	enum symbolic_base base; /* NONE: only the offset, a number */
	int reg;                 /* REGISTER: its number in DWARF */
	int64_t offset;          /* ADDRESS: as linked */
	uint64_t mask;           /* only these bits of the sum; 0: all */
	/* MEMORY: the eight bytes that are at this address, which is no MEMORY itself. */
	enum symbolic_base of;
	int of_reg;
	int64_t of_offset;
};

enum piece_form {
	PIECE_NOWHERE,  /* optimised away */
	PIECE_REGISTER, /* in at.reg */
	PIECE_MEMORY,   /* at the address `at` */
	PIECE_VALUE,    /* the number `at` itself */
	PIECE_BYTES,    /* of the constant in bytes */
};

/* Where some bytes of an object are. */
struct piece {
	enum piece_form form;
	unsigned int start, size; /* in the object; size 0: all that follows */
	struct symbolic at;
	uint8_t bytes[16];
};

struct location {
	bool list; /* it holds for a range of addresses, not just anywhere in the function */
	size_t n;
	struct piece pieces[LOCATION_PIECES];
};

enum location_result {
	LOCATION_FOUND,
	LOCATION_NONE,     /* the debug information has none */
	LOCATION_NOT_HERE, /* it has some, but none at this address */
	LOCATION_UNKNOWN,  /* it is not understood; why */
};

/*
 * Fills *loc with where `variable` of `function` is at `address`. cfa is where the frame is there
 * (NONE: not known), or NULL if that is the function's entry: there an entry value is the value.
 */
enum location_result location_find(Dwarf_Die *function, Dwarf_Die *variable, uint64_t address,
				   const struct symbolic *cfa, struct location *loc, char *why,
				   size_t why_size);

/* The kernel's name of a register by its number in DWARF: "di"; NULL if it has none. */
const char *location_register(int reg);
#endif

#endif
