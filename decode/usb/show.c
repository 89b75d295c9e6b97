/* SPDX-License-Identifier: MIT */
/* How USB items look: a tree of all that is known, and one line for people. */
#include "decode/usb/usb.h"
#include "decode/usb/cdc.h"
#include "decode/usb/ftdi.h"
#include "decode/usb/hub.h"
#include "decode/usb/status.h"
#include "decode/usb/usbmontext.h"

#include <stdlib.h>

#define DATA_SHOWN 256      /* bytes of payload in JSON when no hexdump was asked for */
#define TEXT_SHOWN 200      /* bytes of serial text in a line */
#define PACKETS_SHOWN 128

/* ---- control transfers ---------------------------------------------------------------------- */

static bool is_request(const struct usb_detail *d, enum setup_kind kind, uint8_t class,
		       uint8_t request)
{
	return setup_kind(&d->setup) == kind && d->setup.request == request &&
	       (kind != SETUP_CLASS || d->target.class == class);
}

static struct descriptor_request asked_for(const struct usb_detail *d)
{
	return (struct descriptor_request){
		.type = (uint8_t)(d->setup.value >> 8),
		.index = (uint8_t)d->setup.value,
		.to = d->target,
	};
}

/* GET_DESCRIPTOR of any kind, also the hub's, which is a class request. */
static bool is_descriptor(const struct usb_detail *d)
{
	enum setup_kind kind = setup_kind(&d->setup);

	return d->setup.request == REQ_GET_DESCRIPTOR && setup_in(&d->setup) &&
	       (kind == SETUP_STANDARD || (kind == SETUP_CLASS && d->target.class == 0x09));
}

static bool is_line_coding(const struct usb_detail *d)
{
	return is_request(d, SETUP_CLASS, 0x02, 0x20) || is_request(d, SETUP_CLASS, 0x02, 0x21);
}

static bool is_hub_status(const struct usb_detail *d)
{
	return is_request(d, SETUP_CLASS, 0x09, REQ_GET_STATUS);
}

static unsigned int hub_port(const struct usb_detail *d)
{
	return setup_recipient(&d->setup) == SETUP_OTHER ? d->setup.index & 0xff : 0;
}

/* GET_REPORT and SET_REPORT; false if it is neither. */
static bool hid_request(const struct usb_detail *d, enum hid_kind *kind)
{
	unsigned int type = d->setup.value >> 8;

	if (!is_request(d, SETUP_CLASS, 0x03, 0x01) && !is_request(d, SETUP_CLASS, 0x03, 0x09))
		return false;
	*kind = type == 1 ? HID_INPUT : type == 2 ? HID_OUTPUT : HID_FEATURE;
	return type >= 1 && type <= 3;
}

static const struct hid_report *hid_of(const struct usb_detail *d)
{
	const struct usb_interface *f = d->interface;

	if (!f && d->has_setup)
		f = usbdev_interface_number(d->device, (uint8_t)d->setup.index);
	return f && f->hid.nfields ? &f->hid : NULL;
}

static void hid_report_descriptor(const struct usb_detail *d, struct tree *t)
{
	struct hid_report h;

	if (hid_parse(&h, d->data, d->data_len) == 0)
		hid_descriptor_tree(&h, t);
	hid_free(&h);
}

static void status_answer(const struct usb_detail *d, struct tree *t)
{
	if (d->data_len < 2)
		return;
	if (setup_recipient(&d->setup) == SETUP_DEVICE) {
		tree_bool(t, "self_powered", d->data[0] & 1);
		tree_bool(t, "remote_wakeup", d->data[0] & 2);
	} else if (setup_recipient(&d->setup) == SETUP_ENDPOINT) {
		tree_bool(t, "halt", d->data[0] & 1);
	}
}

