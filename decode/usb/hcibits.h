/* SPDX-License-Identifier: MIT */
/* Names of the bits of masks and feature sets of Bluetooth. Source: Core 5.3. */
#ifndef TRAWL_DECODE_USB_HCIBITS_H
#define TRAWL_DECODE_USB_HCIBITS_H

#include <stdint.h>

/*
 * Returns the name of a bit of a mask of this kind, or NULL. Kinds: 'L' LMP features of page 0, 'F'
 * LE features, 'M' masks of events, 'E' of LE events, 'P' link policy, 'T' types of ACL packets.
 */
const char *hci_bit_name(char kind, unsigned int bit);

#endif
