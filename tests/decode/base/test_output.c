/* SPDX-License-Identifier: MIT */
#include <criterion/criterion.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/array.h"
#include "decode/base/cli.h"
#include "decode/base/escape.h"
#include "decode/base/number.h"

static struct out o;

static void setup(void)
{
	out_memory(&o);
}

static void teardown(void)
{
	out_free(&o);
}

/* Returns the contents of o as a string and empties it. */
static const char *text(void)
{
	out_char(&o, '\0');
	o.len = 0;
	return o.data;
}

#define same(call, wanted)                          \
	do {                                        \
		call;                               \
		cr_expect_str_eq(text(), (wanted)); \
	} while (0)

TestSuite(out, .init = setup, .fini = teardown);

Test(out, numbers)
{
	same(out_u64(&o, 0), "0");
	same(out_u64(&o, 9), "9");
	same(out_u64(&o, 10), "10");
	same(out_u64(&o, 12345), "12345");
	same(out_u64(&o, UINT64_MAX), "18446744073709551615");
	same(out_s64(&o, INT64_MIN), "-9223372036854775808");
	same(out_s64(&o, -1), "-1");
	same(out_hex(&o, 0), "0x0");
	same(out_hex(&o, UINT64_MAX), "0xffffffffffffffff");
	same(out_digits(&o, 7, 9), "000000007");
	same(out_digits(&o, 1234, 2), "1234");
	same(out_xdigits(&o, 0xab, 4), "00ab");
}

Test(out, numbers_agree_with_printf)
{
	uint64_t v = 1;
	char wanted[48];

	for (int i = 0; i < 100000; i++) {
		v = v * 6364136223846793005u + 1442695040888963407u;
		uint64_t n = v >> (i % 64);

		snprintf(wanted, sizeof(wanted), "%" PRIu64 " %" PRId64, n, (int64_t)n);
		out_u64(&o, n);
		out_char(&o, ' ');
		out_s64(&o, (int64_t)n);
		cr_assert_str_eq(text(), wanted);
	}
}

Test(out, doubles_read_back)
{
	static const double v[] = {0, 0.1, 1e300, 5e-324, 3.141592653589793, -2.5};

	for (size_t i = 0; i < ARRAY_SIZE(v); i++) {
		out_double(&o, v[i]);
		cr_expect_eq(strtod(text(), NULL), v[i]);
	}
	same(out_double(&o, 0.1), "0.1");
	same(out_json_double(&o, NAN), "null");
	same(out_json_double(&o, INFINITY), "null");
}

Test(out, safe_text)
{
	same(out_safe(&o, "plain", 5), "plain");
	same(out_safe(&o, "a\nb\t\\", 5), "a\\nb\\t\\\\");
	same(out_safe(&o, "\x1b[31m", 5), "\\x1b[31m");
	same(out_safe(&o, "gr\xc3\xbc\xc3\x9f", 6), "gr\xc3\xbc\xc3\x9f");
	same(out_safe(&o, "\xff\xc3", 2), "\\xff\\xc3");
	same(out_safe(&o, "\xc2\x9b", 2), "\\xc2\\x9b"); /* C1: CSI */
	same(out_safe(&o, "\xed\xa0\x80", 3), "\\xed\\xa0\\x80"); /* a surrogate */
	same(out_safe(&o, "\x7f", 1), "\\x7f");
	/*
	 * characters that end a line or reverse the rest of it; their neighbours are letters and
	 * marks
	 */
	same(out_safe(&o, "\xe2\x80\xa8\xe2\x80\xae", 6), "\\xe2\\x80\\xa8\\xe2\\x80\\xae");
	same(out_safe(&o, "\xe2\x81\xa6\xe2\x81\xa9", 6), "\\xe2\\x81\\xa6\\xe2\\x81\\xa9");
	same(out_safe(&o, "\xe2\x80\xa7\xe2\x80\xaf", 6), "\xe2\x80\xa7\xe2\x80\xaf");
	same(out_safe(&o, "\xe2\x81\xa5\xe2\x81\xaa", 6), "\xe2\x81\xa5\xe2\x81\xaa");
	same(out_safe(&o, "\xe3\x80\xae\xc3\x9b", 5), "\xe3\x80\xae\xc3\x9b");
	same(out_quoted(&o, "say \"hi\"", 8), "\"say \\\"hi\\\"\"");
}

