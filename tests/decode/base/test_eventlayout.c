/* SPDX-License-Identifier: MIT */
#include <criterion/criterion.h>
#include <stdlib.h>

#include "common/array.h"
#include "decode/base/eventlayout.h"

#define F(name_, kind_, place_, offset_, size_, count_) \
	{.name = (name_), .ctype = "", .note = "why", .kind = (kind_), .place = (place_), \
	 .offset = (offset_), .size = (size_), .count = (count_)}
#define ONE(...) ((struct trawl_field)F(__VA_ARGS__))

/* Expects the text and JSON of one field in a record. */
static void expect(struct trawl_field f, uint32_t fixed, const void *record, size_t len,
		   const char *text, const char *json)
{
	struct trawl_event_type type = {.name = "t", .format = "", .size = fixed, .nfields = 1,
					.fields = &f};
	struct event_layout *l = event_layout_new(&type);
	void *copy = malloc(len ? len : 1); /* exact, so that a sanitizer sees the end */
	struct out o;

	cr_assert_not_null(l);
	memcpy(copy, record, len);
	out_memory(&o);
	event_layout_text(l, copy, len, false, &o);
	out_char(&o, '\0');
	cr_expect_str_eq(o.data, text);
	o.len = 0;
	event_layout_json(l, copy, len, false, &o);
	out_char(&o, '\0');
	cr_expect_str_eq(o.data, json);
	out_free(&o);
	event_layout_free(l);
	free(copy);
}

Test(event_layout, integers)
{
	static const uint8_t r[8] = {0xfe, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff};

	expect(ONE("a", TRAWL_UINT, TRAWL_FIXED, 0, 1, 1), 8, r, 8, "a=254", "\"a\":254");
	expect(ONE("a", TRAWL_UINT, TRAWL_FIXED, 1, 2, 1), 8, r, 8, "a=65535", "\"a\":65535");
	expect(ONE("a", TRAWL_UINT, TRAWL_FIXED, 0, 8, 1), 8, r, 8,
	       "a=18446744073709551614", "\"a\":18446744073709551614");
	expect(ONE("a", TRAWL_INT, TRAWL_FIXED, 0, 1, 1), 8, r, 8, "a=-2", "\"a\":-2");
	expect(ONE("a", TRAWL_INT, TRAWL_FIXED, 0, 4, 1), 8, r, 8, "a=-2", "\"a\":-2");
	expect(ONE("a", TRAWL_PID, TRAWL_FIXED, 4, 4, 1), 8, r, 8, "a=-1", "\"a\":-1");
	expect(ONE("a", TRAWL_HEX, TRAWL_FIXED, 0, 2, 1), 8, r, 8, "a=0xfffe", "\"a\":65534");
	expect(ONE("a", TRAWL_ADDR, TRAWL_FIXED, 0, 8, 1), 8, r, 8,
	       "a=0xfffffffffffffffe", "\"a\":18446744073709551614");
}

/* Arguments of system calls are register-sized, with the types that the calls declare. */
Test(event_layout, narrower_than_its_place)
{
	static const struct {
		const char *ctype, *format;
		uint8_t kind;
		const char *text;
	} cases[] = {
		{"int", "f", TRAWL_UINT, "a=-100"},
		{"const int", "f", TRAWL_UINT, "a=-100"},
		{"int", "f", TRAWL_HEX, "a=0xffffff9c"},
		{"unsigned int", "f", TRAWL_UINT, "a=4294967196"},
		{"umode_t", "f", TRAWL_UINT, "a=65436"},
		{"__s32", "f", TRAWL_UINT, "a=-100"},
		{"const enum kind", "f", TRAWL_ENUM, "a=4294967196"},
		{"unsigned long", "f", TRAWL_UINT, "a=1311768469162688412"},
		{"const int *", "f", TRAWL_HEX, "a=0x12345678ffffff9c"},
		{"int", "", TRAWL_UINT, "a=1311768469162688412"}, /* not an event of tracefs */
	};
	static const uint8_t r[8] = {0x9c, 0xff, 0xff, 0xff, 0x78, 0x56, 0x34, 0x12};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct trawl_field f = F("a", cases[i].kind, TRAWL_FIXED, 0, 8, 1);
		struct trawl_event_type type = {.name = "t", .format = cases[i].format, .size = 8,
						.nfields = 1, .fields = &f};
		struct event_layout *l;
		struct out o;

		f.ctype = cases[i].ctype;
		l = event_layout_new(&type);
		cr_assert_not_null(l);
		out_memory(&o);
		event_layout_text(l, r, sizeof(r), false, &o);
		out_char(&o, '\0');
		cr_expect_str_eq(o.data, cases[i].text, "%s: %s", cases[i].ctype, o.data);
		out_free(&o);
		event_layout_free(l);
	}
}

