/* SPDX-License-Identifier: MIT */
/*
 * The device's side of the usbip protocol: messages of a virtual host controller about URBs.
 *
 * Either the kernel's vhci_hcd gets one end of a socket pair, or a client (`usbip attach`) connects
 * by TCP and first imports the device. All integers are big endian. Format: the kernel's
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

struct usbip_packet { /* a packet of an isochronous URB; bytes */
	uint32_t offset, length, actual;
	int32_t status;
};

/* A submitted URB. */
struct usbip_urb {
	uint32_t seqnum;
	uint8_t endpoint;      /* with bit 7 set if `in` */
	/* direction in the message; for endpoint 0 the direction in `setup` counts */
	bool in;
	uint32_t length;       /* bytes of the host's buffer */
	uint32_t npackets;     /* isochronous; else 0 */
	uint32_t interval;
	uint8_t setup[8];
	uint8_t *data;         /* OUT: length bytes, malloc'd; IN: NULL */
	struct usbip_packet *packets; /* npackets elements, malloc'd; NULL if 0 */
	struct usbip_urb *next;       /* for the caller's list of URBs */
	uint64_t time;                /* for the caller */
};

void usbip_urb_free(struct usbip_urb *u);

struct usbip {
	int fd;
	int port;             /* port of vhci_hcd; -1: none, or a TCP client */
	int attach;           /* descriptor of vhci_hcd's file "attach"; -1: `why` has the errno */
	int pair[2];          /* our end and the kernel's, before the device is plugged in */
	int listener;         /* -1: `why` has the errno */
	int why;
	uint16_t tcp_port;
	uint8_t *in;          /* received bytes that are not yet parsed */
	size_t used, room;
};

#define USBIP_NOTHING ((struct usbip){ \
	.fd = -1, .port = -1, .attach = -1, .pair = {-1, -1}, .listener = -1})

/* The device's description for a TCP client. */
struct usbip_device {
	enum usbip_speed speed;
	const uint8_t *descriptor; /* 18 bytes */
	const uint8_t *config;     /* the first configuration */
	size_t config_len;
};

/*
 * One of these is to be called first, before the sandbox is entered: it opens what plugging in
 * needs. A failure is reported by the functions below.
 */
void usbip_prepare(struct usbip *u);                /* for vhci_hcd, loading it if necessary */
void usbip_listen(struct usbip *u, uint16_t port);  /* for clients, on 127.0.0.1 */

/* Plugs the device into a free port of vhci_hcd. Returns 0, or -1 with *err. */
int usbip_plug(struct usbip *u, enum usbip_speed speed, struct trawl_error *err);

/* Returns 0 if usbip_listen() succeeded, else -1 with *err. */
int usbip_listens(const struct usbip *u, struct trawl_error *err);
/*
 * Serves clients until one imports the device; that client is then connected. Returns 0, or -1 with
 * *err.
 */
int usbip_accept(struct usbip *u, const struct usbip_device *d, struct trawl_error *err);

/* Unplugs the device and closes everything; to be called in any case. */
void usbip_close(struct usbip *u);

/*
 * Parses the next received message, without waiting. Returns USBIP_SUBMIT with *urb, which the
 * caller frees; USBIP_UNLINK with *seqnum and *victim; 0 if no complete message has arrived; -1
 * with *err if the message is invalid.
 */
int usbip_next(struct usbip *u, struct usbip_urb **urb, uint32_t *seqnum, uint32_t *victim,
	       struct trawl_error *err);
/*
 * Receives what has arrived at the socket; wait: if nothing has, waits for it. -1: the other side
 * is gone.
 */
int usbip_read(struct usbip *u, bool wait);
/* Disconnects, so that a wait ends, and none begins. Signal handlers may call it. */
void usbip_stop(const struct usbip *u);

/*
 * Answers an URB: status 0 or a negative errno, n bytes transferred, of which `data` are sent for
 * an IN URB. The packets of an isochronous URB have their own results. Returns 0, or -1 if the
 * other side is gone.
 */
int usbip_answer(struct usbip *u, const struct usbip_urb *urb, int32_t status, const void *data,
		 uint32_t n);
int usbip_answer_unlink(struct usbip *u, uint32_t seqnum, int32_t status);

#endif
