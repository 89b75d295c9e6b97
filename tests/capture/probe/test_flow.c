/* SPDX-License-Identifier: MIT */
#include "config.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

#include "capture/probe/flow.h"
#include "tests/capture/probe/self.h"

/* Defines a function "flow_NAME" in the test program. */
#define FUNCTION(name, body)                                                                      \
	__asm__(".text\n.globl flow_" name "\n.type flow_" name ", @function\nflow_" name ":\n"   \
		".cfi_startproc\n" body "\n.cfi_endproc\n"                                        \
		".size flow_" name ", . - flow_" name "\n")

/* bnd ret */
FUNCTION("rets",
	 "test %edi,%edi\nje 1f\nret\n1: test %esi,%esi\njs 2f\nrep ret\n2: .byte 0xf2\nret");
FUNCTION("pushes", "push %rbx\n.cfi_def_cfa_offset 16\ncall flow_rets\npop %rbx\n"
		   ".cfi_def_cfa_offset 8\nret");
FUNCTION("tail", "test %edi,%edi\nje 1f\njmp flow_rets\n1: jmp *8(%rdi)");
FUNCTION("conditional", "test %edi,%edi\nje flow_rets\njg flow_tail\nret");
FUNCTION("counted", "jrcxz flow_near\nret");
FUNCTION("near", "ret");
FUNCTION("nameless", "test %edi,%edi\nje .Lflow_part\nret");
__asm__(".cfi_startproc\n.Lflow_part: ret\n.cfi_endproc\n");
FUNCTION("nobody", "ret\nflow_dead: mov $1,%eax\nret");
FUNCTION("loaded", "lea 1f(%rip),%rdi\ncall flow_rets\nud2\n1: mov $1,%eax\nret");
FUNCTION("kept", "call flow_rets\nud2\nflow_label2: mov $1,%eax\nret");
__asm__(".section .data.rel.ro,\"aw\"\n.align 8\n.quad flow_label2\n.text\n");
FUNCTION("table", "cmp $2,%edi\nja 9f\nlea flow_entries(%rip),%rdx\nmov %edi,%edi\n"
		  "movslq (%rdx,%rdi,4),%rax\nadd %rdx,%rax\nnotrack jmp *%rax\n"
		  "flow_case0: mov $1,%eax\nret\nflow_case1: mov $2,%eax\nret\n"
		  "flow_case2: jmp flow_rets\n9: ret");
__asm__(".section .rodata\n.align 4\nflow_entries: .long flow_case0 - ., flow_case1 - . + 4,"
	" flow_case2 - . + 8, 7\n.text\n");
/* nothing compares the index: the table ends where an entry is no code of the function */
FUNCTION("open", "lea flow_targets(%rip),%rdx\nmov %edi,%edi\nmovslq (%rdx,%rdi,4),%rax\n"
		 "add %rdx,%rax\nnotrack jmp *%rax\n"
		 "flow_target0: mov $1,%eax\nret\nflow_target1: mov $2,%eax\nret");
__asm__(".section .rodata\n.align 4\nflow_targets: .long flow_target0 - ., flow_target1 - . + 4,"
	" 7\n.text\n");
FUNCTION("computed", "lea flow_labels(%rip),%rdx\njmp *(%rdx,%rdi,8)\n"
		     "flow_label0: mov $1,%eax\nret\nflow_label1: mov $2,%eax\nret");
__asm__(".section .data.rel.ro,\"aw\"\n.align 8\nflow_labels: .quad flow_label0, flow_label1\n"
	".text\n");
FUNCTION("unknown", "push %rbx\n.cfi_def_cfa_offset 16\njmp *%rdi\n"
		    "pop %rbx\n.cfi_def_cfa_offset 8\nret");
FUNCTION("split", "test %edi,%edi\njne flow_split_rare\nret");
__asm__(".section .text.unlikely,\"ax\"\n.type flow_split.cold, @function\nflow_split.cold:\n"
	"flow_split_rare: mov $1,%eax\nret\n.size flow_split.cold, . - flow_split.cold\n.text\n");
FUNCTION("pushed_ret", "push %rdi\n.cfi_def_cfa_offset 16\nret");
FUNCTION("overlap", "test %edi,%edi\nje 1f+1\n1: mov $0xc3,%eax\nret");
FUNCTION("runs_on", "nop");
FUNCTION("outer", "test %edi,%edi\n.globl flow_inner\n.type flow_inner, @function\nflow_inner:\n"
		  "ret\n.size flow_inner, 1");
FUNCTION("throws", "test %edi,%edi\nje 1f\ncall _Unwind_Resume\n1: call longjmp\nnop");
FUNCTION("locks", "test %edi,%edi\nje 1f+1\n1: lock decl (%rdi)\nret");

/* These must exist for the linker; the code is never run. */
void _Unwind_Resume(void *exception) __attribute__((weak));
void _Unwind_Resume(void *exception)
{
	(void)exception;
}

