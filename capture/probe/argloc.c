/* SPDX-License-Identifier: MIT */
/* Translates the operands of stapsdt notes to tracefs' fetch arguments. */
#include "config.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "capture/probe/argloc.h"

bool argloc_none(struct argloc *argloc, const char *why, ...)
{
	va_list ap;

	argloc->form = ARGLOC_NONE;
	va_start(ap, why);
	vsnprintf(argloc->why, sizeof(argloc->why), why, ap);
	va_end(ap);
	return false;
}

/*
 * Finds the address of an operand's symbol. False, with the reason in place->why, if it is not
 * found or ambiguous.
 */
static bool symbol_address(struct elf_file *f, const char *symbol, uint64_t pc,
			   struct argloc *argloc, uint64_t *address)
{
	bool ambiguous;
	const struct elf_symbol *s = elf_symbol_named(f, symbol, pc, &ambiguous);

	if (s) {
		*address = s->vaddr;
		return true;
	}
	if (ambiguous)
		argloc_none(argloc, "several variables are called %s", symbol);
	else if (elf_imports(f, symbol))
		argloc_none(argloc, "%s is in another file, so its address is known only at run "
			       "time", symbol);
	else
		argloc_none(argloc, "the symbol %s is not in the file%s", symbol,
			    f->nsymbols ? "" : ", which is stripped");
	return false;
}

static void relative(struct argloc *argloc, uint64_t address, uint64_t pc)
{
	argloc->form = ARGLOC_EXPR;
	snprintf(argloc->expr, sizeof(argloc->expr), "%+" PRId64 "(%%ip)", (int64_t)(address - pc));
}

/* Memory at an absolute address, without a base register. */
static void absolute(const struct operand *op, struct elf_file *f, struct argloc *argloc)
{
	if (f->pie && !*op->symbol)
		argloc_none(argloc, "0x%" PRIx64 " is an absolute address in a "
					    "position-independent file", (uint64_t)op->disp);
	snprintf(argloc->expr, sizeof(argloc->expr), "@0x%" PRIx64, (uint64_t)op->disp);
}

static void of_sib(const struct operand *op, struct argloc *argloc)
{
	argloc->form = ARGLOC_SIB;
	argloc->scale = op->scale;
	argloc->disp = op->disp;
	if (op->reg.pt) {
		snprintf(argloc->expr, sizeof(argloc->expr), "%%%s", op->reg.pt);
		snprintf(argloc->window, sizeof(argloc->window), "%+" PRId64 "(%%%s)", op->disp,
			 op->reg.pt);
	} else {
		snprintf(argloc->expr, sizeof(argloc->expr), "\\0x%" PRIx64, (uint64_t)op->disp);
		snprintf(argloc->window, sizeof(argloc->window), "@0x%" PRIx64, (uint64_t)op->disp);
		argloc->disp = 0;
	}
	snprintf(argloc->index, sizeof(argloc->index), "%%%s", op->index.pt);
}

static void of_immediate(const struct operand *op, struct argloc *argloc)
{
	unsigned int unused = 64 - argloc->bits;

	argloc->form = ARGLOC_IMM;
	argloc->imm = (uint64_t)op->disp << unused;
	if (op->is_signed)
		argloc->imm = (uint64_t)((int64_t)argloc->imm >> unused);
	else
		argloc->imm >>= unused;
}

void argloc_of_operand(const struct operand *op, struct elf_file *f, uint64_t pc,
		      struct argloc *argloc)
{
	struct operand known = *op;
	uint64_t address = 0;

