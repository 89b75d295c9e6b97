/* SPDX-License-Identifier: MIT */
/* Prints how two captures differ. */
#ifndef TRAWL_DECODE_USB_TRANSFERDIFFSHOW_H
#define TRAWL_DECODE_USB_TRANSFERDIFFSHOW_H

#include "decode/base/output.h"
#include "decode/usb/transferdiffstate.h"

/* Append a table of devices and endpoints and a line with the verdict; or the same as JSON. */
void transferdiff_text(const struct transfer_diff *t, struct out *o);
void transferdiff_json(const struct transfer_diff *t, struct out *o);

#endif
