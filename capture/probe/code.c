/* SPDX-License-Identifier: MIT */
/* Analysis of a file's whole code. The functions that need the disassembler are in flow.c. */
#include "config.h"

#include "capture/probe/flow.h"
#include "capture/probe/gosymbols.h"
#include "capture/sys/alloc.h"
#include "common/array.h"

struct code *code_open(struct elf_file *elf)
{
	struct code *code = xcalloc(1, sizeof(*code));

	code->elf = elf;
	code->frames = frames_open(elf);
	code->relocs = relocs_open(elf);
	code->go = gosymbols_is_go(elf);
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

static const struct callers *callers_of(struct code *code)
{
	if (!code->callers)
		code->callers = callers_open(code->elf);
	return code->callers;
}

bool code_result_used(struct code *code, uint64_t vaddr, enum ret_proof proof)
{
	if (proof != PROOF_PAIR && relocs_pointer(code->relocs, vaddr, vaddr + 1, 0))
		return true;
	return callers_use_result(callers_of(code), vaddr, false) &&
	       (proof == PROOF_USED || proof == PROOF_ADDRESS ||
		callers_use_result(callers_of(code), vaddr, true));
}

bool code_called(struct code *code, uint64_t vaddr)
{
	return relocs_pointer(code->relocs, vaddr, vaddr + 1, 0) ||
	       callers_any(callers_of(code), vaddr);
}

/*
 * Symbols that a program or library imports or defines if it throws exceptions or lets them pass.
 */
static const char *const unwinder[] = {
	"_Unwind_RaiseException", "_Unwind_Resume", "__cxa_throw", "__cxa_begin_catch",
	"__gxx_personality_v0", "rust_eh_personality", "__gcc_personality_v0",
	"_Unwind_ForcedUnwind",
};

static const char *uses_unwinder(struct elf_file *f)
{
	elf_read_symbols(f);
	for (size_t i = 0; i < ARRAY_SIZE(unwinder); i++) {
		if (elf_imports(f, unwinder[i]))
			return unwinder[i];
	}
	for (size_t k = 0; k < f->nsymbols; k++) {
		for (size_t i = 0; i < ARRAY_SIZE(unwinder); i++) {
			if (!strcmp(f->symbols[k].name, unwinder[i]))
				return unwinder[i];
		}
	}
	return NULL;
}

const char *code_unwinder(struct code *code)
{
	if (!code->unwinder_known)
		code->unwinder = uses_unwinder(code->elf);
	code->unwinder_known = true;
	return code->unwinder;
}

bool code_throws(struct code *code)
{
	static const char raise[] = "_Unwind_RaiseException", of_c[] = "__gcc_personality_v0";
	bool linked = false;

	if (!code_unwinder(code))
		return false;
	/* libc unwinds the stacks of threads that end, so statically linked C has an unwinder. */
	for (size_t i = 0; i < code->elf->nsymbols; i++) {
		const char *name = code->elf->symbols[i].name;

		if (strstr(name, "_personality") && !strstr(name, of_c))
			return true;
		linked |= !strcmp(name, raise);
	}
	return !linked || elf_exports(code->elf, raise);
}

bool code_leaves(const char *name, enum flow_kind *kind)
{
	static const char *const unwinding[] = { "_Unwind_Resume", "_Unwind_Resume_or_Rethrow",
						 "__cxa_throw", "__cxa_rethrow" };
	static const char *const jumping[] = { "longjmp", "_longjmp", "siglongjmp",
					       "__longjmp_chk", "pthread_exit" };
	size_t len = name ? strcspn(name, "@") : 0;

	for (size_t i = 0; i < ARRAY_SIZE(unwinding); i++) {
		*kind = FLOW_UNWIND;
		if (strlen(unwinding[i]) == len && !memcmp(unwinding[i], name, len))
			return true;
	}
	for (size_t i = 0; i < ARRAY_SIZE(jumping); i++) {
		*kind = FLOW_LONGJMP;
		if (strlen(jumping[i]) == len && !memcmp(jumping[i], name, len))
			return true;
	}
	*kind = FLOW_UNWIND;
	return name && !strncmp(name, "_ZSt", 4) && strstr(name, "__throw_");
}
