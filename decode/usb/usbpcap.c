/* SPDX-License-Identifier: MIT */
#include "decode/usb/usbpcap.h"
#include "common/array.h"
#include "decode/base/bytes.h"
#include "decode/usb/codename.h"
#include "decode/usb/status.h"

#include <string.h>

#define HEADER 27
#define ISO_HEADER 39
#define ISO_PACKET 12

/*
 * USBD_STATUS values of Windows (usb.h of its driver kit) with the errno that Linux reports in the
 * same case.
 */
static const struct {
	uint32_t usbd;
	int32_t status;
	const char *name;
} statuses[] = {
	{0x00000000, 0, "SUCCESS"},
	{0xc0000001, -84, "CRC"},
	{0xc0000002, -71, "BTSTUFF"},
	{0xc0000003, -71, "DATA_TOGGLE_MISMATCH"},
	{0xc0000004, -32, "STALL_PID"},
	{0xc0000005, -62, "DEV_NOT_RESPONDING"},
	{0xc0000006, -71, "PID_CHECK_FAILURE"},
	{0xc0000007, -71, "UNEXPECTED_PID"},
	{0xc0000008, -75, "DATA_OVERRUN"},
	{0xc0000009, -121, "DATA_UNDERRUN"},
	{0xc000000c, -70, "BUFFER_OVERRUN"},
	{0xc000000d, -63, "BUFFER_UNDERRUN"},
	{0xc000000f, -18, "NOT_ACCESSED"}, /* also used for the packets of isochronous transfers */
	{0xc0000010, -5, "FIFO"},
	{0xc0000011, -71, "XACT_ERROR"},
	{0xc0000012, -75, "BABBLE_DETECTED"},
	{0xc0000013, -63, "DATA_BUFFER_ERROR"},
	{0xc0000030, -32, "ENDPOINT_HALTED"},
	{0x80000200, -22, "INVALID_URB_FUNCTION"},
	{0x80000300, -22, "INVALID_PARAMETER"},
	{0x80000400, -16, "ERROR_BUSY"},
	{0x80000600, -22, "INVALID_PIPE_HANDLE"},
	{0x80000700, -28, "NO_BANDWIDTH"},
	{0x80000800, -5, "INTERNAL_HC_ERROR"},
	{0x80000900, -121, "ERROR_SHORT_TRANSFER"},
	{0xc0000a00, -22, "BAD_START_FRAME"},
	{0xc0000b00, -5, "ISOCH_REQUEST_FAILED"},
	{0xc0000c00, -5, "FRAME_CONTROL_OWNED"},
	{0xc0000d00, -5, "FRAME_CONTROL_NOT_OWNED"},
	{0xc0000e00, -5, "NOT_SUPPORTED"},
	{0xc0000f00, -22, "INVALID_CONFIGURATION_DESCRIPTOR"},
	{0xc0001000, -12, "INSUFFICIENT_RESOURCES"},
	{0xc0002000, -5, "SET_CONFIG_FAILED"},
	{0xc0003000, -90, "BUFFER_TOO_SMALL"},
	{0xc0004000, -5, "INTERFACE_NOT_FOUND"},
	{0xc0005000, -5, "INVALID_PIPE_FLAGS"},
	{0xc0006000, -110, "TIMEOUT"},
	{0xc0007000, -19, "DEVICE_GONE"},
	{0xc0008000, -5, "STATUS_NOT_MAPPED"},
	{0xc0009000, -5, "HUB_INTERNAL_ERROR"},
	{0xc0010000, -2, "CANCELED"},
	{0xc0020000, -18, "ISO_NOT_ACCESSED_BY_HW"},
	{0xc0030000, -5, "ISO_TD_ERROR"},
	{0xc0040000, -18, "ISO_NA_LATE_USBPORT"},
	{0xc0050000, -18, "ISO_NOT_ACCESSED_LATE"},
};

int32_t usbpcap_errno(uint32_t usbd)
{
	for (size_t i = 0; i < ARRAY_SIZE(statuses); i++)
		if (statuses[i].usbd == usbd)
			return statuses[i].status;
	/* The two highest bits distinguish success, pending, and two kinds of errors. */
	return usbd >> 31 ? -5 : usbd >> 30 ? USB_IN_PROGRESS : 0;
}

const char *usbpcap_status_name(uint32_t usbd)
{
	for (size_t i = 0; i < ARRAY_SIZE(statuses); i++)
		if (statuses[i].usbd == usbd)
			return statuses[i].name;
	return NULL;
}

