/* SPDX-License-Identifier: MIT */
/*
 * usbmon's text form, from debugfs: for where the binary device is not to be had. It carries at
 * most 32 bytes of data of a transfer and five isochronous packets.
 */
#ifndef TRAWL_CAPTURE_USB_TEXT_H
#define TRAWL_CAPTURE_USB_TEXT_H

#include <stddef.h>
#include <stdint.h>
#include "format/trawl.h"

struct usbtext {
	int fd; /* cannot be polled: the kernel says "ready" always */
	uint16_t bus;
	uint8_t *record;
	int64_t ahead;      /* ns that the wall clock is ahead of the steady one */
	uint32_t lost;      /* events that the kernel had lost when it was last asked */
	uint64_t malformed; /* lines that make no sense */
};

/* Opens the file of a bus, 0: of all buses. */
int usbtext_open(struct usbtext *t, uint16_t bus, struct trawl_error *err);

/*
 * The next event in binary form, as usbmon_next() gives it, with its time made whole: 1 with
 * *event set (until the next call), 0 when there is none now, -1.
 */
int usbtext_next(struct usbtext *t, const uint8_t **event, struct trawl_error *err);

/*
 * Events lost since the last call, or before the first. The kernel counts them for each bus, of all
 * that read its text: where others do so too, these may be theirs.
 */
int usbtext_lost(struct usbtext *t, uint64_t *lost, struct trawl_error *err);

/*
 * The wall clock's time, ns, of a line's time: us of the steady clock (CLOCK_MONOTONIC), which
 * start again at 0 every 4096 s. It was read when that showed `steady` ns, and the wall clock was
 * `ahead`.
 */
int64_t usbtext_time(uint32_t line, int64_t steady, int64_t ahead);

/* Why it cannot be used here, or NULL if it can. */
const char *usbtext_why_not(void);

void usbtext_close(struct usbtext *t);

#endif
