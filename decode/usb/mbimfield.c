/* SPDX-License-Identifier: MIT */
#include "decode/usb/mbimfield.h"

#include <arpa/inet.h>
#include <stdio.h>
#include <string.h>

#include "decode/base/bytes.h"
#include "decode/base/escape.h"
#include "decode/usb/descriptor.h"

enum { SHOWN = 16 }; /* bytes of data, and numbers of a list, in a line */

struct walk {
	const struct mbim_field *at;
	const uint8_t *p;
	size_t n, pos;
	size_t end;	/* the fields end here: at the data, or at the structure's end */
	uint64_t first; /* the first number of the structure */
	uint64_t last;	/* the latest number */
	bool wrong;	/* a field refers to data that is not there */
};

/* One field. */
struct value {
	const struct mbim_field *f;
	const uint8_t *p; /* its data, or the field itself */
	size_t n;
	uint32_t count; /* of a list */
};

/* The bytes of a structure without data. */
static size_t fixed_size(const struct mbim_field *f)
{
	size_t n = 0;

	for (; f->kind != MBIM_END; f++)
		n += f->size;
	return n;
}

/* Data of n bytes at an offset. NULL: it is outside of the structure, or within its fields. */
static const uint8_t *refer(struct walk *w, uint64_t at, uint64_t n)
{
	if (!n)
		return w->p;
	if (at < w->pos || at > w->n || n > w->n - at) {
		w->wrong = true;
		return NULL;
	}
	if (at < w->end)
		w->end = (size_t)at;
	return w->p + at;
}

/* The bytes of each element that follows a list's count in place. 0: the field is no such list. */
static size_t stride_of(const struct mbim_field *f)
{
	switch (f->kind) {
	case MBIM_NUMBERS:
		return 4;
	case MBIM_ITEMS:
		return fixed_size(f->of);
	case MBIM_REFS:
	case MBIM_TEXTS:
	case MBIM_PAIRS:
		return 8;
	default:
		return 0;
	}
}

static const uint8_t *element(struct walk *w, const struct value *v, uint32_t i, size_t *n)
{
	const uint8_t *pair = v->p + (size_t)i * 8;

	*n = get32(pair + 4);
	return refer(w, get32(pair), *n);
}

/* Reads a list whose elements, or references to them, are in place. */
static bool read_list(struct walk *w, struct value *v, size_t stride)
{
	uint64_t count = w->first;

	if (v->f->kind != MBIM_PAIRS) {
		if (w->end - w->pos < 4)
			return false;
		count = get32(w->p + w->pos);
		w->pos += 4;
	}
	if (count > (w->end - w->pos) / stride) {
		w->wrong = true;
		return false;
	}
	v->count = (uint32_t)count;
	v->p = w->p + w->pos;
	v->n = v->count * stride;
	w->pos += v->n;
	for (uint32_t i = 0; i < v->count && v->f->kind >= MBIM_REF; i++) {
		size_t n;

		if (!element(w, v, i, &n))
			return false;
	}
	return true;
}

/* Sets the data that the field at p refers to. */
static bool read_data(struct walk *w, struct value *v, const uint8_t *p)
{
	uint64_t at = get32(p), n;

	switch (v->f->kind) {
	case MBIM_SIZED:
		n = w->last;
		break;
	case MBIM_AT:
		n = at ? fixed_size(v->f->of) : 0;
		break;
	case MBIM_ARRAY:
		v->count = (uint32_t)at;
		at = get32(p + 4);
		n = (uint64_t)v->count * fixed_size(v->f->of);
		break;
	case MBIM_LENGTH:
		n = at;
		at = get32(p + 4);
		break;
	default:
		n = get32(p + 4);
		break;
	}
	v->n = (size_t)n;
	v->p = refer(w, at, n);
	return v->p;
}

/* Returns false at the end of the fields, and if one is wrong. */
static bool next(struct walk *w, struct value *v)
{
	const struct mbim_field *f;
	const uint8_t *p;

	while (w->at->when && w->at->when != w->first + 1)
		w->at++;
	f = w->at;
	if (f->kind == MBIM_END)
		return false;
	w->at++;
	*v = (struct value){.f = f};
	if (stride_of(f))
		return read_list(w, v, stride_of(f));
	v->p = p = w->p + w->pos;
	v->n = f->kind == MBIM_TAIL ? w->end - w->pos : f->size;
	if (v->n > w->end - w->pos)
		return false;
	w->pos += v->n;
	if (f->kind >= MBIM_TEXT)
		return read_data(w, v, p);
	if (f->size && f->size <= 8) {
		w->last = get_le(p, f->size);
		if (p == w->p)
			w->first = w->last;
	}
	return true;
}

