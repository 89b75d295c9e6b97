/* SPDX-License-Identifier: MIT */
/* The code of a file as a whole; what of it needs the disassembler is in flow.c. */
#include "config.h"

#include "capture/probe/flow.h"
#include "capture/sys/alloc.h"

struct code *code_open(struct elf_file *elf)
{
	struct code *code = xcalloc(1, sizeof(*code));

	code->elf = elf;
	code->frames = frames_open(elf);
	code->relocs = relocs_open(elf);
	return code;
}

void code_close(struct code *code)
{
	if (!code)
		return;
	frames_close(code->frames);
	relocs_close(code->relocs);
	callers_close(code->callers);
	free(code);
}

bool code_result_used(struct code *code, uint64_t vaddr)
{
	if (relocs_pointer(code->relocs, vaddr, vaddr + 1, 0))
		return true;
	if (!code->callers)
		code->callers = callers_open(code->elf);
	return callers_use_result(code->callers, vaddr);
}

bool code_leaves(const char *name, enum flow_kind *kind)
{
	static const char *const unwinding[] = { "_Unwind_Resume", "_Unwind_Resume_or_Rethrow",
						 "__cxa_throw", "__cxa_rethrow" };
	static const char *const jumping[] = { "longjmp", "_longjmp", "siglongjmp",
					       "__longjmp_chk", "pthread_exit" };
	size_t len = name ? strcspn(name, "@") : 0;

	for (size_t i = 0; i < sizeof(unwinding) / sizeof(*unwinding); i++) {
		*kind = FLOW_UNWIND;
		if (strlen(unwinding[i]) == len && !memcmp(unwinding[i], name, len))
			return true;
	}
	for (size_t i = 0; i < sizeof(jumping) / sizeof(*jumping); i++) {
		*kind = FLOW_LONGJMP;
		if (strlen(jumping[i]) == len && !memcmp(jumping[i], name, len))
			return true;
	}
	*kind = FLOW_UNWIND;
	return name && !strncmp(name, "_ZSt", 4) && strstr(name, "__throw_");
}
