/* SPDX-License-Identifier: MIT */
/* MIDI: event packets of four bytes. Source: MIDI Devices 1.0, chapter 4. */
#include <stdlib.h>

#include "decode/usb/class.h"
#include "decode/usb/codename.h"
#include "decode/usb/digitech.h"

enum { EVENTS_SHOWN = 4, SYSEX_SHOWN = 16, POLY_PRESSURE = 10, SYSEX_KEPT = 1 << 16 };

static bool fits(const struct usb_detail *d)
{
	return d->interface && d->interface->class == 0x01 && d->interface->subclass == 0x03 &&
	       (d->urb.xfer == URB_BULK || d->urb.xfer == URB_INTERRUPT);
}

/* Names by code index number. */
static const char *const events[16] = {
	"misc", "cable event", "system common", "system common", "sysex", "sysex end",
	"sysex end", "sysex end", "note off", "note on", "poly pressure", "control change",
	"program change", "channel pressure", "pitch bend", "byte",
};

/* Bytes of a packet by code index number; the rest is padding. */
static const uint8_t sizes[16] = {3, 3, 2, 3, 3, 1, 2, 3, 3, 3, 3, 3, 2, 2, 3, 1};

/* Messages that are not of a channel, by their first byte. */
static const struct code_name system_messages[] = {
	{0xf1, "quarter frame"}, {0xf2, "song position"}, {0xf3, "song select"},
	{0xf6, "tune request"}, {0xf8, "timing clock"}, {0xfa, "start"}, {0xfb, "continue"},
	{0xfc, "stop"}, {0xfe, "active sensing"}, {0xff, "reset"},
};

static bool is_channel(unsigned int code)
{
	return code >= 8 && code <= 14;
}

/*
 * The most common manufacturers of system exclusive messages. An id that begins with 00 has three
 * bytes; LONG_ID distinguishes it from one of a single byte.
 */
enum { LONG_ID = 1 << 24 };

static const struct code_name manufacturers[] = {
	{0x7e, "non-realtime"}, {0x7f, "realtime"}, {0x7d, "educational"}, {0x01, "Sequential"},
	{0x04, "Moog"}, {0x06, "Lexicon"}, {0x07, "Kurzweil"}, {0x0f, "Ensoniq"},
	{0x10, "Oberheim"}, {0x18, "E-mu"}, {0x2f, "Elka"}, {0x3e, "Waldorf"}, {0x40, "Kawai"},
	{0x41, "Roland"}, {0x42, "Korg"}, {0x43, "Yamaha"}, {0x44, "Casio"}, {0x47, "Akai"},
	{0x52, "Zoom"},
	{LONG_ID | 0x00000e, "Alesis"}, {LONG_ID | 0x00010c, "Line 6"},
	{LONG_ID | 0x000110, "Fractal Audio"}, {LONG_ID | 0x002029, "Novation"},
	{LONG_ID | 0x00202b, "Medeli"}, {LONG_ID | 0x002032, "Behringer"},
	{LONG_ID | 0x00203c, "Elektron"}, {LONG_ID | 0x00206b, "Arturia"},
	{LONG_ID | 0x002109, "Native Instruments"}, {LONG_ID | 0x00211d, "Ableton"},
	{LONG_ID | 0x002022, "Fishman"}, {LONG_ID | 0x000066, "Mackie"},
	{LONG_ID | 0x000010, "DigiTech"},
};

/* Whether a system exclusive message begins at p; n bytes of packets are available. */
static bool begins_sysex(const uint8_t *p, size_t n, uint32_t *manufacturer)
{
	if ((p[0] & 15) < 4 || (p[0] & 15) > 7 || p[1] != 0xf0)
		return false;
	*manufacturer = p[2];
	if (!p[2] && n >= 8)
		*manufacturer = LONG_ID | (uint32_t)p[3] << 8 | p[5];
	return p[2] || n >= 8;
}

/*
 * Adds a packet to the system exclusive message of its cable, of which *have bytes are known.
 * Returns the message's bytes so far, or 0 if the packet is of none, or its begin is not known.
 */
