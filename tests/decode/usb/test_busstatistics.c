/* SPDX-License-Identifier: MIT */
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "decode/usb/busstatistics.h"

enum { OUT = 1, ACK = 2, DATA0 = 3, SOF = 5, NYET = 6, SPLIT = 8, IN = 9, NAK = 10, SETUP = 13,
       STALL = 14 };

static void packet(struct bus_stats *s, uint8_t pid, uint8_t endpoint, uint32_t data_len)
{
	struct busstat_packet p = {.pid = pid, .address = 7, .endpoint = endpoint,
				   .data_len = data_len};

	busstat_add(s, &p);
}

static void split(struct bus_stats *s, bool start)
{
	busstat_add(s, &(struct busstat_packet){.pid = SPLIT, .start_split = start});
}

/* Asserts that the summary has a row of these numbers. */
static void has_row(struct bus_stats *s, const char *row)
{
	char text[4096], *to = text;
	struct out o;

	out_memory(&o);
	busstat_print(s, &o);
	/* one blank between the words */
	for (size_t i = 0; i < o.len && to < text + sizeof(text) - 1; i++)
		if (o.data[i] != ' ' || (to > text && to[-1] != ' '))
			*to++ = o.data[i];
	*to = 0;
	cr_expect(strstr(text, row), "%s is in:\n%s", row, text);
	out_free(&o);
}

Test(busstatistics, answers_belong_to_the_token_before_them)
{
	struct bus_stats *s = busstat_new();

	packet(s, ACK, 0, 0); /* of a token before the capture */
	packet(s, SETUP, 0, 0), packet(s, DATA0, 0, 8), packet(s, ACK, 0, 0);
	packet(s, IN, 0, 0), packet(s, STALL, 0, 0);
	packet(s, OUT, 1, 0), packet(s, DATA0, 0, 64), packet(s, NAK, 0, 0);
	packet(s, OUT, 1, 0), packet(s, DATA0, 0, 64), packet(s, NYET, 0, 0);
	packet(s, SOF, 0, 0);
	packet(s, OUT, 2, 0), packet(s, DATA0, 0, 10); /* isochronous */
	packet(s, IN, 3, 0); /* unanswered */
	packet(s, IN, 1, 0), packet(s, DATA0, 0, 64), packet(s, ACK, 0, 0);
	for (int i = 0; i < 5; i++)
		packet(s, IN, 1, 0), packet(s, NAK, 0, 0);
	busstat_add(s, &(struct busstat_packet){.bad = true});
	has_row(s, "7 ep0 SETUP 1 1 8 1 0 0 0 0\n 7 ep0 IN 1 0 0 0 0 0 1 0\n");
	has_row(s, "7 ep1 OUT 2 2 128 0 1 1 0 0\n 7 ep1 IN 6 1 64 1 5 0 0 0\n "
		   "the last 5 in a row: no data moved\n 7 ep2 OUT 1 1 10 0 0 0 0 0\n "
		   "7 ep3 IN 1 0 0 0 0 0 0 1\n");
	has_row(s, "USB start of frame packets: 1\nUSB packets that are damaged: 1\n");
	free(s);
}

Test(busstatistics, a_split_transaction_counts_once)
{
	struct bus_stats *s = busstat_new();

	split(s, true), packet(s, IN, 1, 0); /* an interrupt endpoint: the hub does not answer */
	split(s, false), packet(s, IN, 1, 0), packet(s, NYET, 0, 0);
	split(s, false), packet(s, IN, 1, 0), packet(s, DATA0, 0, 8);
	split(s, true), packet(s, OUT, 2, 0), packet(s, DATA0, 0, 64), packet(s, ACK, 0, 0);
	split(s, false), packet(s, OUT, 2, 0), packet(s, ACK, 0, 0);
	split(s, true), packet(s, OUT, 3, 0), packet(s, DATA0, 0, 96); /* isochronous */
	has_row(s, "7 ep1 IN 2 1 8 0 0 1 0 0\n 7 ep2 OUT 1 1 64 1 0 0 0 0\n "
		   "7 ep3 OUT 0 1 96 0 0 0 0 0\n");
	free(s);
}

static void damaged(struct bus_stats *s)
{
	busstat_add(s, &(struct busstat_packet){.bad = true});
}

Test(busstatistics, a_damaged_packet_is_no_silence_and_what_follows_is_not_of_the_token_before)
{
	struct bus_stats *s = busstat_new();

	packet(s, IN, 1, 0), damaged(s); /* data */
	packet(s, IN, 2, 0), packet(s, NAK, 0, 0);
	damaged(s), packet(s, DATA0, 0, 64), packet(s, ACK, 0, 0); /* a token */
	packet(s, OUT, 3, 0), packet(s, DATA0, 0, 8), damaged(s);  /* a handshake */
	split(s, true), damaged(s);
	packet(s, IN, 4, 0), packet(s, NAK, 0, 0);
	has_row(s, "7 ep1 IN 1 0 0 0 0 0 0 0\n 7 ep2 IN 1 0 0 0 1 0 0 0\n "
		   "7 ep3 OUT 1 1 8 0 0 0 0 0\n 7 ep4 IN 1 0 0 0 1 0 0 0\n");
	free(s);
}

Test(busstatistics, nothing_is_printed_of_nothing)
{
	struct bus_stats *s = busstat_new();
	struct out o;

	out_memory(&o);
	busstat_print(s, &o);
	cr_expect_eq(o.len, 0);
	out_free(&o);
	free(s);
}
