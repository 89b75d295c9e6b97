/* SPDX-License-Identifier: MIT */
#include "decode/import/usbimport.h"
#include "common/array.h"
#include "common/json.h"
#include "decode/base/bytes.h"
#include "decode/usb/urb.h"

#include <ctype.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

/* Describes the file's header, so that trawl-export can restore it. */
static void describe_pcap(const uint8_t header[24], struct json *j)
{
	static const uint8_t usual[12] = {2, 0, 4};
	char hex[2 * 24 + 1];

	for (unsigned int i = 0; i < 24; i++)
		sprintf(hex + 2 * i, "%02x", header[i]);
	/*
	 * Most files have the header that trawl-export writes, except for the magic and the link
	 * type.
	 */
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
	im->apart = counted->apart;
	im->lengths = counted->lengths;
	return describe(im, counted, err) ? -1 : halves_write(counted->halves, w, err);
}

/* Appends the name of an interface to a source's name, as in "usb@usbmon0". */
static void name_interface(const struct usb_import *im, char *name, size_t room)
{
	const char *of = im->interface_name ? im->interface_name : "";
	const char *at = strrchr(of, '@'); /* trawl-export wrote the name */
	size_t n = strlen(name);

	if (at)
		of = at + 1;
	if (*of)
		snprintf(name + n, room - n, "@%s", of);
	else
		snprintf(name + n, room - n, "@interface%u", im->interface);
	for (char *p = name + n + 1; *p; p++)
		if (!isalnum((unsigned char)*p) && !strchr("._-", *p))
			*p = '_';
}

/* Returns the source of a link type and, if each interface has its own, of the current one. */
static struct import_source *known_source(struct usb_import *im, uint16_t linktype)
{
	bool own = linktype == LINKTYPE_USB_LINUX_MMAPPED;
	uint32_t interface = own && im->apart ? im->interface : 0;

	for (unsigned int i = 0; i < im->nsources; i++)
		if (im->sources[i].linktype == linktype && im->sources[i].interface == interface)
			return &im->sources[i];
	return NULL;
}

static unsigned int sources_of_type(const struct usb_import *im, uint16_t linktype)
{
	unsigned int n = 0;

	for (unsigned int i = 0; i < im->nsources; i++)
		n += im->sources[i].linktype == linktype;
	return n;
}

/*
 * Whether there is no room for a source of this interface. Its events must not go to that of
 * another one: each would be there twice.
 */
static bool too_many_interfaces(const struct usb_import *im, uint16_t linktype)
{
	return sources_of_type(im, linktype) == IMPORT_INTERFACES;
}

/*
 * Adds a source for a link type. Sources of the first link type are called "usb", also in files
 * that are imported into the same output; others have the link type in their names.
 */
static struct import_source *add_source(struct usb_import *im, uint16_t linktype,
					struct trawl_error *err)
{
	/* records of this link type have times in microseconds */
	bool own = linktype == LINKTYPE_USB_LINUX_MMAPPED;
	uint32_t resolution = !own && im->resolution ? im->resolution : 1000;
	struct import_source *s;
	char name[48] = "usb";
	int id;

	if (im->nsources == IMPORT_SOURCES) {
		trawl_fail(err, TRAWL_CANNOT, "import: more than %u sources", IMPORT_SOURCES);
		return NULL;
	}
	if (!im->usb_linktype)
		im->usb_linktype = linktype;
	else if (im->usb_linktype != linktype)
		snprintf(name, sizeof(name), "usb%u", linktype);
	if (own && im->apart)
		name_interface(im, name, sizeof(name));
	id = usbtypes_source(im->writer, name, im->name, linktype, resolution, err);
	if (id < 0)
		return NULL;
	s = &im->sources[im->nsources++];
	*s = (struct import_source){
		.linktype = linktype,
		.interface = own && im->apart ? im->interface : 0,
		.id = (uint16_t)id,
	};
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
	/* a file without events gets a source, too */
	if (!im->nsources && !add_source(im, LINKTYPE_USB_LINUX_MMAPPED, err))
		return -1;
	if (snapshot_end(&im->snapshot, im->writer, err))
		return -1;
	return write_loss(im, err);
}

void usb_import_free(struct usb_import *im)
{
	usbpcap_free(im->usbpcap);
	halves_free(im->halves); /* NULL except in the counting pass */
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
	if (array_reserve(im->record, im->room, n))
		return im->record;
	trawl_fail(err, TRAWL_CANNOT, "import: out of memory");
	return NULL;
}

/*
 * Notes which interface recorded a bus. usbmon0 records all buses, so a capture of usbmon0 and
 * usbmon1 contains each event of bus 1 twice.
 */
