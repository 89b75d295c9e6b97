/* SPDX-License-Identifier: MIT */
/*
 * Selects USB events by the texts after `-i usb:`.
 *
 * 	""			everything
 * 	BUS, bus=BUS		one bus
 * 	VID:PID, VID:*		devices by id (four hex digits each)
 * 	port=1-2.3		what is plugged in there
 * 	serial=TEXT		a device by its serial number
 * 	dev=BUS:DEV		a device by its present address
 * 	ep=N, ep=Nin, ep=Nout	an endpoint, in addition to one of the above or alone
 *
 * Parts are joined by commas and must all hold; several texts are alternatives. An event has only
 * bus and address, so the filter keeps a table of the devices that have these now, from sysfs and
 * hot-plug events. An event of an address that is not in the table yet is undecided.
 */
#ifndef TRAWL_CAPTURE_USB_FILTER_H
#define TRAWL_CAPTURE_USB_FILTER_H

#include <stdbool.h>
#include <stdint.h>
#include "format/trawl.h"
#include "capture/usb/usbmon.h"
#include "capture/usb/sysfs.h"

enum {
	USBFILTER_TERMS = 32,
	USBFILTER_BUSES = 128, /* usbmon has nodes for these */
	USBFILTER_DEVS = 128,
};

struct usbfilter_term {
	uint16_t bus; /* 0: any */
	uint8_t dev;  /* 0: any */
	bool has_vid, has_pid, has_endpoint;
	uint16_t vid, pid;
	uint8_t endpoint;  /* number */
	int direction;     /* 0x80: IN, 0: OUT, -1: both */
	char port[USBSYS_NAME];
	char serial[USBSYS_SERIAL];
};

struct usbfilter {
	struct usbfilter_term terms[USBFILTER_TERMS];
	uint32_t count;
	uint32_t met; /* a bit for each term that some device has matched */
	bool every;         /* a term selects all events, */
	uint16_t every_bus; /* of this bus; 0: of all */
	/*
	 * By bus and address: whether the device is known, and which terms it matches, apart from
	 * bus, address and endpoint.
	 */
	bool known[USBFILTER_BUSES][USBFILTER_DEVS];
	uint32_t fulfils[USBFILTER_BUSES][USBFILTER_DEVS];
};

enum usbfilter_verdict { USBFILTER_DROP, USBFILTER_KEEP, USBFILTER_UNDECIDED };

/* Adds one text. Returns 0, or -1 with *err, which shows the text with a caret. */
int usbfilter_add(struct usbfilter *f, const char *text, struct trawl_error *err);

/* Returns the bus, if all texts select devices of one bus; else 0. */
uint16_t usbfilter_bus(const struct usbfilter *f);

/* Adds a device to the table. Returns true if a term selects it, or some of its endpoints. */
bool usbfilter_learn(struct usbfilter *f, const struct usb_identity *id);

/* Whether a device matches a term, apart from its endpoint. */
bool usbfilter_is(const struct usbfilter_term *t, const struct usb_identity *id);

/*
 * Whether a term selects the device at this address, or some of its endpoints. False if the device
 * is not in the table.
 */
bool usbfilter_wanted(const struct usbfilter *f, uint16_t bus, uint8_t dev);

/* Whether a term excludes endpoints of a device that it selects. */
bool usbfilter_partial(const struct usbfilter *f);

/* Removes the device at an address from the table: it was unplugged. */
void usbfilter_forget(struct usbfilter *f, uint16_t bus, uint8_t dev);

/*
 * Whether an event is kept, by its header; undecided if that needs a device that is not in the
 * table.
 */
enum usbfilter_verdict usbfilter_judge(const struct usbfilter *f, const struct usbmon_header *h);

/* The same as usbfilter_judge(), with a fast path for a filter that selects a whole bus. */
static inline enum usbfilter_verdict usbfilter_match(const struct usbfilter *f,
						     const struct usbmon_header *h)
{
	if (f->every && (!f->every_bus || f->every_bus == h->busnum))
		return USBFILTER_KEEP;
	return usbfilter_judge(f, h);
}

#endif
