/* SPDX-License-Identifier: MIT */
#include "decode/usb/requestguess.h"
#include "common/array.h"

#include <stddef.h>

enum { ANY = 0xffff };

/*
 * Requests whose form is unique to one class: bmRequestType, bRequest, the range of wValue's high
 * byte, the range of wLength; then class and subclass. Requests with an entity id in the high byte
 * of wIndex are audio or video requests, which cannot be told apart; they match no form.
 */
static const struct form {
	uint8_t type, request;
	uint8_t from, to;
	uint16_t shortest, longest;
	uint8_t class, subclass;
} forms[] = {
	/* HID: the report's type is 1 to 3 */
	{0x21, 0x09, 1, 3, 1, ANY, 0x03, 0},
	{0xa1, 0x01, 1, 3, 1, ANY, 0x03, 0},
	{0x21, 0x0a, 0, 255, 0, 0, 0x03, 0},
	{0x21, 0x0b, 0, 0, 0, 0, 0x03, 0},
	{0xa1, 0x02, 0, 0, 1, 1, 0x03, 0},
	{0xa1, 0x03, 0, 0, 1, 1, 0x03, 0},
	/* communication: line coding has 7 bytes */
	{0x21, 0x20, 0, 0, 7, 7, 0x02, 0x02},
	{0xa1, 0x21, 0, 0, 7, 7, 0x02, 0x02},
	{0x21, 0x22, 0, 0, 0, 0, 0x02, 0x02},
	{0x21, 0x23, 0, 255, 0, 0, 0x02, 0x02},
	{0xa1, 0x80, 0, 0, 28, 28, 0x02, 0x0d},
	/* mass storage */
	{0xa1, 0xfe, 0, 0, 1, 1, 0x08, 0x06},
	{0x21, 0xff, 0, 0, 0, 0, 0x08, 0x06},
	/* printer */
	{0xa1, 0x00, 0, 0, 64, ANY, 0x07, 0x01},
	{0xa1, 0x01, 0, 0, 1, 1, 0x07, 0x01},
	{0x21, 0x02, 0, 0, 0, 0, 0x07, 0x01},
	/* DFU: a status has 6 bytes */
	{0xa1, 0x03, 0, 0, 6, 6, 0xfe, 0x01},
	{0xa1, 0x05, 0, 0, 1, 1, 0xfe, 0x01},
	/* video: probe and commit */
	{0x21, 0x01, 1, 2, 26, 48, 0x0e, 0x02},
	{0xa1, 0x81, 1, 2, 26, 48, 0x0e, 0x02},
	{0xa1, 0x82, 1, 2, 26, 48, 0x0e, 0x02},
	{0xa1, 0x83, 1, 2, 26, 48, 0x0e, 0x02},
	{0xa1, 0x87, 1, 2, 26, 48, 0x0e, 0x02},
	/* audio: the sampling frequency of an endpoint */
	{0x22, 0x01, 1, 1, 3, 3, 0x01, 0x02},
	{0xa2, 0x81, 1, 1, 3, 3, 0x01, 0x02},
	/* Bluetooth: a command has 3 bytes and its parameters */
	{0x20, 0x00, 0, 0, 3, 258, 0xe0, 0x01},
};

void request_guess(const struct control_request *s, struct control_target *to)
{
	if (control_kind(s) != SETUP_CLASS)
		return;
	if (to->class)
		return;
	for (size_t i = 0; i < ARRAY_SIZE(forms); i++) {
		const struct form *f = &forms[i];
		unsigned int high = s->value >> 8;

		if (f->type != s->type || f->request != s->request || high < f->from ||
		    high > f->to || s->length < f->shortest || s->length > f->longest ||
		    (control_recipient(s) == SETUP_INTERFACE && s->index >> 8))
			continue;
		to->class = f->class;
		to->subclass = f->subclass;
		to->guessed = true;
		return;
	}
}
