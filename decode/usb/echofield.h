/* SPDX-License-Identifier: MIT */
/*
 * Echo fields: tags and sequence numbers, which differ from one session to the next although the
 * session is otherwise the same. They are ignored when two sessions are compared, and adjusted when
 * a session is replayed.
 *
 * Two of them are known: the tag of a mass storage command (BOT: dCBWTag and dCSWTag) and the
 * transaction id of a still-image (PTP) container. Others are learned: bytes that count up over the
 * messages of one length on one endpoint.
 */
#ifndef TRAWL_DECODE_USB_ECHOFIELD_H
#define TRAWL_DECODE_USB_ECHOFIELD_H

#include "decode/usb/bytefield.h"

/* bytes at the start of a message that are searched for echo fields */
enum { ECHO_REACH = FIELD_POSITIONS };

struct echo_lengths; /* the counting bytes of messages of one length */

/* What was learned of one endpoint. Zero-initialise; release with echo_free(). */
struct echo_fields {
	struct echo_lengths *lengths;
	size_t n;
};

void echo_free(struct echo_fields *f);

/*
 * Learns from n messages in their order. Messages longer than ECHO_REACH may be cut to that length.
 * Returns false if memory runs out.
 */
bool echo_learn(struct echo_fields *f, const struct sample *messages, size_t n);

/*
 * Sets mask[i] for each byte i < min(n, ECHO_REACH) of the message at p that belongs to an echo
 * field, and clears all other elements of mask. `storage`: the endpoint belongs to a mass storage
 * interface. f may be NULL.
 */
void echo_mask(const struct echo_fields *f, bool storage, const uint8_t *p, size_t n,
	       bool mask[ECHO_REACH]);

/*
 * Whether the first n bytes of a message of `whole` bytes are those of the recorded one at `was`,
 * which has as many. Echo fields may differ if it is complete, n == whole.
 */
bool echo_same(const struct echo_fields *f, const uint8_t *was, const uint8_t *is, size_t n,
	       size_t whole);

#endif
