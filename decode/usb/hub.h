/* SPDX-License-Identifier: MIT */
/*
 * Hubs: status change bitmaps and port status. Sources: USB 2.0 chapter 11.24, USB 3.2 chapter
 * 10.16.
 */
#ifndef TRAWL_DECODE_USB_HUB_H
#define TRAWL_DECODE_USB_HUB_H

#include "decode/base/valuetree.h"

/* The status change bitmap from the interrupt endpoint: bit 0 is the hub, bit n is port n. */
void hub_change_tree(const uint8_t *p, size_t n, struct tree *t);
void hub_change_brief(const uint8_t *p, size_t n, struct out *o);

/*
 * The answer to GET_STATUS of a port, or of the hub itself if port == 0. super: the hub is a
 * SuperSpeed hub, whose bits differ.
 */
void hub_status_tree(unsigned int port, bool super, const uint8_t *p, size_t n, struct tree *t);
void hub_status_brief(unsigned int port, bool super, const uint8_t *p, size_t n, struct out *o);

#endif
