/* SPDX-License-Identifier: MIT */
#include "decode/usb/descriptor.h"
#include "common/array.h"
#include "decode/base/escape.h"
#include "decode/base/number.h"
#include "decode/base/bytes.h"
#include "decode/usb/codename.h"
#include "decode/usb/descbits.h"
#include "decode/usb/desctable.h"
#include "decode/usb/wellknown.h"

#define EXTRA_SHOWN 24 /* bytes behind a device descriptor that are printed in a line */

bool descriptor_next(struct descriptor_walk *w, struct descriptor *d)
{
	size_t left = (size_t)(w->end - w->p);

	if (left < 2)
		return false;
	if (w->p[0] < 2) {
		w->stuck = true;
		return false;
	}
	*d = (struct descriptor){
		.p = w->p,
		.room = w->p[0] < left ? w->p[0] : left,
		.length = w->p[0],
		.type = w->p[1],
	};
	w->p += d->room;
	return true;
}

const char *usb_class_name(uint8_t class)
{
	static const char *const low[] = {
		NULL, "audio", "communications", "HID", NULL, "physical", "image", "printer",
		"mass storage", "hub", "CDC data", "smart card", NULL, "content security", "video",
		"personal healthcare", "audio/video", "billboard", "Type-C bridge",
	};

	switch (class) {
	case 0xdc:
		return "diagnostic";
	case 0xe0:
		return "wireless";
	case 0xef:
		return "miscellaneous";
	case 0xfe:
		return "application specific";
	case 0xff:
		return "vendor specific";
	default:
		return class < ARRAY_SIZE(low) ? low[class] : NULL;
	}
}

static const struct {
	uint8_t class, subclass, protocol;
	const char *name;
} functions[] = {
	{0xe0, 0x01, 0x01, "Bluetooth"},      {0xe0, 0x01, 0x03, "RNDIS"},
	{0xef, 0x04, 0x01, "RNDIS"},	      {0xef, 0x05, 0x00, "USB3 Vision control"},
	{0xef, 0x05, 0x01, "USB3 Vision events"}, {0xef, 0x05, 0x02, "USB3 Vision stream"},
	{0xfe, 0x01, 0x01, "firmware update"}, {0xfe, 0x01, 0x02, "firmware update"},
	{0xfe, 0x03, 0x00, "test and measurement"},
	{0xfe, 0x03, 0x01, "test and measurement"},
};

/*
 * Returns the name of the function that class, subclass and protocol select together, or else that
 * of the class.
 */
static const char *function_name(uint8_t class, uint8_t subclass, uint8_t protocol)
{
	for (size_t i = 0; i < ARRAY_SIZE(functions); i++)
		if (functions[i].class == class && functions[i].subclass == subclass &&
		    functions[i].protocol == protocol)
			return functions[i].name;
	return usb_class_name(class);
}

const char *descriptor_name(uint8_t type, const struct control_target *to)
{
	struct descriptor d = {.p = (const uint8_t *)"", .type = type};
	const struct desc_layout *l;

	switch (type) {
	case DESC_STRING:
		return "string";
	case 0x08:
		return "interface power";
	case DESC_CAPABILITY:
		return "device capability";
	case DESC_CS_INTERFACE:
		if (to->class == 0x08)
			break;
		return "class-specific interface";
	case DESC_CS_ENDPOINT:
		return "class-specific endpoint";
	case DESC_HID:
		if (!to->class)
			return "HID";
		break;
	case DESC_HID_REPORT:
		return "HID report";
	case 0x23:
		return to->class == 0x03 ? "HID physical" : NULL;
	default:
		break;
	}
	l = desc_layout(&d, to);
	return l ? l->name : NULL;
}

/* ---- fields ------------------------------------------------------------------------------- */

struct cursor {
	const uint8_t *p, *end;
	uint64_t seen[FIELDS_MAX]; /* values of earlier fields, used as counts and sizes */
	bool cut;
};

static bool take(struct cursor *c, size_t n)
{
	if ((size_t)(c->end - c->p) >= n)
		return true;
	c->cut = true;
	return false;
}

static void field_guid(const char *name, const uint8_t *p, struct tree *t)
{
	tree_printf(t, name, "%08x-%04x-%04x-%02x%02x-%02x%02x%02x%02x%02x%02x", get32(p),
		    get16(p + 4), get16(p + 6), p[8], p[9], p[10], p[11], p[12], p[13],
		    p[14], p[15]);
}

