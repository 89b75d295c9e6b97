/* SPDX-License-Identifier: MIT */
#include "config.h"

#include <ctype.h>
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "capture/probe/operand.h"
#include "common/array.h"

/*
 * The eight registers of the 8086, and rip, by their names of 64, 32, 16 and 8 bits and of bits 8
 * to 15.
 */
static const struct {
	const char *pt, *q, *l, *w, *b, *h;
} old_regs[] = {
	{ "ax", "rax", "eax", "ax", "al", "ah" }, { "bx", "rbx", "ebx", "bx", "bl", "bh" },
	{ "cx", "rcx", "ecx", "cx", "cl", "ch" }, { "dx", "rdx", "edx", "dx", "dl", "dh" },
	{ "si", "rsi", "esi", "si", "sil", "" },  { "di", "rdi", "edi", "di", "dil", "" },
	{ "bp", "rbp", "ebp", "bp", "bpl", "" },  { "sp", "rsp", "esp", "sp", "spl", "" },
	{ "ip", "rip", "eip", "", "", "" },
};

static const char *const new_regs[] = { "r8", "r9", "r10", "r11", "r12", "r13", "r14", "r15" };

static bool is(const char *s, size_t len, const char *name)
{
	return strlen(name) == len && !memcmp(s, name, len);
}

bool reg_find(const char *s, size_t len, struct reg *reg)
{
	*reg = (struct reg){ 0 };
	for (size_t i = 0; i < ARRAY_SIZE(old_regs) && len; i++) {
		reg->pt = old_regs[i].pt;
		reg->bits = is(s, len, old_regs[i].q) ? 64 : is(s, len, old_regs[i].l) ? 32 :
			    is(s, len, old_regs[i].w) ? 16 : is(s, len, old_regs[i].b) ? 8 : 0;
		if (reg->bits)
			return true;
		if (is(s, len, old_regs[i].h)) {
			reg->bits = 8;
			reg->shift = 8;
			return true;
		}
	}
	for (size_t i = 0; i < ARRAY_SIZE(new_regs); i++) {
		size_t n = strlen(new_regs[i]);

		if (len < n || len > n + 1 || memcmp(s, new_regs[i], n))
			continue;
		reg->pt = new_regs[i];
		reg->bits = len == n ? 64 : s[n] == 'd' ? 32 : s[n] == 'w' ? 16 :
			    s[n] == 'b' || s[n] == 'l' ? 8 : 0;
		if (reg->bits)
			return true;
	}
	*reg = (struct reg){ 0 };
	return false;
}

const char *operand_next(const char **text, size_t *len)
{
	const char *s = *text + strspn(*text, " \t");
	size_t n = 0, depth = 0;

	for (; s[n] && (depth || !isspace((unsigned char)s[n])); n++) {
		depth += s[n] == '(';
		depth -= s[n] == ')' && depth;
	}
	*text = s + n;
	*len = n;
	return n ? s : NULL;
}

__attribute__((format(printf, 2, 3))) static void unavailable(struct operand *op, const char *why,
							      ...)
{
	va_list ap;

	op->form = OPERAND_UNAVAILABLE;
	va_start(ap, why);
	vsnprintf(op->why, sizeof(op->why), why, ap);
	va_end(ap);
}

/* ---- pieces; each parses its part at the front of *s and leaves the rest -------------- */

static bool take(const char **s, char c)
{
	*s += strspn(*s, " \t");
	if (**s != c)
		return false;
	(*s)++;
	return true;
}

static bool take_number(const char **s, int64_t *value)
{
	char *end;

	if (!isdigit((unsigned char)**s))
		return false;
	errno = 0;
	*value = (int64_t)strtoull(*s, &end, 0);
	if (errno)
		return false;
	*s = end;
	return true;
}

/* "%name" */
static bool take_reg(const char **s, struct reg *reg)
{
	const char *p = *s + strspn(*s, " \t");
	size_t n = 0;

	if (*p != '%')
		return false;
	p++;
	while (isalnum((unsigned char)p[n]))
		n++;
	if (!reg_find(p, n, reg))
		return false;
	*s = p + n;
	return true;
}

/*
 * Reads a sum of numbers and at most one symbol: "44+mp_", "-8", "table@GOTPCREL"; it may be empty.
 * False for anything else.
 */
static bool take_sum(const char **s, int64_t *sum, char *symbol, size_t size)
{
	bool first = true;

	*sum = 0;
	symbol[0] = '\0';
	for (;; first = false) {
		const char *p = *s;
		bool minus = *p == '-';
		int64_t number;
		size_t n = 0;

		if (*p == '-' || *p == '+')
			p++;
		else if (!first)
			return true;
		if (take_number(&p, &number)) {
			*sum = (int64_t)(minus ? (uint64_t)*sum - (uint64_t)number :
						 (uint64_t)*sum + (uint64_t)number);
			*s = p;
			continue;
		}
		while (isalnum((unsigned char)p[n]) || (p[n] && strchr("_.$@", p[n])) ||
		       (unsigned char)p[n] >= 0x80)
			n++;
		if (!n)
			return first && p == *s;
		if (isdigit((unsigned char)*p))
			return false; /* a number of more than 64 bits */
		if (minus || *symbol || n >= size)
			return false;
		memcpy(symbol, p, n);
		symbol[n] = '\0';
		*s = p + n;
	}
}

