/* SPDX-License-Identifier: MIT */
/* The module's instruction decoder, compared with Zydis and with the processor itself. */
#include <criterion/criterion.h>
#include <Zydis/Zydis.h>

#include "kmod/insn.h"
#include "kmod/trawl_uapi.h"

#define IP 0x400123ull

/* Converts the result of Zydis to a struct insn. */
static struct insn expected(const ZydisDecodedInstruction *z, const ZydisDecodedOperand *o,
			    bool mode64)
{
	struct insn e = { 0 };
	bool immediate = z->operand_count && o[0].type == ZYDIS_OPERAND_TYPE_IMMEDIATE;
	bool relative = immediate && o[0].imm.is_relative;
	ZyanU64 target;

	switch (z->mnemonic) {
	case ZYDIS_MNEMONIC_SYSCALL: e.special = INSN_SYSCALL; break;
	case ZYDIS_MNEMONIC_SYSENTER: e.special = INSN_SYSENTER; break;
	case ZYDIS_MNEMONIC_INT: e.special = o[0].imm.value.u == 3 ? INSN_TRAP : INSN_INT; break;
	case ZYDIS_MNEMONIC_INT3:
	case ZYDIS_MNEMONIC_INT1:
	case ZYDIS_MNEMONIC_INTO:
		e.special = INSN_TRAP;
		break;
	case ZYDIS_MNEMONIC_PUSHF: case ZYDIS_MNEMONIC_PUSHFD: case ZYDIS_MNEMONIC_PUSHFQ:
		e.special = INSN_PUSHF;
		break;
	case ZYDIS_MNEMONIC_POPF: case ZYDIS_MNEMONIC_POPFD: case ZYDIS_MNEMONIC_POPFQ:
		e.special = INSN_POPF;
		break;
	case ZYDIS_MNEMONIC_IRET: case ZYDIS_MNEMONIC_IRETD: case ZYDIS_MNEMONIC_IRETQ:
		e.special = INSN_POPF;
		e.kind = TRAWL_KIND_FAR;
		break;
	case ZYDIS_MNEMONIC_MOV: case ZYDIS_MNEMONIC_POP:
		if (o[0].type == ZYDIS_OPERAND_TYPE_REGISTER && o[0].reg.value == ZYDIS_REGISTER_SS)
			e.special = INSN_MOV_SS;
		break;
	default:
		break;
	}
	if (z->meta.branch_type == ZYDIS_BRANCH_TYPE_FAR)
		e.kind = TRAWL_KIND_FAR;
	else if (z->meta.category == ZYDIS_CATEGORY_COND_BR && z->mnemonic != ZYDIS_MNEMONIC_XBEGIN)
		e.kind = TRAWL_KIND_JCC;
	else if (z->meta.category == ZYDIS_CATEGORY_UNCOND_BR)
		e.kind = relative ? TRAWL_KIND_REL_JMP : TRAWL_KIND_IND_JMP;
	else if (z->meta.category == ZYDIS_CATEGORY_CALL)
		e.kind = relative ? TRAWL_KIND_REL_CALL : TRAWL_KIND_IND_CALL;
	else if (z->meta.category == ZYDIS_CATEGORY_RET && !e.kind)
		e.kind = TRAWL_KIND_RET;
	e.length = e.kind || e.special ? z->length : 0;
	e.constant = relative && e.kind;
	if (e.constant && ZYAN_SUCCESS(ZydisCalcAbsoluteAddress(z, &o[0], IP, &target)))
		e.target = mode64 ? target : (ZyanU32)target;
	return e;
}

static bool has_66(const ZydisDecodedInstruction *z)
{
	for (unsigned int i = 0; i < z->raw.prefix_count; i++)
		if (z->raw.prefixes[i].value == 0x66)
			return true;
	return false;
}

static void compare(const ZydisDecoder *decoder, const __u8 *bytes, bool mode64,
		    unsigned int *kinds)
{
	ZydisDecodedOperand operands[ZYDIS_MAX_OPERAND_COUNT];
	ZydisDecodedInstruction z;
	struct insn got, want;
	bool relative;

	if (!ZYAN_SUCCESS(ZydisDecoderDecodeFull(decoder, bytes, INSN_MAX, &z, operands)))
		return;
	/*
	 * Transactions abort at once under single steps; branches with VEX exist on Knights Corner
	 * only.
	 */
	if (z.mnemonic == ZYDIS_MNEMONIC_XBEGIN || z.mnemonic == ZYDIS_MNEMONIC_XABORT ||
	    (z.encoding != ZYDIS_INSTRUCTION_ENCODING_LEGACY &&
	     z.meta.category == ZYDIS_CATEGORY_COND_BR))
		return;
	want = expected(&z, operands, mode64);
	cr_assert(insn_decode(&got, bytes, INSN_MAX, IP, mode64), "%02x %02x %02x: refused",
		  bytes[0], bytes[1], bytes[2]);
	cr_assert_eq(got.kind, want.kind, "%02x %02x %02x %02x, %d-bit: kind %u, Zydis %u",
		     bytes[0], bytes[1], bytes[2], bytes[3], mode64 ? 64 : 32, got.kind, want.kind);
	cr_assert_eq(got.special, want.special, "%02x %02x %02x: special %u, Zydis %u", bytes[0],
		     bytes[1], bytes[2], got.special, want.special);
	kinds[want.kind]++;
	relative = want.kind && operands[0].type == ZYDIS_OPERAND_TYPE_IMMEDIATE &&
		operands[0].imm.is_relative;
	/* Processors treat a prefix 66 here differently, and the module refuses it. */
	if (relative && has_66(&z)) {
		cr_assert(!got.constant || z.raw.rex.W);
		return;
	}
	cr_assert_eq(got.length, want.length, "%02x %02x %02x: length %u, Zydis %u", bytes[0],
		     bytes[1], bytes[2], got.length, want.length);
	cr_assert_eq(got.constant, relative);
	if (relative)
		cr_assert_eq(got.target, want.target, "%02x %02x: to %llx, Zydis %llx", bytes[0],
			     bytes[1], got.target, want.target);
	/* It is refused when truncated anywhere, and nothing beyond is read. */
	for (unsigned int n = 0; n < want.length; n++)
		cr_assert(!insn_decode(&got, bytes, n, IP, mode64));
}

