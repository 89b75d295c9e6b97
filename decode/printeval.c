/* SPDX-License-Identifier: MIT */
/* The tree of a print format, evaluated for one record. */
#include "decode/printexpr.h"

#include <arpa/inet.h>
#include <stdio.h>

enum {
	STEPS_MAX = 200000,  /* nodes that may be evaluated for one conversion */
	DEPTH_MAX = 1000,
	OUTPUT_MAX = 65536,  /* bytes of text that one conversion may make */
};

enum result_type { RESULT_NUMBER, RESULT_BYTES, RESULT_TEXT };

/*
 * A number of 4 or 8 bytes as C's promotions make it; bytes of the record (a field that is an
 * array or text); or a text: one of the format's, or made by a helper and lying in scratch.
 */
struct result {
	enum result_type type;
	uint64_t number;
	uint8_t size;
	bool is_signed;
	bool unknown;         /* NUMBER: nothing tells which */
	const uint8_t *bytes; /* BYTES, TEXT of the format */
	size_t len;
	size_t scratch;       /* TEXT without bytes: where it is in the scratch buffer */
	const struct trawl_field *field;
};

struct eval {
	struct printfmt *f;
	const struct symbols *symbols;
	const uint8_t *record;
	size_t len;
	unsigned int steps, depth;
};

static struct result evaluate(struct eval *e, const struct node *n);

static struct result number(uint64_t v, uint8_t size, bool is_signed)
{
	if (size < 8 && size) {
		unsigned int shift = 64 - 8U * size;

		v = is_signed ? (uint64_t)((int64_t)(v << shift) >> shift) : v << shift >> shift;
	}
	if (size < 4) { /* what is smaller than an int is promoted to one */
		is_signed = is_signed || size;
		size = size ? 4 : 8;
	}
	return (struct result){ .type = RESULT_NUMBER, .number = v, .size = size,
				.is_signed = is_signed };
}

static struct result text_of(const char *s, size_t len)
{
	return (struct result){ .type = RESULT_TEXT, .bytes = (const uint8_t *)s, .len = len };
}

static uint64_t load(const uint8_t *p, size_t size, bool is_signed)
{
	uint64_t v = 0;

	memcpy(&v, p, size);
	if (is_signed && size < 8 && size) {
		unsigned int shift = 64 - 8U * (unsigned int)size;

		v = (uint64_t)((int64_t)(v << shift) >> shift);
	}
	return v;
}

static bool number_size(size_t size)
{
	return size == 1 || size == 2 || size == 4 || size == 8;
}

/* The bytes of a field; empty if they are not inside the record. */
static void field_bytes_of(const struct eval *e, const struct trawl_field *f, const uint8_t **p,
			   size_t *n)
{
	uint32_t word, at;

	*p = e->record;
	*n = 0;
	if (f->place == TRAWL_FIXED || f->place == TRAWL_TAIL) {
		size_t want = (size_t)f->size * f->count;

		if (f->offset > e->len)
			return;
		if (f->place == TRAWL_TAIL || want > e->len - f->offset)
			want = e->len - f->offset;
		*p = e->record + f->offset;
		*n = want;
		return;
	}
	if (e->len < 4 || f->offset > e->len - 4)
		return;
	memcpy(&word, e->record + f->offset, 4);
	at = (word & 0xffff) + (f->place == TRAWL_REL_LOC ? f->offset + 4U : 0);
	if (at > e->len || word >> 16 > e->len - at)
		return;
	*p = e->record + at;
	*n = word >> 16;
}

static bool field_signed(const struct trawl_field *f)
{
	return f->kind == TRAWL_INT || f->kind == TRAWL_PID;
}

static struct result field_value(struct eval *e, const struct trawl_field *f)
{
	struct result r = { .type = RESULT_BYTES, .field = f };