static uint32_t add_sysex(const uint8_t *p, uint32_t *have)
{
	unsigned int code = p[0] & 15;
	bool is_common = code == 5 && p[1] > 0xf0 && p[1] != 0xf7; /* one byte between others */

	if (code < 4 || code > 7 || is_common)
		return 0;
	if (p[1] == 0xf0)
		*have = 0;
	else if (!*have)
		return 0;
	return *have += code == 4 ? 3 : code - 4;
}

static bool ends_sysex(const uint8_t *p)
{
	return (p[0] & 15) > 4 && (p[0] & 15) < 8;
}

/* Transfers are padded with packets of zeros. */
static bool is_empty(const uint8_t *p)
{
	return !(p[0] | p[1] | p[2] | p[3]);
}

/* ---- messages in several transfers ----------------------------------------------------------- */

void usb_sysex_free(struct usb_sysex *x)
{
	if (!x)
		return;
	for (unsigned int i = 0; i < 32; i++)
		free(x->open[i / 16][i % 16].bytes);
	free(x->before);
	free(x);
}

/* Appends bytes, up to SYSEX_KEPT. Returns false if memory runs out. */
static bool append(uint8_t **bytes, uint32_t *len, uint32_t *room, const uint8_t *p, uint32_t n)
{
	if (n > SYSEX_KEPT - *len)
		n = SYSEX_KEPT - *len;
	if (!n)
		return true;
	if (!array_reserve(*bytes, *room, *len + n)) {
		out_lack_memory();
		return false;
	}
	memcpy(*bytes + *len, p, n);
	*len += n;
	return true;
}

/* Adds a packet to its message. Returns the bytes so far, as add_sysex() does. */
static uint32_t follow_packet(const uint8_t *p, struct usb_sysex_open *m)
{
	uint32_t before = m->have, now = add_sysex(p, &m->have);

	if (!now)
		return 0;
	if (p[1] == 0xf0) {
		m->len = before = 0;
		m->cut = false;
	}
	if (m->len == before)
		append(&m->bytes, &m->len, &m->room, p + 1, now - before);
	return now;
}

/* The transfer's first packet continues m: what the message had before it is that of the detail. */
static void continues(struct usb_detail *d, struct usb_sysex *x, const struct usb_sysex_open *m)
{
	d->before = m->have;
	d->unsure = m->cut;
	x->before_len = 0;
	if (m->len == m->have &&
	    append(&x->before, &x->before_len, &x->before_room, m->bytes, m->len)) {
		d->message = x->before;
		d->message_len = x->before_len;
	}
}

static struct usb_sysex *sysex_of(struct usb_detail *d)
{
	if (!d->interface->sysex)
		d->interface->sysex = calloc(1, sizeof(*d->interface->sysex));
	if (!d->interface->sysex)
		out_lack_memory();
	return d->interface->sysex;
}

static bool is_sysex(const uint8_t *p)
{
	return (p[0] & 15) >= 4 && (p[0] & 15) <= 7;
}

static void follow_packets(struct usb_detail *d, struct usb_sysex *x)
{
	struct usb_sysex_open *open = x->open[urb_in(&d->urb)];
	const uint8_t *first = NULL;

	for (size_t at = 0; at + 4 <= d->data_len; at += 4) {
		const uint8_t *p = d->data + at;
		struct usb_sysex_open *m = &open[p[0] >> 4];
		uint32_t now;

		if (is_empty(p))
			continue;
		if (!first && m->have && is_sysex(p) && p[1] != 0xf0)
			continues(d, x, m);
		if (!first)
			first = p;
		now = follow_packet(p, m);
		if (!now || !ends_sysex(p))
			continue;
		if (d->before && !d->whole && !d->unsure && p[0] >> 4 == first[0] >> 4)
			d->whole = now;
		m->have = 0;
	}
	/* What was not recorded may have continued or ended the messages that are open. */
	for (unsigned int i = 0; i < 16; i++)
		open[i].cut |= d->data_len < urb_wanted(&d->urb);
}

/*
 * Counts and keeps the bytes of messages that span transfers; d->before, whole and message are
 * those of the first packet's.
 */
static bool follow(struct usb_detail *d)
{
	struct usb_sysex *x = d->interface ? sysex_of(d) : NULL;

	if (x)
		follow_packets(d, x);
	return true;
}

