/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "capture/probe/dwarfargloc.h"

#ifdef HAVE_DW
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static bool address_text(uint64_t vaddr, enum symbolic_base base, int reg,
			 int64_t offset, char *buf, size_t size)
{
	const char *name = location_register(reg);

	switch (base) {
	case BASE_REGISTER:
		return name && snprintf(buf, size, "%+" PRId64 "(%%%s)", offset, name) > 0;
	case BASE_CFA:
		return snprintf(buf, size, "%+" PRId64 "(%%sp)", location_sum(offset, 8)) > 0;
	case BASE_ADDRESS:
		return snprintf(buf, size, "%+" PRId64 "(%%ip)",
				(int64_t)((uint64_t)offset - vaddr)) > 0;
	default:
		return false;
	}
}

bool argloc_in_memory(uint64_t vaddr, const struct symbolic *at, int64_t offset,
		      struct argloc *to)
{
	char inner[48];

	to->form = ARGLOC_EXPR;
	offset = location_sum(offset, at->offset);
	if (at->base != BASE_MEMORY && address_text(vaddr, at->base, at->reg, offset, to->expr,
						    sizeof(to->expr)))
		return true;
	if (at->base == BASE_MEMORY &&
	    address_text(vaddr, at->of, at->of_reg, at->of_offset, inner, sizeof(inner)) &&
	    snprintf(to->expr, sizeof(to->expr), "%+" PRId64 "(%s)", offset, inner) <
		    (int)sizeof(to->expr))
		return true;
	return argloc_none(to, "its address is known only at run time");
}

bool argloc_in_register(int reg, unsigned int start, struct argloc *to)
{
	const char *name = location_register(reg);

	if (reg >= DWARF_XMM0 && reg < DWARF_XMM0 + 16)
		return argloc_none(to, "the value is in %%xmm%d, which the kernel's probes cannot read",
				   reg - DWARF_XMM0);
	if (!name)
		return argloc_none(to, "the value is in a register that the kernel's probes cannot "
				   "read");
	to->form = ARGLOC_EXPR;
	to->shift = start * 8;
	snprintf(to->expr, sizeof(to->expr), "%%%s", name);
	return true;
}

static bool constant(uint64_t value, unsigned int start, struct argloc *to)
{
	unsigned int unused = 64 - to->bits;

	value = start < 8 ? value >> start * 8 : 0;
	to->form = ARGLOC_IMM;
	to->imm = to->is_signed ? (uint64_t)((int64_t)(value << unused) >> unused) :
				  value << unused >> unused;
	return true;
}

/*
 * Restricts the value to the bits in mask; false unless these are its low bits and it is unsigned.
 */
static bool masked(uint64_t mask, struct argloc *to)
{
	uint64_t all = UINT64_MAX >> (64 - to->bits);

	if (!mask || (mask & all) == all)
		return true;
	if (mask & (mask + 1) || to->is_signed || to->is_float)
		return false;
	to->bits = (unsigned int)__builtin_popcountll(mask);
	return true;
}

bool argloc_in_piece(uint64_t vaddr, const struct piece *p, unsigned int start,
		     struct argloc *to)
{
	uint64_t value = 0;

	switch (p->form) {
	case PIECE_REGISTER:
		return argloc_in_register(p->at.reg, start, to);
	case PIECE_MEMORY:
		return argloc_in_memory(vaddr, &p->at, start, to);
	case PIECE_VALUE:
		if (p->at.base == BASE_NONE)
			return constant((uint64_t)p->at.offset &
					(p->at.mask ? p->at.mask : UINT64_MAX), start, to);
		if (!masked(p->at.mask, to))
			return argloc_none(to, "it is computed from other values");
		if (p->at.base == BASE_REGISTER && !p->at.offset)
			return argloc_in_register(p->at.reg, start, to);
		if (p->at.base == BASE_MEMORY && !p->at.offset) {
			struct symbolic at = { .base = p->at.of, .reg = p->at.of_reg,
					       .offset = p->at.of_offset };

			return argloc_in_memory(vaddr, &at, start, to);
		}
		return argloc_none(to, "it is computed from other values");
	case PIECE_BYTES:
		if (start + 8 > sizeof(p->bytes))
			return argloc_none(to, "a constant that is too long");
		memcpy(&value, p->bytes + start, 8);
		return constant(value, 0, to);
	case PIECE_NOWHERE:
		break;
	}
	return argloc_none(to, "the compiler optimised it away");
}
#endif
