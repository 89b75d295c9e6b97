/* SPDX-License-Identifier: MIT */
#include "format/bucket.h"
#include "format/code.h"
#include "format/column.h"
#include "format/loops.h"

enum {
	TAG_PREDICTORS = 0x03,
	TAG_LITERAL_SHIFT = 2,
	TAG_RELATIVE_SHIFT = 4,
	TAG_REF = 0x40,      /* the number of the ref column follows */
	TAG_CONSTANT = 0x80, /* alone; the value follows as a zigzag varint */
};

/* A column's number as it is kept: its low bytes, with its sign if it may have one. */
static inline uint64_t narrow(uint64_t v, uint32_t size, bool is_signed)
{
	unsigned int drop = 64 - 8 * size;

	return is_signed ? (uint64_t)((int64_t)(v << drop) >> drop) : v << drop >> drop;
}

bool column_uses_ref(const struct column_plan *p)
{
	bool ref = p->relative == RELATIVE_REF;

	for (int q = 0; q < p->npredictors; q++)
		ref |= p->mask[q] & CONTEXT_REF;
	return ref;
}

static uint32_t width(const struct layout_column *c)
{
	return c->string ? 4 : c->size;
}

/* ---- encoding -------------------------------------------------------------------------- */

LOOPS void column_relate(struct table *t, uint32_t column, unsigned int relative, uint32_t ref)
{
	const struct layout_column *c = &t->layout->columns[column];
	const uint64_t *v = t->value[column], *from = NULL;
	uint64_t *w = t->work;
	uint32_t size = width(c), end = 0;

	t->residue = w;
	switch (relative) {
	case RELATIVE_ZERO:
		t->residue = v;
		return;
	case RELATIVE_LAST:
		for (uint32_t i = 1; i < t->n; i++)
			w[i] = narrow(v[i] - v[i - 1], size, true);
		for (uint32_t k = 0; k < t->nclasses; end += t->class_count[k++])
			w[end] = narrow(v[end], size, true);
		return;
	case RELATIVE_REF:
		from = t->value[ref];
		break;
	default:
		from = table_ts(t);
	}
	for (uint32_t i = 0; i < t->n; i++)
		w[i] = narrow(v[i] - from[i], size, true);
}

/* The slot of every event under a mask, when all residues are known. */
LOOPS static const uint16_t *known_slots(struct table *t, uint32_t ref, unsigned int mask, int q)
{
	const uint64_t *w = t->residue;
	const uint16_t *slots = table_slots(t, mask, t->value[ref], t->own_slots[q]);
	uint16_t *own = t->own_slots[q];
	uint32_t i = 0;

	if (!(mask & CONTEXT_OWN))
		return slots;
	for (uint32_t c = 0; c < t->nclasses; c++) {
		uint32_t end = i + t->class_count[c];

		own[i] = slots[i];
		for (i++; i < end; i++)
			own[i] = (uint16_t)(slots[i] ^ context_own(w[i - 1], t->shift));
	}
	return own;
}

static uint64_t *fresh_slots(const struct table *t, struct predictors *m, int q)
{
	memset(m->slot[q], 0, sizeof(m->slot[q][0]) << (32 - t->shift));
	return m->slot[q];
}

LOOPS void column_try(struct table *t, uint32_t ref, unsigned int mask, struct predictors *m,
		uint8_t *hit)
{
	const uint16_t *slots = known_slots(t, ref, mask, 0);
	const uint64_t *w = t->residue;
	uint64_t *slot = fresh_slots(t, m, 0);

	for (uint32_t i = 0; i < t->n; i++) {
		uint64_t *s = &slot[slots[i]];

		hit[i] = *s == w[i];
		*s = w[i];
	}
}

/*
 * Sets t->codes, and t->literal to the residues that are not predicted; returns the number of
 * these. Callers pass a constant np, so that a loop is compiled for each number of predictors.
 */
static inline __attribute__((always_inline)) uint32_t code_events(const struct table *t,
	const uint16_t *const *slots, struct predictors *m, unsigned int np)
{
	const uint64_t *w = t->residue;
	uint64_t *literal = t->literal;
	uint8_t *codes = t->codes;
	uint32_t n = 0;

	for (uint32_t i = 0; i < t->n; i++) {
		uint64_t v = w[i];
		unsigned int code = np;

		for (unsigned int q = np; q-- > 0;) {
			uint64_t *s = &m->slot[q][slots[q][i]];

			code = *s == v ? q : code;
			*s = v;
		}
		codes[i] = (uint8_t)code;
		literal[n] = v;
		n += code == np;
	}
	return n;
}

