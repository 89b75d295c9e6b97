/* SPDX-License-Identifier: MIT */
/* Translates the operands of stapsdt notes to tracefs' fetch arguments. */
#include "config.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "capture/probe/argloc.h"

bool argloc_none(struct argloc *place, const char *why, ...)
{
	va_list ap;

	place->form = ARGLOC_NONE;
	va_start(ap, why);
	vsnprintf(place->why, sizeof(place->why), why, ap);
	va_end(ap);
	return false;
}

/*
 * Finds the address of an operand's symbol. False, with the reason in place->why, if it is not
 * found or ambiguous.
 */
static bool symbol_address(struct elf_file *f, const char *symbol, uint64_t pc,
			   struct argloc *place, uint64_t *address)
{
	bool ambiguous;
	const struct elf_symbol *s = elf_symbol_named(f, symbol, pc, &ambiguous);

	if (s) {
		*address = s->vaddr;
		return true;
	}
	if (ambiguous)
		argloc_none(place, "several variables are called %s", symbol);
	else if (elf_imports(f, symbol))
		argloc_none(place, "%s is in another file, so its address is known only at run "
			       "time", symbol);
	else
		argloc_none(place, "the symbol %s is not in the file%s", symbol,
			    f->nsymbols ? "" : ", which is stripped");
	return false;
}

static void relative(struct argloc *place, uint64_t address, uint64_t pc)
{
	place->form = ARGLOC_EXPR;
	snprintf(place->expr, sizeof(place->expr), "%+" PRId64 "(%%ip)", (int64_t)(address - pc));
}

/* Memory at an absolute address, without a base register. */
static void absolute(const struct operand *op, struct elf_file *f, struct argloc *place)
{
	if (f->pie && !*op->symbol)
		argloc_none(place, "0x%" PRIx64 " is an absolute address in a position-independent "
					    "file", (uint64_t)op->disp);
	snprintf(place->expr, sizeof(place->expr), "@0x%" PRIx64, (uint64_t)op->disp);
}

static void of_sib(const struct operand *op, struct argloc *place)
{
	place->form = ARGLOC_SIB;
	place->scale = op->scale;
	place->disp = op->disp;
	if (op->reg.pt) {
		snprintf(place->expr, sizeof(place->expr), "%%%s", op->reg.pt);
		snprintf(place->window, sizeof(place->window), "%+" PRId64 "(%%%s)", op->disp,
			 op->reg.pt);
	} else {
		snprintf(place->expr, sizeof(place->expr), "\\0x%" PRIx64, (uint64_t)op->disp);
		snprintf(place->window, sizeof(place->window), "@0x%" PRIx64, (uint64_t)op->disp);
		place->disp = 0;
	}
	snprintf(place->index, sizeof(place->index), "%%%s", op->index.pt);
}

static void of_immediate(const struct operand *op, struct argloc *place)
{
	unsigned int unused = 64 - place->bits;

	place->form = ARGLOC_IMM;
	place->imm = (uint64_t)op->disp << unused;
	if (op->is_signed)
		place->imm = (uint64_t)((int64_t)place->imm >> unused);
	else
		place->imm >>= unused;
}

void argloc_of_operand(const struct operand *op, struct elf_file *f, uint64_t pc,
		      struct argloc *place)
{
	struct operand known = *op;
	uint64_t address = 0;

	*place = (struct argloc){ .bits = op->size * 8, .shift = op->reg.shift,
				 .is_signed = op->is_signed, .is_float = op->is_float };
	if (op->form == OPERAND_UNAVAILABLE) {
		argloc_none(place, "%s", op->why);
		return;
	}
	if (*op->symbol) {
		if (!symbol_address(f, op->symbol, pc, place, &address))
			return;
		if (op->form != OPERAND_RIP && f->pie) {
			argloc_none(place, "the address of %s is not fixed in a position-independent "
				       "file", op->symbol);
			return;
		}
		known.disp = (int64_t)(address + (uint64_t)op->disp);
	}
	switch (op->form) {
	case OPERAND_REG:
		place->form = ARGLOC_EXPR;
		snprintf(place->expr, sizeof(place->expr), "%%%s", op->reg.pt);
		break;
	case OPERAND_MEM:
		place->form = ARGLOC_EXPR;
		if (op->reg.pt)
			snprintf(place->expr, sizeof(place->expr), "%+" PRId64 "(%%%s)",
				 known.disp, op->reg.pt);
		else
			absolute(&known, f, place);
		break;
	case OPERAND_SIB:
		of_sib(&known, place);
		break;
	case OPERAND_RIP:
		relative(place, (uint64_t)known.disp, pc);
		break;
	case OPERAND_IMM:
		of_immediate(&known, place);
		break;
	case OPERAND_UNAVAILABLE:
		break;
	}
}