	field_bytes_of(e, f, &r.bytes, &r.len);
	if (f->place != TRAWL_FIXED || f->count != 1 || !number_size(f->size) ||
	    f->kind == TRAWL_TEXT || f->kind == TRAWL_BYTES)
		return r;
	if (r.len < f->size)
		return number(0, 8, false);
	return number(load(r.bytes, f->size, field_signed(f)), (uint8_t)f->size, field_signed(f));
}

static uint64_t as_number(const struct result *r)
{
	if (r->type == RESULT_NUMBER)
		return r->number;
	/* A pointer in C: only ever compared with NULL. */
	return r->len != 0;
}

static struct result calculate(int what, struct result a, struct result b)
{
	uint8_t size = a.size > b.size ? a.size : b.size;
	bool is_signed = !((a.size == size && !a.is_signed) || (b.size == size && !b.is_signed));
	uint64_t x = a.number, y = b.number;
	int64_t sx = (int64_t)x, sy = (int64_t)y;

	switch (what) {
	case '*': return number(x * y, size, is_signed);
	case '+': return number(x + y, size, is_signed);
	case '-': return number(x - y, size, is_signed);
	case '&': return number(x & y, size, is_signed);
	case '|': return number(x | y, size, is_signed);
	case '^': return number(x ^ y, size, is_signed);
	case '/':
	case '%':
		if (!y || (is_signed && sx == INT64_MIN && sy == -1))
			return number(0, size, is_signed);
		if (is_signed)
			return number((uint64_t)(what == '/' ? sx / sy : sx % sy), size, true);
		return number(what == '/' ? x / y : x % y, size, false);
	case OP_SHL: return number(y < 64 ? x << y : 0, a.size, a.is_signed);
	case OP_SHR:
		if (a.is_signed)
			return number((uint64_t)(sx >> (y < 64 ? y : 63)), a.size, true);
		return number(y < 64 ? x >> y : 0, a.size, false);
	case '<': return number(is_signed ? sx < sy : x < y, 4, true);
	case '>': return number(is_signed ? sx > sy : x > y, 4, true);
	case OP_LE: return number(is_signed ? sx <= sy : x <= y, 4, true);
	case OP_GE: return number(is_signed ? sx >= sy : x >= y, 4, true);
	case OP_EQ: return number(x == y, 4, true);
	default: return number(x != y, 4, true); /* OP_NE */
	}
}

static struct result to_number(struct result r)
{
	return r.type == RESULT_NUMBER ? r : number(as_number(&r), 8, false);
}

static struct result binary(struct eval *e, const struct node *n)
{
	struct result a = to_number(evaluate(e, n->a)), b;

	if (n->what == OP_AND && !a.number)
		return number(0, 4, true);
	if (n->what == OP_OR && a.number)
		return number(1, 4, true);
	b = to_number(evaluate(e, n->b));
	if (n->what == OP_AND || n->what == OP_OR)
		return number(b.number != 0, 4, true);
	a.unknown |= b.unknown;
	b = calculate(n->what, a, b);
	b.unknown = a.unknown;
	return b;
}

/* The elements of an array field: their size and sign. */
static size_t element_size(const struct result *r)
{
	return r->field && number_size(r->field->size) ? r->field->size : 1;
}

static struct result element(struct eval *e, const struct node *n)
{
	struct result a = evaluate(e, n->a), b = to_number(evaluate(e, n->b));
	size_t size = element_size(&a);
	const uint8_t *p = a.bytes;

	if (a.type == RESULT_NUMBER)
		return number(0, 4, true);
	if (a.type == RESULT_TEXT && !p)
		p = (const uint8_t *)e->f->scratch.data + a.scratch;
	if (b.number >= a.len / size)
		return number(0, 4, true);
	return number(load(p + b.number * size, size, a.field && field_signed(a.field)),
		      (uint8_t)size, a.field && field_signed(a.field));
}

static struct result unary(struct eval *e, const struct node *n)
{
	struct result a = evaluate(e, n->a);

