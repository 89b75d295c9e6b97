/* SPDX-License-Identifier: MIT */
#include <criterion/criterion.h>
#include <string.h>

#include "decode/base/bytes.h"
#include "decode/usb/duplicate.h"

struct event {
	char type;
	unsigned int us;
	uint8_t xfer, device, data;
	bool second; /* expected to be a duplicate */
};

/* Feeds the events of one URB of bus 1. */
static void feed(struct duplicates *d, const struct event *events, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		const struct event *e = &events[i];
		uint8_t r[URB_HEADER + 1] = {0};
		struct urb u;
		bool second;

		put64(r, 0xffff888000001000);
		r[8] = (uint8_t)e->type;
		r[9] = e->xfer;
		r[10] = 0x81;
		r[11] = e->device;
		put16(r + 12, 1);
		put32(r + 24, e->us); /* the time is the only difference between the records */
		put32(r + 32, 1);
		put32(r + 36, e->type == 'C');
		r[URB_HEADER] = e->data;
		urb_parse(&u, r, URB_HEADER + (e->type == 'C'));
		cr_assert_not_null(duplicates_take(d, &u, e->us * UINT64_C(1000), r,
						   URB_HEADER + (e->type == 'C'), &second));
		cr_expect_eq(second, e->second, "event %zu", i);
	}
}

#define EXPECT(...)                                                                                \
	do {                                                                                       \
		static const struct event events[] = {__VA_ARGS__};                                \
		struct duplicates *d = duplicates_new();                                           \
                                                                                                   \
		feed(d, events, sizeof(events) / sizeof(*events));                                 \
		duplicates_free(d);                                                                \
	} while (0)

#define S(at, sec) {'S', at, URB_BULK, 5, 0, sec}
#define C(at, sec) {'C', at, URB_BULK, 5, 0, sec}

Test(duplicate, two_readers_one_after_the_other)
{
	EXPECT(S(10, false), S(12, true), C(110, false), C(111, true), S(115, false), S(118, true));
}

/* The records of the second reader stand behind the next event, with their own times. */
Test(duplicate, the_second_reader_lags)
{
	EXPECT(S(10, false), C(60, false), S(11, true), S(66, false), C(62, true), S(67, true));
}

/* The second reader may also be ahead. */
Test(duplicate, the_second_record_may_be_earlier)
{
	EXPECT(S(12, false), S(10, true), C(61, false), C(60, true));
}

/* A single reader: equal events of an URB that was completed and submitted again. */
Test(duplicate, equal_transfers_are_none)
{
	EXPECT(S(10, false), C(30, false), S(33, false), C(50, false), S(52, false), C(70, false));
}

Test(duplicate, other_data_are_none)
{
	EXPECT({'S', 10, URB_BULK, 5, 0, false}, {'C', 60, URB_BULK, 5, 1, false},
	       {'C', 61, URB_BULK, 5, 2, false});
}

/*
 * A root hub answers within a microsecond, which the clock cannot resolve; its bus has a single
 * reader.
 */
Test(duplicate, transfers_of_a_root_hub_are_none)
{
	EXPECT({'S', 10, URB_CONTROL, 1, 0, false}, {'C', 10, URB_CONTROL, 1, 0, false},
	       {'S', 10, URB_CONTROL, 1, 0, false}, {'C', 11, URB_CONTROL, 1, 0, false});
}

/* A capture of completions only: 40 us are long enough for another transfer. */
Test(duplicate, completions_only_are_none)
{
	EXPECT(C(10, false), C(50, false), C(90, false));
}

Test(duplicate, how_many_and_how_far_apart)
{
	static const struct event events[] = {S(10, false), S(12, true), C(60, false), C(81, true)};
	struct duplicates *d = duplicates_new();
	uint64_t apart;

	cr_expect(!duplicates_on(d, 1));
	feed(d, events, 4);
	cr_expect(duplicates_on(d, 1));
	cr_expect(!duplicates_on(d, 2));
	cr_expect_eq(duplicates_count(d, &apart), 2);
	cr_expect_eq(apart, 21000);
	duplicates_free(d);
}
