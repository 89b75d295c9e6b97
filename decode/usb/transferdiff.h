/* SPDX-License-Identifier: MIT */
/*
 * Compares two captures of the same session, transfer by transfer.
 *
 * Compared are data, setup packets, lengths and statuses, separately for each endpoint. Not
 * compared is what differs between any two runs: addresses, times, URB ids, buffer sizes, and echo
 * fields (echofield.h). Hosts enumerate differently, so for standard requests only the answers are
 * compared. Transfers that were unlinked or still open are skipped, since they depend on the host.
 * Root hubs are skipped.
 */
#ifndef TRAWL_DECODE_USB_TRANSFERDIFF_H
#define TRAWL_DECODE_USB_TRANSFERDIFF_H

#include "decode/usb/usb.h"

struct transfer_diff;

/* name[]: how messages refer to the two captures. Returns NULL if memory runs out. */
struct transfer_diff *transferdiff_new(const char *const name[2]);
void transferdiff_free(struct transfer_diff *t);

/*
 * Takes a transfer of capture 0 or 1; `item` is its number as the reader counts. Returns 0, or -1
 * if memory runs out.
 */
int transferdiff_take(struct transfer_diff *t, unsigned int capture, const struct usb_detail *d,
		      uint64_t item);

/* Compares; call after the last transfer of both captures. Returns 0, or -1 if memory runs out. */
int transferdiff_compare(struct transfer_diff *t);

#define TRANSFERDIFF_NONE UINT64_MAX

/*
 * The first difference: the item numbers of both transfers; TRANSFERDIFF_NONE for a capture that
 * has no such transfer.
 */
struct transfer_difference {
	bool any;
	uint64_t item[2];
	uint64_t previous[2]; /* the last equal transfers before it on the endpoint */
	char where[160];      /* "46f4:0001 ep2 OUT bulk, transfer 14" */
	char what[160];       /* "byte 15 is 0x08, was 0x10" */
};

/* Returns the first difference, valid as long as t. */
const struct transfer_difference *transferdiff_first(const struct transfer_diff *t);

/* Append a table of devices and endpoints and a line with the verdict; or the same as JSON. */
void transferdiff_text(const struct transfer_diff *t, struct out *o);
void transferdiff_json(const struct transfer_diff *t, struct out *o);

#endif
