/* SPDX-License-Identifier: MIT */
/* The requests of /dev/usbmonN. The kernel has no header for them: Documentation/usb/usbmon.rst. */
#ifndef TRAWL_CAPTURE_USB_USBMON_IOCTL_H
#define TRAWL_CAPTURE_USB_USBMON_IOCTL_H

#include <linux/ioctl.h>
#include <stddef.h>
#include <stdint.h>

struct mon_bin_stats {
	uint32_t queued;
	uint32_t dropped; /* events dropped since the last call */
};

struct mon_bin_get {
	void *header;
	void *data;
	size_t alloc; /* bytes at data */
};

struct mon_bin_mfetch {
	uint32_t *offsets;
	uint32_t nfetch; /* in: size of offsets; out: number of entries filled in */
	uint32_t nflush; /* in: events to flush first; out: flushed */
};

#define MON_IOC_MAGIC 0x92
#define MON_IOCG_STATS _IOR(MON_IOC_MAGIC, 3, struct mon_bin_stats)
#define MON_IOCT_RING_SIZE _IO(MON_IOC_MAGIC, 4)
#define MON_IOCQ_RING_SIZE _IO(MON_IOC_MAGIC, 5)
#define MON_IOCX_MFETCH _IOWR(MON_IOC_MAGIC, 7, struct mon_bin_mfetch)
#define MON_IOCH_MFLUSH _IO(MON_IOC_MAGIC, 8)
#define MON_IOCX_GETX _IOW(MON_IOC_MAGIC, 10, struct mon_bin_get)

#endif
