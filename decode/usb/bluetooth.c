/* SPDX-License-Identifier: MIT */
/* Bluetooth controllers: HCI over USB. Source: Bluetooth Core 5.3, volume 4, parts B and E. */
#include "decode/base/bytes.h"
#include "decode/usb/class.h"
#include "decode/usb/hci.h"
#include "decode/usb/keystrokes.h"
#include "decode/usb/l2cap.h"

enum { COMMAND_COMPLETE = 0x0e, COMMAND_STATUS = 0x0f, LE_META = 0x3e };
enum { ACL_HEADER = 4, L2CAP_HEADER = ACL_HEADER + 4 };
enum { VALUE_AT = 3 }; /* where the value of an ATT message with a handle begins */

static bool is_controller(const struct usb_interface *f)
{
	return f && f->class == 0xe0 && f->subclass == 0x01 && f->protocol == 0x01;
}

static bool fits(const struct usb_detail *d)
{
	return is_controller(d->interface) && (d->urb.xfer == URB_BULK ||
					       (d->urb.xfer == URB_INTERRUPT && urb_in(&d->urb)));
}

/*
 * Whether an HCI event begins at p. An event may span several transfers, and its first bytes are
 * code and length; for an unknown code, the length must match as well.
 */
static bool begins_event(const uint8_t *p, size_t n)
{
	return n >= 2 && (n == p[1] + 2u || (n < p[1] + 2u && hci_event(p[0])));
}

/* Notes how many bytes of the ACL packet were in earlier transfers. */
static void follow_acl(struct usb_detail *d, struct usb_acl_bytes *a)
{
	if (a->have + d->data_len > a->want) {
		a->have = 0;
		a->want = d->data_len >= ACL_HEADER ? get16(d->data + 2) + ACL_HEADER : 0;
	}
	d->before = a->have;
	d->whole = a->want;
	a->have += d->data_len;
	if (a->have >= a->want)
		a->have = a->want = 0;
}

/* Collects the bytes of an event; it is printed with the transfer that completes it. */
static void follow_event(struct usb_detail *d, struct usb_event_bytes *e)
{
	if (!d->data_len || e->have + d->data_len > e->want) {
		e->have = e->want = 0;
		if (!begins_event(d->data, d->data_len))
			return;
		e->want = (uint16_t)(d->data[1] + 2);
	}
	memcpy(e->bytes + e->have, d->data, d->data_len);
	d->before = e->have;
	e->have = (uint16_t)(e->have + d->data_len);
	d->message = e->bytes;
	d->message_len = e->have;
	d->whole = e->want;
	if (e->have == e->want)
		e->have = e->want = 0;
}

/* Whether the transfer has the header of an L2CAP frame. */
static bool begins_frame(const struct usb_detail *d)
{
	return !d->before && d->data_len >= L2CAP_HEADER && (get16(d->data) >> 12 & 3) != 1;
}

static struct l2cap_channel channel_of(const struct usb_detail *d)
{
	return (struct l2cap_channel){get16(d->data) & 0xfff, get16(d->data + 6),
				      urb_in(&d->urb)};
}

/*
 * Whether the frame has a value that its device notified or indicated, in the form of a boot
 * keyboard's report.
 */
static bool is_keyboard_value(const struct usb_detail *d)
{
	enum { NOTIFICATION = 0x1b, INDICATION = 0x1d };
	const uint8_t *p = d->data + L2CAP_HEADER;

	return l2cap_protocol(get16(d->data + 6), d->code) == &bt_att &&
	       d->data_len == L2CAP_HEADER + VALUE_AT + 8 &&
	       (*p == NOTIFICATION || *p == INDICATION) && keystrokes_form(p + VALUE_AT, 8);
}

/* The frame's bytes that are in this transfer, without keystrokes. */
static struct bt_frame frame_of(const struct usb_detail *d, bool keys)
{
	size_t n = d->data_len - L2CAP_HEADER, whole = get16(d->data + 4);

	if (!keys && is_keyboard_value(d))
		n = VALUE_AT;
	return (struct bt_frame){d->data + L2CAP_HEADER, n < whole ? n : whole, whole, keys};
}

static bool follow(struct usb_detail *d)
{
	struct usb_device *dev = d->device;

	if (dev && d->urb.xfer == URB_INTERRUPT)
		follow_event(d, &dev->event);
	else if (dev && d->data_len)
		follow_acl(d, &dev->acl[urb_in(&d->urb)]);
	if (dev && d->urb.xfer == URB_BULK && begins_frame(d)) {
		struct l2cap_channel c = channel_of(d);
		struct bt_frame f = frame_of(d, false);

		l2cap_follow(&dev->l2cap, &c, f.p, f.n);
		d->code = l2cap_psm(&dev->l2cap, &c);
	}
	return true;
}

