/* SPDX-License-Identifier: MIT */
#include "replay/tapedevice.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/array.h"
#include "decode/base/bytes.h"
#include "replay/tapereader.h"

struct lister {
	struct tape_device *list;
	size_t n;
	bool bus; /* the file has packets of an analyser */
};

static struct tape_device *listed(struct lister *l, const struct usb_detail *d,
				  const struct item *it)
{
	bool known = d->device && d->device->known;
	uint16_t vendor = known ? usbdev_vendor(d->device) : 0;
	uint16_t product = known ? usbdev_product(d->device) : 0;
	struct tape_device *x;

	/* The last device with this address, unless another device has got the address since. */
	for (size_t i = l->n; i-- > 0;) {
		x = &l->list[i];
		if (x->bus != d->urb.bus || x->address != d->urb.device ||
		    x->source != it->source->id)
			continue;
		if (known && x->known && (x->vendor != vendor || x->product != product))
			break;
		return x;
	}
	if (!array_grow(l->list, l->n))
		return NULL;
	x = &l->list[l->n++];
	*x = (struct tape_device){.bus = d->urb.bus,
				  .address = d->urb.device,
				  .source = it->source->id,
				  .first = it->time};
	return x;
}

static bool has_whole_config(const struct usb_device *dev)
{
	for (unsigned int i = 0; i < USBDEV_CONFIGS; i++)
		if (dev->configs[i].p && dev->configs[i].len >= 9 &&
		    get16(dev->configs[i].p + 2) <= dev->configs[i].len)
			return true;
	return false;
}

bool tape_device_had_former(const struct tape_device *x, const struct usb_detail *d)
{
	return !d->device && x->known && d->transfer && !d->transfer->has_complete;
}

/* Notes a transfer for the device that had the address when it was submitted. */
static void note_former(struct lister *l, const struct tape_device *now, uint64_t submitted)
{
	for (size_t i = l->n; i-- > 0;) {
		struct tape_device *x = &l->list[i];

		if (x->bus != now->bus || x->address != now->address || x->source != now->source ||
		    x->first > submitted)
			continue;
		x->transfers++;
		x->last = x->last > submitted ? x->last : submitted;
		return;
	}
}

/* Only hubs get class requests for something other than a device, interface or endpoint: a port. */
static bool is_port_request(const struct usb_detail *d)
{
	return d->has_setup && control_kind(&d->setup) == SETUP_CLASS &&
	       (d->setup.type & 0x1f) == SETUP_OTHER;
}

static int list_device(struct tape_reader *r, const struct usb_detail *d)
{
	const struct usb_device *dev = d->device;
	struct tape_device *x;

	if (!d->urb.device)
		return 0;
	x = listed(r->arg, d, r->item);
	if (!x)
		return trawl_fail(r->err, TRAWL_CANNOT, "out of memory");
	if (tape_device_had_former(x, d)) {
		note_former(r->arg, x, d->transfer->submitted);
		return 0;
	}
	x->transfers++;
	x->last = r->item->time;
	if (!x->known)
		x->hub |= is_port_request(d);
	if (!dev)
		return 0;
	if (dev->known) {
		x->known = true;
		x->vendor = usbdev_vendor(dev);
		x->product = usbdev_product(dev);
		x->hub = dev->device[4] == 0x09;
		x->root = x->hub && x->vendor == 0x1d6b;
	}
	x->configured |= has_whole_config(dev);
	snprintf(x->name, sizeof(x->name), "%s", dev->name);
	snprintf(x->port, sizeof(x->port), "%s", dev->port);
	return 0;
}

static int nothing(struct tape_reader *r, struct trawl_reader *reader)
{
	return 0;
}

static bool is_one_device(const struct tape_device *a, const struct tape_device *b)
{
	return a->bus == b->bus && a->address == b->address && a->source != b->source &&
	       (!a->known || !b->known || (a->vendor == b->vendor && a->product == b->product));
}

/*
 * Joins what two sources have of one device into *a. At the same time they are two readers, of a
 * bus and of all of them, who recorded the same transfers: one of them is played.
 */
static void join_sources(struct tape_device *a, const struct tape_device *b)
{
	uint64_t transfers = a->transfers + b->transfers;

	uint64_t first = a->first < b->first ? a->first : b->first;
	uint64_t last = a->last > b->last ? a->last : b->last;
	bool both = a->first <= b->last && b->first <= a->last;

	if (b->configured > a->configured ||
	    (both && b->configured == a->configured && b->transfers > a->transfers))
		*a = *b;
	if (both)
		return;
	a->transfers = transfers;
	a->source = TAPE_ANY_SOURCE;
	a->first = first;
	a->last = last;
}

