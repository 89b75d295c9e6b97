/* SPDX-License-Identifier: MIT */
/*
 * Converts the descriptor transfers that trawl-export synthesised back into snapshots of the
 * devices ("usb/PORTPATH", docs/format.md). Packets do not contain the port of a device, so it is
 * named by bus and address, "usb/1:4".
 */
#ifndef TRAWL_DECODE_IMPORT_SNAPSHOT_H
#define TRAWL_DECODE_IMPORT_SNAPSHOT_H

#include "common/json.h"
#include "decode/base/output.h"
#include "format/trawl.h"

/*
 * The device whose packets are being read; the packets of one device are consecutive. All zero:
 * none.
 */
struct snapshot {
	uint16_t bus;
	uint8_t device;
	uint64_t time;          /* time of its first packet, ns since the epoch */
	uint8_t setup[8];       /* setup packet of the last request */
	struct out descriptors; /* hex digits: device descriptor, then the configurations */
	bool failed;            /* out of memory */
	struct json text;       /* JSON text with the array of interfaces open; empty: no device */
};

/*
 * Processes one synthesised packet in usbmon's binary form. Returns 0, or -1 with *err if writing
 * fails.
 */
int snapshot_add(struct snapshot *s, struct trawl_writer *w, const uint8_t *record, size_t len,
		 struct trawl_error *err);

/* Writes the last device. Returns 0, or -1 with *err. */
int snapshot_end(struct snapshot *s, struct trawl_writer *w, struct trawl_error *err);
void snapshot_free(struct snapshot *s);

#endif
