/* SPDX-License-Identifier: MIT */
#include "edit/removed.h"

#include "common/array.h"
#include "common/text.h"

enum {
	HEAD_BITS = 22, /* log2 of the bits of `heads` */
	SLOTS = 1 << 10, /* first size of the hash table */
};

/* ---- hashes ------------------------------------------------------------------------------- */

static uint64_t number(const void *p, size_t n)
{
	uint64_t v = 0;

	memcpy(&v, p, n);
	return v;
}

static uint64_t mix(uint64_t h, uint64_t v)
{
	h = (h ^ v) * 0x9E3779B97F4A7C15;
	return h ^ h >> 32;
}

static uint64_t hash(const struct removed *r, const char *p, size_t n)
{
	uint64_t h = r->seed + n;

	for (; n > 8; p += 8, n -= 8)
		h = mix(h, number(p, 8));
	return mix(mix(h, number(p, n)), n);
}

/* Returns the bit in `heads` for values that begin with these n bytes: 4 or 8. */
static size_t head_bit(const struct removed *r, const void *p, size_t n)
{
	return (size_t)(mix(r->seed, number(p, n)) * 0x9E3779B97F4A7C15 >> (64 - HEAD_BITS));
}

static bool has_head(const struct removed *r, const void *p, size_t n)
{
	size_t bit = head_bit(r, p, n);

	return r->heads[bit / 64] >> bit % 64 & 1;
}

/* ---- marks -------------------------------------------------------------------------------- */

/* Returns the slot of the mark p[0 .. n), or the empty slot where it would be inserted. */
static uint32_t *slot_of(const struct removed *r, const char *p, size_t n)
{
	size_t i = (size_t)hash(r, p, n) & (r->nslots - 1);

	for (;; i = (i + 1) & (r->nslots - 1)) {
		const struct removed_mark *m = r->slots[i] ? &r->marks[r->slots[i] - 1] : NULL;

		if (!m || (m->len == n && !memcmp(r->text + m->at, p, n)))
			return &r->slots[i];
	}
}

static struct removed_mark *find_mark(const struct removed *r, const char *p, size_t n)
{
	uint32_t i = r->nslots ? *slot_of(r, p, n) : 0;

	if (r->lookups)
		++*r->lookups;
	return i ? &r->marks[i - 1] : NULL;
}

/* Makes room for one more mark: at most half of the slots are used. */
static bool reserve_mark(struct removed *r)
{
	size_t n = r->nslots ? 2 * r->nslots : SLOTS;
	uint32_t *slots;

	if (!array_reserve(r->marks, r->marks_room, r->nmarks + 1))
		return false;
	if (2 * (r->nmarks + 1) <= r->nslots)
		return true;
	slots = calloc(n, sizeof(*slots));
	if (!slots)
		return false;
	free(r->slots);
	r->slots = slots;
	r->nslots = n;
	for (size_t i = 0; i < r->nmarks; i++)
		*slot_of(r, r->text + r->marks[i].at, r->marks[i].len) = (uint32_t)i + 1;
	return true;
}

/*
 * Adds a prefix of a value as a mark, if it is new. `value`: 1 + the value's number if it is the
 * whole value.
 */
static bool add_mark(struct removed *r, size_t at, size_t n, uint32_t value)
{
	uint32_t *slot;

	if (!reserve_mark(r))
		return false;
	slot = slot_of(r, r->text + at, n);
	if (!*slot) {
		r->marks[r->nmarks] = (struct removed_mark){ .at = (uint32_t)at, .len = (uint32_t)n,
							     .next = r->of_length[n] };
		*slot = r->of_length[n] = (uint32_t)++r->nmarks;
	}
	if (value)
		r->marks[*slot - 1].value = value;
	return true;
}

/* ---- values ------------------------------------------------------------------------------- */

static bool known(const struct removed *r, const char *p, size_t n)
{
	const struct removed_mark *m = find_mark(r, p, n);

	return m && m->value;
}

/* Adds the last value of r->text to the index. */
static bool add_to_index(struct removed *r, size_t at, size_t n)
{
	size_t bit;

	if (!r->heads && !(r->heads = calloc((1 << HEAD_BITS) / 64, sizeof(*r->heads))))
		return false;
	bit = head_bit(r, r->text + at, n < REMOVED_WHOLE ? 4 : 8);
	r->heads[bit / 64] |= UINT64_C(1) << bit % 64;
	for (size_t len = n & (n - 1); n >= REMOVED_WHOLE && len; len &= len - 1)
		if (!add_mark(r, at, len, 0))
			return false;
	return add_mark(r, at, n, (uint32_t)r->n + 1);
}

