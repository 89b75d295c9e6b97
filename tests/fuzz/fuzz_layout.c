/* SPDX-License-Identifier: MIT */
/*
 * Any event type with any record: the first bytes make fields, the rest is the record. It is
 * printed as text and JSON, and each value is queried. The same bytes are also parsed as JSON
 * metadata.
 */
#include <stdlib.h>

#include "decode/base/jdoc.h"
#include "decode/base/escape.h"
#include "decode/base/eventlayout.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define FIELDS 16
#define EACH   6 /* bytes that make one field */

static void make_field(struct trawl_field *f, const uint8_t *b)
{
	static const char *const names[] = {"a", "long_name_of_a_field", "quote\"", "\xff"};

	memset(f, 0, sizeof(*f));
	f->name = names[b[0] >> 6];
	f->ctype = "";
	f->note = b[0] & 32 ? "why\n" : "";
	f->kind = (b[0] & 31) % TRAWL_KINDS;
	f->place = b[1] % TRAWL_PLACES;
	f->size = b[2] & 128 ? b[2] : (uint16_t)(1 << (b[2] & 3));
	f->count = b[3] & 128 ? (uint16_t)(b[3] << 4) : b[3] & 7;
	f->offset = (uint16_t)(b[4] | (b[5] & 3) << 8);
}

/* The printed JSON must be valid. */
static void check_json(const struct out *o)
{
	struct json_object *j = jdoc_parse(o->data, o->len);

	if (!j)
		abort();
	json_object_put(j);
}

static void print(const struct event_layout *l, const uint8_t *record, size_t len)
{
	struct value v;
	struct out o;
	uint32_t i;

	out_memory(&o);
	event_layout_text(l, record, len, true, &o);
	o.len = 0;
	out_char(&o, '{');
	event_layout_json(l, record, len, true, &o);
	out_char(&o, '}');
	check_json(&o);
	o.len = 0;
	for (i = 0; i < l->n; i++) {
		shown_value(&l->shown[i], record, len, &v);
		if (v.type == VALUE_TEXT || v.type == VALUE_BYTES)
			out_quoted(&o, v.text, v.len);
	}
	out_free(&o);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct trawl_field fields[FIELDS];
	struct trawl_event_type type = {.name = "a:b", .format = "", .fields = fields};
	struct event_layout *l;
	uint8_t *record;
	size_t len;

	json_object_put(jdoc_parse(data, size));
	if (size < 2)
		return 0;
	type.nfields = data[0] % (FIELDS + 1);
	if (size < 2 + type.nfields * EACH)
		return 0;
	for (uint32_t i = 0; i < type.nfields; i++)
		make_field(&fields[i], data + 2 + (size_t)i * EACH);
	data += 2 + type.nfields * EACH;
	len = size - 2 - type.nfields * EACH;
	/* the reader guarantees that a record is at least as long as its type's fixed part */
	type.size = (uint32_t)(len * (data[-1] % 3) / 2);
	record = malloc(len + 1); /* so that a sanitizer sees the end */
	l = event_layout_new(&type);
	if (!record || !l)
		abort();
	memcpy(record, data, len);
	record = realloc(record, len ? len : 1);
	print(l, record, len);
	event_layout_free(l);
	free(record);
	return 0;
}