static void count_recorder(struct usb_import *im, const uint8_t *record)
{
	uint16_t bus = get16(record + offsetof(struct usbmon_header, busnum));

	if (bus >= IMPORT_BUSES)
		return;
	if (!im->recorder[bus])
		im->recorder[bus] = im->interface + 1;
	else if (im->recorder[bus] != im->interface + 1)
		im->apart = true;
}

int usb_import_event(struct usb_import *im, const struct import_event *e, struct trawl_error *err)
{
	struct import_source *s;

	if (im->counting) {
		if (e->linktype == LINKTYPE_USB_LINUX_MMAPPED)
			count_recorder(im, e->record);
		if (e->type != USB_PACKET && usbtypes_is_urb(e->type) &&
		    !halves_count(im->halves, e->record))
			return trawl_fail(err, TRAWL_CANNOT, "import: out of memory");
		return 0;
	}
	s = known_source(im, e->linktype);
	if (!s && too_many_interfaces(im, e->linktype)) {
		usb_import_bad(im, "interface %u is one of more than %u that recorded the same "
			       "bus; split the file", im->interface, IMPORT_INTERFACES);
		return 0;
	}
	if (!s)
		s = add_source(im, e->linktype, err);
	if (!s)
		return -1;
	if (!(s->types >> e->type & 1) &&
	    usbtypes_type(im->writer, s->id, e->type, im->lengths, err) < 0)
		return -1;
	s->types |= UINT32_C(1) << e->type;
	if (trawl_append(im->writer, &(struct trawl_record){s->id, e->type, 0, e->time, e->record,
							    e->len}, err) < 0)
		return -1;
	if (!im->events++)
		im->first = e->time;
	im->last = e->time;
	return 0;
}

int usb_import_record(struct usb_import *im, uint8_t *record, size_t len,
		      struct trawl_error *err)
{
	uint32_t type;
	struct urb u;

	urb_parse(&u, record, len);
	type = usbtypes_event((uint8_t)u.type);
	if (!type || len < URB_HEADER) {
		usb_import_bad(im, "event %llu has a type that usbmon does not have",
			       (unsigned long long)(im->events + im->bad));
		return 0;
	}
	put32(record + USB_PACKET_LENGTH, im->packet_length);
	return usb_import_event(im, &(struct import_event){LINKTYPE_USB_LINUX_MMAPPED, type,
							   u.time, record, len}, err);
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

/*
 * Converts the byte order of a record. The setup packet is always little endian; everything else is
 * in the byte order of the recording machine.
 */
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

/* Old libpcap takes what was captured for the length of a packet that the kernel had cut. */
static void note_length(struct usb_import *im, const struct capture_packet *p,
			const uint8_t *record, size_t len)
{
	uint32_t length = p->length > p->captured ? p->length : p->captured;
	struct urb u;

	length += (uint32_t)len - p->captured; /* the header that grew */
	urb_parse(&u, record, len);
	im->packet_length = length != urb_packet_length(&u, len) ? length : 0;
	im->lengths |= im->packet_length != 0;
}

static int linux_packet(struct usb_import *im, const struct capture_packet *p,
			struct trawl_error *err)
{
	size_t header = p->linktype == LINKTYPE_USB_LINUX ? URB_HEADER_OLD : URB_HEADER;
	uint8_t *record;
	size_t rest;

	if (p->captured < header) {
		usb_import_bad(im, "a packet of %u bytes is too short for a usbmon header", p->captured);
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
	/* Some writers leave the time in the record zero. */
	if (!get64(record + offsetof(struct usbmon_header, ts_sec)))
		urb_put_time(record, p->time);
	if (p->made_up)
		return im->counting ? 0 : snapshot_add(&im->snapshot, im->writer, record,
						       URB_HEADER + rest, err);
	if (!im->counting && snapshot_end(&im->snapshot, im->writer, err))
		return -1;
	note_length(im, p, record, URB_HEADER + rest);
	return usb_import_record(im, record, URB_HEADER + rest, err);
}

/* Imports a packet that is stored unchanged. */
static int bus_packet(struct usb_import *im, const struct capture_packet *p,
		      struct trawl_error *err)
{
	const size_t head = sizeof(struct usb_bus_packet);
	uint8_t *record = usb_import_scratch(im, head + p->captured, err);

	if (!record)
		return -1;
	put32(record, p->length);
	memcpy(record + head, p->data, p->captured);
	return usb_import_event(im, &(struct import_event){(uint16_t)p->linktype, USB_PACKET,
							   p->time, record, head + p->captured},
				err);
}

int usb_import_packet(struct usb_import *im, const struct capture_packet *p,
		      struct trawl_error *err)
{
	im->interface = p->interface;
	im->interface_name = p->interface_name;
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
