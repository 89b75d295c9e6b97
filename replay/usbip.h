/* SPDX-License-Identifier: MIT */
/*
 * The usbip protocol, the device's side: messages of a virtual host controller about URBs.
 *
 * Either the kernel's vhci_hcd gets one end of a socket pair, or a client (`usbip attach`) comes
 * over TCP and imports the device first. All integers are big endian; Linux,
 * Documentation/usb/usbip_protocol.rst.
 */
#ifndef TRAWL_REPLAY_USBIP_H
#define TRAWL_REPLAY_USBIP_H

#include "format/trawl.h"

enum usbip_command {
	USBIP_SUBMIT = 1,
	USBIP_UNLINK = 2,
	USBIP_RET_SUBMIT = 3,
	USBIP_RET_UNLINK = 4
};

enum usbip_speed { USBIP_LOW = 1, USBIP_FULL = 2, USBIP_HIGH = 3, USBIP_SUPER = 5 };

struct usbip_packet { /* of an isochronous URB */
	uint32_t offset, length, actual;
	int32_t status;
};

/* An URB that was submitted. */
struct usbip_urb {
	uint32_t seqnum;
	uint8_t endpoint;      /* with bit 7 if `in` */
	bool in;               /* as the message says; for endpoint 0 the host takes it from
			        * `setup` */
	uint32_t length;       /* of the buffer */
	uint32_t npackets;     /* isochronous; else 0 */
	uint32_t interval;
	uint8_t setup[8];
	uint8_t *data;         /* OUT: length bytes; malloc'd */
	struct usbip_packet *packets; /* npackets; malloc'd */
	struct usbip_urb *next;       /* for the caller's list of URBs */
	uint64_t time;                /* for the caller */
};

void usbip_urb_free(struct usbip_urb *u);

struct usbip {
	int fd;
	int port;             /* of vhci; -1: a client came over TCP */
	int attach;           /* vhci_hcd's file of this name; -1: `why`, an errno */
	int pair[2];          /* our end, and the kernel's, until it is plugged in */
	int listener;         /* -1: `why` */
	int why;
	uint16_t tcp_port;
	uint8_t *in;          /* bytes that came and are not read yet */
	size_t used, room;
};

#define USBIP_NOTHING ((struct usbip){ \
	.fd = -1, .port = -1, .attach = -1, .pair = {-1, -1}, .listener = -1})

/* What a client over TCP is told of the device. */
struct usbip_device {
	enum usbip_speed speed;
	const uint8_t *descriptor; /* 18 bytes */
	const uint8_t *config;     /* the first configuration */
	size_t config_len;
};

/*
 * First, before the sandbox is entered: one of these opens what plugging in takes. If that fails,
 * the calls below say so.
 */
void usbip_prepare(struct usbip *u);                /* vhci_hcd, which is loaded if need be */
void usbip_listen(struct usbip *u, uint16_t port);  /* on 127.0.0.1 */

/* Plugs the device into a free port of vhci_hcd. 0, or -1 with *err. */
int usbip_plug(struct usbip *u, enum usbip_speed speed, struct trawl_error *err);

/* Does it listen? 0, or -1 with *err. */
int usbip_listens(const struct usbip *u, struct trawl_error *err);
/* Serves clients until one imports the device, which it is then connected to. 0, or -1 with
 * *err. */
int usbip_accept(struct usbip *u, const struct usbip_device *d, struct trawl_error *err);

/* Unplugs; to be called in any case. */
void usbip_close(struct usbip *u);

/*
 * The next message that has come, without waiting: USBIP_SUBMIT with *urb (to be freed),
 * USBIP_UNLINK with *seqnum and *victim; 0: there is none whole; -1: the host unplugged, or makes
 * no sense (*err is filled if so; its text is empty if it unplugged).
 */
int usbip_next(struct usbip *u, struct usbip_urb **urb, uint32_t *seqnum, uint32_t *victim,
	       struct trawl_error *err);
/* Reads what has come, of a socket that poll() calls readable. -1: the other side is gone. */
int usbip_read(struct usbip *u);

/* Answers; n bytes of data for an IN URB. For an isochronous URB its packets say how it went. -1:
 * gone. */
int usbip_answer(struct usbip *u, const struct usbip_urb *urb, int32_t status, const void *data,
		 uint32_t n);
int usbip_answer_unlink(struct usbip *u, uint32_t seqnum, int32_t status);

#endif
