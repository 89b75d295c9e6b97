/* SPDX-License-Identifier: MIT */
/*
 * Conversations: what host and device say to each other over a pair of endpoints, as messages.
 *
 * Every transfer whose payload no decoder explains is a message of the pipe it went over. When all
 * captures are read, pipes of the same device in several captures become one, and a pipe OUT and a
 * pipe IN become a conversation. Which device is the same is known by its vendor and product; of
 * devices that no descriptor names, those of different captures that use the same endpoints are
 * taken as one, and the conversation says that it is so.
 */
#ifndef TRAWL_DECODE_USB_CONVERSATION_H
#define TRAWL_DECODE_USB_CONVERSATION_H

#include "decode/usb/usb.h"

enum {
	MESSAGE_KEPT = 4096,   /* bytes of a message that are looked at */
	CONVERSATION_NAME = 160,
};

#define NO_MESSAGE UINT32_MAX

struct message {
	uint64_t time;      /* timeline: OUT when submitted, IN when completed */
	size_t at;          /* its bytes, in the pipe's store */
	uint32_t length;    /* of the whole */
	uint32_t kept;      /* bytes in the store */
	uint32_t capture;   /* number of the capture, from 0 */
	uint32_t group;     /* of its message type; set by messagetype.c */
	uint32_t answer;    /* of a request: the message that answers it; NO_MESSAGE */
	bool in;
};

enum pipe_kind {
	PIPE_ENDPOINT, /* bulk or interrupt */
	PIPE_SERIAL,   /* the same, of a serial converter: without status bytes */
	PIPE_VENDOR,   /* vendor requests: the setup packet, then the data OUT; data IN */
	PIPE_REPORT,   /* reports of a HID device over its control endpoint */
};

struct conversation {
	char device[CONVERSATION_NAME];  /* "1e71:2007 NZXT ...", or "no descriptors" */
	char addresses[64];              /* "1:8, 1:9" */
	bool guessed;                    /* unnamed devices of several captures were joined */
	enum pipe_kind kind;
	uint8_t xfer;                    /* enum urb_xfer */
	uint8_t out, in;                 /* endpoint numbers with bit 7 for IN; in 0: none */
	bool has_out, has_in;
	struct message *messages;        /* of both directions, by capture and time */
	uint32_t count;
	uint8_t *bytes;                  /* of all messages, by message.at */
	uint64_t left_out;               /* messages beyond what is kept */
	uint64_t masked;                 /* messages that are keystrokes */
};

struct conversations;

struct conversations *conversations_new(void); /* NULL: out of memory */
void conversations_free(struct conversations *c);

/* Takes a transfer of a capture. 0, or -1: out of memory. */
int conversations_take(struct conversations *c, const struct usb_state *s,
		       const struct usb_detail *d, uint32_t capture);

/* After the last transfer: joins pipes; the conversations live as long as c. -1: out of memory. */
int conversations_join(struct conversations *c, struct conversation **list, size_t *n);

/* Transfers that are no part of a conversation, since a decoder explains them. */
uint64_t conversations_explained(const struct conversations *c);

static inline const uint8_t *message_bytes(const struct conversation *c, const struct message *m)
{
	return c->bytes + m->at;
}

#endif
