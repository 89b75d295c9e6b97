/* SPDX-License-Identifier: MIT */
/* Decides which parts of the data of USB transfers are kept, by the roles of their endpoints. */
#include <stdlib.h>
#include <string.h>

#include "common/array.h"
#include "common/usbtypes.h"
#include "decode/base/bytes.h"
#include "decode/base/output.h"
#include "decode/usb/scsiopcode.h"
#include "edit/redactusb.h"
#include "edit/usbroles.h"

static struct usb_pending *pending(struct usb_pending *table, uint64_t key)
{
	return &table[key * UINT64_C(0x9E3779B97F4A7C15) >> 52];
}

/*
 * Redacts a string descriptor: names of manufacturer and product are kept, others may be a serial
 * number. (Those that the tape names are kept before they come here: usb_roles_is_name().)
 */
static void string_descriptor(struct redact *x, const uint8_t *setup, uint8_t *p, size_t n)
{
	char text[256];
	size_t chars;

	if (!setup[2] || n <= 2 || usb_roles_is_product(x->usb, p + 2, n - 2))
		return;
	chars = (n - 2) / 2 < sizeof(text) ? (n - 2) / 2 : sizeof(text);
	for (size_t i = 0; i < chars; i++)
		text[i] = p[3 + 2 * i] ? '?' : (char)p[2 + 2 * i];
	redact_text(x, SECRET_SERIALS, text, chars);
	for (size_t i = 0; redact_drops(x, SECRET_SERIALS) && i < chars; i++) {
		p[2 + 2 * i] = (uint8_t)text[i];
		p[3 + 2 * i] = 0;
	}
	if (n > 2 + 2 * chars && redact_drops(x, SECRET_SERIALS))
		memset(p + 2 + 2 * chars, 0, n - 2 - 2 * chars);
}

/*
 * A header of 5 bytes precedes the device capabilities. Each has its length in the first byte and
 * two types in the next ones (USB 3.2, 9.6.2). After a capability with an impossible length, the
 * bytes cannot be identified and are not kept.
 */
void redact_bos(struct redact *x, uint8_t *p, size_t n)
{
	size_t at = 5;

	for (; at + 3 <= n && p[at] >= 3; at += p[at]) {
		if (p[at + 1] == 0x10 && p[at + 2] == 4 && at + 4 < n)
			redact_zero(x, SECRET_IDENTITY, p + at + 4,
				    n - at - 4 < 16 ? n - at - 4 : 16);
	}
	if (at < n)
		redact_zero(x, SECRET_PAYLOAD, p + at, n - at);
}

/* Remembers kept bytes, up to 1 MiB. */
static void keep_bytes(struct redact *x, const uint8_t *p, size_t n)
{
	if (x->counting && x->usb->kept.len < 1 << 20)
		out_bytes(&x->usb->kept, (const char *)p, n);
}

void usb_roles_public(struct redact *x)
{
	removed_public(&x->removed, x->usb->kept.data, x->usb->kept.len);
}

bool usb_setup_is_descriptor(const uint8_t *setup)
{
	enum { GET_DESCRIPTOR = 6, SET_DESCRIPTOR = 7 };

	return !(setup[0] >> 5 & 3) && (setup[1] == GET_DESCRIPTOR || setup[1] == SET_DESCRIPTOR);
}

/* Standard descriptors and those of known classes are kept; others may contain anything. */
void usb_redact_descriptor(struct redact *x, const uint8_t *setup, uint8_t *p, size_t n)
{
	static const uint8_t kept[] = { 1, 2, 4, 5, 6, 7, 9, 10, 11, 16, 0x21, 0x22, 0x23, 0x24,
					0x25, 0x29, 0x2a, 0x30 };

	if (setup[3] == 3) {
		string_descriptor(x, setup, p, n);
	} else if (setup[3] == 15) {
		redact_bos(x, p, n);
	} else if (memchr(kept, setup[3], sizeof(kept))) {
		keep_bytes(x, p, n);
	} else {
		redact_zero(x, SECRET_PAYLOAD, p, n);
	}
}

/*
 * Request numbers have different meanings in different classes. The data is kept only if its length
 * matches the known meaning.
 */
