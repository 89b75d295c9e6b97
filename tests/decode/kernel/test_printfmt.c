/* SPDX-License-Identifier: MIT */
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>

#include "decode/kernel/printfmt.h"

/* A record of 64 fixed bytes: numbers, a name, an array, and two dynamic fields. */
static const struct trawl_field fields[] = {
	{ .name = "num", .kind = TRAWL_INT, .offset = 8, .size = 4, .count = 1 },
	{ .name = "big", .kind = TRAWL_UINT, .offset = 12, .size = 8, .count = 1 },
	{ .name = "byte", .kind = TRAWL_UINT, .offset = 20, .size = 1, .count = 1 },
	{ .name = "comm", .kind = TRAWL_TEXT, .offset = 21, .size = 1, .count = 16 },
	{ .name = "arr", .kind = TRAWL_UINT, .offset = 37, .size = 4, .count = 2 },
	{ .name = "mac", .kind = TRAWL_BYTES, .offset = 45, .size = 1, .count = 6 },
	{ .name = "str", .kind = TRAWL_TEXT, .place = TRAWL_DATA_LOC, .offset = 52, .size = 1 },
	{ .name = "dyn", .kind = TRAWL_HEX, .place = TRAWL_DATA_LOC, .offset = 56, .size = 8 },
};

static uint8_t record[128];

static void put(size_t at, uint64_t v, size_t size)
{
	memcpy(record + at, &v, size);
}

static void fill(void)
{
	memset(record, 0, sizeof(record));
	put(8, (uint64_t)-5, 4);
	put(12, 0xffffffff81000042, 8);
	put(20, 200, 1);
	memcpy(record + 21, "init", 4);
	put(37, 7, 4);
	put(41, 9, 4);
	memcpy(record + 45, "\x01\x02\x03\xaa\xbb\xcc", 6);
	put(52, 6 << 16 | 64, 4);
	memcpy(record + 64, "hello", 6);
	put(56, 16 << 16 | 70, 4);
	put(70, 0x30000000f, 8);
	put(78, 0x1, 8);
}

static char *print_with(const struct symbols *symbols, const char *fmt, size_t len)
{
	struct trawl_event_type type = {.name = "t:t", .size = 60, .nfields = 8, .fields = fields};
	struct printfmt *p;
	struct out o;
	const char *why = "";
	char *format, *text;

	cr_assert(asprintf(&format, "name: t\nID: 1\n\nprint fmt: %s\n", fmt) > 0);
	type.format = format;
	p = printfmt_new(&type, NULL, &why);
	if (p) {
		out_memory(&o);
		printfmt_text(p, symbols, record, len, &o);
		text = strndup(o.data, o.len);
		out_free(&o);
	} else {
		cr_assert(asprintf(&text, "not understood: %s", why) > 0);
	}
	printfmt_free(p);
	free(format);
	return text;
}

#define is(fmt, want)                                                      \
	do {                                                               \
		char *got_ = print_with(NULL, fmt, 86);                    \
		cr_expect_str_eq(got_, want, "%s: %s", fmt, got_);         \
		free(got_);                                                \
	} while (0)

Test(printfmt, the_header_of_the_record, .init = fill)
{
	struct trawl_field common = {.name = "common_pid", .kind = TRAWL_INT, .offset = 8,
				     .size = 4, .count = 1};
	struct trawl_source source = {.name = "event", .ncommon = 1, .common = &common};
	struct trawl_event_type type = {.name = "t:t", .size = 60, .nfields = 8, .fields = fields};
	const char *why = "";
	struct printfmt *p;
	struct out o;

	type.format = "name: t\nID: 1\n\nprint fmt: \"%d %d\", REC->ent.pid, REC->common_pid\n";
	p = printfmt_new(&type, &source, &why);
	cr_assert(p, "%s", why);
	out_memory(&o);
	printfmt_text(p, NULL, record, 86, &o);
	out_char(&o, '\0');
	cr_expect_str_eq(o.data, "-5 -5");
	out_free(&o);
	printfmt_free(p);
	is("\"%d\", REC->ent.pid", "not understood: a field that the event does not have");
}

