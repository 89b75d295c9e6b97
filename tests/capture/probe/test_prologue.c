/* SPDX-License-Identifier: MIT */
#include "config.h"

#include <criterion/criterion.h>

#include "capture/probe/prologue.h"
#include "tests/capture/probe/self.h"

/* Defines a function "prologue_NAME" in the test program. */
#define FUNCTION(name, body)                                                                      \
	__asm__(".text\n.globl prologue_" name "\n.type prologue_" name ", @function\n"           \
		"prologue_" name ":\n" body "\nret\n.size prologue_" name ", . - prologue_" name  \
		"\n")

FUNCTION("plain", "mov %rdi,%rax\nmov %rax,-16(%rsp)\nmov %sil,-24(%rsp)");
FUNCTION("high", "mov %rdi,%rax\nmov %cl,%ah\nmov %rax,-16(%rsp)\nmov %al,-24(%rsp)");
FUNCTION("high_loaded", "mov %rdi,%rax\nmov (%rsi),%ah\nmov %rax,-16(%rsp)");
FUNCTION("from_high", "mov %rdi,%rax\nmov %ah,%cl\nmov %cl,-16(%rsp)\nmov %rax,-24(%rsp)");
FUNCTION("bool", "mov %edi,%eax\nand $1,%al\nmov %al,-16(%rsp)\nmov %eax,-24(%rsp)");
FUNCTION("high_bool", "mov %rdi,%rax\nand $1,%ah\nmov %rax,-16(%rsp)");

enum { RDI = 5 };

static struct elf_file *file;

static void setup(void)
{
	file = self_open();
}

static void teardown(void)
{
	elf_free(file);
}

TestSuite(prologue, .init = setup, .fini = teardown);

/*
 * Expects that `bytes` low bytes of `from` are stored at `at`(%rsp); 0: something else is stored
 * there.
 */
static void stored(const char *function, int at, int from, unsigned int bytes)
{
	const struct elf_symbol *s;
	struct prologue p;
	bool ambiguous;

	s = elf_symbol_named(file, function, 0, &ambiguous);
	cr_assert(s, "%s", function);
	prologue_read(file, s->vaddr, s->size, &p);
	for (size_t i = 0; i < p.n; i++) {
		const struct prologue_move *m = &p.moves[i];

		if (m->to >= 0 || m->slot != at - 8)
			continue;
		cr_expect_eq(m->from == from ? m->bytes : 0, bytes, "%s, %d: %u bytes of %d",
			     function, at, m->bytes, m->from);
		return;
	}
	cr_assert_fail("%s stores nothing at %d", function, at);
}

Test(prologue, what_is_copied_is_followed)
{
	stored("prologue_plain", -16, RDI, 8);
	stored("prologue_plain", -24, 4, 1);
}

Test(prologue, a_write_to_the_second_byte_leaves_the_first)
{
	stored("prologue_high", -16, RDI, 1);
	stored("prologue_high", -24, RDI, 1);
	stored("prologue_high_loaded", -16, RDI, 1);
}

Test(prologue, the_second_byte_is_no_parameter)
{
	stored("prologue_from_high", -16, RDI, 0);
	stored("prologue_from_high", -24, RDI, 8);
}

Test(prologue, a_bool_keeps_its_byte)
{
	stored("prologue_bool", -16, RDI, 1);
	stored("prologue_bool", -24, RDI, 1);
	stored("prologue_high_bool", -16, RDI, 0);
}
