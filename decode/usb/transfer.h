/* SPDX-License-Identifier: MIT */
/*
 * Transfers: a submission joined with what became of it.
 *
 * usbmon tells of an URB twice: 'S' when a driver submits it, 'C' when it is given back, or 'E'
 * when it could not even be queued. The URB's address joins them, with device, endpoint, direction
 * and type of transfer: addresses are used again at once, and what used them then may be missing.
 * At the ends of a capture, halves are missing, and that is normal: a transfer may have either
 * half only.
 */
#ifndef TRAWL_DECODE_USB_TRANSFER_H
#define TRAWL_DECODE_USB_TRANSFER_H

#include "decode/usb/urb.h"

enum transfer_end {
	TRANSFER_DONE,       /* completed, whatever its status */
	TRANSFER_ERROR,      /* the submission failed */
	TRANSFER_UNANSWERED, /* as something later shows: no answer was recorded or can come */
	TRANSFER_HALF,       /* the capture has no completions of this endpoint */
	TRANSFER_PENDING,    /* still open when the reading ended: nothing is known of its answer */
};

struct transfer {
	enum transfer_end end;
	bool has_submit, has_complete; /* has_complete: 'C' or 'E' */
	struct urb submit, complete;
	uint64_t submitted, completed; /* the timeline, ns since the epoch */
	uint8_t *copy;                 /* the submission's record; owned by the table */
	size_t copy_len;
};

/* The half that says most: the completion where there is one. */
static inline const struct urb *transfer_urb(const struct transfer *t)
{
	return t->has_complete ? &t->complete : &t->submit;
}

/* The half that has the data, by direction; NULL if that half was not recorded. */
const struct urb *transfer_data(const struct transfer *t);

/* The setup packet, or NULL. */
const uint8_t *transfer_setup(const struct transfer *t);

/* *ns from submission to completion; false: not known (a half is missing, or time went back). */
bool transfer_latency(const struct transfer *t, uint64_t *ns);

struct transfers;
struct transfers *transfers_new(void); /* NULL: out of memory */
void transfers_free(struct transfers *s);

/*
 * Tells the table that completions of this pipe (`endpoint` has its direction) are not in the
 * capture.
 * -1: out of memory.
 */
int transfers_expect_half(struct transfers *s, uint16_t bus, uint8_t device, uint8_t endpoint,
			  uint8_t xfer);

/*
 * u reuses the id of an open submission of another pipe: that one can no longer be answered. Takes
 * it out as UNANSWERED and returns it, valid until the next call; NULL: there is none, or no
 * further one.
 */
struct transfer *transfers_displaced(struct transfers *s, const struct urb *u);

/*
 * Takes one event, at `time` on the timeline. *done: the transfer that came to its end by it, or
 * NULL: a submission whose URB is submitted again is UNANSWERED. It points into the record and into
 * the table, and lives until the next call. 0, or -1: out of memory.
 */
int transfers_feed(struct transfers *s, const struct urb *u, uint64_t time, const void *record,
		   size_t len, struct transfer **done);

/* The oldest submission that is still open, PENDING, taken out; NULL when there is none. */
struct transfer *transfers_drain(struct transfers *s);

size_t transfers_open(const struct transfers *s);

#endif
