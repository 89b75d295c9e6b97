/* SPDX-License-Identifier: MIT */
#include "decode/usb/zeroed.h"

#include <string.h>

#include "decode/usb/class.h"

/* The bytes from `from` up to, but not including, `to`; from == to: none. */
struct zeros {
	uint32_t from, to;
};

static bool are_zeros(const struct usb_detail *d, size_t from, size_t n)
{
	return n && from < d->data_len && n <= d->data_len - from && !d->data[from] &&
	       !memcmp(d->data + from, d->data + from + 1, n - 1);
}

/* The answer to INQUIRY may have a serial number behind the identification of the unit. */
static struct zeros of_inquiry(const struct usb_detail *d)
{
	uint32_t from = scsi_identification(&d->storage.command);

	if (!from || from >= d->data_len || !are_zeros(d, from, d->data_len - from))
		return (struct zeros){0, 0};
	return (struct zeros){from, d->data_len};
}

/* The container ID is unique to each device (USB 3.2, 9.6.2.3). */
static struct zeros of_bos(const struct usb_detail *d)
{
	enum { HEADER = 5, CAPABILITY = 0x10, CONTAINER_ID = 4, AT = 4, LENGTH = 16 };
	const uint8_t *p = d->data;

	for (size_t at = HEADER; at + AT < d->data_len && p[at] > AT; at += p[at])
		if (p[at + 1] == CAPABILITY && p[at + 2] == CONTAINER_ID &&
		    are_zeros(d, at + AT, LENGTH))
			return (struct zeros){(uint32_t)at + AT, (uint32_t)at + AT + LENGTH};
	return (struct zeros){0, 0};
}

static bool is_bos(const struct usb_detail *d)
{
	enum { STANDARD_IN = 0x80, GET_DESCRIPTOR = 6, BOS = 15 };

	return d->has_setup && d->setup.type == STANDARD_IN &&
	       d->setup.request == GET_DESCRIPTOR && d->setup.value >> 8 == BOS;
}

static struct zeros zeros_of(const struct usb_state *s, const struct usb_detail *d)
{
	const struct msc_step *step = &d->storage;

	if (s->redacted_ids && is_bos(d))
		return of_bos(d);
	if (!s->redacted)
		return (struct zeros){0, 0};
	if (are_zeros(d, 0, d->data_len))
		return (struct zeros){0, d->data_len};
	if (d->class == &usb_storage_class && step->phase == MSC_DATA && step->has_command)
		return of_inquiry(d);
	return (struct zeros){0, 0};
}

void zeroed_tree(const struct usb_state *s, const struct usb_detail *d, struct tree *t)
{
	struct zeros z = zeros_of(s, d);

	if (z.from == z.to)
		return;
	tree_bool(t, "zeroed", true);
	if (z.to - z.from == d->data_len)
		return;
	tree_uint(t, "zeroed_from", z.from);
	tree_uint(t, "zeroed_bytes", z.to - z.from);
}

void zeroed_brief(const struct usb_state *s, const struct usb_detail *d, struct out *o)
{
	struct zeros z = zeros_of(s, d);

	if (z.from == z.to)
		return;
	if (z.to - z.from == d->data_len)
		out_str(o, "  (zeros: perhaps redacted)");
	else
		out_printf(o, "  (%u zeros from byte %u: perhaps redacted)", z.to - z.from, z.from);
}
