/* SPDX-License-Identifier: MIT */
/*
 * The device that chapter 9 of the USB specification describes: standard requests are answered from
 * descriptors and the state of configuration and interfaces, whatever the order in which a host
 * asks.
 */
#ifndef TRAWL_REPLAY_STANDARD_H
#define TRAWL_REPLAY_STANDARD_H

#include "replay/tape.h"
#include "replay/usbip.h"

struct standard {
	const struct tape *tape;
	enum usbip_speed speed;
	uint8_t configuration;
	uint8_t alternate[USBDEV_INTERFACES];
	uint8_t answer[1024]; /* for answers that are in no descriptor */
};

void standard_start(struct standard *s, const struct tape *t);

/*
 * Answers a standard request: 0 with *data, *n (not cut to wLength; of an OUT request none), or
 * -EPIPE.
 * *data lives until the next call.
 */
int standard_answer(struct standard *s, const struct control_request *r, const uint8_t **data,
		    size_t *n);

/* Whether there is all that a host enumerates by (as_is: though a descriptor says that there is
 * more); false with *err: what is missing. */
bool standard_complete(const struct tape *t, const char *name, bool as_is, struct trawl_error *err);

/* The same, and whether the capture has all the data: 0, or -1 with *err. */
int standard_check(const struct tape *t, const char *name, bool as_is, struct trawl_error *err);

/* The configuration that a host is told of first; NULL: none. */
const struct usb_config *standard_config(const struct tape *t);

/* The class of an interface by its number, or that of the device; 0xff if neither is known. */
uint8_t standard_class(const struct standard *s, uint8_t interface);

#endif
