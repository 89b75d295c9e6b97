/* SPDX-License-Identifier: MIT */
/*
 * Any format file: its fields and its print format are parsed, and records of zeros, of ones and of
 * the format's own text are printed by it.
 */
#include <stdlib.h>
#include <string.h>

#include "capture/tracefs/eventformat.h"
#include "decode/kernel/printfmt.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void print(struct printfmt *p, const struct symbols *s, const void *record, size_t len)
{
	/* A copy of just this size: a sanitizer sees every byte beyond it. */
	void *copy = malloc(len ? len : 1);
	struct out o;

	memcpy(copy, record, len);
	out_memory(&o);
	printfmt_text(p, s, copy, len, &o);
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
	struct printfmt *p;

	if (text && s && !eventformat_parse(text, strlen(text), &f, &err)) {
		type.format = text;
		type.size = f.size;
		type.fields = f.fields;
		type.nfields = f.nfields;
		source.common = f.common;
		source.ncommon = f.ncommon;
		p = printfmt_new(&type, &source, NULL);
		for (size_t len = 0; p && len <= sizeof(pattern); len += 1 + len / 2) {
			memset(pattern, 0, len);
			print(p, s, pattern, len);
			memset(pattern, 255, len);
			print(p, NULL, pattern, len);
			memcpy(pattern, data, len < size ? len : size);
			print(p, s, pattern, len);
		}
		printfmt_free(p);
		eventformat_free(&f);
	}
	symbols_free(s);
	free(text);
	return 0;
}