static void control_tree(struct usb_state *s, const struct usb_detail *d, struct tree *t)
{
	bool show_keys = s->ctx->options->show_keys;
	struct descriptor_request r = asked_for(d);
	enum hid_kind kind;

	if (!d->data_len)
		return;
	if (is_descriptor(d) && r.type == DESC_HID_REPORT)
		hid_report_descriptor(d, t);
	else if (is_descriptor(d))
		descriptor_tree(&r, d->data, d->data_len, t);
	else if (is_line_coding(d))
		cdc_line_coding_tree(d->data, d->data_len, t);
	else if (is_hub_status(d))
		hub_status_tree(hub_port(d), d->target.protocol == 3, d->data, d->data_len, t);
	else if (hid_request(d, &kind) && hid_of(d))
		hid_tree(hid_of(d), kind, d->data, d->data_len, show_keys, t);
	else if (is_request(d, SETUP_STANDARD, 0, REQ_GET_STATUS))
		status_answer(d, t);
	else if (is_request(d, SETUP_STANDARD, 0, REQ_GET_CONFIGURATION))
		tree_uint(t, "configuration", d->data[0]);
	else if (is_request(d, SETUP_CLASS, 0x08, 0xfe))
		tree_uint(t, "max_lun", d->data[0]);
}

static void control_brief(struct usb_state *s, const struct usb_detail *d, struct out *o)
{
	bool show_keys = s->ctx->options->show_keys;
	struct descriptor_request r = asked_for(d);
	size_t start = o->len;
	enum hid_kind kind;

	if (!d->data_len)
		return;
	out_char(o, ':');
	if (hid_request(d, &kind) && hid_of(d)) {
		hid_brief(hid_of(d), kind, d->data, d->data_len, show_keys, o);
		return;
	}
	out_char(o, ' ');
	if (is_descriptor(d) && r.type == DESC_HID_REPORT)
		out_count(o, d->data_len, "byte");
	else if (is_descriptor(d))
		descriptor_brief(&r, d->data, d->data_len, o);
	else if (is_line_coding(d))
		cdc_line_coding_brief(d->data, d->data_len, o);
	else if (is_hub_status(d))
		hub_status_brief(hub_port(d), d->target.protocol == 3, d->data, d->data_len, o);
	else if (is_request(d, SETUP_CLASS, 0x08, 0xfe))
		out_printf(o, "max LUN %u", d->data[0]);
	else if (d->data_len <= 8 && !d->secret)
		out_hexbytes(o, d->data, d->data_len);
	if (o->len == start + 2)
		o->len = start;
}

/* ---- other transfers ------------------------------------------------------------------------ */

static const char *iso_kind(const struct urb *u)
{
	return u->type == 'S' ? "asked" : "transferred";
}

static void packets_tree(const struct urb *u, struct tree *t)
{
	uint32_t n = u->ndesc < PACKETS_SHOWN ? u->ndesc : PACKETS_SHOWN;

	tree_uint(t, "error_count", (uint32_t)u->iso_errors);
	tree_uint(t, "packet_count", (uint32_t)u->iso_packets);
	tree_str(t, "lengths", iso_kind(u));
	tree_list(t, "packets");
	for (uint32_t i = 0; i < n; i++) {
		struct urb_packet p = urb_packet(u, i);

		tree_object(t, "packet");
		tree_int(t, "status", p.status);
		if (p.status && p.status != -18)
			tree_str(t, "status_name", usb_status_name(p.status));
		tree_uint(t, "offset", p.offset);
		tree_uint(t, "length", p.length);
		tree_close(t);
	}
	tree_close(t);
}

/* Errors of packets by name: "3 of 8 packets failed (protocol error)". */
static void packets_brief(const struct urb *u, struct out *o)
{
	int32_t first = 0;

	out_printf(o, "%d packet%s", u->iso_packets, u->iso_packets == 1 ? "" : "s");
	if (u->type != 'C' || !u->iso_errors)
		return;
	for (uint32_t i = 0; i < u->ndesc && !first; i++)
		first = urb_packet(u, i).status;
	out_printf(o, ", %d failed", u->iso_errors);
	if (first)
		out_printf(o, " (%s)", usb_status_name(first));
}

