/* SPDX-License-Identifier: MIT */
/*
 * Conversations: the messages that host and device exchange over a pair of endpoints.
 *
 * Each transfer whose payload no decoder explains is one message of the pipe that carried it. After
 * all captures are read, the pipes of one device in several captures are joined, and an OUT pipe
 * and the IN pipe that answers it, or several that do in turn, are paired into a conversation.
 * Devices are identified by vendor and product id. Devices without a known descriptor that use the
 * same endpoints in different captures are taken to be one device; `guessed` of the conversation
 * then says so.
 */
#ifndef TRAWL_DECODE_USB_CONVERSATION_H
#define TRAWL_DECODE_USB_CONVERSATION_H

#include "decode/usb/pipe.h"
#include "decode/usb/usb.h"

enum { CONVERSATION_NAME = 160 };

struct conversation {
	char device[CONVERSATION_NAME];  /* "1e71:2007 NZXT ...", or "no descriptors" */
	char addresses[64];              /* "1:8, 1:9" */
	/* unnamed devices of several captures were joined into this one */
	bool guessed;
	enum pipe_kind kind;
	uint8_t xfer;                    /* enum urb_xfer */
	/* endpoint numbers, with bit 7 set for IN; in == 0: no IN endpoint */
	uint8_t out, in;
	uint16_t ins;                    /* bit n: IN endpoint n; several may answer in turn */
	bool has_out, has_in;
	/* messages of both directions, sorted by capture and time */
	struct message *messages;
	uint32_t count;
	uint8_t *bytes;                  /* contents of all messages; see message.at */
	/* number of messages that were not kept for lack of room */
	uint64_t left_out;
	/* number of messages that are keystrokes and therefore not kept */
	uint64_t masked;
};

struct conversations;

struct conversations *conversations_new(void); /* Returns NULL if memory runs out. */
void conversations_free(struct conversations *c);

/* Takes one transfer of a capture. Returns false if memory runs out. */
bool conversations_take(struct conversations *c, const struct usb_state *s,
			const struct usb_detail *d, uint32_t capture);

/*
 * Joins and pairs the pipes; call after the last transfer. The conversations are owned by c.
 * Returns false if memory runs out.
 */
bool conversations_join(struct conversations *c, struct conversation **list, size_t *n);

/*
 * Returns the number of transfers that belong to no conversation because another decoder explains
 * them.
 */
uint64_t conversations_explained(const struct conversations *c);

static inline const uint8_t *message_bytes(const struct conversation *c, const struct message *m)
{
	return c->bytes + m->at;
}

#endif
