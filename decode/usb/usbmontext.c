/* SPDX-License-Identifier: MIT */
#include "decode/usb/usbmontext.h"
#include "decode/base/number.h"
#include "decode/base/bytes.h"
#include "decode/usb/status.h"


/* Letters that the kernel writes in place of data that it did not record. */
static const char data_letters[] = "<>ZDLE";

/* ---- reading -------------------------------------------------------------------------------- */

struct line {
	const char *start, *p, *end;
	struct usbmontext_error *e;
};

static bool wrong(struct line *l, const char *what)
{
	if (!l->e->what) {
		l->e->what = what;
		l->e->at = (size_t)(l->p - l->start);
	}
	return false;
}

static bool at_end(const struct line *l)
{
	return l->p == l->end;
}

/*
 * Advances to the next word; words are separated by blanks. Returns false at the end of the line.
 */
static bool next_word(struct line *l)
{
	while (l->p < l->end && (*l->p == ' ' || *l->p == '\t'))
		l->p++;
	return l->p < l->end;
}

/* Parses a number up to a limit; it ends at the first character that is not a digit. */
static bool number(struct line *l, unsigned int base, uint64_t limit, uint64_t *v)
{
	const char *first = l->p;

	for (*v = 0; l->p < l->end && hex_digit(*l->p) < base; l->p++) {
		uint64_t digit = hex_digit(*l->p);

		if (*v > (limit - digit) / base)
			return wrong(l, "this number is too large");
		*v = *v * base + digit;
	}
	return l->p > first || wrong(l, "a number is missing");
}

static bool signed_number(struct line *l, int32_t *v)
{
	bool minus = l->p < l->end && *l->p == '-';
	uint64_t u;

	l->p += minus;
	if (!number(l, 10, minus ? (uint64_t)INT32_MAX + 1 : INT32_MAX, &u))
		return false;
	*v = (int32_t)(minus ? -(int64_t)u : (int64_t)u);
	return true;
}

static bool character(struct line *l, char c)
{
	if (l->p == l->end || *l->p != c)
		return wrong(l, c == ':' ? "a colon is missing" : "unknown word");
	l->p++;
	return true;
}

static bool letter(struct line *l, const char *set, char *c)
{
	if (l->p == l->end || !*l->p || !strchr(set, *l->p))
		return wrong(l, "usbmon never writes this letter here");
	*c = *l->p++;
	return true;
}

/* Parses "Ci:1:001:0", or "Ci:001:00" without the bus number. */
static bool address(struct line *l, struct urb *u)
{
	static const char types[] = "ZICB";
	uint64_t a, b, c;
	char type, dir;

	if (!next_word(l) || !letter(l, types, &type) || !letter(l, "io", &dir) ||
	    !character(l, ':') || !number(l, 10, UINT16_MAX, &a) || !character(l, ':') ||
	    !number(l, 10, UINT16_MAX, &b))
		return wrong(l, "the address is missing");
	if (l->p < l->end && *l->p == ':') {
		l->p++;
		if (!number(l, 10, UINT16_MAX, &c))
			return false;
	} else {
		c = b;
		b = a;
		a = 0;
	}
	if (b > 127 || c > 15)
		return wrong(l, "the device or endpoint number is out of range");
	u->xfer = (uint8_t)(strchr(types, type) - types);
	u->bus = (uint16_t)a;
	u->device = (uint8_t)b;
	u->endpoint = (uint8_t)(c | (dir == 'i' ? 0x80 : 0));
	return true;
}

/*
 * Parses "s 80 06 0100 0000 0012"; the kernel writes another letter and underscores if it could not
 * read the setup packet.
 */
static bool setup(struct line *l, struct urb *u)
{
	static const uint8_t sizes[] = {1, 1, 2, 2, 2};
	uint8_t *to = u->setup;
	uint64_t v;

	u->flag_setup = *l->p == 's' ? URB_FLAG_PRESENT : *l->p;
	l->p++;
	for (unsigned int i = 0; i < 5; i++) {
		if (!next_word(l))
			return wrong(l, "the setup packet ends early");
		if (u->flag_setup != URB_FLAG_PRESENT) {
			for (unsigned int k = 0; k < 2u * sizes[i]; k++)
				if (!character(l, '_'))
					return false;
			continue;
		}
		if (!number(l, 16, sizes[i] == 1 ? UINT8_MAX : UINT16_MAX, &v))
			return false;
		to[0] = (uint8_t)v;
		if (sizes[i] == 2)
			to[1] = (uint8_t)(v >> 8);
		to += sizes[i];
	}
	u->status = USB_IN_PROGRESS;
	return true;
}

/*
 * Parses the status and, depending on the transfer type, interval, start frame and error count
 * after colons.
 */
