/* SPDX-License-Identifier: MIT */
#include "decode/import/usbimport.h"
#include "common/json.h"
#include "decode/base/bytes.h"
#include "decode/usb/urb.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

/* The file's header, by which it is made again. */
static void describe_pcap(const uint8_t header[24], struct json *j)
{
	static const uint8_t usual[12] = {2, 0, 4};
	char hex[2 * 24 + 1];

	for (unsigned int i = 0; i < 24; i++)
		sprintf(hex + 2 * i, "%02x", header[i]);
	/* Mostly all else is as in the header that trawl-export writes. */
	if ((get32(header) == 0xa1b2c3d4 || get32(header) == 0xa1b23c4d) &&
	    !memcmp(header + 4, usual, sizeof(usual)) && !header[22] && !header[23])
		json_uint(j, "pcap_snaplen", get32(header + 16));
	else
		json_string(j, "pcap_header", hex);
}

static int describe(struct usb_import *im, const struct usb_import *counted,
		    struct trawl_error *err)
{
	struct json j = {0};
	struct trawl_meta m = {.name = "capture", .type = "application/json"};
	int ret;

	json_object(&j, NULL);
	json_bool(&j, "imported", true);
	json_string(&j, "from", im->name);
	if (counted->is_pcap)
		describe_pcap(counted->header, &j);
	json_end(&j);
	m.data = j.text;
	m.len = j.len;
	ret = trawl_writer_meta(im->writer, &m, err);
	json_free(&j);
	return ret;
}

int usb_import_count(struct usb_import *im, const char *name, struct trawl_error *err)
{
	*im = (struct usb_import){.name = name, .counting = true, .halves = halves_new()};
	return im->halves ? 0 : trawl_fail(err, TRAWL_CANNOT, "import: out of memory");
}

int usb_import_begin(struct usb_import *im, struct trawl_writer *w, const char *name,
		     const struct usb_import *counted, struct trawl_error *err)
{
	memset(im, 0, sizeof(*im));
	im->writer = w;
	im->name = strrchr(name, '/') ? strrchr(name, '/') + 1 : name;
	return describe(im, counted, err) ? -1 : halves_write(counted->halves, w, err);
}

/* The first source is called usb, whatever it is of; others say their link type. */
static struct import_source *source_of(struct usb_import *im, uint16_t linktype,
				       struct trawl_error *err)
{
	bool own = linktype == LINKTYPE_USB_LINUX_MMAPPED; /* its records have microseconds */
	uint32_t resolution = !own && im->resolution ? im->resolution : 1000;
	struct import_source *s;
	char name[16] = "usb";
	int id;

	for (unsigned int i = 0; i < im->nsources; i++)
		if (im->sources[i].linktype == linktype)
			return &im->sources[i];
	if (im->nsources)
		snprintf(name, sizeof(name), "usb%u", linktype);
	id = usbtypes_source(im->writer, name, im->name, linktype, resolution, err);
	if (id < 0)
		return NULL;
	s = &im->sources[im->nsources++];
	*s = (struct import_source){.linktype = linktype, .id = (uint16_t)id};
	return s;
}

static int write_loss(struct usb_import *im, struct trawl_error *err)
{
	struct trawl_loss l = {
		.cpu = UINT32_MAX,
		.from = im->first,
		.to = im->last,
		.count = im->lost,
		.reason = TRAWL_LOSS_DROPPED,
	};

	l.source = im->sources[0].id;
	return im->lost ? trawl_writer_loss(im->writer, &l, err) : 0;
}

int usb_import_finish(struct usb_import *im, struct trawl_error *err)
{
	if (usbpcap_end(im, err))
		return -1;
	/* A file without events has a source, too. */
	if (!im->nsources && !source_of(im, LINKTYPE_USB_LINUX_MMAPPED, err))
		return -1;
	if (snapshot_end(&im->snapshot, im->writer, err))
		return -1;
	return write_loss(im, err);
}

void usb_import_free(struct usb_import *im)
{
	usbpcap_free(im->usbpcap);
	halves_free(im->halves); /* NULL, but of a counting */
	snapshot_free(&im->snapshot);
	free(im->record);
	im->usbpcap = NULL;
	im->halves = NULL;
	im->record = NULL;
}

void usb_import_bad(struct usb_import *im, const char *fmt, ...)
{
	va_list ap;

	if (im->bad++)
		return;
	va_start(ap, fmt);
	vsnprintf(im->bad_what, sizeof(im->bad_what), fmt, ap);
	va_end(ap);
}

uint8_t *usb_import_scratch(struct usb_import *im, size_t n, struct trawl_error *err)
{
	uint8_t *grown;

	if (n <= im->room)
		return im->record;
	grown = realloc(im->record, n);
	if (!grown) {
		trawl_fail(err, TRAWL_CANNOT, "import: out of memory");
		return NULL;
	}
	im->record = grown;
	im->room = n;
	return grown;
}

