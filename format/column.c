/* SPDX-License-Identifier: MIT */
#include "bucket.h"
#include "column.h"

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

static bool uses_ref(const struct column_plan *p)
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

void column_relate(struct table *t, uint32_t column, unsigned int relative)
{
	const struct layout_column *c = &t->layout->columns[column];
	const uint64_t *v = t->value[column], *from = NULL;
	uint64_t *w = t->work;
	uint32_t size = width(c);

	t->residue = w;
	switch (relative) {
	case RELATIVE_ZERO:
		t->residue = v;
		return;
	case RELATIVE_LAST:
		memset(t->last, 0, t->nclasses * sizeof(*t->last));
		for (uint32_t i = 0; i < t->n; i++) {
			uint64_t *last = &t->last[t->class_of[i]];

			w[i] = narrow(v[i] - *last, size, true);
			*last = v[i];
		}
		return;
	case RELATIVE_REF:
		from = t->value[c->ref];
		break;
	default:
		from = t->ts;
	}
	for (uint32_t i = 0; i < t->n; i++)
		w[i] = narrow(v[i] - from[i], size, true);
}

/* The slot of every event under a mask, when all values in t->work are known. */
static const uint16_t *known_slots(struct table *t, uint32_t column, unsigned int mask,
				   uint16_t *slots)
{
	const uint64_t *ref = t->value[t->layout->columns[column].ref];

	if (mask < CONTEXT_PER_EVENT)
		return table_slots(t, mask);
	if (!(mask & CONTEXT_OWN)) {
		for (uint32_t i = 0; i < t->n; i++)
			slots[i] = (uint16_t)context_slot(table_sum(t, mask, ref, i), t->shift);
		return slots;
	}
	memset(t->last, 0, t->nclasses * sizeof(*t->last));
	for (uint32_t i = 0; i < t->n; i++) {
		uint64_t *last = &t->last[t->class_of[i]];
		uint64_t sum = table_sum(t, mask, ref, i) + (*last + 1) * CONTEXT_OWN_FACTOR;

		slots[i] = (uint16_t)context_slot(sum, t->shift);
		*last = t->residue[i];
	}
	return slots;
}

static uint64_t *fresh_slots(struct table *t, struct predictors *m, int q)
{
	memset(m->slot[q], 0, sizeof(m->slot[q][0]) << (64 - t->shift));
	return m->slot[q];
}

void column_try(struct table *t, uint32_t column, unsigned int mask, struct predictors *m,
		uint8_t *hit)
{
	const uint16_t *slots = known_slots(t, column, mask, t->own_slots[0]);
	const uint64_t *w = t->residue;
	uint64_t *slot = fresh_slots(t, m, 0);

	for (uint32_t i = 0; i < t->n; i++) {
		uint64_t *s = &slot[slots[i]];

		hit[i] = *s == w[i];
		*s = w[i];
	}
}

/*
 * Codes go out sorted by class, as do the values to `literal`. np is a constant where this is
 * called, so that the compiler makes a loop for each number of predictors.
 */
static inline __attribute__((always_inline)) void code_events(const struct table *t,
	const uint16_t *const *slots, struct predictors *m, unsigned int np, uint8_t *out)
{
	const uint64_t *w = t->residue;
	const uint32_t *sorted = t->sorted;
	uint64_t *literal = t->literal;

	for (uint32_t i = 0; i < t->n; i++) {
		uint64_t v = w[i];
		unsigned int code = np;

		for (unsigned int q = np; q-- > 0;) {
			uint64_t *s = &m->slot[q][slots[q][i]];

			code = *s == v ? q : code;
			*s = v;
		}
		out[sorted[i]] = (uint8_t)code;
		literal[sorted[i]] = v;
	}
}

/* Returns the number of literals, which are then the first in t->literal. */
static uint32_t put_codes(struct table *t, uint32_t column, const struct column_plan *p,
			  struct predictors *m, struct buf *codes)
{
	const uint16_t *slots[TABLE_PREDICTORS];
	uint64_t *literal = t->literal;
	uint32_t n = 0;
	uint8_t *out;

	if (!buf_reserve(codes, t->n))
		return 0;
	out = codes->data + codes->len;
	codes->len += t->n;
	for (int q = 0; q < p->npredictors; q++) {
		slots[q] = known_slots(t, column, p->mask[q], t->own_slots[q]);
		fresh_slots(t, m, q);
	}
	if (p->npredictors == 1)
		code_events(t, slots, m, 1, out);
	else if (p->npredictors == 2)
		code_events(t, slots, m, 2, out);
	else
		code_events(t, slots, m, 3, out);
	for (uint32_t i = 0; i < t->n; i++) {
		literal[n] = literal[i];
		n += out[i] == p->npredictors;
	}
	return n;
}

void column_literal_numbers(uint64_t *v, uint32_t n, unsigned int literal)
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

static void put_literals(struct table *t, uint32_t n, unsigned int literal, uint32_t size,
			 struct sink *out)
{
	uint64_t *v = t->literal;
	uint8_t *p;

