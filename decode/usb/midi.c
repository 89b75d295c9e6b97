/* SPDX-License-Identifier: MIT */
/* MIDI: event packets of four bytes. Source: MIDI Devices 1.0, chapter 4. */
#include "decode/usb/class.h"

enum { EVENTS_SHOWN = 4 };

static bool fits(const struct usb_detail *d)
{
	return d->interface && d->interface->class == 0x01 && d->interface->subclass == 0x03 &&
	       (d->urb.xfer == URB_BULK || d->urb.xfer == URB_INTERRUPT);
}

/* By code index number. */
static const char *const events[16] = {
	"misc", "cable event", "system common", "system common", "sysex", "sysex end",
	"sysex end", "sysex end", "note off", "note on", "poly pressure", "control change",
	"program change", "channel pressure", "pitch bend", "byte",
};

static bool is_channel(unsigned int code)
{
	return code >= 8 && code <= 14;
}

/* A packet of zeros fills what the transfer has left. */
static bool is_empty(const uint8_t *p)
{
	return !(p[0] | p[1] | p[2] | p[3]);
}

static void event_tree(const uint8_t *p, struct tree *t)
{
	unsigned int code = p[0] & 15;

	tree_object(t, "event");
	tree_uint(t, "cable", p[0] >> 4);
	tree_str(t, "event", events[code]);
	if (is_channel(code))
		tree_uint(t, "channel", (p[1] & 15u) + 1);
	if (code >= 8 && code <= 10) {
		tree_uint(t, "note", p[2]);
		tree_uint(t, "velocity", p[3]);
	} else if (code == 11) {
		tree_uint(t, "controller", p[2]);
		tree_uint(t, "value", p[3]);
	} else if (code == 12 || code == 13) {
		tree_uint(t, "value", p[2]);
	} else if (code == 14) {
		tree_int(t, "value", (p[2] | p[3] << 7) - 8192);
	} else {
		tree_bytes(t, "bytes", p + 1, 3);
	}
	tree_close(t);
}

static void tree(const struct usb_state *s, const struct usb_detail *d, struct tree *t)
{
	tree_list(t, "midi");
	for (size_t at = 0; at + 4 <= d->data_len; at += 4)
		if (!is_empty(d->data + at))
			event_tree(d->data + at, t);
	tree_close(t);
}

static void event_brief(const uint8_t *p, struct out *o)
{
	unsigned int code = p[0] & 15;

	out_printf(o, " %s", events[code]);
	if (is_channel(code))
		out_printf(o, " channel %u", (p[1] & 15u) + 1);
	if (code >= 8 && code <= 10)
		out_printf(o, " note %u velocity %u", p[2], p[3]);
	else if (code == 11)
		out_printf(o, " %u=%u", p[2], p[3]);
	else if (code == 12 || code == 13)
		out_printf(o, " %u", p[2]);
	else if (code == 14)
		out_printf(o, " %d", (p[2] | p[3] << 7) - 8192);
	else
		out_printf(o, " %02x %02x %02x", p[1], p[2], p[3]);
}

static bool brief(const struct usb_state *s, const struct usb_detail *d, struct out *o)
{
	unsigned int n = 0;

	out_str(o, "MIDI");
	for (size_t at = 0; at + 4 <= d->data_len; at += 4) {
		if (is_empty(d->data + at))
			continue;
		if (n++ == EVENTS_SHOWN) {
			out_str(o, ", ...");
			return true;
		}
		if (n > 1)
			out_char(o, ',');
		event_brief(d->data + at, o);
	}
	return d->data_len % 4 == 0;
}

static const char *const names[] = {
	"bytes", "cable", "channel", "controller", "event", "midi", "note", "value", "velocity",
	NULL,
};

const struct usb_class usb_midi_class = {
	.fits = fits,
	.tree = tree,
	.brief = brief,
	.names = names,
};
