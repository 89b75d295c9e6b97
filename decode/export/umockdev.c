/* SPDX-License-Identifier: MIT */
#include "decode/export/umockdev.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "common/usbtypes.h"
#include "decode/base/bytes.h"
#include "decode/base/escape.h"
#include "decode/base/jdoc.h"
#include "decode/usb/status.h"
#include "decode/usb/usb.h"

#define TAR_BLOCK 512
#define OPEN_MAX 1024 /* limit on submissions that wait for their completion */

/*
 * A submission without a completion so far. Reads are written only at their completion. umockdev
 * expects the next submission of the file from the program, but programs differ in when they submit
 * reads: one keeps them pending all the time, another submits them just in time.
 */
struct open_urb {
	uint64_t id;
	uint8_t device, endpoint;
	uint64_t at;    /* offset of its record in the spool file; 0: not written */
	uint8_t *held;  /* the record with its pcap header; NULL: written already */
	size_t length;
};

struct writer {
	struct consumer consumer; /* must be first: a struct consumer is cast to its writer */
	struct out pcap;          /* writes to the spool file */
	int spool;
	struct out record;
	struct usb_state *state;
	struct open_urb open[OPEN_MAX];
	unsigned int next;
	/* number of transfers with incomplete data, and of isochronous transfers */
	uint64_t cut, left_out;
	int error;
};

/* ---- the transfers --------------------------------------------------------------------------- */

static void put_header(struct writer *w)
{
	out_le32(&w->pcap, 0xa1b2c3d4);
	out_le16(&w->pcap, 2);
	out_le16(&w->pcap, 4);
	out_le32(&w->pcap, 0);
	out_le32(&w->pcap, 0);
	out_le32(&w->pcap, 128u << 20);
	out_le32(&w->pcap, LINKTYPE_USB_LINUX_MMAPPED);
}

static struct open_urb *find_open(struct writer *w, const struct urb *u)
{
	for (unsigned int i = 0; i < OPEN_MAX; i++)
		if ((w->open[i].at || w->open[i].held) && w->open[i].id == u->id &&
		    w->open[i].device == u->device && w->open[i].endpoint == u->endpoint)
			return &w->open[i];
	return NULL;
}

static void forget(struct open_urb *open)
{
	free(open->held);
	memset(open, 0, sizeof(*open));
}

/*
 * Assigns a written submission to a nonexistent device, because umockdev stops at a submission that
 * failed.
 */
static int assign_to_no_device(struct writer *w, struct open_urb *open)
{
	uint8_t nobody[3] = {0};
	int ret = 0;

	if (open && open->at &&
	    (out_flush(&w->pcap) ||
	     pwrite(w->spool, nobody, sizeof(nobody),
		    (off_t)(open->at + offsetof(struct usbmon_header, devnum))) != sizeof(nobody)))
		ret = -1;
	if (open)
		forget(open);
	return ret;
}

/* Appends the current record with its pcap header. */
static void put_record(struct writer *w, const struct urb *u, struct out *o)
{
	out_le32(o, (uint32_t)(u->time / 1000000000));
	out_le32(o, (uint32_t)(u->time % 1000000000 / 1000));
	out_le32(o, (uint32_t)w->record.len);
	out_le32(o, (uint32_t)w->record.len);
	out_bytes(o, w->record.data, w->record.len);
}

static void begin(struct writer *w, const struct urb *u)
{
	struct open_urb *open = &w->open[w->next++ % OPEN_MAX];
	struct out held;

	forget(open);
	*open = (struct open_urb){.id = u->id, .device = u->device, .endpoint = u->endpoint};
	if (u->xfer == URB_CONTROL || !urb_in(u)) {
		open->at = w->pcap.written + w->pcap.len + 16;
		put_record(w, u, &w->pcap);
		return;
	}
	out_memory(&held);
	put_record(w, u, &held);
	open->length = held.len;
	open->held = malloc(held.len);
	if (open->held)
		memcpy(open->held, held.data, held.len);
	w->error |= !open->held;
	out_free(&held);
}

static void end(struct writer *w, const struct urb *u)
{
	struct open_urb *open = find_open(w, u);

	/* Another program may not cancel it. */
	if (usb_status_is_cancelled(u->status) && urb_in(u) && !u->data_len) {
		w->error |= assign_to_no_device(w, open);
		return;
	}
	if (open && open->held)
		out_bytes(&w->pcap, open->held, open->length);
	if (open)
		forget(open);
	put_record(w, u, &w->pcap);
}

