/* SPDX-License-Identifier: MIT */
/*
 * Messages that network devices take and give over the control endpoint, and how they announce
 * them. Sources: Microsoft's MS-RNDIS (chapter 2), MBIM 1.0 (chapters 9 and 10); numbers of OIDs:
 * Microsoft's NDIS.
 */
#ifndef TRAWL_DECODE_USB_NETMESSAGE_H
#define TRAWL_DECODE_USB_NETMESSAGE_H

#include "decode/base/valuetree.h"

enum { NET_MESSAGE_MIN = 12 }; /* bytes that every message has */

/* Members of "network". n is at least NET_MESSAGE_MIN. */
void rndis_message_tree(const uint8_t *p, size_t n, struct tree *t);
void mbim_message_tree(const uint8_t *p, size_t n, struct tree *t);
/* "QUERY id 5 OID_GEN_LINK_SPEED", "COMMAND complete id 3 query basic connect: RADIO_STATE". */
void rndis_message_brief(const uint8_t *p, size_t n, struct out *o);
void mbim_message_brief(const uint8_t *p, size_t n, struct out *o);

/* What the interrupt endpoint of an RNDIS device says: 8 bytes that are no notification of CDC. */
const char *rndis_notification(const uint8_t *p, size_t n);

extern const char *const net_message_names[]; /* of members, ended by NULL */

#endif
