/* SPDX-License-Identifier: MIT */
#include <criterion/criterion.h>

#include "decode/export/protobuf.h"

static struct out o;

static void setup(void)
{
	out_memory(&o);
}

static void teardown(void)
{
	out_free(&o);
}

/* The reference: a string field whose length is known before it is written. */
static void expect(const char *text, size_t n)
{
	struct out wanted;

	out_memory(&wanted);
	pb_uint(&wanted, 1, 300);
	pb_bytes(&wanted, 22, text, n);
	pb_uint(&wanted, 2, 1);
	cr_assert_eq(o.len, wanted.len);
	cr_assert_arr_eq(o.data, wanted.data, wanted.len);
	out_free(&wanted);
	o.len = 0;
}

/* The length of a string is a varint of one, two or three bytes. */
Test(protobuf, lengths, .init = setup, .fini = teardown)
{
	static const size_t lengths[] = { 0, 1, 127, 128, 129, 4090, 16383, 16384, 70000 };
	static char text[70000];

	for (size_t i = 0; i < sizeof(text); i++)
		text[i] = (char)('a' + i % 26);
	for (size_t i = 0; i < sizeof(lengths) / sizeof(lengths[0]); i++) {
		pb_uint(&o, 1, 300);
		pb_safe(&o, 22, text, lengths[i]);
		pb_uint(&o, 2, 1);
		expect(text, lengths[i]);
	}
}

Test(protobuf, escaped, .init = setup, .fini = teardown)
{
	pb_uint(&o, 1, 300);
	pb_safe(&o, 22, "a\xff\n", 3);
	pb_uint(&o, 2, 1);
	expect("a\\xff\\n", 7);
	pb_uint(&o, 1, 300);
	pb_hex(&o, 22, "\x01\xfe", 2);
	pb_uint(&o, 2, 1);
	expect("01fe", 4);
}

/* A nested message around strings has its length, too. */
Test(protobuf, nested, .init = setup, .fini = teardown)
{
	static const char wanted[] = "\x0a\x84\x80\x80\x00\x12\x02hi";
	size_t start = pb_begin(&o, 1);

	pb_safe(&o, 2, "hi", 2);
	pb_end(&o, start);
	cr_assert_eq(o.len, sizeof(wanted) - 1);
	cr_assert_arr_eq(o.data, wanted, sizeof(wanted) - 1);
}

/* After an error nothing is written beyond the buffer. */
Test(protobuf, error, .init = setup, .fini = teardown)
{
	o.error = ENOMEM;
	pb_safe(&o, 22, "text", 4);
	cr_assert_eq(o.error, ENOMEM);
}
