/* SPDX-License-Identifier: MIT */
/*
 * PTP and MTP: containers with commands, data, responses and events. Sources: Still Image Capture
 * Device 1.0, PIMA 15740, MTP 1.1. Android phones use interfaces of a vendor-specific class; there,
 * containers are recognised by their form.
 */
#include "common/array.h"
#include "decode/base/bytes.h"
#include "decode/usb/class.h"
#include "decode/usb/ptpdata.h"

enum { HEADER = 12, COMMAND = 1, DATA, RESPONSE, EVENT, PARAMETERS = 5 };

/* The length of a container whose end is marked by a short packet (PTP over USB, 7.1). */
#define LENGTH_UNKNOWN UINT32_MAX

static const char *type_name(unsigned int type)
{
	static const char *const names[] = {NULL, "command", "data", "response", "event"};

	return type < ARRAY_SIZE(names) ? names[type] : NULL;
}

static bool is_container(const uint8_t *p, size_t n)
{
	unsigned int type = n >= HEADER ? get16(p + 4) : 0, code;

	if (type < COMMAND || type > EVENT || get32(p) < HEADER)
		return false;
	code = get16(p + 6) & 0x7000;
	if (type != DATA && (get32(p) != n || n > HEADER + 4 * PARAMETERS || n % 4))
		return false;
	return code == (type == RESPONSE ? 0x2000 : type == EVENT ? 0x4000 : 0x1000);
}

static bool fits(const struct usb_detail *d)
{
	const struct usb_interface *f = d->interface;

	if (!f || (d->urb.xfer != URB_BULK && d->urb.xfer != URB_INTERRUPT))
		return false;
	return f->class == 0x06 ||
		(f->class == 0xff &&
		 ((d->device && d->device->ptp.want && d->urb.xfer == URB_BULK) ||
		  (is_container(d->data, d->data_len) && get32(d->data) == d->data_len)));
}

/*
 * Follows a data phase, which may span several transfers and whose header may be a transfer of its
 * own.
 */
static bool follow(struct usb_detail *d)
{
	struct usb_ptp_data *phase = d->device ? &d->device->ptp : NULL;
	const uint8_t *p = d->data;

	if (!phase || d->urb.xfer != URB_BULK || !d->data_len)
		return true;
	/* What is longer than the rest is not of this message. */
	if (d->data_len <= phase->want - phase->have &&
	    !(is_container(p, d->data_len) && get16(p + 4) != DATA)) {
		d->before = phase->have;
		d->whole = phase->want;
		d->code = phase->code;
		phase->have += d->data_len;
	} else {
		*phase = (struct usb_ptp_data){0};
		if (is_container(p, d->data_len) && get16(p + 4) == DATA)
			*phase = (struct usb_ptp_data){d->data_len, get32(p), get16(p + 6)};
	}
	if (phase->have >= phase->want)
		*phase = (struct usb_ptp_data){0};
	return true;
}

/*
 * Returns the layout of the data set that begins in this transfer, or NULL; *n is the number of its
 * bytes in this transfer.
 */
static byte_layout data_set(const struct usb_detail *d, const uint8_t **p, size_t *n)
{
	*p = d->data;
	*n = d->data_len;
	if (d->before == HEADER)
		return ptp_data_set(d->code);
	if (d->before || !is_container(d->data, d->data_len) || get16(d->data + 4) != DATA ||
	    d->data_len == HEADER)
		return NULL;
	*p += HEADER;
	*n -= HEADER;
	return ptp_data_set(get16(d->data + 6));
}

static void tree(const struct usb_state *s, const struct usb_detail *d, struct tree *t)
{
	const uint8_t *p = d->data, *data;
	size_t n;
	byte_layout set = data_set(d, &data, &n);

	if (d->before) {
		tree_object(t, "ptp");
		tree_hex(t, "code", d->code, 4);
		tree_str(t, "code_name", ptp_code(d->code));
		if (d->whole != LENGTH_UNKNOWN)
			tree_uint(t, "container_length", d->whole);
		tree_uint(t, "container_offset", d->before);
		if (set)
			byte_layout_tree(set, ptp_name, data, n, t);
		tree_close(t);
	}
	if (d->before || !is_container(p, d->data_len))
		return;
	tree_object(t, "ptp");
	if (get32(p) != LENGTH_UNKNOWN)
		tree_uint(t, "container_length", get32(p));
	tree_str(t, "container", type_name(get16(p + 4)));
	tree_hex(t, "code", get16(p + 6), 4);
	tree_str(t, "code_name", ptp_code(get16(p + 6)));
	tree_uint(t, "transaction", get32(p + 8));
	if (get16(p + 4) != DATA) {
		tree_list(t, "parameters");
		for (size_t at = HEADER; at + 4 <= d->data_len; at += 4)
			tree_hex(t, "parameter", get32(p + at), 8);
		tree_close(t);
	}
	if (set)
		byte_layout_tree(set, ptp_name, data, n, t);
	tree_close(t);
}

static void code_brief(uint16_t code, struct out *o)
{
	const char *name = ptp_code(code);

	if (name)
		out_str(o, name);
	else
		out_printf(o, "0x%04x", code);
}

static bool set_brief(const struct usb_detail *d, struct out *o)
{
	const uint8_t *data;
	size_t n;
	byte_layout set = data_set(d, &data, &n);

	return set ? byte_layout_brief(set, ptp_name, data, n, o) : false;
}

static bool brief(const struct usb_state *s, const struct usb_detail *d, struct out *o)
{
	const uint8_t *p = d->data;

	out_str(o, "PTP");
	if (d->before) {
		out_str(o, " data ");
		code_brief(d->code, o);
		out_printf(o, " %u to %u", d->before + 1, d->before + d->data_len);
		if (d->whole != LENGTH_UNKNOWN)
			out_printf(o, " of %u", d->whole);
		return set_brief(d, o);
	}
	if (!is_container(p, d->data_len)) {
		out_str(o, " data");
		return !d->data_len;
	}
	out_printf(o, " %s ", type_name(get16(p + 4)));
	code_brief(get16(p + 6), o);
	out_printf(o, " transaction %u", get32(p + 8));
	if (get16(p + 4) == DATA)
		return set_brief(d, o) || d->data_len == HEADER;
	for (size_t at = HEADER; at + 4 <= d->data_len; at += 4)
		out_printf(o, "%s0x%x", at == HEADER ? " (" : ", ", get32(p + at));
	if (d->data_len > HEADER)
		out_char(o, ')');
	return true;
}

static const char *const names[] = {
	"code",	     "code_name",  "container", "container_length", "container_offset",
	"parameter", "parameters", "ptp",	"transaction",	    NULL,
};

const struct usb_class usb_ptp_class = {
	.fits = fits,
	.follow = follow,
	.tree = tree,
	.brief = brief,
	.names = names,
	.has_name = ptp_has_field,
	.words = ptp_words,
};