	if (n->what == '*') {
		if (a.type == RESULT_BYTES && a.len >= element_size(&a))
			return number(load(a.bytes, element_size(&a), field_signed(a.field)),
				      (uint8_t)element_size(&a), field_signed(a.field));
		return to_number(a);
	}
	a = to_number(a);
	if (n->what == '!')
		return number(!a.number, 4, true);
	return number(n->what == '-' ? 0 - a.number : ~a.number, a.size, a.is_signed);
}

static struct result cast(struct eval *e, const struct node *n)
{
	struct result a = evaluate(e, n->a);

	if (a.type != RESULT_NUMBER || !n->size)
		return a;
	return number(a.number, n->size, n->is_signed);
}

/* ---- helpers ------------------------------------------------------------------------------ */

/* Texts in the making are appended to scratch; a result keeps where its own begins. */
static struct result made(struct eval *e, size_t start)
{
	struct result r = { .type = RESULT_TEXT, .scratch = start };

	r.len = e->f->scratch.len >= start ? e->f->scratch.len - start : 0;
	return r;
}

static void append(struct eval *e, const struct result *r, struct out *o)
{
	size_t n = r->len;
	const void *zero;

	if (r->type == RESULT_NUMBER) {
		out_hex(o, r->number);
	} else if (r->bytes) {
		zero = memchr(r->bytes, 0, n);
		out_bytes(o, r->bytes, zero ? (size_t)((const uint8_t *)zero - r->bytes) : n);
	} else if (o == &e->f->scratch) {
		out_need(o, n); /* may move what is copied */
		out_bytes(o, o->data + r->scratch, n);
	} else {
		out_bytes(o, e->f->scratch.data + r->scratch, n);
	}
}

static const struct node *argument(const struct node *call, unsigned int i)
{
	const struct node *n = call->a;

	while (n && i--)
		n = n->next;
	return n ? n->a : NULL;
}

static struct result evaluate_argument(struct eval *e, const struct node *call, unsigned int i)
{
	const struct node *n = argument(call, i);

	return n ? evaluate(e, n) : number(0, 4, true);
}

static struct result flags(struct eval *e, const struct node *call)
{
	uint64_t v = to_number(evaluate_argument(e, call, 0)).number;
	struct result mask;
	struct result delimiter = evaluate_argument(e, call, 1), name;
	struct out *o = &e->f->scratch;
	size_t start = o->len;

	for (const struct node *n = call->b; n && v; n = n->next) {
		if (!n->a)
			continue;
		mask = to_number(evaluate(e, n->a));
		if (mask.unknown || (v & mask.number) != mask.number || !mask.number)
			continue;
		name = evaluate(e, n->b);
		if (o->len > start)
			append(e, &delimiter, o);
		append(e, &name, o);
		v &= ~mask.number;
	}
	if (v) {
		if (o->len > start)
			append(e, &delimiter, o);
		out_hex(o, v);
	}
	return made(e, start);
}

static struct result symbolic(struct eval *e, const struct node *call)
{
	struct result v = to_number(evaluate_argument(e, call, 0)), key, name;
	struct out *o = &e->f->scratch;
	size_t start = o->len;

	for (const struct node *n = call->b; n; n = n->next) {
		if (!n->a)
			continue;
		key = to_number(evaluate(e, n->a));
		if (key.unknown || key.number != v.number)
			continue;
		name = evaluate(e, n->b);
		append(e, &name, o);
		return made(e, start);
	}
	out_hex(o, v.size == 4 ? (uint32_t)v.number : v.number);
	return made(e, start);
}

/* __print_hex(buffer, len) and __print_hex_str. */
static struct result hex(struct eval *e, const struct node *call, bool blanks)
{
	struct result buffer = evaluate_argument(e, call, 0);
	uint64_t n = to_number(evaluate_argument(e, call, 1)).number;
	struct out *o = &e->f->scratch;
	size_t start = o->len;

