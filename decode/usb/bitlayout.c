/* SPDX-License-Identifier: MIT */
#include "decode/usb/bitlayout.h"

#include <string.h>

static size_t end_of(const struct bit_field *f)
{
	return f->byte + (f->width < 8 ? 1u : f->width / 8u);
}

static uint64_t value_of(const struct bit_field *f, const uint8_t *p)
{
	uint64_t v = 0;

	if (f->width < 8)
		return p[f->byte] >> f->bit & ((1u << f->width) - 1);
	for (size_t i = f->byte; i < end_of(f); i++)
		v = v << 8 | p[i];
	return v;
}

void bit_layout_tree(bit_layout fields, const uint8_t *p, size_t n, struct tree *t)
{
	for (const struct bit_field *f = fields; f->name; f++) {
		if (end_of(f) > n)
			continue;
		if (f->width == 1)
			tree_bool(t, f->name, value_of(f, p));
		else
			tree_uint(t, f->name, value_of(f, p));
	}
}

void bit_layout_brief(bit_layout fields, const uint8_t *p, size_t n, struct out *o)
{
	for (const struct bit_field *f = fields; f->name; f++) {
		if (end_of(f) > n || f->width >= 8 || !value_of(f, p))
			continue;
		out_char(o, ' ');
		out_str(o, f->name);
		if (f->width > 1)
			out_printf(o, "=%u", (unsigned int)value_of(f, p));
	}
}

bool bit_layout_has(bit_layout fields, const char *name, size_t n)
{
	for (const struct bit_field *f = fields; f->name; f++)
		if (strlen(f->name) == n && !memcmp(f->name, name, n))
			return true;
	return false;
}
