/* SPDX-License-Identifier: MIT */
#include "decode/export/datprobe.h"

#include <string.h>

#include "common/array.h"
#include "common/sources.h"

#define FIELD "trawl_text"

enum { LOC = 4, TEXT_MAX = 32768 };

bool datprobe_is(const struct item *it)
{
	static const char *const probes[] = { "uprobe", "usdt", "eprobe" };

	for (size_t i = 0; i < ARRAY_SIZE(probes); i++)
		if (is_source(it->source->name, probes[i]))
			return true;
	return false;
}

/* The new field follows those of fixed size; variable data comes after it. */
void datprobe_format(const struct trawl_event_type *t, const char *format, struct out *o)
{
	const char *print = strstr(format, "\n\nprint fmt:");

	if (!print) {
		out_str(o, format);
		return;
	}
	out_bytes(o, format, (size_t)(print - format));
	out_printf(o, "\n\tfield:__data_loc char[] " FIELD ";\toffset:%u;\tsize:%u;\tsigned:1;",
		   t->size, LOC);
	out_str(o, "\n\nprint fmt: \"%s\", __get_str(" FIELD ")\n");
}

/* Variable data moves by the size of the new field. */
static void move_locs(const struct trawl_event_type *t, uint8_t *record, size_t len)
{
	for (uint32_t i = 0; i < t->nfields; i++) {
		const struct trawl_field *f = &t->fields[i];
		uint32_t loc;

		if ((f->place != TRAWL_DATA_LOC && f->place != TRAWL_REL_LOC) ||
		    f->offset + (size_t)LOC > len)
			continue;
		memcpy(&loc, record + f->offset, LOC);
		loc = trawl_loc(trawl_loc_len(loc), loc + LOC);
		memcpy(record + f->offset, &loc, LOC);
	}
}

void datprobe_record(const struct item *it, const struct out *text, struct out *record)
{
	const uint8_t *p = it->record;
	size_t fixed = it->type->size < it->len ? it->type->size : it->len;
	size_t n = text->len < TEXT_MAX ? text->len : TEXT_MAX;
	size_t begin = record->len;

	out_bytes(record, p, fixed);
	out_fill(record, '\0', it->type->size - fixed);
	if (record->error)
		return;
	move_locs(it->type, (uint8_t *)record->data + begin, it->type->size);
	out_le32(record, trawl_loc((uint32_t)n + 1, (uint32_t)(it->len + LOC)));
	out_bytes(record, p + fixed, it->len - fixed);
	out_bytes(record, text->data, n);
	out_char(record, '\0');
}