/* The text in a serial transfer, to be freed; FTDI has status bytes in each packet. */
static uint8_t *serial_text(const struct usb_detail *d, size_t *n)
{
	unsigned int packet = d->endpoint ? d->endpoint->packet & 0x7ff : 64;
	uint8_t *text = malloc(d->data_len + 1);

	*n = 0;
	if (!text)
		return NULL;
	if (d->talk == TALK_FTDI && urb_in(&d->urb)) {
		*n = ftdi_strip(d->data, d->data_len, packet, text);
	} else {
		memcpy(text, d->data, d->data_len);
		*n = d->data_len;
	}
	return text;
}

static void serial_tree(const struct usb_detail *d, struct tree *t)
{
	size_t n;
	uint8_t *text = serial_text(d, &n);

	if (text)
		tree_text(t, "text", text, n);
	free(text);
}

static void serial_brief(const struct usb_detail *d, struct out *o)
{
	size_t n;
	uint8_t *text = serial_text(d, &n);

	if (text && n) {
		out_str(o, "text ");
		out_quoted(o, text, n < TEXT_SHOWN ? n : TEXT_SHOWN);
		if (n > TEXT_SHOWN)
			out_str(o, "...");
	} else {
		out_str(o, "no text");
	}
	free(text);
}

static void talk_tree(struct usb_state *s, const struct usb_detail *d, struct tree *t)
{
	bool keys = s->ctx->options->show_keys;

	switch ((enum usb_talk)d->talk) {
	case TALK_CONTROL:
		if (d->has_setup)
			control_tree(s, d, t);
		break;
	case TALK_HID:
		if (hid_of(d) && d->data_len)
			hid_tree(hid_of(d), urb_in(&d->urb) ? HID_INPUT : HID_OUTPUT, d->data,
				 d->data_len, keys, t);
		break;
	case TALK_HUB:
		if (d->data_len)
			hub_change_tree(d->data, d->data_len, t);
		break;
	case TALK_NOTIFICATION:
		cdc_notification_tree(d->data, d->data_len, t);
		break;
	case TALK_TEXT:
	case TALK_FTDI:
		serial_tree(d, t);
		break;
	case TALK_STORAGE:
		msc_tree(&d->storage, d->data, d->data_len, t);
		break;
	case TALK_ISO:
	case TALK_DATA:
		break;
	}
}

static void talk_brief(struct usb_state *s, const struct usb_detail *d, struct out *o)
{
	bool keys = s->ctx->options->show_keys;

	switch ((enum usb_talk)d->talk) {
	case TALK_CONTROL:
		if (!d->has_setup) {
			out_str(o, "control");
			break;
		}
		setup_brief(&d->setup, &d->target, o);
		control_brief(s, d, o);
		break;
	case TALK_HID:
		out_str(o, "HID");
		if (hid_of(d) && d->data_len)
			hid_brief(hid_of(d), urb_in(&d->urb) ? HID_INPUT : HID_OUTPUT, d->data,
				  d->data_len, keys, o);
		break;
	case TALK_HUB:
		out_str(o, "hub");
		if (d->data_len)
			hub_change_brief(d->data, d->data_len, o);
		break;
	case TALK_NOTIFICATION:
		out_str(o, "CDC ");
		cdc_notification_brief(d->data, d->data_len, o);
		break;
	case TALK_TEXT:
	case TALK_FTDI:
		serial_brief(d, o);
		break;
	case TALK_STORAGE:
		msc_brief(&d->storage, d->data, d->data_len, o);
		break;
	case TALK_ISO:
		packets_brief(&d->urb, o);
		break;
	case TALK_DATA:
		out_str(o, "data");
		break;
	}
}

/* ---- the tree ------------------------------------------------------------------------------- */

static bool is_masked(const struct usb_state *s, const struct usb_detail *d)
{
	return d->secret && !s->ctx->options->show_keys;
}

static void status_tree(int32_t status, struct tree *t)
{
	tree_int(t, "status", status);
	tree_str(t, "status_name", usb_status_name(status));
	if (*usb_status_errno(status))
		tree_str(t, "errno", usb_status_errno(status));
}

