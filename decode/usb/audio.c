/* SPDX-License-Identifier: MIT */
/*
 * Audio controls by name and in their units. Sources: Audio 1.0 (appendix A, chapter 5) and 2.0.
 * Which control a selector is depends on the unit, and the descriptors say what unit that is.
 */
#include "decode/base/bytes.h"
#include "decode/usb/class.h"
#include "decode/usb/entity.h"

enum unit { UNIT_UNKNOWN, INPUT = 2, OUTPUT, MIXER, SELECTOR, FEATURE, CLOCK = 0x0a };

enum measure { PLAIN, SWITCH, VOLUME, TONE, DELAY, RATE };

static const struct control {
	uint8_t unit, selector, measure;
	const char *name;
} controls[] = {
	{FEATURE, 0x01, SWITCH, "MUTE"}, {FEATURE, 0x02, VOLUME, "VOLUME"},
	{FEATURE, 0x03, TONE, "BASS"}, {FEATURE, 0x04, TONE, "MID"},
	{FEATURE, 0x05, TONE, "TREBLE"}, {FEATURE, 0x06, PLAIN, "GRAPHIC_EQUALIZER"},
	{FEATURE, 0x07, SWITCH, "AUTOMATIC_GAIN"}, {FEATURE, 0x08, DELAY, "DELAY"},
	{FEATURE, 0x09, SWITCH, "BASS_BOOST"}, {FEATURE, 0x0a, SWITCH, "LOUDNESS"},
	{FEATURE, 0x0b, VOLUME, "INPUT_GAIN"}, {FEATURE, 0x0c, VOLUME, "INPUT_GAIN_PAD"},
	{FEATURE, 0x0d, SWITCH, "PHASE_INVERTER"},
	{SELECTOR, 0x00, PLAIN, "SELECTOR"}, {SELECTOR, 0x01, PLAIN, "SELECTOR"},
	{MIXER, 0x01, VOLUME, "MIXER"}, {INPUT, 0x01, SWITCH, "COPY_PROTECT"},
	{CLOCK, 0x01, RATE, "SAM_FREQ"}, {CLOCK, 0x02, SWITCH, "CLOCK_VALID"},
	{0x0b, 0x01, PLAIN, "CLOCK_SELECTOR"},
};

/* Controls of endpoints, in Audio 1.0. */
static const struct control endpoint_controls[] = {
	{0, 0x01, RATE, "SAMPLING_FREQ"}, {0, 0x02, SWITCH, "PITCH"},
};

static const char *unit_name(unsigned int unit)
{
	static const char *const names[] = {
		NULL, NULL, "input terminal", "output terminal", "mixer unit", "selector unit",
		"feature unit", NULL, NULL, NULL, "clock source", "clock selector",
	};

	return unit < sizeof(names) / sizeof(names[0]) && names[unit] ? names[unit] : "entity";
}

static unsigned int unit_of(const struct usb_detail *d)
{
	size_t n;
	const uint8_t *p = entity_descriptor(d, 0x01, &n);

	return p ? p[2] : UNIT_UNKNOWN;
}

static const struct control *control_of(const struct usb_detail *d, unsigned int unit)
{
	const struct control *list = controls;
	size_t n = sizeof(controls) / sizeof(controls[0]);

	if (control_recipient(&d->setup) == SETUP_ENDPOINT) {
		list = endpoint_controls;
		n = sizeof(endpoint_controls) / sizeof(endpoint_controls[0]);
		unit = 0;
	}
	for (size_t i = 0; i < n; i++)
		if (list[i].unit == unit && list[i].selector == d->setup.value >> 8)
			return &list[i];
	return NULL;
}

static bool requested(const struct usb_detail *d)
{
	return control_kind(&d->setup) == SETUP_CLASS && d->target.class == 0x01 &&
	       (control_recipient(&d->setup) == SETUP_INTERFACE ||
		control_recipient(&d->setup) == SETUP_ENDPOINT);
}

