/* SPDX-License-Identifier: MIT */
/* Functions that redactusb.c and redactpacket.c share. */
#ifndef TRAWL_EDIT_REDACTUSB_H
#define TRAWL_EDIT_REDACTUSB_H

#include "edit/redact.h"

/* Whether a request moves a standard descriptor. */
bool usb_setup_is_descriptor(const uint8_t *setup);
/*
 * Redacts n bytes of such a descriptor; for other descriptors than strings they may be a part of
 * it.
 */
void usb_redact_descriptor(struct redact *x, const uint8_t *setup, uint8_t *p, size_t n);
/* Redacts the data of any other request; hub: the device is a hub and nothing else. */
void usb_redact_request(struct redact *x, const uint8_t *setup, bool hub, uint8_t *p, size_t n);

/* Redacts a record of len bytes in usbmon's form. */
void redact_urb(struct redact *x, const struct trawl_event *ev, uint8_t *record, size_t len);
/* Redacts an event of a source of packets. */
void redact_packet(struct redact *x, const struct trawl_event *ev, uint8_t *record);

#endif
