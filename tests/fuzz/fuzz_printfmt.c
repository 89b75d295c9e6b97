/* SPDX-License-Identifier: MIT */
/*
 * Any format file: its fields and its print format are parsed, and used to print records of zeros,
 * of ones and of the format's own text, as a whole and field by field.
 */
#include <stdlib.h>
#include <string.h>

#include "capture/tracefs/eventformat.h"
#include "decode/kernel/printfield.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void print(struct printfmt *p, const struct symbols *s, const struct event_layout *l,
		  const void *record, size_t len)
{
	struct value v;
	/* A copy of exactly this size, so that a sanitizer detects reads beyond it. */
	void *copy = malloc(len ? len : 1);
	struct out o;

	memcpy(copy, record, len);
	out_memory(&o);
	printfmt_text(p, s, copy, len, &o);
	/* Fields are only shown for records that are at least as long as the type's fixed part. */
	if (len >= l->type->size) {
		o.len = 0;
		event_layout_text(l, copy, len, true, &o);
		event_layout_json(l, copy, len, true, &o);
		for (uint32_t i = 0; i < l->n; i++)
			shown_value(&l->shown[i], copy, len, &v);
	}
	out_free(&o);
	free(copy);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const char symbols[] = "ffffffff81000000 T start\nffffffffffffff00 t last\n";
	struct trawl_source source = { .name = "event" };
	struct trawl_event_type type = { .name = "a:b" };
	struct symbols *s = symbols_parse(symbols, sizeof(symbols) - 1, "0x1 : \"x\"\n", 10);
	char *text = strndup((const char *)data, size), pattern[512];
	struct eventformat f;
	struct trawl_error err;
	struct print_fields *fields;
	struct event_layout *l;
	struct printfmt *p;

	if (text && s && !eventformat_parse(text, strlen(text), &f, &err)) {
		type.format = text;
		type.size = f.size;
		type.fields = f.fields;
		type.nfields = f.nfields;
		source.common = f.common;
		source.ncommon = f.ncommon;
		p = printfmt_new(&type, &source, NULL);
		l = event_layout_new(&type);
		if (!l)
			abort();
		fields = p ? print_fields_new(p, &type, &s, l) : NULL;
		for (size_t len = 0; p && len <= sizeof(pattern); len += 1 + len / 2) {
			memset(pattern, 0, len);
			print(p, s, l, pattern, len);
			memset(pattern, 255, len);
			print(p, NULL, l, pattern, len);
			memcpy(pattern, data, len < size ? len : size);
			print(p, s, l, pattern, len);
		}
		print_fields_free(fields);
		printfmt_free(p);
		event_layout_free(l);
		eventformat_free(&f);
	}
	symbols_free(s);
	free(text);
	return 0;
}