/* Of the packet that ends a message, which has `length` bytes. */
static void end_tree(const struct usb_sysex_open *m, uint32_t length, struct tree *t)
{
	if (m->cut) {
		tree_bool(t, "sysex_cut", true);
		return;
	}
	tree_uint(t, "sysex_length", length);
	if (m->len == length)
		digitech_tree(m->bytes, m->len, t);
}

/* m: the cable's system exclusive message so far */
static void event_tree(const uint8_t *p, size_t n, struct usb_sysex_open *m, struct tree *t)
{
	unsigned int code = p[0] & 15;
	uint32_t manufacturer, now = follow_packet(p, m);

	tree_object(t, "event");
	tree_uint(t, "cable", p[0] >> 4);
	tree_hex(t, "code_index", code, 1);
	tree_str(t, "event", events[code]);
	if (begins_sysex(p, n, &manufacturer)) {
		tree_hex(t, "manufacturer", manufacturer & ~(uint32_t)LONG_ID,
			 manufacturer & LONG_ID ? 6 : 2);
		tree_str(t, "manufacturer_name", CODE_NAME(manufacturers, manufacturer));
	}
	if (is_channel(code))
		tree_uint(t, "channel", (p[1] & 15u) + 1);
	if (code >= 8 && code <= 10) {
		tree_uint(t, "note", p[2]);
		tree_uint(t, code == POLY_PRESSURE ? "pressure" : "velocity", p[3]);
	} else if (code == 11) {
		tree_uint(t, "controller", p[2]);
		tree_uint(t, "value", p[3]);
	} else if (code == 12 || code == 13) {
		tree_uint(t, "value", p[2]);
	} else if (code == 14) {
		tree_int(t, "value", (p[2] | p[3] << 7) - 8192);
	} else {
		tree_str(t, "message", CODE_NAME(system_messages, p[1]));
		tree_bytes(t, "bytes", p + 1, sizes[code]);
	}
	if (now && ends_sysex(p)) {
		end_tree(m, now, t);
		m->have = 0;
	}
	tree_close(t);
}

static void tree(const struct usb_state *s, const struct usb_detail *d, struct tree *t)
{
	struct usb_sysex_open open[16] = {0};
	bool any = false;

	tree_list(t, "midi");
	for (size_t at = 0; at + 4 <= d->data_len; at += 4) {
		unsigned int cable = d->data[at] >> 4;

		if (is_empty(d->data + at))
			continue;
		if (!any) {
			open[cable].have = d->before;
			open[cable].cut = d->unsure;
			append(&open[cable].bytes, &open[cable].len, &open[cable].room, d->message,
			       d->message_len);
		}
		any = true;
		event_tree(d->data + at, d->data_len - at, &open[cable], t);
	}
	tree_close(t);
	for (unsigned int i = 0; i < 16; i++)
		free(open[i].bytes);
	if (d->before && !d->unsure)
		tree_uint(t, "sysex_before", d->before);
}

/*
 * Returns the number of bytes of the system exclusive message in the packets at p; *used is the
 * size of these packets.
 */
static size_t sysex_length(const uint8_t *p, size_t n, size_t *used)
{
	size_t len = 0;

	for (*used = 0; *used + 4 <= n && (p[*used] & 15) >= 4 && (p[*used] & 15) <= 7;) {
		unsigned int code = p[*used] & 15;

		*used += 4;
		if (code != 4)
			return len + code - 4;
		len += 3;
	}
	return len;
}

/* The number of the message's bytes that are not in this transfer, or which of them these are. */
static void part_brief(const struct usb_detail *d, size_t len, struct out *o)
{
	if (d->unsure) {
		out_str(o, " continued, bytes before were not recorded,");
		return;
	}
	out_printf(o, " %u to %zu", d->before + 1, d->before + len);
	if (d->whole)
		out_printf(o, " of %u", d->whole);
}

/* Appends DigiTech's procedure. head: the message's first bytes in earlier transfers */
static void procedure_brief(const uint8_t *head, size_t have, const uint8_t *p, size_t len,
			    struct out *o)
{
	uint8_t first[DIGITECH_HEADER];
	size_t n = 0;
	const char *name;

	for (; n < have && n < sizeof(first); n++)
		first[n] = head[n];
	for (size_t i = 0; i < len && n < sizeof(first); i++)
		first[n++] = p[i / 3 * 4 + i % 3 + 1];
	if (!is_digitech(first, n))
		return;
	name = digitech_procedure(first);
	if (name)
		out_printf(o, " %s", name);
	else
		out_printf(o, " procedure 0x%02x", first[7]);
}

