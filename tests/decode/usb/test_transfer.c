/* SPDX-License-Identifier: MIT */
#include <criterion/criterion.h>
#include <malloc.h>
#include <string.h>

#include "decode/base/bytes.h"
#include "decode/usb/statistics.h"
#include "decode/usb/transfer.h"

/* Feeds one bulk event; returns the transfer that it ends. */
static struct transfer *feed(struct transfers *s, char type, uint64_t id, uint8_t endpoint,
			     uint64_t time, const char *data)
{
	uint8_t r[URB_HEADER + 64] = {0};
	size_t n = strlen(data);
	struct transfer *done;
	struct urb u;

	put64(r, id);
	r[8] = (uint8_t)type;
	r[9] = URB_BULK;
	r[10] = endpoint;
	put32(r + 32, (uint32_t)n);
	put32(r + 36, (uint32_t)n);
	memcpy(r + URB_HEADER, data, n);
	urb_parse(&u, r, URB_HEADER + n);
	cr_assert(transfers_feed(s, &u, time, r, URB_HEADER + n, &done));
	return done;
}

Test(transfer, a_submission_and_its_completion_are_one)
{
	struct transfers *s = transfers_new();
	struct transfer *done;
	uint64_t latency;

	cr_expect_null(feed(s, 'S', 1, 0x02, 100, "hello"));
	cr_expect_null(feed(s, 'S', 2, 0x02, 150, "other"));
	done = feed(s, 'C', 1, 0x02, 350, "");
	cr_assert_not_null(done);
	cr_expect_eq(done->end, TRANSFER_DONE);
	cr_expect(transfer_latency(done, &latency));
	cr_expect_eq(latency, 250);
	cr_expect_eq(transfer_data(done)->data_len, 5);
	cr_expect(!memcmp(transfer_data(done)->data, "hello", 5), "data of the submission");
	cr_expect_eq(transfers_open(s), 1);
	transfers_free(s);
}

/*
 * On other systems than Linux endpoint 0 has no direction bit, and the request determines the
 * direction.
 */
Test(transfer, a_control_request_tells_the_direction)
{
	static const uint8_t get_descriptor[8] = {0x80, 6, 0, 1, 0, 0, 18, 0};
	uint8_t r[URB_HEADER + 2] = {0};
	struct transfers *s = transfers_new();
	struct transfer *done;
	struct urb u;

	r[8] = 'S', r[9] = URB_CONTROL;
	memcpy(r + 40, get_descriptor, 8);
	cr_assert(urb_parse(&u, r, URB_HEADER));
	cr_assert(transfers_feed(s, &u, 100, r, URB_HEADER, &done));
	memset(r + 40, 0, 8);
	r[8] = 'C', r[14] = '-';
	put32(r + 32, 2);
	put32(r + 36, 2);
	memcpy(r + URB_HEADER, "ab", 2);
	urb_parse(&u, r, sizeof(r));
	cr_assert(transfers_feed(s, &u, 200, r, sizeof(r), &done));
	cr_assert(done && done->end == TRANSFER_DONE);
	cr_expect(urb_in(transfer_urb(done)));
	cr_assert_not_null(transfer_data(done));
	cr_expect_eq(transfer_data(done)->data_len, 2);
	transfers_free(s);
}

Test(transfer, a_failed_submission)
{
	struct transfers *s = transfers_new();
	struct transfer *done;

	feed(s, 'S', 1, 0x81, 100, "");
	done = feed(s, 'E', 1, 0x81, 110, "");
	cr_assert_not_null(done);
	cr_expect_eq(done->end, TRANSFER_ERROR);
	cr_expect_null(transfer_data(done), "nothing came in");
	transfers_free(s);
}

