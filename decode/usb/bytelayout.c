/* SPDX-License-Identifier: MIT */
#include <stdlib.h>
#include <string.h>

#include "decode/base/bytes.h"
#include "decode/base/escape.h"
#include "decode/usb/descriptor.h"
#include "decode/usb/bytelayout.h"

enum { ADDRESS = 6, LISTED = 8 };

/* One field at p. size == 0: the field is incomplete. */
struct field {
	/* alias: name of the member that holds the value's name, or those of its bits; or NULL */
	const char *name, *alias;
	char code, kind;
	const uint8_t *p;
	size_t size, width; /* size of the field in bytes; width in bytes of a number */
};

struct walk {
	byte_layout at;
	const uint8_t *p;
	size_t left;
	uint64_t last; /* the value of the preceding number */
};

static size_t size_of(const struct field *f, size_t left, uint64_t last)
{
	switch (f->code) {
	case 'n':
		return last <= left ? (size_t)last : left + 1;
	case 'a':
		return ADDRESS;
	case 'l':
		return left < 4 || get32(f->p) > (left - 4) / f->width ? 0
								       : 4 + get32(f->p) * f->width;
	case 'p':
		return left ? 1 + 2u * f->p[0] : 0;
	default:
		return f->width ? f->width : left;
	}
}

/* Whether a third string belongs to a field of this code. */
static bool has_alias(const char *code)
{
	return code[0] == 'e' || code[0] == 'f';
}

static bool next(struct walk *w, struct field *f)
{
	const char *code;
	char *end;

	if (!w->at[0])
		return false;
	code = w->at[1];
	*f = (struct field){.name = w->at[0], .code = code[0], .p = w->p};
	f->width = strtoul(code + 1, &end, 10);
	f->kind = *end;
	w->at += 2;
	if (has_alias(code))
		f->alias = *w->at++;
	f->size = size_of(f, w->left, w->last);
	if ((!f->size && f->code != 'n') || f->size > w->left)
		return false;
	w->last = f->code == 'u' ? get_le(f->p, f->width) : 0;
	w->p += f->size;
	w->left -= f->size;
	return true;
}

static int64_t signed_of(const struct field *f)
{
	unsigned int shift = 64 - 8 * (unsigned int)f->width;

	return (int64_t)(get_le(f->p, f->width) << shift) >> shift;
}

/* Appends a PTP string without its terminating NUL. */
static void ptp_text(const struct field *f, struct out *o)
{
	size_t n = f->size - 1;

	if (n >= 2 && !get16(f->p + 1 + n - 2))
		n -= 2;
	descriptor_utf16(f->p + 1, n, o);
}

static size_t text_length(const struct field *f)
{
	return strnlen((const char *)f->p, f->size);
}

static void list_tree(const struct field *f, byte_layout_name_fn *name, struct tree *t)
{
	tree_list(t, f->name);
	for (size_t at = 4; at < f->size; at += f->width) {
		uint64_t v = get_le(f->p + at, f->width);
		const char *called = f->kind != ' ' ? name(f->kind, v) : NULL;

		if (called)
			tree_str(t, f->name, called);
		else
			tree_hex(t, f->name, v, (unsigned int)f->width * 2);
	}
	tree_close(t);
}

/* Bits without a name are only in the number. */
static void bits_tree(const struct field *f, byte_layout_name_fn *name, struct tree *t)
{
	uint64_t v = get_le(f->p, f->width);

	tree_hex(t, f->name, v, (unsigned int)f->width * 2);
	tree_list(t, f->alias);
	for (unsigned int bit = 0; bit < 8 * f->width; bit++)
		if (v >> bit & 1)
			tree_str(t, f->alias, name(f->kind, bit));
	tree_close(t);
}

/* Appends the names in brackets, if they are few; else the number alone. */
static void bits_brief(const struct field *f, byte_layout_name_fn *name, struct out *o)
{
	uint64_t v = get_le(f->p, f->width);
	const char *separator = " (";

	out_printf(o, "0x%0*llx", (int)f->width * 2, (unsigned long long)v);
	if (!v || __builtin_popcountll(v) > LISTED)
		return;
	for (unsigned int bit = 0; bit < 8 * f->width; bit++) {
		if (!(v >> bit & 1) || !name(f->kind, bit))
			continue;
		out_printf(o, "%s%s", separator, name(f->kind, bit));
		separator = ", ";
	}
	if (*separator == ',')
		out_char(o, ')');
}

static void address(const uint8_t *p, struct out *o)
{
	for (int i = ADDRESS - 1; i >= 0; i--)
		out_printf(o, "%02x%s", p[i], i ? ":" : "");
}

static void written_tree(const struct field *f, struct tree *t,
			 void (*write)(const struct field *f, struct out *o))
{
	struct out text;

	out_memory(&text);
	write(f, &text);
	tree_text(t, f->name, text.data, text.len);
	out_free(&text);
}

static void write_address(const struct field *f, struct out *o)
{
	address(f->p, o);
}