/*
 * Returns the length of the event that this transfer completes, or of its known part; 0 if there is
 * none.
 */
static size_t event_of(const struct usb_detail *d, const uint8_t **p)
{
	*p = d->message ? d->message : d->data;
	if (d->message)
		return d->message_len < d->whole ? 0 : d->message_len;
	return begins_event(d->data, d->data_len) ? d->data_len : 0;
}

static void opcode_tree(uint16_t opcode, struct tree *t)
{
	const struct hci_entry *c = hci_command(opcode);

	tree_hex(t, "opcode", opcode, 4);
	tree_str(t, "command", c ? c->name : NULL);
}

/* Appends the parameters; without --show-keys only those that precede the first secret field. */
static void parameters_tree(byte_layout l, const uint8_t *p, size_t n, bool keys, struct tree *t)
{
	byte_layout_tree(l, hci_name, p, keys ? n : byte_layout_clear(l, p, n), t);
}

static bool parameters_brief(byte_layout l, const uint8_t *p, size_t n, bool keys, struct out *o)
{
	return byte_layout_brief(l, hci_name, p, keys ? n : byte_layout_clear(l, p, n), o);
}

static void event_tree(const uint8_t *p, size_t n, bool keys, struct tree *t)
{
	const struct hci_entry *le = p[0] == LE_META && n >= 3 ? hci_le_event(p[2]) : NULL;
	const struct hci_entry *e = le ? le : hci_event(p[0]);
	size_t head = le ? 3 : 2;

	tree_hex(t, "event_code", p[0], 2);
	tree_str(t, "event", e ? e->name : NULL);
	if (p[0] == COMMAND_COMPLETE && n >= 5) {
		const struct hci_entry *c = hci_command(get16(p + 3));

		tree_uint(t, "num_packets", p[2]);
		opcode_tree(get16(p + 3), t);
		if (c && c->answer)
			parameters_tree(hci_paged(c->answer, p + 5, n - 5), p + 5, n - 5, keys,
					t);
		else if (n >= 6)
			tree_hex(t, "hci_status", p[5], 2);
	} else if (p[0] == COMMAND_STATUS && n >= 6) {
		tree_hex(t, "hci_status", p[2], 2);
		tree_str(t, "hci_status_name", hci_name('S', p[2]));
		tree_uint(t, "num_packets", p[3]);
		opcode_tree(get16(p + 4), t);
	} else if (e && e->parameters) {
		parameters_tree(hci_paged(e->parameters, p + head, n - head), p + head, n - head,
				keys, t);
	}
}

static void frame_tree(const struct usb_detail *d, bool keys, struct tree *t)
{
	const struct bt_protocol *b = l2cap_protocol(get16(d->data + 6), d->code);
	struct bt_frame f = frame_of(d, keys);

	if (!b || !f.n)
		return;
	tree_object(t, b->member);
	b->tree(&f, t);
	tree_close(t);
}

static void tree(const struct usb_state *s, const struct usb_detail *d, struct tree *t)
{
	const uint8_t *p = d->data, *event;
	size_t n = d->urb.xfer == URB_INTERRUPT ? event_of(d, &event) : 0;

	tree_object(t, "hci");
	if (n) {
		event_tree(event, n, s->ctx->options->show_keys, t);
		if (d->before)
			tree_uint(t, "event_length", n);
	} else if (d->message) {
		tree_uint(t, "event_offset", d->before);
		tree_uint(t, "event_length", d->whole);
	} else if (d->before) {
		tree_uint(t, "acl_offset", d->before);
		tree_uint(t, "acl_length", d->whole - ACL_HEADER);
	} else if (d->urb.xfer == URB_BULK && d->data_len >= ACL_HEADER) {
		tree_hex(t, "handle", get16(p) & 0xfff, 3);
		tree_uint(t, "boundary", get16(p) >> 12 & 3);
		tree_uint(t, "broadcast", get16(p) >> 14);
		tree_uint(t, "acl_length", get16(p + 2));
		if (begins_frame(d)) {
			tree_uint(t, "l2cap_length", get16(p + 4));
			tree_hex(t, "cid", get16(p + 6), 4);
			if (d->code)
				tree_hex(t, "psm", d->code, 4);
			tree_str(t, "psm_name", l2cap_psm_name(d->code));
		}
	}
	tree_close(t);
	if (d->urb.xfer == URB_BULK && begins_frame(d))
		frame_tree(d, s->ctx->options->show_keys, t);
}

