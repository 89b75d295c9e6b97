/* SPDX-License-Identifier: MIT */
/*
 * Two kinds of stack walks end a program that has the trampoline's address on its stack:
 *
 * - An exception (C++, Rust's panic, pthread_cancel): the unwinder finds no .eh_frame entry for the
 *   address, takes it for the end of the stack, and treats the exception as uncaught.
 * - Go's runtime, which copies stacks that grow and scans them for garbage collection.
 */
#include "config.h"

#include <stdio.h>

#include "capture/probe/gosymbols.h"
#include "capture/probe/trampoline.h"

const char *trampoline_danger(struct target *t, uint64_t vaddr, char *buf, size_t size)
{
	const struct code *code = target_code(t);
	const struct frame *frame = frames_at(code->frames, vaddr);
	const char *name, *language;

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