static void address_tree(const struct usb_detail *d, struct tree *t)
{
	const struct urb *u = &d->urb;

	tree_uint(t, "bus", u->bus);
	tree_uint(t, "dev", u->device);
	tree_uint(t, "ep", urb_number(u));
	tree_str(t, "dir", urb_in(u) ? "in" : "out");
	tree_str(t, "xfer", urb_xfer_name(u->xfer));
	if (d->device && *d->device->port)
		tree_str(t, "port", d->device->port);
	if (d->device && d->device->known) {
		tree_id(t, "vid", usbdev_vendor(d->device), 4);
		tree_id(t, "pid", usbdev_product(d->device), 4);
	}
}

static const char *const ends[] = {"done", "error", "unanswered", "pending", NULL};

static void transfer_tree(const struct usb_detail *d, struct tree *t)
{
	const struct transfer *x = d->transfer;

	tree_str(t, "end", ends[x->end]);
	if (x->has_complete)
		status_tree(x->complete.status, t);
	if (x->has_submit) {
		tree_uint(t, "length", x->submit.length);
		tree_uint(t, "submit_ns", x->submitted);
	}
	if (x->end == TRANSFER_DONE)
		tree_uint(t, "actual", x->complete.length);
	if (transfer_latency(x))
		tree_uint(t, "latency_ns", transfer_latency(x));
}

static void event_tree(const struct usb_detail *d, struct tree *t)
{
	const struct urb *u = &d->urb;

	tree_hex(t, "id", u->id, 16);
	tree_printf(t, "type", "%c", u->type);
	status_tree(u->status, t);
	tree_uint(t, "length", u->length);
	tree_uint(t, "captured", u->captured);
	tree_hex(t, "flags", u->flags, 8);
}

static void data_tree(struct usb_state *s, const struct usb_detail *d, struct tree *t)
{
	const struct transfer *x = d->transfer;
	const struct urb *carrier = x ? transfer_data(x) : &d->urb;
	uint32_t n = d->data_len;

	if (carrier && urb_flag_text(carrier->flag_data) && carrier->type != 'E')
		tree_str(t, "no_data", urb_flag_text(carrier->flag_data));
	if (carrier && urb_missing(carrier))
		tree_uint(t, "not_captured", urb_missing(carrier));
	if (d->data_len)
		tree_uint(t, "data_length", d->data_len);
	if (is_masked(s, d)) {
		tree_bool(t, "masked", true);
		return;
	}
	if (!s->ctx->options->hexdump && n > DATA_SHOWN)
		n = DATA_SHOWN;
	if (n)
		tree_bytes(t, "data", d->data, n);
}