	if (literal != LITERAL_BYTES) {
		column_literal_numbers(v, n, literal);
		bucket_encode(v, n, &out->codes, &out->bits);
		return;
	}
	if (!buf_reserve(&out->literals, (size_t)n * size + 8))
		return;
	p = out->literals.data + out->literals.len;
	for (uint32_t i = 0; i < n; i++, p += size)
		put64(p, v[i]);
	out->literals.len += (size_t)n * size;
}

static bool all_equal(const uint64_t *v, uint32_t n)
{
	for (uint32_t i = 1; i < n; i++)
		if (v[i] != v[0])
			return false;
	return true;
}

static void put_tag(const struct table *t, uint32_t column, const struct column_plan *p,
		    struct buf *out)
{
	bool ref = uses_ref(p);

	buf_u8(out, p->npredictors | p->literal << TAG_LITERAL_SHIFT |
		    p->relative << TAG_RELATIVE_SHIFT | (ref ? TAG_REF : 0));
	buf_put(out, p->mask, p->npredictors);
	if (ref)
		buf_varint(out, t->layout->columns[column].ref);
}

uint32_t column_encode(struct table *t, uint32_t column, const struct column_plan *p,
		       struct predictors *m, struct sink *out)
{
	const uint64_t *v = t->value[column];
	uint32_t n;

	if (all_equal(v, t->n)) {
		buf_u8(&out->structure, TAG_CONSTANT);
		buf_varint(&out->structure, zigzag(t->n ? v[0] : 0));
		return 0;
	}
	put_tag(t, column, p, &out->structure);
	column_relate(t, column, p->relative);
	if (p->npredictors) {
		n = put_codes(t, column, p, m, &out->codes);
	} else {
		for (uint32_t i = 0; i < t->n; i++)
			t->literal[t->sorted[i]] = t->residue[i];
		n = t->n;
	}
	put_literals(t, n, p->literal, width(&t->layout->columns[column]), out);
	return n;
}

/* ---- decoding -------------------------------------------------------------------------- */

static bool get_tag(struct view *in, uint32_t column, uint8_t tag, struct column_plan *p,
		    uint32_t *ref)
{
	p->npredictors = tag & TAG_PREDICTORS;
	p->literal = tag >> TAG_LITERAL_SHIFT & 3;
	p->relative = tag >> TAG_RELATIVE_SHIFT & 3;
	for (int q = 0; q < p->npredictors; q++) {
		p->mask[q] = view_u8(in);
		if (p->mask[q] >= CONTEXT_MASKS)
			return false;
	}
	if (!(tag & TAG_REF))
		return !uses_ref(p);
	*ref = (uint32_t)view_varint_max(in, UINT32_MAX);
	return !in->bad && *ref < column;
}

/* How many codes are literals; UINT32_MAX if one is none at all. */
static uint32_t count_literals(const uint8_t *codes, uint32_t n, uint8_t npredictors)
{
	uint32_t literals = 0;
	uint8_t worst = 0;

	for (uint32_t i = 0; i < n; i++) {
		literals += codes[i] == npredictors;
		worst = codes[i] > worst ? codes[i] : worst;
	}
	return worst <= npredictors ? literals : UINT32_MAX;
}

static bool byte_literals(uint64_t *v, uint32_t n, uint32_t size, bool is_signed, struct view *in)
{
	const uint8_t *p = view_bytes(in, (size_t)n * size);

	if (!p)
		return false;
	/* 8 readable bytes follow every section. */
	for (uint32_t i = 0; i < n; i++, p += size)
		v[i] = narrow(get64(p), size, is_signed);
	return true;
}