static int write_item(struct consumer *consumer, const struct decoder *d, void *state,
		      const struct item *it)
{
	struct writer *w = (struct writer *)consumer;
	struct packet packet = {.data = &w->record};
	const struct usb_detail *detail = it->detail;
	const struct urb *u;

	if (d != &usb_decoder)
		return CONSUMER_PASSED_OVER;
	u = &detail->urb;
	w->state = state;
	if (!urb_is_half(u))
		return 0;
	if (u->xfer == URB_ISO || u->xfer >= URB_XFERS) {
		w->left_out++;
		return 0;
	}
	if (u->type == 'E') {
		w->error |= assign_to_no_device(w, find_open(w, u));
		return w->error;
	}
	w->cut += urb_missing(u) != 0;
	w->record.len = 0;
	if (d->packet(state, it, &packet) || packet.comment || w->record.len < URB_HEADER)
		return 0; /* synthesised transfers are not requested again */
	/* umockdev would interpret these fields as isochronous. */
	put32((uint8_t *)w->record.data + offsetof(struct usbmon_header, start_frame), 0);
	(u->type == 'S' ? begin : end)(w, u);
	return w->pcap.error || w->record.error || w->error;
}

/* ---- the devices ----------------------------------------------------------------------------- */

/* Returns the snapshot of the device, which has data that descriptors lack; NULL: none. */
static struct json_object *snapshot_of(struct trawl_reader *r, const struct usb_device *dev)
{
	for (size_t i = trawl_meta_count(r); i-- > 0;) {
		const struct trawl_meta *m = trawl_meta_at(r, i);
		struct json_object *o = usbdev_is_meta(m) ? jdoc_parse(m->data, m->len) : NULL;

		if (jdoc_uint(o, "busnum", 0) == dev->bus &&
		    jdoc_uint(o, "devnum", 0) == dev->address && jdoc_get(o, "descriptors"))
			return o;
		json_object_put(o);
	}
	return NULL;
}

static void put_attribute(struct out *o, const char *name, const char *text)
{
	if (!*text)
		return;
	out_printf(o, "A: %s=", name);
	for (; *text; text++) { /* umockdev's escapes: those of C */
		if (*text == '\\')
			out_str(o, "\\\\");
		else if (*text >= 0x20 && *text < 0x7f)
			out_char(o, *text);
		else
			out_printf(o, "\\%03o", (unsigned char)*text);
	}
	out_str(o, "\\n\n");
}

/* umockdev only accepts upper-case hex digits. */
static void put_bytes(struct out *o, const uint8_t *p, size_t n)
{
	for (size_t i = 0; i < n; i++)
		out_printf(o, "%02X", p[i]);
}

/* Returns the number of recorded configurations; libusb rejects a device that lacks one. */
static uint8_t configs_of(const struct usb_device *dev)
{
	uint8_t n = 0;

	for (unsigned int i = 0; i < USBDEV_CONFIGS; i++)
		n += dev->configs[i].p != NULL;
	return n;
}

static void put_descriptors(const struct usb_device *dev, struct out *o)
{
	uint8_t device[sizeof(dev->device)];

	memcpy(device, dev->device, sizeof(device));
	device[17] = configs_of(dev); /* bNumConfigurations */
	put_bytes(o, device, sizeof(device));
	for (unsigned int i = 0; i < USBDEV_CONFIGS; i++)
		if (dev->configs[i].p)
			put_bytes(o, dev->configs[i].p, dev->configs[i].len);
	out_char(o, '\n');
}

static void put_numbers(const struct usb_device *dev, struct out *o)
{
	const uint8_t *p = dev->device;
	const struct usb_config *c = &dev->configs[0];
	unsigned int value = dev->config ? dev->config : c->p && c->len > 5 ? c->p[5] : 1;

	out_printf(o, "A: bConfigurationValue=%u\\n\n", value);
	out_printf(o,
		   "A: bDeviceClass=%02x\\n\nA: bDeviceSubClass=%02x\\n\nA: "
		   "bDeviceProtocol=%02x\\n\n",
		   p[4], p[5], p[6]);
	out_printf(o, "A: bMaxPacketSize0=%u\\n\nA: bNumConfigurations=%u\\n\n", p[7],
		   configs_of(dev));
	out_printf(o, "A: bNumInterfaces=%2u\\n\n", c->p && c->len > 4 ? c->p[4] : 0);
	out_printf(o, "A: bcdDevice=%04x\\n\n", get16(p + 12));
	out_printf(o, "A: busnum=%u\\n\nA: devnum=%u\\n\n", dev->bus, dev->address);
	out_printf(o, "A: idVendor=%04x\\n\nA: idProduct=%04x\\n\n", usbdev_vendor(dev),
		   usbdev_product(dev));
	out_printf(o, "A: version=%2x.%02x\\n\n", p[3], p[2]);
}