Test(printfmt, why_there_is_none)
{
	struct trawl_event_type type = {.name = "t:t", .size = 60, .nfields = 8, .fields = fields};
	static char large[300000] = "name: t\n\nprint fmt: \"";
	const char *why = "";

	type.format = "name: t\nID: 1\n";
	cr_expect_null(printfmt_new(&type, NULL, &why));
	cr_expect_str_eq(why, "no print format is saved with it");
	memset(large + strlen(large), 'x', sizeof(large) - strlen(large) - 2);
	large[sizeof(large) - 2] = '"';
	type.format = large;
	cr_expect_null(printfmt_new(&type, NULL, &why));
	cr_expect_str_eq(why, "its print format is too long");
}

Test(printfmt, numbers, .init = fill)
{
	is("\"%d %u\", REC->num, REC->num", "-5 4294967291");
	is("\"%ld %lx\", REC->num, REC->big", "-5 ffffffff81000042");
	/* As in lib/vsprintf.c, which differs from the C library. */
	is("\"%#x %#llx %#4x %#06x %#X %#o\", 0, 0, 0, 0, 0, 0", "0x0 0x0  0x0 0x0000 0X0 0");
	is("\"%08.4x|%-8.4x|\", REC->byte, REC->byte", "000000c8|00c8    |");
	is("\"%#x|%5d|%-5d|%05d|%.3d|\", REC->byte, REC->byte, REC->byte, REC->byte, 7",
	   "0xc8|  200|200  |00200|007|");
	is("\"%c%%%c\", 'a', 98", "a%b");
	is("\"%*d\", 4, 1", "   1");
	is("\"%s\" \" and %d\", \"two\", 2", "two and 2");
}

/* Operands get their common type before they are compared or divided, as in C. */
Test(printfmt, common_types, .init = fill)
{
	is("\"%d %d\", -1 == 4294967295u, (int)-1 == (u32)0xffffffff", "1 1");
	is("\"%d %d\", REC->num > (u32)5, (u32)REC->num == REC->num", "1 1");
	is("\"%d %d\", REC->num < REC->big, REC->num < (u8)1", "0 1");
	is("\"%u %llx\", REC->num / (u32)2, ~(u32)1", "2147483645 fffffffe");
	is("\"%d\", (s64)-1 < (u32)1", "1");
}

Test(printfmt, octal_escapes_have_three_digits, .init = fill)
{
	is("\"\\0601|\\101b|\\7\"", "01|Ab|\\x07");
}

/* A conversion of a field without evaluation: C's promotions and casts hold there, too. */
Test(printfmt, fields, .init = fill)
{
	is("\"%hhd %hd %x\", REC->byte, REC->num, REC->num", "-56 -5 fffffffb");
	is("\"%lx %lu\", REC->num, REC->byte", "fffffffffffffffb 200");
	is("\"%d %u\", (u8)REC->num, (s16)REC->big", "251 66");
	is("\"%x %lx\", (char)REC->byte, (char)REC->byte", "ffffffc8 ffffffffffffffc8");
	is("\"%lld\", (unsigned long long)REC->num", "-5");
	is("\"%u %u %u\", REC->arr[0], REC->arr[1], REC->arr[2]", "7 9 0");
	is("\"%X %#X %o %#o %#x\", REC->byte, REC->byte, REC->byte, REC->byte, REC->arr[2]",
	   "C8 0XC8 310 0310 0x0");
	is("\"%+d|% d|%+d\", REC->byte, REC->byte, REC->num", "+200| 200|-5");
	is("\"%s|%s\", REC->comm, REC->str", "init|hello");
	memcpy(record + 21, "two\nlines\033[0m!!", 16);
	is("\"%s|\", REC->comm", "two\\nlines\\x1b[0m!!|");
	memcpy(record + 21, "two\n lines\n=> a\n", 17);
	is("\"%s|\", REC->comm", "two\n lines\n=> a\\n|");
}

/* Expressions that do not depend on the record are computed once. */
Test(printfmt, constants, .init = fill)
{
	is("\"%d\", (REC->num + 5) + ((((0x0 | 0x1 | 0x2) + 1) << 1) - 1)", "7");
	is("\"%s\", (1 << 4) - 16 ? REC->comm : __get_str(str)", "hello");
	is("\"%s\", __print_flags(REC->byte & ((8 | 0x40) * 1), \"|\", { 4 + 4, \"8\" }, "
	   "{ 1 << 6, \"40\" })", "8|40");
	is("\"%d %d\", -1 < 0u ? 1 : 2, -1 < 0 ? 1 : 2", "2 1");
	is("\"%d %d\", 1 / 0, 7 % (3 - 3)", "0 0");
	is("\"%d\", ({ int x = (2 + 2); x * x; }) + REC->byte", "216");
}

