/* SPDX-License-Identifier: MIT */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include "capture/usb/tally.h"

/*
 * Returns the number of an event's data bytes. For an isochronous IN transfer the kernel sets
 * len_urb to the sum of the packets, but copies all bytes from 0 to the end of the last packet,
 * with the gaps.
 */
static uint64_t belongs(const struct usbmon_header *h, const uint8_t *after, size_t given)
{
	uint64_t end, most = 0;
	uint32_t i, offset, len;

	if (h->xfer_type != 0 || h->type != 'C')
		return h->len_urb;
	for (i = 0; i < h->ndesc && (size_t)(i + 1) * USBMON_ISO_DESC <= given; i++) {
		memcpy(&offset, after + (size_t)i * USBMON_ISO_DESC + 4, sizeof(offset));
		memcpy(&len, after + (size_t)i * USBMON_ISO_DESC + 8, sizeof(len));
		end = len ? (uint64_t)offset + len : 0;
		most = end > most ? end : most;
	}
	return most;
}

void usbtally_why(struct usbtally *t, const struct usbmon_header *h, const uint8_t *after,
		  size_t given)
{
	size_t descs = (size_t)h->ndesc * USBMON_ISO_DESC;
	int32_t packets;

	if (descs > h->len_cap) {
		t->malformed++;
		return;
	}
	memcpy(&packets, h->setup + 4, sizeof(packets));
	if (h->xfer_type == 0 && packets > 0 && (uint32_t)packets > h->ndesc)
		t->cut_iso++;
	if (h->len_cap < given)
		t->cut_snap++;
	else if (h->flag_data == 'D')
		t->unmapped++;
	else if (h->flag_data == 'Z')
		t->no_buffer++;
	else if (h->flag_data == '\0' && given - descs < belongs(h, after, given))
		t->cut_ring++;
}

enum { REASONS = 11 };

struct reason {
	const char *name, *because;
	uint64_t count;
};

static void find_reasons(const struct usbtally *t, struct reason *reasons)
{
	const struct reason all[REASONS] = {
		{ "lost", "the kernel's ring was full", t->lost },
		{ "cut_ring", "data longer than the kernel keeps of one event", t->cut_ring },
		{ "cut_snap", "data cut by -s", t->cut_snap },
		{ "cut_iso", "isochronous packets that the kernel does not describe", t->cut_iso },
		{ "unmapped", "data in a scatter list that the kernel cannot read (D)",
		  t->unmapped },
		{ "no_buffer", "data in a buffer that only the hardware sees (Z)", t->no_buffer },
		{ "undecided", "events of a device that never became known", t->undecided },
		{ "malformed", "events with impossible lengths", t->malformed },
		{ "text", "usbmon's text form carries 32 bytes of each transfer", t->text },
		{ "partial", "a filter leaves out endpoints", t->partial },
		{ "undescribed", "no device's descriptors are in the file", !t->devices },
	};

	memcpy(reasons, all, sizeof(all));
}

static bool is_replayable(const struct reason *reasons)
{
	for (size_t i = 0; i < REASONS; i++) {
		if (reasons[i].count)
			return false;
	}
	return true;
}

void usbtally_text(const struct usbtally *t, char *text, size_t size)
{
	struct reason reasons[REASONS];
	size_t used = 0;

	find_reasons(t, reasons);
	snprintf(text, size, "yes");
	for (size_t i = 0; i < REASONS && used < size; i++) {
		if (!reasons[i].count)
			continue;
		used += (size_t)snprintf(text + used, size - used, "%s%s",
					 used ? "; " : "no, because: ", reasons[i].because);
		if (reasons[i].count > 1 && used < size)
			used += (size_t)snprintf(text + used, size - used, " (%" PRIu64 ")",
						 reasons[i].count);
	}
}

void usbtally_json(const struct usbtally *t, size_t ring, bool mapped, struct json *j)
{
	struct reason reasons[REASONS];

	find_reasons(t, reasons);
	json_object(j, NULL);
	json_bool(j, "replayable", is_replayable(reasons));
	json_array(j, "because");
	for (size_t i = 0; i < REASONS; i++) {
		if (!reasons[i].count)
			continue;
		json_object(j, NULL);
		json_string(j, "reason", reasons[i].name);
		json_string(j, "text", reasons[i].because);
		json_uint(j, "count", reasons[i].count);
		json_end(j);
	}
	json_end(j);
	json_uint(j, "events", t->events);
	json_uint(j, "filtered", t->unwanted);
	json_uint(j, "devices", t->devices);
	json_uint(j, "unplugged", t->gone);
	json_uint(j, "ring_bytes", ring);
	json_bool(j, "ring_mapped", mapped);
	json_end(j);
}
