/* SPDX-License-Identifier: MIT */
/* The devices of a capture, and the choice of the one to replay. */
#ifndef TRAWL_REPLAY_TAPEDEVICE_H
#define TRAWL_REPLAY_TAPEDEVICE_H

#include <stdbool.h>
#include <stdint.h>

#include "decode/usb/usb.h"
#include "format/trawl.h"
#include "replay/tapefile.h"

struct tape_device {
	uint16_t bus;
	uint8_t address;
	bool known;        /* its device descriptor is known */
	bool configured;   /* a complete configuration descriptor is known */
	bool root, hub;
	uint16_t vendor, product;
	char name[128], port[64];
	uint64_t transfers;
	/* the capture's source of the transfers, or TAPE_ANY_SOURCE (tapereader.h) */
	uint32_t source;
	uint64_t first, last; /* times of the first and the last of them */
};

/*
 * Finds the device that is meant. Returns 0, or -1 with *err, which lists the devices if it is none
 * of them.
 */
int tape_device_choose(const struct tape_file *file, struct tape_device *d,
		       struct trawl_error *err);

/* Whether a transfer was never completed, and is of the device that had the address before. */
bool tape_device_had_former(const struct tape_device *x, const struct usb_detail *d);

#endif
