/* SPDX-License-Identifier: MIT */
#include "decode/usb/hidreport.h"
#include "decode/usb/hidunit.h"
#include "decode/base/number.h"
#include "common/array.h"
#include "decode/base/bytes.h"

#include <stdio.h>
#include <stdlib.h>

/* ---- parsing -------------------------------------------------------------------------------- */

struct globals {
	uint32_t page, size, count;
	int32_t min, max, physical_min, physical_max;
	uint32_t unit;
	int8_t exponent;
	uint8_t report;
};

struct parser {
	struct hid_report *h;
	struct globals now, stack[HID_MAX_STACK];
	unsigned int pushed, depth;
	/* local usages of the next main item, stored at the end of h->usages */
	uint32_t usages, nusages;
	bool paged[HID_MAX_USAGES]; /* for each local usage: it included its page */
	uint32_t usage_min;
	bool min_paged;
	uint32_t application;      /* of the collection at depth 0 */
	/* length in bits of each report so far, by kind and report id */
	uint32_t bits[HID_KINDS][256];
	uint32_t fields_room, usages_room;
};

struct item {
	uint8_t tag, type, size;
	uint32_t value; /* unsigned */
	int32_t number; /* sign-extended */
};

enum item_type { ITEM_MAIN, ITEM_GLOBAL, ITEM_LOCAL };

static void damage(struct parser *p, const char *what)
{
	if (!p->h->damage)
		p->h->damage = what;
}

/*
 * Reads the item at *at and advances. Returns false at the end. Long items have no defined meaning
 * and are skipped.
 */
static bool next_item(struct parser *p, const uint8_t **at, const uint8_t *end, struct item *it)
{
	for (;;) {
		size_t left = (size_t)(end - *at), size;
		uint8_t prefix;

		if (!left)
			return false;
		prefix = **at;
		if (prefix == 0xfe) {
			size = left < 2 ? left : (size_t)(*at)[1] + 3;
			if (size > left || left < 3) {
				damage(p, "the descriptor ends inside an item");
				return false;
			}
			*at += size;
			continue;
		}
		size = (prefix & 3) == 3 ? 4 : prefix & 3;
		if (left < size + 1) {
			damage(p, "the descriptor ends inside an item");
			return false;
		}
		it->tag = prefix >> 4;
		it->type = prefix >> 2 & 3;
		it->size = (uint8_t)size;
		it->value = (uint32_t)get_le(*at + 1, size);
		it->number = size == 1	 ? (int8_t)it->value
			     : size == 2 ? (int16_t)it->value
					 : (int32_t)it->value;
		*at += size + 1;
		return true;
	}
}

static int add_usage(struct parser *p, uint32_t first, uint32_t last, bool paged)
{
	struct hid_report *h = p->h;

	if (p->usages + p->nusages >= HID_MAX_USAGES) {
		damage(p, "there are too many usages");
		return 0;
	}
	if (!array_reserve(h->usages, p->usages_room, p->usages + p->nusages + 1))
		return -1;
	if (last < first) {
		damage(p, "a usage maximum is below its minimum");
		last = first;
	}
	p->paged[p->nusages] = paged;
	h->usages[p->usages + p->nusages++] = (struct hid_range){first, last};
	return 0;
}

/*
 * Adds pages to the usages of a main item. A usage page applies to all usages of the item, even if
 * it is declared after them (HID 1.11, 6.2.2.8). Some devices declare several pages, each followed
 * by its usages. So usages that precede one which already has the last page keep their own page, as
 * in Linux.
 */
static void settle_pages(struct parser *p)
{
	for (uint32_t i = p->nusages; i-- > 0;) {
		struct hid_range *r = &p->h->usages[p->usages + i];

		if (p->paged[i])
			continue;
		if (HID_PAGE(r->last) == p->now.page)
			break;
		r->first = p->now.page << 16 | HID_ID(r->first);
		r->last = p->now.page << 16 | HID_ID(r->last);
	}
}