/* d->before: bytes of the message in earlier transfers, which is the transfer's first. */
static void sysex_brief(const struct usb_detail *d, const uint8_t *p, size_t n, size_t *used,
			struct out *o)
{
	size_t len = sysex_length(p, n, used), shown = 0;
	bool begins = p[1] == 0xf0;
	uint32_t manufacturer;
	const char *name;

	out_str(o, " sysex");
	if (!begins && d->before) {
		part_brief(d, len, o);
	} else if (begins_sysex(p, n, &manufacturer)) {
		name = CODE_NAME(manufacturers, manufacturer);
		if (name)
			out_printf(o, " %s", name);
		else
			out_printf(o, " manufacturer 0x%0*x", manufacturer & LONG_ID ? 6 : 2,
				   manufacturer & ~(uint32_t)LONG_ID);
	}
	if (begins)
		procedure_brief(NULL, 0, p, len, o);
	else if (d->before && d->before < DIGITECH_HEADER && !d->unsure)
		procedure_brief(d->message, d->message_len, p, len, o);
	if (begins && *used && !ends_sysex(p + *used - 4))
		out_printf(o, " first %zu bytes", len);
	else if (begins || !d->before || d->unsure)
		out_printf(o, " %zu bytes", len);
	for (size_t at = 0; at < *used && shown < SYSEX_SHOWN; at += 4)
		for (size_t i = 1; i < 4 && shown < len && shown < SYSEX_SHOWN; i++, shown++)
			out_printf(o, " %02x", p[at + i]);
	out_str(o, shown < len ? " ..." : "");
}

static void event_brief(const uint8_t *p, struct out *o)
{
	unsigned int code = p[0] & 15;
	const char *message = is_channel(code) ? NULL : CODE_NAME(system_messages, p[1]);

	out_printf(o, " %s", message ? message : events[code]);
	if (is_channel(code))
		out_printf(o, " channel %u", (p[1] & 15u) + 1);
	if (code >= 8 && code <= 10)
		out_printf(o, " note %u %s %u", p[2],
			   code == POLY_PRESSURE ? "pressure" : "velocity", p[3]);
	else if (code == 11)
		out_printf(o, " %u=%u", p[2], p[3]);
	else if (code == 12 || code == 13)
		out_printf(o, " %u", p[2]);
	else if (code == 14)
		out_printf(o, " %d", (p[2] | p[3] << 7) - 8192);
	for (unsigned int i = 0; !is_channel(code) && i < sizes[code]; i++)
		out_printf(o, " %02x", p[1 + i]);
}

static bool brief(const struct usb_state *s, const struct usb_detail *d, struct out *o)
{
	const struct usb_detail later = {0}; /* only the first message can have begun before */
	unsigned int n = 0;

	out_str(o, "MIDI");
	for (size_t at = 0, used = 4; at + 4 <= d->data_len; at += used) {
		used = 4;
		if (is_empty(d->data + at))
			continue;
		if (n++ == EVENTS_SHOWN) {
			out_str(o, ", ...");
			return true;
		}
		if (n > 1)
			out_char(o, ',');
		if (is_sysex(d->data + at))
			sysex_brief(at ? &later : d, d->data + at, d->data_len - at, &used, o);
		else
			event_brief(d->data + at, o);
	}
	return d->data_len % 4 == 0;
}

static const char *const names[] = {
	"bytes", "cable", "channel", "code_index", "controller", "event", "manufacturer",
	"manufacturer_name", "message", "midi", "note", "pressure", "sysex_before", "sysex_cut",
	"sysex_length", "value", "velocity",
	NULL,
};

static bool has_name(const char *name, size_t n)
{
	return usb_names_have(digitech_names, name, n);
}

static void words(const char *member, decoder_name_fn *fn, void *arg)
{
	if (!strcmp(member, "manufacturer_name"))
		CODE_WORDS(manufacturers, fn, arg);
	digitech_words(member, fn, arg);
}

const struct usb_class usb_midi_class = {
	.fits = fits,
	.follow = follow,
	.tree = tree,
	.brief = brief,
	.names = names,
	.has_name = has_name,
	.words = words,
};
