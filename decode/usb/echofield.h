/* SPDX-License-Identifier: MIT */
/*
 * Fields of messages that differ from one session to the next although nothing else does: tags and
 * sequence numbers. They are left out where two sessions are compared, and put right where one is
 * played again.
 *
 * The tag of a mass storage command (BOT: dCBWTag, in the CSW too) and the transaction id of a
 * still-image container are known. Others are learned: bytes that count up over the messages of
 * one length of an endpoint, whatever the message says.
 */
#ifndef TRAWL_DECODE_USB_ECHOFIELD_H
#define TRAWL_DECODE_USB_ECHOFIELD_H

#include "decode/usb/bytefield.h"

enum { ECHO_REACH = FIELD_POSITIONS }; /* bytes at the front of a message that may hold such a
				        * field */

struct echo_lengths; /* of one length of messages: which bytes count */

/* What is learned of one endpoint. Zeroed: nothing. */
struct echo_fields {
	struct echo_lengths *lengths;
	size_t n;
};

void echo_free(struct echo_fields *f);

/* Learns from n messages, in their order; those longer than ECHO_REACH may be cut. -1: no
 * memory. */
int echo_learn(struct echo_fields *f, const struct sample *messages, size_t n);

/*
 * Sets mask[i] for each byte i < min(n, ECHO_REACH) of this message that is such a field.
 * `storage`: the endpoint is one of mass storage. f may be NULL.
 */
void echo_mask(const struct echo_fields *f, bool storage, const uint8_t *p, size_t n,
	       bool mask[ECHO_REACH]);

#endif