static bool holds_keys(const struct hid_report *h, const struct hid_field *f)
{
	if (f->kind != HID_INPUT || f->flags & HID_CONSTANT)
		return false;
	for (uint32_t i = 0; i < f->nusages; i++)
		if (HID_PAGE(h->usages[f->usages + i].last) == HID_KEYBOARD)
			return true;
	return false;
}

static int add_field(struct parser *p, enum hid_kind kind, uint32_t flags)
{
	struct hid_report *h = p->h;
	uint32_t *bits = &p->bits[kind][p->now.report];
	uint64_t want = (uint64_t)p->now.size * p->now.count;
	struct hid_field *f;

	if (want == 0)
		return 0;
	if (want > HID_MAX_BITS - *bits) {
		damage(p, "a report is longer than 64 KiB");
		return 0;
	}
	if (p->now.count > HID_MAX_COUNT) {
		damage(p, "a field has more than 12,288 elements");
		*bits += (uint32_t)want;
		return 0;
	}
	if (h->nfields == HID_MAX_FIELDS) {
		damage(p, "there are too many fields");
		return 0;
	}
	if (!array_reserve(h->fields, p->fields_room, h->nfields + 1))
		return -1;
	f = &h->fields[h->nfields++];
	*f = (struct hid_field){
		.kind = (uint8_t)kind,
		.report = p->now.report,
		.flags = (uint16_t)flags,
		.at = *bits,
		.size = p->now.size,
		.count = p->now.count,
		.min = p->now.min,
		.max = p->now.max,
		.physical_min = p->now.physical_min,
		.physical_max = p->now.physical_max,
		.unit = p->now.unit,
		.exponent = p->now.exponent,
		.application = p->application,
		.usages = p->usages,
		.nusages = p->nusages,
	};
	*bits += (uint32_t)want;
	if (holds_keys(h, f))
		h->keyboard = true;
	return 0;
}

static void collection(struct parser *p)
{
	if (p->depth == HID_MAX_COLLECTIONS) {
		damage(p, "collections are nested too deeply");
		return;
	}
	if (p->depth++ == 0) {
		p->application = p->nusages ? p->h->usages[p->usages].first : 0;
		if (!p->h->application)
			p->h->application = p->application;
	}
}

static int main_item(struct parser *p, const struct item *it)
{
	int status = 0;

	settle_pages(p);
	switch (it->tag) {
	case 0x8:
		status = add_field(p, HID_INPUT, it->value);
		break;
	case 0x9:
		status = add_field(p, HID_OUTPUT, it->value);
		break;
	case 0xb:
		status = add_field(p, HID_FEATURE, it->value);
		break;
	case 0xa:
		collection(p);
		break;
	case 0xc:
		if (p->depth)
			p->depth--;
		else
			damage(p, "end of a collection without its beginning");
		break;
	default:
		damage(p, "there is an unknown main item");
		break;
	}
	/* Local items apply up to the next main item. */
	p->usages += p->nusages;
	p->nusages = 0;
	p->usage_min = 0;
	p->min_paged = false;
	return status;
}

static void global_item(struct parser *p, const struct item *it)
{
	switch (it->tag) {
	case 0x0:
		p->now.page = it->value & 0xffff;
		break;
	case 0x1:
		p->now.min = it->number;
		break;
	case 0x2:
		/* Many devices encode 255 in one byte, although the field is signed. */
		p->now.max = p->now.min >= 0 ? (int32_t)it->value : it->number;
		break;
	case 0x3:
		p->now.physical_min = it->number;
		break;
	case 0x4:
		p->now.physical_max =
			p->now.physical_min >= 0 ? (int32_t)it->value : it->number;
		break;
	case 0x5:
		p->now.exponent = hid_unit_exponent(it->value, it->number);
		break;
	case 0x6:
		p->now.unit = it->value;
		break;
	case 0x7:
		p->now.size = it->value;
		break;
	case 0x8:
		p->now.report = (uint8_t)it->value;
		p->h->ids = true;
		break;
	case 0x9:
		p->now.count = it->value;
		break;
	case 0xa:
		if (p->pushed == HID_MAX_STACK)
			damage(p, "there are too many Push items");
		else
			p->stack[p->pushed++] = p->now;
		break;
	case 0xb:
		if (p->pushed)
			p->now = p->stack[--p->pushed];
		else
			damage(p, "there is a Pop item without a Push");
		break;
	default:
		break;
	}
}

