/* SPDX-License-Identifier: MIT */
#include "common/array.h"
#include "decode/usb/class.h"

/*
 * Classes that are recognised by more than the interface's class code come first, because the first
 * class that fits is used.
 */
static const struct usb_class *const classes[] = {
	&usb_mpsse_class,
	&usb_ftdi_class,
	&usb_colorimeter_class,
	&usb_hid_class,
	&usb_hub_class,
	&usb_storage_class,
	&usb_network_class,
	&usb_cdc_class,
	&usb_serial_class,
	&usb_audio_class,
	&usb_midi_class,
	&usb_video_class,
	&usb_printer_class,
	&usb_dfu_class,
	&usb_ccid_class,
	&usb_bluetooth_class,
	&usb_ptp_class,
	&usb_vision_class,
};

#define CLASSES ARRAY_SIZE(classes)

const struct usb_class *usb_class_of(const struct usb_detail *d)
{
	for (size_t i = 0; i < CLASSES; i++)
		if (classes[i]->fits && classes[i]->fits(d))
			return classes[i];
	return NULL;
}

const struct usb_class *usb_class_of_request(const struct usb_detail *d)
{
	for (size_t i = 0; i < CLASSES; i++)
		if (classes[i]->requested && classes[i]->requested(d))
			return classes[i];
	return NULL;
}

void usb_class_names(decoder_name_fn *fn, void *arg)
{
	for (size_t i = 0; i < CLASSES; i++)
		for (const char *const *n = classes[i]->names; n && *n; n++)
			fn(arg, *n);
}

bool usb_class_has_name(const char *name, size_t n)
{
	for (size_t i = 0; i < CLASSES; i++) {
		const struct usb_class *c = classes[i];

		if ((c->names && usb_names_have(c->names, name, n)) ||
		    (c->has_name && c->has_name(name, n)))
			return true;
	}
	return false;
}

void usb_class_words(const char *member, decoder_name_fn *fn, void *arg)
{
	for (size_t i = 0; i < CLASSES; i++)
		if (classes[i]->words)
			classes[i]->words(member, fn, arg);
}
