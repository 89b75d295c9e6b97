/* SPDX-License-Identifier: MIT */
/*
 * A direct call is the byte e8 and a 4-byte distance to the function. The code is searched for
 * these bytes instead of being disassembled: other bytes that look like a call hardly ever have the
 * distance to a function that is asked for.
 */
#include "config.h"

#include "capture/probe/callers.h"
#include "capture/sys/alloc.h"
#include "common/compare.h"
#include "common/search.h"

enum { CALL = 0xe8, CALL_LENGTH = 5, BLOCK = 1 << 20, AHEAD = 12 };

struct call {
	uint64_t to, at;
};

struct callers {
	struct elf_file *file;
	size_t n;
	struct call *calls; /* sorted by `to` */
};

static void scan(struct callers *c, uint64_t vaddr, const unsigned char *bytes, size_t n)
{
	const unsigned char *p = bytes, *end = bytes + n;

	while (p < end && (p = memchr(p, CALL, (size_t)(end - p))) && end - p >= CALL_LENGTH) {
		uint64_t at = vaddr + (uint64_t)(p - bytes);
		const struct elf_segment *seg;
		int32_t distance;
		uint64_t to;

		memcpy(&distance, ++p, sizeof(distance));
		to = at + CALL_LENGTH + (uint64_t)(int64_t)distance;
		seg = elf_segment_of(c->file, to);
		if (!seg || !seg->exec)
			continue;
		xgrow(c->calls, c->n);
		c->calls[c->n++] = (struct call){ to, at };
	}
}

static int compare(const void *a, const void *b)
{
	const struct call *x = a, *y = b;

	return compare_pairs(x->to, y->to, x->at, y->at);
}

struct callers *callers_open(struct elf_file *f)
{
	struct callers *c = xcalloc(1, sizeof(*c));
	unsigned char *block = xcalloc(1, BLOCK);

	c->file = f;
	for (size_t i = 0; i < f->nsegments; i++) {
		const struct elf_segment *seg = &f->segments[i];
		uint64_t at = seg->vaddr, end = seg->vaddr + seg->filesz;

		while (seg->exec && at < end) {
			size_t want = end - at < BLOCK ? (size_t)(end - at) : BLOCK;
			size_t n = elf_read(f, at, block, want);

			scan(c, at, block, n);
			if (n < BLOCK)
				break;
			at += BLOCK - (CALL_LENGTH - 1); /* a call may straddle the block's end */
		}
	}
	free(block);
	if (c->n)
		qsort(c->calls, c->n, sizeof(*c->calls), compare);
	return c;
}

void callers_close(struct callers *c)
{
	if (!c)
		return;
	free(c->calls);
	free(c);
}

#ifdef HAVE_ZYDIS
#include <Zydis/Zydis.h>

static bool is(const ZydisDecodedOperand *o, ZydisRegister reg)
{
	return o->type == ZYDIS_OPERAND_TYPE_REGISTER &&
	       ZydisRegisterGetLargestEnclosing(ZYDIS_MACHINE_MODE_LONG_64, o->reg.value) == reg;
}

static bool addresses_by(const ZydisDecodedOperand *o, ZydisRegister reg)
{
	return o->type == ZYDIS_OPERAND_TYPE_MEMORY && (o->mem.base == reg || o->mem.index == reg);
}

enum use { USE_NONE, USE_READ, USE_OVER };

/*
 * How an instruction uses a register: not at all, reads it, or ends the search (overwrites it or
 * leaves the path).
 */
static enum use use_of(const ZydisDecodedInstruction *insn, const ZydisDecodedOperand *operands,
		       ZydisRegister reg)
{
	bool writes = false;

	/* The search goes on with the path on which the branch is not taken. */
	if (insn->meta.category == ZYDIS_CATEGORY_COND_BR)
		return USE_NONE;
	/* push %rax may serve only to reserve 8 bytes of stack. */
	if (insn->mnemonic == ZYDIS_MNEMONIC_PUSH && is(&operands[0], reg))
		return USE_NONE;
	/* A call, jump or return ends the search. */
	if (insn->meta.branch_type != ZYDIS_BRANCH_TYPE_NONE ||
	    insn->meta.category == ZYDIS_CATEGORY_RET ||
	    insn->meta.category == ZYDIS_CATEGORY_SYSCALL ||
	    insn->meta.category == ZYDIS_CATEGORY_INTERRUPT)
		return USE_OVER;
	/* xor %eax,%eax sets the register to 0 without using its value. */
	if ((insn->mnemonic == ZYDIS_MNEMONIC_XOR || insn->mnemonic == ZYDIS_MNEMONIC_SUB ||
	     insn->mnemonic == ZYDIS_MNEMONIC_SBB) && is(&operands[0], reg) &&
	    is(&operands[1], reg))
		return USE_OVER;
	if (insn->mnemonic == ZYDIS_MNEMONIC_NOP)
		return USE_NONE;
	for (int i = 0; i < insn->operand_count; i++) {
		const ZydisDecodedOperand *o = &operands[i];

		if (addresses_by(o, reg) ||
		    (is(o, reg) && o->actions & ZYDIS_OPERAND_ACTION_MASK_READ))
			return USE_READ;
		writes |= is(o, reg) && o->actions & ZYDIS_OPERAND_ACTION_MASK_WRITE;
	}
	return writes ? USE_OVER : USE_NONE;
}

/* True if the code after the call at `at` reads %rax (second: %rdx) before overwriting it. */
static bool reads_result(const struct callers *c, uint64_t at, bool second)
{
	ZydisRegister reg = second ? ZYDIS_REGISTER_RDX : ZYDIS_REGISTER_RAX;
	unsigned char bytes[AHEAD * ZYDIS_MAX_INSTRUCTION_LENGTH];
	size_t n = elf_read(c->file, at + CALL_LENGTH, bytes, sizeof(bytes)), used = 0;
	ZydisDecodedOperand operands[ZYDIS_MAX_OPERAND_COUNT];
	ZydisDecodedInstruction insn;
	ZydisDecoder d;

	if (!ZYAN_SUCCESS(ZydisDecoderInit(&d, ZYDIS_MACHINE_MODE_LONG_64, ZYDIS_STACK_WIDTH_64)))
		return false;
	for (int i = 0; i < AHEAD; i++) {
		enum use use;

		if (!ZYAN_SUCCESS(ZydisDecoderDecodeFull(&d, bytes + used, n - used, &insn,
							 operands)))
			return false;
		use = use_of(&insn, operands, reg);
		if (use != USE_NONE)
			return use == USE_READ;
		used += insn.length;
	}
	return false;
}
#else
static bool reads_result(const struct callers *c, uint64_t at, bool second)
{
	(void)c, (void)at, (void)second;
	return false;
}
#endif

bool callers_use_result(const struct callers *c, uint64_t vaddr, bool second)
{
	size_t first = partition_point(c->n, k, c->calls[k].to < vaddr);

	for (size_t i = first; i < c->n && c->calls[i].to == vaddr; i++) {
		if (reads_result(c, c->calls[i].at, second))
			return true;
	}
	return false;
}

bool callers_any(const struct callers *c, uint64_t vaddr)
{
	size_t first = partition_point(c->n, k, c->calls[k].to < vaddr);

	return first < c->n && c->calls[first].to == vaddr;
}