Test(printfmt, expressions, .init = fill)
{
	is("\"%d\", 2 + 3 * 4 - 10 / 5", "12");
	is("\"%d\", (unsigned int)REC->num > 5 ? 1 : 2", "1");
	is("\"%d\", REC->num > 5 ? 1 : 2", "2");
	is("\"%llx\", ~(gfp_t)0", "ffffffff");
	is("\"%lx\", ((((1UL))) << (10)) | 1", "401");
	is("\"%d %d\", 5 / (REC->num + 5), REC->num % 0", "0 0");
	is("\"%d\", !REC->num || (REC->byte & 8) && 1", "1");
	is("\"%d\", ({ int x = (REC->num); int y = (3); ((x) < (y) ? (x) : (y)); })", "-5");
	is("\"%lu\", __get_dynamic_array_len(dyn) / sizeof(u64)", "2");
	is("\"%d\", __get_str(str)[0] ? REC->arr[1] : 0", "9");
	is("\"%d\", REC->arr[2]", "0");
}

Test(printfmt, helpers, .init = fill)
{
	is("\"%s\", __print_flags(REC->byte, \"|\", { 8, \"EIGHT\" }, { 0x40, \"B\" \"IG\" })",
	   "EIGHT|BIG|0x80");
	is("\"%s\", __print_symbolic(REC->num, { -5, \"MINUS\" }, { 1, \"ONE\" })", "MINUS");
	is("\"%s\", __print_symbolic(REC->byte, { NOT_A_NUMBER, \"N\" }, { 201, \"X\" })", "0xc8");
	is("\"%s\", __print_symbolic(REC->byte, { })", "0xc8");
	/* The helper takes an unsigned long. */
	is("\"%s\", __print_symbolic(REC->num, { 1, \"ONE\" })", "0xfffffffffffffffb");
	/* Named constants: those that are the same in every kernel, and unknown ones. */
	is("\"%s\", __print_symbolic(REC->arr[0], { TCP_LISTEN, \"LISTEN\" }, { TCP_CLOSE, "
	   "\"CLOSE\" })",
	   "CLOSE");
	is("\"%p %d %5s|\", REC->big + vmemmap_base, -(int)NOT_A_NUMBER, \"x\"", "? ?     x|");
	is("\"%p\", REC->num == 0 ? vmemmap_base : NULL", "0x0");
	is("\"%s\", __print_array(__get_dynamic_array(dyn), 2, 8)", "{0x30000000f,0x1}");
	is("\"%s\", __print_array(__get_dynamic_array(dyn), 1000000, sizeof(u64))",
	   "{0x30000000f,0x1}");
	/* The field's name stands there without REC. */
	is("\"%s\", __print_dynamic_array(dyn, sizeof(u64))", "{0x30000000f,0x1}");
	is("\"%s\", __print_dynamic_array(nothing, 8)",
	   "not understood: a field that the event does not have");
	is("\"%s\", __print_hex(REC->mac, 3)", "01 02 03");
	is("\"%s\", __print_hex_str(REC->mac, 600)", "010203aabbcc");
	is("\"%s\", __get_bitmask(dyn)", "00000000,00000001,00000003,0000000f");
	is("\"%*pbl\", 64, __get_dynamic_array(dyn)", "0-3,32-33");
	is("\"%*pb|%*pb\", 20, REC->mac, 36, REC->mac", "30201|b,aa030201");
	is("\"%u %u\", REC->__data_loc_str & 0xffff, REC->__data_loc_str >> 16", "64 6");
	is("\"%pU %pI6 %p\", REC->mac, REC->mac, REC->mac", "? ? ?");
	is("\"%pM %*phN\", REC->mac, 2, REC->mac", "01:02:03:aa:bb:cc 0102");
	is("\"%s=%s\", REC->comm, __get_str(str)", "init=hello");
	is("\"%.2s|%7s|\", REC->comm, __get_str(str)", "in|  hello|");
	is("\"took %u\", jiffies_to_msecs(REC->byte)", "took jiffies_to_msecs(200)");
}

