/* SPDX-License-Identifier: MIT */
/*
 * A usbmon device without a kernel: a ring with the rules of drivers/usb/mon/mon_bin.c, behind
 * the system calls that capture/usb/usbmon.c makes.
 */
#ifndef TRAWL_TESTS_CAPTURE_USB_MONMODEL_H
#define TRAWL_TESTS_CAPTURE_USB_MONMODEL_H

#include <stdbool.h>
#include "capture/usb/usbmon.h"

struct monmodel {
	size_t ring_max;     /* MON_IOCT_RING_SIZE refuses more */
	bool no_map;         /* mmap() fails */
	unsigned int interrupts; /* so many waits end with EINTR before they look */
	uint8_t *ring;
	size_t size, in, out, used;
	uint32_t lost;
	bool mapped;
	uint64_t fetches, flushed; /* ioctls that fetched; events flushed, fillers too */
	uint64_t statistics;       /* MON_IOCG_STATS calls */
};

extern struct monmodel monmodel; /* the one device */
extern const struct usbmon_ops monmodel_ops;

/* A closed device with an empty ring of the kernel's default size. */
void monmodel_reset(void);

/*
 * What the driver does for an event: sets len_cap to what fits, or counts a loss. data NULL: what
 * lies in the ring from the round before is its data.
 */
bool monmodel_event(const struct usbmon_header *h, const void *data, size_t len);

#endif
