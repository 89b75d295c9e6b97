/* SPDX-License-Identifier: MIT */
#include "decode/usb/hiddescriptor.h"

#include <stdlib.h>
#include <string.h>

#include "common/array.h"
#include "decode/base/bytes.h"
#include "decode/usb/hidunit.h"
#include "decode/usb/hidusage.h"

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

static bool add_usage(struct parser *p, uint32_t first, uint32_t last, bool paged)
{
	struct hid_report *h = p->h;

	if (p->usages + p->nusages >= HID_MAX_USAGES) {
		damage(p, "there are too many usages");
		return true;
	}
	if (!array_reserve(h->usages, p->usages_room, p->usages + p->nusages + 1))
		return false;
	if (last < first) {
		damage(p, "a usage maximum is below its minimum");
		last = first;
	}
	p->paged[p->nusages] = paged;
	h->usages[p->usages + p->nusages++] = (struct hid_range){first, last};
	return true;
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

bool hid_holds_keys(const struct hid_report *h, const struct hid_field *f)
{
	if (f->kind != HID_INPUT || f->flags & HID_CONSTANT)
		return false;
	for (uint32_t i = 0; i < f->nusages; i++)
		if (HID_PAGE(h->usages[f->usages + i].last) == HID_KEYBOARD)
			return true;
	return false;
}

static bool add_field(struct parser *p, enum hid_kind kind, uint32_t flags)
{
	struct hid_report *h = p->h;
	uint32_t *bits = &p->bits[kind][p->now.report];
	uint64_t want = (uint64_t)p->now.size * p->now.count;
	struct hid_field *f;

	if (want == 0)
		return true;
	if (want > HID_MAX_BITS - *bits) {
		damage(p, "a report is longer than 64 KiB");
		return true;
	}
	if (p->now.count > HID_MAX_COUNT) {
		damage(p, "a field has more than 12,288 elements");
		*bits += (uint32_t)want;
		return true;
	}
	if (h->nfields == HID_MAX_FIELDS) {
		damage(p, "there are too many fields");
		return true;
	}
	if (!array_reserve(h->fields, p->fields_room, h->nfields + 1))
		return false;
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
	if (hid_holds_keys(h, f))
		h->keyboard = true;
	return true;
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

static bool main_item(struct parser *p, const struct item *it)
{
	bool ok = true;

	settle_pages(p);
	switch (it->tag) {
	case 0x8:
		ok = add_field(p, HID_INPUT, it->value);
		break;
	case 0x9:
		ok = add_field(p, HID_OUTPUT, it->value);
		break;
	case 0xb:
		ok = add_field(p, HID_FEATURE, it->value);
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
	return ok;
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

static bool local_item(struct parser *p, const struct item *it)
{
	bool paged = it->size == 4;
	uint32_t usage = paged ? it->value : p->now.page << 16 | it->value;

	switch (it->tag) {
	case 0x0:
		return add_usage(p, usage, usage, paged);
	case 0x1:
		p->usage_min = usage;
		p->min_paged = paged;
		return true;
	case 0x2:
		/* A page declared between the minimum and the maximum applies to both. */
		if (!paged && !p->min_paged)
			p->usage_min = p->now.page << 16 | HID_ID(p->usage_min);
		return add_usage(p, p->usage_min, usage, paged || p->min_paged);
	default:
		return true;
	}
}

bool hid_parse(struct hid_report *h, const uint8_t *bytes, size_t n)
{
	const uint8_t *end = bytes + n;
	struct parser *p = calloc(1, sizeof(*p));
	struct item it;
	bool ok = true;

	memset(h, 0, sizeof(*h));
	if (!p)
		return false;
	p->h = h;
	while (ok && next_item(p, &bytes, end, &it)) {
		if (it.type == ITEM_MAIN)
			ok = main_item(p, &it);
		else if (it.type == ITEM_GLOBAL)
			global_item(p, &it);
		else if (it.type == ITEM_LOCAL)
			ok = local_item(p, &it);
		else
			damage(p, "there is an item of a reserved type");
	}
	h->nusages = p->usages + p->nusages;
	if (p->depth)
		damage(p, "a collection is not ended");
	free(p);
	if (!ok)
		hid_free(h);
	return ok;
}

void hid_free(struct hid_report *h)
{
	free(h->fields);
	free(h->usages);
	memset(h, 0, sizeof(*h));
}

bool hid_boot_keyboard(struct hid_report *h)
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