/* Whether a list refers to structures that have data of their own. */
static bool holds_structs(const struct mbim_field *f)
{
	return f->kind == MBIM_REFS || f->kind == MBIM_PAIRS;
}

static struct walk walk_of(const struct mbim_field *f, const uint8_t *p, size_t n)
{
	return (struct walk){.at = f, .p = p, .n = n, .end = n};
}

bool mbim_fits(const struct mbim_field *f, const uint8_t *p, size_t n, bool *exact)
{
	struct walk w = walk_of(f, p, n);
	struct value v;
	bool inner;

	while (next(&w, &v)) {
		if (v.f->kind == MBIM_REF && v.n && !mbim_fits(v.f->of, v.p, v.n, &inner))
			return false;
		for (uint32_t i = 0; holds_structs(v.f) && i < v.count; i++) {
			size_t length;
			const uint8_t *q = element(&w, &v, i, &length);

			if (!mbim_fits(v.f->of, q, length, &inner))
				return false;
		}
	}
	*exact = w.end - w.pos < 4; /* data may be aligned to 4 bytes */
	return !w.wrong;
}

/* ---- values ---------------------------------------------------------------------------------- */

void mbim_uuid(const uint8_t *p, char text[37])
{
	char *at = text;

	for (int i = 0; i < 16; i++) {
		if (i == 4 || i == 6 || i == 8 || i == 10)
			*at++ = '-';
		at += snprintf(at, 3, "%02x", p[i]);
	}
}

/* A text may end with NULs, which its length counts. */
static void text_of(const uint8_t *p, size_t n, struct out *text)
{
	while (n >= 2 && !get16(p + n - 2))
		n -= 2;
	out_memory(text);
	descriptor_utf16(p, n, text);
}

static const char *address_of(const struct value *v, char text[INET6_ADDRSTRLEN])
{
	return inet_ntop(v->n == 4 ? AF_INET : AF_INET6, v->p, text, INET6_ADDRSTRLEN);
}

static const char *name_of(const struct value *v)
{
	return code_name_in(v->f->of, v->f->names, (uint32_t)get_le(v->p, v->n));
}

static void text_tree(const char *name, const uint8_t *p, size_t n, struct tree *t)
{
	struct out text;

	text_of(p, n, &text);
	tree_text(t, name, text.data, text.len);
	out_free(&text);
}

static void bits_tree(const struct value *v, struct tree *t)
{
	const struct code_name *names = v->f->of;
	uint64_t bits = get_le(v->p, v->n);

	tree_hex(t, v->f->name, bits, v->f->size * 2u);
	tree_list(t, v->f->alias);
	for (uint16_t i = 0; i < v->f->names; i++)
		if (bits & names[i].code)
			tree_str(t, "bit", names[i].name);
	tree_close(t);
}

static void texts_tree(struct walk *w, const struct value *v, struct tree *t)
{
	tree_list(t, v->f->name);
	for (uint32_t i = 0; i < v->count && !t->full; i++) {
		size_t n;
		const uint8_t *p = element(w, v, i, &n);

		text_tree(v->f->name, p, n, t);
	}
	tree_close(t);
}

/* Structures that have one field are shown as that. */
static void structs_tree(struct walk *w, const struct value *v, bool keys, struct tree *t)
{
	const struct mbim_field *of = v->f->of;
	bool single = of[1].kind == MBIM_END;
	size_t n = fixed_size(of);

	tree_list(t, v->f->name);
	for (uint32_t i = 0; i < v->count && !t->full; i++) {
		const uint8_t *p = holds_structs(v->f) ? element(w, v, i, &n) : v->p + i * n;

		if (!single)
			tree_object(t, v->f->name);
		mbim_fields_tree(of, p, n, keys, t);
		if (!single)
			tree_close(t);
	}
	tree_close(t);
}