	if (buffer.type != RESULT_BYTES)
		n = 0;
	for (uint64_t i = 0; i < n && i < buffer.len && i < OUTPUT_MAX / 4; i++) {
		if (i && blanks)
			out_char(o, ' ');
		out_xdigits(o, buffer.bytes[i], 2);
	}
	return made(e, start);
}

/* __print_hex_dump(prefix, prefix type, row, group, buffer, len, ascii): the bytes in hex. */
static struct result hex_dump(struct eval *e, const struct node *call)
{
	struct result buffer = evaluate_argument(e, call, 4);
	uint64_t n = to_number(evaluate_argument(e, call, 5)).number;
	struct out *o = &e->f->scratch;
	size_t start = o->len;

	for (uint64_t i = 0; buffer.type == RESULT_BYTES && i < n && i < buffer.len &&
			     i < OUTPUT_MAX / 4; i++) {
		if (i)
			out_char(o, ' ');
		out_xdigits(o, buffer.bytes[i], 2);
	}
	return made(e, start);
}

/* {0x1,0x2}: as many elements as there are, at most `count`. */
static struct result array(struct eval *e, struct result buffer, uint64_t count, uint64_t size)
{
	struct out *o = &e->f->scratch;
	size_t start = o->len;

	out_char(o, '{');
	if (buffer.type == RESULT_BYTES && number_size(size)) {
		for (uint64_t i = 0; i < count && (i + 1) * size <= buffer.len; i++) {
			if (i)
				out_char(o, ',');
			out_hex(o, load(buffer.bytes + i * size, size, false));
		}
	}
	out_char(o, '}');
	return made(e, start);
}

/* Words of 32 bits, the highest first, as the kernel's %*pb has them. */
static struct result bitmask(struct eval *e, const struct result *r)
{
	struct out *o = &e->f->scratch;
	size_t start = o->len, words = (r->len + 3) / 4;

	while (words-- > 0) {
		size_t n = r->len - words * 4 < 4 ? r->len - words * 4 : 4;

		out_xdigits(o, load(r->bytes + words * 4, n, false), (unsigned int)(2 * n));
		if (words)
			out_char(o, ',');
	}
	return made(e, start);
}

static void address(struct eval *e, uint64_t addr, bool with_offset, struct out *o)
{
	uint64_t offset;
	const char *name = symbols_find(e->symbols, addr, &offset);

	if (!name) {
		out_hex(o, addr);
		return;
	}
	out_str(o, name);
	if (with_offset) {
		out_char(o, '+');
		out_hex(o, offset);
	}
}

/* As the kernel prints it: one line for each caller. */
static struct result stack(struct eval *e, const struct result *r)
{
	struct out *o = &e->f->scratch;
	size_t start = o->len;

	for (size_t i = 0; i + 8 <= r->len; i += 8) {
		uint64_t addr = load(r->bytes + i, 8, false);

		if (addr == UINT64_MAX)
			break;
		out_str(o, "\n=> ");
		address(e, addr, true, o);
	}
	return made(e, start);
}

static void ipv4(struct out *o, const uint8_t *p)
{
	out_printf(o, "%u.%u.%u.%u", p[0], p[1], p[2], p[3]);
}

static void ipv6(struct out *o, const uint8_t *p, bool compact)
{
	char text[INET6_ADDRSTRLEN];

	if (compact && inet_ntop(AF_INET6, p, text, sizeof(text))) {
		out_str(o, text);
		return;
	}
	for (int i = 0; i < 16; i += 2)
		out_printf(o, "%s%02x%02x", i ? ":" : "", p[i], p[i + 1]);
}