static int local_item(struct parser *p, const struct item *it)
{
	bool paged = it->size == 4;
	uint32_t usage = paged ? it->value : p->now.page << 16 | it->value;

	switch (it->tag) {
	case 0x0:
		return add_usage(p, usage, usage, paged);
	case 0x1:
		p->usage_min = usage;
		p->min_paged = paged;
		return 0;
	case 0x2:
		/* A page declared between the minimum and the maximum applies to both. */
		if (!paged && !p->min_paged)
			p->usage_min = p->now.page << 16 | HID_ID(p->usage_min);
		return add_usage(p, p->usage_min, usage, paged || p->min_paged);
	default:
		return 0;
	}
}

int hid_parse(struct hid_report *h, const uint8_t *bytes, size_t n)
{
	const uint8_t *end = bytes + n;
	struct parser *p = calloc(1, sizeof(*p));
	struct item it;
	int status = 0;

	memset(h, 0, sizeof(*h));
	if (!p)
		return -1;
	p->h = h;
	while (!status && next_item(p, &bytes, end, &it)) {
		if (it.type == ITEM_MAIN)
			status = main_item(p, &it);
		else if (it.type == ITEM_GLOBAL)
			global_item(p, &it);
		else if (it.type == ITEM_LOCAL)
			status = local_item(p, &it);
		else
			damage(p, "there is an item of a reserved type");
	}
	h->nusages = p->usages + p->nusages;
	if (p->depth)
		damage(p, "a collection is not ended");
	free(p);
	if (status)
		hid_free(h);
	return status;
}

void hid_free(struct hid_report *h)
{
	free(h->fields);
	free(h->usages);
	memset(h, 0, sizeof(*h));
}

int hid_boot_keyboard(struct hid_report *h)
{
	static const uint8_t descriptor[] = {
		0x05, 0x01, 0x09, 0x06, 0xa1, 0x01, /* generic desktop, keyboard, application */
		0x05, 0x07, 0x19, 0xe0, 0x29, 0xe7, 0x15, 0x00, 0x25, 0x01, 0x75, 0x01, 0x95,
		0x08, 0x81, 0x02,             /* eight modifiers */
		0x75, 0x08, 0x95, 0x01, 0x81, 0x01, /* reserved */
		0x05, 0x08, 0x19, 0x01, 0x29, 0x05, 0x75, 0x01, 0x95, 0x05, 0x91, 0x02, /* LEDs */
		0x75, 0x03, 0x95, 0x01, 0x91, 0x01,
		0x05, 0x07, 0x19, 0x00, 0x2a, 0xff, 0x00, 0x26, 0xff, 0x00, 0x75, 0x08, 0x95,
		0x06, 0x81, 0x00,             /* six keys */
		0xc0,
	};

	return hid_parse(h, descriptor, sizeof(descriptor));
}

/* ---- reports -------------------------------------------------------------------------------- */

/* Returns the report id and advances *p past it. */
static uint8_t split(const struct hid_report *h, const uint8_t **p, size_t *n)
{
	uint8_t id = 0;

	if (h->ids && *n) {
		id = **p;
		++*p;
		--*n;
	}
	return id;
}

bool hid_is_secret(const struct hid_report *h, enum hid_kind kind, const uint8_t *p, size_t n)
{
	uint8_t id = split(h, &p, &n);

	for (uint32_t i = 0; i < h->nfields; i++)
		if (h->fields[i].kind == kind && h->fields[i].report == id &&
		    holds_keys(h, &h->fields[i]))
			return true;
	return false;
}

/*
 * Stores the value of element i of a field (f->size <= 32 bits). Returns false if the report ends
 * before the element.
 */
