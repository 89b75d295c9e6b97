/* SPDX-License-Identifier: MIT */
/*
 * Which fields of numbers hold texts: a probe can read memory as u8[32], x64[4] or as one x64 after
 * the other. The value of one event does not decide it, because a piece of a text may be short, or
 * look like a number. In events of probes, every array counts, and so does a field, in all events,
 * in which any event has a text. The kernel's own events have numbers that programs choose, but
 * texts only in fields of their own; there, each event decides for itself.
 */
#include <string.h>

#include "common/array.h"
#include "common/sources.h"
#include "edit/redact.h"

/* Letters in succession that make a text: no time or address has as many. */
enum { LETTERS = 7, LETTERS_HEX = 5, LETTERS_ARRAY = 4 };

static bool is_number(const struct trawl_field *f)
{
	return f->place == TRAWL_FIXED && (f->kind <= TRAWL_ADDR || f->kind == TRAWL_FLOAT);
}

static uint64_t field_key(const struct trawl_event *ev, const struct trawl_field *fields,
			  uint32_t i)
{
	uint64_t common = fields == ev->source->common;

	return needs_type(ev->section, ev->source->id, ev->type->id) << 13 | common << 12 | i;
}

/* ---- letters in succession, also across fields --------------------------------------------- */

struct run {
	uint32_t first;   /* the field in which it begins */
	uint32_t len;
	uint32_t odd;     /* bytes that are neither ASCII nor UTF-8 */
	uint32_t pending; /* bytes that a character of UTF-8 still needs */
};

static void take_byte(struct run *r, uint32_t field, uint8_t c)
{
	if (c < ' ' || c == 0x7f) {
		*r = (struct run){ 0 };
		return;
	}
	if (!r->len)
		r->first = field;
	if (c < 0x80)
		r->pending = 0;
	else if (c < 0xc0 && r->pending)
		r->pending--;
	else if (c >= 0xc2 && c < 0xf5)
		r->pending = 1 + (c >= 0xe0) + (c >= 0xf0);
	else
		r->odd++; /* also of a character whose begin was not read */
	r->len++;
}

static bool is_text(const struct run *r, const struct trawl_event *ev, const struct trawl_field *f,
		    uint32_t field, size_t n)
{
	uint32_t need = LETTERS;

	if (r->first == field && n > f->size && f->size < 8)
		need = LETTERS_ARRAY;
	else if (r->first == field && f->kind == TRAWL_HEX && is_probe_source(ev->source->name))
		need = LETTERS_HEX;
	return r->len >= need && 4 * r->odd <= r->len;
}

static void find_texts(const struct trawl_event *ev, const struct trawl_field *f, uint32_t n,
		       bool *texts)
{
	struct run r = { 0 };
	uint32_t end = 0;

	for (uint32_t i = 0; i < n; i++) {
		const uint8_t *p;
		size_t len;

		if (!is_number(&f[i]) || !record_field(ev, &f[i], &p, &len)) {
			r = (struct run){ 0 };
			continue;
		}
		if (f[i].offset != end)
			r = (struct run){ 0 };
		end = f[i].offset + (uint32_t)len;
		for (size_t k = 0; k < len; k++) {
			if (f[i].size == 8 && k % 8 == 0 && is_address(number_at(p + k, 8))) {
				r = (struct run){ 0 };
				k += 7;
				continue;
			}
			take_byte(&r, i, p[k]);
			if (is_text(&r, ev, &f[i], i, len))
				memset(texts + r.first, true, i + 1 - r.first);
		}
	}
}

/* ---- the interface ------------------------------------------------------------------------- */

const bool *redact_texts(struct redact *x, const struct trawl_event *ev,
			 const struct trawl_field *f, uint32_t n)
{
	bool probe = is_probe_source(ev->source->name);

	if (!array_reserve(x->texts, x->texts_room, n)) {
		x->failed = true;
		return NULL;
	}
	if (!n)
		return x->texts;
	memset(x->texts, 0, n);
	if (!probe || x->counting)
		find_texts(ev, f, n, x->texts);
	for (uint32_t i = 0; probe && i < n; i++) {
		uint64_t key = field_key(ev, f, i);

		if (!is_number(&f[i]))
			continue;
		if (x->texts[i])
			numbers_add(&x->text_fields, key);
		x->texts[i] = f[i].count > 1 || numbers_has(&x->text_fields, key);
	}
	x->failed |= x->text_fields.failed;
	return x->texts;
}

void redact_number(struct redact *x, uint8_t *p, size_t n)
{
	char standin[8];

	if (n != sizeof(standin) || !number_at(p, n)) {
		redact_zero(x, SECRET_STRINGS, p, n);
		return;
	}
	redact_count_bytes(x, SECRET_STRINGS, p, n);
	if (!redact_drops(x, SECRET_STRINGS))
		return;
	standin_text(&x->key, (const char *)p, n, standin);
	memcpy(p, standin, n);
}
