/* SPDX-License-Identifier: MIT */
/*
 * A model of a usbmon device: a ring with the rules of drivers/usb/mon/mon_bin.c, behind the system
 * calls that capture/usb/usbmon.c makes.
 */
#ifndef TRAWL_TESTS_CAPTURE_USB_MONMODEL_H
#define TRAWL_TESTS_CAPTURE_USB_MONMODEL_H

#include <stdbool.h>
#include "capture/usb/usbmon.h"

struct monmodel {
	size_t ring_max;     /* MON_IOCT_RING_SIZE refuses larger values */
	bool no_map;         /* mmap() fails */
	unsigned int interrupts; /* the next waits end with EINTR */
	uint8_t *ring;
	size_t size, in, out, used;
	uint32_t lost;
	bool mapped;
	uint64_t fetches, flushed; /* fetch ioctls; flushed events, including fillers */
	uint64_t statistics;       /* MON_IOCG_STATS calls */
};

extern struct monmodel monmodel; /* the only device */
extern const struct usbmon_ops monmodel_ops;

/* A closed device with an empty ring of the kernel's default size. */
void monmodel_reset(void);

/*
 * Does the driver's work for an event: sets len_cap to what fits, or counts a loss. If data is
 * NULL, the old contents of the ring become its data.
 */
bool monmodel_event(const struct usbmon_header *h, const void *data, size_t len);

#endif