static bool is_root_hub(const struct usb_device *dev)
{
	return usbdev_vendor(dev) == 0x1d6b && dev->device[4] == 0x09;
}

static bool is_written(const struct usb_device *dev)
{
	return dev->known && dev->address && dev->configs[0].p && !is_root_hub(dev);
}

/* True if the hub that the device is plugged into is written, or is the root hub. */
static bool has_parent(const struct usb_devices *devices, const struct usb_device *dev)
{
	const char *end = strrchr(dev->port, '.');
	size_t n = end ? (size_t)(end - dev->port) : 0;

	for (unsigned int i = 0; n && i < 256; i++)
		for (const struct usb_device *d = devices->table[i]; d; d = d->next)
			if (d->bus == dev->bus && is_written(d) && strlen(d->port) == n &&
			    !memcmp(d->port, dev->port, n))
				return true;
	return !n;
}

/*
 * Writes the path in sysfs. libusb finds a device's parents by its name; one without its hub is
 * moved to the root hub, at a port that no hub has.
 */
static void put_path(const struct usb_devices *devices, const struct usb_device *dev, struct out *o)
{
	out_printf(o, "/devices/usb%u/", dev->bus);
	if (!*dev->port)
		out_printf(o, "%u-%u", dev->bus, dev->address);
	else if (!has_parent(devices, dev))
		out_printf(o, "%u-%u", dev->bus, 128u + dev->address);
	else
		out_safe(o, dev->port, strlen(dev->port));
}

/* Writes what follows a device's path. snapshot: NULL without one. */
static void put_values(const struct usb_device *dev, const struct json_object *snapshot,
		       struct out *o)
{
	const char *speed = jdoc_string(snapshot, "speed_mbps");

	out_printf(o, "N: bus/usb/%03u/%03u=", dev->bus, dev->address);
	put_descriptors(dev, o);
	out_printf(o,
		   "E: BUSNUM=%03u\nE: DEVNUM=%03u\nE: DEVNAME=/dev/bus/usb/%03u/%03u\nE: "
		   "DEVTYPE=usb_device\n",
		   dev->bus, dev->address, dev->bus, dev->address);
	out_printf(o, "E: MAJOR=189\nE: MINOR=%u\nE: DRIVER=usb\n",
		   (unsigned int)(dev->bus - 1) * 128 + dev->address - 1);
	out_printf(o, "E: PRODUCT=%x/%x/%x\nE: TYPE=%u/%u/%u\nE: SUBSYSTEM=usb\n",
		   usbdev_vendor(dev), usbdev_product(dev), get16(dev->device + 12), dev->device[4],
		   dev->device[5], dev->device[6]);
	put_numbers(dev, o);
	put_attribute(o, "manufacturer", jdoc_string(snapshot, "manufacturer"));
	put_attribute(o, "product", jdoc_string(snapshot, "product"));
	put_attribute(o, "serial", jdoc_string(snapshot, "serial"));
	put_attribute(o, "speed", *speed ? speed : "480");
	out_str(o, "H: descriptors=");
	put_descriptors(dev, o);
	out_char(o, '\n');
}

static void put_device(struct trawl_reader *r, const struct usb_devices *devices,
		       const struct usb_device *dev, struct out *o)
{
	struct json_object *snapshot = snapshot_of(r, dev);

	out_str(o, "P: ");
	put_path(devices, dev, o);
	out_char(o, '\n');
	put_values(dev, snapshot, o);
	json_object_put(snapshot);
}

/*
 * Writes the root hub of a bus, the parent by which libusb finds a device's place. It is the host's
 * own: its descriptors are Linux's.
 */
static void put_root_hub(const struct usb_devices *devices, uint16_t bus, struct out *o)
{
	static const uint8_t config[] = {9, 2, 25, 0, 1, 1, 0, 0xe0, 0, 9, 4, 0, 0,
					 1, 9, 0, 0, 0, 7, 5, 0x81, 3, 4, 0, 12};
	struct usb_device hub = {
		.bus = bus,
		.address = 1,
		.device = {18, 1, 0, 2, 9, 0, 0, 64, 0x6b, 0x1d, 2, 0, 0, 6, 0, 0, 0, 1},
		.configs = {{.p = (uint8_t *)config, .len = sizeof(config)}},
	};
	const struct usb_device *other;

	/* Windows has no device that is the hub: address 1 may be another's. */
	while ((other = usbdev_find(devices, bus, hub.address)) && is_written(other))
		hub.address++;
	out_printf(o, "P: /devices/usb%u\n", bus);
	put_values(&hub, NULL, o);
}

