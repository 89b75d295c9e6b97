/* SPDX-License-Identifier: MIT */
#include <criterion/criterion.h>
#include <string.h>

#include "capture/tracefs/readcheck.h"
#include "common/array.h"

enum {
	ID = 9,
	CONTROL = 8,
	FIRST = 12,
	LAST = 16,
	SECOND = 20,
	V = 24,
	LIST = 28,
	END = 44,
	SIZE = 48
};

static const char format[] =
	"name: x\nID: 9\nformat:\n"
	"\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n"
	"\tfield:int common_pid;\toffset:4;\tsize:4;\tsigned:1;\n\n"
	"\tfield:__data_loc char[] _c;\toffset:8;\tsize:4;\tsigned:1;\n"
	"\tfield:__data_loc char[] _r;\toffset:12;\tsize:4;\tsigned:1;\n"
	"\tfield:__data_loc char[] _r_2;\toffset:16;\tsize:4;\tsigned:1;\n"
	"\tfield:__data_loc char[] _r_3;\toffset:20;\tsize:4;\tsigned:1;\n"
	"\tfield:u32 v;\toffset:24;\tsize:4;\tsigned:0;\n"
	"\tfield:u32 list[4];\toffset:28;\tsize:16;\tsigned:0;\n"
	"\tfield:__data_loc char[] _e;\toffset:44;\tsize:4;\tsigned:1;\n\n"
	"print fmt: \"\"\n";

static struct read_name values[] = {
	{.first = "_r", .last = "_r_2", .value = "list", .shown = "list", .why = "gone"},
	{.first = "_r_3",
	 .value = "v",
	 .shown = "gr\303\266\303\237e",
	 .why = "gone",
	 .zeroed = true},
};
static const struct read_names names = { .control = "_c", .end = "_e", .n = 2, .values = values };

/*
 * Makes a record as the kernel does: the checks fail as given; the control fails if `tells` is set.
 */
static uint32_t make(uint8_t *record, bool tells, bool first, bool last, bool second, uint32_t v)
{
	uint32_t failed = trawl_loc(5, SIZE), done = trawl_loc(0, SIZE), end = trawl_loc(5, SIZE);
	uint16_t id = ID;
	struct { uint32_t at, word; } words[] = {
		{ CONTROL, tells ? failed : done }, { FIRST, first ? failed : done },
		{ LAST, last ? failed : done }, { SECOND, second ? failed : done }, { V, v },
		{ END, end },
	};

	memset(record, 0x55, 64);
	memcpy(record, &id, sizeof(id));
	for (size_t i = 0; i < ARRAY_SIZE(words); i++)
		memcpy(record + words[i].at, &words[i].word, 4);
	return 56;
}

static uint32_t word(const uint8_t *record, uint32_t at)
{
	uint32_t v;

	memcpy(&v, record + at, sizeof(v));
	return v;
}

static struct read_checks *checks(void)
{
	struct read_checks *r = read_checks_new();
	struct trawl_error err;
	struct eventformat f;

	cr_assert_eq(eventformat_parse(format, strlen(format), &f, &err), 0);
	read_checks_add(r, ID, read_check_new(&f, &names));
	cr_assert_eq(read_check_tune(&f, &names), 0);
	cr_assert_eq(f.nfields, 4);
	cr_assert_str_eq(f.fields[0].name, "__fault_list");
	cr_assert_str_eq(f.fields[0].note, "gone");
	cr_assert_eq(f.fields[0].place, TRAWL_FIXED);
	cr_assert_str_eq(f.fields[1].name, "__fault_gr\303\266\303\237e");
	cr_assert_str_eq(f.fields[2].name, "v");
	eventformat_free(&f);
	return r;
}

Test(readcheck, each_check_is_of_its_value)
{
	struct read_checks *r = checks();
	uint8_t record[64];

	for (unsigned int k = 0; k < 8; k++) {
		uint32_t len = make(record, true, k & 1, k & 2, k & 4, 0);

		read_checks_apply(r, record, &len);
		cr_expect_eq(len, SIZE, "the end is gone");
		cr_expect_eq(word(record, FIRST), (k & 3 ? READ_FAILED : READ_DONE), "%u", k);
		cr_expect_eq(word(record, LIST + 12), (k & 3 ? 0 : 0x55555555), "%u", k);
		cr_expect_eq(word(record, SECOND), (k & 4 ? READ_FAILED : READ_DONE), "%u", k);
		cr_expect_eq(word(record, CONTROL) | word(record, LAST) | word(record, END), 0);
	}
	read_checks_free(r);
}

Test(readcheck, what_is_not_0_was_read_where_0_would_stand)
{
	struct read_checks *r = checks();
	uint8_t record[64];
	uint32_t len = make(record, true, false, false, true, 7);

	read_checks_apply(r, record, &len);
	cr_assert_eq(word(record, SECOND), READ_DONE);
	cr_assert_eq(word(record, V), 7);
	read_checks_free(r);
}

Test(readcheck, a_kernel_that_does_not_tell_is_not_believed)
{
	struct read_checks *r = checks();
	uint8_t record[64];
	uint32_t len = make(record, false, false, false, false, 0);

	read_checks_apply(r, record, &len);
	cr_assert_eq(word(record, FIRST), READ_UNKNOWN);
	cr_assert_eq(word(record, LIST), 0);
	cr_assert_eq(word(record, SECOND), READ_UNKNOWN);
	len = 8; /* too short, or a record of another event */
	read_checks_apply(r, record, &len);
	cr_assert_eq(len, 8);
	read_checks_free(r);
}