static bool is_range(const struct usb_detail *d)
{
	return d->target.protocol >= 0x20 && d->setup.request == 0x02;
}

static int64_t signed_at(const uint8_t *p, size_t n)
{
	uint64_t v = get_le(p, n);

	return n < 8 && v >> (8 * n - 1) ? (int64_t)(v | ~UINT64_C(0) << 8 * n) : (int64_t)v;
}

/* One value of a control, in its unit. */
static void value_text(const struct control *c, const uint8_t *p, size_t n, struct out *o)
{
	int64_t v = signed_at(p, n);

	switch ((enum measure)c->measure) {
	case SWITCH:
		out_str(o, v & 1 ? "on" : "off");
		break;
	case VOLUME:
		if (n == 2 && (uint16_t)v == 0x8000)
			out_str(o, "silence");
		else
			out_printf(o, v * 100 % 256 ? "%.4f dB" : "%.2f dB", (double)v / 256);
		break;
	case TONE:
		out_printf(o, "%.2f dB", (double)(int8_t)v / 4);
		break;
	case DELAY:
		out_printf(o, "%.2f ms", (double)get_le(p, n) / 64);
		break;
	case RATE:
		out_printf(o, "%llu Hz", (unsigned long long)get_le(p, n));
		break;
	case PLAIN:
		out_printf(o, "%llu", (unsigned long long)get_le(p, n));
		break;
	}
}

/* Bytes of one value of a range, of which there are three a range after their number. */
static size_t range_size(const struct usb_detail *d)
{
	size_t n = d->data_len >= 2 ? get16(d->data) : 0;

	return n ? (d->data_len - 2) / n / 3 : 0;
}

static void values_text(const struct usb_detail *d, const struct control *c, struct out *o)
{
	size_t size = range_size(d);

	if (!is_range(d)) {
		value_text(c, d->data, d->data_len < 8 ? d->data_len : 8, o);
		return;
	}
	for (size_t at = 2; size && size <= 8 && at + 3 * size <= d->data_len; at += 3 * size) {
		out_str(o, at > 2 ? ", " : "");
		value_text(c, d->data + at, size, o);
		out_str(o, " to ");
		value_text(c, d->data + at + size, size, o);
	}
}

static void request_tree(const struct usb_state *s, const struct usb_detail *d, struct tree *t)
{
	unsigned int unit = unit_of(d);
	const struct control *c = control_of(d, unit);
	struct out text;

	tree_object(t, "audio");
	if (unit)
		tree_str(t, "unit", unit_name(unit));
	if (c) {
		tree_str(t, "control", c->name);
		out_memory(&text);
		values_text(d, c, &text);
		tree_text(t, "shown", text.data, text.len);
		out_free(&text);
	}
	if (c && !is_range(d) && d->data_len <= 8) {
		if (c->measure == VOLUME || c->measure == TONE)
			tree_int(t, "value", signed_at(d->data, d->data_len));
		else
			tree_uint(t, "value", get_le(d->data, d->data_len));
	}
	tree_close(t);
}

static bool request_brief(const struct usb_state *s, const struct usb_detail *d, struct out *o)
{
	unsigned int unit = unit_of(d);
	const struct control *c = control_of(d, unit);

	if (!c)
		return false;
	out_printf(o, " %s ", c->name);
	values_text(d, c, o);
	if (control_recipient(&d->setup) == SETUP_INTERFACE) {
		out_printf(o, ", %s %u", unit_name(unit), d->setup.index >> 8);
		if (d->setup.value & 0xff)
			out_printf(o, " channel %u", d->setup.value & 0xff);
	}
	return true;
}

static const char *const names[] = {"audio", "control", "shown", "unit", "value", NULL};

const struct usb_class usb_audio_class = {
	.requested = requested,
	.request_tree = request_tree,
	.request_brief = request_brief,
	.names = names,
};