static struct elf_file *file;
static struct code *code;
static char why[256];

static void setup(void)
{
	file = self_open();
	code = code_open(file);
}

static void teardown(void)
{
	code_close(code);
	elf_free(file);
}

TestSuite(flow, .init = setup, .fini = teardown);

static bool read_function(const char *name, struct flow *flow, uint64_t *vaddr)
{
	bool ambiguous;
	const struct elf_symbol *s = elf_symbol_named(file, name, 0, &ambiguous);

	cr_assert(s, "%s", name);
	*vaddr = s->vaddr;
	return flow_read(code, s->vaddr, s->size, flow, why, sizeof(why));
}

/*
 * Expects the exits of the function to be `want`: "kind+offset" of each, in the order of flow_exit.
 */
static void left_by(const char *name, const char *want)
{
	static const char kinds[] = { 'r', 't', 'u', 'l' };
	char text[256] = "";
	struct flow flow;
	uint64_t vaddr;

	cr_assert(read_function(name, &flow, &vaddr), "%s: %s", name, why);
	for (size_t i = 0; i < flow.n; i++) {
		size_t n = strlen(text);

		snprintf(text + n, sizeof(text) - n, "%s%c+%llx", i ? " " : "",
			 kinds[flow.exits[i].kind],
			 (unsigned long long)(flow.exits[i].vaddr - vaddr));
	}
	cr_assert_str_eq(text, want);
	flow_free(&flow);
}

static void not_whole(const char *name, const char *because)
{
	struct flow flow;
	uint64_t vaddr;

	cr_assert_not(read_function(name, &flow, &vaddr), "%s", name);
	cr_assert(strstr(why, because), "%s", why);
	cr_assert_eq(flow.n, 0);
	cr_assert_null(flow.exits, "%s: nothing is left to be freed", name);
}

Test(flow, every_ret_is_found_with_its_prefixes)
{
	left_by("flow_rets", "r+4 r+9 r+b");
	left_by("flow_pushes", "r+7");
}

Test(flow, tail_calls_are_told_from_returns)
{
	struct flow flow;
	uint64_t vaddr;

	left_by("flow_tail", "t+4 t+6");
	cr_assert(read_function("flow_tail", &flow, &vaddr));
	cr_assert_str_eq(flow.exits[0].name, "flow_rets");
	cr_assert_str_eq(flow.exits[1].name, "");
	flow_free(&flow);
}

Test(flow, tail_calls_under_a_condition)
{
	struct flow flow;
	uint64_t vaddr;

	left_by("flow_conditional", "r+6 t+2 t+4");
	cr_assert(read_function("flow_conditional", &flow, &vaddr));
	cr_assert_eq(flow.exits[0].condition, FLOW_ALWAYS);
	cr_assert_eq(flow.exits[1].condition, 4, "jump if equal");
	cr_assert_eq(flow.exits[2].condition, 15, "jump if greater");
	cr_assert_str_eq(flow.exits[1].name, "flow_rets");
	flow_free(&flow);
}

Test(flow, labels_that_others_may_jump_to)
{
	left_by("flow_loaded", "r+13");
	left_by("flow_kept", "r+c");
}

Test(flow, targets_of_jump_tables)
{
	struct flow flow;
	uint64_t vaddr;

	cr_assert(read_function("flow_table", &flow, &vaddr), "%s", why);
	cr_assert_eq(flow.n, 4);
	cr_assert_eq(flow.exits[2].kind, FLOW_RETURN);
	cr_assert_eq(flow.exits[3].kind, FLOW_TAIL);
	flow_free(&flow);
	left_by("flow_open", "r+18 r+1e");
	left_by("flow_computed", "r+f r+15");
}

Test(flow, the_rare_part_belongs_to_it)
{
	struct flow flow;
	uint64_t vaddr;

	cr_assert(read_function("flow_split", &flow, &vaddr), "%s", why);
	cr_assert_eq(flow.n, 2);
	flow_free(&flow);
}

Test(flow, calls_that_do_not_come_back)
{
	left_by("flow_throws", "u+4 l+9");
}

Test(flow, a_jump_behind_a_lock_prefix)
{
	left_by("flow_locks", "r+7");
}

Test(flow, what_is_not_known_whole_is_refused)
{
	not_whole("flow_counted", "exits by a conditional jump at +0x0");
	not_whole("flow_nameless", "conditional jump at +0x2 to an unknown function");
	not_whole("flow_nobody", "no path to its exit at +0x6 is known");
	not_whole("flow_unknown", "no path to its exit at");
	not_whole("flow_pushed_ret", "the ret at +0x1 does not return to the caller");
	not_whole("flow_overlap", "decodes in two ways");
	not_whole("flow_runs_on", "runs on past its end");
	not_whole("flow_outer", "flow_inner begins inside it");
}
