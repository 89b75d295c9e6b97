/* SPDX-License-Identifier: MIT */
/*
 * Two kinds of stack walks end a program that has the trampoline's address on its stack:
 *
 * - An exception (C++, Rust's panic, pthread_cancel): the unwinder finds no .eh_frame entry for the
 *   address, takes it for the end of the stack, and treats the exception as uncaught.
 * - Go's runtime, which copies stacks that grow and scans them for garbage collection.
 *
 * Besides, a function that no call instruction enters (Haskell) has no return address on top of the
 * stack: the trampoline's address overwrites a value of the program.
 */
#include "config.h"

#include <stdio.h>
#include <stdlib.h>

#include "capture/probe/gosymbols.h"
#include "capture/probe/trampoline.h"
#include "capture/sys/alloc.h"

#ifdef HAVE_ZYDIS
#include <Zydis/Zydis.h>

#include "capture/probe/origins.h"

enum { MAX_LENGTH = 4 << 20 };

bool trampoline_has_return(const struct target *t, uint64_t vaddr, uint64_t length)
{
	unsigned char *bytes = length && length <= MAX_LENGTH ? xcalloc(1, length) : NULL;
	ZydisDecoder decoder;
	bool found = !bytes || elf_read(t->elf, vaddr, bytes, length) < length ||
		     !ZYAN_SUCCESS(ZydisDecoderInit(&decoder, ZYDIS_MACHINE_MODE_LONG_64,
						    ZYDIS_STACK_WIDTH_64));
	struct step s;

	for (uint64_t at = 0; at < length && !found;) {
		bool known = step_decode(&decoder, bytes + at, length - at, vaddr + at, &s);

		found = known && s.insn.mnemonic == ZYDIS_MNEMONIC_RET;
		at += known ? s.insn.length : 1;
	}
	free(bytes);
	return found;
}

#else /* !HAVE_ZYDIS */

bool trampoline_has_return(const struct target *t, uint64_t vaddr, uint64_t length)
{
	(void)t, (void)vaddr, (void)length;
	return true;
}

#endif

const char *trampoline_danger(struct target *t, uint64_t vaddr, uint64_t length, char *buf,
			      size_t size)
{
	const struct code *code = target_code(t);
	const struct frame *frame = frames_at(code->frames, vaddr);
	const enum frames_stack stack = frames_stack(code->frames, vaddr);
	const char *name, *language;

	if (stack == FRAMES_BELOW)
		return "by its unwind table, no return address is on top of the stack there";
	if (stack == FRAMES_UNKNOWN && !trampoline_has_return(t, vaddr, length))
		return "it has no ret instruction, so no return address may be on top of the stack";
	if (gosymbols_is_go(t->elf))
		return "Go's runtime cannot find the return address";
	if (frame && frame->lsda)
		return "an exception that passes through the function would not be caught";
	language = dwarf_unwinding_language(t->dwarf, vaddr);
	if (language) {
		snprintf(buf, size, "an exception that passes through it would not be caught (%s)",
			 language);
		return buf;
	}
	name = code_unwinder(target_code(t));
	if (!name)
		return NULL;
	snprintf(buf, size, "an exception that passes through it would not be caught (%s uses %s)",
		 t->file->given, name);
	return buf;
}
