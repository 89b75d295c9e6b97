/* SPDX-License-Identifier: MIT */
/*
 * Events whose device is not known yet.
 *
 * The events of a new device's enumeration come before the kernel announces the device: first at
 * address 0, then at its new address. Where a filter needs to know the device, they wait here, and
 * all later wanted events wait after them. A hot-plug message decides; after USBHOLD_MS, or with
 * more than USBHOLD_BYTES waiting, they are dropped.
 */
#ifndef TRAWL_CAPTURE_USB_HOLD_H
#define TRAWL_CAPTURE_USB_HOLD_H

#include <stddef.h>
#include "capture/usb/filter.h"

enum {
	USBHOLD_BYTES = 8 << 20, /* limit of the held bytes */
	USBHOLD_MS = 5000,       /* an enumeration that takes longer has failed */
};

struct usbhold {
	uint8_t *bytes; /* entries one after the other */
	size_t head, tail, size;
	uint64_t given_up; /* undecided events that were dropped */
};

/* Whether events are held. A selected event must then be held after them, to keep the order. */
static inline bool usbhold_waiting(const struct usbhold *h)
{
	return h->head != h->tail;
}

/* Adds an event at time now (ms, any steady clock). Returns 0, or -1 without memory. */
int usbhold_add(struct usbhold *h, const uint8_t *event, size_t len, uint64_t now);

/*
 * Called when a device has appeared on the bus: decides the held events of address 0, which were of
 * its enumeration.
 */
void usbhold_enumerated(struct usbhold *h, uint16_t bus, bool wanted);

/*
 * Passes selected events at the head to emit() and drops the others; stops at the first undecided
 * one. Returns 0, or emit()'s first non-zero result.
 */
int usbhold_release(struct usbhold *h, const struct usbfilter *f, uint64_t now,
		    int (*emit)(const uint8_t *event, size_t len, void *arg), void *arg);

void usbhold_free(struct usbhold *h);

#endif