static void field_elements(const struct desc_field *f, struct cursor *c, size_t count, size_t size,
			   bool hex, struct tree *t)
{
	tree_list(t, f->name);
	for (size_t i = 0; i < count && size && size <= 8 && take(c, size); i++, c->p += size) {
		if (hex)
			tree_hex(t, f->name, get_le(c->p, size), (unsigned int)size * 2);
		else
			tree_uint(t, f->name, get_le(c->p, size));
	}
	tree_close(t);
}

/* A mask that is wider than 64 bits is shown as bytes. */
static void field_mask(const struct desc_field *f, struct cursor *c, size_t size, uint64_t *value,
		       struct tree *t)
{
	if (!take(c, size))
		return;
	if (size && size <= 8) {
		*value = get_le(c->p, size);
		tree_hex(t, f->name, *value, (unsigned int)size * 2);
	} else {
		tree_bytes(t, f->name, c->p, size);
	}
	c->p += size;
}

static void field_number(const struct desc_field *f, struct cursor *c, uint64_t v, struct tree *t)
{
	switch ((enum field_how)f->how) {
	case FIELD_HEX:
		tree_hex(t, f->name, v, f->size * 2u);
		break;
	case FIELD_ID:
		tree_id(t, f->name, v, 4);
		break;
	case FIELD_BCD:
		tree_printf(t, f->name, "%x.%02x", (unsigned int)v >> 8, (unsigned int)v & 0xff);
		break;
	case FIELD_ENDPOINT:
		tree_hex(t, f->name, v, 2);
		break;
	default:
		tree_uint(t, f->name, v);
		break;
	}
}

/* Returns false if the descriptor ends before the field does. */
static bool field(const struct desc_field *f, struct cursor *c, uint64_t *value, struct tree *t)
{
	switch ((enum field_how)f->how) {
	case FIELD_LIST:
		field_elements(f, c, c->seen[f->ref], f->size, false, t);
		return !c->cut;
	case FIELD_MASKS:
		field_elements(f, c, c->seen[f->ref], c->seen[f->ref2], true, t);
		return !c->cut;
	case FIELD_MASK:
		field_mask(f, c, c->seen[f->ref], value, t);
		return !c->cut;
	case FIELD_REST:
		field_elements(f, c, (size_t)(c->end - c->p) / f->size, f->size, false, t);
		return true;
	case FIELD_SKIP_LIST:
		if (!take(c, (size_t)c->seen[f->ref] * f->size))
			return false;
		c->p += (size_t)c->seen[f->ref] * f->size;
		return true;
	case FIELD_BYTES:
		if (c->end - c->p > f->size)
			tree_bytes(t, f->name, c->p, (size_t)(c->end - c->p) - f->size);
		if (c->end - c->p >= f->size)
			c->p = c->end - f->size;
		return true;
	default:
		break;
	}
	if (!take(c, f->size))
		return false;
	if (f->how == FIELD_GUID) {
		field_guid(f->name, c->p, t);
	} else if (f->how != FIELD_SKIP) {
		*value = get_le(c->p, f->size);
		field_number(f, c, *value, t);
	}
	c->p += f->size;
	return true;
}

/* ---- decoded values ------------------------------------------------------------------------- */

static const char *endpoint_type(uint8_t attributes)
{
	static const char *const names[] = {"control", "iso", "bulk", "interrupt"};

	return names[attributes & 3];
}

static void endpoint_more(const struct descriptor *d, struct tree *t)
{
	static const char *const sync[] = {"none", "asynchronous", "adaptive", "synchronous"};
	static const char *const usage[] = {"data", "feedback", "implicit feedback", "reserved"};
	unsigned int size;

	if (d->room < 6)
		return;
	tree_str(t, "direction", d->p[2] & 0x80 ? "in" : "out");
	tree_str(t, "xfer", endpoint_type(d->p[3]));
	if ((d->p[3] & 3) == 1) {
		tree_str(t, "synchronisation", sync[d->p[3] >> 2 & 3]);
		tree_str(t, "usage", usage[d->p[3] >> 4 & 3]);
	}
	size = get16(d->p + 4);
	if (size >> 11 & 3) {
		tree_uint(t, "packet_size", size & 0x7ff);
		tree_uint(t, "packets_per_microframe", (size >> 11 & 3) + 1);
	}
}

static void config_more(const struct descriptor *d, struct tree *t)
{
	if (d->room < 9)
		return;
	tree_bool(t, "self_powered", d->p[7] & 0x40);
	tree_bool(t, "remote_wakeup", d->p[7] & 0x20);
}

