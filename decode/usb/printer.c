/* SPDX-License-Identifier: MIT */
/*
 * Printers: page description language, HTTP and IPP, port status, IEEE 1284 device id. Source:
 * Printer Class 1.1.
 */
#include "common/array.h"
#include "decode/usb/class.h"
#include "decode/usb/ipp.h"
#include "decode/base/escape.h"

enum { GET_DEVICE_ID = 0, GET_PORT_STATUS = 1, TEXT_SHOWN = 120 };

/* First bytes of a job. Strings precede their own prefixes, because the first match is used. */
static const struct language {
	const char *begins;
	uint8_t length;
	const char *name;
} languages[] = {
#define BEGINS(text, name) {text, sizeof(text) - 1, name}
	BEGINS("\033%-12345X@PJL", "PJL"), BEGINS("\033%-12345X", "UEL"), BEGINS("@PJL", "PJL"),
	BEGINS("%!PS", "PostScript"), BEGINS("\004%!PS", "PostScript"), BEGINS("%PDF-", "PDF"),
	BEGINS("\033E", "PCL"), BEGINS("\033*", "PCL"), BEGINS("\033&", "PCL"),
	BEGINS(") HP-PCL XL", "PCL XL"), BEGINS("\033@", "ESC/P"), BEGINS("\033(", "ESC/P raster"),
	BEGINS("UNIRAST", "URF"), BEGINS("RaS2", "PWG raster"), BEGINS("RaS3", "CUPS raster"),
	BEGINS("\xcd\xca", "HBPL"), BEGINS("^XA", "ZPL"), 
	BEGINS("\x1d", "ESC/POS"), BEGINS("SIZE ", "TSPL"), BEGINS("\033i", "P-touch"),
};

static const char *language_of(const struct usb_detail *d)
{
	size_t left;

	if (ipp_message(d->data, d->data_len, &left))
		return "IPP";
	if (http_line(d->data, d->data_len))
		return "HTTP";
	for (size_t i = 0; i < ARRAY_SIZE(languages); i++)
		if (d->data_len >= languages[i].length &&
		    !memcmp(d->data, languages[i].begins, languages[i].length))
			return languages[i].name;
	return NULL;
}

static bool fits(const struct usb_detail *d)
{
	return d->interface && d->interface->class == 0x07 && d->urb.xfer == URB_BULK;
}

static void tree(const struct usb_state *s, const struct usb_detail *d, struct tree *t)
{
	size_t left, line = http_line(d->data, d->data_len);
	const uint8_t *message = ipp_message(d->data, d->data_len, &left);

	tree_str(t, "language", language_of(d));
	if (line)
		tree_text(t, "http", d->data, line);
	if (message)
		ipp_tree(message, left, urb_in(&d->urb), t);
}

static bool brief(const struct usb_state *s, const struct usb_detail *d, struct out *o)
{
	size_t left, line = http_line(d->data, d->data_len);
	const uint8_t *message = ipp_message(d->data, d->data_len, &left);
	const char *language = language_of(d);

	if (!line && !message) {
		out_printf(o, "printer %s", language ? language : "data");
		return !d->data_len;
	}
	out_str(o, "printer");
	if (line) {
		out_char(o, ' ');
		out_quoted(o, (const char *)d->data, line);
	}
	if (message)
		ipp_brief(message, left, urb_in(&d->urb), o);
	return false;
}

static bool has_name(const char *name, size_t n)
{
	return usb_names_have(ipp_names, name, n);
}

static bool requested(const struct usb_detail *d)
{
	return control_in(&d->setup) && (usb_is_class_request(d, 0x07, GET_DEVICE_ID) ||
				       usb_is_class_request(d, 0x07, GET_PORT_STATUS));
}

/* Returns the device id without its length field, which is big endian and includes itself. */
static const char *id_of(const struct usb_detail *d, size_t *n)
{
	size_t length = d->data_len >= 2 ? (size_t)(d->data[0] << 8 | d->data[1]) : 0;

	if (length > d->data_len)
		length = d->data_len;
	*n = length > 2 ? length - 2 : 0;
	return (const char *)d->data + 2;
}

/* Appends MFG, MDL, CMD, ... under their full names; some keys have two spellings. */
static void id_tree(const char *id, size_t n, struct tree *t)
{
	static const struct { const char *key, *name; } keys[] = {
		{"MANUFACTURER", "manufacturer"}, {"MFG", "manufacturer"}, {"MODEL", "model"},
		{"MDL", "model"}, {"COMMAND SET", "command_set"}, {"CMD", "command_set"},
		{"CLASS", "class"}, {"CLS", "class"}, {"DESCRIPTION", "description"},
		{"DES", "description"}, {"SERIALNUMBER", "serial"}, {"SERN", "serial"},
		{"SN", "serial"},
	};

	for (size_t at = 0, end; at < n; at = end + 1) {
		const char *colon;
		size_t key;

		for (end = at; end < n && id[end] != ';';)
			end++;
		colon = memchr(id + at, ':', end - at);
		key = colon ? (size_t)(colon - id) - at : 0;
		for (size_t i = 0; key && i < ARRAY_SIZE(keys); i++)
			if (strlen(keys[i].key) == key && !memcmp(keys[i].key, id + at, key))
				tree_text(t, keys[i].name, colon + 1, end - at - key - 1);
	}
}

static void request_tree(const struct usb_state *s, const struct usb_detail *d, struct tree *t)
{
	const char *id;
	size_t n;

	tree_object(t, "printer");
	if (d->setup.request == GET_PORT_STATUS) {
		tree_bool(t, "paper_empty", d->data[0] & 0x20);
		tree_bool(t, "selected", d->data[0] & 0x10);
		tree_bool(t, "error", !(d->data[0] & 0x08));
	} else {
		id = id_of(d, &n);
		tree_text(t, "device_id", id, n);
		id_tree(id, n, t);
	}
	tree_close(t);
}

static bool request_brief(const struct usb_state *s, const struct usb_detail *d, struct out *o)
{
	const char *id;
	size_t n;

	if (d->setup.request == GET_PORT_STATUS) {
		out_printf(o, " %s, %s, %s", d->data[0] & 0x10 ? "selected" : "not selected",
			   d->data[0] & 0x20 ? "paper empty" : "paper there",
			   d->data[0] & 0x08 ? "no error" : "error");
		return true;
	}
	id = id_of(d, &n);
	if (!n)
		return false;
	out_char(o, ' ');
	out_quoted(o, id, n < TEXT_SHOWN ? n : TEXT_SHOWN);
	if (n > TEXT_SHOWN)
		out_str(o, "...");
	return true;
}

static const char *const names[] = {
	"class", "command_set", "description", "device_id", "error", "http", "language", "manufacturer",
	"model", "paper_empty", "printer", "selected", "serial", NULL,
};

static void words(const char *member, decoder_name_fn *fn, void *arg)
{
	ipp_words(member, fn, arg);
}

const struct usb_class usb_printer_class = {
	.fits = fits,
	.tree = tree,
	.brief = brief,
	.requested = requested,
	.request_tree = request_tree,
	.request_brief = request_brief,
	.names = names,
	.has_name = has_name,
	.words = words,
};
