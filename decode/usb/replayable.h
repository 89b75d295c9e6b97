/* SPDX-License-Identifier: MIT */
/*
 * Whether a file has the data of all USB transfers. The capture stated it in its "usb/verdict"
 * metadata (docs/format.md); what the file lost since is added.
 */
#ifndef TRAWL_DECODE_USB_REPLAYABLE_H
#define TRAWL_DECODE_USB_REPLAYABLE_H

#include "decode/base/output.h"
#include "format/trawl.h"

enum usb_replayable {
	USB_REPLAYABLE_UNKNOWN = -1, /* the metadata does not state it */
	USB_REPLAYABLE_NO,
	USB_REPLAYABLE_YES,
};

/*
 * Judges a section by its "usb/verdict" and, if the file has been read, by the losses of its USB
 * events. For NO, appends the reasons to o, separated by "; ".
 */
enum usb_replayable usb_replayable(const struct trawl_reader *r, const struct trawl_meta *verdict,
				   struct out *o);

/* Returns the number of events that trawl-edit left out when it cut the file. */
uint64_t usb_left_out(const struct trawl_reader *r);

#endif