/* Makes instructions with prefixes from random bytes, with a bias to relevant ones. */
static void fill(__u8 *bytes, unsigned int *seed)
{
	static const __u8 first[] = { 0x66, 0x67, 0xf2, 0xf3, 0x2e, 0x48, 0x40, 0x0f,
				      0xff, 0x8e, 0xcd, 0xe8, 0xeb, 0x74, 0xe3, 0x9c };
	unsigned int i;

	for (i = 0; i < INSN_MAX; i++) {
		*seed = *seed * 1103515245 + 12345;
		bytes[i] = *seed >> 16;
		if (i < 4 && *seed >> 28 < 6)
			bytes[i] = first[*seed >> 8 & 15];
	}
}

static void against_zydis(bool mode64)
{
	unsigned int kinds[16] = { 0 }, seed = 7, i;
	ZydisDecoder decoder;
	__u8 bytes[INSN_MAX];

	ZydisDecoderInit(&decoder,
			 mode64 ? ZYDIS_MACHINE_MODE_LONG_64 : ZYDIS_MACHINE_MODE_LONG_COMPAT_32,
			 mode64 ? ZYDIS_STACK_WIDTH_64 : ZYDIS_STACK_WIDTH_32);
	for (i = 0; i < 1000000; i++) {
		fill(bytes, &seed);
		compare(&decoder, bytes, mode64, kinds);
	}
	for (i = TRAWL_KIND_JCC; i <= TRAWL_KIND_FAR; i++)
		cr_assert_gt(kinds[i], 100, "kind %u occurred %u times", i, kinds[i]);
}

Test(insn, a_million_in_64_bit_mode_are_what_Zydis_says)
{
	against_zydis(true);
}

Test(insn, a_million_in_32_bit_mode_are_what_Zydis_says)
{
	against_zydis(false);
}

/* The sixteen conditions as evaluated by this processor. */
#define CONDITION(name)                                                                            \
	({                                                                                         \
		__u8 is;                                                                           \
		__asm__ volatile("push %1; popf; set" name " %0"                                   \
				 : "=q"(is)                                                        \
				 : "r"(flags)                                                      \
				 : "cc", "memory");                                                \
		is;                                                                                \
	})
static unsigned int conditions(unsigned long flags)
{
	return CONDITION("o") | CONDITION("no") << 1 | CONDITION("b") << 2 | CONDITION("ae") << 3 |
		CONDITION("e") << 4 | CONDITION("ne") << 5 | CONDITION("be") << 6 |
		CONDITION("a") << 7 | CONDITION("s") << 8 | CONDITION("ns") << 9 |
		CONDITION("p") << 10 | CONDITION("np") << 11 | CONDITION("l") << 12 |
		CONDITION("ge") << 13 | CONDITION("le") << 14 | CONDITION("g") << 15;
}

Test(insn, conditions_hold_where_the_processor_jumps)
{
	struct insn insn = { .kind = TRAWL_KIND_JCC };

	for (unsigned int i = 0; i < 32; i++) {
		unsigned long flags = 0x202 | (i & 1) | (i & 2) << 1 | (i & 4) << 4 | (i & 8) << 4 |
			(i & 16) << 7;

		for (insn.condition = 0; insn.condition < 16; insn.condition++)
			cr_assert_eq(insn_taken(&insn, flags, 0),
				     conditions(flags) >> insn.condition & 1,
				     "condition %u, flags %lx", insn.condition, flags);
	}
}

Test(insn, loops_count_in_as_many_bits_as_their_prefix_says)
{
	struct insn insn;

	cr_assert(insn_decode(&insn, (const __u8 *)"\xe2\x00", 2, IP, true));
	cr_assert(insn_taken(&insn, 0, 0));
	cr_assert(!insn_taken(&insn, 0, 1));
	cr_assert(insn_taken(&insn, 0, 0x100000001));
	cr_assert(insn_decode(&insn, (const __u8 *)"\x67\xe2\x00", 3, IP, true));
	cr_assert(!insn_taken(&insn, 0, 0x100000001));
	cr_assert(insn_decode(&insn, (const __u8 *)"\x67\xe3\x00", 3, IP, false));
	cr_assert(insn_taken(&insn, 0, 0x10000));
	cr_assert(insn_decode(&insn, (const __u8 *)"\xe1\x00", 2, IP, true));
	cr_assert(insn_taken(&insn, 0x40, 2));
	cr_assert(!insn_taken(&insn, 0, 2));
	cr_assert(insn_decode(&insn, (const __u8 *)"\xe0\x00", 2, IP, true));
	cr_assert(!insn_taken(&insn, 0x40, 2));
}
