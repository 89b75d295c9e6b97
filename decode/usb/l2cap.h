/* SPDX-License-Identifier: MIT */
/* Channels of L2CAP, and the protocol of each. Source: Bluetooth Core 5.3, volume 3, part A. */
#ifndef TRAWL_DECODE_USB_L2CAP_H
#define TRAWL_DECODE_USB_L2CAP_H

#include "decode/usb/btprotocol.h"
#include "decode/usb/device.h"

/* A packet's channel; in: towards the host. */
struct l2cap_channel {
	uint16_t handle, cid;
	bool in;
};

/* Notes what the channels carry that these signals open. p: behind L2CAP's header. */
void l2cap_follow(struct usb_l2cap *l, const struct l2cap_channel *c, const uint8_t *p, size_t n);
/*
 * Returns the PSM of a channel that signals opened in basic mode; 0: not known, or the channel has
 * a mode whose packets have further fields.
 */
uint16_t l2cap_psm(struct usb_l2cap *l, const struct l2cap_channel *at);
/* Returns the protocol of a channel, or NULL. psm: 0 if it is not known. */
const struct bt_protocol *l2cap_protocol(uint16_t cid, uint16_t psm);
/* Returns the name of a PSM, or NULL. */
const char *l2cap_psm_name(uint16_t psm);
bool l2cap_has_name(const char *name, size_t n);
/* As words() of a class. */
void l2cap_words(const char *member, decoder_name_fn *fn, void *arg);

#endif
