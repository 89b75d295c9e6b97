/* SPDX-License-Identifier: MIT */
/*
 * usbmon's text interface in debugfs, for machines without the binary device. It has at most 32
 * data bytes and five isochronous packets of a transfer.
 */
#ifndef TRAWL_CAPTURE_USB_TEXT_H
#define TRAWL_CAPTURE_USB_TEXT_H

#include <stddef.h>
#include <stdint.h>
#include "format/trawl.h"

struct usbtext {
	int fd; /* poll() does not work: it always returns at once */
	uint16_t bus;
	uint8_t *record;
	int64_t ahead;      /* CLOCK_REALTIME minus CLOCK_MONOTONIC, ns */
	uint32_t lost;      /* the kernel's count of lost events at the last call of
			     * usbtext_lost() */
	uint64_t malformed; /* lines that cannot be parsed */
};

/* Opens the file of a bus; 0: of all buses. Returns 0, or -1 with *err. */
int usbtext_open(struct usbtext *t, uint16_t bus, struct trawl_error *err);

/*
 * Reads the next event and converts it to the form of usbmon_next(), with a complete time. Returns
 * 1 with *event, valid until the next call; 0: there is none now; -1 with *err.
 */
int usbtext_next(struct usbtext *t, const uint8_t **event, struct trawl_error *err);

/*
 * Sets *lost to the events lost since the last call (at first: since the open). The kernel has one
 * count for each bus and all its readers, so these may be losses of another program.
 */
int usbtext_lost(struct usbtext *t, uint64_t *lost, struct trawl_error *err);

/*
 * Converts a line's time to CLOCK_REALTIME, ns. line: CLOCK_MONOTONIC in us, modulo 4096 s. steady:
 * CLOCK_MONOTONIC in ns when the line was read. ahead: CLOCK_REALTIME minus CLOCK_MONOTONIC, ns.
 */
int64_t usbtext_time(uint32_t line, int64_t steady, int64_t ahead);

/* Returns why the text interface cannot be used here, or NULL if it can. */
const char *usbtext_why_not(void);

void usbtext_close(struct usbtext *t);

#endif
