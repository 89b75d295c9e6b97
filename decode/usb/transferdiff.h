/* SPDX-License-Identifier: MIT */
/*
 * Two captures of the same session side by side, transfer by transfer.
 *
 * What is the same in two sessions is compared: data, setup packets, lengths and statuses, endpoint
 * by endpoint. Addresses, times, URBs and the sizes of buffers are not, nor are echo fields
 * (echofield.h). A host enumerates as it likes: of standard requests only the answers are compared.
 * What was unlinked or still open is the host's doing, too. Root hubs are no devices.
 */
#ifndef TRAWL_DECODE_USB_TRANSFERDIFF_H
#define TRAWL_DECODE_USB_TRANSFERDIFF_H

#include "decode/usb/usb.h"

struct transfer_diff;

/* name[2]: what messages call the two captures. NULL: out of memory. */
struct transfer_diff *transferdiff_new(const char *const name[2]);
void transferdiff_free(struct transfer_diff *t);

/* Takes a transfer of capture 0 or 1, the `item`-th of what the reader counts. -1: out of
 * memory. */
int transferdiff_take(struct transfer_diff *t, unsigned int capture, const struct usb_detail *d,
		      uint64_t item);

/* After the last transfer of both. 0, or -1: out of memory. */
int transferdiff_compare(struct transfer_diff *t);

#define TRANSFERDIFF_NONE UINT64_MAX

/* Where they differ first: the items of the transfers, TRANSFERDIFF_NONE where a side has none. */
struct transfer_difference {
	bool any;
	uint64_t item[2];
	uint64_t previous[2]; /* the last transfers on the endpoint that are the same */
	char where[160];      /* "46f4:0001 ep2 OUT bulk, transfer 14" */
	char what[160];       /* "byte 15 is 0x08, was 0x10" */
};

/* Valid as long as t. */
const struct transfer_difference *transferdiff_first(const struct transfer_diff *t);

/* How many transfers differ, or are in one of the two only. */
uint64_t transferdiff_count(const struct transfer_diff *t);

/* The table of devices and endpoints, and one line that says how it is. */
void transferdiff_text(const struct transfer_diff *t, struct out *o);
void transferdiff_json(const struct transfer_diff *t, struct out *o);

#endif
