/* SPDX-License-Identifier: MIT */
#include "decode/usb/urb.h"
#include "common/usbtypes.h"
#include "decode/base/bytes.h"

#include <string.h>

/* Offset of a header field. Records are little endian on every machine. */
#define AT(member) offsetof(struct usbmon_header, member)

static void parse_header(struct urb *u, const uint8_t *h)
{
	u->id = get64(h + AT(id));
	u->type = (char)h[AT(type)];
	u->xfer = h[AT(xfer_type)];
	u->endpoint = h[AT(epnum)];
	u->device = h[AT(devnum)];
	u->bus = get16(h + AT(busnum));
	u->flag_setup = (char)h[AT(flag_setup)];
	u->flag_data = (char)h[AT(flag_data)];
	u->time = get64(h + AT(ts_sec)) * 1000000000 + (uint64_t)get32(h + AT(ts_usec)) * 1000;
	u->status = (int32_t)get32(h + AT(status));
	u->length = get32(h + AT(len_urb));
	u->captured = get32(h + AT(len_cap));
	memcpy(u->setup, h + AT(setup), sizeof(u->setup));
	u->interval = (int32_t)get32(h + AT(interval));
	u->start_frame = (int32_t)get32(h + AT(start_frame));
	u->flags = get32(h + AT(xfer_flags));
	u->ndesc = get32(h + AT(ndesc));
	if (u->xfer == URB_ISO) {
		u->iso_errors = (int32_t)get32(h + AT(setup));
		u->iso_packets = (int32_t)get32(h + AT(setup) + 4);
	}
	u->has_setup = u->xfer == URB_CONTROL && u->type != 'C' &&
		       u->flag_setup == URB_FLAG_PRESENT;
}

bool urb_parse(struct urb *u, const void *record, size_t len)
{
	const uint8_t *bytes = record;
	uint8_t header[URB_HEADER] = {0};
	size_t rest = len > URB_HEADER ? len - URB_HEADER : 0;
	bool cut_descriptors = false;

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
		cut_descriptors = u->xfer == URB_ISO;
		u->damage |= URB_BAD_ISO;
		u->ndesc = (uint32_t)(rest / URB_ISO_SIZE);
	}
	/* Only isochronous transfers have descriptors. */
	if (u->ndesc && u->xfer != URB_ISO) {
		u->damage |= URB_BAD_ISO;
		u->ndesc = 0;
	}
	u->iso = rest ? bytes + URB_HEADER : (const uint8_t *)"";
	u->data = u->iso + (size_t)u->ndesc * URB_ISO_SIZE;
	/* What follows the last whole descriptor of a record that was cut among them is no data. */
	if (!cut_descriptors)
		u->data_len = (uint32_t)(rest - (size_t)u->ndesc * URB_ISO_SIZE);
	return u->damage == 0;
}

/*
 * The record of a truncated packet: its header still contains the number of bytes that the kernel
 * captured, and of descriptors among these.
 */
static void parse_cut(struct urb *u, const uint8_t *record, size_t len)
{
	const uint32_t stated = get32(record + AT(ndesc));

	u->damage &= ~(unsigned int)URB_BAD_CAP;
	u->cut = u->captured - (uint32_t)(len - URB_HEADER);
	if (u->xfer != URB_ISO || stated <= u->ndesc || stated > u->captured / URB_ISO_SIZE)
		return;
	u->damage &= ~(unsigned int)URB_BAD_ISO;
	u->packet_length = urb_original_length(u, len);
	u->ndesc_cut = stated - u->ndesc;
}

