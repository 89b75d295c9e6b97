/* SPDX-License-Identifier: MIT */
#include "decode/urb.h"
#include "decode/bytes.h"

#include <string.h>

/* Offsets in the header: struct mon_bin_hdr of drivers/usb/mon/mon_bin.c. */
enum {
	AT_ID = 0,
	AT_TYPE = 8,
	AT_XFER = 9,
	AT_ENDPOINT = 10,
	AT_DEVICE = 11,
	AT_BUS = 12,
	AT_FLAG_SETUP = 14,
	AT_FLAG_DATA = 15,
	AT_SEC = 16,
	AT_USEC = 24,
	AT_STATUS = 28,
	AT_LENGTH = 32,
	AT_CAPTURED = 36,
	AT_SETUP = 40, /* or iso: error_count, numdesc */
	AT_INTERVAL = 48,
	AT_START_FRAME = 52,
	AT_FLAGS = 56,
	AT_NDESC = 60,
};

static void parse_header(struct urb *u, const uint8_t *h)
{
	u->id = get64(h + AT_ID);
	u->type = (char)h[AT_TYPE];
	u->xfer = h[AT_XFER];
	u->endpoint = h[AT_ENDPOINT];
	u->device = h[AT_DEVICE];
	u->bus = get16(h + AT_BUS);
	u->flag_setup = (char)h[AT_FLAG_SETUP];
	u->flag_data = (char)h[AT_FLAG_DATA];
	u->time = get64(h + AT_SEC) * 1000000000 + (uint64_t)get32(h + AT_USEC) * 1000;
	u->status = (int32_t)get32(h + AT_STATUS);
	u->length = get32(h + AT_LENGTH);
	u->captured = get32(h + AT_CAPTURED);
	memcpy(u->setup, h + AT_SETUP, sizeof(u->setup));
	u->interval = (int32_t)get32(h + AT_INTERVAL);
	u->start_frame = (int32_t)get32(h + AT_START_FRAME);
	u->flags = get32(h + AT_FLAGS);
	u->ndesc = get32(h + AT_NDESC);
	if (u->xfer == URB_ISO) {
		u->iso_errors = (int32_t)get32(h + AT_SETUP);
		u->iso_packets = (int32_t)get32(h + AT_SETUP + 4);
	}
	u->has_setup = u->xfer == URB_CONTROL && u->type != 'C' &&
		       u->flag_setup == URB_FLAG_PRESENT;
}

bool urb_parse(struct urb *u, const void *record, size_t len)
{
	const uint8_t *bytes = record;
	uint8_t header[URB_HEADER] = {0};
	size_t rest = len > URB_HEADER ? len - URB_HEADER : 0;

	memset(u, 0, sizeof(*u));
	if (len)
		memcpy(header, bytes, len < URB_HEADER ? len : URB_HEADER);
	parse_header(u, header);
	if (len < URB_HEADER)
		u->damage |= URB_SHORT_HEADER;
	if (u->type != 'S' && u->type != 'C' && u->type != 'E')
		u->damage |= URB_BAD_TYPE;
	if (u->xfer >= URB_XFERS)
		u->damage |= URB_BAD_XFER;
	if (u->captured != rest)
		u->damage |= URB_BAD_CAP;
	if (u->ndesc > rest / URB_ISO_SIZE) {
		u->damage |= URB_BAD_ISO;
		u->ndesc = (uint32_t)(rest / URB_ISO_SIZE);
	}
	/* Other transfers have no descriptors; a count there is not ours to believe. */
	if (u->ndesc && u->xfer != URB_ISO) {
		u->damage |= URB_BAD_ISO;
		u->ndesc = 0;
	}
	u->iso = rest ? bytes + URB_HEADER : (const uint8_t *)"";
	u->data = u->iso + (size_t)u->ndesc * URB_ISO_SIZE;
	u->data_len = (uint32_t)(rest - (size_t)u->ndesc * URB_ISO_SIZE);
	return u->damage == 0;
}

void urb_header(const struct urb *u, uint8_t header[URB_HEADER])
{
	put64(header + AT_ID, u->id);
	header[AT_TYPE] = (uint8_t)u->type;
	header[AT_XFER] = u->xfer;
	header[AT_ENDPOINT] = u->endpoint;
	header[AT_DEVICE] = u->device;
	put16(header + AT_BUS, u->bus);
	header[AT_FLAG_SETUP] = (uint8_t)u->flag_setup;
	header[AT_FLAG_DATA] = (uint8_t)u->flag_data;
	put64(header + AT_SEC, u->time / 1000000000);
	put32(header + AT_USEC, (uint32_t)(u->time % 1000000000 / 1000));
	put32(header + AT_STATUS, (uint32_t)u->status);
	put32(header + AT_LENGTH, u->length);
	put32(header + AT_CAPTURED, u->captured);
	memcpy(header + AT_SETUP, u->setup, sizeof(u->setup));
	if (u->xfer == URB_ISO) {
		put32(header + AT_SETUP, (uint32_t)u->iso_errors);
		put32(header + AT_SETUP + 4, (uint32_t)u->iso_packets);
	}
	put32(header + AT_INTERVAL, (uint32_t)u->interval);
	put32(header + AT_START_FRAME, (uint32_t)u->start_frame);
	put32(header + AT_FLAGS, u->flags);
	put32(header + AT_NDESC, u->ndesc);
}

struct urb_packet urb_packet(const struct urb *u, uint32_t i)
{
	const uint8_t *p = u->iso + (size_t)i * URB_ISO_SIZE;

	return (struct urb_packet){
		.status = (int32_t)get32(p),
		.offset = get32(p + 4),
		.length = get32(p + 8),
	};
}

uint64_t urb_wanted(const struct urb *u)
{
	uint64_t end = 0;

	if (u->xfer != URB_ISO || u->type != 'C' || !urb_in(u))
		return u->length;
	for (uint32_t i = 0; i < u->ndesc; i++) {
		struct urb_packet p = urb_packet(u, i);

		if (p.length && (uint64_t)p.offset + p.length > end)
			end = (uint64_t)p.offset + p.length;
	}
	return end;
}

uint64_t urb_missing(const struct urb *u)
{
	uint64_t want;

	if (!urb_carries(u) || u->type == 'E')
		return 0;
	want = urb_wanted(u);
	return want > u->data_len ? want - u->data_len : 0;
}

const char *urb_xfer_name(uint8_t xfer)
{
	static const char *const names[URB_XFERS] = {"iso", "interrupt", "control", "bulk"};

	return xfer < URB_XFERS ? names[xfer] : "unknown";
}

const char *urb_flag_text(char flag)
{
	switch (flag) {
	case '\0':
	case '<':
	case '>':
		return NULL;
	case 'Z':
		return "the buffer was not mapped for the CPU";
	case 'D':
		return "the scatter-gather buffer could not be read";
	case 'E':
		return "the submission failed";
	default:
		return "not captured";
	}
}