const char *usbpcap_function_name(uint16_t function)
{
	static const char *const names[] = {
		"SELECT_CONFIGURATION", "SELECT_INTERFACE", "ABORT_PIPE",
		"TAKE_FRAME_LENGTH_CONTROL", "RELEASE_FRAME_LENGTH_CONTROL", "GET_FRAME_LENGTH",
		"SET_FRAME_LENGTH", "GET_CURRENT_FRAME_NUMBER", "CONTROL_TRANSFER",
		"BULK_OR_INTERRUPT_TRANSFER", "ISOCH_TRANSFER", "GET_DESCRIPTOR_FROM_DEVICE",
		"SET_DESCRIPTOR_TO_DEVICE", "SET_FEATURE_TO_DEVICE", "SET_FEATURE_TO_INTERFACE",
		"SET_FEATURE_TO_ENDPOINT", "CLEAR_FEATURE_TO_DEVICE", "CLEAR_FEATURE_TO_INTERFACE",
		"CLEAR_FEATURE_TO_ENDPOINT", "GET_STATUS_FROM_DEVICE", "GET_STATUS_FROM_INTERFACE",
		"GET_STATUS_FROM_ENDPOINT", NULL, "VENDOR_DEVICE", "VENDOR_INTERFACE",
		"VENDOR_ENDPOINT", "CLASS_DEVICE", "CLASS_INTERFACE", "CLASS_ENDPOINT", NULL,
		"SYNC_RESET_PIPE_AND_CLEAR_STALL", "CLASS_OTHER", "VENDOR_OTHER",
		"GET_STATUS_FROM_OTHER", "CLEAR_FEATURE_TO_OTHER", "SET_FEATURE_TO_OTHER",
		"GET_DESCRIPTOR_FROM_ENDPOINT", "SET_DESCRIPTOR_TO_ENDPOINT", "GET_CONFIGURATION",
		"GET_INTERFACE", "GET_DESCRIPTOR_FROM_INTERFACE", "SET_DESCRIPTOR_TO_INTERFACE",
		"GET_MS_FEATURE_DESCRIPTOR", NULL, NULL, NULL, NULL, NULL, "SYNC_RESET_PIPE",
		"SYNC_CLEAR_STALL", "CONTROL_TRANSFER_EX", NULL, NULL, "OPEN_STATIC_STREAMS",
		"CLOSE_STATIC_STREAMS", "BULK_OR_INTERRUPT_TRANSFER_USING_CHAINED_MDL",
		"ISOCH_TRANSFER_USING_CHAINED_MDL",
	};

	return function < ARRAY_SIZE(names) ? names[function] : NULL;
}

void usbpcap_words(const char *member, decoder_name_fn *fn, void *arg)
{
	if (!strcmp(member, "function_name"))
		CODE_PROBE(usbpcap_function_name, UINT8_MAX, fn, arg);
	else if (!strcmp(member, "usbd_status_name"))
		for (size_t i = 0; i < ARRAY_SIZE(statuses); i++)
			fn(arg, statuses[i].name);
}

bool usbpcap_parse(struct usbpcap_packet *p, const uint8_t *h, size_t n)
{
	uint32_t header = n < HEADER ? 0 : get16(h);

	if (header < HEADER || header > n)
		return false;
	*p = (struct usbpcap_packet){
		.irp = get64(h + 2),
		.status = get32(h + 10),
		.function = get16(h + 14),
		.info = h[16],
		.bus = get16(h + 17),
		.device = get16(h + 19),
		.endpoint = h[21],
		.transfer = h[22],
		.data_length = get32(h + 23),
		.stage = STAGE_NONE,
		.data = h + header,
		.data_len = (uint32_t)(n - header),
	};
	if (p->transfer == URB_CONTROL && header > HEADER)
		p->stage = h[HEADER];
	if (p->transfer == URB_ISO && header >= ISO_HEADER) {
		p->start_frame = get32(h + HEADER);
		p->npackets = get32(h + HEADER + 4);
		p->errors = get32(h + HEADER + 8);
		if (p->npackets > (header - ISO_HEADER) / ISO_PACKET)
			p->npackets = (header - ISO_HEADER) / ISO_PACKET;
		p->packets = h + ISO_HEADER;
	}
	return true;
}

