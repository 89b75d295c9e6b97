/* SPDX-License-Identifier: MIT */
/* Which data may be keystrokes, and what says so. */
#ifndef TRAWL_DECODE_USB_KEYSTROKES_H
#define TRAWL_DECODE_USB_KEYSTROKES_H

#include "decode/usb/detail.h"

/*
 * The rule by which the data of this transfer is masked; NULL: nothing says that it is keystrokes.
 * To be asked once for each transfer, in order: without descriptors, all reports of an endpoint so
 * far count.
 *
 *	"report descriptor"     the report has fields of the usage page Keyboard
 *	"boot protocol"         the interface is a boot keyboard (HID 1.11, 4.3)
 *	"form of its reports"   nothing describes the endpoint, and all its reports look like those
 *	                        of a boot keyboard: 8 bytes, the second 0, then usages of keys
 */
const char *keystrokes_rule(struct usb_devices *devices, struct usb_detail *d);

extern const char keystrokes_by_form[]; /* that rule */

/* Whether the bytes have the form of a boot keyboard's report. */
bool keystrokes_form(const uint8_t *p, size_t n);

#endif
