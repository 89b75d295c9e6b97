/* SPDX-License-Identifier: MIT */
/* Counters of USB transfers by device and endpoint, for --summary. */
#ifndef TRAWL_DECODE_USB_STATISTICS_H
#define TRAWL_DECODE_USB_STATISTICS_H

#include "decode/base/output.h"
#include "decode/usb/transfer.h"
#include "decode/usb/device.h"

struct usb_stats;

struct usb_stats *usbstat_new(void); /* NULL: out of memory */
void usbstat_free(struct usb_stats *s);

/* One transfer that came to its end. */
void usbstat_add(struct usb_stats *s, const struct transfer *t);

/* What USBPcap has besides transfers: a request that moves no data; a packet that is no event. */
void usbstat_request(struct usb_stats *s, const struct urb *u);
void usbstat_unknown(struct usb_stats *s);

/* Complete lines: a table of devices and endpoints, errors by kind, what was not captured. */
void usbstat_print(const struct usb_stats *s, const struct usb_devices *devices, struct out *o);

/* A line of what a capture's "usb/verdict" says (docs/format.md); none if it makes no sense. */
void usbstat_verdict(const void *data, size_t len, struct out *o);

#endif