static void command_brief(uint16_t opcode, struct out *o)
{
	const struct hci_entry *c = hci_command(opcode);

	if (c)
		out_printf(o, " %s", c->name);
	else
		out_printf(o, " command 0x%04x", opcode);
}

static bool answer_brief(const uint8_t *p, size_t n, bool keys, struct out *o)
{
	const struct hci_entry *c = hci_command(get16(p + 3));
	const char *status = n >= 6 ? hci_name('S', p[5]) : NULL;

	command_brief(get16(p + 3), o);
	if (n < 6)
		return true;
	out_str(o, ": ");
	if (status)
		out_str(o, status);
	else
		out_printf(o, "status 0x%02x", p[5]);
	if (p[5] || !c || !c->answer || n == 6)
		return n == 6;
	/* All answers begin with the status, which takes three strings of the layout. */
	out_char(o, ',');
	return parameters_brief(hci_paged(c->answer, p + 5, n - 5) + 3, p + 6, n - 6, keys, o);
}

static bool event_brief(const uint8_t *p, size_t n, bool keys, struct out *o)
{
	const struct hci_entry *le = p[0] == LE_META && n >= 3 ? hci_le_event(p[2]) : NULL;
	const struct hci_entry *e = le ? le : hci_event(p[0]);
	const char *status;
	size_t head = le ? 3 : 2;

	if (e)
		out_printf(o, " %s", e->name);
	else
		out_printf(o, " event 0x%02x", p[0]);
	if (p[0] == COMMAND_COMPLETE && n >= 5)
		return answer_brief(p, n, keys, o);
	if (p[0] == COMMAND_STATUS && n >= 6) {
		command_brief(get16(p + 4), o);
		status = hci_name('S', p[2]);
		if (status)
			out_printf(o, ": %s", p[2] ? status : "pending");
		else
			out_printf(o, ": status 0x%02x", p[2]);
		return true;
	}
	if (!e || !e->parameters)
		return n <= head;
	out_char(o, ':');
	return parameters_brief(hci_paged(e->parameters, p + head, n - head), p + head, n - head,
				keys, o);
}

static bool interrupt_brief(const struct usb_detail *d, bool keys, struct out *o)
{
	const uint8_t *event;
	size_t n = event_of(d, &event);

	if (n)
		return event_brief(event, n, keys, o);
	out_str(o, " event data");
	if (d->message)
		out_printf(o, " %u to %u of %u", d->before + 1,
			   d->before + d->data_len, d->whole);
	return !d->data_len;
}

/* Returns whether the whole frame is in this transfer, and is shown. */
static bool frame_brief(const struct usb_detail *d, bool keys, struct out *o)
{
	uint16_t cid = get16(d->data + 6);
	const struct bt_protocol *b = l2cap_protocol(cid, d->code);
	struct bt_frame f = frame_of(d, keys);
	bool all;

	if (!b || !f.n) {
		out_printf(o, ", L2CAP cid 0x%04x", cid);
		if (l2cap_psm_name(d->code))
			out_printf(o, " %s", l2cap_psm_name(d->code));
		return !b && d->data_len == L2CAP_HEADER;
	}
	out_printf(o, ", %s", b->name);
	all = b->brief(&f, o);
	if (f.n < f.whole)
		out_printf(o, ", %zu of %zu bytes of the frame", f.n, f.whole);
	return all && f.n == f.whole && d->data_len == L2CAP_HEADER + f.n;
}

static bool brief(const struct usb_state *s, const struct usb_detail *d, struct out *o)
{
	const uint8_t *p = d->data;

	out_str(o, "HCI");
	if (d->urb.xfer == URB_INTERRUPT)
		return interrupt_brief(d, s->ctx->options->show_keys, o);
	out_str(o, " ACL");
	if (d->before) {
		out_printf(o, " data %u to %u of %u", d->before + 1,
			   d->before + d->data_len, d->whole);
	} else if (d->data_len >= ACL_HEADER) {
		out_printf(o, " handle 0x%03x, %u bytes", get16(p) & 0xfff, get16(p + 2));
		if (begins_frame(d))
			return frame_brief(d, s->ctx->options->show_keys, o);
	}
	return !d->data_len;
}

/* Commands are addressed to the device or to the interface. */
static bool requested(const struct usb_detail *d)
{
	return control_kind(&d->setup) == SETUP_CLASS && d->setup.request == 0 &&
	       !control_in(&d->setup) && d->target.class == 0xe0 && d->target.subclass == 0x01 &&
	       d->data_len >= 3;
}

