/* SPDX-License-Identifier: MIT */
#include "edit/needs.h"

#include <stdlib.h>
#include <string.h>

#include "common/array.h"
#include "common/text.h"

/* ---- sets --------------------------------------------------------------------------------- */

void numbers_add(struct numbers *s, uint64_t v)
{
	bool added;

	if (!v) {
		s->has_zero = true;
		return;
	}
	if (v == s->last)
		return;
	if (!hashset_add(&s->set, v, &added)) {
		s->failed = true;
		return;
	}
	s->last = v;
}

bool numbers_has(const struct numbers *s, uint64_t v)
{
	return v ? hashset_has(&s->set, v) : s->has_zero;
}

void numbers_free(struct numbers *s)
{
	free(s->set.slots);
	*s = (struct numbers){ 0 };
}

bool needs_ok(const struct needs *n)
{
	return !n->failed && !n->tasks.failed && !n->addresses.failed && !n->devices.failed &&
	       !n->types.failed;
}

void needs_free(struct needs *n)
{
	numbers_free(&n->tasks);
	numbers_free(&n->addresses);
	numbers_free(&n->devices);
	numbers_free(&n->types);
	needs_event_end(n);
	n->failed = false;
}

/* ---- records ------------------------------------------------------------------------------ */

uint64_t number_at(const uint8_t *p, size_t size)
{
	uint64_t v = 0;

	memcpy(&v, p, size <= 8 ? size : 8);
	return v;
}

bool record_field(const struct trawl_event *ev, const struct trawl_field *f, const uint8_t **p,
		  size_t *len)
{
	const uint8_t *record = ev->record;
	uint32_t at = f->offset, n = (uint32_t)f->size * f->count, word;

	if (f->place == TRAWL_TAIL) {
		n = at <= ev->len ? ev->len - at : 0;
	} else if (f->place != TRAWL_FIXED) {
		if (at + 4 > ev->len)
			return false;
		memcpy(&word, record + at, 4);
		n = word >> 16;
		at = (word & 0xffff) + (f->place == TRAWL_REL_LOC ? at + 4 : 0);
	}
	if (at > ev->len || n > ev->len - at)
		return false;
	*p = record + at;
	*len = n;
	return true;
}

/* ---- the meaning of a field's values --------------------------------------------------------- */

enum use { USE_NONE, USE_TASK, USE_ADDRESS };

/*
 * Returns the meaning of a field's values. A kernel stack is a variable-length field of 8-byte
 * numbers whose element size may be missing from the format.
 */
static enum use use_of(const struct trawl_field *f)
{
	if (f->kind == TRAWL_PID)
		return USE_TASK;
	if (f->place != TRAWL_FIXED)
		return f->size == 8 || strstr(f->ctype, "long") ? USE_ADDRESS : USE_NONE;
	if (f->size == 4 && (ends(f->name, "pid") || ends(f->name, "tid")))
		return USE_TASK;
	return f->size == 8 && f->kind <= TRAWL_ADDR ? USE_ADDRESS : USE_NONE;
}

static void take(struct needs *n, enum use use, const uint8_t *p, size_t len, size_t size)
{
	for (size_t i = 0; size && i + size <= len; i += size) {
		uint64_t v = number_at(p + i, size);

		if (use == USE_TASK)
			numbers_add(&n->tasks, (uint32_t)v);
		else if (v >> 47 == 0x1ffff)
			numbers_add(&n->addresses, v);
	}
}

static size_t element(enum use use, const struct trawl_field *f)
{
	return use == USE_ADDRESS ? 8 : f->size;
}

static void take_column(struct needs *n, const struct trawl_column *c, uint32_t count)
{
	enum use use = use_of(c->field);
	size_t size = element(use, c->field), len;
	uint64_t last = UINT64_MAX;

	if (use == USE_NONE || !c->data)
		return;
	len = c->offsets ? c->offsets[count] : (size_t)count * c->field->size * c->field->count;
	if (use == USE_ADDRESS && c->offsets) {
		for (uint32_t i = 0; i < count; i++)
			take(n, use, (const uint8_t *)c->data + c->offsets[i],
			     c->offsets[i + 1] - c->offsets[i], size);
		return;
	}
	for (size_t i = 0; i + size <= len; i += size) {
		uint64_t v = number_at((const uint8_t *)c->data + i, size);

		if (v != last)
			take(n, use, (const uint8_t *)c->data + i, size, size);
		last = v;
	}
}

static bool is_usbmon(const struct trawl_source *s)
{
	return !strcmp(s->kind, "usbmon");
}

