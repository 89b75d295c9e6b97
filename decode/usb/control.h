/* SPDX-License-Identifier: MIT */
/*
 * Control requests: the eight bytes of a setup packet, by name.
 *
 * Sources: USB 2.0 and 3.2 chapter 9 and 11 (standard, hub), and the class specifications: HID
 * 1.11, Mass Storage Bulk-Only 1.0, CDC 1.2 with PSTN and NCM, Audio 1.0/2.0/3.0, Video 1.5,
 * Printer 1.1, DFU 1.1, CCID 1.1, Still Image 1.0, USBTMC 1.0, Bluetooth (HCI over USB).
 * Requests of a class are named only when the class of their recipient is known.
 */
#ifndef TRAWL_DECODE_USB_CONTROL_H
#define TRAWL_DECODE_USB_CONTROL_H

#include "decode/base/namefn.h"
#include "decode/base/valuetree.h"
#include "decode/usb/chapter9.h"

void control_parse(struct control_request *s, const uint8_t bytes[8]);

/*
 * Appends the members bmRequestType to wLength, the name of the request, and its decoded arguments
 * to the object that is open in t.
 */
void control_request_tree(const struct control_request *s, const struct control_target *to,
			  struct tree *t);

/*
 * Appends one phrase, such as "GET_DESCRIPTOR string 2" or "class request 0x09 value 0x0200 index
 * 0x0000".
 */
void control_request_brief(const struct control_request *s, const struct control_target *to,
			   struct out *o);

/* Calls fn for the name of each request. */
void control_request_words(decoder_name_fn *fn, void *arg);

/* The names of recipients, in the order of their numbers; ends with NULL. */
extern const char *const control_recipients[];

#endif