bool urb_parse_event(struct urb *u, uint32_t type, bool with_length, const void *record,
		     size_t len)
{
	const char letter = usbtypes_letter(type);
	const uint8_t *h = record;

	urb_parse(u, record, len);
	if (u->type == letter)
		u->damage &= ~(unsigned int)URB_BAD_TYPE;
	else
		u->damage |= URB_BAD_TYPE;
	u->type = letter;
	if (with_length && len >= URB_HEADER)
		u->packet_length = get32(h + USB_PACKET_LENGTH);
	if (len >= URB_HEADER && u->captured > len - URB_HEADER &&
	    urb_original_length(u, len) > len) {
		parse_cut(u, h, len);
	} else if (len >= URB_HEADER && u->captured == len) {
		/* QEMU's own recorder (option pcap= of its devices) counts the header, too. */
		u->damage &= ~(unsigned int)URB_BAD_CAP;
		u->captured -= URB_HEADER;
	}
	if (!usbtypes_is_usbpcap(type) || len < URB_HEADER)
		return u->damage == 0;
	if (!usbtypes_is_urb(type))
		u->damage &= ~(unsigned int)URB_BAD_XFER;
	u->is_usbpcap = true;
	u->usbpcap = (struct usbpcap_fields){
		.usbd_status = get32(h + USBPCAP_AT(usbd_status)),
		.function = get16(h + USBPCAP_AT(function)),
		.info = h[USBPCAP_AT(info)],
		.stage = h[USBPCAP_AT(stage)],
		.data_length = get32(h + USBPCAP_AT(data_length)),
		.marks = u->flags,
	};
	u->time = 0;
	u->flags = 0;
	return u->damage == 0;
}

void urb_put_usbpcap(const struct usbpcap_fields *f, uint8_t header[URB_HEADER])
{
	put32(header + USBPCAP_AT(usbd_status), f->usbd_status);
	put16(header + USBPCAP_AT(function), f->function);
	header[USBPCAP_AT(info)] = f->info;
	header[USBPCAP_AT(stage)] = f->stage;
	put32(header + USBPCAP_AT(data_length), f->data_length);
	put32(header + AT(xfer_flags), f->marks);
}

void urb_put_time(uint8_t header[URB_HEADER], uint64_t time)
{
	put64(header + AT(ts_sec), time / 1000000000);
	put32(header + AT(ts_usec), (uint32_t)(time % 1000000000 / 1000));
}

void urb_header(const struct urb *u, uint8_t header[URB_HEADER])
{
	put64(header + AT(id), u->id);
	header[AT(type)] = (uint8_t)u->type;
	header[AT(xfer_type)] = u->xfer;
	header[AT(epnum)] = u->endpoint;
	header[AT(devnum)] = u->device;
	put16(header + AT(busnum), u->bus);
	header[AT(flag_setup)] = (uint8_t)u->flag_setup;
	header[AT(flag_data)] = (uint8_t)u->flag_data;
	urb_put_time(header, u->time);
	put32(header + AT(status), (uint32_t)u->status);
	put32(header + AT(len_urb), u->length);
	put32(header + AT(len_cap), u->captured);
	memcpy(header + AT(setup), u->setup, sizeof(u->setup));
	if (u->xfer == URB_ISO) {
		put32(header + AT(setup), (uint32_t)u->iso_errors);
		put32(header + AT(setup) + 4, (uint32_t)u->iso_packets);
	}
	put32(header + AT(interval), (uint32_t)u->interval);
	put32(header + AT(start_frame), (uint32_t)u->start_frame);
	put32(header + AT(xfer_flags), u->flags);
	put32(header + AT(ndesc), u->ndesc);
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

	if (u->ndesc_cut)
		return u->captured - (uint64_t)(u->ndesc + u->ndesc_cut) * URB_ISO_SIZE;
	if (u->xfer != URB_ISO || u->type != 'C' || !urb_in(u))
		return u->length;
	for (uint32_t i = 0; i < u->ndesc; i++) {
		struct urb_packet p = urb_packet(u, i);

		if (p.length && (uint64_t)p.offset + p.length > end)
			end = (uint64_t)p.offset + p.length;
	}
	return end;
}

uint32_t urb_packet_length(const struct urb *u, size_t captured)
{
	uint64_t len = URB_HEADER + (uint64_t)u->ndesc * URB_ISO_SIZE + urb_wanted(u);

	if (u->flag_data != URB_FLAG_PRESENT || len < captured)
		len = captured;
	return len > UINT32_MAX ? UINT32_MAX : (uint32_t)len;
}

uint32_t urb_original_length(const struct urb *u, size_t captured)
{
	return u->packet_length ? u->packet_length : urb_packet_length(u, captured);
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
	case 'N':
		return "the packet with the data is not in the capture";
	default:
		return "not captured";
	}
}
