/* SPDX-License-Identifier: MIT */
/* Names of well-known identifiers in descriptors: platform UUIDs, languages, SVIDs. */
#ifndef TRAWL_DECODE_USB_WELLKNOWN_H
#define TRAWL_DECODE_USB_WELLKNOWN_H

#include <stdint.h>

/* These functions return NULL if the identifier is unknown. */
const char *platform_uuid_name(const uint8_t uuid[16]); /* of a platform device capability */
const char *language_name(uint16_t id);                 /* wLANGID of string descriptor 0 */
const char *svid_name(uint16_t svid);                   /* of an alternate mode of USB-C */

#endif
