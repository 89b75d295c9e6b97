/* SPDX-License-Identifier: MIT */
/*
 * Interfaces between the files of the USB decoder: usb.c processes events, show.c prints them,
 * packets.c turns them into packets. The decoder's entry point, usb_decoder, is declared in
 * decoder.h.
 */
#ifndef TRAWL_DECODE_USB_USB_H
#define TRAWL_DECODE_USB_USB_H

#include "decode/usb/detail.h"

/* usb.c: builds an item from a detail and passes it to the sink. Clears state->built. */
int usb_emit(struct usb_state *s, struct item *it, struct usb_detail *d, struct item_sink *sink);

/* show.c */
/* Appends what a transfer is about; returns true if the text covers its whole payload. */
bool usb_decoded_brief(const struct usb_state *s, const struct usb_detail *d, struct out *o);
void usb_text(void *state, const struct item *it, struct out *o);
void usb_more(void *state, const struct item *it, struct out *o);
void usb_json(void *state, const struct item *it, struct out *o);
/* Returns all details of an item; built at the first call for the item. */
const struct tree *usb_tree(struct usb_state *s, const struct usb_detail *d);
extern const char *const usb_ends[]; /* names, indexed by enum transfer_end; ended by NULL */

/* fields.c */
bool usb_value(void *state, const struct item *it, const char *name, struct value *v);
bool usb_another(void *state, const struct item *it, const char *name, unsigned int nth,
		 struct value *v);
/* parts.c */
bool usb_part(const char *name);
void usb_parts(decoder_name_fn *fn, void *arg);
unsigned int usb_comparable(void *state, const struct trawl_event_type *type, const char *name);
void usb_words(const char *field, decoder_name_fn *fn, void *arg);
const char *usb_never(const char *field, const char *text);
const char *usb_never_number(const char *field, int64_t number);
const char *usb_field_called(const char *name);
void usb_names(void *state, const struct trawl_event_type *type, decoder_name_fn *fn, void *arg);

/* packets.c */
int usb_prologue(void *state, struct item_sink *sink, struct trawl_error *err);
void usb_interface_of(void *state, const struct trawl_source *source, struct packet_interface *pi);
int usb_packet(void *state, const struct item *it, struct packet *p);

/* usbpcapshow.c: events of USBPcap, and the fields that its events have in addition to usbmon's. */
void usbpcap_tree(const struct usb_detail *d, struct tree *t);
void usbpcap_brief(const struct usb_detail *d, struct out *o);

/* darwinshow.c: the fields that packets of macOS have in addition to usbmon's. */
void darwin_tree(const struct usb_detail *d, struct tree *t);
void darwin_brief(const struct urb *u, struct out *o);

/* usb.c: applies the snapshots that were taken when the capture began; returns their time. */
uint64_t usb_first_snapshots(struct usb_state *s);

#endif
