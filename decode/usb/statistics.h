/* SPDX-License-Identifier: MIT */
/* Counters of USB transfers by device and endpoint, for --summary. */
#ifndef TRAWL_DECODE_USB_STATISTICS_H
#define TRAWL_DECODE_USB_STATISTICS_H

#include "decode/base/output.h"
#include "decode/usb/transfer.h"
#include "decode/usb/device.h"
#include "format/trawl.h"

struct usb_stats;

struct usb_stats *usbstat_new(void); /* Returns NULL if memory runs out. */
void usbstat_free(struct usb_stats *s);

/* Counts one finished transfer. */
void usbstat_add(struct usb_stats *s, const struct transfer *t);

/*
 * Count the records of USBPcap that are not transfers: a request without data, and a packet that is
 * not an event.
 */
void usbstat_request(struct usb_stats *s, const struct urb *u);
void usbstat_unknown(struct usb_stats *s);

/*
 * Appends complete lines: a table of devices and endpoints, errors by kind, and what is missing
 * from the capture.
 */
void usbstat_print(const struct usb_stats *s, const struct usb_devices *devices, struct out *o);

/*
 * Appends a line that states whether the data of all USB transfers is in the file, by
 * usb_replayable(), or nothing if that is not known.
 */
void usbstat_replayable(const struct trawl_reader *r, const struct trawl_meta *verdict,
			struct out *o);

#endif
