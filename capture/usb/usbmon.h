/* SPDX-License-Identifier: MIT */
/*
 * The kernel's usbmon device: a ring of USB events that is mapped, fetched from in batches and
 * flushed by the next fetch. Documentation/usb/usbmon.rst and drivers/usb/mon/mon_bin.c.
 *
 *	usbmon_open()		ring as large as the kernel takes, mapped
 *	usbmon_next()		the next event, in place; 0 when there is none now
 *	usbmon_lost()		events that the kernel had no room for, since the last call
 *	usbmon_close()
 *
 * An event is the 64-byte header (struct usbmon_header), isochronous descriptors and data, in the
 * ring itself: it is valid until the next call of usbmon_next(). Nothing is copied here.
 */
#ifndef TRAWL_CAPTURE_USB_USBMON_H
#define TRAWL_CAPTURE_USB_USBMON_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "common/usbtypes.h"

enum {
	USBMON_ISO_DESC = 16,     /* bytes of an isochronous descriptor */
	USBMON_BATCH = 1024,      /* events fetched by one ioctl */
	USBMON_RING_MIN = 1200 << 10,
	USBMON_RING_MAX = 64 << 20,
};

/* The system calls on the device; tests replace them by a model of the device. */
struct usbmon_ops {
	int (*open)(const char *path, int flags);
	int (*ioctl)(int fd, unsigned long request, void *arg);
	void *(*map)(int fd, size_t size);
	void (*unmap)(void *ring, size_t size);
	int (*close)(int fd);
};

extern const struct usbmon_ops usbmon_kernel;

struct usbmon {
	const struct usbmon_ops *ops;
	int fd;             /* for poll(); -1: not open */
	const uint8_t *ring; /* NULL: could not be mapped, events are read one by one */
	size_t ring_size;
	uint32_t *offsets;  /* offsets of the fetched batch */
	uint32_t fetched;   /* events in the batch */
	uint32_t used;      /* events of the batch that were returned; the next fetch flushes
			     * them */
	size_t held;        /* bytes of the ring that the returned events occupy */
	uint8_t *copy;      /* buffer for an event that wraps, or that was read by MON_IOCX_GETX */
	uint64_t fetches;   /* number of ioctls that fetched, for statistics */
	uint64_t malformed; /* events whose lengths exceed the ring */
};

/*
 * Opens a usbmon device. ring_max bounds the ring (0: USBMON_RING_MAX). If the ring cannot be
 * mapped, events are read by MON_IOCX_GETX, which is slower. Returns 0, or -1 with *err.
 */
int usbmon_open(struct usbmon *m, const struct usbmon_ops *ops, const char *path, size_t ring_max,
		struct trawl_error *err);

/*
 * Sets *event to the next event: its header and the len_cap bytes after it, contiguous. Returns 1;
 * 0: there is none now, and earlier ones are flushed, so that poll() waits for new ones; -1 with
 * *err.
 */
int usbmon_next(struct usbmon *m, const uint8_t **event, struct trawl_error *err);

/* Drops the events in the ring. */
void usbmon_flush(struct usbmon *m);

/*
 * Sets *lost to the events lost since the last call (reading resets the kernel's counter). Returns
 * 0, or -1 with *err.
 */
int usbmon_lost(struct usbmon *m, uint64_t *lost, struct trawl_error *err);

/* Returns how many data bytes of an event the kernel keeps; the rest is cut. */
size_t usbmon_data_max(const struct usbmon *m);

void usbmon_close(struct usbmon *m);

#endif
