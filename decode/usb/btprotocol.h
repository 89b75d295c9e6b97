/* SPDX-License-Identifier: MIT */
/*
 * Protocols that Bluetooth controllers carry in ACL data: those above L2CAP, and L2CAP's own
 * signals. Source: Bluetooth Core 5.3, volume 3; for RFCOMM and OBEX the profiles of those names.
 */
#ifndef TRAWL_DECODE_USB_BTPROTOCOL_H
#define TRAWL_DECODE_USB_BTPROTOCOL_H

#include "decode/base/bytes.h"
#include "decode/base/valuetree.h"
#include "decode/usb/bytelayout.h"
#include "decode/usb/codename.h"

/* A frame of such a protocol, or its first n bytes. */
struct bt_frame {
	const uint8_t *p;
	size_t n;
	size_t whole;          /* its length by L2CAP; n may be less, or more if that is wrong */
	bool keys;             /* secrets may be printed (--show-keys) */
};

struct bt_protocol {
	const char *name;      /* on the line */
	const char *member;    /* its object in "decoded" */
	/* Appends " what it says"; returns whether that covers all n bytes. */
	bool (*brief)(const struct bt_frame *f, struct out *o);
	/* Appends the members of that object. */
	void (*tree)(const struct bt_frame *f, struct tree *t);
	/* Whether it has a member of this name, of n bytes. */
	bool (*has_name)(const char *name, size_t n);
	/* As words() of a class. */
	void (*words)(const char *member, decoder_name_fn *fn, void *arg);
};

extern const struct bt_protocol bt_signal, bt_att, bt_smp, bt_sdp, bt_rfcomm;

/* A kind of message with a layout, by its code. Lists of them end with name NULL. */
struct bt_message {
	uint8_t code;
	const char *name;
	byte_layout layout;    /* of what follows; NULL: nothing, or a list of its own form */
};

const struct bt_message *bt_message(const struct bt_message *list, uint8_t code);
bool bt_message_has(const struct bt_message *list, const char *name, size_t n);
/* Calls fn for the names of the messages, as "command", or of values in their layouts. */
void bt_message_words(const struct bt_message *list, byte_layout_name_fn *name,
		      const char *member, decoder_name_fn *fn, void *arg);
/* Appends the fields that follow a message's code; without f->keys up to the first secret. */
void bt_message_tree(const struct bt_message *m, byte_layout_name_fn *name,
		     const struct bt_frame *f, const uint8_t *p, size_t n, struct tree *t);
bool bt_message_brief(const struct bt_message *m, byte_layout_name_fn *name,
		      const struct bt_frame *f, const uint8_t *p, size_t n, struct out *o);

/* Returns the name of a 16-bit UUID (a protocol, service, attribute type), or NULL. */
const char *bt_uuid_name(uint32_t uuid);
/* Appends the name of a UUID of 2, 4 or 16 bytes, or its digits; p: the most significant first. */
void bt_uuid_text(const uint8_t *p, size_t n, struct out *o);

#endif
