/* SPDX-License-Identifier: MIT */
/*
 * Redacts USB packets that a file keeps in their original form: those of the bus (a PID, then an
 * address or data and its CRC), and those of macOS (halves of transfers). Their data is treated
 * like that of transfers; everything else describes what happened and is kept.
 */
#include <stdlib.h>
#include <string.h>

#include "common/usbtypes.h"
#include "decode/base/bytes.h"
#include "decode/usb/buscrc.h"
#include "decode/usb/darwin.h"
#include "edit/redact.h"
#include "edit/redactusb.h"

enum { PID_OUT = 1, PID_IN = 9, PID_SETUP = 13, PID_DATA = 3, SETUP_SIZE = 8 };

/* The target of the last token, and the current request of each device. */
struct redact_bus {
	uint8_t token, address, endpoint;
	struct {
		uint8_t bytes[SETUP_SIZE];
		bool known; /* the request was seen */
		bool begun; /* a packet of its data was seen */
	} setups[128];
};

/* Redacts data of endpoint 0: a part of a descriptor, or the data of a request. */
static void control_packet(struct redact *x, struct redact_bus *b, uint8_t *p, size_t n)
{
	enum { STRING = 3, BOS = 15 };
	const uint8_t *setup = b->setups[b->address].bytes;
	bool begun = b->setups[b->address].begun;

	b->setups[b->address].begun = true;
	if (!b->setups[b->address].known)
		redact_zero(x, SECRET_PAYLOAD, p, n);
	else if (!usb_setup_is_descriptor(setup))
		usb_redact_request(x, setup, false, p, n);
	else if (setup[3] == STRING && !begun && n >= 2)
		redact_zero(x, SECRET_SERIALS, p + 2, n - 2);
	else if (setup[3] == STRING)
		redact_zero(x, SECRET_SERIALS, p, n);
	else if (setup[3] == BOS && begun)
		redact_zero(x, SECRET_IDENTITY, p, n);
	else
		usb_redact_descriptor(x, setup, p, n);
}

/* Redacts the payload of a data packet, without PID and CRC. */
static void payload(struct redact *x, struct redact_bus *b, uint8_t *p, size_t n)
{
	enum { LARGEST_REPORT = 64 };

	if (b->token == PID_SETUP && n == SETUP_SIZE) {
		memcpy(b->setups[b->address].bytes, p, n);
		b->setups[b->address].known = true;
		b->setups[b->address].begun = false;
	} else if (!b->endpoint && (b->token == PID_IN || b->token == PID_OUT)) {
		control_packet(x, b, p, n);
	} else if (b->token == PID_IN && n <= LARGEST_REPORT) {
		redact_zero(x, SECRET_KEYSTROKES, p, n); /* of an unknown device */
	} else {
		redact_zero(x, SECRET_PAYLOAD, p, n);
	}
}

/* Redacts a data packet of which n of `length` bytes were captured. */
static void data_packet(struct redact *x, struct redact_bus *b, uint8_t *p, size_t n,
			uint32_t length)
{
	size_t data = length >= 3 && length - 3 < n - 1 ? length - 3 : n - 1;
	uint8_t *crc = p + 1 + data;
	bool whole = n - 1 == data + 2, right = whole && usb_crc16(p + 1, data) == get16(crc);
	uint16_t now;

	payload(x, b, p + 1, data);
	if (!x->drop || n - 1 <= data)
		return;
	/* the original CRC shows whether a guess about the packet is right */
	now = usb_crc16(p + 1, data);
	if (!right)
		now ^= 1;
	if (whole) {
		crc[0] = (uint8_t)now;
		crc[1] = (uint8_t)(now >> 8);
	} else {
		memset(crc, 0, n - 1 - data);
	}
}

static void bus_packet(struct redact *x, struct redact_bus *b, uint8_t *p, size_t n,
		       uint32_t length)
{
	uint8_t kind = n ? p[0] & 15 : 0;
	enum { LONGEST_TOKEN = 4 };

	if (n && (p[0] >> 4 ^ kind) == 15 && (kind & 3) == PID_DATA) {
		data_packet(x, b, p, n, length);
	} else if (n && (p[0] >> 4 ^ kind) == 15 && n <= LONGEST_TOKEN) {
		if (n < 3 || (kind != PID_OUT && kind != PID_IN && kind != PID_SETUP))
			return;
		b->token = kind;
		b->address = p[1] & 0x7f;
		b->endpoint = (uint8_t)(p[1] >> 7 | (p[2] & 7) << 1);
	} else {
		redact_zero(x, SECRET_PAYLOAD, p, n); /* a damaged packet may have been data */
	}
}

/* Redacts a half of a transfer by way of usbmon's form. */
static void darwin_packet(struct redact *x, const struct trawl_event *ev, uint8_t *p, size_t n,
			  uint32_t length)
{
	enum { ID = 16 };
	struct darwin_fields fields;
	struct usbmon_header h;
	struct out record;

	out_memory(&record);
	darwin_record(p, n, length, &record, &fields);
	if (record.error || record.len < sizeof(h)) {
		x->failed |= record.error != 0;
		redact_zero(x, SECRET_PAYLOAD, p, n);
		out_free(&record);
		return;
	}
	memcpy(&h, record.data, sizeof(h));
	redact_urb(x, ev, (uint8_t *)record.data, record.len);
	memcpy(p + n - (record.len - sizeof(h)), record.data + sizeof(h), record.len - sizeof(h));
	if (h.type != 'P')
		redact_address(x, p + ID);
	out_free(&record);
}

void redact_packet(struct redact *x, const struct trawl_event *ev, uint8_t *record)
{
	uint8_t *p = record + sizeof(struct usb_bus_packet);
	size_t n;
	uint32_t length;

	if (ev->len <= sizeof(struct usb_bus_packet))
		return;
	n = ev->len - sizeof(struct usb_bus_packet);
	length = get32(record);
	if (ev->source->linktype == LINKTYPE_USB_DARWIN) {
		darwin_packet(x, ev, p, n, length);
		return;
	}
	if (!x->bus)
		x->bus = calloc(1, sizeof(*x->bus));
	if (x->bus) {
		bus_packet(x, x->bus, p, n, length);
		return;
	}
	x->failed = true;
	redact_zero(x, SECRET_PAYLOAD, p, n);
}