Test(transfer, an_urb_used_again_was_never_answered)
{
	struct transfers *s = transfers_new();
	struct transfer *done;
	uint64_t latency;

	feed(s, 'S', 1, 0x02, 100, "first");
	done = feed(s, 'S', 1, 0x02, 200, "second");
	cr_assert_not_null(done);
	cr_expect_eq(done->end, TRANSFER_UNANSWERED);
	cr_expect(!memcmp(done->submit.data, "first", 5));
	cr_expect_not(transfer_latency(done, &latency));
	done = feed(s, 'C', 1, 0x02, 300, "");
	cr_assert_not_null(done);
	cr_expect(!memcmp(transfer_data(done)->data, "second", 6));
	transfers_free(s);
}

Test(transfer, halves_alone)
{
	struct transfers *s = transfers_new();
	struct transfer *done, *t;

	done = feed(s, 'C', 7, 0x81, 100, "data");
	cr_assert_not_null(done);
	cr_expect_not(done->has_submit);
	cr_expect_eq(transfer_data(done)->data_len, 4);
	feed(s, 'S', 8, 0x02, 200, "a");
	feed(s, 'S', 9, 0x02, 300, "b");
	t = transfers_drain(s);
	cr_assert_not_null(t);
	cr_expect_eq(t->submit.id, 8, "the oldest first");
	cr_expect_eq(t->end, TRANSFER_PENDING, "nothing says that no answer would have come");
	t = transfers_drain(s);
	cr_expect_eq(t->submit.id, 9);
	cr_expect_null(transfers_drain(s));
	transfers_free(s);
}

Test(transfer, an_answer_at_once_has_a_latency_of_0)
{
	struct transfers *s = transfers_new();
	struct transfer *done;
	uint64_t latency = 1;

	feed(s, 'S', 1, 0x02, 1000, "x");
	done = feed(s, 'C', 1, 0x02, 1000, "");
	cr_expect(transfer_latency(done, &latency));
	cr_expect_eq(latency, 0);
	transfers_free(s);
}

Test(transfer, a_clock_that_was_set_back_gives_no_latency)
{
	struct transfers *s = transfers_new();
	struct transfer *done;
	uint64_t latency;

	feed(s, 'S', 1, 0x02, 1000, "x");
	done = feed(s, 'C', 1, 0x02, 900, "");
	cr_expect_not(transfer_latency(done, &latency));
	transfers_free(s);
}

Test(transfer, a_file_of_submissions_takes_bounded_memory)
{
	struct transfers *s = transfers_new();
	unsigned int given = 0;

	for (uint64_t id = 0; id < 70000; id++)
		given += feed(s, 'S', id << 8, 0x02, id, "x") != NULL;
	cr_expect_lt(mallinfo2().uordblks, 64 << 20, "as much as the submissions hold, about");
	cr_expect_eq(transfers_open(s), 65536);
	cr_expect_eq(given, 70000 - 65536);
	while (transfers_drain(s))
		;
	cr_expect_eq(transfers_open(s), 0);
	transfers_free(s);
}

/* Returns the --summary of one transfer. */
static const char *summary(const struct transfer *t)
{
	struct usb_stats *s = usbstat_new();
	struct usb_devices devices = {0};
	static struct out o;

	cr_assert_not_null(s);
	out_free(&o);
	out_memory(&o);
	usbstat_add(s, t);
	usbstat_print(s, &devices, &o);
	out_char(&o, '\0');
	usbstat_free(s);
	return o.data;
}

Test(statistics, isochronous_packets_without_descriptors_count_too)
{
	struct transfer t = {.end = TRANSFER_DONE, .has_complete = true};

	t.complete = (struct urb){.type = 'C', .xfer = URB_ISO, .endpoint = 0x81,
				  .iso_packets = 8, .iso_errors = 7, .data = (const uint8_t *)""};
	cr_expect(strstr(summary(&t), "7 of 8 isochronous packets failed"), "%s", summary(&t));
}

Test(statistics, a_submission_to_an_endpoint_that_is_not_enabled_failed)
{
	struct transfer t = {.end = TRANSFER_ERROR, .has_complete = true};

	t.complete = (struct urb){.type = 'E', .xfer = URB_BULK, .endpoint = 0x81, .status = -2,
				  .data = (const uint8_t *)""};
	cr_expect(strstr(summary(&t), " errors: 1 unlinked (-2)"), "%s", summary(&t));
}
