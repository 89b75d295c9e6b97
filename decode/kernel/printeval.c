/* SPDX-License-Identifier: MIT */
/* Evaluates the expression tree of a print format for one record. */
#include "decode/kernel/printeval.h"
#include "common/numbersize.h"
#include "decode/base/number.h"

#include "decode/base/eventlayout.h"
#include "decode/kernel/printbytes.h"

enum {
	STEPS_MAX = 200000,  /* limit on nodes evaluated for one conversion */
	DEPTH_MAX = 1000,
	OUTPUT_MAX = 65536,  /* limit on bytes of text made by one conversion */
	FOLD_ROUNDS = 64,
};

static struct result number(uint64_t v, uint8_t size, bool is_signed)
{
	v = extend(v, size, is_signed);
	if (size < 4) { /* promote types that are smaller than int */
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
	return is_signed ? (uint64_t)load_int(p, size) : load_uint(p, size);
}

/* Stores the part of a field that is inside the record. */
static void field_bytes_of(const struct eval *e, const struct trawl_field *f, const uint8_t **p,
			   size_t *n)
{
	if (field_bytes(f, e->record, e->len, p, n))
		return;
	*p = e->record;
	*n = 0;
	if (f->place == TRAWL_FIXED && f->offset <= e->len) {
		*p += f->offset;
		*n = e->len - f->offset;
	}
}

bool field_is_signed(const struct trawl_field *f)
{
	return f->kind == TRAWL_INT || f->kind == TRAWL_PID;
}

bool field_is_number(const struct trawl_field *f)
{
	return f->place == TRAWL_FIXED && f->count == 1 && is_number_size(f->size) &&
	       f->kind != TRAWL_TEXT && f->kind != TRAWL_BYTES;
}

static struct result field_value(struct eval *e, const struct trawl_field *f)
{
	struct result r = { .type = RESULT_BYTES, .field = f };

	field_bytes_of(e, f, &r.bytes, &r.len);
	if (!field_is_number(f))
		return r;
	if (r.len < f->size)
		return number(0, 8, false);
	return number(load(r.bytes, f->size, field_is_signed(f)), (uint8_t)f->size,
		      field_is_signed(f));
}

uint64_t result_number(const struct result *r)
{
	if (r->type == RESULT_NUMBER)
		return r->number;
	/* In C this would be a pointer, which formats only compare with NULL. */
	return r->len != 0;
}

static struct result calculate(int what, struct result a, struct result b)
{
	uint8_t size = a.size > b.size ? a.size : b.size;
	bool is_signed = !((a.size == size && !a.is_signed) || (b.size == size && !b.is_signed));
	bool shift = what == OP_SHL || what == OP_SHR;
	/* Both become the common type first: -1 and 4294967295u are equal. */
	uint64_t x = shift ? a.number : extend(a.number, size, is_signed);
	uint64_t y = shift ? b.number : extend(b.number, size, is_signed);
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
	return r.type == RESULT_NUMBER ? r : number(result_number(&r), 8, false);
}

uint64_t eval_number(struct eval *e, const struct node *n)
{
	struct result r = eval_node(e, n);

	return result_number(&r);
}

static struct result binary(struct eval *e, const struct node *n)
{
	struct result a = to_number(eval_node(e, n->a)), b;

	if (n->what == OP_AND && !a.number)
		return number(0, 4, true);
	if (n->what == OP_OR && a.number)
		return number(1, 4, true);
	b = to_number(eval_node(e, n->b));
	if (n->what == OP_AND || n->what == OP_OR)
		return number(b.number != 0, 4, true);
	a.unknown |= b.unknown;
	b = calculate(n->what, a, b);
	b.unknown = a.unknown;
	return b;
}

/* Returns the size of one element of an array field. */
static size_t element_size(const struct result *r)
{
	return r->field && is_number_size(r->field->size) ? r->field->size : 1;
}

static struct result element(struct eval *e, const struct node *n)
{
	struct result a = eval_node(e, n->a), b = to_number(eval_node(e, n->b));
	size_t size = element_size(&a);
	const uint8_t *p = a.bytes;

	if (a.type == RESULT_NUMBER)
		return number(0, 4, true);
	if (a.type == RESULT_TEXT && !p)
		p = (const uint8_t *)e->f->scratch.data + a.scratch;
	if (b.number >= a.len / size)
		return number(0, 4, true);
	return number(load(p + b.number * size, size, a.field && field_is_signed(a.field)),
		      (uint8_t)size, a.field && field_is_signed(a.field));
}

static struct result unary(struct eval *e, const struct node *n)
{
	struct result a = eval_node(e, n->a);