/* Go's int has 8 bytes. */
Test(event_layout, types_of_a_probe_are_the_programs_own)
{
	static const uint8_t r[16] = {0,    0,	  0,	0,    0,    0,	  0,	0,
				      0x9c, 0xff, 0xff, 0xff, 0x78, 0x56, 0x34, 0x12};
	struct trawl_field f[] = {F("__probe_ip", TRAWL_ADDR, TRAWL_FIXED, 0, 8, 1),
				  F("a", TRAWL_INT, TRAWL_FIXED, 8, 8, 1)};
	struct trawl_event_type type = {.name = "t", .format = "f", .size = 16, .nfields = 2,
					.fields = f};

	struct event_layout *l;
	struct out o;

	f[1].ctype = "int";
	l = event_layout_new(&type);
	cr_assert_not_null(l);
	out_memory(&o);
	event_layout_text(l, r, sizeof(r), false, &o);
	out_char(&o, '\0');
	cr_expect_str_eq(o.data, "__probe_ip=0x0 a=1311768469162688412");
	out_free(&o);
	event_layout_free(l);
}

Test(event_layout, other_scalars)
{
	float f = 0.5f;
	double d = -1e300;

	expect(ONE("a", TRAWL_BOOL, TRAWL_FIXED, 0, 1, 1), 1, "\1", 1, "a=true", "\"a\":true");
	expect(ONE("a", TRAWL_BOOL, TRAWL_FIXED, 0, 1, 1), 1, "\0", 1, "a=false", "\"a\":false");
	expect(ONE("a", TRAWL_CHAR, TRAWL_FIXED, 0, 1, 1), 1, "x", 1, "a='x'", "\"a\":\"x\"");
	expect(ONE("a", TRAWL_CHAR, TRAWL_FIXED, 0, 1, 1), 1, "'", 1, "a='\\''", "\"a\":\"'\"");
	expect(ONE("a", TRAWL_CHAR, TRAWL_FIXED, 0, 1, 1), 1, "\xff", 1, "a='\\xff'",
	       "\"a\":\"\\\\xff\"");
	expect(ONE("a", TRAWL_FLOAT, TRAWL_FIXED, 0, 4, 1), 4, &f, 4, "a=0.5", "\"a\":0.5");
	expect(ONE("a", TRAWL_FLOAT, TRAWL_FIXED, 0, 8, 1), 8, &d, 8, "a=-1e+300", "\"a\":-1e+300");
	expect(ONE("a", TRAWL_NONE, TRAWL_FIXED, 0, 1, 1), 1, "x", 1,
	       "a=<unavailable: why>", "\"a\":null");
}

