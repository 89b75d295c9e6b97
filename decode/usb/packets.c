/* SPDX-License-Identifier: MIT */
/*
 * USB events as packets: the bytes that libpcap would have captured.
 *
 * Lengths follow libpcap's pcap-usb-linux.c. The original length of a packet without data is its
 * captured length; of one with data it is the length of the transfer, even if the kernel cut the
 * data. The data of an isochronous IN transfer has gaps, so its length is the end of the last
 * packet. An imported packet that had another length keeps it.
 *
 * Wireshark knows the class of an endpoint only from descriptors that were transferred in the
 * capture. For devices that were plugged in before, these transfers are synthesised from the
 * snapshot.
 */
#include "decode/usb/usb.h"
#include "common/usbtypes.h"
#include "decode/base/bytes.h"
#include "decode/usb/usbpcap.h"

#define FLAG_IN 1
#define FLAG_OUT 2

const char usb_made_up[] =
	"synthesised by trawl from the device's descriptors in sysfs; not seen on the bus";

/* Returns the link type of a source's packets: the requested one, or else the original one. */
static uint16_t linktype_of(const struct usb_state *s, const struct trawl_source *source)
{
	if (s->ctx->options->linktype)
		return s->ctx->options->linktype;
	if (source->linktype == LINKTYPE_USBPCAP || source->linktype == LINKTYPE_USB_DARWIN)
		return source->linktype;
	return LINKTYPE_USB_LINUX_MMAPPED;
}

void usb_interface_of(void *state, const struct trawl_source *source, struct packet_interface *pi)
{
	pi->linktype = linktype_of(state, source);
	pi->tsresol = pi->linktype == source->linktype && source->resolution < 1000 ? 9 : 6;
}

/* Writes isochronous descriptors with zero padding, because USBPcap records keep a status there. */
static void packet_iso(const struct urb *u, struct out *o)
{
	for (uint32_t i = 0; i < u->ndesc; i++) {
		out_bytes(o, u->iso + (size_t)i * URB_ISO_SIZE, 12);
		out_le32(o, 0);
	}
	out_bytes(o, u->data, u->data_len);
}

/*
 * The record as LINKTYPE_USB_LINUX_MMAPPED: the original bytes, except for the time and for fields
 * that only records of USBPcap and macOS have.
 */
static void packet_new(const struct urb *u, const uint8_t *record, size_t len, struct out *o)
{
	uint8_t header[URB_HEADER] = {0};

	if (u->is_usbpcap || u->is_darwin)
		urb_header(u, header);
	else
		memcpy(header, record, len < URB_HEADER ? len : URB_HEADER);
	urb_put_time(header, u->time);
	out_bytes(o, header, URB_HEADER);
	if (u->is_darwin)
		out_bytes(o, u->data, u->data_len);
	else if (u->is_usbpcap)
		packet_iso(u, o);
	else if (len > URB_HEADER)
		out_bytes(o, record + URB_HEADER, len - URB_HEADER);
}

/*
 * LINKTYPE_USB_LINUX has no field for the number of isochronous descriptors, so they are omitted.
 */
static void packet_old(const struct urb *u, struct out *o)
{
	struct urb copy = *u;
	uint8_t header[URB_HEADER];

	copy.captured = u->data_len + u->cut;
	urb_header(&copy, header);
	out_bytes(o, header, URB_HEADER_OLD);
	out_bytes(o, u->data, u->data_len);
}

static int packet_of_darwin(const struct urb *u, const struct item *it, struct packet *p)
{
	const uint8_t *record = it->record;
	const size_t head = sizeof(struct usb_bus_packet);

	if (!u->is_darwin || it->len < head)
		return 1;
	out_bytes(p->data, record + head, it->len - head);
	p->original = get32(record);
	return 0;
}

int usb_packet(void *state, const struct item *it, struct packet *p)
{
	const struct usb_detail *d = it->detail;
	const struct usb_state *s = state;
	const struct urb *u = &d->urb;
	uint16_t linktype = linktype_of(s, it->source);
	uint32_t without;

	p->flags = urb_in(u) ? FLAG_IN : FLAG_OUT;
	p->comment = d->comment;
	if (linktype == LINKTYPE_USBPCAP) {
		if (!u->is_usbpcap)
			return 1;
		p->original = usbpcap_packet_of(u, it->record, p->data);
		return !p->original;
	}
	if (linktype == LINKTYPE_USB_DARWIN)
		return packet_of_darwin(u, it, p);
	if (!urb_is_half(&d->urb))
		return 1;
	if (linktype != LINKTYPE_USB_LINUX) {
		packet_new(u, it->record, it->len, p->data);
		p->original = urb_original_length(u, p->data->len);
		return 0;
	}
	packet_old(u, p->data);
	without = URB_HEADER - URB_HEADER_OLD + u->ndesc * URB_ISO_SIZE;
	p->original = urb_original_length(u, p->data->len + without) - without;
	return 0;
}

