/* SPDX-License-Identifier: MIT */
#include "config.h"

#include <criterion/criterion.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "capture/probe/insn.h"
#include "common/array.h"

/* nop(1) push(1) mov(5) jmp(2) nop(5) in/out, lock, ret. */
__asm__(".text\n.globl test_insn_code\n.type test_insn_code, @function\ntest_insn_code:\n"
	"nop\npush %rbp\nmov $1, %eax\njmp 1f\n1: nopw 0x0(%rax,%rax,1)\nin %dx, %al\n"
	"lock incl (%rax)\ncall *%rax\nret\n.size test_insn_code, . - test_insn_code\n");

static struct elf_file *self(uint64_t *vaddr)
{
	struct trawl_error err = { 0 };
	struct elf_file *f = elf_open(open("/proc/self/exe", O_RDONLY), "self", "self", &err);
	bool ambiguous;
	const struct elf_symbol *s = f ? elf_symbol_named(f, "test_insn_code", 0, &ambiguous)
				       : NULL;

	cr_assert(s, "%s", err.text);
	*vaddr = s->vaddr;
	return f;
}

Test(insn, costs)
{
	static const struct {
		unsigned int at;
		const char *class;
	} want[] = { { 0, "nop" }, { 1, "push" }, { 2, "step" }, { 7, "branch" }, { 9, "nop" },
		     { 14, "refused" }, { 15, "refused" }, { 18, "step" }, { 20, "step" } };
	uint64_t start;
	struct elf_file *f = self(&start);

	if (!insn_known())
		cr_skip_test("built without Zydis");
	for (size_t i = 0; i < ARRAY_SIZE(want); i++)
		cr_assert_str_eq(insn_class(f, start + want[i].at), want[i].class, "+%u",
				 want[i].at);
	elf_free(f);
}

Test(insn, boundaries)
{
	struct insn_around around;
	uint64_t start;
	struct elf_file *f = self(&start);

	if (!insn_known())
		cr_skip_test("built without Zydis");
	cr_assert_eq(insn_boundary(f, start, start, &around), INSN_AT);
	cr_assert_eq(insn_boundary(f, start, start + 7, &around), INSN_AT);
	for (unsigned int at = 3; at < 7; at++) {
		cr_assert_eq(insn_boundary(f, start, start + at, &around), INSN_INSIDE);
		cr_assert_eq(around.begin - start, 2);
		cr_assert_eq(around.next - start, 7);
		cr_assert(strstr(around.text, "mov"), "%s", around.text);
	}
	elf_free(f);
}
