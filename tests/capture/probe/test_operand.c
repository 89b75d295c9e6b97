/* SPDX-License-Identifier: MIT */
#include <criterion/criterion.h>
#include <string.h>

#include "capture/probe/operand.h"
#include "common/array.h"

static struct operand parse(const char *text)
{
	struct operand op;

	operand_parse(text, strlen(text), &op);
	return op;
}

Test(operand, registers_of_every_width)
{
	static const struct {
		const char *name, *pt;
		unsigned int bits, shift;
	} regs[] = {
		{ "rax", "ax", 64, 0 }, { "eax", "ax", 32, 0 },  { "ax", "ax", 16, 0 },
		{ "al", "ax", 8, 0 },   { "ah", "ax", 8, 8 },    { "bh", "bx", 8, 8 },
		{ "ch", "cx", 8, 8 },   { "dh", "dx", 8, 8 },    { "dil", "di", 8, 0 },
		{ "spl", "sp", 8, 0 },  { "ebp", "bp", 32, 0 },  { "r8", "r8", 64, 0 },
		{ "r8d", "r8", 32, 0 }, { "r10w", "r10", 16, 0 }, { "r15b", "r15", 8, 0 },
		{ "r9l", "r9", 8, 0 },  { "rip", "ip", 64, 0 },
	};
	struct reg reg;

	for (size_t i = 0; i < ARRAY_SIZE(regs); i++) {
		cr_assert(reg_find(regs[i].name, strlen(regs[i].name), &reg), "%s", regs[i].name);
		cr_assert_str_eq(reg.pt, regs[i].pt);
		cr_assert_eq(reg.bits, regs[i].bits, "%s", regs[i].name);
		cr_assert_eq(reg.shift, regs[i].shift, "%s", regs[i].name);
	}
	for (const char *const *no = (const char *const[]){"", "rzx", "r1", "r16", "r8x", "eaxx",
							   "sih", "r8dd", "xmm0", NULL};
	     *no; no++)
		cr_assert_not(reg_find(*no, strlen(*no), &reg), "%s", *no);
}

Test(operand, sizes_and_signs)
{
	struct operand op = parse("-4@%edi");

	cr_assert_eq(op.form, OPERAND_REG);
	cr_assert_eq(op.size, 4);
	cr_assert(op.is_signed);
	op = parse("8@%rdi");
	cr_assert_not(op.is_signed);
	op = parse("8f@%rax");
	cr_assert(op.is_float);
	cr_assert_eq(op.form, OPERAND_REG);
	cr_assert_eq(parse("%cx").size, 2);
	cr_assert_eq(parse("(%rdi)").size, 8);
}

Test(operand, memory)
{
	struct operand op = parse("-4@-1204(%rbp)");

	cr_assert_eq(op.form, OPERAND_MEM);
	cr_assert_eq(op.disp, -1204);
	cr_assert_str_eq(op.reg.pt, "bp");
	op = parse("8@0x10(%rsp)");
	cr_assert_eq(op.disp, 16);
	op = parse("8@16-4+1(%rsp)");
	cr_assert_eq(op.disp, 13);
	/* Only an index, unscaled: the same as a base. */
	op = parse("8@8(,%rax)");
	cr_assert_eq(op.form, OPERAND_MEM);
	cr_assert_str_eq(op.reg.pt, "ax");
}

Test(operand, array_elements)
{
	struct operand op = parse("-8@-96(%rbp,%rax,8)");

	cr_assert_eq(op.form, OPERAND_SIB);
	cr_assert_eq(op.disp, -96);
	cr_assert_str_eq(op.reg.pt, "bp");
	cr_assert_str_eq(op.index.pt, "ax");
	cr_assert_eq(op.scale, 8);
	op = parse("1@(%rdi, %rsi)");
	cr_assert_eq(op.form, OPERAND_SIB);
	cr_assert_eq(op.scale, 1);
	op = parse("8@table(,%rdx,8)");
	cr_assert_eq(op.form, OPERAND_SIB);
	cr_assert_null(op.reg.pt);
	cr_assert_str_eq(op.symbol, "table");
}

Test(operand, relative_to_the_instruction)
{
	static const char *const same[] = { "-4@44+mp_(%rip)", "-4@mp_+44(%rip)", "-4@mp_+44",
					    "-4@40+mp_+4(%rip)" };

	for (size_t i = 0; i < ARRAY_SIZE(same); i++) {
		struct operand op = parse(same[i]);

		cr_assert_eq(op.form, OPERAND_RIP, "%s", same[i]);
		cr_assert_str_eq(op.symbol, "mp_");
		cr_assert_eq(op.disp, 44);
	}
}

Test(operand, constants)
{
	cr_assert_eq(parse("-4@$5").disp, 5);
	cr_assert_eq(parse("8@$-9").disp, -9);
	cr_assert_eq(parse("8@$0x10").disp, 16);
	cr_assert_eq(parse("-8@$-9223372036854775808").disp, INT64_MIN);
	cr_assert_eq((uint64_t)parse("8@$18446744073709551615").disp, UINT64_MAX);
	cr_assert_str_eq(parse("8@$name+4").symbol, "name");
}

Test(operand, what_cannot_be_had_says_why)
{
	static const struct {
		const char *text, *why;
	} no[] = {
		{ "8@%xmm0", "vector register %xmm0" }, { "16@%rax", "16 bytes" },
		{ "-4@%st(0)", "x87" },			{ "4@%fs:0x10", "thread-local" },
		{ "8@x@GOTPCREL(%rip)", "@GOTPCREL" },	{ "8@16(%rip)", "not known" },
		{ "8@(%rax,%rbx,3)", "no supported operand" },	{ "8@(%eax)", "no supported operand" },
		{ "8@4(%rsp", "no supported operand" },		{ "4@$", "no supported constant" },
		{ "4@$1x", "no supported constant" },		{ "8@", "empty operand" },
		{ "8@%rzx", "no register" },		{ "2@%ah", "8-bit register" },
		{ "8@a+b(%rip)", "no supported operand" },	{ "8@-a(%rip)", "no supported operand" },
		{ "2f@%ax", "2 bytes" },		{ "8@%rip", "no register" },
		{ "4@99999999999999999999(%rsp)", "no supported operand" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(no); i++) {
		struct operand op = parse(no[i].text);

		cr_assert_eq(op.form, OPERAND_UNAVAILABLE, "%s", no[i].text);
		cr_assert(strstr(op.why, no[i].why), "%s: %s", no[i].text, op.why);
	}
}

Test(operand, arguments_are_cut_at_blanks_outside_brackets)
{
	static const char *const want[] = { "-4@%edi", "8@(%rsi, %rax, 8)", "1@$2" };
	const char *text = " -4@%edi 8@(%rsi, %rax, 8)  1@$2 ", *arg;
	size_t len = 0;

	for (size_t i = 0; i < 3; i++) {
		arg = operand_next(&text, &len);
		cr_assert_eq(len, strlen(want[i]));
		cr_assert_eq(strncmp(arg, want[i], len), 0);
	}
	cr_assert_null(operand_next(&text, &len));
}
