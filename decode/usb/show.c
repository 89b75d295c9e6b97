/* SPDX-License-Identifier: MIT */
/* Prints USB items: as a value tree with all details, and as one line for people. */
#include "common/array.h"
#include "decode/usb/usb.h"
#include "decode/base/number.h"
#include "decode/usb/class.h"
#include "decode/usb/payload.h"
#include "decode/usb/status.h"
#include "decode/usb/usbmontext.h"
#include "decode/usb/zeroed.h"

/* ---- control transfers ---------------------------------------------------------------------- */

static bool is_standard(const struct usb_detail *d, uint8_t request)
{
	return control_kind(&d->setup) == SETUP_STANDARD && d->setup.request == request;
}

static struct descriptor_request requested_descriptor(const struct usb_detail *d)
{
	return (struct descriptor_request){
		.type = (uint8_t)(d->setup.value >> 8),
		.index = (uint8_t)d->setup.value,
		.to = d->target,
	};
}

/* Whether the request is GET_DESCRIPTOR; for hubs this is also a class request. */
static bool is_descriptor(const struct usb_detail *d)
{
	enum control_kind kind = control_kind(&d->setup);

	return d->setup.request == REQ_GET_DESCRIPTOR && control_in(&d->setup) &&
	       (kind == SETUP_STANDARD || (kind == SETUP_CLASS && d->target.class == 0x09));
}

/* The interface of a HID report descriptor, if the request names another one; else NULL. */
static const struct usb_interface *other_owner(const struct usb_detail *d)
{
	const struct usb_interface *f =
		d->device ? usbdev_report_owner(d->device, &d->setup, d->data, d->data_len) : NULL;

	return f && f->number != (uint8_t)d->setup.index ? f : NULL;
}

static void hid_report_descriptor(const struct usb_detail *d, struct tree *t)
{
	const struct usb_interface *owner = other_owner(d);
	struct hid_report h;

	if (owner)
		tree_uint(t, "owner_interface", owner->number);
	if (hid_parse(&h, d->data, d->data_len))
		hid_descriptor_tree(&h, t);
	hid_free(&h);
}

static void hid_descriptor(const struct usb_detail *d, struct out *o)
{
	const struct usb_interface *owner = other_owner(d);
	struct hid_report h;

	if (hid_parse(&h, d->data, d->data_len))
		hid_descriptor_brief(&h, o);
	if (owner)
		out_printf(o, ", of interface %u by its length", owner->number);
	hid_free(&h);
}

static void status_answer(const struct usb_detail *d, struct tree *t)
{
	if (d->data_len < 2)
		return;
	if (control_recipient(&d->setup) == SETUP_DEVICE) {
		tree_bool(t, "self_powered", d->data[0] & 1);
		tree_bool(t, "remote_wakeup", d->data[0] & 2);
	} else if (control_recipient(&d->setup) == SETUP_ENDPOINT) {
		tree_bool(t, "halt", d->data[0] & 1);
	}
}

static void control_tree(const struct usb_state *s, const struct usb_detail *d, struct tree *t)
{
	struct descriptor_request r = requested_descriptor(d);

	if (!d->data_len)
		return;
	if (is_descriptor(d) && r.type == DESC_HID_REPORT)
		hid_report_descriptor(d, t);
	else if (is_descriptor(d))
		descriptor_tree(&r, d->data, d->data_len, t);
	else if (is_standard(d, REQ_GET_STATUS))
		status_answer(d, t);
	else if (is_standard(d, REQ_GET_CONFIGURATION))
		tree_uint(t, "configuration", d->data[0]);
	else if (d->class)
		d->class->request_tree(s, d, t);
}

/* Appends the meaning of the two bytes that GET_STATUS returns: "self-powered", "halted", ... */
static void status_brief(const struct usb_detail *d, struct out *o)
{
	unsigned int recipient = control_recipient(&d->setup);

	if (recipient == SETUP_ENDPOINT)
		out_str(o, d->data[0] & 1 ? " halted" : " not halted");
	else if (recipient == SETUP_DEVICE)
		out_printf(o, " %s-powered%s", d->data[0] & 1 ? "self" : "bus",
			   d->data[0] & 2 ? ", remote wakeup" : "");
	else
		out_printf(o, " 0x%02x%02x", d->data[1], d->data[0]);
}

