/* SPDX-License-Identifier: MIT */
/*
 * A packet of USBPcap, the capture of Windows (link type 249), and what becomes of it: a record in
 * usbmon's form (urb.h) that keeps the packet's own fields (struct usbpcap_fields).
 * Source: "USBPcap Capture format specification" (USBPCAP_BUFFER_PACKET_HEADER); little endian.
 */
#ifndef TRAWL_DECODE_USB_USBPCAP_H
#define TRAWL_DECODE_USB_USBPCAP_H

#include "decode/base/output.h"
#include "decode/usb/urb.h"

/* The byte after the header of a control transfer's packet. */
enum usbpcap_stage {
	STAGE_SETUP,    /* the setup packet, and outgoing data that is sent along */
	STAGE_DATA,     /* data in a packet of its own, in either direction; up to version 1.2 */
	STAGE_STATUS,   /* the end of a transfer in three packets; up to version 1.2 */
	STAGE_COMPLETE, /* the end, with incoming data; since version 1.3 */
	STAGE_NONE = USBPCAP_NO_STAGE,
};

/* Transfer types beyond usbmon's. */
#define USBPCAP_IRP_INFO 0xfe
#define USBPCAP_UNKNOWN 0xff

struct usbpcap_packet {
	uint64_t irp;
	uint32_t status;      /* USBD_STATUS */
	uint16_t function;
	uint8_t info;
	uint16_t bus, device;
	uint8_t endpoint, transfer, stage;
	uint32_t data_length; /* as the header says */
	uint32_t start_frame, npackets, errors; /* isochronous; npackets is bounded */
	const uint8_t *packets;
	const uint8_t *data;
	uint32_t data_len;    /* bytes that are there */
};

/* False: the bytes hold no whole header. */
bool usbpcap_parse(struct usbpcap_packet *p, const uint8_t *bytes, size_t n);

static inline bool usbpcap_up(const struct usbpcap_packet *p)
{
	return p->info & 1;
}

/*
 * Fills what a record (usbmon's header and isochronous descriptors, to which data is appended)
 * takes over from a packet as it is; `type`, endpoint, flags, setup and lengths are in u.
 * record has room for usbpcap_record_size(p).
 */
void usbpcap_record(struct urb *u, const struct usbpcap_packet *p, uint8_t *record);
size_t usbpcap_record_size(const struct usbpcap_packet *p);

/*
 * Appends the packet from which the record was made. Returns its length before it was cut, or 0:
 * no packet stands after this record.
 */
uint32_t usbpcap_packet_of(const struct urb *u, const uint8_t *record, struct out *o);

/* URB_FUNCTION_ and USBD_STATUS_ names of Windows without these prefixes; NULL: it has none. */
const char *usbpcap_function_name(uint16_t function);
const char *usbpcap_status_name(uint32_t usbd);

/* The errno that Linux gives where Windows gives this USBD_STATUS. */
int32_t usbpcap_errno(uint32_t usbd);

#endif