static void sockaddr(struct out *o, const uint8_t *p, size_t n, const char *extension)
{
	bool port = strchr(extension, 'p');
	uint64_t family = n >= 2 ? load(p, 2, false) : 0;

	if (family == AF_INET && n >= 8) {
		ipv4(o, p + 4);
		if (port)
			out_printf(o, ":%u", p[2] << 8 | p[3]);
	} else if (family == AF_INET6 && n >= 24) {
		if (port)
			out_char(o, '[');
		ipv6(o, p + 8, strchr(extension, 'c'));
		if (port)
			out_printf(o, "]:%u", p[2] << 8 | p[3]);
	} else {
		out_printf(o, "family %u", (unsigned int)family);
	}
}

static struct result sockaddr_text(struct eval *e, const struct result *r)
{
	size_t start = e->f->scratch.len;

	sockaddr(&e->f->scratch, r->bytes, r->len, "Spc");
	return made(e, start);
}

/* A function of the kernel, whose result nobody here knows: the call itself. */
static struct result unknown(struct eval *e, const struct node *call)
{
	struct out *o = &e->f->scratch;
	struct result values[8];
	size_t n = 0, start;

	for (const struct node *a = call->a; a && n < 8; a = a->next)
		values[n++] = evaluate(e, a->a);
	start = o->len;
	out_bytes(o, call->text, call->len);
	out_char(o, '(');
	for (size_t i = 0; i < n; i++) {
		if (i)
			out_char(o, ',');
		if (values[i].type == RESULT_NUMBER && values[i].is_signed)
			out_s64(o, (int64_t)values[i].number);
		else if (values[i].type == RESULT_NUMBER)
			out_u64(o, values[i].number);
		else if (values[i].type == RESULT_BYTES && values[i].field->kind != TRAWL_TEXT)
			out_hexbytes(o, values[i].bytes, values[i].len < 64 ? values[i].len : 64);
		else
			append(e, &values[i], o);
	}
	out_char(o, ')');
	return made(e, start);
}

static struct result help(struct eval *e, const struct node *call)
{
	struct result a = { 0 };

	switch (call->helper) {
	case HELPER_FLAGS:
		return flags(e, call);
	case HELPER_SYMBOLIC:
		return symbolic(e, call);
	case HELPER_HEX:
		return hex(e, call, true);
	case HELPER_HEX_STR:
		return hex(e, call, false);
	case HELPER_HEX_DUMP:
		return hex_dump(e, call);
	case HELPER_UNKNOWN:
		return unknown(e, call);
	case HELPER_BUFFER:
		return text_of("", 0);
	default:
		break;
	}
	a = evaluate_argument(e, call, 0);
	if (a.type != RESULT_BYTES && call->helper >= HELPER_FIELD_LEN &&
	    call->helper <= HELPER_STACK)
		return text_of("", 0);
	switch (call->helper) {
	case HELPER_ARRAY:
		return array(e, a, to_number(evaluate_argument(e, call, 1)).number,
			     to_number(evaluate_argument(e, call, 2)).number);
	case HELPER_DYNAMIC_ARRAY:
		return array(e, a, UINT64_MAX, to_number(evaluate_argument(e, call, 1)).number);
	case HELPER_FIELD_LEN:
		return number(a.len, 4, true);
	case HELPER_BITMASK:
		return bitmask(e, &a);
	case HELPER_SOCKADDR:
		return sockaddr_text(e, &a);
	case HELPER_STACK:
		return stack(e, &a);
	case HELPER_SECS:
		return number(to_number(a).number / 1000000000, 8, false);
	case HELPER_NO_SECS:
		return number(to_number(a).number % 1000000000, 4, false);
	default: /* HELPER_FIELD, HELPER_FIRST */
		return a;
	}
}

static struct result value(struct eval *e, const struct node *n)
{
	switch (n->op) {
	case NODE_NUMBER:
		return number(n->number, n->size, n->is_signed);
	case NODE_UNKNOWN:
		return (struct result){ .type = RESULT_NUMBER, .size = 4, .unknown = true };
	case NODE_TEXT:
		return text_of(n->text, n->len);
	case NODE_FIELD:
		return field_value(e, n->field);
	case NODE_UNARY:
		return unary(e, n);
	case NODE_BINARY:
		return binary(e, n);
	case NODE_CHOICE:
		return evaluate(e, to_number(evaluate(e, n->a)).number ? n->b : n->c);
	case NODE_CAST:
		return cast(e, n);
	case NODE_INDEX:
		return element(e, n);
	case NODE_CALL:
		return help(e, n);
	default:
		return number(0, 4, true);
	}
}

