/* SPDX-License-Identifier: MIT */
/*
 * Names and units of audio controls. Sources: Audio 1.0 (appendix A, chapter 5) and 2.0. The
 * meaning of a control selector depends on the type of the unit, which is taken from the
 * descriptors.
 */
#include "common/array.h"
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
	{MIXER, 0x01, VOLUME, "MIXER"}, {INPUT, 0x01, PLAIN, "COPY_PROTECT"},
	{CLOCK, 0x01, RATE, "SAM_FREQ"}, {CLOCK, 0x02, SWITCH, "CLOCK_VALID"},
	{0x0b, 0x01, PLAIN, "CLOCK_SELECTOR"},
};

/* Controls of endpoints in Audio 1.0. */
static const struct control endpoint_controls[] = {
	{0, 0x01, RATE, "SAMPLING_FREQ"}, {0, 0x02, SWITCH, "PITCH"},
};

static const char *unit_name(unsigned int unit)
{
	static const char *const names[] = {
		NULL, NULL, "input terminal", "output terminal", "mixer unit", "selector unit",
		"feature unit", NULL, NULL, NULL, "clock source", "clock selector",
	};

	return unit < ARRAY_SIZE(names) && names[unit] ? names[unit] : "entity";
}

static unsigned int unit_of(const struct usb_detail *d)
{
	size_t n;
	const uint8_t *p = entity_descriptor(d, 0x01, &n);

	return p ? p[2] : UNIT_UNKNOWN;
}

/*
 * Whether the request reads or sets an attribute of a control. In others, such as GET_MEM and
 * GET_STAT, wValue and the data have another meaning.
 */
static bool is_attribute(const struct usb_detail *d)
{
	unsigned int request = d->setup.request;

	if (d->target.protocol >= 0x20)
		return request == 0x01 || request == 0x02; /* CUR, RANGE */
	return (request & 0x7f) >= 0x01 && (request & 0x7f) <= 0x04; /* CUR, MIN, MAX, RES */
}

static const struct control *control_of(const struct usb_detail *d, unsigned int unit)
{
	const struct control *list = controls;
	size_t n = ARRAY_SIZE(controls);
	unsigned int selector = d->setup.value >> 8;

	if (!is_attribute(d))
		return NULL;
	if (control_recipient(&d->setup) == SETUP_ENDPOINT) {
		list = endpoint_controls;
		n = ARRAY_SIZE(endpoint_controls);
		unit = 0;
	}
	/* in Audio 1.0, wValue of a mixer unit holds the number of the input channel here */
	if (unit == MIXER && d->target.protocol < 0x20)
		selector = 0x01;
	for (size_t i = 0; i < n; i++)
		if (list[i].unit == unit && list[i].selector == selector)
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

/* Appends one value of a control with its unit. */
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
	case DELAY: /* in 1/64 ms, or 1/4194304 ms for the four-byte values of Audio 2.0 */
		out_printf(o, "%.2f ms", (double)get_le(p, n) / (n == 4 ? 1 << 22 : 64));
		break;
	case RATE:
		out_printf(o, "%llu Hz", (unsigned long long)get_le(p, n));
		break;
	case PLAIN:
		out_printf(o, "%llu", (unsigned long long)get_le(p, n));
		break;
	}
}

/* Returns the size of one value in bytes; 0: a value takes the whole data. */
static size_t value_size(const struct usb_detail *d, const struct control *c)
{
	bool second = d->target.protocol >= 0x20;

	switch ((enum measure)c->measure) {
	case SWITCH:
	case TONE:
		return 1;
	case VOLUME:
		return 2;
	case DELAY:
		return second ? 4 : 2;
	case RATE:
		return second ? 4 : 3;
	case PLAIN:
		break;
	}
	return 0;
}

/*
 * Whether the data is exactly one complete value: not one per channel, and not a truncated value.
 */
static bool is_one_value(const struct usb_detail *d, const struct control *c)
{
	size_t size = value_size(d, c);

	return size ? d->data_len == size : d->data_len && d->data_len <= 8;
}

/*
 * Appends the value, or those of all channels (0xff in Audio 1.0), or the size of truncated data.
 */
static void current_text(const struct usb_detail *d, const struct control *c, struct out *o)
{
	size_t size = value_size(d, c), at;
	bool all = d->target.protocol < 0x20 && (d->setup.value & 0xff) == 0xff;

	size = size ? size : d->data_len < 8 ? d->data_len : 8;
	if (!d->data_len)
		return;
	if (d->data_len < size) {
		out_printf(o, "%zu of %zu bytes", (size_t)d->data_len, size);
		return;
	}
	value_text(c, d->data, size, o);
	for (at = size; all && at + size <= d->data_len; at += size) {
		out_str(o, ", ");
		value_text(c, d->data + at, size, o);
	}
}

/* The number of ranges that the answer claims to contain; the host may have read fewer. */
static size_t range_count(const struct usb_detail *d)
{
	return d->data_len >= 2 ? get16(d->data) : 0;
}

/*
 * Returns the size in bytes of one value in a range block, of which each range has three (minimum,
 * maximum, resolution), or 0 if it is unknown. For controls without a fixed size, the size follows
 * from the length of the answer, unless wLength may have cut it.
 */
static size_t range_size(const struct usb_detail *d, const struct control *c)
{
	size_t n = range_count(d), size = value_size(d, c);

	if (size)
		return size;
	return n && d->data_len < d->setup.length ? (d->data_len - 2) / n / 3 : 0;
}

static void ranges_text(const struct usb_detail *d, const struct control *c, struct out *o)
{
	size_t size = range_size(d, c), count = range_count(d), shown = 0;

	for (size_t at = 2; size && size <= 8 && shown < count && at + 3 * size <= d->data_len;
	     at += 3 * size, shown++) {
		out_str(o, shown ? ", " : "");
		value_text(c, d->data + at, size, o);
		out_str(o, " to ");
		value_text(c, d->data + at + size, size, o);
	}
	if (shown < count)
		out_printf(o, "%s%zu more", shown ? " and " : "", count - shown);
}

static void values_text(const struct usb_detail *d, const struct control *c, struct out *o)
{
	if (is_range(d))
		ranges_text(d, c, o);
	else
		current_text(d, c, o);
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
	if (c && !is_range(d) && is_one_value(d, c)) {
		if (c->measure == VOLUME || c->measure == TONE)
			tree_int(t, "value", signed_at(d->data, d->data_len));
		else
			tree_uint(t, "value", get_le(d->data, d->data_len));
	}
	tree_close(t);
}

/*
 * Appends the channel. The controls of a mixer unit have an input and an output channel; Audio 2.0
 * numbers them instead.
 */
static void channel_text(const struct usb_detail *d, unsigned int unit, struct out *o)
{
	unsigned int number = d->setup.value & 0xff;

	if (unit == MIXER && d->target.protocol < 0x20)
		out_printf(o, " input %u output %u", d->setup.value >> 8, number);
	else if (unit == MIXER)
		out_printf(o, " control %u", number);
	else if (number)
		out_printf(o, " channel %u", number);
}

static bool request_brief(const struct usb_state *s, const struct usb_detail *d, struct out *o)
{
	unsigned int unit = unit_of(d);
	const struct control *c = control_of(d, unit);

	if (!c)
		return false;
	out_printf(o, d->data_len ? " %s " : " %s", c->name);
	values_text(d, c, o);
	if (control_recipient(&d->setup) == SETUP_INTERFACE) {
		out_printf(o, ", %s %u", unit_name(unit), d->setup.index >> 8);
		channel_text(d, unit, o);
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
