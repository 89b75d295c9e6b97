/* SPDX-License-Identifier: MIT */
/*
 * Messages that network devices exchange over the control endpoint, and the notifications that
 * announce them. Sources: Microsoft's MS-RNDIS (chapter 2), MBIM 1.0 (chapters 9 and 10); OID
 * numbers: Microsoft's NDIS.
 */
#ifndef TRAWL_DECODE_USB_NETMESSAGE_H
#define TRAWL_DECODE_USB_NETMESSAGE_H

#include "decode/base/valuetree.h"

enum { NET_MESSAGE_MIN = 12 }; /* bytes in the shortest message */

/* Append the members of "network". n is at least NET_MESSAGE_MIN. */
void rndis_message_tree(const uint8_t *p, size_t n, struct tree *t);
void mbim_message_tree(const uint8_t *p, size_t n, struct tree *t);
/*
 * Append a phrase such as "QUERY id 5 OID_GEN_LINK_SPEED" or "COMMAND complete id 3 query basic
 * connect: RADIO_STATE".
 */
void rndis_message_brief(const uint8_t *p, size_t n, struct out *o);
void mbim_message_brief(const uint8_t *p, size_t n, struct out *o);

/*
 * Returns the name of an RNDIS notification: 8 bytes from the interrupt endpoint in another form
 * than a CDC notification. NULL: the bytes are not such a notification.
 */
const char *rndis_notification(const uint8_t *p, size_t n);

extern const char *const net_message_names[]; /* names of members, ended by NULL */

#endif
