/* SPDX-License-Identifier: MIT */
/*
 * usbmon's text form, from debugfs, for machines without the binary device. It has at most 32 bytes
 * of data of a transfer and five isochronous packets.
 */
#ifndef TRAWL_CAPTURE_USB_TEXT_H
#define TRAWL_CAPTURE_USB_TEXT_H

#include <stddef.h>
#include <stdint.h>
#include "format/trawl.h"

struct usbtext {
	int fd; /* poll() always returns at once for it */
	uint16_t bus;
	uint8_t *record;
	int64_t ahead;      /* ns that the wall clock is ahead of the steady one */
	uint32_t lost;      /* the kernel's count of lost events at the last usbtext_lost() */
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
 * Sets *lost to the events lost since the last call, or before the first. The kernel counts them by
 * bus, for all programs that read its text: they may be another program's.
 */
int usbtext_lost(struct usbtext *t, uint64_t *lost, struct trawl_error *err);

/*
 * Converts a line's time to CLOCK_REALTIME, ns. line: us of CLOCK_MONOTONIC, which start at 0 again
 * every 4096 s. steady: CLOCK_MONOTONIC, ns, when it was read; ahead: CLOCK_REALTIME minus
 * CLOCK_MONOTONIC, ns.
 */
int64_t usbtext_time(uint32_t line, int64_t steady, int64_t ahead);

/* Returns why the text form cannot be used here, or NULL if it can. */
const char *usbtext_why_not(void);

void usbtext_close(struct usbtext *t);

#endif
