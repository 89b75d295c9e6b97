/* SPDX-License-Identifier: MIT */
/*
 * Packets of macOS captures (link type 266, XHC20): a header of 32 bytes, then a setup packet or
 * data. The reader converts a packet to a record in usbmon's form (urb.h); the file keeps the
 * original packet. Isochronous frames are not decoded.
 */
#ifndef TRAWL_DECODE_USB_DARWIN_H
#define TRAWL_DECODE_USB_DARWIN_H

#include "decode/base/namefn.h"
#include "decode/base/output.h"
#include "decode/usb/urb.h"

/*
 * Appends to *out a record in usbmon's form made from the n captured bytes of a packet whose
 * original length was `length`, and fills *f. A packet that is neither a submission nor a
 * completion becomes a record of type 'P' whose data is the whole packet.
 */
void darwin_record(const uint8_t *packet, size_t n, uint32_t length, struct out *out,
		   struct darwin_fields *f);

/* The name of an IOReturn in macOS without the prefix "kIO", or NULL if it is not in the table. */
const char *darwin_status_name(uint32_t status);
/* Calls fn for each of these names. */
void darwin_status_words(decoder_name_fn *fn, void *arg);

const char *darwin_speed_name(uint8_t speed);

#endif