static void scalar_tree(const struct value *v, struct tree *t)
{
	char text[INET6_ADDRSTRLEN > 37 ? INET6_ADDRSTRLEN : 37];

	switch (v->f->kind) {
	case MBIM_NUMBER:
		tree_uint(t, v->f->name, get_le(v->p, v->n));
		break;
	case MBIM_VERSION:
		tree_printf(t, v->f->name, "%x.%02x", v->p[1], v->p[0]);
		break;
	case MBIM_SIGNED:
		tree_int(t, v->f->name, (int32_t)get32(v->p));
		break;
	case MBIM_CODE:
		tree_uint(t, v->f->name, get_le(v->p, v->n));
		tree_str(t, v->f->alias, name_of(v));
		break;
	case MBIM_BITS:
		bits_tree(v, t);
		break;
	case MBIM_UUID:
		mbim_uuid(v->p, text);
		tree_str(t, v->f->name, text);
		break;
	case MBIM_ADDRESS:
		tree_str(t, v->f->name, address_of(v, text));
		break;
	case MBIM_TEXT:
		text_tree(v->f->name, v->p, v->n, t);
		break;
	default:
		tree_bytes(t, v->f->name, v->p, v->n);
		break;
	}
}

static void numbers_tree(const struct value *v, struct tree *t)
{
	tree_list(t, v->f->name);
	for (uint32_t i = 0; i < v->count && !t->full; i++)
		tree_uint(t, v->f->name, get32(v->p + (size_t)i * 4));
	tree_close(t);
}

void mbim_fields_tree(const struct mbim_field *f, const uint8_t *p, size_t n, bool keys,
		      struct tree *t)
{
	struct walk w = walk_of(f, p, n);
	struct value v;

	while (next(&w, &v)) {
		if (v.f->secret && !keys)
			continue;
		switch (v.f->kind) {
		case MBIM_STRUCT:
			tree_object(t, v.f->name);
			mbim_fields_tree(v.f->of, v.p, v.n, keys, t);
			tree_close(t);
			break;
		case MBIM_AT:
		case MBIM_REF:
			if (v.n)
				mbim_fields_tree(v.f->of, v.p, v.n, keys, t);
			break;
		case MBIM_NUMBERS:
			numbers_tree(&v, t);
			break;
		case MBIM_TEXTS:
			texts_tree(&w, &v, t);
			break;
		case MBIM_ITEMS:
		case MBIM_ARRAY:
		case MBIM_REFS:
		case MBIM_PAIRS:
			structs_tree(&w, &v, keys, t);
			break;
		default:
			scalar_tree(&v, t);
			break;
		}
	}
}

/* ---- lines ----------------------------------------------------------------------------------- */

static void bits_brief(const struct value *v, struct out *o)
{
	const struct code_name *names = v->f->of;
	uint64_t bits = get_le(v->p, v->n), left = bits;
	const char *between = "";

	for (uint16_t i = 0; i < v->f->names; i++)
		if (bits & names[i].code) {
			out_printf(o, "%s%s", between, names[i].name);
			left &= ~(uint64_t)names[i].code;
			between = "|";
		}
	if (left || !bits)
		out_printf(o, "%s0x%llx", between, (unsigned long long)left);
}

static void code_brief(const struct value *v, struct out *o)
{
	const char *name = name_of(v);

	if (name)
		out_str(o, name);
	else
		out_printf(o, "%llu", (unsigned long long)get_le(v->p, v->n));
}

/* Returns whether the whole value is shown. */
static bool value_brief(const struct value *v, struct out *o)
{
	char text[INET6_ADDRSTRLEN > 37 ? INET6_ADDRSTRLEN : 37];
	struct out decoded;

	switch (v->f->kind) {
	case MBIM_NUMBER:
		out_printf(o, "%llu", (unsigned long long)get_le(v->p, v->n));
		return true;
	case MBIM_VERSION:
		out_printf(o, "%x.%02x", v->p[1], v->p[0]);
		return true;
	case MBIM_SIGNED:
		out_printf(o, "%d", (int32_t)get32(v->p));
		return true;
	case MBIM_CODE:
		code_brief(v, o);
		return true;
	case MBIM_BITS:
		bits_brief(v, o);
		return true;
	case MBIM_UUID:
		mbim_uuid(v->p, text);
		out_str(o, text);
		return true;
	case MBIM_ADDRESS:
		out_str(o, address_of(v, text));
		return true;
	case MBIM_TEXT:
		text_of(v->p, v->n, &decoded);
		out_quoted(o, decoded.data, decoded.len);
		out_free(&decoded);
		return true;
	case MBIM_STRUCT:
	case MBIM_REF:
		out_str(o, "{");
		mbim_fields_brief(v->f->of, v->p, v->n, false, o);
		out_str(o, " }");
		return true;
	default:
		for (size_t i = 0; i < v->n && i < SHOWN; i++)
			out_printf(o, "%02x", v->p[i]);
		out_str(o, v->n > SHOWN ? "..." : "");
		return v->n <= SHOWN;
	}
}