	*argloc = (struct argloc){ .bits = op->size * 8, .shift = op->reg.shift,
				 .is_signed = op->is_signed, .is_float = op->is_float };
	if (op->form == OPERAND_UNAVAILABLE) {
		argloc_none(argloc, "%s", op->why);
		return;
	}
	if (*op->symbol) {
		if (!symbol_address(f, op->symbol, pc, argloc, &address))
			return;
		if (op->form != OPERAND_RIP && f->pie) {
			argloc_none(argloc, "the address of %s is not fixed in a position-independent "
				       "file", op->symbol);
			return;
		}
		known.disp = (int64_t)(address + (uint64_t)op->disp);
	}
	switch (op->form) {
	case OPERAND_REG:
		argloc->form = ARGLOC_EXPR;
		snprintf(argloc->expr, sizeof(argloc->expr), "%%%s", op->reg.pt);
		break;
	case OPERAND_MEM:
		argloc->form = ARGLOC_EXPR;
		if (op->reg.pt)
			snprintf(argloc->expr, sizeof(argloc->expr), "%+" PRId64 "(%%%s)",
				 known.disp, op->reg.pt);
		else
			absolute(&known, f, argloc);
		break;
	case OPERAND_SIB:
		of_sib(&known, argloc);
		break;
	case OPERAND_RIP:
		relative(argloc, (uint64_t)known.disp, pc);
		break;
	case OPERAND_IMM:
		of_immediate(&known, argloc);
		break;
	case OPERAND_UNAVAILABLE:
		break;
	}
}

void argloc_of_symbol(struct elf_file *f, const char *symbol, uint64_t pc, struct argloc *argloc)
{
	uint64_t address;

	*argloc = (struct argloc){ 0 };
	if (symbol_address(f, symbol, pc, argloc, &address))
		relative(argloc, address, pc);
}

/* Writes the fetch argument that dereferences the value as a pointer. */
static bool follow(const struct argloc *argloc, const char *type, char *buf, size_t size, char *why,
		   size_t why_size)
{
	if (argloc->form == ARGLOC_SIB) {
		snprintf(why, why_size, "the pointer is itself an array element, which the "
			 "kernel's probes cannot follow");
		return false;
	}
	if ((argloc->bits && argloc->bits != 64) || argloc->is_float) {
		snprintf(why, why_size, "a value of %u bytes is no pointer", argloc->bits / 8);
		return false;
	}
	if (argloc->form == ARGLOC_IMM)
		snprintf(buf, size, "@0x%" PRIx64 ":%s", argloc->imm, type);
	else if (argloc->object)
		snprintf(buf, size, "%s:%s", argloc->expr, type);
	else
		snprintf(buf, size, "+0(%s):%s", argloc->expr, type);
	return true;
}

static void constant(const struct argloc *argloc, const struct fetch_type *t, const char *type,
		     char *buf, size_t size)
{
	unsigned int unused = 64 - t->bits;

	if (t->sign == 's')
		snprintf(buf, size, "\\%" PRId64 ":%s",
			 (int64_t)(argloc->imm << unused) >> unused, type);
	else
		snprintf(buf, size, "\\%" PRIu64 ":%s", argloc->imm << unused >> unused, type);
}

bool argloc_fetch(const struct argloc *argloc, const char *type_text, char *buf, size_t size,
		 char *why, size_t why_size)
{
	const char *type = strcmp(type_text, "str") ? type_text : "string";
	unsigned int bits = argloc->bits ? argloc->bits : 64;
	struct fetch_type t;
	const char *no;

	if (argloc->form == ARGLOC_NONE || !fetch_type_parse(type, &t, &no)) {
		snprintf(why, why_size, "%s", argloc->form == ARGLOC_NONE ? argloc->why : no);
		return false;
	}
	if (t.is_string || t.count)
		return follow(argloc, type, buf, size, why, why_size);
	if (argloc->form == ARGLOC_SIB) {
		/* The field is a placeholder: the decoder computes the value. */
		argloc_nothing(type, buf, size);
	} else if (argloc->form == ARGLOC_IMM) {
		constant(argloc, &t, type, buf, size);
	} else if (argloc->shift == 0 && (bits >= t.bits || t.is_bitfield)) {
		snprintf(buf, size, "%s:%s", argloc->expr, type);
	} else if (t.sign == 'u' && argloc->shift + bits <= t.bits) {
		/* The kernel widens or shifts a value only as a bit field of a wider integer. */
		snprintf(buf, size, "%s:b%u@%u/%u", argloc->expr, bits, argloc->shift, t.bits);
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

void argloc_type(const struct argloc *argloc, char *buf, size_t size)
{
	snprintf(buf, size, "%c%u",
		 argloc->is_float ? 'f' : argloc->is_signed ? 's' : 'u',
		 argloc->bits ? argloc->bits : 64);
}