/* Leaves one element for each device; returns their number. */
static size_t join_devices(struct tape_device *list, size_t n)
{
	size_t kept = 0, k;

	for (size_t i = 0; i < n; i++) {
		for (k = 0; k < kept && !is_one_device(&list[k], &list[i]); k++)
			;
		if (k < kept)
			join_sources(&list[k], &list[i]);
		else if (!list[i].root)
			list[kept++] = list[i];
	}
	return kept;
}

/* Lists the devices of a capture except root hubs; l->list is to be freed. 0, or -1 with *err. */
static int list_devices(const struct tape_file *file, struct lister *l, struct trawl_error *err)
{
	struct tape_reader r = {.take = list_device, .arg = l, .source = TAPE_ANY_SOURCE};

	if (tape_reader_run(&r, file, nothing, err))
		return -1;
	l->bus = r.bus_packets;
	l->n = join_devices(l->list, l->n);
	return 0;
}

static void describe(const struct tape_device *d, char *text, size_t n)
{
	char ids[16] = "no descriptors";

	if (d->known)
		snprintf(ids, sizeof(ids), "%04x:%04x", d->vendor, d->product);
	snprintf(text, n, "%u:%u (%s%s%s)", d->bus, d->address, ids, *d->name ? " " : "", d->name);
}

static int list_all(const struct tape_device *list, size_t n, const char *what, const char *name,
		    struct trawl_error *err)
{
	char text[700] = "", one[200];
	size_t len = 0;

	for (size_t i = 0; i < n && len + sizeof(one) < sizeof(text); i++) {
		describe(&list[i], one, sizeof(one));
		len += (size_t)snprintf(text + len, sizeof(text) - len, "%s%s", i ? ", " : "", one);
	}
	return trawl_fail(err, TRAWL_USAGE, "%s: %s; in the file are: %s", name, what,
			  n ? text : "no devices");
}

static bool is_meant(const struct tape_device *d, const char *text)
{
	unsigned int a, b;
	char end;

	if (strlen(text) == 9 && text[4] == ':')
		return sscanf(text, "%4x:%4x%c", &a, &b, &end) == 2 && d->known && d->vendor == a &&
		       d->product == b;
	return sscanf(text, "%u:%u%c", &a, &b, &end) == 2 && d->bus == a && d->address == b;
}

/* Returns the device that the text selects; NULL with *err, which lists the devices. */
static const struct tape_device *choose(const struct tape_device *list, size_t n, const char *text,
					const char *name, struct trawl_error *err)
{
	const struct tape_device *found = NULL;
	unsigned int count = 0;
	char what[160];

	for (size_t i = 0; i < n; i++) {
		if (text ? !is_meant(&list[i], text) : list[i].hub)
			continue;
		/*
		 * A device that was plugged in again is the same one: the instance with more
		 * transfers is used.
		 */
		if (found && text && strlen(text) == 9) {
			found = list[i].transfers > found->transfers ? &list[i] : found;
			continue;
		}
		found = &list[i];
		count++;
	}
	if (count == 1)
		return found;
	if (!text && !count && n == 1)
		return list;
	if (text)
		snprintf(what, sizeof(what), count
				 ? "--device %.60s: several devices had this address; name one by VID:PID"
				 : "--device %.60s: no device is called so", text);
	else
		snprintf(what, sizeof(what),
			 n ? "which device? Name it by --device VID:PID or --device BUS:DEV"
			   : "holds no transfers of a USB device");
	list_all(list, n, what, name, err);
	return NULL;
}

int tape_device_choose(const struct tape_file *file, struct tape_device *d, struct trawl_error *err)
{
	const struct tape_device *found = NULL;
	struct lister l = {0};

	if (!list_devices(file, &l, err)) {
		if (!l.n && l.bus)
			trawl_fail(err, TRAWL_USAGE,
				   "%s: holds packets of the bus, which are not joined into transfers; capture what the host does, by trawl -i usb or USBPcap",
				   file->name);
		else
			found = choose(l.list, l.n, file->device, file->name, err);
	}
	if (found)
		*d = *found;
	free(l.list);
	return found ? 0 : -1;
}