enum { CAPABILITY_PLATFORM = 0x05, CAPABILITY_BILLBOARD = 0x0d };

/*
 * Alternate modes of USB-C: a bitmap of 32 bytes says which modes were entered; then 4 bytes follow
 * for each mode.
 */
static void billboard_more(const struct descriptor *d, struct tree *t)
{
	static const char *const states[] = {
		"unspecified error", "not attempted", "failed", "configured",
	};
	enum { CONFIGURED = 8, MODES = 44 };

	tree_list(t, "modes");
	for (size_t i = 0; MODES + 4 * i + 4 <= d->room && i < d->p[4] && i < 128; i++) {
		const uint8_t *p = d->p + MODES + 4 * i;

		tree_object(t, "mode");
		tree_id(t, "wSVID", get16(p), 4);
		tree_str(t, "svid_name", svid_name(get16(p)));
		tree_uint(t, "bAlternateMode", p[2]);
		tree_uint(t, "iAlternateModeString", p[3]);
		tree_str(t, "state", states[d->p[CONFIGURED + i / 4] >> i % 4 * 2 & 3]);
		tree_close(t);
	}
	tree_close(t);
}

static void capability_more(const struct descriptor *d, struct tree *t)
{
	if (d->room >= 20 && d->p[2] == CAPABILITY_PLATFORM)
		tree_str(t, "platform", platform_uuid_name(d->p + 4));
	if (d->room > 2 && d->p[2] == CAPABILITY_BILLBOARD)
		billboard_more(d, t);
}

static void descriptor_more(const struct descriptor *d, struct tree *t)
{
	switch (d->type) {
	case DESC_CAPABILITY:
		capability_more(d, t);
		break;
	case DESC_CONFIG:
	case DESC_OTHER_SPEED:
		config_more(d, t);
		break;
	case DESC_ENDPOINT:
		endpoint_more(d, t);
		break;
	case DESC_DEVICE:
		if (d->room > 4)
			tree_str(t, "class_name", usb_class_name(d->p[4]));
		break;
	case DESC_INTERFACE:
		if (d->room > 5)
			tree_str(t, "class_name", usb_class_name(d->p[5]));
		if (d->room > 7 && function_name(d->p[5], d->p[6], d->p[7]) !=
					   usb_class_name(d->p[5]))
			tree_str(t, "function_name",
				 function_name(d->p[5], d->p[6], d->p[7]));
		break;
	case DESC_IAD:
		if (d->room > 4)
			tree_str(t, "class_name", usb_class_name(d->p[4]));
		break;
	default:
		break;
	}
}

void descriptor_utf16(const uint8_t *p, size_t n, struct out *o)
{
	char utf8[4];

	for (size_t i = 0; i < n; i += 2) {
		/*
		 * An odd last byte is half a character: it cannot be decoded, but the text must
		 * show that it is there.
		 */
		uint32_t c = i + 1 < n ? get16(p + i) : 0xfffd;
		size_t len;

		if (c >= 0xd800 && c < 0xdc00 && i + 3 < n) {
			uint32_t low = get16(p + i + 2);

			if (low >= 0xdc00 && low < 0xe000) {
				c = 0x10000 + ((c & 0x3ff) << 10 | (low & 0x3ff));
				i += 2;
			}
		}
		if (c >= 0xd800 && c < 0xe000)
			c = 0xfffd;
		if (c < 0x80) {
			utf8[0] = (char)c;
			len = 1;
		} else if (c < 0x800) {
			utf8[0] = (char)(0xc0 | c >> 6);
			utf8[1] = (char)(0x80 | (c & 0x3f));
			len = 2;
		} else if (c < 0x10000) {
			utf8[0] = (char)(0xe0 | c >> 12);
			utf8[1] = (char)(0x80 | (c >> 6 & 0x3f));
			utf8[2] = (char)(0x80 | (c & 0x3f));
			len = 3;
		} else {
			utf8[0] = (char)(0xf0 | c >> 18);
			utf8[1] = (char)(0x80 | (c >> 12 & 0x3f));
			utf8[2] = (char)(0x80 | (c >> 6 & 0x3f));
			utf8[3] = (char)(0x80 | (c & 0x3f));
			len = 4;
		}
		out_bytes(o, utf8, len);
	}
}

