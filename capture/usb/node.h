/* SPDX-License-Identifier: MIT */
/* Finds a usbmon device node that can be opened, or reports why there is none and the remedy. */
#ifndef TRAWL_CAPTURE_USB_NODE_H
#define TRAWL_CAPTURE_USB_NODE_H

#include <stddef.h>
#include <stdint.h>
#include "format/trawl.h"

enum { USBNODE_PATH = 32 };

/*
 * Loads the module usbmon if it is not loaded and trawl is allowed to. Returns 0, or -1 with *err.
 */
int usbnode_ready(struct trawl_error *err);

/*
 * Writes the path of a bus's node (0: of all buses) to `path`. Returns 0; -1 with *err if there is
 * no such bus (*err lists the buses), or if it cannot be opened (*err names the remedy).
 */
int usbnode_find(uint16_t bus, char path[USBNODE_PATH], struct trawl_error *err);

#endif