/* Of one structure its fields are shown, of several their number. */
static bool list_brief(struct walk *w, const struct value *v, bool keys, struct out *o)
{
	const uint8_t *p = v->p;
	size_t n = v->n;

	if (v->f->kind == MBIM_NUMBERS) {
		for (uint32_t i = 0; i < v->count && i < SHOWN; i++)
			out_printf(o, "%s%u", i ? " " : "[", get32(p + (size_t)i * 4));
		out_str(o, v->count > SHOWN ? " ...]" : "]");
		return v->count <= SHOWN;
	}
	if (v->f->kind >= MBIM_REF && v->count == 1)
		p = element(w, v, 0, &n);
	if (v->f->kind == MBIM_TEXTS && v->count == 1) {
		struct value one = {.f = &(struct mbim_field){.kind = MBIM_TEXT}, .p = p, .n = n};

		return value_brief(&one, o);
	}
	if (v->count != 1) {
		out_printf(o, "(%u)", v->count);
		return false;
	}
	out_char(o, '{');
	mbim_fields_brief(v->f->of, p, n, keys, o);
	out_str(o, " }");
	return true;
}

bool mbim_fields_brief(const struct mbim_field *f, const uint8_t *p, size_t n, bool keys,
		       struct out *o)
{
	struct walk w = walk_of(f, p, n);
	const char *between = " ";
	bool whole = true;
	struct value v;

	while (next(&w, &v)) {
		bool list = stride_of(v.f) || v.f->kind == MBIM_ARRAY;

		if ((list ? !v.count : !v.n) || (v.f->secret && !keys))
			continue;
		out_str(o, between);
		between = ", ";
		if (v.f->kind == MBIM_AT) {
			const struct mbim_field *inner = v.f->of;
			struct value at = {.f = inner, .p = v.p, .n = v.n};

			out_printf(o, "%s ", inner->name);
			value_brief(&at, o);
			continue;
		}
		out_printf(o, "%s ", v.f->name);
		whole = (list ? list_brief(&w, &v, keys, o) : value_brief(&v, o)) && whole;
	}
	return whole && w.end - w.pos < 4;
}

/* ---- questions ------------------------------------------------------------------------------- */

bool mbim_has_secret(const struct mbim_field *f, const uint8_t *p, size_t n)
{
	struct walk w = walk_of(f, p, n);
	struct value v;

	while (next(&w, &v)) {
		if (v.f->secret && v.n)
			return true;
		for (uint32_t i = 0; holds_structs(v.f) && i < v.count; i++) {
			size_t length;
			const uint8_t *q = element(&w, &v, i, &length);

			if (mbim_has_secret(v.f->of, q, length))
				return true;
		}
	}
	return false;
}

bool mbim_may_have_secret(const struct mbim_field *f)
{
	for (; f && f->kind != MBIM_END; f++)
		if (f->secret || (holds_structs(f) && mbim_may_have_secret(f->of)))
			return true;
	return false;
}

bool mbim_has_member(const struct mbim_field *f, const char *name, size_t n)
{
	for (; f && f->kind != MBIM_END; f++) {
		bool holds = f->of && f->kind != MBIM_CODE && f->kind != MBIM_BITS;

		if ((!strncmp(f->name, name, n) && !f->name[n]) ||
		    (f->alias && !strncmp(f->alias, name, n) && !f->alias[n]) ||
		    (holds && mbim_has_member(f->of, name, n)))
			return true;
	}
	return false;
}

void mbim_member_words(const struct mbim_field *f, const char *member, decoder_name_fn *fn,
		       void *arg)
{
	for (; f && f->kind != MBIM_END; f++) {
		if (f->kind != MBIM_CODE && f->kind != MBIM_BITS)
			mbim_member_words(f->of, member, fn, arg);
		else if (f->kind == MBIM_CODE && !strcmp(f->alias, member))
			code_words(f->of, f->names, fn, arg);
	}
}