/* Appends what was transferred; returns true if the phrase covers all of it. */
static bool control_data_brief(const struct usb_state *s, const struct usb_detail *d,
			       struct out *o)
{
	struct descriptor_request r = requested_descriptor(d);
	size_t start = o->len;

	if (is_descriptor(d)) {
		out_char(o, ' ');
		if (r.type == DESC_HID_REPORT)
			hid_descriptor(d, o);
		else
			descriptor_brief(&r, d->data, d->data_len, o);
		return o->len > start + 1;
	}
	if (is_standard(d, REQ_GET_STATUS) && d->data_len >= 2) {
		status_brief(d, o);
		return true;
	}
	if (is_standard(d, REQ_GET_CONFIGURATION) || is_standard(d, REQ_GET_INTERFACE)) {
		out_printf(o, " %u", d->data[0]);
		return true;
	}
	return d->class && d->class->request_brief(s, d, o);
}

static bool control_brief(const struct usb_state *s, const struct usb_detail *d, struct out *o)
{
	size_t start;
	bool shown;

	if (!d->has_setup) {
		out_str(o, "control");
		return false;
	}
	control_request_brief(&d->setup, &d->target, o);
	if (!d->data_len)
		return true;
	start = o->len;
	out_char(o, ':');
	shown = control_data_brief(s, d, o);
	if (o->len <= start + 2) /* nothing was appended after the colon and blank */
		o->len = start;
	return shown;
}

/* ---- other transfers ------------------------------------------------------------------------ */

static const char *iso_kind(const struct urb *u)
{
	return u->type == 'S' ? "asked" : "transferred";
}

