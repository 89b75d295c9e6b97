/* SPDX-License-Identifier: MIT */
#include "edit/removed.h"

#include "common/array.h"

enum { HEADS = 1 << 16 };

static uint32_t slot(const void *p)
{
	uint32_t v;

	memcpy(&v, p, 4);
	return (v * 0x9E3779B1u) >> 16;
}

static bool is_word(uint8_t c)
{
	return (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') ||
	       c == '_' || c >= 0x80;
}

static struct removed_value *known(const struct removed *r, const char *p, size_t n)
{
	uint32_t i = r->heads ? r->heads[slot(p)] : 0;

	for (; i; i = r->values[i - 1].next)
		if (r->values[i - 1].len == n && !memcmp(r->text + r->values[i - 1].at, p, n))
			return &r->values[i - 1];
	return NULL;
}

static void add(struct removed *r, enum secret_class class, const char *p, size_t n, bool is_text)
{
	struct removed_value *v;

	if (n < REMOVED_LEAST || n > 65536 || known(r, p, n))
		return;
	if (r->n >= REMOVED_MOST || r->len > 256 << 20) {
		r->full = true;
		return;
	}
	if (!r->heads)
		r->heads = calloc(HEADS, sizeof(*r->heads));
	if (!r->heads || !array_reserve(r->text, r->room, r->len + n) ||
	    !array_reserve(r->values, r->values_room, r->n + 1)) {
		r->failed = true;
		return;
	}
	v = &r->values[r->n];
	*v = (struct removed_value){ .at = (uint32_t)r->len, .len = (uint32_t)n,
				     .next = r->heads[slot(p)], .class = (uint8_t)class,
				     .is_text = is_text };
	memcpy(r->text + r->len, p, n);
	r->len += n;
	r->heads[slot(p)] = (uint32_t)++r->n;
}

void removed_text(struct removed *r, enum secret_class class, const char *p, size_t n)
{
	bool letter = false;

	for (size_t i = 0; i < n; i++)
		letter |= is_word((uint8_t)p[i]) && p[i] != '_';
	if (letter)
		add(r, class, p, n, true);
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
	return (!at || !is_word(p[at - 1])) && (at + len == n || !is_word(p[at + len]));
}

static struct removed_value *at_place(const struct removed *r, const uint8_t *p, size_t n,
				      size_t at)
{
	struct removed_value *best = NULL;
	uint32_t i = r->heads[slot(p + at)];

	for (; i; i = r->values[i - 1].next) {
		struct removed_value *v = &r->values[i - 1];

		if (v->len <= n - at && (!best || v->len > best->len) &&
		    !memcmp(r->text + v->at, p + at, v->len) &&
		    (v->len >= REMOVED_WHOLE || !v->is_text ||
		     alone(p, n, at, v->len)) &&
		    !v->is_public)
			best = v;
	}
	return best;
}

void removed_public(struct removed *r, const char *p, size_t n)
{
	for (size_t at = 0; r->heads && at + 4 <= n; at++) {
		struct removed_value *v;

		while ((v = at_place(r, (const uint8_t *)p, n, at)))
			v->is_public = true;
	}
}

const struct removed_value *removed_find(const struct removed *r, const void *data, size_t n,
					 size_t *from, size_t least)
{
	const uint8_t *p = data;

	for (; r->heads && *from + 4 <= n; ++*from) {
		const struct removed_value *v;

		if (!r->heads[slot(p + *from)])
			continue;
		v = at_place(r, p, n, *from);
		if (v && v->len >= least)
			return v;
	}
	return NULL;
}

void removed_free(struct removed *r)
{
	free(r->text);
	free(r->values);
	free(r->heads);
	*r = (struct removed){ 0 };
}