void usb_redact_request(struct redact *x, const uint8_t *setup, bool hub, uint8_t *p, size_t n)
{
	enum { STANDARD = 0, CLASS = 1, INTERFACE = 1, PORT = 3, GET_STATUS = 0, GET_MAX_LUN = 0xfe,
	       SHORT = 8, CODING = 7, PORT_STATUS = 4 };
	uint8_t kind = setup[0] >> 5 & 3, recipient = setup[0] & 31, request = setup[1];

	if (kind == STANDARD && n <= SHORT)
		return; /* status, configuration number */
	if (kind == CLASS && (hub || (request == GET_MAX_LUN && n == 1) ||
			      (recipient == PORT && request == GET_STATUS && n == PORT_STATUS) ||
			      (recipient == INTERFACE && request >= 0x20 && request <= 0x22 &&
			       n <= CODING)))
		return; /* hub ports, number of logical units, serial line settings */
	redact_zero(x, kind == CLASS && (request == 1 || request == 9) && recipient == INTERFACE ?
		    SECRET_KEYSTROKES : SECRET_PAYLOAD, p, n); /* HID reports, or anything */
}

static void control_data(struct redact *x, const struct trawl_event *ev,
			 const struct usbmon_header *h, const uint8_t *setup, uint8_t *p, size_t n)
{
	enum { STRING = 3 };
	bool hub = usb_roles_is_hub(x->usb, ev, h);

	if (usb_setup_is_descriptor(setup)) {
		usb_roles_learn(x->usb, ev->section, h, setup, p, n);
		x->failed |= x->usb->failed;
		if (setup[3] == STRING && usb_roles_is_name(x->usb, ev->section, h, setup[2]))
			keep_bytes(x, p, n);
		else
			usb_redact_descriptor(x, setup, p, n);
		return;
	}
	if (hub)
		keep_bytes(x, p, n); /* before its descriptors were read they were removed */
	usb_redact_request(x, setup, hub, p, n);
}

/*
 * Returns how many bytes of a SCSI command's data do not belong to the contents of the disk:
 * identification, capacity, sense data.
 */
static size_t answer_kept(const uint8_t *cdb)
{
	switch (cdb[0]) {
	case SCSI_INQUIRY:
		/* the bytes after the standard data are vendor-specific: perhaps a serial number */
		return cdb[1] & 1 ? 0 : 36;
	case SCSI_REQUEST_SENSE:
	case SCSI_READ_CAPACITY_10:
	case SCSI_READ_FORMAT_CAPACITIES:
	case SCSI_MODE_SENSE_6:
	case SCSI_MODE_SENSE_10:
	case SCSI_REPORT_LUNS:
		return SIZE_MAX;
	case SCSI_SERVICE_ACTION_IN_16:
		return scsi_is_capacity_16(cdb) ? SIZE_MAX : 0;
	default:
		return 0;
	}
}

/*
 * True for a UAS information unit. Alternate settings may use the same endpoints with and without
 * UAS, so the data decides. Units are shorter than a block of storage.
 */
static bool is_uas_unit(const struct usb_role *role, const uint8_t *p, size_t n)
{
	return role->protocol == PROTOCOL_UAS && n < 512 &&
	       ((role->pipe == 1 && (p[0] == 1 || p[0] == 5)) ||
		(role->pipe == 2 && (p[0] == 3 || p[0] == 4 || p[0] == 6 || p[0] == 7)));
}

static void storage_data(struct redact *x, uint32_t section, const struct usbmon_header *h,
			 const struct usb_role *role, uint8_t *p, size_t n)
{
	uint64_t key = (uint64_t)section << 32 | (uint64_t)h->busnum << 8 | h->devnum;
	struct usb_pending *c = pending(x->usb->commands, key);
	size_t kept = 0;

	if (is_uas_unit(role, p, n)) {
		if (role->pipe == 1 && n >= 32) {
			c->key = key;
			memcpy(c->bytes, p + 16, 16);
		}
		return;
	}
	if (n == 31 && !memcmp(p, "USBC", 4)) {
		size_t command = (p[14] & 31) < 16 ? p[14] & 31 : 16;

		c->key = key;
		memcpy(c->bytes, p + 15, 16);
		/* the bytes behind the command are uninitialised memory of the host */
		redact_zero(x, SECRET_SECTORS, p + 15 + command, 16 - command);
		return;
	}
	if (n == 13 && !memcmp(p, "USBS", 4)) {
		/*
		 * if the next command was lost, its data must not be taken for an answer to this
		 * one
		 */
		c->key = 0;
		return;
	}
	/*
	 * With UAS several commands may be outstanding, so a whole block may belong to another
	 * command. The same holds for the rest of a block that was truncated.
	 */
	if (c->key == key && c->key && n < 512 && h->len_urb < 512)
		kept = answer_kept(c->bytes);
	if (n > kept)
		redact_zero(x, SECRET_SECTORS, p + kept, n - kept);
}

