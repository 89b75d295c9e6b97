/* SPDX-License-Identifier: MIT */
/*
 * Packets of USBPcap, the USB capture driver for Windows (link type 249). The reader converts a
 * packet to a record in usbmon's form (urb.h) that keeps USBPcap's own fields (struct
 * usbpcap_fields). Source: "USBPcap Capture format specification" (USBPCAP_BUFFER_PACKET_HEADER);
 * little endian.
 */
#ifndef TRAWL_DECODE_USB_USBPCAP_H
#define TRAWL_DECODE_USB_USBPCAP_H

#include "decode/base/namefn.h"
#include "decode/base/output.h"
#include "decode/usb/urb.h"

/* The stage byte that follows the header in a packet of a control transfer. */
enum usbpcap_stage {
	STAGE_SETUP,    /* the setup packet and, if there is any, OUT data */
	STAGE_DATA,     /* data in a separate packet, in either direction; up to version 1.2 */
	/* the end of a transfer that consists of three packets; up to version 1.2 */
	STAGE_STATUS,
	STAGE_COMPLETE, /* the end of a transfer, with IN data; since version 1.3 */
	STAGE_NONE = USBPCAP_NO_STAGE,
};

struct usbpcap_packet {
	uint64_t irp;
	uint32_t status;      /* USBD_STATUS */
	uint16_t function;
	uint8_t info;
	uint16_t bus, device;
	uint8_t endpoint, transfer, stage;
	uint32_t data_length; /* bytes of data according to the header */
	/* isochronous; npackets is bounded by the bytes present */
	uint32_t start_frame, npackets, errors;
	const uint8_t *packets;
	const uint8_t *data;
	uint32_t data_len;    /* bytes of data present */
};

/*
 * Parses a packet of n bytes; the result points into them. Returns false if they do not hold a
 * complete header.
 */
bool usbpcap_parse(struct usbpcap_packet *p, const uint8_t *bytes, size_t n);

static inline bool usbpcap_up(const struct usbpcap_packet *p)
{
	return p->info & 1;
}

/*
 * Stores the fields that are copied from the packet unchanged: usbmon's header and isochronous
 * descriptors go into `record`, which has room for usbpcap_record_size(p) bytes; the data is to be
 * appended by the caller. `type`, endpoint, flags, setup and lengths are taken from u.
 */
void usbpcap_record(struct urb *u, const struct usbpcap_packet *p, uint8_t *record);
size_t usbpcap_record_size(const struct usbpcap_packet *p);

/*
 * Appends the packet that the record was made from. Returns its original length in bytes, or 0 if
 * no packet corresponds to this record.
 */
uint32_t usbpcap_packet_of(const struct urb *u, const uint8_t *record, struct out *o);

/* Names of Windows without the prefixes URB_FUNCTION_ and USBD_STATUS_; NULL if unknown. */
const char *usbpcap_function_name(uint16_t function);
const char *usbpcap_status_name(uint32_t usbd);
/* Calls fn for each name that the member function_name or usbd_status_name can have. */
void usbpcap_words(const char *member, decoder_name_fn *fn, void *arg);

/* The errno (negative) that Linux reports where Windows reports this USBD_STATUS. */
int32_t usbpcap_errno(uint32_t usbd);

#endif
