/* SPDX-License-Identifier: MIT */
/* Hubs: which ports changed, and port status. Source: USB 2.0 chapter 11.24, USB 3.2 10.16. */
#ifndef TRAWL_DECODE_USB_HUB_H
#define TRAWL_DECODE_USB_HUB_H

#include "decode/base/valuetree.h"

/* The status change bitmap of the interrupt endpoint: bit 0 the hub, bit n port n. */
void hub_change_tree(const uint8_t *p, size_t n, struct tree *t);
void hub_change_brief(const uint8_t *p, size_t n, struct out *o);

/* The answer to GET_STATUS of a port (port != 0) or of the hub. super: a SuperSpeed hub. */
void hub_status_tree(unsigned int port, bool super, const uint8_t *p, size_t n, struct tree *t);
void hub_status_brief(unsigned int port, bool super, const uint8_t *p, size_t n, struct out *o);

#endif
