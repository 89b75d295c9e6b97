/* SPDX-License-Identifier: MIT */
/*
 * Which USB events the user wants: the texts after `-i usb:`.
 *
 *	""			everything
 *	BUS, bus=BUS		one bus
 *	VID:PID, VID:*		devices by id (four hex digits each)
 *	port=1-2.3		what is plugged in there
 *	serial=TEXT		a device by its serial number
 *	dev=BUS:DEV		a device by its present address
 *	ep=N, ep=Nin, ep=Nout	an endpoint, in addition to one of the above or alone
 *
 * Parts are joined by commas and must all hold; several texts are alternatives. An event tells
 * only bus and address, so the filter keeps a table of what has these now, filled from sysfs and
 * by hot-plug events. An address that is not in the table yet is undecided.
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
	uint32_t met; /* terms that some device has fulfilled so far */
	bool every;         /* a term wants all events, */
	uint16_t every_bus; /* of this bus; 0: of all */
	/* The terms that a device fulfils but for the endpoint, by bus and address. */
	bool known[USBFILTER_BUSES][USBFILTER_DEVS];
	uint32_t fulfils[USBFILTER_BUSES][USBFILTER_DEVS];
};

enum usbfilter_verdict { USBFILTER_DROP, USBFILTER_KEEP, USBFILTER_UNDECIDED };

/* Adds one text; an error shows it with a caret. */
int usbfilter_add(struct usbfilter *f, const char *text, struct trawl_error *err);

/* After all texts: the one bus that suffices for them, or 0 for all. */
uint16_t usbfilter_bus(const struct usbfilter *f);

/* Tells the filter of a device; true if any term wants (some of) it. */
bool usbfilter_learn(struct usbfilter *f, const struct usb_identity *id);

/* Is a device, as it is now, one of a term's? */
bool usbfilter_is(const struct usbfilter_term *t, const struct usb_identity *id);

/* Is (some of) the device at this address wanted, as far as is known? */
bool usbfilter_wanted(const struct usbfilter *f, uint16_t bus, uint8_t dev);

/* Does a term leave out endpoints of the devices that it is about? */
bool usbfilter_partial(const struct usbfilter *f);

/* The address is free again. */
void usbfilter_forget(struct usbfilter *f, uint16_t bus, uint8_t dev);

enum usbfilter_verdict usbfilter_judge(const struct usbfilter *f, const struct usbmon_header *h);

/* Most captures are of all that a bus has. */
static inline enum usbfilter_verdict usbfilter_match(const struct usbfilter *f,
						     const struct usbmon_header *h)
{
	if (f->every && (!f->every_bus || f->every_bus == h->busnum))
		return USBFILTER_KEEP;
	return usbfilter_judge(f, h);
}

#endif