/* String descriptor 0 is a list of language ids; all others are text. */
static void string_tree(const struct descriptor *d, bool languages, struct tree *t)
{
	struct out text;

	if (languages) {
		tree_list(t, "wLANGID");
		for (size_t i = 2; i + 1 < d->room; i += 2)
			tree_hex(t, "wLANGID", get16(d->p + i), 4);
		tree_close(t);
		tree_list(t, "languages");
		for (size_t i = 2; i + 1 < d->room; i += 2)
			tree_str(t, "language", language_name(get16(d->p + i)));
		tree_close(t);
		return;
	}
	out_memory(&text);
	descriptor_utf16(d->p + 2, d->room - 2, &text);
	tree_text(t, "bString", text.data, text.len);
	out_free(&text);
}

/* ---- one descriptor, and all of an answer --------------------------------------------------- */

static void layout_tree(const struct desc_layout *l, const struct descriptor *d, struct tree *t)
{
	size_t skip = l->subtype < 0 ? 2 : 3;
	struct cursor c = {.p = d->p + skip, .end = d->p + d->room};

	if (d->room < skip)
		c.p = c.end;
	for (unsigned int i = 0; i < l->nfields; i++) {
		/*
		 * Later revisions of a specification appended fields, so ending after a complete
		 * field is valid.
		 */
		if (c.p == c.end && i)
			break;
		if (!field(&l->fields[i], &c, &c.seen[i], t))
			break;
		desc_bits_tree(l, l->fields[i].name, c.seen[i], t);
	}
	descriptor_more(d, t);
	desc_feature_tree(l, d, t);
	desc_parts_tree(l, d, t);
	desc_midi_tree(l, d, t);
	desc_camera_tree(l, d, t);
	if (c.cut)
		tree_bool(t, "short", true);
	else if (c.p < c.end)
		tree_bytes(t, "extra", c.p, (size_t)(c.end - c.p));
}

static void one_tree(const struct descriptor *d, const struct control_target *to, bool languages,
		     struct tree *t)
{
	const struct desc_layout *l = desc_layout(d, to);

	if (d->type == DESC_CAPABILITY && d->room > 2)
		l = desc_capability(d->p[2]);
	tree_object(t, "descriptor");
	tree_str(t, "descriptor", l ? l->name : descriptor_name(d->type, to));
	tree_uint(t, "bLength", d->length);
	tree_hex(t, "bDescriptorType", d->type, 2);
	if (l && l->subtype >= 0)
		tree_uint(t,
			  d->type == DESC_CAPABILITY ? "bDevCapabilityType" : "bDescriptorSubtype",
			  d->p[2]);
	if (d->type == DESC_STRING)
		string_tree(d, languages, t);
	else if (l)
		layout_tree(l, d, t);
	else if (d->room > 2)
		tree_bytes(t, "data", d->p + 2, d->room - 2);
	if (d->room < d->length)
		tree_bool(t, "cut", true);
	tree_close(t);
}

/*
 * Updates the class from an interface descriptor: the class-specific descriptors after it belong to
 * it.
 */
static void follow(const struct descriptor *d, struct control_target *to)
{
	if (d->type != DESC_INTERFACE || d->room < 8)
		return;
	to->class = d->p[5];
	to->subclass = d->p[6];
	to->protocol = d->p[7];
}

/* Whether this answers a request for the device descriptor, which has no others behind it. */
static bool is_device(const struct descriptor_request *r, const struct descriptor *d)
{
	return r->type == DESC_DEVICE && d->type == DESC_DEVICE;
}

void descriptor_tree(const struct descriptor_request *r, const uint8_t *p, size_t n,
		     struct tree *t)
{
	struct descriptor_walk w = descriptor_walk(p, n);
	struct control_target now = r->to;
	struct descriptor d;
	bool last = false;

	tree_list(t, "descriptors");
	while (!last && descriptor_next(&w, &d)) {
		follow(&d, &now);
		one_tree(&d, &now, r->type == DESC_STRING && !r->index, t);
		last = is_device(r, &d);
	}
	tree_close(t);
	if (last && w.p < w.end)
		tree_bytes(t, "extra", w.p, (size_t)(w.end - w.p));
	if (w.stuck)
		tree_printf(t, "damage", "a descriptor says that it is %u bytes long, %zu bytes "
			    "are left", w.p[0], (size_t)(w.end - w.p));
}

/* ---- brief text ---------------------------------------------------------------------------- */

