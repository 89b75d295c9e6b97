/* SPDX-License-Identifier: MIT */
/*
 * Controls of video devices, grouped by the kind of entity they belong to. Source: Video 1.5, A.9
 * and chapter 4.
 */
#ifndef TRAWL_DECODE_USB_UVCCONTROL_H
#define TRAWL_DECODE_USB_UVCCONTROL_H

#include "decode/usb/bytelayout.h"

enum uvc_entity {
	UVC_NONE, /* the descriptors do not say */
	UVC_INTERFACE,
	UVC_CAMERA,
	UVC_TERMINAL,
	UVC_SELECTOR,
	UVC_PROCESSING,
	UVC_ENCODING,
	UVC_EXTENSION,
	UVC_STREAM,
};

struct uvc_control {
	uint8_t entity, selector;
	const char *name;
	byte_layout value;
};

/*
 * Returns the kind of entity from its descriptor: by subtype and, for an input terminal, terminal
 * type.
 */
enum uvc_entity uvc_entity_of(const uint8_t *p, size_t n);
const char *uvc_entity_name(enum uvc_entity entity);

/* Returns NULL if the entity has no such control. */
const struct uvc_control *uvc_control(enum uvc_entity entity, uint8_t selector);

byte_layout_name_fn uvc_name;
bool uvc_has_field(const char *name, size_t n);
/* As words() of a class. */
void uvc_words(const char *member, decoder_name_fn *fn, void *arg);

#endif