int usb_import_event(struct usb_import *im, uint16_t linktype, uint32_t type, uint64_t time,
		     const uint8_t *record, size_t len, struct trawl_error *err)
{
	struct import_source *s;

	if (im->counting) {
		if (type != USB_PACKET && usbtypes_is_urb(type) &&
		    halves_count(im->halves, record))
			return trawl_fail(err, TRAWL_CANNOT, "import: out of memory");
		return 0;
	}
	s = source_of(im, linktype, err);
	if (!s)
		return -1;
	if (!(s->types >> type & 1) && usbtypes_type(im->writer, s->id, type, err) < 0)
		return -1;
	s->types |= UINT32_C(1) << type;
	if (trawl_append(im->writer, &(struct trawl_record){s->id, type, 0, time, record, len},
			 err) < 0)
		return -1;
	if (!im->events++)
		im->first = time;
	im->last = time;
	return 0;
}

int usb_import_record(struct usb_import *im, const uint8_t *record, size_t len,
		      struct trawl_error *err)
{
	uint32_t type;
	struct urb u;

	urb_parse(&u, record, len);
	type = usbtypes_event((uint8_t)u.type);
	if (!type || len < URB_HEADER) {
		usb_import_bad(im, "event %llu is of no type that usbmon has",
			       (unsigned long long)(im->events + im->bad));
		return 0;
	}
	return usb_import_event(im, LINKTYPE_USB_LINUX_MMAPPED, type, u.time, record, len, err);
}

/* ---- Linux ---------------------------------------------------------------------------------- */

static void swap(uint8_t *p, size_t n)
{
	for (size_t i = 0; i < n / 2; i++) {
		uint8_t c = p[i];

		p[i] = p[n - 1 - i];
		p[n - 1 - i] = c;
	}
}

/* The setup packet is in the order of the bus; all else in that of the machine that captured. */
static void swap_record(uint8_t *record, size_t len)
{
	uint32_t ndesc;

	swap(record, 8);
	swap(record + 12, 2);
	swap(record + 16, 8);
	for (size_t at = 24; at < 40; at += 4)
		swap(record + at, 4);
	if (record[9] == URB_ISO) {
		swap(record + 40, 4);
		swap(record + 44, 4);
	}
	for (size_t at = 48; at < 64; at += 4)
		swap(record + at, 4);
	ndesc = get32(record + 60);
	for (uint32_t i = 0; i < ndesc && URB_HEADER + (i + 1) * (size_t)URB_ISO_SIZE <= len; i++)
		for (size_t at = 0; at < 12; at += 4)
			swap(record + URB_HEADER + i * (size_t)URB_ISO_SIZE + at, 4);
}

static int linux_packet(struct usb_import *im, const struct capture_packet *p,
			struct trawl_error *err)
{
	size_t header = p->linktype == LINKTYPE_USB_LINUX ? URB_HEADER_OLD : URB_HEADER;
	const size_t len_cap = offsetof(struct usbmon_header, len_cap);
	uint8_t *record;
	size_t rest;

	if (p->captured < header) {
		usb_import_bad(im, "a packet of %u bytes has no whole usbmon header", p->captured);
		return 0;
	}
	rest = p->captured - header;
	record = usb_import_scratch(im, URB_HEADER + rest, err);
	if (!record)
		return -1;
	memset(record, 0, URB_HEADER);
	memcpy(record, p->data, header);
	memcpy(record + URB_HEADER, p->data + header, rest);
	if (p->swapped)
		swap_record(record, URB_HEADER + rest);
	/* Of a packet that was cut, the header then tells what is there, as it does after -s. */
	if (p->captured < p->length && rest < get32(record + len_cap))
		put32(record + len_cap, (uint32_t)rest);
	/* Some writers leave the time to the packet. */
	if (!get64(record + offsetof(struct usbmon_header, ts_sec)))
		urb_put_time(record, p->time);
	if (p->made_up)
		return im->counting ? 0 : snapshot_add(&im->snapshot, im->writer, record,
						       URB_HEADER + rest, err);
	if (!im->counting && snapshot_end(&im->snapshot, im->writer, err))
		return -1;
	return usb_import_record(im, record, URB_HEADER + rest, err);
}

/* A packet that is kept as it is. */
static int bus_packet(struct usb_import *im, const struct capture_packet *p,
		      struct trawl_error *err)
{
	const size_t head = sizeof(struct usb_bus_packet);
	uint8_t *record = usb_import_scratch(im, head + p->captured, err);

	if (!record)
		return -1;
	put32(record, p->length);
	memcpy(record + head, p->data, p->captured);
	return usb_import_event(im, (uint16_t)p->linktype, USB_PACKET, p->time, record,
				head + p->captured, err);
}

int usb_import_packet(struct usb_import *im, const struct capture_packet *p,
		      struct trawl_error *err)
{
	switch (p->linktype) {
	case LINKTYPE_USB_LINUX:
	case LINKTYPE_USB_LINUX_MMAPPED:
		return linux_packet(im, p, err);
	case LINKTYPE_USBPCAP:
		return usbpcap_packet(im, p, err);
	default:
		if (usbtypes_is_packet(p->linktype))
			return bus_packet(im, p, err);
		if (!im->other++)
			im->other_linktype = p->linktype;
		return 0;
	}
}
