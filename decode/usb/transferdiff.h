/* SPDX-License-Identifier: MIT */
/*
 * Compares two captures of the same session, transfer by transfer.
 *
 * Compared are data, setup packets, lengths and statuses, separately for each endpoint. Not
 * compared is what differs between any two runs: addresses, times, URB ids, buffer sizes, and echo
 * fields (echofield.h). Hosts enumerate differently, so for standard requests only the answers are
 * compared. Transfers that were unlinked or still open are skipped, since they depend on the host;
 * of those without a completion, what is known is compared.
 * Root hubs are skipped.
 */
#ifndef TRAWL_DECODE_USB_TRANSFERDIFF_H
#define TRAWL_DECODE_USB_TRANSFERDIFF_H

#include "decode/usb/transferdiffstate.h"
#include "decode/usb/usb.h"

/* name[]: how messages refer to the two captures. Returns NULL if memory runs out. */
struct transfer_diff *transferdiff_new(const char *const name[2]);
void transferdiff_free(struct transfer_diff *t);

/*
 * Takes a transfer of capture 0 or 1; `item` is its number as the reader counts. Returns false if
 * memory runs out.
 */
bool transferdiff_take(struct transfer_diff *t, unsigned int capture, const struct usb_detail *d,
		       uint64_t item);

/* Compares; call after the last transfer of both captures. Returns false if memory runs out. */
bool transferdiff_compare(struct transfer_diff *t);

/* Returns the first difference, valid as long as t. */
const struct transfer_difference *transferdiff_first(const struct transfer_diff *t);

#endif
