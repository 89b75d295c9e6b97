/* SPDX-License-Identifier: MIT */
/*
 * The conversions of a print format (%d, %s, %pI4), as implemented in the kernel's lib/vsprintf.c.
 */
#include <ctype.h>

#include "decode/base/eventlayout.h"
#include "decode/base/escape.h"
#include "decode/base/number.h"
#include "decode/kernel/printbytes.h"
#include "decode/kernel/printconv.h"
#include "decode/kernel/printeval.h"

static int measure(struct eval *e, const struct node *arg, int fixed)
{
	int64_t v;

	if (!arg)
		return fixed;
	v = (int32_t)eval_number(e, arg);
	return v > 4096 ? 4096 : v < -4096 ? -4096 : (int)v;
}

/* Returns width, precision and flags, with those given as arguments ('*') evaluated. */
static struct shape shape_of(struct eval *e, const struct piece *p)
{
	struct shape s = p->shape;

	s.width = measure(e, p->width_arg, s.width);
	s.precision = measure(e, p->precision_arg, s.precision);
	if (p->width_arg && s.width < 0) {
		s.left = true;
		s.width = -s.width;
	}
	return s;
}

/* Appends the text that begins at `start` in the scratch buffer, escaped and padded with blanks. */
static void place(struct eval *e, const struct shape *s, size_t start, struct out *o)
{
	struct out *t = &e->f->scratch;
	size_t n = t->len > start ? t->len - start : 0, blanks;

	blanks = s->width > 0 && (size_t)s->width > n ? (size_t)s->width - n : 0;
	if (!s->left)
		out_fill(o, ' ', blanks);
	out_lines(o, t->data + start, n);
	if (s->left)
		out_fill(o, ' ', blanks);
}

/* A separate function, because octal is rare (%o for file modes). */
static char *put_octal(char *p, uint64_t v)
{
	int shift = 63;

	while (shift && !(v >> shift))
		shift -= 3;
	for (; shift >= 0; shift -= 3)
		*p++ = (char)('0' + (v >> shift & 7));
	return p;
}

/* Writes the digits of a number without its sign; *prefix is set to what the flag # adds. */
static char *put_number(char *p, char conversion, uint64_t v, const char **prefix)
{
	char *start = p;

	switch (conversion) {
	case 'o':
		*prefix = v ? "0" : "";
		return put_octal(p, v);
	case 'x':
	case 'X':
		*prefix = conversion == 'x' ? "0x" : "0X"; /* also for 0, unlike printf in C */
		p = put_hex(start, v);
		memmove(start, start + 2, (size_t)(p - start - 2));
		for (p -= 2; conversion == 'X' && start < p; start++)
			*start = (char)toupper((unsigned char)*start);
		return p;
	default:
		*prefix = "";
		return put_u64(p, v);
	}
}

static void integer(const struct piece *p, const struct shape *s, uint64_t v, struct out *o)
{
	bool with_sign = p->conversion == 'd' || p->conversion == 'i', negative;
	const char *prefix;
	char digits[24];
	int n, zeros, blanks;

	v = extend(v, p->size, with_sign);
	negative = with_sign && (int64_t)v < 0;
	n = (int)(put_number(digits, p->conversion, negative ? 0 - v : v, &prefix) - digits);
	if (with_sign)
		prefix = negative ? "-" : s->plus ? "+" : s->blank ? " " : "";
	else if (!s->alternate)
		prefix = "";
	zeros = s->precision > n ? s->precision - n : 0;
	blanks = s->width - n - zeros - (int)strlen(prefix);
	if (s->zero && !s->left && blanks > 0) { /* regardless of the precision, unlike in C */
		zeros += blanks;
		blanks = 0;
	}
	if (!s->left && blanks > 0)
		out_fill(o, ' ', (size_t)blanks);
	out_str(o, prefix);
	out_fill(o, '0', (size_t)zeros);
	out_bytes(o, digits, (size_t)n);
	if (s->left && blanks > 0)
		out_fill(o, ' ', (size_t)blanks);
}

static void string(struct eval *e, const struct shape *s, const struct result *r, struct out *o)
{
	struct out *t = &e->f->scratch;
	size_t start = t->len;
	const char *known;

	if (r->type == RESULT_NUMBER) {
		known = symbols_text(e->symbols, r->number);
		if (known)
			out_str(t, known);
		else if (r->number)
			out_hex(t, r->number);
		else
			out_str(t, "(null)");
	} else {
		eval_append(e, r, t);
	}
	if (s->precision >= 0 && t->len > start && (size_t)s->precision < t->len - start)
		t->len = start + (size_t)s->precision;
	place(e, s, start, o);
}

/*
 * Prints %p with an extension that formats bytes of the record; returns false for other extensions.
 */
