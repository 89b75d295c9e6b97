/* SPDX-License-Identifier: MIT */
/* Finding a usbmon device that can be opened, and saying what to do when there is none. */
#ifndef TRAWL_CAPTURE_USB_NODE_H
#define TRAWL_CAPTURE_USB_NODE_H

#include <stddef.h>
#include <stdint.h>
#include "format/trawl.h"

enum { USBNODE_PATH = 32 };

/* Is usbmon there? Loads its module if it is missing and we may. 0, or -1 with what to do. */
int usbnode_ready(struct trawl_error *err);

/*
 * The path of a bus's node (0: of all buses) in `path`. 0, or -1: there is no such bus (the error
 * lists those that there are), or it may not be opened (the error says who may).
 */
int usbnode_find(uint16_t bus, char path[USBNODE_PATH], struct trawl_error *err);

#endif
