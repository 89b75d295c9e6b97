/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "capture/branch/insn.h"
#include "common/branch.h"

enum { FLAG_C = 1 << 0, FLAG_P = 1 << 2, FLAG_Z = 1 << 6, FLAG_S = 1 << 7, FLAG_O = 1 << 11 };

/* Conditions of a jcc: bit 0 negates the condition in the other bits. */
static bool condition_holds(unsigned int condition, uint64_t flags)
{
	bool sign = flags & FLAG_S, over = flags & FLAG_O, zero = flags & FLAG_Z;
	const bool holds[8] = {
		over, flags & FLAG_C, zero, (flags & FLAG_C) || zero,
		sign, flags & FLAG_P, sign != over, zero || sign != over,
	};

	return holds[condition >> 1 & 7] != (condition & 1);
}

bool branch_insn_taken(const struct branch_insn *insn, const struct branch_regs *r)
{
	uint64_t left = r->compat ? (uint32_t)(r->rcx - 1) : r->rcx - 1;

	switch (insn->condition) {
	case CONDITION_LOOP:
		return left != 0;
	case CONDITION_LOOPE:
		return left != 0 && (r->flags & FLAG_Z);
	case CONDITION_LOOPNE:
		return left != 0 && !(r->flags & FLAG_Z);
	case CONDITION_RCXZ:
		return r->rcx == 0;
	case CONDITION_ECXZ:
		return (uint32_t)r->rcx == 0;
	default:
		return condition_holds(insn->condition, r->flags);
	}
}

#ifdef HAVE_ZYDIS
#include <Zydis/Zydis.h>

bool branch_insn_known(void)
{
	return true;
}

/* The condition is in the low four bits of the opcodes 70..7f and 0f 80..8f. */
static uint8_t condition_of(const ZydisDecodedInstruction *z)
{
	switch (z->mnemonic) {
	case ZYDIS_MNEMONIC_LOOP:
		return CONDITION_LOOP;
	case ZYDIS_MNEMONIC_LOOPE:
		return CONDITION_LOOPE;
	case ZYDIS_MNEMONIC_LOOPNE:
		return CONDITION_LOOPNE;
	case ZYDIS_MNEMONIC_JRCXZ:
		return CONDITION_RCXZ;
	case ZYDIS_MNEMONIC_JECXZ:
		return CONDITION_ECXZ;
	default:
		return z->opcode & 15;
	}
}

static uint8_t kind_of(const ZydisDecodedInstruction *z)
{
	/* Not ZYDIS_ATTRIB_IS_RELATIVE, which an operand in memory at [rip+N] sets, too. */
	bool relative = z->raw.imm[0].is_relative;

	if (z->meta.branch_type == ZYDIS_BRANCH_TYPE_FAR)
		return BRANCH_FAR;
	switch (z->meta.category) {
	case ZYDIS_CATEGORY_COND_BR:
		return BRANCH_JCC;
	case ZYDIS_CATEGORY_UNCOND_BR:
		return relative ? BRANCH_JMP : BRANCH_INDIRECT_JMP;
	case ZYDIS_CATEGORY_CALL:
		return relative ? BRANCH_CALL : BRANCH_INDIRECT_CALL;
	case ZYDIS_CATEGORY_RET:
		return z->mnemonic == ZYDIS_MNEMONIC_RET ? BRANCH_RET : BRANCH_FAR;
	case ZYDIS_CATEGORY_SYSCALL:
		return BRANCH_SYSCALL;
	case ZYDIS_CATEGORY_INTERRUPT: /* others than int 0x80 raise an exception */
		return z->mnemonic == ZYDIS_MNEMONIC_INT && z->raw.imm[0].value.u == 0x80
			       ? BRANCH_SYSCALL : BRANCH_UNKNOWN;
	default:
		return BRANCH_UNKNOWN;
	}
}

struct branch_insn branch_insn_decode(const uint8_t *bytes, size_t n, bool compat)
{
	struct branch_insn insn = { 0 };
	ZydisDecodedInstruction z;
	ZydisDecoder decoder;

	ZydisDecoderInit(&decoder,
			 compat ? ZYDIS_MACHINE_MODE_LEGACY_32 : ZYDIS_MACHINE_MODE_LONG_64,
			 compat ? ZYDIS_STACK_WIDTH_32 : ZYDIS_STACK_WIDTH_64);
	if (ZYAN_FAILED(ZydisDecoderDecodeInstruction(&decoder, NULL, bytes, n, &z)))
		return insn;
	insn.length = z.length;
	insn.kind = kind_of(&z);
	if (insn.kind == BRANCH_JCC)
		insn.condition = condition_of(&z);
	if (z.raw.imm[0].is_relative)
		insn.distance = (int32_t)z.raw.imm[0].value.s;
	insn.pushes_flags = z.mnemonic == ZYDIS_MNEMONIC_PUSHFQ ||
			    z.mnemonic == ZYDIS_MNEMONIC_PUSHF ||
			    z.mnemonic == ZYDIS_MNEMONIC_PUSHFD;
	if (z.mnemonic == ZYDIS_MNEMONIC_POPFQ || z.mnemonic == ZYDIS_MNEMONIC_POPF ||
	    z.mnemonic == ZYDIS_MNEMONIC_POPFD)
		insn.pops_flags = z.operand_width;
	insn.returns_flags = z.mnemonic == ZYDIS_MNEMONIC_IRETQ ||
			     z.mnemonic == ZYDIS_MNEMONIC_IRET ||
			     z.mnemonic == ZYDIS_MNEMONIC_IRETD;
	insn.holds_trap = (z.mnemonic == ZYDIS_MNEMONIC_MOV && z.opcode == 0x8e &&
			   z.raw.modrm.reg == 2) ||
			  (z.mnemonic == ZYDIS_MNEMONIC_POP && z.opcode == 0x17);
	insn.traps = z.meta.category == ZYDIS_CATEGORY_INTERRUPT;
	return insn;
}
#else
bool branch_insn_known(void)
{
	return false;
}

struct branch_insn branch_insn_decode(const uint8_t *bytes, size_t n, bool compat)
{
	return (struct branch_insn){ 0 };
}
#endif
