/* SPDX-License-Identifier: MIT */
/*
 * Analyses the undocumented protocol of a conversation: the types of its messages, distinguished by
 * their first bytes and lengths; which type answers which; and the fields of each type.
 */
#ifndef TRAWL_DECODE_USB_PROTOCOL_H
#define TRAWL_DECODE_USB_PROTOCOL_H

#include "decode/usb/bytefield.h"
#include "decode/usb/conversation.h"

enum {
	KEY_BYTES = 4,    /* maximum number of bytes in the key that identifies a type */
	KEY_REACH = 8,    /* key bytes are among this many bytes at the start of a message */
	/* messages of this length and more carry data and form types of their own */
	MESSAGE_LARGE = 512,
	TYPES_MAX = 256,  /* maximum number of types in a conversation */
	ANY_TYPE,
};

struct message_type {
	char id[8];          /* A, B, ... for OUT types; a, b, ... for IN types */
	bool in;
	uint32_t count;
	uint32_t shortest, longest;
	struct { uint8_t at, value; } key[KEY_BYTES];
	uint32_t keys;
	uint32_t *messages;  /* indices into the conversation's messages, in order */
	/*
	 * index of the type that answers this one; TYPES_MAX: none; ANY_TYPE: the next IN message
	 * of any type
	 */
	uint32_t answer;
	uint32_t answered;   /* number of messages that were answered by that type */
	uint64_t delay;      /* median time until the answer, ns */
	/* time between two messages of this type if it is regular, ns; otherwise 0 */
	uint64_t period;
	uint32_t answers;    /* IN: number of messages of this type that answer a request */
	/* IN: messages of this type are sent unsolicited and answer no request */
	bool unsolicited;
	/*
	 * properties of all messages of this direction; if own_checksum is set, the checksum is
	 * that of this type instead
	 */
	struct direction common;
	bool own_checksum;   /* common.checksum holds for this type only */
	struct bytefield fields[FIELDS_MAX_OF_TYPE];
	size_t nfields;
};

struct protocol {
	const struct conversation *of;
	struct message_type *types;
	uint32_t ntypes;
	uint32_t requests, answers; /* number of OUT and IN messages */
	uint32_t pairs;             /* number of requests with the answer that belongs to them */
	struct direction out, in;
};

/* Analyses a conversation, which must outlive the result. Returns NULL if memory runs out. */
struct protocol *protocol_of(struct conversation *c);
void protocol_free(struct protocol *p);

/* How names of captures and times of messages are printed. */
struct protocol_names {
	const char *const *captures;
	size_t n;
	void (*time)(void *arg, uint64_t time, struct out *o);
	void *arg;
};

/* Appends a heading with `number`, a table of the messages, and the properties of each type. */
void protocol_text(const struct protocol *p, unsigned int number,
		   const struct protocol_names *names, struct out *o);
/* Appends the same information as one JSON object and a newline. */
void protocol_json(const struct protocol *p, const struct protocol_names *names, struct out *o);

static inline struct sample protocol_sample(const struct protocol *p, uint32_t message)
{
	const struct message *m = &p->of->messages[message];

	return (struct sample){message_bytes(p->of, m), m->kept};
}

/*
 * The steps of protocol_of(); those that return bool return false if memory runs out.
 *
 * In protocoltypes.c: adds the types of n messages of one direction; `index` is sorted by it.
 */
bool protocol_types(struct protocol *p, uint32_t *index, uint32_t n);
/*
 * In protocolecho.c. The first finds the bytes of IN messages that echo a byte of the request
 * directly before them; it is called before types are known. The second finds the echoes common to
 * all answers, and counts the answers among the messages of each type.
 */
bool protocol_first_echoes(struct protocol *p);
bool protocol_echoes(struct protocol *p);
/* Removes the echoes of all answers from t->common that messages of this type do not have. */
void protocol_type_echoes(const struct protocol *p, struct message_type *t);
/*
 * A byte that is an echo in every type where it counts up, or in most messages, is not a counter of
 * the device.
 */
void protocol_all_echoes(struct protocol *p);

#endif