Test(printfmt, addresses_of_sockets, .init = fill)
{
	memcpy(record + 70, "\x02\0\0\x50\x7f\0\0\x01", 8);
	is("\"%s\", __get_sockaddr(dyn)", "127.0.0.1:80");
	is("\"%pISc\", __get_dynamic_array(dyn)", "127.0.0.1");
	put(56, 28 << 16 | 8, 4);
	memcpy(record + 8,
	       "\x0a\0\x1f\x90\0\0\0\0\x20\x01\x0d\xb8\0\0\0\0\0\0\0\0\0\0\0\x01", 24);
	is("\"%s\", __get_sockaddr(dyn)", "[2001:db8::1]:8080");
	is("\"%pISc\", __get_dynamic_array(dyn)", "2001:db8::1");
	put(8, 16, 2);
	is("\"%s\", __get_sockaddr(dyn)", "family 16");
}

/* Metadata without a line that is a symbol: a build with sanitizers says if NULL is sorted. */
Test(printfmt, no_symbols, .init = fill)
{
	struct symbols *s = symbols_parse("junk\n", 5, "\n", 1);
	char *got = print_with(s, "\"%pS\", (void *)0x1234", 86);

	cr_expect_str_eq(got, "0x1234");
	free(got);
	symbols_free(s);
}

Test(printfmt, symbols, .init = fill)
{
	static const char kallsyms[] = "ffffffff81000040 T start_here\n"
				       "ffffffff81000100 t next [mod]\n";
	static const char printk[] = "0xffffffff81000042 : \"a\\ntext\"\n";
	struct symbols *s = symbols_parse(kallsyms, strlen(kallsyms), printk, strlen(printk));
	char *got;

	got = print_with(s,
			 "\"%pS %ps %s %pS %pS\", (void *)REC->big, (void *)REC->big, REC->big, "
			 "0x1234, REC->big + 193",
			 86);
	cr_expect_str_eq(got, "start_here+0x2 start_here a\\ntext 0x1234 next+0x3 [mod]");
	free(got);
	/* A stack, without and with the number of its entries. */
	put(70, 0xffffffff81000042, 8);
	got = print_with(s, "\"%s\", __get_stacktrace(dyn)", 86);
	cr_expect_str_eq(got, "\n=> start_here+0x2\n=> 0x1");
	free(got);
	put(70, 1, 8);
	put(78, 0xffffffff81000103, 8);
	got = print_with(s, "\"%s\", __get_stacktrace(dyn)", 86);
	cr_expect_str_eq(got, "\n=> next+0x3 [mod]");
	free(got);
	symbols_free(s);
}

/* Lengths and offsets beyond the end of the record are ignored. */
Test(printfmt, hostile_records, .init = fill)
{
	for (size_t len = 0; len < 86; len++)
		free(print_with(NULL,
				"\"%s %s %d %pM %s\", __get_str(str), REC->comm, REC->arr[1], "
				"REC->mac, __print_array(__get_dynamic_array(dyn), "
				"__get_dynamic_array_len(dyn) / 8, 8)",
				len));
	put(52, 0xffffffff, 4);
	put(56, 0xffff0000, 4);
	is("\"%s|%s\", __get_str(str), __print_array(__get_dynamic_array(dyn), 99, 8)", "|{}");
}

Test(printfmt, bad_formats, .init = fill)
{
	is("\"%d\"", "not understood: more conversions than arguments");
	is("\"%d\", REC->nope", "not understood: a field that the event does not have");
	is("\"%d\", (1", "not understood: an expression with a syntax that is not known");
	is("\"%n\", 1", "not understood: a conversion that is not known");
	is("\"open", "not understood: no format string");
	is("REC->num", "not understood: no format string");
}

Test(printfmt, deep, .init = fill)
{
	char fmt[3000] = "\"%d\", ", *got;

	memset(fmt + 6, '(', 1000);
	got = print_with(NULL, fmt, 86);
	cr_expect_str_eq(got, "not understood: nested too deeply");
	free(got);
}