static void packets_tree(const struct urb *u, struct tree *t)
{
	tree_uint(t, "error_count", (uint32_t)u->iso_errors);
	tree_uint(t, "packet_count", (uint32_t)u->iso_packets);
	if (u->ndesc_cut)
		tree_uint(t, "descriptors_not_captured", u->ndesc_cut);
	tree_str(t, "lengths", iso_kind(u));
	tree_list(t, "packets");
	for (uint32_t i = 0; i < u->ndesc; i++) {
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

/* Appends the errors of packets by name: "3 of 8 packets failed (protocol error)". */
static void packets_brief(const struct urb *u, struct out *o)
{
	int32_t first = 0;

	out_printf(o, "%d packet%s", u->iso_packets, u->iso_packets == 1 ? "" : "s");
	if (u->ndesc_cut)
		out_printf(o, ", %u descriptor%s not captured", u->ndesc_cut,
			   u->ndesc_cut == 1 ? "" : "s");
	if (u->type != 'C' || !u->iso_errors)
		return;
	for (uint32_t i = 0; i < u->ndesc && !first; i++)
		first = urb_packet(u, i).status;
	out_printf(o, ", %d failed", u->iso_errors);
	if (first)
		out_printf(o, " (%s)", usb_status_name(first));
}

static void decoded_tree(const struct usb_state *s, const struct usb_detail *d, struct tree *t)
{
	if (d->urb.xfer == URB_CONTROL) {
		if (d->has_setup)
			control_tree(s, d, t);
	} else if (d->class && d->class->tree) {
		d->class->tree(s, d, t);
	}
}

bool usb_decoded_brief(const struct usb_state *s, const struct usb_detail *d, struct out *o)
{
	if (d->urb.xfer == URB_CONTROL)
		return control_brief(s, d, o);
	if (d->class)
		return d->class->brief(s, d, o);
	if (d->urb.xfer == URB_ISO)
		packets_brief(&d->urb, o);
	else
		out_str(o, "data");
	return false;
}

/* ---- the value tree ------------------------------------------------------------------------- */

static bool is_masked(const struct usb_state *s, const struct usb_detail *d)
{
	return d->secret && !s->ctx->options->show_keys;
}

static const char *status_name(const struct urb *u)
{
	return usb_status_name_of(u->type, u->status);
}

static void status_tree(const struct urb *u, struct tree *t)
{
	int32_t status = u->status;

	tree_int(t, "status", status);
	tree_str(t, "status_name", status_name(u));
	if (*usb_status_errno(status))
		tree_str(t, "errno", usb_status_errno(status));
}

static void address_tree(const struct usb_detail *d, struct tree *t)
{
	const struct urb *u = &d->urb;

	tree_uint(t, "bus", u->bus);
	tree_uint(t, "dev", u->device);
	if (!urb_no_endpoint(u)) {
		tree_uint(t, "ep", urb_endpoint_number(u));
		tree_str(t, "dir", urb_in(u) ? "in" : "out");
	}
	tree_str(t, "xfer", urb_xfer_name(u->xfer));
	if (d->device && *d->device->port)
		tree_str(t, "port", d->device->port);
	if (d->device && d->device->known) {
		tree_id(t, "vid", usbdev_vendor(d->device), 4);
		tree_id(t, "pid", usbdev_product(d->device), 4);
	}
	if (d->guessed)
		tree_bool(t, "context_guessed", true);
}

const char *const usb_ends[] = {"done", "error", "unanswered", "half", "pending", NULL};

static void tree_length(const struct urb *u, struct tree *t)
{
	if (!urb_length_unknown(u))
		tree_uint(t, "length", u->length);
}

static void transfer_tree(const struct usb_detail *d, struct tree *t)
{
	const struct transfer *x = d->transfer;
	uint64_t latency;

	tree_str(t, "end", usb_ends[x->end]);
	if (x->has_complete)
		status_tree(&x->complete, t);
	if (x->has_submit) {
		tree_length(&x->submit, t);
		if (transfer_submit_timed(x))
			tree_uint(t, "submit_ns", x->submitted);
	}
	if (x->end == TRANSFER_DONE)
		tree_uint(t, "actual", x->complete.length);
	if (transfer_latency(x, &latency))
		tree_uint(t, "latency_ns", latency);
	else if (transfer_submit_timed(x) && x->has_complete)
		tree_bool(t, "times_cross", true);
	if (d->two_readers)
		tree_bool(t, "two_readers", true);
}

static void event_tree(const struct usb_detail *d, struct tree *t)
{
	const struct urb *u = &d->urb;

	tree_hex(t, "id", u->id, 16);
	tree_printf(t, "type", "%c", u->type);
	status_tree(u, t);
	tree_length(u, t);
	tree_uint(t, "captured", u->captured - u->cut);
	tree_hex(t, "flags", u->flags, 8);
	if (d->is_second) {
		tree_bool(t, "duplicate", true);
		tree_int(t, "apart_ns", d->apart);
	}
}

static void data_tree(struct usb_state *s, const struct usb_detail *d, struct tree *t)
{
	const struct transfer *x = d->transfer;
	const struct urb *carrier = x ? transfer_data(x) : &d->urb;

	if (carrier && urb_flag_text(carrier->flag_data) && carrier->type != 'E')
		tree_str(t, "no_data", urb_flag_text(carrier->flag_data));
	if (carrier && urb_missing(carrier))
		tree_uint(t, "not_captured", urb_missing(carrier));
	if (d->data_len)
		tree_uint(t, "data_length", d->data_len);
	if (is_masked(s, d)) {
		tree_bool(t, "masked", true);
		tree_str(t, "masked_by", d->secret);
		return;
	}
	if (d->data_len)
		tree_bytes(t, "data", d->data, d->data_len);
	zeroed_tree(s, d, t);
}

/* Returns the damage of both records of a transfer: the data of an OUT transfer is in the first. */
static unsigned int damage_of(const struct usb_detail *d)
{
	const struct transfer *x = d->transfer;

	return d->urb.damage | (x && x->has_submit ? x->submit.damage : 0);
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
	for (unsigned int i = 0; i < ARRAY_SIZE(names); i++)
		if (damage >> i & 1)
			tree_str(t, "damage", names[i]);
	tree_close(t);
}

const struct tree *usb_tree(struct usb_state *s, const struct usb_detail *d)
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
		control_request_tree(&d->setup, &d->target, t);
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
		decoded_tree(s, d, t);
		tree_close(t);
	}
	if (u->is_usbpcap)
		usbpcap_tree(d, t);
	if (u->is_darwin)
		darwin_tree(d, t);
	data_tree(s, d, t);
	damage_tree(damage_of(d), t);
	return t;
}

void usb_json(void *state, const struct item *it, struct out *o)
{
	const struct tree *t = usb_tree(state, it->detail);

	tree_json(t, 0, t->count, o);
}

/* ---- a line for people ---------------------------------------------------------------------- */

static void duration(uint64_t ns, struct out *o)
{
	out_str(o, ", ");
	if (ns < 1000000) {
		out_u64(o, ns / 1000);
		out_str(o, " us");
	} else if (ns < 1000000000) {
		out_printf(o, "%.1f ms", (double)ns / 1e6);
	} else {
		out_printf(o, "%.2f s", (double)ns / 1e9);
	}
}