size_t usbpcap_record_size(const struct usbpcap_packet *p)
{
	return URB_HEADER + (size_t)p->npackets * URB_ISO_SIZE;
}

/*
 * Converts isochronous descriptors. Before completion only the offsets are valid; the lengths
 * follow from them. The Windows status is stored in the padding of usbmon's descriptor.
 */
static void put_iso(uint8_t *to, const struct usbpcap_packet *p)
{
	for (uint32_t i = 0; i < p->npackets; i++) {
		const uint8_t *from = p->packets + (size_t)i * ISO_PACKET;
		uint8_t *d = to + (size_t)i * URB_ISO_SIZE;
		uint32_t usbd = get32(from + 8);

		put32(d, usbpcap_up(p) ? (uint32_t)usbpcap_errno(usbd) : (uint32_t)-18);
		put32(d + 4, get32(from));
		put32(d + 8, get32(from + 4));
		put32(d + 12, usbd);
	}
}

void usbpcap_record(struct urb *u, const struct usbpcap_packet *p, uint8_t *record)
{
	u->id = p->irp;
	u->xfer = p->transfer;
	u->device = (uint8_t)p->device;
	u->bus = p->bus;
	u->captured += p->npackets * URB_ISO_SIZE;
	u->ndesc = p->npackets;
	u->iso_packets = (int32_t)p->npackets;
	u->iso_errors = (int32_t)p->errors;
	u->start_frame = (int32_t)p->start_frame;
	u->usbpcap.usbd_status = p->status;
	u->usbpcap.function = p->function;
	u->usbpcap.info = p->info;
	u->usbpcap.stage = p->stage;
	u->usbpcap.data_length = p->data_length;
	if ((p->endpoint ^ u->endpoint) & 0x80)
		u->usbpcap.marks |= USBPCAP_TURNED;
	memset(record, 0, URB_HEADER);
	urb_header(u, record);
	urb_put_usbpcap(&u->usbpcap, record);
	put_iso(record + URB_HEADER, p);
}

/* ---- conversion to a USBPcap packet ---------------------------------------------------------- */

static void packet_header(const struct urb *u, uint8_t transfer, struct out *o)
{
	const struct usbpcap_fields *f = &u->usbpcap;
	uint32_t more = transfer == URB_CONTROL && f->stage != STAGE_NONE ? 1
			: transfer == URB_ISO ? ISO_HEADER - HEADER + u->ndesc * ISO_PACKET : 0;
	uint8_t h[HEADER];

	put16(h, (uint16_t)(HEADER + more));
	put64(h + 2, u->id);
	put32(h + 10, f->usbd_status);
	put16(h + 14, f->function);
	h[16] = f->info;
	put16(h + 17, u->bus);
	put16(h + 19, u->device);
	h[21] = u->endpoint ^ (f->marks & USBPCAP_TURNED ? 0x80 : 0);
	h[22] = transfer;
	put32(h + 23, f->data_length);
	out_bytes(o, h, HEADER);
	if (more == 1)
		out_bytes(o, &f->stage, 1);
}

static void packet_iso(const struct urb *u, struct out *o)
{
	out_le32(o, (uint32_t)u->start_frame);
	out_le32(o, u->ndesc);
	out_le32(o, (uint32_t)u->iso_errors);
	for (uint32_t i = 0; i < u->ndesc; i++) {
		const uint8_t *d = u->iso + (size_t)i * URB_ISO_SIZE;

		out_bytes(o, d + 4, 8);
		out_bytes(o, d + 12, 4);
	}
}

uint32_t usbpcap_packet_of(const struct urb *u, const uint8_t *record, struct out *o)
{
	const struct usbpcap_fields *f = &u->usbpcap;
	uint8_t transfer = record[offsetof(struct usbmon_header, xfer_type)];
	size_t start = o->len;
	uint32_t n;

	if (f->marks & USBPCAP_MADE_UP)
		return 0;
	if (u->type == 'P') {
		out_bytes(o, u->data, u->data_len);
		return u->length;
	}
	packet_header(u, transfer, o);
	if (transfer == URB_ISO)
		packet_iso(u, o);
	n = (uint32_t)(o->len - start);
	if (u->has_setup && f->stage != STAGE_DATA)
		out_bytes(o, u->setup, sizeof(u->setup));
	out_bytes(o, u->data, u->data_len);
	if (o->len - start < (uint64_t)n + f->data_length)
		return n + f->data_length;
	return (uint32_t)(o->len - start);
}
