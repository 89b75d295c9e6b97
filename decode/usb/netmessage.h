/* SPDX-License-Identifier: MIT */
/*
 * Messages that network devices exchange over the control endpoint, and the notifications that
 * announce them. Sources: Microsoft's MS-RNDIS (chapter 2), MBIM 1.0 (chapters 9 and 10); OID
 * numbers: Microsoft's NDIS.
 */
#ifndef TRAWL_DECODE_USB_NETMESSAGE_H
#define TRAWL_DECODE_USB_NETMESSAGE_H

#include "decode/base/namefn.h"
#include "decode/base/valuetree.h"

enum { NET_MESSAGE_MIN = 12 }; /* bytes in the shortest message */

/* Append the members of "network". n is at least NET_MESSAGE_MIN. */
void rndis_message_tree(const uint8_t *p, size_t n, struct tree *t);
/*
 * keys: with PINs, passwords and keys. For the last fragment of several, `whole` is all of the
 * message, as mbim_fragment() describes it; otherwise it is the same as p.
 */
void mbim_message_tree(const uint8_t *p, size_t n, const uint8_t *whole, size_t whole_len,
		       bool keys, struct tree *t);
/*
 * Append a phrase such as "QUERY id 5 OID_GEN_LINK_SPEED" or "COMMAND complete id 3 query basic
 * connect: RADIO_STATE".
 */
void rndis_message_brief(const uint8_t *p, size_t n, struct out *o);
/* Returns whether the phrase covers the whole message. */
bool mbim_message_brief(const uint8_t *p, size_t n, const uint8_t *whole, size_t whole_len,
			bool keys, struct out *o);
/*
 * Whether these are bytes of a message in several fragments: sets its id, how many there are, which
 * this is, and the length of the fragment's header. A message is its first fragment, then the
 * others without their headers.
 */
bool mbim_fragment(const uint8_t *p, size_t n, uint32_t *id, uint32_t *count, uint32_t *number,
		   size_t *head);
/* Whether the message, of which the end may be missing, holds a PIN, a password or a key. */
bool mbim_message_has_secret(const uint8_t *p, size_t n);

/*
 * Returns the name of an RNDIS notification: 8 bytes from the interrupt endpoint in another form
 * than a CDC notification. NULL: the bytes are not such a notification.
 */
const char *rndis_notification(const uint8_t *p, size_t n);

extern const char *const net_message_names[]; /* names of members, ended by NULL */
/* As words() of a class. */
void net_message_words(const char *member, decoder_name_fn *fn, void *arg);

#endif
