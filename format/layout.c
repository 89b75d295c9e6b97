/* SPDX-License-Identifier: MIT */
#include <stdlib.h>
#include <string.h>

#include "format/layout.h"

static bool is_number(const struct trawl_field *f)
{
	bool word = f->size == 1 || f->size == 2 || f->size == 4 || f->size == 8;

	if (f->place != TRAWL_FIXED || !word || f->count > LAYOUT_ELEMENTS)
		return false;
	return f->count == 1 || (f->kind != TRAWL_TEXT && f->kind != TRAWL_BYTES);
}

/* Returns how many bytes of the fixed part a field takes; 0 for a field without a value. */
static uint32_t fixed_bytes(const struct trawl_field *f)
{
	switch (f->place) {
	case TRAWL_FIXED:
		return (uint32_t)f->size * f->count;
	case TRAWL_DATA_LOC:
	case TRAWL_REL_LOC:
		return 4;
	default:
		return 0;
	}
}

static bool has_columns(const struct trawl_field *f, uint32_t size)
{
	uint32_t bytes = fixed_bytes(f);

	if (f->place >= TRAWL_PLACES || f->offset + bytes > size)
		return false;
	return bytes || f->place == TRAWL_TAIL;
}

static uint32_t count_columns(const struct trawl_field *f, uint32_t size)
{
	if (!has_columns(f, size))
		return 0;
	return is_number(f) ? f->count : 1;
}

static void add_numbers(struct layout *l, const struct trawl_field *f, uint16_t field)
{
	for (uint32_t i = 0; i < f->count; i++) {
		struct layout_column *c = &l->columns[l->ncolumns];

		*c = (struct layout_column){
			.field = field,
			.kind = f->kind,
			.is_signed = f->kind == TRAWL_INT,
			.key = (f->flags & TRAWL_FIELD_KEY) && f->count == 1,
			.offset = f->offset + i * f->size,
			.size = f->size,
			.column_offset = i * f->size,
			.stride = (uint32_t)f->size * f->count,
			.ref = l->ncolumns ? l->ncolumns - 1 : 0,
		};
		l->ncolumns++;
	}
	l->nnumbers = l->ncolumns;
}

/* A task's name depends on its pid: returns the nearest pid column in the record, or self. */
static uint32_t nearest_pid(const struct layout *l, uint32_t offset, uint32_t self)
{
	uint32_t best = self, distance = UINT32_MAX;

	for (uint32_t i = 0; i < l->nnumbers; i++) {
		uint32_t o = l->columns[i].offset, d = o > offset ? o - offset : offset - o;

		if (l->columns[i].kind == TRAWL_PID && d < distance) {
			best = i;
			distance = d;
		}
	}
	return best;
}

static void add_string(struct layout *l, const struct trawl_field *f, uint16_t field)
{
	uint32_t self = l->ncolumns, pid = nearest_pid(l, f->offset, self);

	l->columns[l->ncolumns++] = (struct layout_column){
		.field = field,
		.place = f->place,
		.kind = f->kind,
		.string = true,
		.offset = f->offset,
		.size = f->place == TRAWL_FIXED ? fixed_bytes(f) : 0,
		.stride = f->place == TRAWL_FIXED ? fixed_bytes(f) : 0,
		.ref = pid != self || !self ? pid : self - 1,
	};
	l->dynamic += f->place != TRAWL_FIXED;
}

bool layout_init(struct layout *l, const struct trawl_field *fields, uint32_t nfields,
		 uint32_t size)
{
	size_t n = 0;

	memset(l, 0, sizeof(*l));
	l->size = size;
	for (uint32_t i = 0; i < nfields; i++)
		n += count_columns(&fields[i], size);
	l->columns = calloc(n + 1, sizeof(*l->columns));
	if (!l->columns)
		return false;
	for (uint32_t i = 0; i < nfields; i++)
		if (has_columns(&fields[i], size) && is_number(&fields[i]))
			add_numbers(l, &fields[i], i);
	for (uint32_t i = 0; i < nfields; i++)
		if (has_columns(&fields[i], size) && !is_number(&fields[i]))
			add_string(l, &fields[i], i);
	return true;
}

void layout_done(struct layout *l)
{
	free(l->columns);
	memset(l, 0, sizeof(*l));
}

uint32_t layout_dynamic(const struct layout_column *c, const uint8_t *record, size_t len,
			uint32_t *from)
{
	uint32_t word, n;

	if (c->place == TRAWL_TAIL) {
		*from = c->offset;
		return len > c->offset ? len - c->offset : 0;
	}
	memcpy(&word, record + c->offset, 4);
	n = trawl_loc_len(word);
	*from = trawl_loc_offset(word);
	if (c->place == TRAWL_REL_LOC)
		*from += c->offset + 4;
	if (!n)
		return 0;
	return *from <= len && n <= len - *from ? n : UINT32_MAX;
}
