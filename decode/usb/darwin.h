/* SPDX-License-Identifier: MIT */
/*
 * A packet of macOS (link type 266, XHC20: a header of 32 bytes, then a setup packet or data) and
 * what becomes of it when it is read: a record in usbmon's form (urb.h). In the file it stays what
 * it was. Isochronous frames are not taken apart.
 */
#ifndef TRAWL_DECODE_USB_DARWIN_H
#define TRAWL_DECODE_USB_DARWIN_H

#include "decode/base/output.h"
#include "decode/usb/urb.h"

/*
 * Makes a record of usbmon's form in *out of a packet, `length` bytes long before it was cut, and
 * fills *f. Of a packet that is no submission and no completion the record is of type 'P', and its
 * data is the packet.
 */
void darwin_record(const uint8_t *packet, size_t n, uint32_t length, struct out *out,
		   struct darwin_fields *f);

/* The name that macOS gives to an IOReturn, without "kIO"; NULL: none is known here. */
const char *darwin_status_name(uint32_t status);

const char *darwin_speed_name(uint8_t speed);

#endif