static void add(struct removed *r, enum secret_class class, const char *p, size_t n, bool is_text)
{
	if (n < REMOVED_LEAST || known(r, p, n))
		return;
	if (r->n >= REMOVED_MOST) {
		r->full = true;
		return;
	}
	if (!array_reserve(r->text, r->room, r->len + n) ||
	    !array_reserve(r->values, r->values_room, r->n + 1)) {
		r->failed = true;
		return;
	}
	memcpy(r->text + r->len, p, n);
	if (!add_to_index(r, r->len, n)) {
		r->failed = true;
		return;
	}
	r->values[r->n++] = (struct removed_value){ .at = (uint32_t)r->len, .len = (uint8_t)n,
						    .class = (uint8_t)class, .is_text = is_text };
	r->len += n;
}

static bool has_letter(const char *p, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (is_word_or_utf8(p[i]) && p[i] != '_')
			return true;
	return false;
}

void removed_text(struct removed *r, enum secret_class class, const char *p, size_t n)
{
	size_t pieces = (n + REMOVED_LONGEST - 1) / REMOVED_LONGEST;

	for (size_t i = 0, at = 0, end; i < pieces; i++, at = end) {
		end = n * (i + 1) / pieces;
		if (has_letter(p + at, end - at))
			add(r, class, p + at, end - at, true);
	}
}

/*
 * Remembers the first 16-byte sequence with eight different bytes: one with fewer may occur
 * elsewhere by chance.
 */
void removed_bytes(struct removed *r, enum secret_class class, const uint8_t *p, size_t n)
{
	for (size_t at = 0; at + REMOVED_BYTES <= n; at += REMOVED_BYTES) {
		uint64_t seen[4] = { 0 };
		int different = 0;

		for (size_t i = at; i < at + REMOVED_BYTES; i++) {
			different += !(seen[p[i] >> 6] >> (p[i] & 63) & 1);
			seen[p[i] >> 6] |= 1ull << (p[i] & 63);
		}
		if (different < 8)
			continue;
		add(r, class, (const char *)p + at, REMOVED_BYTES, false);
		return;
	}
}

static bool alone(const uint8_t *p, size_t n, size_t at, size_t len)
{
	return (!at || !is_word_or_utf8((char)p[at - 1])) &&
	       (at + len == n || !is_word_or_utf8((char)p[at + len]));
}

/* ---- the search --------------------------------------------------------------------------- */

/* Returns 1 + the number of the longest value of REMOVED_WHOLE to n bytes at p; 0: none. */
static uint32_t longest(const struct removed *r, const char *p, size_t n)
{
	uint32_t value = 0;
	size_t len = 0;

	for (size_t bit = REMOVED_LONGEST; bit; bit /= 2) {
		const struct removed_mark *m;

		if (len + bit > n || len + bit < REMOVED_WHOLE)
			continue;
		m = find_mark(r, p, len + bit);
		if (m) {
			len += bit;
			value = m->value;
		}
	}
	return value;
}

/* Processes shorter marks first, because longest() uses them for the prefixes of longer ones. */
void removed_ready(struct removed *r)
{
	for (size_t n = REMOVED_WHOLE; n <= REMOVED_LONGEST; n++)
		for (uint32_t i = r->of_length[n]; i; i = r->marks[i - 1].next) {
			struct removed_mark *m = &r->marks[i - 1];
			uint32_t shorter = longest(r, r->text + m->at, n - 1);

			if (m->value)
				r->values[m->value - 1].shorter = shorter;
			else
				m->value = shorter;
		}
	r->ready = true;
}

static struct removed_value *short_value(const struct removed *r, const char *p, size_t n,
					 size_t at)
{
	for (size_t len = REMOVED_WHOLE - 1; len >= REMOVED_LEAST; len--) {
		const struct removed_mark *m = len <= n - at ? find_mark(r, p + at, len) : NULL;
		struct removed_value *v = m && m->value ? &r->values[m->value - 1] : NULL;

		if (v && v->len == len && !v->is_public && alone((const uint8_t *)p, n, at, len))
			return v;
	}
	return NULL;
}

/* Returns the longest value of at least four bytes at this place. */
static struct removed_value *at_place(const struct removed *r, const char *p, size_t n, size_t at)
{
	if (n - at >= REMOVED_WHOLE && has_head(r, p + at, 8)) {
		uint32_t i = longest(r, p + at, n - at);

		for (; i; i = r->values[i - 1].shorter)
			if (!r->values[i - 1].is_public)
				return &r->values[i - 1];
	}
	return has_head(r, p + at, 4) ? short_value(r, p, n, at) : NULL;
}

void removed_public(struct removed *r, const char *p, size_t n)
{
	for (size_t at = 0; r->ready && r->heads && at + 4 <= n; at++) {
		struct removed_value *v;

		while ((v = at_place(r, p, n, at)))
			v->is_public = true;
	}
}

const struct removed_value *removed_find(const struct removed *r, const void *data, size_t n,
					 size_t *from, size_t least)
{
	for (; r->ready && r->heads && *from + 4 <= n; ++*from) {
		const struct removed_value *v = at_place(r, data, n, *from);

		if (v && v->len >= least)
			return v;
	}
	return NULL;
}

void removed_free(struct removed *r)
{
	free(r->text);
	free(r->values);
	free(r->marks);
	free(r->slots);
	free(r->heads);
	*r = (struct removed){ 0 };
}
