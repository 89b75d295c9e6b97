/* SPDX-License-Identifier: MIT */
/*
 * Most functions of Go begin with a check of the stack's room, which the scheduler also uses to
 * stop a goroutine:
 *
 *	f:	cmp    0x10(%r14),%rsp
 *		jbe    more
 *		push   %rbp                       <- behind the check
 *		...
 *	more:	mov    %rax,0x8(%rsp)             arguments are kept
 *		call   runtime.morestack_noctxt   the stack grows, or another goroutine runs
 *		mov    0x8(%rsp),%rax
 *		jmp    f
 *
 * A frame of some size has "lea -N(%rsp),%r12" first, a large one a second jump to `more`. Nothing
 * that precedes these jumps writes to memory or moves an argument.
 */
#include "config.h"

#include <string.h>

#include "capture/probe/reentry.h"
#include "capture/sys/alloc.h"

#ifdef HAVE_ZYDIS
#include <Zydis/Zydis.h>

#include "capture/probe/origins.h"

enum { CHECK_INSTRUCTIONS = 10, MORE_INSTRUCTIONS = 64, MORE_MAX = 1024, SCANNED_MAX = 1 << 20 };

struct scan {
	const struct code *code;
	ZydisDecoder decoder;
	uint64_t start, end; /* of the function */
};

static bool scan_init(struct scan *s, const struct code *code, uint64_t vaddr, uint64_t size)
{
	*s = (struct scan){ .code = code, .start = vaddr, .end = vaddr + size };
	return size && ZYAN_SUCCESS(ZydisDecoderInit(&s->decoder, ZYDIS_MACHINE_MODE_LONG_64,
						     ZYDIS_STACK_WIDTH_64));
}

/* The target of a direct jump or call; 0 if it is none. */
static uint64_t target_of(const struct step *s)
{
	bool relative = s->insn.raw.imm[0].is_relative;

	return relative ? s->next + (uint64_t)s->insn.raw.imm[0].value.s : 0;
}

/* True if the code at `at` calls runtime.morestack and then jumps to the function's beginning. */
static bool grows_stack(const struct scan *s, uint64_t at)
{
	unsigned char bytes[MORE_MAX];
	uint64_t base = at;
	bool called = false;
	struct step step;
	size_t n;

	if (at <= s->start || at >= s->end)
		return false;
	n = elf_read(s->code->elf, at, bytes, sizeof(bytes));
	for (int i = 0; i < MORE_INSTRUCTIONS && at - base < n; i++, at = step.next) {
		if (!step_decode(&s->decoder, bytes + (at - base), n - (size_t)(at - base), at,
				 &step))
			return false;
		switch (step.insn.meta.category) {
		case ZYDIS_CATEGORY_UNCOND_BR:
			return called && target_of(&step) == s->start;
		case ZYDIS_CATEGORY_CALL: {
			const char *name = target_of(&step) ?
				code_name(s->code, target_of(&step)) : NULL;

			if (called || !name || strncmp(name, "runtime.morestack", 17))
				return false;
			called = true;
			break;
		}
		case ZYDIS_CATEGORY_COND_BR:
		case ZYDIS_CATEGORY_RET:
			return false;
		default:
			break;
		}
	}
	return false;
}

/* True if the instruction may be a part of the check: it writes neither memory nor %rsp. */
static bool may_check(const struct step *s)
{
	for (unsigned int i = 0; i < s->insn.operand_count; i++) {
		const ZydisDecodedOperand *o = &s->operands[i];

		if (!(o->actions & ZYDIS_OPERAND_ACTION_MASK_WRITE))
			continue;
		if (o->type == ZYDIS_OPERAND_TYPE_MEMORY ||
		    (o->type == ZYDIS_OPERAND_TYPE_REGISTER &&
		     o->reg.value == ZYDIS_REGISTER_RSP))
			return false;
	}
	return s->insn.meta.branch_type == ZYDIS_BRANCH_TYPE_NONE;
}

uint64_t reentry_behind_check(const struct code *code, uint64_t vaddr, uint64_t size)
{
	unsigned char bytes[CHECK_INSTRUCTIONS * ZYDIS_MAX_INSTRUCTION_LENGTH];
	uint64_t at = vaddr, behind = 0;
	struct step step;
	struct scan s;
	size_t n;

	if (!code->go || !scan_init(&s, code, vaddr, size))
		return 0;
	n = elf_read(code->elf, vaddr, bytes, sizeof(bytes));
	for (int i = 0; i < CHECK_INSTRUCTIONS && at - vaddr < n; i++, at = step.next) {
		if (!step_decode(&s.decoder, bytes + (at - vaddr), n - (size_t)(at - vaddr), at,
				 &step))
			break;
		if (step.insn.meta.category == ZYDIS_CATEGORY_COND_BR) {
			if (!grows_stack(&s, target_of(&step)))
				break;
			behind = step.next;
		} else if (!may_check(&step)) {
			break;
		}
	}
	return behind < s.end ? behind : 0;
}

bool reentry_jump(const struct code *code, uint64_t vaddr, uint64_t size)
{
	unsigned char *bytes;
	uint64_t at = vaddr;
	bool found = false;
	struct step step;
	struct scan s;
	size_t n;

	if (size > SCANNED_MAX || !scan_init(&s, code, vaddr, size))
		return false;
	bytes = xcalloc(size, 1);
	n = elf_read(code->elf, vaddr, bytes, size);
	while (!found && at - vaddr < n &&
	       step_decode(&s.decoder, bytes + (at - vaddr), n - (size_t)(at - vaddr), at, &step)) {
		found = (step.insn.meta.category == ZYDIS_CATEGORY_COND_BR ||
			 step.insn.meta.category == ZYDIS_CATEGORY_UNCOND_BR) &&
			target_of(&step) == vaddr;
		at = step.next;
	}
	free(bytes);
	return found;
}

#else /* !HAVE_ZYDIS */

uint64_t reentry_behind_check(const struct code *code, uint64_t vaddr, uint64_t size)
{
	(void)code, (void)vaddr, (void)size;
	return 0;
}

bool reentry_jump(const struct code *code, uint64_t vaddr, uint64_t size)
{
	(void)code, (void)vaddr, (void)size;
	return false;
}

#endif