/* bMaxPower is in units of 2 mA, at SuperSpeed in units of 8 mA (USB 3.2, 9.6.3). */
static void brief_config(const uint8_t *p, size_t n, bool super, struct out *o)
{
	struct descriptor_walk w = descriptor_walk(p, n);
	struct descriptor d;
	bool any = false;

	if (n < 9)
		return;
	out_count(o, get16(p + 2), "byte");
	out_str(o, ", ");
	out_count(o, p[4], "interface");
	out_printf(o, ", %u mA", p[8] * (super ? 8u : 2u));
	while (descriptor_next(&w, &d)) {
		const char *name;

		if (d.type != DESC_INTERFACE || d.room < 8 || d.p[3])
			continue;
		name = function_name(d.p[5], d.p[6], d.p[7]);
		out_str(o, any ? ", " : ": ");
		out_str(o, name ? name : "class not known");
		any = true;
	}
}

static void brief_languages(const uint8_t *p, size_t n, struct out *o)
{
	for (size_t i = 2; i + 1 < n; i += 2) {
		const char *name = language_name(get16(p + i));

		out_printf(o, "%s0x%04x", i > 2 ? ", " : "", get16(p + i));
		if (name)
			out_printf(o, " %s", name);
	}
}

static void brief_capabilities(const uint8_t *p, size_t n, struct out *o)
{
	struct descriptor_walk w = descriptor_walk(p, n);
	const char *lead = ": ";
	struct descriptor d;

	out_printf(o, "%u capabilit%s", p[4], p[4] == 1 ? "y" : "ies");
	while (descriptor_next(&w, &d)) {
		const struct desc_layout *l;
		const char *name;

		if (d.type != DESC_CAPABILITY || d.room < 3)
			continue;
		l = desc_capability(d.p[2]);
		name = d.p[2] == CAPABILITY_PLATFORM && d.room >= 20 ? platform_uuid_name(d.p + 4)
								     : NULL;
		out_str(o, lead);
		out_str(o, name ? name : l ? l->name : "not known");
		lead = ", ";
	}
}

void descriptor_brief(const struct descriptor_request *r, const uint8_t *p, size_t n,
		      struct out *o)
{
	uint8_t type = r->type;
	struct out text;

	if (type == DESC_DEVICE && n >= 18) {
		const char *class = usb_class_name(p[4]);

		out_printf(o, "%04x:%04x usb %x.%02x", get16(p + 8), get16(p + 10), p[3],
			   p[2]);
		if (class)
			out_printf(o, " %s", class);
		if (p[0] == 18 && n > 18) {
			out_str(o, ", then ");
			out_hexbytes(o, p + 18, n - 18 < EXTRA_SHOWN ? n - 18 : EXTRA_SHOWN);
			out_str(o, n - 18 > EXTRA_SHOWN ? "..." : "");
		}
	} else if (type == DESC_CONFIG || type == DESC_OTHER_SPEED) {
		brief_config(p, n, r->to.super, o);
	} else if (type == DESC_STRING && n >= 4 && !r->index) {
		brief_languages(p, p[0] < n ? p[0] : n, o);
	} else if (type == DESC_STRING && n >= 2 && r->index) {
		size_t room = p[0] < n ? p[0] : n;

		out_memory(&text);
		descriptor_utf16(p + 2, room > 2 ? room - 2 : 0, &text);
		out_quoted(o, text.data, text.len);
		out_free(&text);
	} else if ((type == DESC_HUB || type == DESC_SS_HUB) && n >= 3) {
		out_count(o, p[2], "port");
	} else if (type == DESC_BOS && n >= 5) {
		brief_capabilities(p, n, o);
	}
}

static void type_words(decoder_name_fn *fn, void *arg)
{
	static const struct control_target none, hid = {.class = 0x03};

	for (unsigned int type = 0; type <= UINT8_MAX; type++) {
		const char *name = descriptor_name((uint8_t)type, &none);

		name = name ? name : descriptor_name((uint8_t)type, &hid);
		if (name)
			fn(arg, name);
	}
	desc_layout_names(fn, arg);
}

void descriptor_words(const char *member, decoder_name_fn *fn, void *arg)
{
	if (!strcmp(member, "descriptor"))
		type_words(fn, arg);
	else if (!strcmp(member, "class_name"))
		CODE_PROBE(usb_class_name, UINT8_MAX, fn, arg);
	else if (!strcmp(member, "svid_name"))
		CODE_PROBE(svid_name, UINT16_MAX, fn, arg);
	else if (!strcmp(member, "function_name"))
		for (size_t i = 0; i < ARRAY_SIZE(functions); i++)
			fn(arg, functions[i].name);
}