static void request_tree(const struct usb_state *s, const struct usb_detail *d, struct tree *t)
{
	const struct hci_entry *c = hci_command(get16(d->data));

	tree_object(t, "hci");
	opcode_tree(get16(d->data), t);
	tree_uint(t, "parameter_length", d->data[2]);
	if (c && c->parameters)
		parameters_tree(c->parameters, d->data + 3, d->data_len - 3,
				s->ctx->options->show_keys, t);
	else if (d->data_len > 3)
		tree_bytes(t, "parameters", d->data + 3, d->data_len - 3);
	tree_close(t);
}

static bool request_brief(const struct usb_state *s, const struct usb_detail *d, struct out *o)
{
	const struct hci_entry *c = hci_command(get16(d->data));

	command_brief(get16(d->data), o);
	return c && c->parameters && d->data_len > 3
		       ? parameters_brief(c->parameters, d->data + 3, d->data_len - 3,
					  s->ctx->options->show_keys, o)
		       : d->data_len == 3;
}

/* ---- keys --------------------------------------------------------------------------------- */

static const char by_key[] = "key of a Bluetooth pairing";
static const char by_keyboard[] = "form of a Bluetooth keyboard's reports";

static bool has_key(byte_layout l, const uint8_t *p, size_t n)
{
	return l && byte_layout_clear(l, p, n) < n;
}

static bool event_has_key(const uint8_t *p, size_t n)
{
	const struct hci_entry *le = n >= 3 && p[0] == LE_META ? hci_le_event(p[2]) : NULL;
	const struct hci_entry *e = le ? le : n ? hci_event(p[0]) : NULL, *c;
	size_t head = le ? 3 : 2;

	if (n >= 5 && p[0] == COMMAND_COMPLETE) {
		c = hci_command(get16(p + 3));
		return c && has_key(c->answer, p + 5, n - 5);
	}
	return e && n >= head && has_key(e->parameters, p + head, n - head);
}

/*
 * The rule for ACL data that must be masked: keys that the two sides of a pairing exchange
 * (Security Manager: Encryption, Identity and Signing Information), and reports like those of boot
 * keyboards (HID profile: DATA of input, report 1; ATT: a notified or indicated value).
 */
static const char *acl_secret(const struct usb_detail *d)
{
	enum { SMP_LE = 6, SMP_CLASSIC = 7, HIDP_INPUT = 0xa1 };
	const uint8_t *p = d->data + L2CAP_HEADER;
	uint16_t cid;

	if (!begins_frame(d) || d->data_len == L2CAP_HEADER)
		return NULL;
	cid = get16(d->data + 6);
	if (cid == SMP_LE || cid == SMP_CLASSIC)
		return *p == 0x06 || *p == 0x08 || *p == 0x0a ? by_key : NULL;
	if (d->data_len == L2CAP_HEADER + 10 && p[0] == HIDP_INPUT && p[1] == 1 &&
	    keystrokes_form(p + 2, 8))
		return by_keyboard;
	if (is_keyboard_value(d))
		return by_keyboard;
	return NULL;
}

static const char *secret(const struct usb_detail *d)
{
	const struct hci_entry *c;
	bool key;

	if (d->urb.xfer == URB_BULK)
		return acl_secret(d);
	if (d->urb.xfer == URB_INTERRUPT) {
		key = event_has_key(d->message ? d->message : d->data,
				    d->message ? d->message_len : d->data_len);
	} else {
		c = d->data_len > 3 ? hci_command(get16(d->data)) : NULL;
		key = c && has_key(c->parameters, d->data + 3, d->data_len - 3);
	}
	return key ? by_key : NULL;
}

static const char *const names[] = {
	"acl_length",  "acl_offset", "boundary",	 "broadcast",	    "cid",
	"command",     "event",	     "event_code",	 "event_length",    "event_offset",
	"handle",      "hci",	     "hci_status",	 "hci_status_name", "l2cap_length",
	"num_packets", "opcode",     "parameter_length", "parameters",	    "psm",
	"psm_name",    NULL,
};

static bool has_name(const char *name, size_t n)
{
	return hci_has_field(name, n) || l2cap_has_name(name, n);
}

static void words(const char *member, decoder_name_fn *fn, void *arg)
{
	hci_words(member, fn, arg);
	l2cap_words(member, fn, arg);
}

const struct usb_class usb_bluetooth_class = {
	.fits = fits,
	.follow = follow,
	.tree = tree,
	.brief = brief,
	.requested = requested,
	.request_tree = request_tree,
	.request_brief = request_brief,
	.secret = secret,
	.names = names,
	.has_name = has_name,
	.words = words,
};
