/* SPDX-License-Identifier: MIT */
/* Single fields of USB items: their values, names, and enum values. */
#include "common/array.h"
#include "common/usbtypes.h"
#include "decode/usb/class.h"
#include "decode/usb/darwin.h"
#include "decode/usb/descriptor.h"
#include "decode/usb/scsisense.h"
#include "decode/usb/status.h"
#include "decode/base/number.h"
#include "decode/usb/usb.h"
#include "decode/usb/usbpcap.h"

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
		v->hex = true;
		v->u = n->u;
		v->text = o->data;
		v->len = o->len;
		break;
	case TREE_OBJECT:
	case TREE_LIST:
		v->is_list = n->kind == TREE_LIST;
		o->len = 0;
		tree_line(t, (uint32_t)(n - t->nodes) + 1, n->end, o);
		v->type = VALUE_TEXT;
		v->text = o->data;
		v->len = o->len;
		break;
	}
}

/* Stores the name of a status as well, such as "stall", so that --where can compare with it. */
static void name_status(const struct usb_detail *d, struct value *v)
{
	v->text = v->type == VALUE_INT ? usb_status_name_of(d->urb.type, (int32_t)v->i) : NULL;
	v->len = v->text ? strlen(v->text) : 0;
}

/*
 * Stores the address of an endpoint as well, such as 0x81. For OUT endpoints the address equals the
 * number.
 */
static void name_endpoint(const struct usb_detail *d, struct value *v)
{
	v->has_other = urb_in(&d->urb);
	v->other = v->u | 0x80;
}

bool usb_value(void *state, const struct item *it, const char *name, struct value *v)
{
	return usb_another(state, it, name, 0, v);
}

bool usb_another(void *state, const struct item *it, const char *name, unsigned int nth,
		 struct value *v)
{
	const struct tree *t = usb_tree(state, it->detail);
	const struct tree_node *n = tree_find(t, name, nth);

	memset(v, 0, sizeof(*v));
	if (!n)
		return false;
	take_value(state, t, n, v);
	if (!strcmp(name, "status"))
		name_status(it->detail, v);
	if (!strcmp(name, "ep"))
		name_endpoint(it->detail, v);
	return true;
}

/* Words of members of "setup" and "decoded" that mean the same wherever they are; NULL: none. */
static const char *const *part_words(const char *member)
{
	return !strcmp(member, "recipient")	 ? control_recipients :
	       !strcmp(member, "phase")		 ? msc_phases :
	       !strcmp(member, "transport")	 ? msc_transports :
	       !strcmp(member, "sense_key_name") ? scsi_sense_keys : NULL;
}

/* Whether a member of this name holds names of codes, unless its class has no words for it. */
static bool is_name(const char *member)
{
	static const char suffix[] = "_name";
	size_t n = strlen(member);

	return !strcmp(member, "request") || !strcmp(member, "command") ||
	       !strcmp(member, "descriptor") ||
	       (n > strlen(suffix) && !strcmp(member + n - strlen(suffix), suffix));
}

static void member_words(const char *member, decoder_name_fn *fn, void *arg)
{
	if (!is_name(member))
		return;
	if (!strcmp(member, "request"))
		control_request_words(fn, arg);
	if (!strcmp(member, "status_name")) /* of isochronous packets */
		usb_status_words(fn, arg);
	if (!strcmp(member, "io_status_name"))
		darwin_status_words(fn, arg);
	usbpcap_words(member, fn, arg);
	descriptor_words(member, fn, arg);
	usb_class_words(member, fn, arg);
}

void usb_words(const char *field, decoder_name_fn *fn, void *arg)
{
	static const char *const dirs[] = {"in", "out", NULL};
	/* type of an event; in a transfer "type" is that of its request */
	enum { EVENT_TYPES = 6 };
	static const char *const types[] = {"S", "C", "E", "T", "I", "P",
					    "standard", "class", "vendor", "reserved", NULL};
	const char *dot = strrchr(field, '.'), *member = dot ? dot + 1 : field;
	const char *const *words = !strcmp(field, "end")  ? usb_ends :
				   !strcmp(field, "dir")  ? dirs :
				   !strcmp(field, "setup.direction") ? dirs :
				   !strcmp(field, "type") ? types :
				   !strcmp(field, "setup.type") ? types + EVENT_TYPES :
				   part_words(member);

	if (!strcmp(field, "status_name") || !strcmp(field, "status"))
		usb_status_words(fn, arg);
	else if (!strcmp(field, "errno"))
		usb_status_errors(fn, arg);
	else if (!strcmp(field, "xfer"))
		for (uint8_t i = 0; i <= URB_XFERS; i++)
			fn(arg, urb_xfer_name(i));
	else if (words)
		for (; *words; words++)
			fn(arg, *words);
	else
		member_words(member, fn, arg);
}