/*
 * ---- synthesised enumeration of devices --------------------------------------------------------
 */

struct request {
	uint8_t type, index;
	uint16_t language; /* language id, or interface number */
	bool interface;
	const uint8_t *p;
	size_t n;
};

#define MADE_MAX (URB_HEADER + UINT16_MAX) /* the longest answer to a control request */

static int emit_half(struct usb_state *s, struct urb *u, const uint8_t *data,
		     struct item_sink *sink)
{
	uint8_t record[MADE_MAX];
	size_t len = URB_HEADER + u->captured;
	struct usb_detail d = {.comment = usb_made_up};
	struct item it = {
		.time = s->time,
		.ts = s->ts,
		.source = s->source,
		.record = record,
		.len = (uint32_t)len,
	};

	urb_header(u, record);
	if (u->captured)
		memcpy(record + URB_HEADER, data, u->captured);
	urb_parse(&d.urb, record, len);
	d.data = d.urb.data;
	d.data_len = d.urb.data_len;
	d.device = usbdev_find(&s->devices, u->bus, u->device);
	if (d.urb.has_setup) {
		d.has_setup = true;
		control_parse(&d.setup, d.urb.setup);
		d.target = usbdev_target(d.device, &d.setup);
	}
	return usb_emit(s, &it, &d, sink);
}

/* Emits a submission and its completion, with an URB address that the kernel never uses. */
static int emit_request(struct usb_state *s, const struct usb_device *dev, const struct request *r,
			struct item_sink *sink)
{
	struct urb u = {
		.id = UINT64_C(0x747261776c000000) | (uint64_t)dev->bus << 8 | dev->address,
		.type = 'S',
		.xfer = URB_CONTROL,
		.endpoint = 0x80,
		.device = dev->address,
		.bus = dev->bus,
		.flag_data = '<',
		.time = s->ts,
		.status = -115,
		.length = (uint32_t)r->n,
		.flags = 0x200, /* URB_DIR_IN */
	};
	int result;

	u.setup[0] = r->interface ? 0x81 : 0x80;
	u.setup[1] = REQ_GET_DESCRIPTOR;
	u.setup[2] = r->index;
	u.setup[3] = r->type;
	put16(u.setup + 4, r->language);
	put16(u.setup + 6, (uint16_t)r->n);
	result = emit_half(s, &u, NULL, sink);
	if (result)
		return result;
	memset(u.setup, 0, sizeof(u.setup));
	u.type = 'C';
	u.flag_setup = '-';
	u.flag_data = URB_FLAG_PRESENT;
	u.status = 0;
	u.captured = (uint32_t)r->n;
	return emit_half(s, &u, r->p, sink);
}

static int emit_device(struct usb_state *s, const struct usb_device *dev, struct item_sink *sink)
{
	struct request r = {.type = DESC_DEVICE, .p = dev->device, .n = sizeof(dev->device)};
	int result = emit_request(s, dev, &r, sink);

	for (unsigned int i = 0; i < USBDEV_CONFIGS && !result; i++) {
		r = (struct request){.type = DESC_CONFIG, .index = (uint8_t)i,
				     .p = dev->configs[i].p, .n = dev->configs[i].len};
		if (r.p)
			result = emit_request(s, dev, &r, sink);
	}
	for (unsigned int i = 0; i < dev->ninterfaces && !result; i++) {
		const struct usb_interface *f = &dev->interfaces[i];

		r = (struct request){.type = DESC_HID_REPORT, .language = f->number,
				     .interface = true, .p = f->report, .n = f->report_len};
		if (r.p)
			result = emit_request(s, dev, &r, sink);
	}
	return result;
}

static const struct trawl_source *usb_source(const struct usb_state *s)
{
	struct trawl_reader *r = s->ctx->reader;

	for (size_t i = 0; i < trawl_source_count(r); i++)
		if (!strcmp(trawl_source_at(r, i)->kind, usb_decoder.kind) &&
		    linktype_of(s, trawl_source_at(r, i)) != LINKTYPE_USBPCAP)
			return trawl_source_at(r, i);
	return NULL;
}

/*
 * The synthesised transfers have the time of the first snapshot. There are none on a pipe, where no
 * snapshot has been read yet, and none in a file without snapshots.
 */
int usb_prologue(void *state, struct item_sink *sink, struct trawl_error *err)
{
	struct usb_state *s = state;
	int result = 0;

	s->source = usb_source(s);
	if (!s->source || s->ctx->options->no_descriptors)
		return 0;
	s->time = s->ts = usb_first_snapshots(s);
	for (unsigned int i = 0; i < 256; i++)
		for (struct usb_device *dev = s->devices.table[i]; dev && !result; dev = dev->next)
			if (dev->known)
				result = emit_device(s, dev, sink);
	return result;
}