static unsigned int put_devices(struct trawl_reader *r, const struct usb_devices *devices,
				struct out *o)
{
	uint8_t buses[(UINT16_MAX + 1) / 8] = {0};
	unsigned int n = 0;

	for (unsigned int i = 0; i < 256; i++) {
		for (const struct usb_device *dev = devices->table[i]; dev; dev = dev->next) {
			if (!is_written(dev))
				continue;
			put_device(r, devices, dev, o);
			buses[dev->bus / 8] |= (uint8_t)(1u << dev->bus % 8);
			n++;
		}
	}
	for (unsigned int bus = 0; bus <= UINT16_MAX; bus++)
		if (buses[bus / 8] >> bus % 8 & 1)
			put_root_hub(devices, (uint16_t)bus, o);
	return n;
}

/* ---- the archive ----------------------------------------------------------------------------- */

static void put_member(struct out *o, const char *name, uint64_t size)
{
	char h[TAR_BLOCK] = {0};
	unsigned int sum = 0;

	snprintf(h, 100, "%s", name);
	memcpy(h + 100, "0000600\0000000000\0000000000\0", 24);
	snprintf(h + 124, 12, "%011" PRIo64, size);
	memcpy(h + 136, "00000000000\0        0", 21);
	memcpy(h + 257, "ustar\00000", 8);
	for (unsigned int i = 0; i < TAR_BLOCK; i++)
		sum += (unsigned char)h[i];
	snprintf(h + 148, 8, "%06o", sum);
	out_bytes(o, h, TAR_BLOCK);
}

static void put_padding(struct out *o, uint64_t size)
{
	out_fill(o, '\0', (TAR_BLOCK - size % TAR_BLOCK) % TAR_BLOCK);
}

static int put_spool(struct writer *w, struct out *o)
{
	char buffer[1 << 16];
	uint64_t size = w->pcap.written;

	if (lseek(w->spool, 0, SEEK_SET) < 0)
		return -1;
	put_member(o, "usb.pcap", size);
	for (uint64_t left = size; left;) {
		ssize_t n = read(w->spool, buffer, left < sizeof(buffer) ? left : sizeof(buffer));

		if (n <= 0)
			return -1;
		out_bytes(o, buffer, (size_t)n);
		left -= (uint64_t)n;
	}
	put_padding(o, size);
	return 0;
}

static int finish(struct writer *w, struct stream *s, struct out *out, struct trawl_error *err)
{
	struct out text;
	unsigned int n;

	if (out_flush(&w->pcap) || w->error)
		return trawl_fail(err, TRAWL_CANNOT, "--to umockdev: temporary file: %s",
				  strerror(errno));
	if (w->cut)
		return trawl_fail(err, TRAWL_CANNOT,
				  "--to umockdev: %" PRIu64 " transfers have incomplete data, at "
				  "which umockdev would stop; select others (--where), or capture "
				  "without -s",
				  w->cut);
	out_memory(&text);
	n = w->state ? put_devices(stream_reader(s), &w->state->devices, &text) : 0;
	if (n) {
		put_member(out, "usb.umockdev", text.len);
		out_bytes(out, text.data, text.len);
		put_padding(out, text.len);
		w->error = put_spool(w, out);
		out_fill(out, '\0', 2 * TAR_BLOCK);
	}
	out_free(&text);
	if (!n)
		return trawl_fail(err, TRAWL_CANNOT,
				  "--to umockdev: the file has no descriptors of a USB device");
	return w->error
		? trawl_fail(err, TRAWL_CANNOT, "--to umockdev: temporary file: cannot be read")
		: 0;
}

int umockdev_export(const struct export_options *o, struct stream *s, struct out *out,
		    struct trawl_error *err)
{
	struct writer *w = calloc(1, sizeof(*w));
	int got;

	if (!w)
		return trawl_fail(err, TRAWL_CANNOT, "out of memory");
	w->consumer.item = write_item;
	w->spool = o->spool;
	out_open(&w->pcap, o->spool);
	out_memory(&w->record);
	put_header(w);
	got = stream_run(s, &w->consumer, err);
	if (!got)
		got = finish(w, s, out, err);
	for (unsigned int i = 0; i < OPEN_MAX; i++)
		forget(&w->open[i]);
	out_free(&w->pcap);
	out_free(&w->record);
	free(w);
	return got;
}
