/* SPDX-License-Identifier: MIT */
/* Functions that make a conditional tail call, called with each state of the flags. */
#include <stdio.h>
#include <string.h>

static unsigned long jumped;

__attribute__((noinline, used)) void zoo_other(void)
{
	jumped++;
}

/* The state of the flags is the argument. */
#define UNDER(cc)                                                                            \
	void cond_##cc(unsigned long flags);                                                 \
	__asm__(".text\n.globl cond_" #cc "\n.type cond_" #cc ", @function\ncond_" #cc ":\n" \
		".cfi_startproc\npush %rdi\n.cfi_def_cfa_offset 16\npopf\n"                  \
		".cfi_def_cfa_offset 8\nj" #cc " zoo_other\nret\n.cfi_endproc\n"             \
		".size cond_" #cc ", . - cond_" #cc "\n")
#define ALL(what) what(o) what(no) what(b) what(ae) what(e) what(ne) what(be) what(a) \
		  what(s) what(ns) what(p) what(np) what(l) what(ge) what(le) what(g)
#define DEFINE(cc) UNDER(cc);
ALL(DEFINE)

/* Jumps if the number is not 0. */
void text_jump(const char *text, int n);
__asm__(".text\n.globl text_jump\n.type text_jump, @function\ntext_jump:\n.cfi_startproc\n"
	"test %esi,%esi\njne zoo_other\nret\n.cfi_endproc\n.size text_jump, . - text_jump\n");

/* Two conditional jumps and an unconditional one. */
void cond_three(unsigned long flags);
__asm__(".text\n.globl cond_three\n.type cond_three, @function\ncond_three:\n.cfi_startproc\n"
	"push %rdi\n.cfi_def_cfa_offset 16\npopf\n.cfi_def_cfa_offset 8\njl zoo_other\n"
	"je zoo_other\njc 1f\njmp zoo_other\n1: ret\n.cfi_endproc\n.size cond_three, . - cond_three\n");

#define FUNCTION(cc) { #cc, cond_##cc },
static const struct {
	const char *name;
	void (*call)(unsigned long flags);
} functions[] = { ALL(FUNCTION) { "three", cond_three } };

int main(void)
{
	static const unsigned long flags[] = { 1, 4, 64, 128, 2048 };
	static const size_t sizes[] = { 10, 4080, 5000, 0 };
	static char text[5001];

	for (size_t i = 0; i < sizeof(functions) / sizeof(functions[0]); i++) {
		jumped = 0;
		for (unsigned int state = 0; state < 32; state++) {
			unsigned long word = 2;

			for (int k = 0; k < 5; k++)
				word |= state & 1U << k ? flags[k] : 0;
			functions[i].call(word);
		}
		printf("%s %lu\n", functions[i].name, jumped);
	}
	for (size_t i = 0; i < 4; i++) {
		memset(text, 'x', sizes[i]);
		text[sizes[i]] = '\0';
		text_jump(text, 0);
		text_jump(text, 1);
	}
	return 0;
}