static void damage_tree(unsigned int damage, struct tree *t)
{
	static const char *const names[] = {
		"the header is cut", "the event type is wrong", "there is no such transfer type",
		"the isochronous descriptors do not fit", "the captured length is wrong",
	};

	if (!damage)
		return;
	tree_list(t, "damage");
	for (unsigned int i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (damage >> i & 1)
			tree_str(t, "damage", names[i]);
	tree_close(t);
}

static const struct tree *build(struct usb_state *s, const struct usb_detail *d)
{
	const struct urb *u = &d->urb;
	struct tree *t = &s->tree;

	if (s->built)
		return t;
	s->built = true;
	tree_clear(t);
	address_tree(d, t);
	if (d->transfer)
		transfer_tree(d, t);
	else
		event_tree(d, t);
	if (d->has_setup) {
		tree_object(t, "setup");
		setup_tree(&d->setup, &d->target, t);
		tree_close(t);
	}
	if (u->xfer == URB_INTERRUPT || u->xfer == URB_ISO)
		tree_int(t, "interval", u->interval);
	if (u->xfer == URB_ISO) {
		tree_int(t, "start_frame", u->start_frame);
		packets_tree(u, t);
	}
	if (d->transfer) {
		tree_object(t, "decoded");
		talk_tree(s, d, t);
		tree_close(t);
	}
	data_tree(s, d, t);
	damage_tree(u->damage, t);
	return t;
}

void usb_json(void *state, const struct item *it, struct out *o)
{
	const struct tree *t = build(state, it->detail);

	tree_json(t, 0, t->count, o);
}

/* ---- a line for people ---------------------------------------------------------------------- */

static void duration(uint64_t ns, struct out *o)
{
	if (ns < 1000000)
		out_printf(o, ", %llu us", (unsigned long long)ns / 1000);
	else if (ns < 1000000000)
		out_printf(o, ", %.1f ms", (double)ns / 1e6);
	else
		out_printf(o, ", %.2f s", (double)ns / 1e9);
}

static void result_brief(const struct usb_detail *d, struct out *o)
{
	const struct transfer *x = d->transfer;
	const struct urb *carrier = transfer_data(x);

	if (!x->has_complete) {
		out_str(o, ", ");
		out_count(o, x->submit.length, "byte");
		out_str(o, x->end == TRANSFER_PENDING ? " asked, pending at the end"
						      : " asked, no answer");
		return;
	}
	if (x->end == TRANSFER_DONE && x->has_submit && x->complete.length < x->submit.length) {
		out_printf(o, ", %u of ", x->complete.length);
		out_count(o, x->submit.length, "byte");
	} else if (x->end == TRANSFER_DONE && (x->complete.length || !d->has_setup)) {
		out_str(o, ", ");
		out_count(o, x->complete.length, "byte");
	}
	if (x->end == TRANSFER_ERROR)
		out_str(o, ", not submitted");
	if (x->complete.status)
		out_printf(o, ", %s (%s%s%d)", usb_status_name(x->complete.status),
			   usb_status_errno(x->complete.status),
			   *usb_status_errno(x->complete.status) ? " " : "", x->complete.status);
	if (transfer_latency(x))
		duration(transfer_latency(x), o);
	else if (!x->has_submit)
		out_str(o, ", submission not recorded");
	if (carrier && urb_missing(carrier)) {
		out_str(o, ", ");
		out_count(o, urb_missing(carrier), "byte");
		out_str(o, " not captured");
	}
}

void usb_text(void *state, const struct item *it, struct out *o)
{
	struct usb_state *s = state;
	const struct usb_detail *d = it->detail;
	const struct urb *u = &d->urb;

	if (!d->transfer) {
		out_printf(o, "%llx ", (unsigned long long)u->id);
		usbmontext_brief(u, is_masked(s, d), o);
		if (d->has_setup) {
			out_str(o, "  ");
			setup_brief(&d->setup, &d->target, o);
		}
	} else {
		out_printf(o, "%u:%u ep%u %s  ", u->bus, u->device, urb_number(u),
			   urb_in(u) ? "in " : "out");
		talk_brief(s, d, o);
		result_brief(d, o);
	}
	if (d->comment)
		out_printf(o, "  (%s)", d->comment);
	if (u->damage)
		out_str(o, "  (damaged record)");
}

static void hexdump(const uint8_t *p, size_t n, bool text, struct out *o)
{
	for (size_t at = 0; at < n; at += 16) {
		size_t part = n - at < 16 ? n - at : 16;

		out_str(o, "\t0x");
		out_xdigits(o, at, at > 0xffff ? 8 : 4);
		out_str(o, ": ");
		for (size_t i = 0; i < 16; i++) {
			if (i % 2 == 0)
				out_char(o, ' ');
			if (i < part)
				out_xdigits(o, p[at + i], 2);
			else
				out_str(o, text ? "  " : "");
		}
		if (text)
			out_str(o, "  ");
		for (size_t i = 0; text && i < part; i++)
			out_char(o, p[at + i] >= 0x20 && p[at + i] < 0x7f ? (char)p[at + i] : '.');
		out_char(o, '\n');
	}
}

void usb_more(void *state, const struct item *it, struct out *o)
{
	struct usb_state *s = state;
	const struct usb_detail *d = it->detail;
	const struct tree *t;

	if (s->ctx->options->all_fields) {
		t = build(s, d);
		tree_lines(t, 0, t->count, 4, o);
	}
	if (!s->ctx->options->hexdump || !d->data_len)
		return;
	if (is_masked(s, d))
		out_str(o, "\t(masked: may be keystrokes, see --show-keys)\n");
	else
		hexdump(d->data, d->data_len, s->ctx->options->hexdump > 1, o);
}

/* ---- single fields -------------------------------------------------------------------------- */

static void take_value(struct usb_state *s, const struct tree *t, const struct tree_node *n,
		       struct value *v)
{
	struct out *o = &s->scratch[s->turn++ % 2];

	switch ((enum tree_kind)n->kind) {
	case TREE_UINT:
	case TREE_BOOL:
	case TREE_HEX:
		v->type = VALUE_UINT;
		v->hex = n->kind == TREE_HEX;
		v->u = n->u;
		break;
	case TREE_INT:
		v->type = VALUE_INT;
		v->i = n->i;
		break;
	case TREE_TEXT:
	case TREE_BYTES:
		v->type = n->kind == TREE_TEXT ? VALUE_TEXT : VALUE_BYTES;
		v->text = tree_chars(t, n);
		v->len = n->len;
		break;
	case TREE_ID:
		o->len = 0;
		out_xdigits(o, n->u, n->digits);
		v->type = VALUE_TEXT;
		v->text = o->data;
		v->len = o->len;
		break;
	case TREE_OBJECT:
	case TREE_LIST:
		o->len = 0;
		tree_line(t, (uint32_t)(n - t->nodes) + 1, n->end, o);
		v->type = VALUE_TEXT;
		v->text = o->data;
		v->len = o->len;
		break;
	}
}

bool usb_value(void *state, const struct item *it, const char *name, struct value *v)
{
	const struct tree *t = build(state, it->detail);
	const struct tree_node *n = tree_find(t, name);

	memset(v, 0, sizeof(*v));
	if (!n)
		return false;
	take_value(state, t, n, v);
	return true;
}

const char *usb_word(const char *field, size_t n)
{
	static const char *const dirs[] = {"in", "out", NULL};
	static const char *const types[] = {"S", "C", "E", NULL};
	const char *const *words = !strcmp(field, "end")  ? ends :
				   !strcmp(field, "dir")  ? dirs :
				   !strcmp(field, "type") ? types : NULL;

	if (!strcmp(field, "status_name"))
		return usb_status_word(n);
	if (!strcmp(field, "errno"))
		return usb_status_error(n);
	if (!strcmp(field, "xfer"))
		return n <= URB_XFERS ? urb_xfer_name((uint8_t)n) : NULL;
	for (size_t i = 0; words && i < n; i++)
		if (!words[i])
			return NULL;
	return words ? words[n] : NULL;
}

void usb_names(void *state, const struct trawl_event_type *type, decoder_name_fn *fn, void *arg)
{
	static const char *const joined[] = {
		"bus", "dev", "ep", "dir", "xfer", "port", "vid", "pid", "end", "status",
		"status_name", "errno", "length", "submit_ns", "actual", "latency_ns", "setup",
		"interval", "start_frame", "error_count", "packet_count", "packets", "decoded",
		"no_data", "not_captured", "data_length", "masked", "data", "damage", NULL,
	};
	static const char *const single[] = {
		"bus", "dev", "ep", "dir", "xfer", "port", "vid", "pid", "id", "type", "status",
		"status_name", "errno", "length", "captured", "flags", "setup", "interval",
		"start_frame", "error_count", "packet_count", "packets", "no_data",
		"not_captured", "data_length", "masked", "data", "damage", NULL,
	};
	/* Parts of "setup" and "decoded" that --where is most asked for. */
	static const char *const parts[] = {
		"request", "bmRequestType", "bRequest", "wValue", "wIndex", "wLength", "recipient",
		"descriptor", "command", "opcode", "lba", "blocks", "phase", "transport", "tag",
		"lun", "residue", "sense_key", "sense_key_name", "elapsed_ns", "text", "report_id",
		"idVendor", "idProduct", NULL,
	};
	struct usb_state *s = state;
	const char *const *n;

	for (n = usb_is_raw(s) ? single : joined; *n; n++)
		fn(arg, *n);
	for (n = parts; *n; n++)
		fn(arg, *n);
}