static struct result evaluate(struct eval *e, const struct node *n)
{
	struct result r;

	if (e->steps++ >= STEPS_MAX || e->depth >= DEPTH_MAX ||
	    e->f->scratch.len > 16 * OUTPUT_MAX)
		return number(0, 4, true);
	e->depth++;
	r = value(e, n);
	e->depth--;
	return r;
}

/* ---- conversions -------------------------------------------------------------------------- */

/* What a conversion has to go by: its width and precision, those from arguments included. */
struct shape {
	int width, precision;
	bool left, zero, alternate, blank, plus;
};

static int measure(struct eval *e, const struct node *arg, int fixed)
{
	int64_t v;

	if (!arg)
		return fixed;
	v = (int32_t)to_number(evaluate(e, arg)).number;
	return v > 4096 ? 4096 : v < -4096 ? -4096 : (int)v;
}

static struct shape shape_of(struct eval *e, const struct piece *p)
{
	struct shape s = { .width = measure(e, p->width_arg, p->width),
			   .precision = measure(e, p->precision_arg, p->precision) };

	s.left = strchr(p->flags, '-');
	s.zero = strchr(p->flags, '0');
	s.alternate = strchr(p->flags, '#');
	s.blank = strchr(p->flags, ' ');
	s.plus = strchr(p->flags, '+');
	if (p->width_arg && s.width < 0) {
		s.left = true;
		s.width = -s.width;
	}
	return s;
}

/* Text in the scratch from `start` on goes out, escaped, between blanks. */
static void place(struct eval *e, const struct shape *s, size_t start, struct out *o)
{
	struct out *t = &e->f->scratch;
	size_t n = t->len > start ? t->len - start : 0, blanks;

	blanks = s->width > 0 && (size_t)s->width > n ? (size_t)s->width - n : 0;
	if (!s->left)
		out_fill(o, ' ', blanks);
	for (size_t at = 0; at < n;) { /* lines stay lines */
		const char *p = t->data + start + at, *end = memchr(p, '\n', n - at);
		size_t run = end ? (size_t)(end - p) : n - at;

		out_safe(o, p, run);
		if (end)
			out_char(o, '\n');
		at += run + (end != NULL);
	}
	if (s->left)
		out_fill(o, ' ', blanks);
}

static void integer(const struct piece *p, const struct shape *s, uint64_t v, struct out *o)
{
	char digits[72], prefix[3] = "";
	int n = 0, zeros, blanks;
	bool negative = false;

	if (p->conversion == 'd' || p->conversion == 'i') {
		int64_t sv = (int64_t)number(v, p->size, true).number;

		negative = sv < 0;
		v = negative ? 0 - (uint64_t)sv : (uint64_t)sv;
		if (negative || s->plus || s->blank)
			prefix[0] = negative ? '-' : s->plus ? '+' : ' ';
		n = snprintf(digits, sizeof(digits), "%llu", (unsigned long long)v);
	} else {
		v = p->size < 8 ? v & (((uint64_t)1 << (8 * p->size)) - 1) : v;
		if (s->alternate && p->conversion != 'u' && v)
			memcpy(prefix, p->conversion == 'o' ? "0" : p->conversion == 'X' ? "0X" : "0x",
			       p->conversion == 'o' ? 2 : 3);
		n = snprintf(digits, sizeof(digits), p->conversion == 'u'   ? "%llu"
						     : p->conversion == 'o' ? "%llo"
						     : p->conversion == 'X' ? "%llX"
									    : "%llx",
			     (unsigned long long)v);
	}
	zeros = s->precision > n ? s->precision - n : 0;
	blanks = s->width - n - zeros - (int)strlen(prefix);
	if (s->zero && !s->left && s->precision < 0 && blanks > 0) {
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
		append(e, r, t);
	}
	if (s->precision >= 0 && t->len > start && (size_t)s->precision < t->len - start)
		t->len = start + (size_t)s->precision;
	place(e, s, start, o);
}