static void field_tree(const struct field *f, byte_layout_name_fn *name, struct tree *t)
{
	switch (f->code) {
	case 'u':
		tree_uint(t, f->name, get_le(f->p, f->width));
		break;
	case 's':
		tree_int(t, f->name, signed_of(f));
		break;
	case 'm':
		tree_uint(t, f->name, get_be(f->p, f->width));
		break;
	case 'x':
	case 'e':
		tree_hex(t, f->name, get_le(f->p, f->width), (unsigned int)f->width * 2);
		if (f->alias)
			tree_str(t, f->alias, name(f->kind, get_le(f->p, f->width)));
		break;
	case 'f':
		bits_tree(f, name, t);
		break;
	case 'l':
		list_tree(f, name, t);
		break;
	case 'a':
		written_tree(f, t, write_address);
		break;
	case 'p':
		written_tree(f, t, ptp_text);
		break;
	case 't':
		tree_text(t, f->name, f->p, text_length(f));
		break;
	case 'k':
		if (f->kind == 'u')
			tree_uint(t, f->name, get_le(f->p, f->width));
		else
			tree_bytes(t, f->name, f->p, f->size);
		break;
	case 'b':
	case 'n':
		tree_bytes(t, f->name, f->p, f->size);
		break;
	}
}

void byte_layout_tree(byte_layout fields, byte_layout_name_fn *name, const uint8_t *p, size_t n,
		      struct tree *t)
{
	struct walk w = {.at = fields, .p = p, .left = n};
	struct field f;

	while (next(&w, &f))
		field_tree(&f, name, t);
}

static void list_brief(const struct field *f, byte_layout_name_fn *name, struct out *o)
{
	size_t count = get32(f->p);

	out_char(o, '[');
	for (size_t i = 0; i < count && i < LISTED; i++) {
		uint64_t v = get_le(f->p + 4 + i * f->width, f->width);
		const char *called = f->kind != ' ' ? name(f->kind, v) : NULL;

		out_str(o, i ? " " : "");
		if (called)
			out_str(o, called);
		else
			out_printf(o, "0x%llx", (unsigned long long)v);
	}
	if (count > LISTED)
		out_printf(o, " and %zu more", count - LISTED);
	out_char(o, ']');
}

static void field_brief(const struct field *f, byte_layout_name_fn *name, struct out *o)
{
	const char *called = f->code == 'e' ? name(f->kind, get_le(f->p, f->width)) : NULL;
	struct out text;

	switch (f->code) {
	case 'u':
		out_printf(o, "%llu", (unsigned long long)get_le(f->p, f->width));
		break;
	case 's':
		out_printf(o, "%lld", (long long)signed_of(f));
		break;
	case 'm':
		out_printf(o, "%llu", (unsigned long long)get_be(f->p, f->width));
		break;
	case 'x':
	case 'e':
		if (called)
			out_str(o, called);
		else
			out_printf(o, "0x%0*llx", (int)f->width * 2,
				   (unsigned long long)get_le(f->p, f->width));
		break;
	case 'f':
		bits_brief(f, name, o);
		break;
	case 'l':
		list_brief(f, name, o);
		break;
	case 'a':
		address(f->p, o);
		break;
	case 'p':
		out_memory(&text);
		ptp_text(f, &text);
		out_quoted(o, text.data, text.len);
		out_free(&text);
		break;
	case 't':
		out_quoted(o, f->p, text_length(f));
		break;
	case 'k':
		if (f->kind == 'u')
			out_printf(o, "%llu", (unsigned long long)get_le(f->p, f->width));
		for (size_t i = 0; f->kind != 'u' && i < f->size; i++)
			out_printf(o, "%02x", f->p[i]);
		break;
	case 'b':
	case 'n':
		for (size_t i = 0; i < f->size && i < LISTED; i++)
			out_printf(o, "%02x", f->p[i]);
		out_str(o, f->size > LISTED ? "..." : "");
		break;
	}
}

bool byte_layout_brief(byte_layout fields, byte_layout_name_fn *name, const uint8_t *p, size_t n,
		       struct out *o)
{
	struct walk w = {.at = fields, .p = p, .left = n};
	bool whole = true;
	struct field f;

	for (bool first = true; next(&w, &f);) {
		if (f.code == '-')
			continue;
		out_str(o, first ? " " : ", ");
		first = false;
		out_str(o, f.name);
		out_char(o, ' ');
		field_brief(&f, name, o);
		whole = whole && (f.code != 'l' || get32(f.p) <= LISTED) &&
			((f.code != 'b' && f.code != 'n') || f.size <= LISTED);
	}
	return whole && !w.left;
}

size_t byte_layout_clear(byte_layout fields, const uint8_t *p, size_t n)
{
	struct walk w = {.at = fields, .p = p, .left = n};
	struct field f;

	/* A secret field that is truncated is still secret. */
	while (w.at[0]) {
		size_t at = (size_t)(w.p - p);

		if (w.at[1][0] == 'k')
			return at;
		if (!next(&w, &f))
			break;
	}
	return n;
}

bool byte_layout_has(byte_layout fields, const char *name, size_t n)
{
	for (; fields[0]; fields += has_alias(fields[1]) ? 3 : 2) {
		if (!strncmp(fields[0], name, n) && !fields[0][n])
			return true;
		if (has_alias(fields[1]) && !strncmp(fields[2], name, n) && !fields[2][n])
			return true;
	}
	return false;
}

void byte_layout_words(byte_layout fields, byte_layout_name_fn *name, const char *alias,
		       decoder_name_fn *fn, void *arg)
{
	for (; fields[0]; fields += has_alias(fields[1]) ? 3 : 2) {
		const char *code = fields[1];
		unsigned int bits = code[0] == 'e' ? 8 * (unsigned int)(code[1] - '0') : 0;

		if (!bits || bits > 16 || strcmp(fields[2], alias))
			continue;
		for (uint64_t v = 0; v < UINT64_C(1) << bits; v++)
			if (name(code[2], v))
				fn(arg, name(code[2], v));
	}
}
