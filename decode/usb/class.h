/* SPDX-License-Identifier: MIT */
/*
 * USB device classes: what the payload of a device's endpoints, and of class requests, means.
 *
 * A class is one file with one struct usb_class, listed in classes.c. A transfer belongs to the
 * first class of that list whose fits() accepts the transfer; the class provides the text of its
 * line and its "decoded" object. A class that keeps state from one transfer to the next has
 * follow() or follow_request(), which are called once for each transfer in order; all other
 * functions leave the state unchanged.
 */
#ifndef TRAWL_DECODE_USB_CLASS_H
#define TRAWL_DECODE_USB_CLASS_H

#include "decode/usb/detail.h"

struct usb_class {
	/* Whether a transfer on an endpoint other than 0 belongs to this class. */
	bool (*fits)(const struct usb_detail *d);
	/*
	 * Updates the state of the class. Returns false if the payload turns out not to be of this
	 * class. May be NULL.
	 */
	bool (*follow)(struct usb_detail *d);
	/* Appends the members of the "decoded" object. May be NULL. */
	void (*tree)(const struct usb_state *s, const struct usb_detail *d, struct tree *t);
	/*
	 * Appends one phrase. Returns true if the phrase covers the whole payload, so that the
	 * bytes need not be printed as well.
	 */
	bool (*brief)(const struct usb_state *s, const struct usb_detail *d, struct out *o);

	/* The same for control transfers, each of which keeps its class. May be NULL. */
	void (*follow_request)(struct usb_detail *d);
	/*
	 * For control transfers: whether the payload of this request belongs to this class. NULL:
	 * the class has no requests with payload.
	 */
	bool (*requested)(const struct usb_detail *d);
	void (*request_tree)(const struct usb_state *s, const struct usb_detail *d,
			     struct tree *t);
	/* Appends one phrase that begins with a blank, or nothing. Returns as brief() does. */
	bool (*request_brief)(const struct usb_state *s, const struct usb_detail *d,
			      struct out *o);
	/*
	 * The rule by which the payload is masked although it contains no keystrokes (keys, PINs);
	 * returns NULL if it is not masked. May be NULL.
	 */
	const char *(*secret)(const struct usb_detail *d);
	/* Names of members of "decoded" that --where accepts, ended by NULL. May be NULL. */
	const char *const *names;
	/*
	 * Whether a layout of the class has a member of this name; n is the length of the name in
	 * bytes. May be NULL.
	 */
	bool (*has_name)(const char *name, size_t n);
	/*
	 * Calls fn for each text that a member of this name can have, if tables of this program
	 * name them all; not for members whose text is the device's (serial numbers). A text that
	 * is left out is refused in --where. May be NULL.
	 */
	void (*words)(const char *member, decoder_name_fn *fn, void *arg);
};

/* The class of a transfer. NULL: no class is known, and the payload is printed as bytes. */
const struct usb_class *usb_class_of(const struct usb_detail *d);
/* The class of a control transfer's payload, or NULL. */
const struct usb_class *usb_class_of_request(const struct usb_detail *d);
/* Whether some class has a member of "decoded" with this name. */
bool usb_class_has_name(const char *name, size_t n);
/* Calls fn for these names, as far as they are in a list. */
void usb_class_names(decoder_name_fn *fn, void *arg);
/* Calls fn for the texts that a member of this name has in some class, if there is a fixed set. */
void usb_class_words(const char *member, decoder_name_fn *fn, void *arg);

/* Whether the NULL-terminated list contains this name; n is the length of the name in bytes. */
static inline bool usb_names_have(const char *const *names, const char *name, size_t n)
{
	for (; *names; names++)
		if (!strncmp(*names, name, n) && !(*names)[n])
			return true;
	return false;
}

/* Whether d is a class request of this number to a recipient of this class. */
static inline bool usb_is_class_request(const struct usb_detail *d, uint8_t class, uint8_t request)
{
	return control_kind(&d->setup) == SETUP_CLASS && d->setup.request == request &&
	       d->target.class == class;
}

/*
 * Returns the *n payload bytes of a serial transfer, without the status bytes in FTDI's packets.
 * The caller frees them. NULL: out of memory.
 */
uint8_t *usb_serial_text(const struct usb_detail *d, size_t *n);

/* The packet size of a transfer's endpoint, in bytes; 0: unknown. */
unsigned int usb_ftdi_packet(const struct usb_detail *d);

extern const struct usb_class usb_audio_class;
extern const struct usb_class usb_bluetooth_class;
extern const struct usb_class usb_ccid_class;
extern const struct usb_class usb_cdc_class;
extern const struct usb_class usb_colorimeter_class;
extern const struct usb_class usb_dfu_class;
extern const struct usb_class usb_ftdi_class;
extern const struct usb_class usb_hid_class;
extern const struct usb_class usb_hub_class;
extern const struct usb_class usb_midi_class;
extern const struct usb_class usb_mpsse_class;
extern const struct usb_class usb_network_class;
extern const struct usb_class usb_printer_class;
extern const struct usb_class usb_ptp_class;
extern const struct usb_class usb_serial_class;
extern const struct usb_class usb_storage_class;
extern const struct usb_class usb_video_class;
extern const struct usb_class usb_vision_class;

#endif
