/* SPDX-License-Identifier: MIT */
/* What -D says of USB: the buses and the devices that are plugged in. */
#ifndef TRAWL_CAPTURE_USB_LIST_H
#define TRAWL_CAPTURE_USB_LIST_H

#include "capture/source.h"

/* .describe of the source "usb". */
void usblist_describe(struct source_list *list);

#endif
