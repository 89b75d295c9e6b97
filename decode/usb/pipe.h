/* SPDX-License-Identifier: MIT */
/*
 * Pipes: the messages of one endpoint of a device, before they are paired into conversations.
 */
#ifndef TRAWL_DECODE_USB_PIPE_H
#define TRAWL_DECODE_USB_PIPE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { MESSAGE_KEPT = 4096 }; /* bytes kept of each message */

#define NO_MESSAGE UINT32_MAX

struct message {
	uint64_t time;      /* ns since the epoch: submission of OUT, completion of IN messages */
	size_t at;          /* offset of the message in `bytes` of the pipe */
	uint32_t length;    /* length of the whole message in bytes */
	uint32_t kept;      /* bytes of the message that are stored */
	uint32_t capture;   /* index of the capture, from 0 */
	uint32_t group;     /* index of the message's type; set by protocol.c */
	uint32_t answer;    /* for a request: index of the message that answers it, or NO_MESSAGE */
	bool in;
	uint8_t endpoint;   /* its number */
};

enum pipe_kind {
	PIPE_ENDPOINT, /* bulk or interrupt */
	/* an endpoint of a serial converter; the converter's status bytes are removed */
	PIPE_SERIAL,
	PIPE_VENDOR,   /* vendor requests: the setup packet followed by OUT data; IN data */
	PIPE_REPORT,   /* reports of a HID device over its control endpoint */
};

struct pipe {
	enum pipe_kind kind;
	uint8_t xfer, endpoint; /* endpoint has bit 7 set for IN; 0 for control pipes */
	uint16_t interface;     /* bInterfaceNumber, or NO_INTERFACE */
	struct message *messages;
	uint32_t count, room;
	uint8_t *bytes;
	size_t used, bytes_room;
	uint64_t left_out, masked;
	bool taken;             /* belongs to a conversation */
	struct pipe *next;
};

#define NO_INTERFACE 0xffff

/* A device at one address of one capture; after join_devices(), a device of all captures. */
struct device_entry {
	uint32_t capture;
	uint16_t bus;
	uint8_t address;
	bool known, guessed;
	uint16_t vendor, product;
	char name[128];
	char addresses[64];
	struct pipe *pipes;
	struct device_entry *next;
};

enum { PARTNERS_MAX = 15 }; /* a device has no more IN endpoints besides endpoint 0 */

/* What an OUT and an IN pipe have in common; the earlier ones are better evidence. */
enum likeness { LIKE_INTERFACE, LIKE_NUMBER, LIKE_TYPE, LIKE_ANY, LIKENESSES };

/* Whether p is the pipe of an IN (or OUT) endpoint with messages, and in no conversation yet. */
bool pipe_is_endpoint(const struct pipe *p, bool in);

/* Returns the IN pipe that matches best; NULL if none does, or several match equally well. */
struct pipe *pipe_partner(const struct device_entry *t, const struct pipe *out, enum likeness how);

/*
 * Finds the IN pipes that answer the requests of `out` in turn, such as one for data and one for
 * events: together, their messages follow the requests one by one. Returns their number, at least
 * 2, or 0; -1 if memory runs out.
 */
int pipe_partners(const struct device_entry *t, const struct pipe *out,
		  struct pipe *in[PARTNERS_MAX]);

/* Returns the interrupt pipe that answers reports sent over the control endpoint; NULL: none. */
struct pipe *pipe_report_answers(const struct device_entry *t, const struct pipe *reports);

#endif
