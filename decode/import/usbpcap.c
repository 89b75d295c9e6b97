/* SPDX-License-Identifier: MIT */
/*
 * USBPcap, the capture of Windows, made into usbmon's form.
 * Source: "USBPcap Capture format specification" (USBPCAP_BUFFER_PACKET_HEADER), always little
 * endian. An I/O request packet goes down as a submission and comes up as its completion.
 *
 * Older versions write a control transfer as three packets: setup, data, status. Data going out is
 * then joined with its setup packet, and a status that follows incoming data adds nothing.
 */
#include "decode/import/usbimport.h"
#include "decode/base/bytes.h"
#include "decode/usb/urb.h"
#include "decode/usb/status.h"

#include <stdlib.h>
#include <string.h>

#define HEADER 27
#define STAGE_AT 27
#define ISO_HEADER 39
#define ISO_PACKET 12
#define WAITING 16
#define LENGTHS 1024

enum stage { STAGE_SETUP, STAGE_DATA, STAGE_STATUS, STAGE_COMPLETE, STAGE_NONE };

struct usbpcap {
	struct waiting {
		uint64_t irp;
		uint8_t setup[8];
		uint64_t time;
		bool holds;    /* a setup packet whose data comes in a packet of its own */
		bool answered; /* its data came in: the status is no further event */
	} waiting[WAITING];
	unsigned int next;
	/* How much was sent: the completion of outgoing data does not say it. By IRP. */
	struct {
		uint64_t irp;
		uint32_t length;
	} sent[LENGTHS];
};

static unsigned int sent_slot(uint64_t irp)
{
	return (unsigned int)((irp >> 4 ^ irp >> 14) % LENGTHS);
}

struct packet {
	uint64_t irp;
	uint32_t status;
	bool completion;
	uint16_t bus, device;
	uint8_t endpoint, transfer, stage;
	const uint8_t *iso; /* descriptors */
	uint32_t niso, start_frame, errors;
	const uint8_t *data;
	uint32_t data_len;
	uint32_t data_length; /* as the header says */
	uint64_t time;
};

void usbpcap_free(struct usbpcap *u)
{
	free(u);
}

/* USBD_STATUS of Windows (usb.h of its driver kit) as the errno that Linux gives. */
static const struct {
	uint32_t usbd;
	int32_t status;
} statuses[] = {
	{0xc0000001, -84},  /* CRC */
	{0xc0000002, -71},  /* BTSTUFF */
	{0xc0000003, -71},  /* DATA_TOGGLE_MISMATCH */
	{0xc0000004, -32},  /* STALL_PID */
	{0xc0000005, -62},  /* DEV_NOT_RESPONDING */
	{0xc0000006, -71},  /* PID_CHECK_FAILURE */
	{0xc0000007, -71},  /* UNEXPECTED_PID */
	{0xc0000008, -75},  /* DATA_OVERRUN */
	{0xc0000009, -121}, /* DATA_UNDERRUN */
	{0xc000000c, -70},  /* BUFFER_OVERRUN */
	{0xc000000d, -63},  /* BUFFER_UNDERRUN */
	{0xc000000f, -18},  /* NOT_ACCESSED: a packet of an isochronous transfer */
	{0xc0000011, -71},  /* XACT_ERROR */
	{0xc0000012, -75},  /* BABBLE_DETECTED */
	{0xc0000013, -63},  /* DATA_BUFFER_ERROR */
	{0xc0000030, -32},  /* ENDPOINT_HALTED */
	{0x80000300, -22},  /* INVALID_PARAMETER */
	{0x80000700, -28},  /* NO_BANDWIDTH */
	{0x80000900, -121}, /* ERROR_SHORT_TRANSFER */
	{0xc0001000, -12},  /* INSUFFICIENT_RESOURCES */
	{0xc0006000, -110}, /* TIMEOUT */
	{0xc0007000, -19},  /* DEVICE_GONE */
	{0xc0010000, -2},   /* CANCELED */
	{0xc0020000, -18},  /* ISO_NOT_ACCESSED_BY_HW */
	{0xc0040000, -18},  /* ISO_NA_LATE_USBPORT */
	{0xc0050000, -18},  /* ISO_NOT_ACCESSED_LATE */
};

