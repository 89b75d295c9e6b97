/* SPDX-License-Identifier: MIT */
/*
 * The protocol of a conversation that nobody has described: types of messages, told apart by their
 * first bytes and lengths; which type answers which; what the bytes of each do.
 */
#ifndef TRAWL_DECODE_USB_PROTOCOL_H
#define TRAWL_DECODE_USB_PROTOCOL_H

#include "decode/usb/bytefield.h"
#include "decode/usb/conversation.h"

enum {
	KEY_BYTES = 4,    /* bytes at most by which a type is told from others */
	KEY_REACH = 8,    /* they are among the first so many */
	TYPES_MAX = 256,  /* types of a conversation */
	ANY_TYPE,
};

struct message_type {
	char id[8];          /* A, B, ... of OUT; a, b, ... of IN */
	bool in;
	uint32_t count;
	uint32_t shortest, longest;
	struct { uint8_t at, value; } key[KEY_BYTES];
	uint32_t keys;
	uint32_t *messages;  /* their numbers in the conversation, in order */
	uint32_t answer;     /* type that answers; TYPES_MAX: none; ANY_TYPE: the next IN,
			      * whatever */
	uint32_t answered;   /* how many of them have that answer */
	uint64_t delay;      /* ns until the answer, the median */
	uint64_t period;     /* ns from one to the next, if that is regular; else 0 */
	bool unasked;        /* IN: the device sends it by itself; it answers nothing */
	struct direction common;       /* what holds for all messages of its direction, or its
				        * own */
	bool own_checksum;   /* common.checksum is of this type only */
	struct bytefield fields[FIELDS_MAX_OF_TYPE];
	size_t nfields;
};

struct protocol {
	const struct conversation *of;
	struct message_type *types;
	uint32_t ntypes;
	uint32_t requests, answers; /* messages OUT and IN */
	struct direction out, in;
};

/* NULL: out of memory. */
struct protocol *protocol_of(struct conversation *c);
void protocol_free(struct protocol *p);

/* How names of captures and times of messages are shown. */
struct protocol_names {
	const char *const *captures;
	size_t n;
	void (*time)(void *arg, uint64_t time, struct out *o);
	void *arg;
};

/* A heading with its number, a table of the messages, and what is known of each. */
void protocol_text(const struct protocol *p, unsigned int number,
		   const struct protocol_names *names, struct out *o);
/* The same as one JSON object, with its newline. */
void protocol_json(const struct protocol *p, const struct protocol_names *names, struct out *o);

#endif
