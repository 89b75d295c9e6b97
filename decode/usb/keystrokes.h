/* SPDX-License-Identifier: MIT */
/* Recognises data that may contain keystrokes. */
#ifndef TRAWL_DECODE_USB_KEYSTROKES_H
#define TRAWL_DECODE_USB_KEYSTROKES_H

#include "decode/usb/detail.h"

/*
 * Returns the rule by which the data of this transfer is masked, or NULL if nothing indicates
 * keystrokes. Must be called once for each transfer, in order: for endpoints without descriptors
 * the rule depends on all earlier reports. The rules are:
 *
 *  "report descriptor"     the report has fields of the usage page Keyboard
 *  "boot protocol"         the interface is a boot keyboard (HID 1.11, 4.3)
 *  "form of its reports"   the endpoint has no descriptor, and all its reports look like those
 *                          of a boot keyboard: 8 bytes, the second 0, then usages of keys; or the
 *                          report is a keyboard's that a receiver of Logitech passes on
 */
const char *keystrokes_rule(struct usb_devices *devices, struct usb_detail *d);

/*
 * Returns the rule for data of endpoint 0 or of an unknown endpoint whose request is unknown. The
 * data may be a report of any interface of dev (NULL: an unknown device).
 */
const char *keystrokes_rule_anywhere(const struct usb_device *dev, const uint8_t *p, size_t n);

extern const char keystrokes_by_form[]; /* the rule "form of its reports" */

/* Whether the bytes look like the report of a boot keyboard. */
bool keystrokes_form(const uint8_t *p, size_t n);
/*
 * Whether they look like the report of a keyboard that a receiver of Logitech (DJ) passes on.
 * length: the report's; n is less if the capture cut it.
 */
bool keystrokes_passed_on(const uint8_t *p, size_t n, size_t length);

#endif