LOOPS static uint32_t put_codes(struct table *t, const struct column_plan *p,
			  struct predictors *m, struct buf *codes)
{
	const uint16_t *slots[TABLE_PREDICTORS];
	uint32_t n;

	for (int q = 0; q < p->npredictors; q++) {
		slots[q] = known_slots(t, p->ref, p->mask[q], q);
		fresh_slots(t, m, q);
	}
	if (p->npredictors == 1)
		n = code_events(t, slots, m, 1);
	else if (p->npredictors == 2)
		n = code_events(t, slots, m, 2);
	else
		n = code_events(t, slots, m, 3);
	code_pack(t->codes, t->n, p->npredictors, codes);
	return n;
}

LOOPS void column_literal_numbers(uint64_t *v, uint32_t n, unsigned int literal)
{
	uint64_t last = 0;

	if (literal == LITERAL_SIGNED)
		for (uint32_t i = 0; i < n; i++)
			v[i] = zigzag(v[i]);
	if (literal == LITERAL_DELTA)
		for (uint32_t i = 0; i < n; i++) {
			uint64_t d = v[i] - last;

			last = v[i];
			v[i] = zigzag(d);
		}
}

uint32_t column_literal_width(const uint64_t *v, uint32_t n, uint32_t size)
{
	uint64_t all = 0;
	uint32_t bits;

	for (uint32_t i = 0; i < n; i++) {
		uint64_t x = narrow(v[i], size, true);

		all |= x ^ (0 - (x >> 63));
	}
	bits = all ? 65 - __builtin_clzll(all) : 1;
	return (bits + 7) / 8;
}

static void put_bytes(const uint64_t *v, uint32_t n, uint32_t size, struct column_sink *out)
{
	uint8_t *p;

	size = column_literal_width(v, n, size);
	buf_u8(&out->structure, (uint8_t)size);
	if (!buf_reserve(&out->literals, (size_t)n * size + 8))
		return;
	p = out->literals.data + out->literals.len;
	for (uint32_t i = 0; i < n; i++, p += size)
		put64(p, v[i]);
	out->literals.len += (size_t)n * size;
}

static void put_literals(struct table *t, uint32_t n, unsigned int literal, uint32_t size,
			 struct column_sink *out)
{
	if (literal == LITERAL_BYTES) {
		put_bytes(t->literal, n, size, out);
		return;
	}
	column_literal_numbers(t->literal, n, literal);
	bucket_encode(t->literal, n, &out->codes, &out->bits);
}

static bool all_equal(const uint64_t *v, uint32_t n)
{
	return n < 2 || !memcmp(v, v + 1, (n - 1) * sizeof(*v));
}

static void put_tag(const struct column_plan *p, struct buf *out)
{
	bool ref = column_uses_ref(p);

	buf_u8(out, p->npredictors | p->literal << TAG_LITERAL_SHIFT |
		    p->relative << TAG_RELATIVE_SHIFT | (ref ? TAG_REF : 0));
	buf_put(out, p->mask, p->npredictors);
	if (ref)
		buf_varint(out, p->ref);
}

void column_constant(uint64_t value, struct column_sink *out)
{
	buf_u8(&out->structure, TAG_CONSTANT);
	buf_varint(&out->structure, zigzag(value));
}

uint32_t column_encode(struct table *t, uint32_t column, const struct column_plan *p,
		       struct predictors *m, struct column_sink *out)
{
	const uint64_t *v = t->value[column];
	uint32_t n;

	if (all_equal(v, t->n)) {
		column_constant(t->n ? v[0] : 0, out);
		return 0;
	}
	put_tag(p, &out->structure);
	column_relate(t, column, p->relative, p->ref);
	if (p->npredictors) {
		n = put_codes(t, p, m, &out->codes);
	} else {
		memcpy(t->literal, t->residue, t->n * sizeof(*t->literal));
		n = t->n;
	}
	put_literals(t, n, p->literal, width(&t->layout->columns[column]), out);
	return n;
}

/* ---- decoding -------------------------------------------------------------------------- */

