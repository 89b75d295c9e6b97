/* SPDX-License-Identifier: MIT */
/* What makes a USB capture one that cannot be replayed: every reason, in text and in JSON. */
#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

#include "capture/usb/tally.h"
#include "common/array.h"

/* Counts an event of which usbmon gave these bytes; descs: offset and length of each iso packet. */
static struct usbtally tally(struct usbmon_header h, size_t given, const uint32_t (*descs)[2])
{
	struct usbtally t = { .events = 1, .devices = 1 };
	uint8_t after[64] = { 0 };

	for (uint32_t i = 0; descs && i < h.ndesc; i++)
		memcpy(after + i * USBMON_ISO_DESC + 4, descs[i], sizeof(descs[i]));
	if (!usbtally_whole(&h, given))
		usbtally_why(&t, &h, after, given);
	return t;
}

static void says(const struct usbtally *t, const char *text, const char *json)
{
	struct json j = { 0 };
	char got[512];

	usbtally_text(t, got, sizeof(got));
	cr_expect_str_eq(got, text);
	usbtally_json(t, 4096, true, &j);
	cr_expect(memmem(j.text, j.len, json, strlen(json)), "\"%.*s\" has no: %s", (int)j.len,
		  j.text, json);
	json_free(&j);
}

Test(tally, a_whole_event_is_counted_nowhere)
{
	struct usbtally t = tally((struct usbmon_header){ .type = 'C', .xfer_type = 3, .len_urb = 8,
							  .len_cap = 8 }, 8, NULL);

	says(&t, "yes", "\"replayable\":true,\"because\":[]");
	/* without data, as the setup of an IN transfer */
	t = tally((struct usbmon_header){ .type = 'S', .xfer_type = 3, .len_urb = 512,
					  .flag_data = '<' }, 0, NULL);
	says(&t, "yes", "\"replayable\":true,\"because\":[]");
}

Test(tally, each_way_to_lose_data_has_a_reason)
{
	static const uint32_t gap[2][2] = { { 0, 4 }, { 8, 4 } };
	const struct {
		struct usbmon_header h;
		size_t given;
		const uint32_t (*descs)[2];
		const char *text, *name;
	} cases[] = {
		{ { .type = 'C', .xfer_type = 3, .len_urb = 9000, .len_cap = 100 }, 100, NULL,
		  "no, because: data longer than the kernel keeps of one event", "cut_ring" },
		{ { .type = 'C', .xfer_type = 3, .len_urb = 100, .len_cap = 8 }, 100, NULL,
		  "no, because: data cut by -s", "cut_snap" },
		{ { .type = 'S', .xfer_type = 3, .len_urb = 100, .flag_data = 'D' }, 0, NULL,
		  "no, because: data in a scatter list that the kernel cannot read (D)", "unmapped" },
		{ { .type = 'S', .xfer_type = 3, .len_urb = 100, .flag_data = 'Z' }, 0, NULL,
		  "no, because: data in a buffer that only the hardware sees (Z)", "no_buffer" },
		{ { .type = 'C', .xfer_type = 0, .ndesc = 5, .len_cap = 16 }, 16, NULL,
		  "no, because: events with impossible lengths", "malformed" },
		{ { .type = 'S', .xfer_type = 0, .setup = { [4] = 3 }, .ndesc = 2, .len_cap = 32,
		    .flag_data = '<' }, 32, gap,
		  "no, because: isochronous packets that the kernel does not describe", "cut_iso" },
		/* the packets have 8 bytes, and the gap between them 4 */
		{ { .type = 'C', .xfer_type = 0, .ndesc = 2, .len_urb = 8, .len_cap = 40 }, 40, gap,
		  "no, because: data longer than the kernel keeps of one event", "cut_ring" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct usbtally t = tally(cases[i].h, cases[i].given, cases[i].descs);
		char json[64];

		snprintf(json, sizeof(json), "\"because\":[{\"reason\":\"%s\",", cases[i].name);
		says(&t, cases[i].text, json);
	}
}

/* All bytes from 0 to the end of the last packet are there: more than the sum of the packets. */
Test(tally, an_isochronous_answer_with_gaps_is_whole)
{
	static const uint32_t gap[2][2] = { { 0, 4 }, { 8, 4 } };
	struct usbtally t = tally((struct usbmon_header){ .type = 'C', .ndesc = 2, .len_urb = 8,
							  .len_cap = 44 }, 44, gap);

	says(&t, "yes", "\"replayable\":true");
}

Test(tally, several_reasons_are_listed_with_their_numbers)
{
	struct usbtally t = { .events = 9, .lost = 3, .undecided = 1, .text = true,
			      .partial = true };

	says(&t, "no, because: the kernel's ring was full (3); events of a device that never became "
		 "known; usbmon's text form carries 32 bytes of each transfer; a filter leaves out "
		 "endpoints; no device's descriptors are in the file",
	     "{\"reason\":\"lost\",\"text\":\"the kernel's ring was full\",\"count\":3}");
}

Test(tally, a_text_that_is_too_long_is_cut)
{
	struct usbtally t = { .lost = 3, .cut_snap = 2, .malformed = 1 };
	char text[40];

	usbtally_text(&t, text, sizeof(text));
	cr_expect_str_eq(text, "no, because: the kernel's ring was full");
}
