/* SPDX-License-Identifier: MIT */
/* Names of HID usages. Source: HID Usage Tables 1.4. */
#ifndef TRAWL_DECODE_USB_HIDUSAGE_H
#define TRAWL_DECODE_USB_HIDUSAGE_H

#include <stdint.h>

/* A usage is page << 16 | id. */
#define HID_PAGE(usage) ((usage) >> 16)
#define HID_ID(usage) ((usage) & 0xffff)

enum hid_page {
	HID_DESKTOP = 0x01,
	HID_KEYBOARD = 0x07,
	HID_LED = 0x08,
	HID_BUTTON = 0x09,
	HID_CONSUMER = 0x0c,
	HID_DIGITIZER = 0x0d,
};

const char *hid_usage_name(uint32_t usage); /* NULL: unknown, or the usage only has a number */

#endif