static void transfer_data(struct redact *x, const struct trawl_event *ev,
			  const struct usbmon_header *h, uint8_t *p, size_t n)
{
	const struct usb_role *role = usb_role_of(x->usb, ev->section, h);
	enum { INTERRUPT = 1, BULK = 3, PORTS = 32 / 8 }; /* a bit for each changed port */
	/* A device without descriptors, as in many imported files, may be a disk. */
	static const struct usb_role disk = { .class = CLASS_STORAGE };

	if (!role && h->xfer_type == BULK)
		role = &disk;
	if (role && role->class == CLASS_STORAGE)
		storage_data(x, ev->section, h, role, p, n);
	else if (h->xfer_type == INTERRUPT && n <= PORTS &&
		 (role ? role->class == CLASS_HUB : usb_roles_is_root_hub(ev, h)))
		return;
	else if (role && role->class == CLASS_HID)
		redact_zero(x, role->protocol == MOUSE ? SECRET_POINTER : SECRET_KEYSTROKES, p, n);
	else if (!role && h->xfer_type == INTERRUPT)
		/* an unknown device may be a keyboard */
		redact_zero(x, SECRET_KEYSTROKES, p, n);
	else
		redact_zero(x, SECRET_PAYLOAD, p, n);
}

/*
 * Returns the key that joins the two halves of a transfer: the id of the URB. USBPcap describes
 * devices that were present before the capture by transfers with id 0.
 */
static uint64_t transfer_key(const struct trawl_event *ev, const struct usbmon_header *h)
{
	if (h->id || !usbtypes_is_usbpcap(ev->type->id))
		return h->id;
	return UINT64_C(1) << 63 | (uint64_t)ev->section << 32 | (uint64_t)h->busnum << 8 |
	       h->devnum;
}

/*
 * Returns the request of a control transfer, which is valid for one answer; NULL: not seen. A
 * submission without a request discards an earlier one.
 */
static const uint8_t *request_of(struct redact *x, const struct trawl_event *ev,
				 const struct usbmon_header *h)
{
	uint64_t key = transfer_key(ev, h);
	struct usb_pending *setup = pending(x->usb->setups, key);

	if (h->type == 'S' && h->xfer_type == 2 && !h->flag_setup) {
		setup->key = key;
		memcpy(setup->bytes, h->setup, 8);
	} else if (h->type == 'S' && setup->key == key && !usbtypes_is_usbpcap(ev->type->id)) {
		/*
		 * in captures of USBPcap it may be the data of a request that was a separate packet
		 */
		setup->key = 0;
	}
	if (!key || setup->key != key)
		return NULL;
	if (h->type != 'S' && h->type != 'T')
		/* the next answer belongs to another request, even if that one was lost */
		setup->key = 0;
	return setup->bytes;
}

void redact_urb(struct redact *x, const struct trawl_event *ev, uint8_t *record, size_t len)
{
	const size_t head = sizeof(struct usbmon_header);
	struct usbmon_header h;
	const uint8_t *setup;
	size_t iso, n;
	uint8_t *p;

	memcpy(&h, record, head);
	iso = h.xfer_type == 0 && h.ndesc <= (len - head) / 16 ? (size_t)h.ndesc * 16 : 0;
	p = record + head + iso;
	n = len - head - iso;
	setup = request_of(x, ev, &h);
	if (!n)
		return;
	/* USBPcap's data in a packet of its own is the submission's data once more */
	if (h.type != 'S' && h.type != 'C' && h.type != 'E' && !(h.type == 'T' && setup))
		redact_zero(x, SECRET_PAYLOAD, p, n);
	else if (h.xfer_type == 2 && setup)
		control_data(x, ev, &h, setup, p, n);
	else if (h.xfer_type == 2)
		redact_zero(x, SECRET_PAYLOAD, p, n);
	else
		transfer_data(x, ev, &h, p, n);
}

void redact_usb(struct redact *x, const struct trawl_event *ev, uint8_t *record)
{
	size_t n = ev->type->size < ev->len ? ev->len - ev->type->size : 0;

	if (!strcmp(ev->source->kind, "usbmon") && ev->len >= sizeof(struct usbmon_header)) {
		redact_urb(x, ev, record, ev->len);
		redact_address(x, record); /* the address of the URB */
	} else if (!strcmp(ev->source->kind, "usbpacket")) {
		redact_packet(x, ev, record);
	} else {
		redact_zero(x, SECRET_PAYLOAD, record + ev->len - n, n);
		if (!strcmp(ev->source->kind, "usbmon") && ev->len >= 8)
			redact_address(x, record);
	}
}