static bool status(struct line *l, struct urb *u)
{
	int32_t *const rest[] = {&u->interval, &u->start_frame, &u->iso_errors};

	u->flag_setup = '-';
	if (!signed_number(l, &u->status))
		return false;
	for (unsigned int i = 0; i < 3 && l->p < l->end && *l->p == ':'; i++) {
		l->p++;
		if (!signed_number(l, rest[i]))
			return false;
	}
	return true;
}

/*
 * Whether isochronous descriptors follow. The "t" form has none, and both the number of descriptors
 * and the data length are plain numbers; only the colons in a descriptor distinguish them.
 */
static bool has_packets(const struct line *l)
{
	struct usbmontext_error e = {0};
	struct line look = *l;
	int32_t v;

	look.e = &e;
	if (!next_word(&look) || !signed_number(&look, &v))
		return false;
	if (v == 0)
		return next_word(&look) && (*look.p == '-' || hex_digit(*look.p) < 10);
	if (!next_word(&look) || !signed_number(&look, &v))
		return false;
	return look.p < look.end && *look.p == ':';
}

static bool packets(struct line *l, struct urb *u, uint8_t *record)
{
	uint64_t offset, length;
	int32_t s;

	if (!next_word(l) || !signed_number(l, &u->iso_packets) || u->iso_packets < 0)
		return wrong(l, "the number of packets is missing");
	u->ndesc = u->iso_packets < USBMONTEXT_PACKETS ? (uint32_t)u->iso_packets
						       : USBMONTEXT_PACKETS;
	for (uint32_t i = 0; i < u->ndesc; i++) {
		uint8_t *p = record + URB_HEADER + i * URB_ISO_SIZE;

		if (!next_word(l) || !signed_number(l, &s) || !character(l, ':') ||
		    !number(l, 10, UINT32_MAX, &offset) || !character(l, ':') ||
		    !number(l, 10, UINT32_MAX, &length))
			return wrong(l, "an isochronous packet is missing");
		put32(p, (uint32_t)s);
		put32(p + 4, (uint32_t)offset);
		put32(p + 8, (uint32_t)length);
		put32(p + 12, 0);
	}
	return true;
}

/*
 * Parses "= 01050000 0a": words of up to four bytes. Returns the number of bytes, or -1 on error.
 */
static int data_words(struct line *l, uint8_t *to)
{
	int n = 0;

	while (next_word(l)) {
		do {
			unsigned int high = hex_digit(*l->p);
			unsigned int low = l->p + 1 < l->end ? hex_digit(l->p[1]) : 16;

			if (high > 15 || low > 15) {
				wrong(l, "expected two hex digits");
				return -1;
			}
			if (n == USBMONTEXT_DATA) {
				wrong(l, "there are more than 32 bytes of data");
				return -1;
			}
			to[n++] = (uint8_t)(high << 4 | low);
			l->p += 2;
		} while (!at_end(l) && *l->p != ' ' && *l->p != '\t');
	}
	return n;
}

static bool data(struct line *l, struct urb *u, uint8_t *record, size_t *len)
{
	size_t fixed = URB_HEADER + (size_t)u->ndesc * URB_ISO_SIZE;
	int32_t length;
	int n = 0;
	char tag;

	if (!next_word(l) || !signed_number(l, &length))
		return wrong(l, "the data length is missing");
	/*
	 * Broken drivers can cause negative lengths, which the binary form stores as unsigned
	 * numbers.
	 */
	u->length = (uint32_t)length;
	*len = fixed;
	if (!next_word(l)) {
		if (u->type == 'E')
			u->flag_data = 'E';
		else if (urb_in(u) && u->type == 'S')
			u->flag_data = '<';
		else if (!urb_in(u) && u->type == 'C')
			u->flag_data = '>';
		return true;
	}
	if (*l->p == '=')
		tag = *l->p++;
	else if (!letter(l, data_letters, &tag))
		return false;
	u->flag_data = tag == '=' ? URB_FLAG_PRESENT : tag;
	if (tag == '=')
		n = data_words(l, record + fixed);
	if (n < 0)
		return false;
	*len += (size_t)n;
	return !next_word(l) || wrong(l, "unexpected text after the end of the event");
}

size_t usbmontext_parse(const char *text, size_t n, uint8_t record[USBMONTEXT_RECORD],
			struct usbmontext_error *e)
{
	struct line l = {text, text, text + n, e};
	struct urb u = {0};
	uint64_t time;
	size_t len = 0;

