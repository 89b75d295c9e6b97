/* SPDX-License-Identifier: MIT */
#include "decode/usb/hidreport.h"
#include "decode/usb/hidunit.h"
#include "decode/usb/hidusage.h"
#include "decode/base/number.h"
#include "common/array.h"
#include "decode/base/bytes.h"

#include <stdio.h>
#include <stdlib.h>

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
		    hid_holds_keys(h, &h->fields[i]))
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