Test(event_layout, texts_and_bytes)
{
	uint8_t r[16] = {8, 0, 5, 0, 0, 0, 0, 0, 'h', 'e', 'l', 'l', 'o'};
	uint8_t rel[16] = {4, 0, 6, 0, 0, 0, 0, 0, 'h', 'e', 'l', 'l', 'o', 0};
	uint8_t none[8] = {8, 0, 0, 0};
	struct trawl_field silent = ONE("c", TRAWL_TEXT, TRAWL_DATA_LOC, 0, 1, 1);

	expect(ONE("c", TRAWL_TEXT, TRAWL_FIXED, 0, 1, 16), 16, "bash\0garbage....", 16,
	       "c=\"bash\"", "\"c\":\"bash\"");
	expect(ONE("c", TRAWL_TEXT, TRAWL_FIXED, 0, 1, 16), 16, "sixteen\nletters!", 16,
	       "c=\"sixteen\\nletters!\"", "\"c\":\"sixteen\\nletters!\"");
	expect(ONE("c", TRAWL_TEXT, TRAWL_DATA_LOC, 0, 1, 1), 8, r, 13,
	       "c=\"hello\"", "\"c\":\"hello\"");
	expect(ONE("c", TRAWL_TEXT, TRAWL_REL_LOC, 0, 1, 1), 8, rel, 14,
	       "c=\"hello\"", "\"c\":\"hello\"");
	expect(ONE("c", TRAWL_TEXT, TRAWL_DATA_LOC, 0, 1, 1), 8, none, 8,
	       "c=<unavailable: why>", "\"c\":null");
	silent.note = "";
	expect(silent, 8, none, 8, "c=(fault)", "\"c\":null");
	expect(ONE("c", TRAWL_BYTES, TRAWL_TAIL, 8, 1, 1), 8, r, 13,
	       "c=68656c6c6f", "\"c\":\"68656c6c6f\"");
	expect(ONE("c", TRAWL_BYTES, TRAWL_TAIL, 8, 1, 1), 8, r, 8, "c=", "\"c\":\"\"");
}

Test(event_layout, arrays)
{
	static const int32_t v[3] = {-1, 0, 7};
	uint8_t r[16] = {4, 0, 12, 0};

	memcpy(r + 4, v, sizeof(v));
	expect(ONE("v", TRAWL_INT, TRAWL_FIXED, 0, 4, 3), 12, v, 12,
	       "v={-1,0,7}", "\"v\":[-1,0,7]");
	expect(ONE("v", TRAWL_INT, TRAWL_DATA_LOC, 0, 4, 1), 4, r, 16,
	       "v={-1,0,7}", "\"v\":[-1,0,7]");
	expect(ONE("v", TRAWL_INT, TRAWL_FIXED, 0, 4, 0), 12, v, 12, "v={}", "\"v\":[]");
}

Test(event_layout, places_outside_the_record_are_damage)
{
	uint8_t far[8] = {0xff, 0xff, 5, 0}, lengthy[8] = {8, 0, 0xff, 0xff};

	expect(ONE("a", TRAWL_TEXT, TRAWL_DATA_LOC, 0, 1, 1), 8, far, 8,
	       "a=<damaged>", "\"a\":null");
	expect(ONE("a", TRAWL_TEXT, TRAWL_DATA_LOC, 0, 1, 1), 8, lengthy, 8,
	       "a=<damaged>", "\"a\":null");
	expect(ONE("a", TRAWL_UINT, TRAWL_FIXED, 6, 4, 1), 8, far, 8, "a=<damaged>", "\"a\":null");
	expect(ONE("a", TRAWL_UINT, TRAWL_FIXED, 4, 4, 1), 8, far, 6, "a=<damaged>", "\"a\":null");
	expect(ONE("a", TRAWL_TEXT, TRAWL_DATA_LOC, 6, 1, 1), 8, far, 8,
	       "a=<damaged>", "\"a\":null");
}

Test(event_layout, hidden_fields_and_separators)
{
	static const struct trawl_field f[] = {
		F("a", TRAWL_UINT, TRAWL_FIXED, 0, 1, 1), F("b", TRAWL_UINT, TRAWL_FIXED, 1, 1, 1),
		F("c", TRAWL_UINT, TRAWL_FIXED, 2, 1, 1),
	};
	struct trawl_event_type type = {.name = "t", .format = "", .size = 3, .nfields = 3,
					.fields = f};
	struct event_layout *l = event_layout_new(&type);
	struct value v;
	struct out o;

	out_memory(&o);
	event_layout_hide(l, "a");
	event_layout_text(l, "\1\2\3", 3, false, &o);
	out_char(&o, '|');
	event_layout_text(l, "\1\2\3", 3, true, &o);
	out_char(&o, '\0');
	cr_expect_str_eq(o.data, "b=2 c=3|a=1 b=2 c=3");
	shown_value(event_layout_find(l, "c"), "\1\2\3", 3, &v);
	cr_expect_eq(v.type, VALUE_UINT);
	cr_expect_eq(v.u, 3);
	cr_expect_null(event_layout_find(l, "d"));
	out_free(&o);
	event_layout_free(l);
}