	*e = (struct usbmontext_error){0};
	if (n && text[n - 1] == '\r')
		l.end--;
	memset(record, 0, URB_HEADER);
	if (!next_word(&l) || !number(&l, 16, UINT64_MAX, &u.id))
		return wrong(&l, "the URB tag is missing");
	if (!next_word(&l) || !number(&l, 10, UINT32_MAX, &time))
		return wrong(&l, "the time is missing");
	u.time = time * 1000;
	if (!next_word(&l) || !letter(&l, "SCE", &u.type) || !address(&l, &u))
		return wrong(&l, "the event is missing");
	if (!next_word(&l))
		return wrong(&l, "the status is missing");
	if (*l.p == '-' || hex_digit(*l.p) < 10) {
		if (!status(&l, &u))
			return 0;
	} else if (u.xfer != URB_CONTROL || (*l.p != 's' && *l.p != 'Z') || !setup(&l, &u)) {
		return wrong(&l, "this is neither a status nor a setup packet");
	}
	if (u.xfer == URB_ISO && u.type != 'E' && has_packets(&l) && !packets(&l, &u, record))
		return 0;
	if (!data(&l, &u, record, &len))
		return 0;
	u.captured = (uint32_t)(len - URB_HEADER);
	urb_header(&u, record);
	return len;
}

bool usbmontext_probe(const char *p, size_t n)
{
	uint8_t record[USBMONTEXT_RECORD];
	struct usbmontext_error e;

	for (size_t len; n; p += len, n -= len) {
		const char *end = memchr(p, '\n', n);

		len = end ? (size_t)(end - p) : n;
		if (len && *p != '#')
			return usbmontext_parse(p, len, record, &e) > 0;
		len += end != NULL;
	}
	return false;
}

/* ---- writing -------------------------------------------------------------------------------- */

/*
 * Returns c if usbmon can write it, otherwise `other`. Records in files may hold any byte: flags
 * set by trawl's own import, or control characters.
 */
static char letter_of(char c, const char *set, char other)
{
	return c && strchr(set, c) ? c : other;
}

static void write_setup(const struct urb *u, struct out *o)
{
	const uint8_t *s = u->setup;

	if (u->flag_setup == URB_FLAG_PRESENT)
		out_printf(o, " s %02x %02x %04x %04x %04x", s[0], s[1], get16(s + 2),
			   get16(s + 4), get16(s + 6));
	else
		out_printf(o, " %c __ __ ____ ____ ____", letter_of(u->flag_setup, "ZD", 'Z'));
}

static void write_packets(const struct urb *u, struct out *o)
{
	uint32_t n = u->ndesc < USBMONTEXT_PACKETS ? u->ndesc : USBMONTEXT_PACKETS;

	out_printf(o, " %d", u->iso_packets);
	for (uint32_t i = 0; i < n; i++) {
		struct urb_packet p = urb_packet(u, i);

		out_printf(o, " %d:%u:%u", p.status, p.offset, p.length);
	}
}

static void write_status(const struct urb *u, struct out *o)
{
	if (u->type != 'E' && u->xfer == URB_ISO) {
		out_printf(o, " %d:%d:%d", u->status, u->interval, u->start_frame);
		if (u->type != 'S')
			out_printf(o, ":%d", u->iso_errors);
		write_packets(u, o);
	} else if (u->type != 'E' && u->xfer == URB_INTERRUPT) {
		out_printf(o, " %d:%d", u->status, u->interval);
	} else if (u->type != 'E' && u->xfer == URB_CONTROL && u->flag_setup != '-') {
		write_setup(u, o);
	} else {
		out_printf(o, " %d", u->status);
	}
}

/*
 * Writes length and data. For isochronous URBs the kernel prints the length of the buffer, also in
 * completions; the binary form has this number only in the submission.
 */
static void write_data(const struct urb *u, bool masked, struct out *o)
{
	uint32_t n = u->data_len < USBMONTEXT_DATA ? u->data_len : USBMONTEXT_DATA;
	int32_t length = (int32_t)(u->buffer ? u->buffer : u->length);

	out_printf(o, " %d", length);
	if (length <= 0)
		return;
	if (u->flag_data != URB_FLAG_PRESENT) {
		out_printf(o, " %c", letter_of(u->flag_data, data_letters, 'D'));
		return;
	}
	out_str(o, " =");
	if (masked)
		out_str(o, " (masked)");
	for (uint32_t i = 0; i < n && !masked; i++) {
		if (i % 4 == 0)
			out_char(o, ' ');
		out_xdigits(o, u->data[i], 2);
	}
}

void usbmontext_brief(const struct urb *u, bool masked, struct out *o)
{
	static const char types[] = "ZICB";

	out_printf(o, "%c %c%c:%u:%03u:%u", letter_of(u->type, "SCE", '?'),
		   u->xfer < URB_XFERS ? types[u->xfer] : '?', urb_in(u) ? 'i' : 'o', u->bus,
		   u->device, urb_endpoint_number(u));
	write_status(u, o);
	write_data(u, masked, o);
}

void usbmontext_write(const struct urb *u, struct out *o)
{
	uint64_t us = u->time / 1000;

	if (us >= USBMONTEXT_WRAP_OLD)
		us %= USBMONTEXT_WRAP * UINT64_C(1000000);
	out_printf(o, "%llx %u ", (unsigned long long)u->id, (uint32_t)us);
	usbmontext_brief(u, false, o);
	out_char(o, '\n');
}