/* Reads "(%base,%index,scale)" or one of its shorter forms, after the displacement. */
static bool take_address(const char **s, struct operand *op)
{
	int64_t scale = 1;
	bool index = false;

	if (!take(s, '('))
		return false;
	take_reg(s, &op->reg);
	if (take(s, ',')) {
		index = take_reg(s, &op->index);
		if (!index || (take(s, ',') && (*s += strspn(*s, " \t"), !take_number(s, &scale))))
			return false;
	}
	if (!take(s, ')') || (!op->reg.pt && !index) ||
	    (scale != 1 && scale != 2 && scale != 4 && scale != 8))
		return false;
	op->scale = (int)scale;
	op->form = index ? OPERAND_SIB : OPERAND_MEM;
	if ((op->reg.pt && op->reg.bits != 64) || (index && op->index.bits != 64))
		return false;
	/* "(,%index)", unscaled and without a base, is the same as "(%index)". */
	if (index && !op->reg.pt && scale == 1) {
		op->reg = op->index;
		op->form = OPERAND_MEM;
	}
	return true;
}

/* ---- whole operands -------------------------------------------------------------------------- */

static void parse_register(const char *s, struct operand *op)
{
	op->form = OPERAND_REG;
	if (take_reg(&s, &op->reg) && !*s && strcmp(op->reg.pt, "ip")) {
		if (op->reg.shift && op->size != 1)
			unavailable(op, "%u bytes cannot be in an 8-bit register", op->size);
		else if (!op->size)
			op->size = op->reg.bits / 8;
		return;
	}
	if (!strncmp(s, "%xmm", 4) || !strncmp(s, "%ymm", 4) || !strncmp(s, "%zmm", 4))
		unavailable(op, "the value is in the vector register %s, which the kernel's "
			    "probes cannot read", s);
	else if (!strncmp(s, "%st", 3) || !strncmp(s, "%mm", 3))
		unavailable(op, "the value is in the x87 register %s, which the kernel's probes "
			    "cannot read", s);
	else if (!strncmp(s, "%fs:", 4) || !strncmp(s, "%gs:", 4))
		unavailable(op, "the value is thread-local, at %s; the kernel's probes cannot "
			    "add the segment's base", s);
	else
		unavailable(op, "%s is no register that the kernel's probes can read", s);
}

static void parse_memory(const char *s, struct operand *op)
{
	const char *all = s, *at;

	if (!take_sum(&s, &op->disp, op->symbol, sizeof(op->symbol)))
		goto no;
	if (!*s) {
		op->form = *op->symbol ? OPERAND_RIP : OPERAND_MEM;
	} else if (!take_address(&s, op) || *s) {
		goto no;
	}
	if (op->reg.pt && !strcmp(op->reg.pt, "ip")) {
		if (op->form == OPERAND_SIB || !*op->symbol) {
			unavailable(op, "%s is relative to an instruction that is not known", all);
			return;
		}
		op->form = OPERAND_RIP;
		op->reg = (struct reg){ 0 };
	}
	if (op->form == OPERAND_SIB && !strcmp(op->index.pt, "ip"))
		goto no;
	at = strchr(op->symbol, '@');
	if (at)
		unavailable(op, "%s is found through a linker table (%s)", all, at);
	return;
no:
	unavailable(op, "'%.60s' is no supported operand", all);
}

static void parse_immediate(const char *s, struct operand *op)
{
	const char *all = s;

	op->form = OPERAND_IMM;
	if (!*s || !take_sum(&s, &op->disp, op->symbol, sizeof(op->symbol)) || *s)
		unavailable(op, "'$%.60s' is no supported constant", all);
	else if (strchr(op->symbol, '@'))
		unavailable(op, "$%.60s is found through a linker table", all);
}

/* Reads "[-]SIZE[f]@" and returns what follows; without it op->size stays 0. */
static const char *parse_size(const char *s, struct operand *op)
{
	const char *p = s;
	int64_t size;

	op->is_signed = *p == '-';
	p += *p == '-' || *p == '+';
	if (!take_number(&p, &size))
		goto none;
	op->is_float = *p == 'f';
	p += *p == 'f';
	if (*p != '@')
		goto none;
	if (size != 1 && size != 2 && size != 4 && size != 8)
		unavailable(op, "the kernel's probes cannot record values of %lld bytes",
			    (long long)size);
	else if (op->is_float && size < 4)
		unavailable(op, "no floating point value has %lld bytes", (long long)size);
	else
		op->size = (unsigned int)size;
	return p + 1;
none:
	op->is_signed = op->is_float = false;
	return s;
}

void operand_parse(const char *text, size_t len, struct operand *op)
{
	char buf[256];
	const char *s;

	*op = (struct operand){ .scale = 1 };
	if (len >= sizeof(buf)) {
		unavailable(op, "an operand of %zu characters", len);
		return;
	}
	memcpy(buf, text, len);
	buf[len] = '\0';
	op->form = OPERAND_MEM;
	s = parse_size(buf, op);
	if (op->form == OPERAND_UNAVAILABLE)
		return;
	if (*s == '%')
		parse_register(s, op);
	else if (*s == '$')
		parse_immediate(s + 1, op);
	else if (*s)
		parse_memory(s, op);
	else
		unavailable(op, "an empty operand");
	/* Notes written by hand may lack the size: then the value has 8 bytes. */
	if (!op->size && op->form != OPERAND_UNAVAILABLE)
		op->size = 8;
}
