/* SPDX-License-Identifier: MIT */
/*
 * Transfers: joins the submission and the completion of an URB.
 *
 * usbmon records an URB twice: 'S' when a driver submits it, and 'C' when it is given back, or 'E'
 * if it could not be queued. The two halves are joined by the address of the URB together with
 * device, endpoint, direction and transfer type: the kernel reuses addresses immediately, and the
 * completion of the previous user may have been lost. At the start and end of a capture a transfer
 * normally has only one of its halves.
 */
#ifndef TRAWL_DECODE_USB_TRANSFER_H
#define TRAWL_DECODE_USB_TRANSFER_H

#include "decode/usb/urb.h"

enum transfer_end {
	TRANSFER_DONE,       /* completed, with any status */
	TRANSFER_ERROR,      /* the submission failed ('E') */
	/* a later event shows that the completion was lost or can no longer come */
	TRANSFER_UNANSWERED,
	TRANSFER_HALF,       /* the capture contains no completions of this endpoint */
	/* still open at the end of the input: nothing is known of its completion */
	TRANSFER_PENDING,
};

struct transfer {
	enum transfer_end end;
	bool has_submit, has_complete; /* has_complete: there was a 'C' or 'E' */
	struct urb submit, complete;
	uint64_t submitted, completed; /* times on the timeline, ns since the epoch */
	uint8_t *copy;                 /* the submission's record; owned by the table */
	size_t copy_len;
};

/* The half with the most information: the completion if there is one. */
static inline const struct urb *transfer_urb(const struct transfer *t)
{
	return t->has_complete ? &t->complete : &t->submit;
}

/* The half that carries the data, which depends on the direction; NULL if it was not recorded. */
const struct urb *transfer_data(const struct transfer *t);

/* The 8 bytes of the setup packet, or NULL if there is none. */
const uint8_t *transfer_setup(const struct transfer *t);

/*
 * Whether `submitted` is when the transfer was submitted. It is not if USBPcap before 1.3 recorded
 * the OUT data of a control transfer, which it does when that comes up, but not its setup packet.
 */
bool transfer_submit_timed(const struct transfer *t);

/*
 * Stores the time from submission to completion in *ns. Returns false if it is unknown: a half or
 * its time is missing, or the clock went back.
 */
bool transfer_latency(const struct transfer *t, uint64_t *ns);

struct transfers;
struct transfers *transfers_new(void); /* Returns NULL if memory runs out. */
void transfers_free(struct transfers *s);

/*
 * Registers that the capture contains no completions of this pipe; bit 7 of `endpoint` is its
 * direction. Returns false if memory runs out.
 */
bool transfers_expect_half(struct transfers *s, uint16_t bus, uint8_t device, uint8_t endpoint,
			   uint8_t xfer);

/*
 * Call before transfers_feed(), until it returns NULL. If u reuses the URB id of an open submission
 * on another pipe, that submission can no longer complete: it is removed from the table and
 * returned as UNANSWERED, valid until the next call. NULL: there is none, or no further one.
 */
struct transfer *transfers_displaced(struct transfers *s, const struct urb *u);

/*
 * Processes one event at `time` on the timeline (ns). *done is the transfer that this event ends,
 * or NULL. A submission whose URB is submitted again ends as UNANSWERED. *done points into the
 * record and the table, and is valid until the next call. Returns false if memory runs out.
 */
bool transfers_feed(struct transfers *s, const struct urb *u, uint64_t time, const void *record,
		    size_t len, struct transfer **done);

/* Removes the oldest open submission and returns it as PENDING; NULL if none is open. */
struct transfer *transfers_drain(struct transfers *s);

/* How many submissions are open. */
size_t transfers_open(const struct transfers *s);

#endif
