/* SPDX-License-Identifier: MIT */
/*
 * Every form that an argument of a USDT probe may have, with known values: forms hits each probe
 * of provider "forms" once and prints what a trace must show, a JSON object a line:
 *
 *	{"name":"forms:reg32","fields":{"arg1":-7,"arg2":4000000000}}
 *
 * null stands for a value that cannot be recorded. Most probes are written in assembly, so that
 * their operands do not depend on the compiler.
 */
#include <stdint.h>
#include <stdio.h>
#include <sys/sdt.h>

/* A function run_NAME that runs `before`, hits forms:NAME with `args`, runs `after`. */
#define FORM_CODE(name, ...)                                                                       \
	__asm__(".pushsection .text\n.globl run_" #name "\n.type run_" #name                    \
		", @function\nrun_" #name ":\n" __VA_ARGS__ "\tret\n.size run_" #name            \
		", . - run_" #name "\n.popsection\n");                                            \
	void run_##name(void);
#define FORM(name, before, args, after)                                                            \
	FORM_CODE(name, SAVE before "\n" STAP_PROBE_ASM(forms, name, args) after "\n" RESTORE)
#define SITE(name, args) STAP_PROBE_ASM(forms, name, args)
#define SAVE    "push %rbx; push %rbp; push %r12; push %r13; push %r14; push %r15\n"
#define RESTORE "\npop %r15; pop %r14; pop %r13; pop %r12; pop %rbp; pop %rbx\n"

/* The memory operands read from this. */
int64_t form_table[8] = { 100, 101, -102, 103, 104, 105, 106, 107 };
int32_t form_data = 77;
uint16_t form_bss[4];
int32_t form_ints[32] = { 0, 1, 4, 9, 16, 25, 36, 49, 64, -81, 100 };
const char form_text[] = "hello, form";
const char *form_texts[2] = { form_text, form_text + 7 };
static int32_t hidden_data __attribute__((used)) = -4242;

/* ---- registers ---- */
FORM(reg64,
     "movabs $0x1111111111111101, %rax; movabs $0x2222222222222202, %rbx\n"
     "movabs $0x3333333333333303, %rcx; movabs $0x4444444444444404, %rdx\n"
     "movabs $0x5555555555555505, %rsi; movabs $0x6666666666666606, %rdi\n"
     "movabs $0x7777777777777707, %rbp; movabs $0x0888888888888808, %r8\n"
     "movabs $0x0999999999999909, %r9; movabs $0x0aaaaaaaaaaaaa0a, %r10\n"
     "movabs $0x0bbbbbbbbbbbbb0b, %r11; movabs $0xcccccccccccccc0c, %r12",
     8@%rax 8@%rbx 8@%rcx 8@%rdx 8@%rsi 8@%rdi 8@%rbp 8@%r8 8@%r9 8@%r10 8@%r11 8@%r12, "")
FORM(reg64s, "mov $-13, %r13; mov $-14, %r14; movabs $-9223372036854775808, %r15",
     -8@%r13 -8@%r14 -8@%r15, "")
FORM(reg32,
     "movabs $0xdeadbeeffffffff9, %rax; mov $4000000000, %ebx; mov $-8, %r8d\n"
     "movabs $0xdeadbeef0000000f, %r15; mov $-2147483648, %edi",
     -4@%eax 4@%ebx -4@%r8d 4@%r15d -4@%edi, "")
FORM(reg16, "mov $0xdead8000, %eax; mov $0xdeadffff, %ebx; mov $-9, %r9d; mov $65000, %esi",
     -2@%ax 2@%bx -2@%r9w 2@%si, "")
FORM(reg8,
     "mov $0xde80, %eax; mov $0xdeff, %ebx; mov $-1, %esi; mov $200, %edi; mov $201, %ebp\n"
     "mov $202, %r10d; mov $-3, %r11d",
     -1@%al 1@%bl -1@%sil 1@%dil 1@%bpl 1@%r10b -1@%r11b, "")
FORM(high8, "mov $0xf1aa, %eax; mov $0x02bb, %ebx; mov $0x83cc, %ecx; mov $0x04dd, %edx",
     1@%ah 1@%bh 1@%ch 1@%dh, "")
FORM(high8s, "mov $0xf1aa, %eax; mov $0x7fbb, %ebx", -1@%ah -1@%bh, "")
/* The size before the @ counts, not the register's name. */
FORM(sized, "movabs $0x11223344fffffffe, %rax; mov $0x1ff, %ebx; mov $0x12345, %ecx",
     -4@%rax 1@%rbx 2@%ecx, "")
/* Without sizes, as in notes written by hand: the size is the register's, or 8 bytes. */
FORM(unsized, "mov $-5, %eax; movabs $0x1234567890, %rbx; mov $0xfffe, %ecx; push $99",
     %eax %rbx %cx (%rsp), "add $8, %rsp")

/* ---- memory ---- */
FORM(stack,
     "push $-5; push $66; lea 32(%rsp), %rbp; mov %rsp, %r12",
     8@(%rsp) -8@8(%rsp) -4@-24(%rbp) 2@-32(%rbp) -1@8(%r12) 4@0x0(%r12), "add $16, %rsp")
FORM(memory, "lea form_table(%rip), %rdi; lea 16+form_table(%rip), %r13; xor %eax, %eax",
     -8@(%rdi) 8@8(%rdi) -8@16(%rdi) -4@(%r13) -2@(%r13) -1@-8(%r13), "")
FORM(rip, "movw $600, form_bss+4(%rip)",
     -4@form_data(%rip) -8@form_table+8(%rip) 8@24+form_table(%rip) 2@form_bss+4(%rip)
     -4@hidden_data(%rip) -4@form_data -8@form_table+16, "")

/* ---- constants ---- */
FORM(constant, "",
     -4@$5 -4@$-5 8@$-9 4@$-1 1@$255 -1@$-128 -2@$-300 8@$0x7fffffffffffffff
     -8@$-9223372036854775808 4@$4294967295 -4@$0xfffffffe, "")

/* ---- array elements: base + index * scale ---- */
FORM(sib, "lea form_ints(%rip), %rdi; mov $9, %esi", -4@(%rdi,%rsi,4), "")
FORM(sibs,
     "lea form_table(%rip), %rbx; mov $1, %ecx; lea form_ints(%rip), %rdx; mov $10, %r8d\n"
     "lea form_text(%rip), %r9; mov $4, %r10d",
     -8@8(%rbx,%rcx,8) -4@(%rdx,%r8,4) 1@(%r9,%r10) 2@-4(%rdx,%rcx,4), "")
/* Too far away for the window that is recorded. */
FORM(sibfar, "lea form_ints(%rip), %rdi; sub $4000, %rdi; mov $1001, %esi", -4@(%rdi,%rsi,4), "")

/* ---- floating point ---- */
FORM(floats, "movabs $0x3ff8000000000000, %rax; movl $0xbf000000, -16(%rsp)\n"
     "movq %rax, %xmm0; movq %rax, -24(%rsp)",
     8f@%rax 4f@-16(%rsp) 8f@%xmm0 4f@%xmm0 8f@-24(%rsp), "")

/* ---- operands that cannot be read ---- */
FORM(reach, "mov $3, %eax", -4@%fs:form_data@tpoff 16@%rax -4@%eax -4@%st(0), "")

/* ---- text ---- */
FORM(text, "lea form_text(%rip), %rdi; lea form_texts(%rip), %rsi",
     8@%rdi 8@8(%rsi) 8@form_texts(%rip), "")

/* ---- no arguments ---- */
FORM(none, "", , "")

/* ---- one probe, several sites ---- */
FORM_CODE(multi, "mov $11, %edi\n" SITE(multi, -4@%edi 8@$1)
	  "push $22\nmov $2, %esi\n" SITE(multi, -4@(%rsp) 8@%rsi) "pop %rax\nmov $3, %r9d\n"
	  SITE(multi, -4@$33 8@%r9))
/* Sites with different sizes and signs. */
FORM_CODE(mixed, "mov $-1, %eax\n" SITE(mixed, -4@%eax) "movabs $0x123456789abcdef0, %rcx\n"
	  SITE(mixed, 8@%rcx) "mov $0xfe01, %eax\n" SITE(mixed, -1@%ah) SITE(mixed, -2@$-2))
/* One site lacks an argument that the other has. */
FORM_CODE(partial, "mov $1, %eax; mov $2, %ecx\n" SITE(partial, -4@%eax -4@%ecx)
	  SITE(partial, -4@%xmm0))
/* An array element at one site, a register at the other. */
FORM_CODE(sibmix, "lea form_ints(%rip), %rdi; mov $3, %esi\n" SITE(sibmix, -4@(%rdi,%rsi,4))
	  "mov $-4, %eax\n" SITE(sibmix, -4@%eax))

/* ---- what a compiler makes of it ---- */
struct point {
	int x;
	long y;
	const char *name;
};

static inline __attribute__((always_inline)) void show(const struct point *p, int i, short s)
{
	DTRACE_PROBE6(forms, compiled, i, p->x, p->y, p->name, form_table[i], s);
}

static __attribute__((noinline)) void compiled(const struct point *p, int i)
{
	show(p, i, -1);
	show(p, 2, (short)(i + 10));
}

int main(void)
{
	static const struct {
		void (*run)(void);
		const char *expect;
	} forms[] = {
#define EXPECT(name, fields)                                                                       \
	{                                                                                          \
		run_##name, "{\"name\":\"forms:" #name "\",\"fields\":{" fields "}}"               \
	}
#include "samples/forms.expect"
	};
	struct point point = { -1, 1l << 40, "point" };

	for (size_t i = 0; i < sizeof(forms) / sizeof(forms[0]); i++) {
		forms[i].run();
		puts(forms[i].expect);
	}
	compiled(&point, 1);
	puts("{\"name\":\"forms:compiled\",\"fields\":{\"arg1\":1,\"arg2\":-1,\"arg3\":"
	     "1099511627776,\"arg5\":101,\"arg6\":-1}}");
	puts("{\"name\":\"forms:compiled\",\"fields\":{\"arg1\":2,\"arg2\":-1,\"arg3\":"
	     "1099511627776,\"arg5\":-102,\"arg6\":11}}");
	return 0;
}
