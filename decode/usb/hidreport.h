/* SPDX-License-Identifier: MIT */
/* Shows HID report descriptors, and the reports that they describe. */
#ifndef TRAWL_DECODE_USB_HIDREPORT_H
#define TRAWL_DECODE_USB_HIDREPORT_H

#include "decode/usb/hiddescriptor.h"
#include "decode/base/valuetree.h"

/* Whether the report at p may contain keystrokes. */
bool hid_is_secret(const struct hid_report *h, enum hid_kind kind, const uint8_t *p, size_t n);

/*
 * Appends the values of a report as an object "report". With show_keys, pressed keys are named;
 * otherwise only their number is given.
 */
void hid_tree(const struct hid_report *h, enum hid_kind kind, const uint8_t *p, size_t n,
	      bool show_keys, struct tree *t);

/*
 * Appends the report as a phrase, such as "keys LeftShift+A" or "X=3 Y=-1 Button1". Returns true if
 * the phrase covers all fields of the report, false if some are vendor-defined bytes.
 */
bool hid_brief(const struct hid_report *h, enum hid_kind kind, const uint8_t *p, size_t n,
	       bool show_keys, struct out *o);

/* Appends what a report descriptor declares as a list "reports". */
void hid_descriptor_tree(const struct hid_report *h, struct tree *t);

/* Appends what a report descriptor declares as a phrase, such as "Mouse, 5 fields". */
void hid_descriptor_brief(const struct hid_report *h, struct out *o);

#endif