static bool element(const struct hid_field *f, uint32_t i, const uint8_t *p, size_t n, int64_t *v)
{
	uint64_t at = f->at + (uint64_t)f->size * i, bits;
	size_t byte = at / 8, last;

	last = (size_t)((at + f->size - 1) / 8);
	if (last >= n)
		return false;
	bits = get_le(p + byte, last - byte + 1) >> (at % 8);
	if (f->size < 64)
		bits &= (UINT64_C(1) << f->size) - 1;
	if (f->min < 0 && f->size < 64 && bits >> (f->size - 1))
		*v = (int64_t)(bits | ~UINT64_C(0) << f->size);
	else
		*v = (int64_t)bits;
	return true;
}

/*
 * The usage of element i of a variable field, or of value i of an array field. 0: none is declared.
 */
static uint32_t usage_at(const struct hid_report *h, const struct hid_field *f, uint32_t i)
{
	uint32_t last = 0;

	for (uint32_t k = 0; k < f->nusages; k++) {
		const struct hid_range *r = &h->usages[f->usages + k];
		uint32_t span = r->last - r->first;

		if (i <= span)
			return r->first + i;
		i -= span + 1;
		last = r->last;
	}
	/* In a variable field, the last usage applies to all remaining elements. */
	return f->flags & HID_VARIABLE ? last : 0;
}

/* Called for each element of a report that has a value worth showing. */
typedef void value_fn(void *arg, uint32_t usage, int64_t value);

static void each_value(const struct hid_report *h, const struct hid_field *f, const uint8_t *p,
		       size_t n, value_fn *fn, void *arg)
{
	int64_t v;

	for (uint32_t i = 0; i < f->count && element(f, i, p, n, &v); i++) {
		if (f->flags & HID_VARIABLE)
			fn(arg, usage_at(h, f, i), v);
		else if (v >= f->min && v <= f->max && usage_at(h, f, (uint32_t)(v - f->min)))
			fn(arg, usage_at(h, f, (uint32_t)(v - f->min)), 1);
	}
}

static bool is_key(uint32_t usage)
{
	return HID_PAGE(usage) == HID_KEYBOARD;
}

/* Whether the usage is a key or a button, which is only shown while it is pressed. */
static bool is_switch(uint32_t usage)
{
	return is_key(usage) || HID_PAGE(usage) == HID_BUTTON || HID_PAGE(usage) == HID_CONSUMER;
}

struct shown {
	struct tree *t;
	struct out *o;
	bool keys; /* this pass shows keys; another pass shows everything else */
	unsigned int count; /* number of values shown, or of keys pressed */
};

static void usage_text(uint32_t usage, char *text, size_t room)
{
	const char *name = hid_usage_name(usage);

	if (name)
		snprintf(text, room, "%s", name);
	else if (HID_PAGE(usage) == HID_BUTTON)
		snprintf(text, room, "Button%u", usage & 0xffff);
	else
		snprintf(text, room, "%04x:%04x", HID_PAGE(usage), usage & 0xffff);
}

static void count_keys(void *arg, uint32_t usage, int64_t value)
{
	struct shown *s = arg;

	if (is_key(usage) && value && (usage & 0xffff))
		s->count++;
}

/* Whether this pass shows the value. Absent keys and released buttons are never shown. */
static bool is_shown(const struct shown *s, uint32_t usage, int64_t value)
{
	return is_key(usage) == s->keys && (!is_key(usage) || usage & 0xffff) &&
	       (!is_switch(usage) || value);
}

static void tree_value(void *arg, uint32_t usage, int64_t value)
{
	struct shown *s = arg;
	char text[48];

	if (!is_shown(s, usage, value))
		return;
	usage_text(usage, text, sizeof(text));
	if (is_key(usage)) {
		tree_str(s->t, "key", text);
		return;
	}
	tree_object(s->t, "value");
	tree_str(s->t, "usage", text);
	tree_int(s->t, "value", value);
	tree_close(s->t);
}

static void brief_value(void *arg, uint32_t usage, int64_t value)
{
	struct shown *s = arg;
	char text[48];

	if (!is_shown(s, usage, value))
		return;
	usage_text(usage, text, sizeof(text));
	out_char(s->o, s->keys && s->count ? '+' : ' ');
	out_str(s->o, text);
	if (!is_switch(usage)) {
		out_char(s->o, '=');
		out_s64(s->o, value);
	}
	s->count++;
}