static bool get_tag(struct column_input *in, struct table *t, uint32_t column, uint8_t tag,
		    struct column_plan *p, uint32_t *ref)
{
	p->npredictors = tag & TAG_PREDICTORS;
	p->literal = tag >> TAG_LITERAL_SHIFT & 3;
	p->relative = tag >> TAG_RELATIVE_SHIFT & 3;
	for (int q = 0; q < TABLE_PREDICTORS && q < p->npredictors; q++) {
		p->mask[q] = view_u8(&in->structure);
		if (p->mask[q] >= CONTEXT_MASKS)
			return column_breaks(in, RULE("Number columns", "a mask is 32 or more"));
	}
	if (in->structure.bad)
		return column_breaks(in, RULE_STRUCTURE);
	if (!(tag & TAG_REF))
		return !column_uses_ref(p) ||
		       column_breaks(in, RULE("Number columns", "the reference is missing"));
	*ref = (uint32_t)view_varint_max(&in->structure, UINT32_MAX);
	if (in->structure.bad)
		return column_breaks(in, RULE_STRUCTURE);
	if (!table_can_refer(t, column, *ref))
		return column_breaks(in, RULE("Number columns",
					      "a column refers to none that it may refer to"));
	table_derive(t, *ref);
	return true;
}

/* Returns how many codes are literals; UINT32_MAX if one of the codes is invalid. */
LOOPS static uint32_t count_literals(const uint8_t *codes, uint32_t n, uint8_t npredictors)
{
	uint32_t literals = 0;
	uint8_t worst = 0;

	for (uint32_t i = 0; i < n; i++) {
		literals += codes[i] == npredictors;
		worst = codes[i] > worst ? codes[i] : worst;
	}
	return worst <= npredictors ? literals : UINT32_MAX;
}

LOOPS static bool byte_literals(uint64_t *v, uint32_t n, uint32_t size, bool is_signed,
			  struct column_input *in)
{
	uint32_t stored = view_u8(&in->structure);
	const uint8_t *p;

	if (in->structure.bad)
		return column_breaks(in, RULE_STRUCTURE);
	if (!stored || stored > size)
		return column_breaks(in, RULE("Number columns",
					      "literals have no bytes, or more than their column"));
	p = view_bytes(&in->literals, (size_t)n * stored);
	if (!p)
		return column_breaks(in, RULE_SHORT("literals"));
	/* 8 readable bytes follow every substream. */
	for (uint32_t i = 0; i < n; i++, p += stored)
		v[i] = narrow(narrow(get64(p), stored, true), size, is_signed);
	return true;
}

bool column_buckets(struct column_input *in, const uint8_t *codes, size_t n, uint64_t *v)
{
	if (!codes)
		return column_breaks(in, RULE_SHORT("codes"));
	if (bucket_decode(codes, n, &in->bits, v))
		return true;
	return column_breaks(in, in->bits.bad ? RULE_SHORT("bits") :
						RULE("Bucket codes", "a code is above 236"));
}

LOOPS static bool bucket_literals(uint64_t *v, uint32_t n, unsigned int literal, uint32_t size,
			    bool is_signed, struct column_input *in)
{
	const uint8_t *codes = view_bytes(&in->codes, n);
	uint64_t last = 0;

	if (!column_buckets(in, codes, n, v))
		return false;
	if (literal == LITERAL_SIGNED)
		for (uint32_t i = 0; i < n; i++)
			v[i] = unzigzag(v[i]);
	if (literal == LITERAL_DELTA)
		for (uint32_t i = 0; i < n; i++)
			v[i] = last += unzigzag(v[i]);
	for (uint32_t i = 0; i < n; i++)
		v[i] = narrow(v[i], size, is_signed);
	return true;
}

struct walk {
	const uint8_t *codes;
	const uint64_t *literal;
	const uint16_t *slots[TABLE_PREDICTORS];
	bool own[TABLE_PREDICTORS];
	uint64_t *residue;
};

/* Converts codes and literals to residues. Callers pass constants for np and own. */
static inline __attribute__((always_inline)) void walk(const struct table *t,
	const struct walk *w, struct predictors *m, int np, bool own)
{
	const uint64_t *literal = w->literal;
	uint32_t at = 0;

	for (uint32_t c = 0; c < (own ? t->nclasses : 1); c++) {
		uint32_t end = own ? at + t->class_count[c] : t->n;
		uint64_t last = 0;

		for (; at < end; at++) {
			uint64_t *slot[TABLE_PREDICTORS];
			const uint64_t *from = literal;
			uint8_t code = w->codes[at];

			for (int q = 0; q < np; q++) {
				uint32_t s = w->slots[q][at];

				if (own && w->own[q])
					s ^= context_own(last, t->shift);
				slot[q] = &m->slot[q][s];
				from = code == q ? slot[q] : from;
			}
			last = *from;
			for (int q = 0; q < np; q++)
				*slot[q] = last;
			w->residue[at] = last;
			literal += code == np;
		}
	}
}