Test(out, json_text)
{
	same(out_json(&o, "a\"b\\c\n\x01", 7), "\"a\\\"b\\\\c\\n\\u0001\"");
	same(out_json(&o, "\xc2\x85\xe2\x80\xae\xe2\x81\xa7", 8), "\"\\u0085\\u202e\\u2067\"");
	same(out_json(&o, "\xf0\x9f\x98\x80", 4), "\"\xf0\x9f\x98\x80\"");
	/* one replacement for each maximal part, as UTF-8 decoders do */
	same(out_json(&o, "\xff\xff", 2), "\"\xef\xbf\xbd\xef\xbf\xbd\"");
	same(out_json(&o, "\xe2\x82x", 3), "\"\xef\xbf\xbdx\"");
	same(out_json(&o, "", 0), "\"\"");
}

Test(out, csv_cells)
{
	same(out_csv(&o, "plain", 5), "plain");
	same(out_csv(&o, "a,b", 3), "\"a,b\"");
	same(out_csv(&o, "say \"x\"", 7), "\"say \"\"x\"\"\"");
	same(out_csv(&o, "two\nlines", 9), "\"two\nlines\"");
	same(out_csv(&o, "", 0), "\"\"");
	same(out_csv(&o, "a\x80\xff z", 5), "a\xef\xbf\xbd\xef\xbf\xbd z");
	same(out_csv(&o, "a\xe2\x80\xae" "b", 5), "a\xef\xbf\xbd" "b");
	same(out_csv(&o, "\xe2\x82,\xe2\x82\xac", 6), "\"\xef\xbf\xbd,\xe2\x82\xac\"");
}

/*
 * If memory ran out for a text, the output is marked incomplete even if no caller tests the text.
 */
Test(out, a_text_without_memory_spoils_the_output)
{
	struct out whole;

	out_open(&whole, STDOUT_FILENO);
	cr_assert_eq(cli_finish(&whole, "output"), TRAWL_OK);
	cr_assert_not(out_lacked_memory());
	out_more(&o, SIZE_MAX / 2);
	cr_assert_eq(o.error, ENOMEM);
	cr_assert(out_lacked_memory());
	cr_assert_eq(cli_finish(&whole, "output"), TRAWL_CANNOT);
	out_free(&whole);
}

Test(out, pads_at_least)
{
	out_str(&o, "ab");
	same(out_pad(&o, 0, 5, 1), "ab   ");
	out_str(&o, "abcdef");
	same(out_pad(&o, 0, 5, 1), "abcdef ");
}

Test(out, memory_grows)
{
	for (int i = 0; i < 100000; i++)
		out_bytes(&o, "0123456789", 10);
	cr_assert_eq(o.len, 1000000u);
	cr_assert_eq(memcmp(o.data + 999990, "0123456789", 10), 0);
}

Test(descriptor, writes_all_and_reports_the_first_error)
{
	struct out f;
	char name[] = "/tmp/trawl-test-out-XXXXXX";
	int fd = mkstemp(name);

	cr_assert_geq(fd, 0);
	out_open(&f, fd);
	for (int i = 0; i < 200000; i++)
		out_str(&f, "line of text\n");
	cr_assert_eq(out_flush(&f), 0);
	cr_assert_eq(lseek(fd, 0, SEEK_END), 200000 * 13);
	cr_assert_eq(f.written, 200000u * 13);
	out_free(&f);
	close(fd);
	unlink(name);

	fd = open("/dev/full", O_WRONLY);
	cr_assert_geq(fd, 0);
	out_open(&f, fd);
	for (int i = 0; i < 200000; i++)
		out_str(&f, "line of text\n");
	cr_assert_eq(out_flush(&f), -1);
	cr_assert_eq(f.error, ENOSPC);
	out_free(&f);
	close(fd);
}

Test(output, long_text, .init = setup, .fini = teardown)
{
	char much[100001];

	for (size_t n = 4094; n < sizeof(much); n = n < 4100 ? n + 1 : n + 95900) {
		memset(much, 'x', n);
		much[n] = '\0';
		out_printf(&o, "%s", much);
		cr_assert_eq(o.len, n, "%zu of %zu", o.len, n);
		cr_assert_str_eq(text(), much);
	}
}