/* "0-3,8": %*pbl */
static void bit_list(struct out *t, const uint8_t *p, size_t bits)
{
	size_t start = t->len;

	for (size_t i = 0, from; i < bits; i++) {
		if (!(p[i / 8] >> (i % 8) & 1))
			continue;
		for (from = i; i + 1 < bits && p[(i + 1) / 8] >> ((i + 1) % 8) & 1;)
			i++;
		if (t->len > start)
			out_char(t, ',');
		out_u64(t, from);
		if (i > from) {
			out_char(t, '-');
			out_u64(t, i);
		}
	}
}

static void uuid(struct out *t, const uint8_t *p, const char *extension)
{
	static const uint8_t swapped[16] = { 3, 2, 1, 0, 5, 4, 7, 6, 8, 9, 10, 11, 12, 13, 14, 15 };
	bool little = extension[1] == 'l' || extension[1] == 'L';

	for (int i = 0; i < 16; i++) {
		if (i == 4 || i == 6 || i == 8 || i == 10)
			out_char(t, '-');
		out_xdigits(t, p[little ? swapped[i] : i], 2);
	}
}

/* %p with an extension that wants bytes of the record; false: not one of these. */
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
		ipv4(t, r->bytes);
	} else if ((x[0] == 'I' || x[0] == 'i') && x[1] == '6' && r->len >= 16) {
		ipv6(t, r->bytes, x[2] == 'c');
	} else if ((x[0] == 'I' || x[0] == 'i') && x[1] == 'S') {
		sockaddr(t, r->bytes, r->len, x);
	} else if (x[0] == 'U' && r->len >= 16) {
		uuid(t, r->bytes, x);
	} else if (x[0] == 'b') {
		n = s->width > 0 && (size_t)s->width < r->len * 8 ? (size_t)s->width : r->len * 8;
		s->width = -1;
		if (x[1] == 'l')
			bit_list(t, r->bytes, n);
		else
			bitmask(e, &(struct result){ .bytes = r->bytes, .len = (n + 7) / 8 });
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

	if (r->type != RESULT_BYTES || !pointer_bytes(e, p, s, r)) {
		v = as_number(r);
		if (p->extension[0] && strchr("SFB", p->extension[0]))
			address(e, v, true, t);
		else if (p->extension[0] && strchr("sf", p->extension[0]))
			address(e, v, false, t);
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
	struct result r = evaluate(e, p->arg);

	switch (p->conversion) {
	case 's':
		string(e, &s, &r, o);
		break;
	case 'p':
		pointer(e, p, &s, &r, o);
		break;
	case 'c': {
		size_t start = e->f->scratch.len;

		if ((char)as_number(&r))
			out_char(&e->f->scratch, (char)as_number(&r));
		place(e, &s, start, o);
		break;
	}
	default:
		/* A call that cannot be known stands for its number. */
		if (r.type == RESULT_TEXT)
			string(e, &s, &r, o);
		else
			integer(p, &s, as_number(&r), o);
	}
}

void printfmt_text(struct printfmt *f, const struct symbols *symbols, const void *record,
		   size_t len, struct out *o)
{
	struct eval e = { .f = f, .symbols = symbols, .record = record, .len = len };

	for (size_t i = 0; i < f->npieces; i++) {
		const struct piece *p = &f->pieces[i];

		f->scratch.len = 0;
		e.steps = 0;
		out_bytes(o, p->text, p->len);
		if (p->conversion)
			convert(&e, p, o);
	}
}