void argloc_of_symbol(struct elf_file *f, const char *symbol, uint64_t pc, struct argloc *place)
{
	uint64_t address;

	*place = (struct argloc){ 0 };
	if (symbol_address(f, symbol, pc, place, &address))
		relative(place, address, pc);
}

/* Writes the fetch argument that dereferences the value as a pointer. */
static bool follow(const struct argloc *place, const char *type, char *buf, size_t size, char *why,
		   size_t why_size)
{
	if (place->form == ARGLOC_SIB) {
		snprintf(why, why_size, "the pointer is itself an array element, which the "
			 "kernel's probes cannot follow");
		return false;
	}
	if ((place->bits && place->bits != 64) || place->is_float) {
		snprintf(why, why_size, "a value of %u bytes is no pointer", place->bits / 8);
		return false;
	}
	if (place->form == ARGLOC_IMM)
		snprintf(buf, size, "@0x%" PRIx64 ":%s", place->imm, type);
	else if (place->object)
		snprintf(buf, size, "%s:%s", place->expr, type);
	else
		snprintf(buf, size, "+0(%s):%s", place->expr, type);
	return true;
}

static void constant(const struct argloc *place, const struct fetch_type *t, const char *type,
		     char *buf, size_t size)
{
	unsigned int unused = 64 - t->bits;

	if (t->sign == 's')
		snprintf(buf, size, "\\%" PRId64 ":%s",
			 (int64_t)(place->imm << unused) >> unused, type);
	else
		snprintf(buf, size, "\\%" PRIu64 ":%s", place->imm << unused >> unused, type);
}

bool argloc_fetch(const struct argloc *place, const char *type_text, char *buf, size_t size,
		 char *why, size_t why_size)
{
	const char *type = strcmp(type_text, "str") ? type_text : "string";
	unsigned int bits = place->bits ? place->bits : 64;
	struct fetch_type t;
	const char *no;

	if (place->form == ARGLOC_NONE || !fetch_type_parse(type, &t, &no)) {
		snprintf(why, why_size, "%s", place->form == ARGLOC_NONE ? place->why : no);
		return false;
	}
	if (t.is_string || t.count)
		return follow(place, type, buf, size, why, why_size);
	if (place->form == ARGLOC_SIB) {
		/* The field is a placeholder: the decoder computes the value. */
		argloc_nothing(type, buf, size);
	} else if (place->form == ARGLOC_IMM) {
		constant(place, &t, type, buf, size);
	} else if (place->shift == 0 && (bits >= t.bits || t.is_bitfield)) {
		snprintf(buf, size, "%s:%s", place->expr, type);
	} else if (t.sign == 'u' && place->shift + bits <= t.bits) {
		/* The kernel widens or shifts a value only as a bit field of a wider integer. */
		snprintf(buf, size, "%s:b%u@%u/%u", place->expr, bits, place->shift, t.bits);
	} else {
		snprintf(why, why_size, "a value of %u byte%s cannot be recorded as %s", bits / 8,
			 bits == 8 ? "" : "s", type);
		return false;
	}
	return true;
}

void argloc_nothing(const char *type_text, char *buf, size_t size)
{
	const char *type = strcmp(type_text, "str") ? type_text : "string", *no;
	struct fetch_type t;

	if (!fetch_type_parse(type, &t, &no))
		t = (struct fetch_type){ .bits = 64 };
	if (t.count)
		snprintf(buf, size, "+0(%%sp):%s", type); /* the kernel has no constant arrays */
	else if (t.is_string)
		snprintf(buf, size, "\\\"\":%s", type);
	else
		snprintf(buf, size, "\\0:%s", type);
}

void argloc_type(const struct argloc *place, char *buf, size_t size)
{
	snprintf(buf, size, "%c%u",
		 place->is_float ? 'f' : place->is_signed ? 's' : 'u',
		 place->bits ? place->bits : 64);
}