const char *usb_never(const char *field, const char *text)
{
	bool id = !strcmp(field, "vid") || !strcmp(field, "pid");

	if (!id || (strlen(text) == 4 && strspn(text, "0123456789abcdef") == 4))
		return NULL;
	return "it is four hexadecimal digits, as in \"046d\", or a number, 0x046d";
}

const char *usb_never_number(const char *field, int64_t number)
{
	if (!strcmp(field, "vid") || !strcmp(field, "pid"))
		return number < 0 || number > 0xffff ? "it has 16 bits" : NULL;
	if (!strcmp(field, "ep"))
		return number < 0 || number & ~INT64_C(0x8f) ?
			"it is 0 to 15, or an address, as 0x81" : NULL;
	if (!strcmp(field, "status") && number > 0)
		return "errors are negative, as in -32, or named, as in \"stall\"";
	return NULL;
}

const char *usb_field_called(const char *name)
{
	static const char *const names[][2] = {
		{"transfer", "xfer"}, {"transfer_type", "xfer"}, {"addr", "dev"},
		{"address", "dev"}, {"device", "dev"}, {"device_address", "dev"},
		{"endpoint", "ep"}, {"endpoint_address", "ep"}, {"direction", "dir"},
		{"bus_id", "bus"}, {"vendor_id", "vid"}, {"product_id", "pid"},
		{"urb_type", "type"}, {"urb_id", "id"}, {"urb_status", "status"},
		{"urb_len", "length"}, {"data_len", "data_length"}, {"capdata", "data"},
		{"payload", "data"},
	};

	if (!strncmp(name, "usb.", 4))
		name += 4;
	if (!strncmp(name, "setup.", 6) && usb_part(name + 6))
		return name + 6;
	for (size_t i = 0; i < ARRAY_SIZE(names); i++)
		if (!strcmp(names[i][0], name))
			return names[i][1];
	return usb_part(name) ? name : NULL;
}

/* Whether events of this type are not halves of transfers, and therefore items of their own. */
static bool is_request(const struct trawl_event_type *type)
{
	return usbtypes_is_usbpcap(type->id) && !usbtypes_is_urb(type->id);
}

void usb_names(void *state, const struct trawl_event_type *type, decoder_name_fn *fn, void *arg)
{
	static const char *const joined[] = {
		"bus", "dev", "ep", "dir", "xfer", "port", "vid", "pid", "end", "status",
		"status_name", "errno", "length", "submit_ns", "actual", "latency_ns",
		"times_cross", "two_readers", "setup",
		"interval", "start_frame", "error_count", "packet_count",
		"descriptors_not_captured", "lengths", "packets",
		"decoded", "usbpcap", "darwin", "no_data", "not_captured", "data_length", "masked",
		"masked_by", "data", "zeroed", "zeroed_from", "zeroed_bytes", "damage", NULL,
	};
	static const char *const single[] = {
		"bus", "dev", "ep", "dir", "xfer", "port", "vid", "pid", "id", "type", "status",
		"status_name", "errno", "length", "captured", "flags", "duplicate", "apart_ns",
		"setup", "interval", "start_frame", "error_count", "packet_count",
		"descriptors_not_captured", "lengths", "packets", "decoded", "usbpcap", "darwin", "no_data", "not_captured", "data_length",
		"masked", "masked_by", "data", "zeroed", "zeroed_from", "zeroed_bytes", "damage",
		NULL,
	};
	/* The members of "setup" and "decoded" that users ask for most in --where. */
	static const char *const parts[] = {
		"request", "bmRequestType", "bRequest", "wValue", "wIndex", "wLength", "recipient",
		"descriptor", "command", "opcode", "lba", "blocks", "phase", "transport", "tag",
		"lun", "residue", "sense_key", "sense_key_name", "elapsed_ns", "text", "report_id",
		"idVendor", "idProduct", NULL,
	};
	struct usb_state *s = state;
	const char *const *n;

	for (n = usb_is_raw(s) || is_request(type) ? single : joined; *n; n++)
		fn(arg, *n);
	for (n = parts; *n; n++)
		fn(arg, *n);
}