static bool is_of(const struct hid_field *f, enum hid_kind kind, uint8_t id)
{
	return f->kind == kind && f->report == id && !(f->flags & HID_CONSTANT);
}

/*
 * Whether the field holds numbers. Wide elements, those without a usage and those of vendor-defined
 * pages are shown as bytes instead.
 */
static bool is_number(const struct hid_report *h, const struct hid_field *f)
{
	return f->size <= 32 && f->nusages && HID_PAGE(h->usages[f->usages].first) < 0xff00;
}

/* A report, as it was transferred. */
struct received {
	enum hid_kind kind;
	uint8_t id;
	const uint8_t *p; /* without the ID */
	size_t n;
};

static void each_field(const struct hid_report *h, const struct received *r, value_fn *fn,
		       struct shown *s)
{
	for (uint32_t i = 0; i < h->nfields; i++) {
		const struct hid_field *f = &h->fields[i];

		if (is_of(f, r->kind, r->id) && is_number(h, f))
			each_value(h, f, r->p, r->n, fn, s);
	}
}

/* Whether the report has fields and all of them hold numbers. */
static bool has_only_numbers(const struct hid_report *h, enum hid_kind kind, uint8_t id)
{
	bool any = false;

	for (uint32_t i = 0; i < h->nfields; i++) {
		const struct hid_field *f = &h->fields[i];

		if (!is_of(f, kind, id))
			continue;
		if (!is_number(h, f))
			return false;
		any = true;
	}
	return any;
}

static const char *const kind_names[HID_KINDS] = {"input", "output", "feature"};

/* Appends offset, usage page and number of the bytes that are not numbers. */
static void raw_tree(const struct hid_report *h, enum hid_kind kind, uint8_t id, size_t n,
		     struct tree *t)
{
	char text[48];
	bool any = false;

	for (uint32_t i = 0; i < h->nfields; i++) {
		const struct hid_field *f = &h->fields[i];
		uint64_t bits = (uint64_t)f->size * f->count;

		if (!is_of(f, kind, id) || is_number(h, f) || f->at >= n * 8)
			continue;
		if (!any)
			tree_list(t, "raw");
		any = true;
		tree_object(t, "field");
		if (f->nusages) {
			usage_text(h->usages[f->usages].first, text, sizeof(text));
			tree_str(t, "usage", text);
		}
		tree_uint(t, "bit", f->at + (h->ids ? 8 : 0));
		tree_uint(t, "bits", bits < n * 8 - f->at ? bits : n * 8 - f->at);
		tree_close(t);
	}
	if (any)
		tree_close(t);
}

void hid_tree(const struct hid_report *h, enum hid_kind kind, const uint8_t *p, size_t n,
	      bool show_keys, struct tree *t)
{
	bool secret = hid_is_secret(h, kind, p, n);
	uint8_t id = split(h, &p, &n);
	const struct received r = {kind, id, p, n};
	struct shown s = {.t = t};

	tree_object(t, "report");
	tree_str(t, "kind", kind_names[kind]);
	if (h->ids)
		tree_uint(t, "report_id", id);
	if (secret) {
		each_field(h, &r, count_keys, &s);
		tree_uint(t, "keys_down", s.count);
		if (show_keys) {
			s.keys = true;
			tree_list(t, "keys");
			each_field(h, &r, tree_value, &s);
			tree_close(t);
			s.keys = false;
		} else {
			tree_bool(t, "masked", true);
		}
	}
	tree_list(t, "values");
	each_field(h, &r, tree_value, &s);
	tree_close(t);
	raw_tree(h, kind, id, n, t);
	tree_close(t);
}