/* "1:3 ep2 in   " */
static void endpoint_brief(const struct urb *u, struct out *o)
{
	out_u64(o, u->bus);
	out_char(o, ':');
	out_u64(o, u->device);
	out_str(o, " ep");
	out_u64(o, urb_endpoint_number(u));
	out_str(o, urb_in(u) ? " in   " : " out  ");
}

/* Appends what an unanswered submission requested. */
static void requested_brief(const struct transfer *x, struct out *o)
{
	out_str(o, ", ");
	if (urb_length_unknown(&x->submit))
		out_str(o, "length unknown");
	else
		out_count(o, x->submit.length, "byte");
	out_str(o, x->end == TRANSFER_PENDING ? " asked, pending at the end"
		   : x->end == TRANSFER_HALF  ? " sent, completion not recorded"
					      : " asked, no answer");
}

static void result_brief(const struct usb_detail *d, struct out *o)
{
	const struct transfer *x = d->transfer;
	const struct urb *carrier = transfer_data(x);
	uint64_t latency;

	if (!x->has_complete) {
		requested_brief(x, o);
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
		out_printf(o, ", %s (%s%s%d)", status_name(&x->complete),
			   usb_status_errno(x->complete.status),
			   *usb_status_errno(x->complete.status) ? " " : "", x->complete.status);
	if (x->complete.is_darwin && x->complete.darwin.io_status)
		darwin_brief(&x->complete, o);
	if (transfer_latency(x, &latency) && latency)
		duration(latency, o);
	else if (!x->has_submit)
		out_str(o, ", submission not recorded");
	else if (!transfer_submit_timed(x))
		out_str(o, ", time of submission not recorded");
	else if (x->completed < x->submitted)
		out_str(o, ", times of submission and completion cross");
	if (carrier && urb_missing(carrier)) {
		out_str(o, ", ");
		out_count(o, urb_missing(carrier), "byte");
		out_str(o, " not captured");
	}
}

static void second_brief(const struct usb_detail *d, struct out *o)
{
	if (d->is_second)
		out_printf(o, "  (duplicate, %.0f us %s the first record)",
			   (double)(d->apart < 0 ? -d->apart : d->apart) / 1000,
			   d->apart < 0 ? "before" : "after");
}

void usb_text(void *state, const struct item *it, struct out *o)
{
	struct usb_state *s = state;
	const struct usb_detail *d = it->detail;
	const struct urb *u = &d->urb;
	bool shown;

	if (!urb_is_half(&d->urb)) {
		usbpcap_brief(d, o);
		if (is_masked(s, d))
			out_printf(o, "  (masked: %s)", d->secret);
	} else if (!d->transfer) {
		out_printf(o, "%llx ", (unsigned long long)u->id);
		usbmontext_brief(u, is_masked(s, d), o);
		if (d->has_setup) {
			out_str(o, "  ");
			control_request_brief(&d->setup, &d->target, o);
		}
		second_brief(d, o);
	} else {
		endpoint_brief(u, o);
		shown = usb_decoded_brief(s, d, o);
		result_brief(d, o);
		if (is_masked(s, d))
			out_printf(o, "  (masked: %s)", d->secret);
		else if (!shown && !s->ctx->options->hexdump)
			payload_brief(d->data, d->data_len, s->ctx->options->columns, o);
	}
	zeroed_brief(s, d, o);
	if (d->guessed)
		out_str(o, "  (a guess: transfers before it were left out)");
	if (d->comment)
		out_printf(o, "  (%s)", d->comment);
	if (damage_of(d))
		out_str(o, "  (damaged record)");
}

void usb_more(void *state, const struct item *it, struct out *o)
{
	struct usb_state *s = state;
	const struct usb_detail *d = it->detail;
	const struct tree *t;

	if (s->ctx->options->all_fields) {
		t = usb_tree(s, d);
		tree_lines(t, 0, t->count, 4, o);
	}
	if (!s->ctx->options->hexdump || !d->data_len)
		return;
	if (is_masked(s, d))
		out_printf(o, "\t(masked: %s; see --show-keys)\n", d->secret);
	else
		payload_lines(d->data, d->data_len, s->ctx->options->hexdump > 1, o);
}
