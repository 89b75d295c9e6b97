/* SPDX-License-Identifier: MIT */
/* Single fields of USB items: their values, the words they may hold, their names. */
#include "decode/usb/status.h"
#include "decode/base/number.h"
#include "decode/usb/usb.h"

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

/* A status may be compared with its name, "stall". */
static void name_status(struct value *v)
{
	v->text = v->type == VALUE_INT ? usb_status_name((int32_t)v->i) : NULL;
	v->len = v->text ? strlen(v->text) : 0;
}

/* An endpoint may be called by its address, 0x81. Of OUT, that is its number. */
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
		name_status(v);
	if (!strcmp(name, "ep"))
		name_endpoint(it->detail, v);
	return true;
}

const char *usb_word(const char *field, size_t n)
{
	static const char *const dirs[] = {"in", "out", NULL};
	static const char *const types[] = {"S", "C", "E", NULL};
	const char *const *words = !strcmp(field, "end")  ? usb_ends :
				   !strcmp(field, "dir")  ? dirs :
				   !strcmp(field, "type") ? types : NULL;

	if (!strcmp(field, "status_name") || !strcmp(field, "status"))
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
		"usbpcap", "darwin", "no_data", "not_captured", "data_length", "masked", "masked_by", "data",
		"damage", NULL,
	};
	static const char *const single[] = {
		"bus", "dev", "ep", "dir", "xfer", "port", "vid", "pid", "id", "type", "status",
		"status_name", "errno", "length", "captured", "flags", "setup", "interval",
		"start_frame", "error_count", "packet_count", "packets", "usbpcap", "darwin", "no_data",
		"not_captured", "data_length", "masked", "masked_by", "data", "damage", NULL,
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
