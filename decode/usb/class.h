/* SPDX-License-Identifier: MIT */
/*
 * Classes: what the payload of a device's endpoints, and of its class requests, means.
 *
 * A class is one file with one struct usb_class and one line in classes.c. A transfer is of the
 * first class in that table that fits it; its line and its "decoded" object come from there. A
 * class that keeps state from transfer to transfer has follow(), which is called once for each
 * transfer, in order; all other functions only look.
 */
#ifndef TRAWL_DECODE_USB_CLASS_H
#define TRAWL_DECODE_USB_CLASS_H

#include "decode/usb/detail.h"

struct usb_class {
	/* Whether a transfer of an endpoint other than 0 is of this class. */
	bool (*fits)(const struct usb_detail *d);
	/* Moves the state on; false: the payload is not of this class after all. May be NULL. */
	bool (*follow)(struct usb_detail *d);
	/* Appends members of "decoded". May be NULL. */
	void (*tree)(const struct usb_state *s, const struct usb_detail *d, struct tree *t);
	/* Appends one phrase; returns whether it tells of all the payload, so that its bytes need
	 * not be shown. */
	bool (*brief)(const struct usb_state *s, const struct usb_detail *d, struct out *o);

	/* Of control transfers: whether the payload of this request is of this class. NULL:
	 * none. */
	bool (*requested)(const struct usb_detail *d);
	void (*request_tree)(const struct usb_state *s, const struct usb_detail *d,
			     struct tree *t);
	/* Begins with a blank, where it says something. */
	bool (*request_brief)(const struct usb_state *s, const struct usb_detail *d,
			      struct out *o);
	/* The rule by which the payload is masked, though it is no keystroke; NULL: it is not. May
	 * be NULL. */
	const char *(*secret)(const struct usb_detail *d);
	/* Names of members of "decoded" that --where may ask for, ended by NULL. May be NULL. */
	const char *const *names;
	/* Whether a layout of the class has a member of this name. May be NULL. */
	bool (*has_name)(const char *name, size_t n);
};

/* The class of a transfer; NULL: its payload is bytes. */
const struct usb_class *usb_class_of(const struct usb_detail *d);
/* The class of a control transfer's payload, or NULL. */
const struct usb_class *usb_class_of_request(const struct usb_detail *d);
/* Whether some class has a member of "decoded" of this name. */
bool usb_class_has_name(const char *name, size_t n);

/* Whether it is a class request of this number to a recipient of this class. */
static inline bool usb_is_class_request(const struct usb_detail *d, uint8_t class, uint8_t request)
{
	return control_kind(&d->setup) == SETUP_CLASS && d->setup.request == request &&
	       d->target.class == class;
}

/*
 * The text of a serial transfer, without the status bytes of FTDI's packets; n bytes, to be freed.
 * NULL: out of memory.
 */
uint8_t *usb_serial_text(const struct usb_detail *d, size_t *n);

extern const struct usb_class usb_audio_class;
extern const struct usb_class usb_bluetooth_class;
extern const struct usb_class usb_ccid_class;
extern const struct usb_class usb_cdc_class;
extern const struct usb_class usb_dfu_class;
extern const struct usb_class usb_ftdi_class;
extern const struct usb_class usb_hid_class;
extern const struct usb_class usb_hub_class;
extern const struct usb_class usb_midi_class;
extern const struct usb_class usb_network_class;
extern const struct usb_class usb_printer_class;
extern const struct usb_class usb_ptp_class;
extern const struct usb_class usb_serial_class;
extern const struct usb_class usb_storage_class;
extern const struct usb_class usb_video_class;

#endif