LOOPS static void walk_any(const struct table *t, const struct walk *w, struct predictors *m,
			   int np, bool own)
{
	switch (np * 2 + own) {
	case 2:
		walk(t, w, m, 1, false);
		break;
	case 3:
		walk(t, w, m, 1, true);
		break;
	case 4:
		walk(t, w, m, 2, false);
		break;
	case 5:
		walk(t, w, m, 2, true);
		break;
	case 6:
		walk(t, w, m, 3, false);
		break;
	default:
		walk(t, w, m, 3, true);
	}
}

/* Converts t->codes and t->literal to residues. */
static void get_residues(struct table *t, const struct column_plan *p, const uint64_t *ref,
			 uint64_t *residue, struct predictors *m)
{
	struct walk w = { .codes = t->codes, .literal = t->literal, .residue = residue };
	bool own = false;

	for (int q = 0; q < p->npredictors; q++) {
		fresh_slots(t, m, q);
		w.slots[q] = table_slots(t, p->mask[q], ref, t->own_slots[q]);
		w.own[q] = p->mask[q] & CONTEXT_OWN;
		own |= w.own[q];
	}
	walk_any(t, &w, m, p->npredictors, own);
}

/* Converts residues to the values themselves. */
LOOPS static void absolute(struct table *t, uint32_t column, unsigned int relative,
			   const uint64_t *ref, const uint64_t *residue)
{
	const struct layout_column *c = &t->layout->columns[column];
	const uint64_t *from = relative == RELATIVE_REF ? ref : NULL;
	uint64_t *v = t->value[column];
	uint32_t size = width(c), i = 0;

	if (relative == RELATIVE_ZERO) {
		if (v != residue)
			memcpy(v, residue, t->n * sizeof(*v));
		return;
	}
	if (relative == RELATIVE_TIME)
		from = table_ts(t);
	if (from) {
		for (; i < t->n; i++)
			v[i] = narrow(residue[i] + from[i], size, c->is_signed);
		return;
	}
	for (uint32_t k = 0; k < t->nclasses; k++) {
		uint64_t last = 0;

		for (uint32_t end = i + t->class_count[k]; i < end; i++)
			v[i] = last = narrow(residue[i] + last, size, c->is_signed);
	}
}

static bool decode_constant(struct table *t, uint32_t column, struct column_input *in)
{
	const struct layout_column *c = &t->layout->columns[column];
	uint64_t v = narrow(unzigzag(view_varint(&in->structure)), width(c), c->is_signed);

	for (uint32_t i = 0; i < t->n; i++)
		t->value[column][i] = v;
	return !in->structure.bad || column_breaks(in, RULE_STRUCTURE);
}

/* Stores the residues that are not predicted in t->literal, and the codes in t->codes. */
static bool get_literals(struct table *t, const struct layout_column *c,
			 const struct column_plan *p, struct column_input *in)
{
	bool is_signed = c->is_signed || p->relative != RELATIVE_ZERO, ok;
	uint32_t n = t->n;

	if (p->npredictors) {
		if (!code_unpack(&in->codes, t->n, p->npredictors, t->codes))
			return column_breaks(in, RULE_SHORT("codes"));
		n = count_literals(t->codes, t->n, p->npredictors);
		if (n == UINT32_MAX)
			return column_breaks(in, RULE("Number columns",
						      "a code is above the number of predictors"));
	}
	if (p->literal == LITERAL_BYTES)
		ok = byte_literals(t->literal, n, width(c), is_signed, in);
	else
		ok = bucket_literals(t->literal, n, p->literal, width(c), is_signed, in);
	t->literal[n] = 0;
	return ok;
}

bool column_decode(struct table *t, uint32_t column, struct predictors *m, struct column_input *in)
{
	const struct layout_column *c = &t->layout->columns[column];
	uint8_t tag = view_u8(&in->structure);
	struct column_plan p;
	const uint64_t *ref;
	uint64_t *residue;
	uint32_t number = 0;

	if (tag == TAG_CONSTANT)
		return decode_constant(t, column, in);
	if (tag & TAG_CONSTANT)
		return column_breaks(in, RULE("Number columns", "bit 7 of a tag is set"));
	if (!get_tag(in, t, column, tag, &p, &number) || !get_literals(t, c, &p, in))
		return false;
	ref = t->value[number];
	residue = p.relative == RELATIVE_ZERO ? t->value[column] : t->work;
	if (p.npredictors)
		get_residues(t, &p, ref, residue, m);
	else
		residue = t->literal;
	absolute(t, column, p.relative, ref, residue);
	return true;
}