	if (n->what == '*') {
		if (a.type == RESULT_BYTES && a.len >= element_size(&a))
			return number(load(a.bytes, element_size(&a), field_is_signed(a.field)),
				      (uint8_t)element_size(&a), field_is_signed(a.field));
		return to_number(a);
	}
	a = to_number(a);
	if (n->what == '!')
		return number(!a.number, 4, true);
	a.number = extend(n->what == '-' ? 0 - a.number : ~a.number, a.size, a.is_signed);
	return a;
}

static struct result cast(struct eval *e, const struct node *n)
{
	struct result a = eval_node(e, n->a), r;

	if (a.type != RESULT_NUMBER || !n->size)
		return a;
	r = number(a.number, n->size, n->is_signed);
	r.unknown = a.unknown;
	return r;
}

/* ---- helpers ------------------------------------------------------------------------------ */

/* Returns a text that helpers appended to the scratch buffer from `start` on. */
static struct result made(struct eval *e, size_t start)
{
	struct result r = { .type = RESULT_TEXT, .scratch = start };

	r.len = e->f->scratch.len >= start ? e->f->scratch.len - start : 0;
	return r;
}

void eval_append(struct eval *e, const struct result *r, struct out *o)
{
	size_t n = r->len;
	const void *zero;

	if (r->type == RESULT_NUMBER) {
		out_hex(o, r->number);
	} else if (r->bytes) {
		zero = memchr(r->bytes, 0, n);
		out_bytes(o, r->bytes, zero ? (size_t)((const uint8_t *)zero - r->bytes) : n);
	} else if (o == &e->f->scratch) {
		out_need(o, n); /* may move o->data, which is also the source */
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

	return n ? eval_node(e, n) : number(0, 4, true);
}

static uint64_t argument_number(struct eval *e, const struct node *call, unsigned int i)
{
	struct result r = evaluate_argument(e, call, i);

	return result_number(&r);
}

/*
 * Stores the number of an entry { number, name }; returns false if it is unknown or not an entry.
 */
static bool entry_number(struct eval *e, const struct node *entry, uint64_t *v)
{
	const struct node *n = entry->a;
	struct result r;

	if (n && n->op == NODE_NUMBER) {
		*v = extend(n->number, n->size, n->is_signed);
		return true;
	}
	if (!n)
		return false;
	r = eval_node(e, n);
	*v = result_number(&r);
	return !r.unknown;
}

static struct result flags(struct eval *e, const struct node *call)
{
	uint64_t v = argument_number(e, call, 0);
	struct result delimiter = evaluate_argument(e, call, 1), name;
	struct out *o = &e->f->scratch;
	size_t start = o->len;
	uint64_t mask;

	for (const struct node *n = call->b; n && v; n = n->next) {
		if (!entry_number(e, n, &mask) || (v & mask) != mask || !mask)
			continue;
		name = eval_node(e, n->b);
		if (o->len > start)
			eval_append(e, &delimiter, o);
		eval_append(e, &name, o);
		v &= ~mask;
	}
	if (v) {
		if (o->len > start)
			eval_append(e, &delimiter, o);
		out_hex(o, v);
	}
	return made(e, start);
}

static struct result symbolic(struct eval *e, const struct node *call)
{
	struct result v = to_number(evaluate_argument(e, call, 0)), name;
	struct out *o = &e->f->scratch;
	size_t start = o->len;
	uint64_t key;

	for (const struct node *n = call->b; n; n = n->next) {
		if (!entry_number(e, n, &key) || key != v.number)
			continue;
		name = eval_node(e, n->b);
		eval_append(e, &name, o);
		return made(e, start);
	}
	out_hex(o, v.number); /* the kernel's helper has made it an unsigned long */
	return made(e, start);
}

/* __print_hex(buffer, len) and __print_hex_str. */
static struct result hex(struct eval *e, const struct node *call, bool blanks)
{
	struct result buffer = evaluate_argument(e, call, 0);
	uint64_t n = argument_number(e, call, 1);
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

/* __print_hex_dump(prefix, prefix type, row, group, buffer, len, ascii): only the bytes, in hex. */
static struct result hex_dump(struct eval *e, const struct node *call)
{
	struct result buffer = evaluate_argument(e, call, 4);
	uint64_t n = argument_number(e, call, 5);
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

/* Prints {0x1,0x2}: the elements that are present, at most `count`. */
static struct result array(struct eval *e, struct result buffer, uint64_t count, uint64_t size)
{
	struct out *o = &e->f->scratch;
	size_t start = o->len;

	out_char(o, '{');
	if (buffer.type == RESULT_BYTES && is_number_size(size)) {
		for (uint64_t i = 0; i < count && (i + 1) * size <= buffer.len; i++) {
			if (i)
				out_char(o, ',');
			out_hex(o, load(buffer.bytes + i * size, size, false));
		}
	}
	out_char(o, '}');
	return made(e, start);
}

void eval_address(struct eval *e, uint64_t addr, bool with_offset, struct out *o)
{
	uint64_t offset;
	const char *module, *name = symbols_find(e->symbols, addr, &offset, &module);

	if (!name) {
		out_hex(o, addr);
		return;
	}
	out_str(o, name);
	if (with_offset) {
		out_char(o, '+');
		out_hex(o, offset);
	}
	if (*module) {
		out_str(o, " [");
		out_str(o, module);
		out_char(o, ']');
	}
}

/* A stack trace in the kernel's form: a line for each caller. */
static struct result stack(struct eval *e, const struct result *r)
{
	struct out *o = &e->f->scratch;
	size_t start = o->len, i = 0;

	/* Stacks of synthetic events begin with their length. */
	if (r->len >= 8 && load(r->bytes, 8, false) <= r->len / 8)
		i = 8;
	for (; i + 8 <= r->len; i += 8) {
		uint64_t addr = load(r->bytes + i, 8, false);

		if (addr == UINT64_MAX)
			break;
		out_str(o, "\n=> ");
		eval_address(e, addr, true, o);
	}
	return made(e, start);
}

/* Prints the call of a kernel function, whose result is unknown. */
static struct result unknown(struct eval *e, const struct node *call)
{
	struct out *o = &e->f->scratch;
	struct result values[8];
	size_t n = 0, start;

	for (const struct node *a = call->a; a && n < 8; a = a->next)
		values[n++] = eval_node(e, a->a);
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
			eval_append(e, &values[i], o);
	}
	out_char(o, ')');
	return made(e, start);
}

/* Evaluates a helper that only uses the value of its first argument. */
static struct result of_argument(struct eval *e, const struct node *call)
{
	struct result a = evaluate_argument(e, call, 0);
	size_t start = e->f->scratch.len;

	if (a.type != RESULT_BYTES && call->helper >= HELPER_FIELD_LEN &&
	    call->helper <= HELPER_STACK)
		return text_of("", 0);
	switch (call->helper) {
	case HELPER_ARRAY:
		return array(e, a, argument_number(e, call, 1),
			     argument_number(e, call, 2));
	case HELPER_DYNAMIC_ARRAY:
		return array(e, a, UINT64_MAX, argument_number(e, call, 1));
	case HELPER_FIELD_LEN:
		return number(a.len, 4, true);
	case HELPER_BITMASK:
		print_bitmask(&e->f->scratch, a.bytes, 8 * a.len);
		return made(e, start);
	case HELPER_SOCKADDR:
		print_sockaddr(&e->f->scratch, a.bytes, a.len, "Spc");
		return made(e, start);
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

static struct result call_helper(struct eval *e, const struct node *call)
{
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
		return of_argument(e, call);
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
	case NODE_LOC:
		return number(n->field->offset + 4u <= e->len ?
				      load(e->record + n->field->offset, 4, false) : 0, 4, false);
	case NODE_UNARY:
		return unary(e, n);
	case NODE_BINARY:
		return binary(e, n);
	case NODE_CHOICE:
		return eval_node(e, eval_number(e, n->a) ? n->b : n->c);
	case NODE_CAST:
		return cast(e, n);
	case NODE_INDEX:
		return element(e, n);
	case NODE_CALL:
		return call_helper(e, n);
	default:
		return number(0, 4, true);
	}
}

struct result eval_node(struct eval *e, const struct node *n)
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

/* ---- constant folding --------------------------------------------------------------------- */

static bool is_number(const struct node *n)
{
	return n && n->op == NODE_NUMBER;
}

/* Replaces a node whose operands are numbers by its result. Returns false if nothing changed. */
static bool fold(struct eval *e, struct node *n)
{
	struct node *next = n->next;
	struct result r;

	switch (n->op) {
	case NODE_UNARY:
		if (n->what == '*' || !is_number(n->a))
			return false;
		break;
	case NODE_BINARY:
		if (!is_number(n->a) || !is_number(n->b))
			return false;
		break;
	case NODE_CAST:
		if (!n->size || !is_number(n->a))
			return false;
		break;
	case NODE_CHOICE:
		if (!is_number(n->a))
			return false;
		*n = eval_number(e, n->a) ? *n->b : *n->c;
		n->next = next;
		return true;
	default:
		return false;
	}
	e->steps = 0;
	r = eval_node(e, n);
	*n = (struct node){ .op = NODE_NUMBER, .number = r.number, .size = r.size,
			    .is_signed = r.is_signed, .next = next };
	return true;
}

/*
 * Many formats compute constants (the masks of task states) that would otherwise be evaluated for
 * every record. Nodes are stored in parsing order, so an operand may precede or follow its
 * operator. A few passes over all nodes in alternating direction need no recursion and no marks.
 */
void eval_fold(struct printfmt *f)
{
	struct eval e = { .f = f };
	bool any = true;

	for (int round = 0; any && round < FOLD_ROUNDS; round++) {
		any = false;
		for (struct node_block *b = f->nodes; b; b = b->next)
			for (uint32_t i = 0; i < b->used; i++)
				any |= fold(&e, &b->nodes[round % 2 ? i : b->used - 1 - i]);
	}
}
