/* SPDX-License-Identifier: MIT */
/*
 * Fields as the kernel's print formats show them; the formats are those of a 6.18 kernel,
 * shortened.
 */
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>

#include "decode/kernel/printfield.h"

#define FIELD(name_, kind_, offset_, size_) \
	{.name = (name_), .ctype = "", .note = "", .kind = (kind_), .place = TRAWL_FIXED, \
	 .offset = (offset_), .size = (size_), .count = 1}

static const struct trawl_field fields[] = {
	FIELD("prev_pid", TRAWL_PID, 8, 4),    FIELD("prev_state", TRAWL_INT, 16, 8),
	FIELD("next_pid", TRAWL_PID, 24, 4),   FIELD("dev", TRAWL_UINT, 28, 4),
	FIELD("vec", TRAWL_UINT, 32, 4),       FIELD("flags", TRAWL_HEX, 36, 4),
	FIELD("handler", TRAWL_UINT, 40, 8),   FIELD("function", TRAWL_ADDR, 48, 8),
	{ .name = "args", .ctype = "", .note = "", .kind = TRAWL_UINT, .offset = 56, .size = 4,
	  .count = 2 },
	{ .name = "id", .ctype = "", .note = "", .kind = TRAWL_UINT, .offset = 64, .size = 2,
	  .count = 17 },
};
static uint8_t record[98];

static void put(size_t at, uint64_t v, size_t n)
{
	memcpy(record + at, &v, n);
}

/* Returns the fields as text, shown by this print format. */
static char *text_by(const char *print)
{
	struct trawl_event_type type = {.name = "x:y", .size = sizeof(record),
					.nfields = sizeof(fields) / sizeof(fields[0]),
					.fields = fields};
	struct trawl_source source = {.name = "event", .kind = "tracefs"};
	struct symbols *none = NULL;
	struct print_fields *p;
	struct event_layout *l;
	struct printfmt *f;
	char format[4096], *text;
	struct out o;

	snprintf(format, sizeof(format), "name: y\n\nprint fmt: %s\n", print);
	type.format = format;
	l = event_layout_new(&type);
	f = printfmt_new(&type, &source, NULL);
	cr_assert(l && f, "%s", print);
	p = print_fields_new(f, &type, &none, l);
	out_memory(&o);
	for (int twice = 0; twice < 2; twice++) { /* the second time from the cache */
		o.len = 0;
		event_layout_text(l, record, sizeof(record), false, &o);
	}
	out_char(&o, '\0');
	text = strdup(o.data);
	out_free(&o);
	print_fields_free(p);
	printfmt_free(f);
	event_layout_free(l);
	return text;
}

static void has(const char *print, const char *want)
{
	char *text = text_by(print);

	cr_expect(strstr(text, want), "%s: wanted %s, got %s", print, want, text);
	free(text);
}

#define STATE "REC->prev_state & 255 ? __print_flags(REC->prev_state & 255, \"|\", { 1, \"S\" }, " \
	      "{ 2, \"D\" }) : \"R\", REC->prev_state & 256 ? \"+\" : \"\""

Test(printfield, state_and_arrow)
{
	static const char print[] = "\"prev_pid=%d prev_state=%s%s ==> next_pid=%d\", "
				    "REC->prev_pid, " STATE ", REC->next_pid";

	put(8, 5, 4);
	put(24, 9, 4);
	put(16, 1, 8);
	has(print, "prev_pid=5 prev_state=S ==> next_pid=9 dev=");
	put(16, 256, 8);
	has(print, " prev_state=R+ ==> ");
	put(16, 3, 8);
	has(print, " prev_state=S|D ==> ");
}

Test(printfield, parts_of_a_device)
{
	put(28, 8u << 20 | 17, 4);
	has("\"%d,%d x\", ((unsigned int) ((REC->dev) >> 20)), ((unsigned int) ((REC->dev) & "
	    "((1U << 20) - 1)))", " dev=8,17 ");
	/* one part alone is not the number */
	has("\"major %d\", ((unsigned int) ((REC->dev) >> 20))", " dev=8388625 ");
	/* more than punctuation in between: two values */
	has("\"a=%d b=%d\", (REC->dev >> 20), (REC->dev & 255)", " dev=8388625 ");
}

Test(printfield, number_and_name)
{
	put(32, 9, 4);
	has("\"vec=%u [action=%s]\", REC->vec, __print_symbolic(REC->vec, { 9, \"RCU\" })",
	    " vec=9(RCU) ");
	has("\"%s\", __print_symbolic(REC->vec, { 9, \"RCU\" })", " vec=RCU ");
	put(36, 6, 4);
	has("\"%s\", __print_flags(REC->flags, \"|\", { 2, \"A\" }, { 4, \"B\" })", " flags=A|B ");
	/* the format prints other bits of it elsewhere, which the name alone would hide */
	has("\"cpu=%u flags=%s\", REC->flags & 3, __print_flags(REC->flags & 4, \"|\", { 4, \"B\" "
	    "})",
	    " flags=0x6(B) ");
	put(36, 0, 4);
	has("\"%s\", __print_flags(REC->flags, \"|\", { 2, \"A\" })", " flags=0x0 ");
}

Test(printfield, hex_where_the_format_has_it)
{
	put(40, 0x556c9e453dc0, 8);
	has("\"handler=%lx\", REC->handler", " handler=0x556c9e453dc0 ");
	has("\"handler=%lu\", REC->handler", " handler=93925000166848 ");
	has("\"pid=%x\", REC->prev_pid", "prev_pid=");
	put(48, 0xffffffff81000000, 8);
	has("\"%ps\", (void *)REC->function", " function=0xffffffff81000000");
}

Test(printfield, hex_elements)
{
	put(56, 0x12345678, 4);
	put(60, 0, 4);
	put(64, 0xabcd, 2);
	has("\"NR (%x, %x)\", REC->args[0], REC->args[1]", " args={0x12345678,0x0} ");
	has("\"NR (%u, %u)\", REC->args[0], REC->args[1]", " args={305419896,0} ");
	has("\"%04x\", REC->id[0]", " id={0xabcd,0x0,");
	has("\"%u\", REC->id[0]", " id={43981,0,");
}

/* A value that only the kernel can compute is not used as text of the field. */
Test(printfield, unknown)
{
	put(32, 9, 4);
	has("\"%s\", some_function(REC->vec)", " vec=9 ");
	has("\"%s\", __print_symbolic(REC->vec, { SOME_CONSTANT, \"RCU\" })", " vec=9 ");
	/* two fields in one conversion belong to neither */
	has("\"%s\", REC->vec ? \"a\" : REC->flags ? \"b\" : \"c\"", " vec=9 ");
}

/* A hostile format: control characters are escaped. */
Test(printfield, hostile)
{
	char *text;

	put(32, 9, 4);
	text = text_by("\"%s\", __print_symbolic(REC->vec, { 9, \"\\033[31m\\n12:00 x\" })");
	cr_expect(!strpbrk(text, "\033\n"), "%s", text);
	free(text);
}
