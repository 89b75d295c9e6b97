/* SPDX-License-Identifier: MIT */
#include "config.h"

#ifdef HAVE_ZYDIS
#include "capture/probe/origins.h"

bool step_decode(const ZydisDecoder *d, const unsigned char *bytes, size_t n, uint64_t at,
		 struct step *s)
{
	s->at = at;
	if (!ZYAN_SUCCESS(ZydisDecoderDecodeFull(d, bytes, n, &s->insn, s->operands)))
		return false;
	s->next = at + s->insn.length;
	return true;
}

bool fixed_address(const struct step *s, const ZydisDecodedOperand *o, uint64_t *vaddr)
{
	if (o->type != ZYDIS_OPERAND_TYPE_MEMORY || o->mem.segment == ZYDIS_REGISTER_FS ||
	    o->mem.segment == ZYDIS_REGISTER_GS)
		return false;
	*vaddr = (uint64_t)o->mem.disp.value;
	if (o->mem.base == ZYDIS_REGISTER_RIP)
		*vaddr += s->next;
	return o->mem.base == ZYDIS_REGISTER_RIP ||
	       (o->mem.base == ZYDIS_REGISTER_NONE && o->mem.disp.has_displacement);
}

int reg_number(ZydisRegister reg)
{
	ZydisRegister whole = ZydisRegisterGetLargestEnclosing(ZYDIS_MACHINE_MODE_LONG_64, reg);

	if (whole < ZYDIS_REGISTER_RAX || whole > ZYDIS_REGISTER_R15)
		return -1;
	return (int)(whole - ZYDIS_REGISTER_RAX);
}

/* "cmp $9,%eax; ja elsewhere" leaves the 10 values 0 to 9. */
static void note_limit(struct origins *origins, const struct step *s)
{
	const ZydisDecodedOperand *by = &s->operands[1];

	if (s->insn.mnemonic == ZYDIS_MNEMONIC_CMP)
		origins->compared = by->type == ZYDIS_OPERAND_TYPE_IMMEDIATE &&
				    by->imm.value.u < ORIGINS_ENTRIES ? by->imm.value.u + 1 : 0;
	else if (s->insn.mnemonic == ZYDIS_MNEMONIC_JNBE && origins->compared)
		origins->limit = origins->compared;
}

uint64_t table_address(const struct origins *origins, const ZydisDecodedOperand *o)
{
	int reg = reg_number(o->mem.base);

	if (o->mem.base == ZYDIS_REGISTER_NONE)
		return (uint64_t)o->mem.disp.value;
	return reg >= 0 && !o->mem.disp.value ? origins->address[reg] : 0;
}

void note_origin(struct origins *origins, const struct step *s)
{
	uint64_t address = 0;
	const ZydisDecodedOperand *to = &s->operands[0], *from = &s->operands[1];
	int reg = s->insn.operand_count_visible && to->type == ZYDIS_OPERAND_TYPE_REGISTER ?
		  reg_number(to->reg.value) : -1;

	note_limit(origins, s);
	if (reg < 0 || !(to->actions & ZYDIS_OPERAND_ACTION_MASK_WRITE))
		return;
	if (s->insn.mnemonic == ZYDIS_MNEMONIC_ADD && from->type == ZYDIS_OPERAND_TYPE_REGISTER) {
		int other = reg_number(from->reg.value);

		origins->of[reg] = FROM_SUM;
		if (other >= 0 && origins->address[other])
			origins->address[reg] = origins->address[other];
		return;
	}
	origins->of[reg] = FROM_ELSEWHERE;
	if (from->type == ZYDIS_OPERAND_TYPE_MEMORY && from->mem.index != ZYDIS_REGISTER_NONE &&
	    s->insn.mnemonic == ZYDIS_MNEMONIC_MOV && from->mem.scale == 8) {
		origins->of[reg] = FROM_INDEXED;
		address = table_address(origins, from);
	} else if (s->insn.mnemonic == ZYDIS_MNEMONIC_LEA) {
		fixed_address(s, from, &address);
	}
	origins->address[reg] = address;
}
#endif
