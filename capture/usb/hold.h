/* SPDX-License-Identifier: MIT */
/*
 * Events whose device is not known yet.
 *
 * A device filter meets the enumeration of a new device before the kernel announces the device:
 * first at address 0, then at an address of which nothing is known. Such events wait here, and
 * in their order also all later ones that are wanted, until hot-plug news decide, or too much or
 * too long a time has passed, which decides against them.
 */
#ifndef TRAWL_CAPTURE_USB_HOLD_H
#define TRAWL_CAPTURE_USB_HOLD_H

#include <stddef.h>
#include "capture/usb/filter.h"

enum {
	USBHOLD_BYTES = 8 << 20, /* what is held at most */
	USBHOLD_MS = 5000,       /* an enumeration that takes longer has failed */
};

struct usbhold {
	uint8_t *bytes; /* entries one after the other */
	size_t head, tail, size;
	uint64_t given_up; /* undecided events that were dropped */
};

/* Is anything waiting? Then a wanted event must wait after it. */
static inline bool usbhold_waiting(const struct usbhold *h)
{
	return h->head != h->tail;
}

/* Adds an event at time now (ms, any steady clock). */
void usbhold_add(struct usbhold *h, const uint8_t *event, size_t len, uint64_t now);

/* A device has appeared on the bus: what came from address 0 there was about it. */
void usbhold_enumerated(struct usbhold *h, uint16_t bus, bool wanted);

/*
 * Gives the decided events at the head to emit() and drops unwanted ones; stops at the first that
 * is still undecided. Returns emit()'s first non-zero result.
 */
int usbhold_release(struct usbhold *h, const struct usbfilter *f, uint64_t now,
		    int (*emit)(const uint8_t *event, size_t len, void *arg), void *arg);

void usbhold_free(struct usbhold *h);

#endif