static bool bucket_literals(uint64_t *v, uint32_t n, unsigned int literal, uint32_t size,
			    bool is_signed, struct source_views *in)
{
	const uint8_t *codes = view_bytes(&in->codes, n);
	uint64_t last = 0;

	if (!codes || !bucket_decode(codes, n, &in->bits, v))
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

/* Literals from the order they are stored in to where their codes are. */
static void spread(const uint8_t *codes, uint8_t npredictors, const uint64_t *from, uint64_t *to,
		   uint32_t n)
{
	for (uint32_t i = 0, k = 0; i < n; i++) {
		to[i] = from[k];
		k += codes[i] == npredictors;
	}
}

struct walk {
	const uint8_t *codes;
	const uint64_t *literal; /* by code */
	const uint16_t *slots[TABLE_PREDICTORS];
	const uint64_t *sums[TABLE_PREDICTORS]; /* for predictors with OWN, else NULL */
};

/* Goes over the events in table order and follows the codes; np and own are constants. */
static inline __attribute__((always_inline)) void walk(struct table *t, const struct walk *w,
							struct predictors *m, int np, bool own)
{
	for (uint32_t i = 0; i < t->n; i++) {
		uint32_t at = t->sorted[i];
		uint8_t code = w->codes[at];
		uint64_t *last = own ? &t->last[t->class_of[i]] : NULL, v;
		const uint64_t *from = &w->literal[at];
		uint64_t *slot[TABLE_PREDICTORS];

		for (int q = 0; q < np; q++) {
			uint32_t s;

			if (own && w->sums[q])
				s = context_slot(w->sums[q][i] + (*last + 1) * CONTEXT_OWN_FACTOR,
						 t->shift);
			else
				s = w->slots[q][i];
			slot[q] = &m->slot[q][s];
			from = code == q ? slot[q] : from;
		}
		v = *from;
		for (int q = 0; q < np; q++)
			*slot[q] = v;
		if (own)
			*last = v;
		t->work[i] = v;
	}
}

static void walk_any(struct table *t, const struct walk *w, struct predictors *m, int np, bool own)
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

static void follow(struct table *t, const struct column_plan *p, const uint64_t *ref,
		   const uint8_t *codes, const uint64_t *literal, struct predictors *m)
{
	struct walk w = { .codes = codes, .literal = literal };
	bool own = false;

	for (int q = 0; q < p->npredictors; q++) {
		unsigned int mask = p->mask[q];

		fresh_slots(t, m, q);
		if (mask < CONTEXT_PER_EVENT) {
			w.slots[q] = table_slots(t, mask);
			continue;
		}
		if (mask & CONTEXT_OWN) {
			for (uint32_t i = 0; i < t->n; i++)
				t->base[q][i] = table_sum(t, mask, ref, i);
			w.sums[q] = t->base[q];
			own = true;
			continue;
		}
		for (uint32_t i = 0; i < t->n; i++)
			t->own_slots[q][i] =
				(uint16_t)context_slot(table_sum(t, mask, ref, i), t->shift);
		w.slots[q] = t->own_slots[q];
	}
	if (own)
		memset(t->last, 0, t->nclasses * sizeof(*t->last));
	walk_any(t, &w, m, p->npredictors, own);
}

/* From t->work to the values themselves. */
static void absolute(struct table *t, uint32_t column, unsigned int relative, const uint64_t *ref)
{
	const struct layout_column *c = &t->layout->columns[column];
	const uint64_t *from = relative == RELATIVE_REF ? ref : t->ts;
	uint64_t *v = t->value[column];
	uint32_t size = width(c);

	if (relative == RELATIVE_ZERO) {
		memcpy(v, t->work, t->n * sizeof(*v));
		return;
	}
	if (relative != RELATIVE_LAST) {
		for (uint32_t i = 0; i < t->n; i++)
			v[i] = narrow(t->work[i] + from[i], size, c->is_signed);
		return;
	}
	memset(t->last, 0, t->nclasses * sizeof(*t->last));
	for (uint32_t i = 0; i < t->n; i++) {
		uint64_t *last = &t->last[t->class_of[i]];

		*last = v[i] = narrow(t->work[i] + *last, size, c->is_signed);
	}
}

static bool decode_constant(struct table *t, uint32_t column, struct view *in)
{
	const struct layout_column *c = &t->layout->columns[column];
	uint64_t v = narrow(unzigzag(view_varint(in)), width(c), c->is_signed);

	for (uint32_t i = 0; i < t->n; i++)
		t->value[column][i] = v;
	return !in->bad;
}

bool column_decode(struct table *t, uint32_t column, struct predictors *m, struct source_views *in)
{
	const struct layout_column *c = &t->layout->columns[column];
	uint8_t tag = view_u8(&in->structure);
	struct column_plan p;
	const uint8_t *codes = NULL;
	const uint64_t *ref_value;
	uint32_t ref = 0, literals = t->n;
	bool is_signed, ok;

	if (tag == TAG_CONSTANT)
		return decode_constant(t, column, &in->structure);
	if ((tag & TAG_CONSTANT) || !get_tag(&in->structure, column, tag, &p, &ref))
		return false;
	if (p.npredictors) {
		codes = view_bytes(&in->codes, t->n);
		literals = codes ? count_literals(codes, t->n, p.npredictors) : UINT32_MAX;
		if (literals == UINT32_MAX)
			return false;
	}
	is_signed = c->is_signed || p.relative != RELATIVE_ZERO;
	if (p.literal == LITERAL_BYTES)
		ok = byte_literals(t->literal, literals, width(c), is_signed, &in->literals);
	else
		ok = bucket_literals(t->literal, literals, p.literal, width(c), is_signed, in);
	if (!ok)
		return false;
	ref_value = t->value[ref];
	if (codes) {
		uint64_t *spread_to = t->value[column];

		t->literal[literals] = 0;
		spread(codes, p.npredictors, t->literal, spread_to, t->n);
		follow(t, &p, ref_value, codes, spread_to, m);
	} else {
		for (uint32_t i = 0; i < t->n; i++)
			t->work[i] = t->literal[t->sorted[i]];
	}
	absolute(t, column, p.relative, ref_value);
	return true;
}