static bool pointer_bytes(struct eval *e, const struct piece *p, struct shape *s,
			  const struct result *r)
{
	struct out *t = &e->f->scratch;
	const char *x = p->extension;
	size_t n;

	if ((x[0] == 'M' || x[0] == 'm') && r->len >= 6) {
		for (size_t i = 0; i < 6; i++) {
			out_xdigits(t, r->bytes[i], 2);
			if (i < 5 && x[0] == 'M')
				out_char(t, x[1] == 'F' ? '-' : ':');
		}
	} else if ((x[0] == 'I' || x[0] == 'i') && x[1] == '4' && r->len >= 4) {
		print_ipv4(t, r->bytes);
	} else if ((x[0] == 'I' || x[0] == 'i') && x[1] == '6' && r->len >= 16) {
		print_ipv6(t, r->bytes, x[2] == 'c');
	} else if ((x[0] == 'I' || x[0] == 'i') && x[1] == 'S') {
		print_sockaddr(t, r->bytes, r->len, x);
	} else if (x[0] == 'U' && r->len >= 16) {
		print_uuid(t, r->bytes, x);
	} else if (x[0] == 'b') {
		n = s->width > 0 && (size_t)s->width < r->len * 8 ? (size_t)s->width : r->len * 8;
		s->width = -1;
		if (x[1] == 'l')
			print_bit_list(t, r->bytes, n);
		else
			print_bitmask(t, r->bytes, n);
	} else if (x[0] == 'h') {
		n = s->width > 0 && (size_t)s->width < r->len ? (size_t)s->width : r->len;
		s->width = -1;
		for (size_t i = 0; i < n; i++) {
			if (i && x[1] != 'N')
				out_char(t, x[1] == 'C' ? ':' : x[1] == 'D' ? '-' : ' ');
			out_xdigits(t, r->bytes[i], 2);
		}
	} else {
		return false;
	}
	return true;
}

static void pointer(struct eval *e, const struct piece *p, struct shape *s,
		    const struct result *r, struct out *o)
{
	struct out *t = &e->f->scratch;
	size_t start = t->len;
	uint64_t v;

	if (r->type == RESULT_BYTES) {
		if (!pointer_bytes(e, p, s, r))
			out_char(t, '?'); /* the kernel's address of them is not recorded */
	} else {
		v = result_number(r);
		if (p->extension[0] && strchr("SFB", p->extension[0]))
			eval_address(e, v, true, t);
		else if (p->extension[0] && strchr("sf", p->extension[0]))
			eval_address(e, v, false, t);
		else if (p->extension[0] == 'x')
			out_xdigits(t, v, 1);
		else
			out_hex(t, v);
	}
	place(e, s, start, o);
}

static void convert(struct eval *e, const struct piece *p, struct out *o)
{
	struct shape s = shape_of(e, p);
	struct result r = eval_node(e, p->arg);
	size_t start = e->f->scratch.len;

	/* The value depends on a constant of unknown value; printing a number would be wrong. */
	if (r.type == RESULT_NUMBER && r.unknown)
		r = (struct result){ .type = RESULT_TEXT, .bytes = (const uint8_t *)"?", .len = 1 };
	/* A call with unknown result is printed as text even where a number is expected. */
	if (p->conversion == 's' || r.type == RESULT_TEXT) {
		string(e, &s, &r, o);
	} else if (p->conversion == 'p') {
		pointer(e, p, &s, &r, o);
	} else if (p->conversion == 'c') {
		if ((char)result_number(&r))
			out_char(&e->f->scratch, (char)result_number(&r));
		place(e, &s, start, o);
	} else {
		integer(p, &s, result_number(&r), o);
	}
}

/* Prints a field that is a number without evaluation; returns false if the record is too short. */
static bool put_direct_number(const struct eval *e, const struct piece *p, struct out *o)
{
	uint64_t v;
	char *to;

	if (p->at + (size_t)p->value_size > e->len)
		return false;
	v = load_uint(e->record + p->at, p->value_size);
	v = extend(v, p->value_size, p->value_signed);
	if (p->cast_size)
		v = extend(v, p->cast_size, p->cast_signed);
	to = out_need(o, 24);
	if (p->conversion == 'u')
		out_used(o, put_u64(to, extend(v, p->size, false)));
	else if (p->conversion == 'x')
		out_used(o, put_xdigits(to, extend(v, p->size, false), 1));
	else
		out_used(o, put_s64(to, (int64_t)extend(v, p->size, true)));
	return true;
}

static bool put_direct_text(const struct eval *e, const struct piece *p, struct out *o)
{
	const uint8_t *bytes, *zero;
	size_t n;

	if (!field_bytes(p->field, e->record, e->len, &bytes, &n))
		return false;
	zero = memchr(bytes, 0, n);
	out_lines(o, (const char *)bytes, zero ? (size_t)(zero - bytes) : n);
	return true;
}

/* Short texts are copied in steps of 16 bytes; PRINTFMT_PAD guarantees that this is safe. */
static void put_literal(const struct piece *p, struct out *o)
{
	char *to;

	if (p->len > 1024) {
		out_bytes(o, p->text, p->len);
		return;
	}
	to = out_need(o, p->len + PRINTFMT_PAD);
	for (uint32_t i = 0; i < p->len; i += PRINTFMT_PAD)
		memcpy(to + i, p->text + i, PRINTFMT_PAD);
	o->len += p->len;
}

void printfmt_pieces(struct eval *e, size_t first, size_t n, struct out *o)
{
	for (const struct piece *p = e->f->pieces + first, *end = p + n; p < end; p++) {
		put_literal(p, o);
		if ((p->direct == DIRECT_NUMBER && put_direct_number(e, p, o)) ||
		    (p->direct == DIRECT_TEXT && put_direct_text(e, p, o)) || !p->conversion)
			continue;
		e->f->scratch.len = 0;
		e->steps = 0;
		convert(e, p, o);
	}
}