bool hid_brief(const struct hid_report *h, enum hid_kind kind, const uint8_t *p, size_t n,
	       bool show_keys, struct out *o)
{
	bool secret = hid_is_secret(h, kind, p, n);
	uint8_t id = split(h, &p, &n);
	const struct received r = {kind, id, p, n};
	struct shown s = {.o = o};

	if (h->ids)
		out_printf(o, " report %u", id);
	if (secret && show_keys) {
		out_str(o, " keys");
		s.keys = true;
		each_field(h, &r, brief_value, &s);
		s.keys = false;
		if (!s.count)
			out_str(o, " none");
	} else if (secret) {
		each_field(h, &r, count_keys, &s);
		out_printf(o, " %u key%s down", s.count, s.count == 1 ? "" : "s");
	}
	s.count = 0;
	each_field(h, &r, brief_value, &s);
	return has_only_numbers(h, kind, id);
}

/* ---- the descriptor ------------------------------------------------------------------------- */

static void range_tree(const struct hid_range *r, struct tree *t)
{
	char first[48], last[48];

	usage_text(r->first, first, sizeof(first));
	if (r->first == r->last) {
		tree_str(t, "usage", first);
		return;
	}
	usage_text(r->last, last, sizeof(last));
	tree_printf(t, "usage", "%s..%s", first, last);
}

/* Range and unit in the world, and what is unusual about the values. */
static void physical_tree(const struct hid_field *f, struct tree *t)
{
	static const struct {
		uint16_t flag;
		const char *name;
	} flags[] = {
		{HID_WRAP, "wrap"},
		{HID_NONLINEAR, "nonlinear"},
		{HID_NO_PREFERRED, "no_preferred"},
		{HID_NULL_STATE, "null_state"},
		{HID_VOLATILE, "volatile"},
		{HID_BUFFERED, "buffered"},
	};
	struct out text;

	if (f->physical_min || f->physical_max) {
		tree_int(t, "physical_min", f->physical_min);
		tree_int(t, "physical_max", f->physical_max);
	}
	if (f->unit) {
		tree_hex(t, "unit_code", f->unit, 8);
		out_memory(&text);
		hid_unit_text(f->unit, &text);
		if (!text.error && text.len)
			tree_text(t, "unit", text.data, text.len);
		out_free(&text);
	}
	if (f->exponent)
		tree_int(t, "unit_exponent", f->exponent);
	for (unsigned int i = 0; i < ARRAY_SIZE(flags); i++)
		if (f->flags & flags[i].flag)
			tree_bool(t, flags[i].name, true);
}

void hid_descriptor_tree(const struct hid_report *h, struct tree *t)
{
	char text[48];

	if (h->application) {
		usage_text(h->application, text, sizeof(text));
		tree_str(t, "application", text);
	}
	tree_bool(t, "keyboard", h->keyboard);
	tree_list(t, "reports");
	for (uint32_t i = 0; i < h->nfields; i++) {
		const struct hid_field *f = &h->fields[i];

		tree_object(t, "field");
		tree_str(t, "kind", kind_names[f->kind]);
		if (h->ids)
			tree_uint(t, "report_id", f->report);
		tree_uint(t, "bit", f->at);
		tree_uint(t, "bits", f->size);
		tree_uint(t, "count", f->count);
		if (f->flags & HID_CONSTANT) {
			tree_bool(t, "constant", true);
		} else {
			tree_str(t, "form", f->flags & HID_VARIABLE ? "variable" : "array");
			tree_bool(t, "relative", f->flags & HID_RELATIVE);
			tree_int(t, "min", f->min);
			tree_int(t, "max", f->max);
			physical_tree(f, t);
			tree_list(t, "usages");
			for (uint32_t k = 0; k < f->nusages; k++)
				range_tree(&h->usages[f->usages + k], t);
			tree_close(t);
		}
		tree_close(t);
	}
	tree_close(t);
	tree_str(t, "damage", h->damage);
}

void hid_descriptor_brief(const struct hid_report *h, struct out *o)
{
	char text[48];

	if (h->application) {
		usage_text(h->application, text, sizeof(text));
		out_printf(o, "%s, ", text);
	}
	out_count(o, h->nfields, "field");
	if (h->damage)
		out_printf(o, ", but %s", h->damage);
}
