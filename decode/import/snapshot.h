/* SPDX-License-Identifier: MIT */
/*
 * Descriptors that trawl-export made transfers of, back in the form that they had: a capture's
 * snapshots of the devices that were plugged in before it began ("usb/PORTPATH", docs/format.md).
 * The place of a device is in no packet, so it is called by bus and address, "usb/1:4".
 */
#ifndef TRAWL_DECODE_IMPORT_SNAPSHOT_H
#define TRAWL_DECODE_IMPORT_SNAPSHOT_H

#include "common/json.h"
#include "decode/base/output.h"
#include "format/trawl.h"

/* The device whose packets come now: those of one follow each other. All zero: none. */
struct snapshot {
	uint16_t bus;
	uint8_t device;
	uint64_t time;          /* of its first packet, ns since the epoch */
	uint8_t setup[8];       /* what was asked for last */
	struct out descriptors; /* in hex: the device's own, its configurations */
	struct json text;       /* open in the array of interfaces; empty: there is no device */
};

/* One made-up packet, in usbmon's binary form. 0, or -1: the writer fails. */
int snapshot_add(struct snapshot *s, struct trawl_writer *w, const uint8_t *record, size_t len,
		 struct trawl_error *err);

/* Writes the last device. 0 or -1. */
int snapshot_end(struct snapshot *s, struct trawl_writer *w, struct trawl_error *err);
void snapshot_free(struct snapshot *s);

#endif
