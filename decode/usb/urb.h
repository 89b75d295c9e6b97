/* SPDX-License-Identifier: MIT */
/*
 * One usbmon record: the 64-byte header of drivers/usb/mon/mon_bin.c, isochronous descriptors,
 * data.
 *
 * A usbmon source of a .trawl file and LINKTYPE_USB_LINUX_MMAPPED (220) hold these bytes;
 * LINKTYPE_USB_LINUX (189) has only the first 48 bytes of the header. Records come from files, so
 * no length in them is trusted: what does not fit is cut and noted in `damage`.
 */
#ifndef TRAWL_DECODE_USB_URB_H
#define TRAWL_DECODE_USB_URB_H

#include "common/usbtypes.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define URB_HEADER 64     /* bytes in the header of a record */
#define URB_HEADER_OLD 48 /* the same for LINKTYPE_USB_LINUX */
#define URB_ISO_SIZE 16   /* bytes in an isochronous descriptor */

enum urb_xfer { URB_ISO, URB_INTERRUPT, URB_CONTROL, URB_BULK, URB_XFERS };

enum urb_damage {
	URB_SHORT_HEADER = 1, /* fewer than 64 bytes: missing fields read as zero */
	URB_BAD_TYPE = 2,     /* the type is not S, C or E */
	URB_BAD_XFER = 4,     /* unknown transfer type */
	URB_BAD_ISO = 8,      /* more isochronous descriptors than the record holds */
	/* len_cap differs from the number of bytes that follow, and no packet was cut */
	URB_BAD_CAP = 16,
};

/*
 * Value of flag_setup and flag_data if setup packet and data are in the record. Any other character
 * says why not; see urb_flag_text().
 */
#define URB_FLAG_PRESENT '\0'

/* Fields that packets of macOS have and usbmon records lack. */
struct darwin_fields {
	/* an IOReturn; the locationID by which macOS identifies the port */
	uint32_t io_status, location;
	uint8_t speed;
};

struct urb {
	uint64_t id;
	char type;           /* 'S', 'C', 'E'; for events of USBPcap also 'T', 'I', 'P' */
	uint8_t xfer;        /* enum urb_xfer; >= URB_XFERS if the record is damaged */
	uint8_t endpoint;    /* endpoint number, with bit 7 set for IN */
	uint8_t device;
	uint16_t bus;
	char flag_setup, flag_data;
	uint64_t time;       /* ns since the epoch */
	uint64_t number;     /* index among its machine's USB events, from 0; not in the record */
	int32_t status;
	uint32_t length;     /* S: requested, C: transferred bytes */
	uint32_t buffer;     /* isochronous C: the length of its S; 0: unknown; not in the record */
	uint32_t captured;   /* len_cap from the header */
	uint32_t cut;        /* by how much the record is shorter than len_cap; not in the record */
	uint32_t packet_length; /* of the imported packet; 0: as urb_packet_length() returns */
	uint8_t setup[8];    /* valid if has_setup */
	bool has_setup;
	int32_t iso_errors, iso_packets; /* isochronous URBs; iso_packets may exceed ndesc */
	int32_t interval, start_frame;
	uint32_t flags;      /* the kernel's URB_* transfer flags */
	/* number of isochronous descriptors in the record, bounded by its length */
	uint32_t ndesc;
	uint32_t ndesc_cut;  /* further ones that the record lacks because its packet was cut */
	const uint8_t *iso;  /* ndesc * URB_ISO_SIZE bytes, in the record */
	const uint8_t *data; /* in the record; never NULL */
	uint32_t data_len;
	unsigned int damage; /* bits of enum urb_damage */
	bool is_usbpcap;     /* usbpcap is valid */
	struct usbpcap_fields usbpcap;
	bool is_darwin;      /* darwin is valid */
	struct darwin_fields darwin;
};

struct urb_packet {
	int32_t status;
	uint32_t offset, length;
};

/*
 * Parses a record of any length, including 0. The result points into the record. Returns true if no
 * damage was found.
 */
bool urb_parse(struct urb *u, const void *record, size_t len);

/*
 * The same for a record of event type `type` (enum usb_event); some types have fields besides the
 * time. with_length: the type has a field at USB_PACKET_LENGTH.
 */
bool urb_parse_event(struct urb *u, uint32_t type, bool with_length, const void *record,
		     size_t len);

/* Writes the fields that are specific to USBPcap into a header. */
void urb_put_usbpcap(const struct usbpcap_fields *f, uint8_t header[URB_HEADER]);

/*
 * The reverse of urb_parse(): writes the fields of u into a header. len_cap is set to u->captured.
 */
void urb_header(const struct urb *u, uint8_t header[URB_HEADER]);

/* Writes a time in ns since the epoch into a header, which stores whole microseconds. */
void urb_put_time(uint8_t header[URB_HEADER], uint64_t time);

/*
 * Returns how many bytes of data a complete record of this event has. The packets of an isochronous
 * IN completion lie at their offsets with gaps between them, so there the result is the end of the
 * last packet; if descriptors were cut off, what the kernel captured after them.
 */
uint64_t urb_wanted(const struct urb *u);

/* The length that libpcap gives the packet of a record of `captured` bytes. */
uint32_t urb_packet_length(const struct urb *u, size_t captured);

/* The length of that packet before it was cut: an imported one keeps what its file says. */
uint32_t urb_original_length(const struct urb *u, size_t captured);

/* Isochronous packet i < u->ndesc. */
struct urb_packet urb_packet(const struct urb *u, uint32_t i);

static inline bool urb_in(const struct urb *u)
{
	return u->endpoint & 0x80;
}

/* Whether the requested length is unknown: USBPcap records 0 for the submission of a read. */
static inline bool urb_length_unknown(const struct urb *u)
{
	return u->type == 'S' && u->is_usbpcap && urb_in(u) && !u->has_setup && !u->length;
}

static inline unsigned int urb_endpoint_number(const struct urb *u)
{
	return u->endpoint & 0x7f;
}

/* USBPcap gives 255 to a request whose pipe it does not know. */
static inline bool urb_no_endpoint(const struct urb *u)
{
	return u->is_usbpcap && u->type == 'I' && u->endpoint == 0xff;
}

/* Whether this event is one half of a transfer; USBPcap also has other events. */
static inline bool urb_is_half(const struct urb *u)
{
	return u->type == 'S' || u->type == 'C' || u->type == 'E';
}

/*
 * Whether this event is the half of its transfer that carries data: S for OUT, C for IN; for macOS
 * always C.
 */
static inline bool urb_carries(const struct urb *u)
{
	if (u->is_darwin)
		return u->type == 'C';
	return u->type == 'C' ? urb_in(u) : !urb_in(u);
}

/*
 * Number of transferred payload bytes that are missing from the record: they were cut, or the
 * kernel could not access them.
 */
uint64_t urb_missing(const struct urb *u);

const char *urb_xfer_name(uint8_t xfer); /* "iso", "interrupt", "control", "bulk", "unknown" */

/* The meaning of a data flag, such as "not mapped" for 'Z'; NULL for 0, '<' and '>'. */
const char *urb_flag_text(char flag);

#endif
