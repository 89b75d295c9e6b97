/* SPDX-License-Identifier: MIT */
/*
 * The classes follow arch/x86/kernel/uprobes.c of the kernel. It emulates nop, push of a register,
 * and near calls, jumps and conditional jumps. It refuses I/O, interrupts, far and privileged
 * instructions, and those with a lock prefix or a segment prefix that has no meaning in 64-bit
 * code.
 */
#include "config.h"

#include <stdio.h>

#include "capture/probe/insn.h"

#ifdef HAVE_ZYDIS
#include <Zydis/Zydis.h>

enum { LONGEST = ZYDIS_MAX_INSTRUCTION_LENGTH, STRETCH = 4096, FARTHEST = 1 << 20 };

static bool decoder_init(ZydisDecoder *d)
{
	return ZYAN_SUCCESS(ZydisDecoderInit(d, ZYDIS_MACHINE_MODE_LONG_64,
					     ZYDIS_STACK_WIDTH_64));
}

/* Segment prefixes without meaning in 64-bit code; the prefix of "notrack jmp" is one of them. */
static bool has_segment_prefix(const ZydisDecodedInstruction *insn)
{
	for (unsigned int i = 0; i < insn->raw.prefix_count; i++) {
		switch (insn->raw.prefixes[i].value) {
		case 0x26:
		case 0x2e:
		case 0x36:
		case 0x3e:
			return true;
		}
	}
	return false;
}

static bool refused(const ZydisDecodedInstruction *insn)
{
	if (has_segment_prefix(insn) ||
	    insn->attributes & (ZYDIS_ATTRIB_HAS_LOCK | ZYDIS_ATTRIB_IS_PRIVILEGED) ||
	    insn->meta.branch_type == ZYDIS_BRANCH_TYPE_FAR)
		return true;
	switch (insn->meta.category) {
	case ZYDIS_CATEGORY_IO:
	case ZYDIS_CATEGORY_IOSTRINGOP:
	case ZYDIS_CATEGORY_INTERRUPT:
	case ZYDIS_CATEGORY_SYSTEM:
		return insn->mnemonic != ZYDIS_MNEMONIC_XGETBV &&
		       insn->mnemonic != ZYDIS_MNEMONIC_RDTSC &&
		       insn->mnemonic != ZYDIS_MNEMONIC_RDTSCP;
	default:
		return false;
	}
}

/*
 * Jumps and calls whose target is in the instruction are emulated; those through a register are
 * single-stepped.
 */
static bool near_branch(const ZydisDecodedInstruction *insn)
{
	switch (insn->meta.branch_type) {
	case ZYDIS_BRANCH_TYPE_SHORT:
	case ZYDIS_BRANCH_TYPE_NEAR:
		return insn->raw.imm[0].is_relative &&
		       (insn->opcode_map == ZYDIS_OPCODE_MAP_0F ||
			insn->opcode < 0xe0 || insn->opcode >= 0xe8);
	default:
		return false;
	}
}

static const char *class_of(const ZydisDecodedInstruction *insn)
{
	if (refused(insn))
		return "refused";
	if (insn->mnemonic == ZYDIS_MNEMONIC_NOP)
		return "nop";
	if (insn->mnemonic == ZYDIS_MNEMONIC_PUSH && insn->opcode >= 0x50 && insn->opcode <= 0x57)
		return "push";
	return near_branch(insn) ? "branch" : "step";
}

const char *insn_class(const struct elf_file *f, uint64_t vaddr)
{
	unsigned char code[LONGEST];
	size_t n = elf_read(f, vaddr, code, sizeof(code));
	ZydisDecodedInstruction insn;
	ZydisDecoder d;

	if (!decoder_init(&d) ||
	    !ZYAN_SUCCESS(ZydisDecoderDecodeInstruction(&d, NULL, code, n, &insn)))
		return "";
	return class_of(&insn);
}

/* Sets its text from the n bytes at its begin. */
static void describe(ZydisDecoder *d, const unsigned char *code, size_t n, struct insn_around *to)
{
	ZydisDecodedInstruction insn;
	ZydisDecodedOperand operands[ZYDIS_MAX_OPERAND_COUNT];
	ZydisFormatter fmt;

	snprintf(to->text, sizeof(to->text), "an instruction");
	if (ZYAN_SUCCESS(ZydisDecoderDecodeFull(d, code, n, &insn, operands)) &&
	    ZYAN_SUCCESS(ZydisFormatterInit(&fmt, ZYDIS_FORMATTER_STYLE_ATT)))
		ZydisFormatterFormatInstruction(&fmt, &insn, operands, insn.operand_count_visible,
						to->text, sizeof(to->text), to->begin, NULL);
}

enum insn_boundary insn_boundary(const struct elf_file *f, uint64_t start, uint64_t vaddr,
				 struct insn_around *around)
{
	unsigned char code[STRETCH];
	uint64_t at = start, base = start;
	size_t n = elf_read(f, start, code, sizeof(code));
	ZydisDecodedInstruction insn;
	ZydisDecoder d;

	if (!decoder_init(&d) || vaddr - start > FARTHEST)
		return INSN_UNKNOWN;
	while (at < vaddr) {
		if (at - base + LONGEST > n && n == sizeof(code)) {
			base = at;
			n = elf_read(f, base, code, sizeof(code));
		}
		if (at - base >= n ||
		    !ZYAN_SUCCESS(ZydisDecoderDecodeInstruction(&d, NULL, code + (at - base),
								n - (at - base), &insn)))
			return INSN_UNKNOWN;
		around->begin = at;
		at += insn.length;
	}
	if (at == vaddr)
		return INSN_AT;
	around->next = at;
	at = around->begin - base;
	describe(&d, code + at, n - at, around);
	return INSN_INSIDE;
}

bool insn_known(void)
{
	return true;
}

#else /* !HAVE_ZYDIS */

const char *insn_class(const struct elf_file *f, uint64_t vaddr)
{
	(void)f, (void)vaddr;
	return "";
}

enum insn_boundary insn_boundary(const struct elf_file *f, uint64_t start, uint64_t vaddr,
				 struct insn_around *around)
{
	(void)f, (void)around;
	return start == vaddr ? INSN_AT : INSN_UNKNOWN;
}

bool insn_known(void)
{
	return false;
}

#endif
