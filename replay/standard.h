/* SPDX-License-Identifier: MIT */
/*
 * The device of chapter 9 of the USB specification: answers standard requests from the descriptors
 * and the current configuration and alternate settings, in whatever order a host asks.
 */
#ifndef TRAWL_REPLAY_STANDARD_H
#define TRAWL_REPLAY_STANDARD_H

#include "replay/tape.h"
#include "replay/usbip.h"

struct standard {
	const struct tape *tape;
	enum usbip_speed speed;
	/* the device descriptor; its number of configurations is that of those in the capture */
	uint8_t descriptor[18];
	uint8_t configuration;
	bool configured;      /* a host has set a configuration */
	uint8_t alternate[USBDEV_INTERFACES];
	uint8_t answer[1024]; /* buffer for answers that are no recorded descriptor */
};

/*
 * Starts an unconfigured device; t must outlive *s. as_is: with the number of configurations that
 * its descriptor has, not of those that the tape has.
 */
void standard_start(struct standard *s, const struct tape *t, bool as_is);

/*
 * Answers a standard request. Returns 0 with *data and *n, the answer before it is cut to wLength
 * (nothing for an OUT request); or -EPIPE for a STALL. *data is valid until the next call.
 */
int standard_answer(struct standard *s, const struct control_request *r, const uint8_t **data,
		    size_t *n);

/*
 * Checks that the tape has all descriptors that a host needs to enumerate the device, and the data
 * of all transfers. as_is: the configuration descriptor may be shorter than it says. Returns 0, or
 * -1 with *err.
 */
int standard_check(const struct tape *t, const char *name, bool as_is, struct trawl_error *err);

/*
 * Writes the i-th remark on descriptors that the capture lacks, and what that means for drivers;
 * returns false after the last one.
 */
bool standard_note(const struct standard *s, unsigned int i, char *text, size_t room);

#endif
