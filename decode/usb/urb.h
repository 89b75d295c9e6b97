/* SPDX-License-Identifier: MIT */
/*
 * One usbmon record: the 64-byte header of drivers/usb/mon/mon_bin.c, isochronous parts, data.
 *
 * The same bytes are the payload of a .trawl file's usbmon source, of LINKTYPE_USB_LINUX_MMAPPED
 * (220) and, cut to 48 bytes of header, of LINKTYPE_USB_LINUX (189). They come from files, so no
 * length in them is believed: what does not fit is cut and noted in `damage`.
 */
#ifndef TRAWL_DECODE_USB_URB_H
#define TRAWL_DECODE_USB_URB_H

#include "common/usbtypes.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define URB_HEADER 64     /* header bytes of a record */
#define URB_HEADER_OLD 48 /* of LINKTYPE_USB_LINUX */
#define URB_ISO_SIZE 16   /* one isochronous descriptor */

enum urb_xfer { URB_ISO, URB_INTERRUPT, URB_CONTROL, URB_BULK, URB_XFERS };

enum urb_damage {
	URB_SHORT_HEADER = 1, /* fewer than 64 bytes: the rest reads as zero */
	URB_BAD_TYPE = 2,     /* neither S nor C nor E */
	URB_BAD_XFER = 4,     /* no such transfer type */
	URB_BAD_ISO = 8,      /* more isochronous descriptors than the record holds */
	URB_BAD_CAP = 16,     /* len_cap is not the bytes that follow */
};

/* flag_setup, flag_data: setup packet or data are in the record. Any other letter says why not. */
#define URB_FLAG_PRESENT '\0'

/* What macOS has and usbmon has not. */
struct darwin_fields {
	uint32_t io_status, location; /* IOReturn; of the port, by which macOS names devices */
	uint8_t speed;
};

struct urb {
	uint64_t id;
	char type;           /* 'S', 'C', 'E'; of an event of USBPcap also 'T', 'I', 'P' */
	uint8_t xfer;        /* enum urb_xfer; >= URB_XFERS if damaged */
	uint8_t endpoint;    /* with bit 7 for IN, as in the header */
	uint8_t device;
	uint16_t bus;
	char flag_setup, flag_data;
	uint64_t time;       /* ns since the epoch */
	uint64_t number;     /* counts all USB events that are read, from 0; no record has it */
	int32_t status;
	uint32_t length;     /* S: asked for, C: transferred */
	uint32_t buffer;     /* isochronous C: length of its S; 0: not known; no record has it */
	uint32_t captured;   /* len_cap as the header says */
	uint8_t setup[8];    /* valid if has_setup */
	bool has_setup;
	int32_t iso_errors, iso_packets; /* of an isochronous URB; packets may exceed ndesc */
	int32_t interval, start_frame;
	uint32_t flags;      /* URB_* transfer flags of the kernel */
	uint32_t ndesc;      /* isochronous descriptors in the record, bounded */
	const uint8_t *iso;  /* ndesc * URB_ISO_SIZE bytes, in the record */
	const uint8_t *data; /* in the record; never NULL */
	uint32_t data_len;
	unsigned int damage; /* enum urb_damage bits */
	bool is_usbpcap;     /* usbpcap holds something */
	struct usbpcap_fields usbpcap;
	bool is_darwin;      /* darwin holds something */
	struct darwin_fields darwin;
};

struct urb_packet {
	int32_t status;
	uint32_t offset, length;
};

/* Parses a record of any length, even none. Points into it. Returns u->damage == 0. */
bool urb_parse(struct urb *u, const void *record, size_t len);

/* Likewise; type is the record's event type (enum usb_event): some have other fields than the
 * time. */
bool urb_parse_event(struct urb *u, uint32_t type, const void *record, size_t len);

/* Writes the fields of USBPcap into a header. */
void urb_put_usbpcap(const struct usbpcap_fields *f, uint8_t header[URB_HEADER]);

/* The reverse of urb_parse(): writes the fields of u into a header. len_cap becomes u->captured. */
void urb_header(const struct urb *u, uint8_t header[URB_HEADER]);

/* Writes a time, ns since the epoch, into a header, which counts microseconds. */
void urb_put_time(uint8_t header[URB_HEADER], uint64_t time);

/*
 * How many bytes of data a complete record of this event has. An isochronous IN completion is
 * sparse: its packets are at their offsets with gaps between, so that is the end of its last
 * packet.
 */
uint64_t urb_wanted(const struct urb *u);

/* Isochronous packet i < u->ndesc. */
struct urb_packet urb_packet(const struct urb *u, uint32_t i);

static inline bool urb_in(const struct urb *u)
{
	return u->endpoint & 0x80;
}

/* USBPcap does not tell how much a read may be: its submission says 0. */
static inline bool urb_length_unknown(const struct urb *u)
{
	return u->type == 'S' && u->is_usbpcap && urb_in(u) && !u->has_setup && !u->length;
}

static inline unsigned int urb_endpoint_number(const struct urb *u)
{
	return u->endpoint & 0x7f;
}

/* Whether this event is half of a transfer: of USBPcap there are others. */
static inline bool urb_is_half(const struct urb *u)
{
	return u->type == 'S' || u->type == 'C' || u->type == 'E';
}

/*
 * Whether this event is the one of its transfer that carries data: S of OUT, C of IN; of macOS
 * always C.
 */
static inline bool urb_carries(const struct urb *u)
{
	if (u->is_darwin)
		return u->type == 'C';
	return u->type == 'C' ? urb_in(u) : !urb_in(u);
}

/* Bytes of payload that were transferred and are not in the record: cut, or not accessible. */
uint64_t urb_missing(const struct urb *u);

const char *urb_xfer_name(uint8_t xfer); /* "iso", "interrupt", "control", "bulk", "unknown" */

/* What a data flag means in words: "not mapped" for 'Z', ...; NULL for 0, '<', '>'. */
const char *urb_flag_text(char flag);

#endif