/* The two highest bits tell success, pending, and two kinds of errors. */
static int32_t status_of(uint32_t usbd)
{
	for (size_t i = 0; i < sizeof(statuses) / sizeof(*statuses); i++)
		if (statuses[i].usbd == usbd)
			return statuses[i].status;
	return usbd >> 31 ? -5 : usbd >> 30 ? USB_IN_PROGRESS : 0;
}

static bool parse(const struct capture_packet *c, struct packet *p)
{
	const uint8_t *h = c->data;
	uint32_t header;

	if (c->captured < HEADER)
		return false;
	header = get16(h);
	if (header < HEADER || header > c->captured)
		return false;
	*p = (struct packet){
		.irp = get64(h + 2),
		.status = get32(h + 10),
		.completion = h[16] & 1,
		.bus = get16(h + 17),
		.device = get16(h + 19),
		.endpoint = h[21],
		.transfer = h[22],
		.stage = STAGE_NONE,
		.data_length = get32(h + 23),
		.data = h + header,
		.data_len = c->captured - header,
		.time = c->time,
	};
	if (p->transfer == URB_CONTROL && header > STAGE_AT)
		p->stage = h[STAGE_AT];
	if (p->transfer == URB_ISO && header >= ISO_HEADER) {
		p->start_frame = get32(h + 27);
		p->niso = get32(h + 31);
		p->errors = get32(h + 35);
		if (p->niso > (header - ISO_HEADER) / ISO_PACKET)
			p->niso = (header - ISO_HEADER) / ISO_PACKET;
		p->iso = h + ISO_HEADER;
	}
	return true;
}

/*
 * Of isochronous packets only the offset is sure before completion: the lengths follow from
 * these.
 */
static void put_iso(uint8_t *to, const struct packet *p)
{
	for (uint32_t i = 0; i < p->niso; i++) {
		const uint8_t *from = p->iso + (size_t)i * ISO_PACKET;
		uint8_t *d = to + (size_t)i * URB_ISO_SIZE;

		put32(d,
			 p->completion ? (uint32_t)status_of(get32(from + 8)) : (uint32_t)-18);
		put32(d + 4, get32(from));
		put32(d + 8, get32(from + 4));
		put32(d + 12, 0);
	}
}

static int emit(struct usb_import *im, struct urb *u, const struct packet *p, const uint8_t *data,
		uint32_t n, struct trawl_error *err)
{
	size_t iso = (size_t)p->niso * URB_ISO_SIZE;
	uint8_t *record = usb_import_scratch(im, URB_HEADER + iso + n, err);

	if (!record)
		return -1;
	u->id = p->irp;
	u->xfer = p->transfer;
	u->device = (uint8_t)p->device;
	u->bus = p->bus;
	u->time = p->time / 1000 * 1000;
	u->captured = (uint32_t)(iso + n);
	u->ndesc = p->niso;
	u->iso_packets = (int32_t)p->niso;
	u->iso_errors = (int32_t)p->errors;
	u->start_frame = (int32_t)p->start_frame;
	memset(record, 0, URB_HEADER);
	urb_header(u, record);
	put_iso(record + URB_HEADER, p);
	if (n)
		memcpy(record + URB_HEADER + iso, data, n);
	return usb_import_record(im, record, URB_HEADER + iso + n, err);
}

static int submission(struct usb_import *im, const struct packet *p, const uint8_t *setup,
		      const uint8_t *data, uint32_t n, struct trawl_error *err)
{
	struct urb u = {
		.type = 'S',
		.endpoint = p->endpoint,
		.flag_setup = '-',
		.status = USB_IN_PROGRESS,
		.length = n,
	};

	if (setup) {
		u.flag_setup = URB_FLAG_PRESENT;
		memcpy(u.setup, setup, 8);
		u.endpoint = (uint8_t)((p->endpoint & 0x7f) | (setup[0] & 0x80));
		u.length = get16(setup + 6);
	}
	if (urb_in(&u)) {
		u.flag_data = '<';
		n = 0;
	} else {
		im->usbpcap->sent[sent_slot(p->irp)].irp = p->irp;
		im->usbpcap->sent[sent_slot(p->irp)].length = n;
	}
	return emit(im, &u, p, data, n, err);
}

