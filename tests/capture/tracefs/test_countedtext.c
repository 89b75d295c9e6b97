/* SPDX-License-Identifier: MIT */
#include <criterion/criterion.h>
#include <string.h>

#include "capture/tracefs/countedtext.h"
#include "format/trawl.h"

enum { WINDOW = 32, AT = 8, POINTER = 40, LENGTH = 64, RECORD = 72, COPY = 256 };

static const struct counted_text plain = { .at = AT, .room = WINDOW, .pointer_at = POINTER,
					   .length_at = LENGTH };
static const struct counted_text libcxx = { .libcxx = true, .at = AT, .room = WINDOW,
					    .pointer_at = POINTER, .length_at = LENGTH };

/* The result for one record. */
struct made {
	uint8_t data[COPY];
	uint32_t len, at, n; /* n: bytes of the text */
};

static const char *text(const struct made *m)
{
	return (const char *)m->data + m->at;
}

static struct made cut(const struct counted_text *t, const uint8_t *record, uint32_t size)
{
	struct made m = { .len = 0 };
	uint32_t loc;

	m.len = counted_texts_put(t, 1, record, RECORD, m.data, size);
	memcpy(&loc, m.data + AT, sizeof(loc));
	m.n = trawl_loc_len(loc);
	m.at = trawl_loc_offset(loc);
	return m;
}

static struct made cut_plain(const char *bytes, size_t n, uint64_t length, uint64_t pointer)
{
	uint8_t record[RECORD] = { 7, 0 };
	struct counted_text t = plain;

	memcpy(record + AT, bytes, n);
	memcpy(record + POINTER, &pointer, sizeof(pointer));
	memcpy(record + LENGTH, &length, sizeof(length));
	return cut(&t, record, COPY);
}

static struct made cut_libcxx(const uint8_t object[24], const char *window, bool readable)
{
	uint8_t record[RECORD] = { 7, 0 };
	uint32_t word = trawl_loc(readable, RECORD);

	memcpy(record + AT, window, strlen(window));
	memcpy(record + POINTER, object, 24);
	memcpy(record + LENGTH, &word, sizeof(word));
	return cut(&libcxx, record, COPY);
}

Test(countedtext, a_text_ends_where_its_length_says)
{
	struct made m = cut_plain("three words and more", 20, 5, 0x1000);

	cr_assert_eq(m.n, 6);
	cr_assert_str_eq(text(&m), "three");
	cr_assert_eq(m.data[0], 7);
	cr_assert_eq(m.len % 4, 0);
	cr_assert_eq(m.data[AT + 4], 0, "the rest of the window is not kept");
}

Test(countedtext, a_text_longer_than_its_window_has_no_nul)
{
	char bytes[WINDOW];
	struct made m;

	memset(bytes, 'a', sizeof(bytes));
	m = cut_plain(bytes, WINDOW, WINDOW + 1, 0x1000);
	cr_assert_eq(m.n, WINDOW);
	cr_assert_eq(text(&m)[WINDOW - 1], 'a');
	m = cut_plain(bytes, WINDOW, WINDOW, 0x1000);
	cr_assert_eq(m.n, WINDOW + 1);
	cr_assert_eq(text(&m)[WINDOW], '\0');
}

Test(countedtext, a_nul_inside_cuts)
{
	struct made m = cut_plain("ab\0cd", 5, 5, 0x1000);

	cr_assert_eq(m.n, 2);
	cr_assert_eq(memcmp(text(&m), "ab", 2), 0);
}

Test(countedtext, what_cannot_be_read_has_no_bytes)
{
	struct counted_text never = plain;
	uint8_t record[RECORD] = { 7, 0 };

	cr_assert_eq(cut_plain("", 0, 5, 0x1000).n, 0);
	cr_assert_eq(cut_plain("ab", 2, UINT64_MAX, 0x1000).n, 0);
	cr_assert_eq(cut_plain("", 0, 0, 0).n, 1, "Go's empty string may have no pointer");
	never.never_null = true;
	cr_assert_eq(cut(&never, record, COPY).n, 0);
}

Test(countedtext, libcxx_has_short_ones_in_the_object)
{
	const uint8_t three[24] = { 6, 'o', 'n', 'e' }, empty[24] = { 0 };
	const uint8_t most[24] = "\x2c" "abcdefghijklmnopqrstuv";
	const uint8_t many[24] = { 0x31, 0, 0, 0, 0, 0, 0, 0, 4, [16] = 8 };
	struct made m = cut_libcxx(three, "", true);

	cr_assert_eq(m.n, 4);
	cr_assert_str_eq(text(&m), "one");
	m = cut_libcxx(empty, "", true);
	cr_assert_eq(m.n, 1);
	m = cut_libcxx(empty, "", false);
	cr_assert_eq(m.n, 0);
	m = cut_libcxx(most, "", true);
	cr_assert_str_eq(text(&m), "abcdefghijklmnopqrstuv");
	m = cut_libcxx(many, "longer", true);
	cr_assert_str_eq(text(&m), "long");
}

Test(countedtext, without_room_it_is_cut)
{
	uint8_t record[RECORD] = { 7, 0 };
	uint64_t length = 5, pointer = 1;
	struct made m;

	memcpy(record + AT, "hello", 5);
	memcpy(record + LENGTH, &length, sizeof(length));
	memcpy(record + POINTER, &pointer, sizeof(pointer));
	m = cut(&plain, record, RECORD + 4);
	cr_assert_eq(m.n, 3);
	cr_assert_eq(m.len, RECORD + 4);
	cr_assert_eq(counted_texts_put(&plain, 1, record, RECORD, m.data, RECORD - 1), 0);
	cr_assert_eq(counted_texts_put(&plain, 1, record, LENGTH + 4, m.data, COPY), 0);
}