static const struct trawl_column *column(const struct trawl_column *c, uint32_t n, const char *name)
{
	for (uint32_t i = 0; i < n; i++)
		if (!strcmp(c[i].field->name, name) && c[i].data)
			return &c[i];
	return NULL;
}

/* busnum and devnum are common fields of the source, or fields of an event type. */
static void take_devices(struct needs *n, const struct trawl_column *c, uint32_t ncolumns,
			 uint32_t count)
{
	const struct trawl_column *bus = column(c, ncolumns, "busnum");
	const struct trawl_column *dev = column(c, ncolumns, "devnum");

	for (uint32_t i = 0; bus && dev && i < count; i++)
		numbers_add(&n->devices,
			    number_at((const uint8_t *)bus->data + (size_t)i * 2, 2) << 8 |
			    ((const uint8_t *)dev->data)[i]);
}

void needs_chunk(struct needs *n, const struct trawl_piece *p, const struct trawl_chunk *chunk)
{
	for (uint32_t i = 0; i < chunk->ncommon; i++)
		take_column(n, &chunk->common[i], chunk->count);
	if (is_usbmon(p->source))
		take_devices(n, chunk->common, chunk->ncommon, chunk->count);
	for (uint32_t g = 0; g < chunk->ngroups; g++) {
		const struct trawl_group *group = &chunk->groups[g];

		numbers_add(&n->types, needs_type(p->section, p->number, group->type->id));
		for (uint32_t i = 0; i < group->ncolumns; i++)
			take_column(n, &group->columns[i], group->count);
		if (is_usbmon(p->source))
			take_devices(n, group->columns, group->ncolumns, group->count);
	}
}

/* ---- event by event ----------------------------------------------------------------------- */

/* A field that refers to something. */
struct reference {
	const struct trawl_field *field;
	enum use use;
	size_t size; /* of an element */
};

struct references {
	const struct trawl_event_type *type;
	const struct trawl_field *bus, *dev; /* of USB; NULL: there are none */
	uint32_t n;
	struct reference list[];
};

static void add_references(struct references *r, const struct trawl_field *fields, uint32_t n,
			   bool usb)
{
	for (uint32_t i = 0; i < n; i++) {
		const struct trawl_field *f = &fields[i];
		enum use use = use_of(f);

		if (use != USE_NONE)
			r->list[r->n++] = (struct reference){ f, use, element(use, f) };
		if (usb && !strcmp(f->name, "busnum"))
			r->bus = f;
		if (usb && !strcmp(f->name, "devnum"))
			r->dev = f;
	}
}

static const struct references *references_new(struct needs *n, const struct trawl_event *ev)
{
	const struct trawl_source *s = ev->source;
	const struct trawl_event_type *t = ev->type;
	struct references *r = calloc(1, sizeof(*r) +
					 (s->ncommon + t->nfields) * sizeof(r->list[0]));

	if (!r || !array_reserve(n->references, n->room, n->nreferences + 1)) {
		free(r);
		n->failed = true;
		return NULL;
	}
	r->type = t;
	add_references(r, s->common, s->ncommon, is_usbmon(s));
	add_references(r, t->fields, t->nfields, is_usbmon(s));
	return n->references[n->nreferences++] = r;
}

static const struct references *references_of(struct needs *n, const struct trawl_event *ev)
{
	const struct references **recent =
		&n->recent[(uintptr_t)ev->type / sizeof(*ev->type) % ARRAY_SIZE(n->recent)];

	if (*recent && (*recent)->type == ev->type)
		return *recent;
	for (size_t i = 0; i < n->nreferences; i++)
		if (n->references[i]->type == ev->type)
			return *recent = n->references[i];
	return *recent = references_new(n, ev);
}

void needs_event(struct needs *n, uint32_t section, uint16_t number, const struct trawl_event *ev)
{
	const struct references *r = references_of(n, ev);
	const uint8_t *p, *dev;
	size_t len;

	if (!r)
		return;
	numbers_add(&n->types, needs_type(section, number, ev->type->id));
	for (uint32_t i = 0; i < r->n; i++)
		if (record_field(ev, r->list[i].field, &p, &len))
			take(n, r->list[i].use, p, len, r->list[i].size);
	if (r->bus && r->dev && record_field(ev, r->dev, &dev, &len) && len &&
	    record_field(ev, r->bus, &p, &len))
		numbers_add(&n->devices, number_at(p, len) << 8 | *dev);
}

void needs_event_end(struct needs *n)
{
	for (size_t i = 0; i < n->nreferences; i++)
		free(n->references[i]);
	free(n->references);
	n->references = NULL;
	memset(n->recent, 0, sizeof(n->recent));
	n->nreferences = n->room = 0;
}