static int completion(struct usb_import *im, const struct packet *p, uint8_t endpoint,
		      struct trawl_error *err)
{
	struct urb u = {
		.type = 'C',
		.endpoint = endpoint,
		.flag_setup = '-',
		.status = status_of(p->status),
		.length = p->data_length,
	};
	uint32_t n = p->data_len;

	if (!urb_in(&u)) {
		u.flag_data = '>';
		n = 0;
		if (!u.status && im->usbpcap->sent[sent_slot(p->irp)].irp == p->irp)
			u.length = im->usbpcap->sent[sent_slot(p->irp)].length;
	}
	return emit(im, &u, p, p->data, n, err);
}

/* ---- control transfers ---------------------------------------------------------------------- */

static struct waiting *find(struct usbpcap *u, uint64_t irp)
{
	for (unsigned int i = 0; i < WAITING; i++)
		if (u->waiting[i].irp == irp && (u->waiting[i].holds || u->waiting[i].answered))
			return &u->waiting[i];
	return NULL;
}

static struct waiting *take(struct usbpcap *u)
{
	struct waiting *w = &u->waiting[u->next++ % WAITING];

	memset(w, 0, sizeof(*w));
	return w;
}

static int setup_stage(struct usb_import *im, const struct packet *p, struct trawl_error *err)
{
	struct waiting *w;

	if (p->data_len < 8) {
		usb_import_bad(im, "a setup packet of %u bytes", p->data_len);
		return 0;
	}
	/* Outgoing data that is not here comes in a packet of its own. */
	if (!(p->data[0] & 0x80) && get16(p->data + 6) && p->data_len == 8) {
		w = take(im->usbpcap);
		w->irp = p->irp;
		w->holds = true;
		w->time = p->time;
		memcpy(w->setup, p->data, 8);
		return 0;
	}
	return submission(im, p, p->data, p->data + 8, p->data_len - 8, err);
}

static int late_submission(struct usb_import *im, const struct packet *p,
			   const struct waiting *w, struct trawl_error *err)
{
	struct packet then = *p;
	uint8_t setup[8];

	memcpy(setup, w->setup, sizeof(setup));
	then.time = w->time;
	return submission(im, &then, setup, NULL, 0, err);
}

static int control(struct usb_import *im, const struct packet *p, struct trawl_error *err)
{
	struct waiting *w = find(im->usbpcap, p->irp);
	uint8_t setup[8];

	switch (p->stage) {
	case STAGE_SETUP:
		return setup_stage(im, p, err);
	case STAGE_DATA:
		if (!p->completion && w && w->holds) {
			memcpy(setup, w->setup, 8);
			w->holds = false;
			return submission(im, p, setup, p->data, p->data_len, err);
		}
		if (!p->completion)
			return submission(im, p, NULL, p->data, p->data_len, err);
		w = w ? w : take(im->usbpcap);
		w->irp = p->irp;
		w->answered = true;
		return completion(im, p, p->endpoint | 0x80, err);
	case STAGE_STATUS:
		if (w && w->answered) {
			w->answered = false;
			return 0;
		}
		break;
	default:
		break;
	}
	if (!p->completion)
		return 0;
	/* The data never came: it failed, or was not captured. */
	if (w && w->holds && late_submission(im, p, w, err) < 0)
		return -1;
	if (w)
		w->holds = w->answered = false;
	return completion(im, p, p->data_len ? p->endpoint | 0x80 : p->endpoint, err);
}

int usbpcap_packet(struct usb_import *im, const struct capture_packet *c, struct trawl_error *err)
{
	struct packet p;

	if (!parse(c, &p)) {
		usb_import_bad(im, "a packet of %u bytes has no whole USBPcap header", c->captured);
		return 0;
	}
	if (!im->usbpcap)
		im->usbpcap = calloc(1, sizeof(*im->usbpcap));
	if (!im->usbpcap)
		return trawl_fail(err, TRAWL_CANNOT, "import: out of memory");
	/* Requests that move no data over the bus (0xfe) are no transfers. */
	if (p.transfer >= URB_XFERS)
		return 0;
	if (p.transfer == URB_CONTROL)
		return control(im, &p, err);
	return p.completion ? completion(im, &p, p.endpoint, err)
			    : submission(im, &p, NULL, p.data, p.data_len, err);
}
