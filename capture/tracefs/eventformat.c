/* SPDX-License-Identifier: MIT */
#include "config.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "capture/tracefs/eventformat.h"
#include "common/array.h"
#include "common/numbersize.h"
#include "common/text.h"

/* A piece of the text. */
struct piece {
	const char *at;
	size_t len;
};

/* A parsed line "field:...". */
struct line {
	struct piece type, name;
	bool array;             /* NAME[...] or TYPE[] */
	unsigned long elements; /* N of NAME[N]; 0 if it is no decimal number */
	unsigned long offset, size;
	bool is_signed;
};

static bool is_blank(char c)
{
	return c == ' ' || c == '\t';
}

static struct piece trim(const char *at, const char *end)
{
	while (at < end && is_blank(*at))
		at++;
	while (end > at && is_blank(end[-1]))
		end--;
	return (struct piece){ at, (size_t)(end - at) };
}

static bool piece_is(struct piece p, const char *s)
{
	return p.len == strlen(s) && !memcmp(p.at, s, p.len);
}

static bool piece_ends(struct piece p, const char *s)
{
	size_t len = strlen(s);

	return p.len >= len && !memcmp(p.at + p.len - len, s, len);
}

static bool piece_has(struct piece p, const char *s)
{
	return memmem(p.at, p.len, s, strlen(s)) != NULL;
}

static char *piece_dup(struct piece p)
{
	return strndup(p.at, p.len);
}

/* Parses a decimal number of at most 65535. Returns false if the piece is none. */
static bool piece_number(struct piece p, unsigned long *value)
{
	*value = 0;
	for (size_t i = 0; i < p.len; i++) {
		if (p.at[i] < '0' || p.at[i] > '9' || *value > 65535)
			return false;
		*value = *value * 10 + (unsigned long)(p.at[i] - '0');
	}
	return p.len && *value <= 65535;
}

/* Parses the number after "KEY:" in [at, end). Returns false if there is none. */
static bool keyed_number(const char *at, const char *end, const char *key, unsigned long *value)
{
	const char *found = memmem(at, (size_t)(end - at), key, strlen(key)), *semi;

	if (!found)
		return false;
	found += strlen(key);
	semi = memchr(found, ';', (size_t)(end - found));
	return semi && piece_number(trim(found, semi), value);
}

/* Splits "TYPE NAME" or "TYPE NAME[N]": the name is the last word before any brackets. */
static bool split_declaration(struct piece decl, struct line *l)
{
	const char *end = decl.at + decl.len, *name_end = end, *name;

	if (end > decl.at && end[-1] == ']') {
		const char *open = memrchr(decl.at, '[', decl.len);

		if (!open)
			return false;
		l->array = true;
		if (!piece_number(trim(open + 1, end - 1), &l->elements))
			l->elements = 0;
		name_end = open;
	}
	for (name = name_end; name > decl.at && is_word(name[-1]); name--)
		;
	l->name = (struct piece){ name, (size_t)(name_end - name) };
	l->type = trim(decl.at, name);
	if (piece_ends(l->type, "[]"))
		l->array = true;
	return l->name.len && l->type.len;
}

/* Parses one line. Returns false if it is no valid field line. */
static bool parse_line(const char *at, const char *end, struct line *l)
{
	const char *semi;
	unsigned long is_signed = 0;
	struct piece p = trim(at, end);

	*l = (struct line){ 0 };
	if (p.len < 6 || memcmp(p.at, "field:", 6))
		return false;
	semi = memchr(p.at, ';', p.len);
	if (!semi || !split_declaration(trim(p.at + 6, semi), l))
		return false;
	keyed_number(semi, end, "signed:", &is_signed);
	l->is_signed = is_signed;
	return keyed_number(semi, end, "offset:", &l->offset) &&
	       keyed_number(semi, end, "size:", &l->size);
}

/* Returns the size in bytes of an element of a type, by its name; 0 if not known. */
static unsigned int element_size(struct piece type)
{
	static const struct {
		const char *name;
		unsigned int size;
	} sizes[] = {
		{ "char", 1 }, { "u8", 1 }, { "s8", 1 }, { "x8", 1 }, { "uint8_t", 1 },
		{ "bool", 1 }, { "unsigned char", 1 }, { "signed char", 1 },
		{ "u16", 2 }, { "s16", 2 }, { "x16", 2 }, { "uint16_t", 2 }, { "short", 2 },
		{ "unsigned short", 2 }, { "be16", 2 }, { "le16", 2 },
		{ "u32", 4 }, { "s32", 4 }, { "x32", 4 }, { "uint32_t", 4 }, { "int", 4 },
		{ "unsigned int", 4 }, { "unsigned", 4 }, { "pid_t", 4 }, { "int32_t", 4 },
		{ "u64", 8 }, { "s64", 8 }, { "x64", 8 }, { "uint64_t", 8 }, { "long", 8 },
		{ "unsigned long", 8 }, { "long long", 8 }, { "unsigned long long", 8 },
		{ "int64_t", 8 }, { "size_t", 8 }, { "cpumask_t", 8 }, { "cpumask_t *", 8 },
	};
	/* Kernel types like __u8 and __le32 are these with underscores before them. */
	while (type.len && *type.at == '_')
		type.at++, type.len--;
	if (type.len > 6 && !memcmp(type.at, "const ", 6))
		type.at += 6, type.len -= 6;
	for (size_t i = 0; i < ARRAY_SIZE(sizes); i++) {
		if (piece_is(type, sizes[i].name))
			return sizes[i].size;
	}
	return piece_ends(type, "*") ? 8 : 0;
}

static bool is_text_type(struct piece type)
{
	return piece_is(type, "char") || piece_is(type, "const char") ||
	       piece_is(type, "unsigned char");
}

static bool is_pid(struct piece type, struct piece name, unsigned int size)
{
	if (size != 4)
		return false;
	return piece_is(type, "pid_t") || piece_is(name, "pid") || piece_is(name, "tid") ||
	       piece_is(name, "tgid") || piece_ends(name, "_pid") || piece_ends(name, "_tid");
}

static bool is_address(struct piece type, struct piece name, unsigned int size)
{
	static const char *const names[] = {
		"ip", "addr", "address", "func", "function", "caller", "call_site", "callsite",
		"ptr", "parent_ip", "ret_ip", "caller_ip", "__probe_ip", "__probe_func",
		"__probe_ret_ip",
	};

	if (size != 8)
		return false;
	if (piece_ends(type, "*"))
		return true;
	for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
		if (piece_is(name, names[i]))
			return true;
	}
	return false;
}

/* Returns the kind of a number, by its type and name. */
static enum trawl_kind number_kind(const struct line *l, struct piece type, unsigned int size)
{
	if (piece_is(type, "bool") && size == 1)
		return TRAWL_BOOL;
	if (is_pid(type, l->name, size))
		return TRAWL_PID;
	if (is_address(type, l->name, size))
		return TRAWL_ADDR;
	if (l->is_signed)
		return TRAWL_INT;
	if (type.len > 5 && !memcmp(type.at, "enum ", 5))
		return TRAWL_ENUM;
	if (piece_is(type, "gfp_t") || piece_is(type, "vm_flags_t") ||
	    piece_is(type, "cpumask_t") || piece_has(l->name, "flags") ||
	    piece_ends(l->name, "mask"))
		return TRAWL_HEX;
	return TRAWL_UINT;
}

/*
 * Sets kind and size of the elements of a dynamic or open-ended array, from its type without "[]".
 */
static void describe_elements(const struct line *l, struct piece type, bool bytes_are_text,
			      struct trawl_field *f)
{
	unsigned int size;

	if (piece_ends(type, "[]"))
		type = trim(type.at, type.at + type.len - 2);
	if (bytes_are_text && piece_is(type, "char")) {
		f->kind = TRAWL_TEXT;
		f->size = 1;
		return;
	}
	size = element_size(type);
	f->size = (uint16_t)(size > 1 ? size : 1);
	f->kind = (uint8_t)(size > 1 ? number_kind(l, type, size) : TRAWL_BYTES);
	/*
	 * Arrays of longs are bitmasks and CPU masks, not counts. The "signed" of a synthetic
	 * event's array is not that of its elements.
	 */
	if (piece_is(type, "unsigned long") && (f->kind == TRAWL_UINT || f->kind == TRAWL_INT))
		f->kind = TRAWL_HEX;
}

static void describe_fixed(const struct line *l, struct trawl_field *f)
{
	struct piece type = l->type;
	unsigned long size = l->size;

	if (piece_ends(type, "[]"))
		type = trim(type.at, type.at + type.len - 2);
	if (l->array && is_text_type(type) && piece_has(type, "char") && type.at[0] != 'u') {
		f->kind = TRAWL_TEXT;
		f->size = 1;
		f->count = (uint16_t)size;
		return;
	}
	if (l->array)
		size = l->elements && !(l->size % l->elements) ? l->size / l->elements :
			element_size(type);
	if (is_number_size(size) && !(l->size % size) && !(l->array && size == 1)) {
		f->kind = (uint8_t)number_kind(l, type, (unsigned int)size);
		f->size = (uint16_t)size;
		f->count = (uint16_t)(l->size / size);
		return;
	}
	/* Structs, byte arrays, and types whose size is not that of a number. */
	f->kind = TRAWL_BYTES;
	f->size = 1;
	f->count = (uint16_t)l->size;
}

/* Fills *field from a line. Returns false if the field has no bytes in a record. */
static bool describe(const struct line *l, struct trawl_field *field)
{
	static const char data_loc[] = "__data_loc ", rel_loc[] = "__rel_loc ";
	struct piece type = l->type;

	field->offset = (uint16_t)l->offset;
	field->count = 1;
	if (type.len >= sizeof(data_loc) && !memcmp(type.at, data_loc, sizeof(data_loc) - 1)) {
		field->place = TRAWL_DATA_LOC;
		type = trim(type.at + sizeof(data_loc) - 1, type.at + type.len);
	} else if (type.len >= sizeof(rel_loc) && !memcmp(type.at, rel_loc, sizeof(rel_loc) - 1)) {
		field->place = TRAWL_REL_LOC;
		type = trim(type.at + sizeof(rel_loc) - 1, type.at + type.len);
	}
	if (field->place != TRAWL_FIXED) {
		describe_elements(l, type, true, field);
		/* In synthetic events the __data_loc word is the first half of 8 bytes. */
		return l->size == 4 || (l->size == 8 && piece_ends(type, "[]"));
	}
	if (l->array && !l->size) {
		field->place = TRAWL_TAIL;
		describe_elements(l, type, true, field);
		return true;
	}
	describe_fixed(l, field);
	return l->size != 0;
}

static void free_fields(struct trawl_field *fields, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++) {
		free((char *)fields[i].name);
		free((char *)fields[i].ctype);
	}
	free(fields);
}

void eventformat_free(struct eventformat *f)
{
	free_fields(f->fields, f->nfields);
	free_fields(f->common, f->ncommon);
	free(f->name);
	free(f->text);
	*f = (struct eventformat){ 0 };
}

/*
 * Adds a field to one of the two lists. Returns 0, or -1 without memory. Only common_* before the
 * empty line are common fields: a probe may have an argument "common_pid_2".
 */
static int add_one(struct eventformat *f, const struct line *l, bool head)
{
	struct trawl_field field = { .note = "" };
	bool common = head && l->name.len > 7 && !memcmp(l->name.at, "common_", 7);
	struct trawl_field **list = common ? &f->common : &f->fields;
	uint32_t *n = common ? &f->ncommon : &f->nfields;
	uint32_t end = (uint32_t)(l->offset + l->size);

	if (end > f->size)
		f->size = end;
	if ((common && piece_is(l->name, "common_type")) || !describe(l, &field))
		return 0;
	if (!array_grow(*list, *n))
		return -1;
	field.name = piece_dup(l->name);
	field.ctype = piece_dup(l->type);
	(*list)[(*n)++] = field;
	return field.name && field.ctype ? 0 : -1;
}

/* Returns N of "__data_loc char[][N]", which a probe argument string[N] has; 0 for other fields. */
static unsigned long strings_in(const struct line *l)
{
	static const char strings[] = "__data_loc char[][";
	const size_t head = sizeof(strings) - 1;
	unsigned long n;

	if (l->type.len <= head || memcmp(l->type.at, strings, head) || !piece_ends(l->type, "]") ||
	    !piece_number((struct piece){ l->type.at + head, l->type.len - head - 1 }, &n))
		return 0;
	return n && l->size == n * 4 ? n : 0;
}

/* Adds the field of a line; of an array of strings, each as a field: NAME[0], NAME[1], ... */
static int add_field(struct eventformat *f, const struct line *l, bool head)
{
	static const char string[] = "__data_loc char[]";
	unsigned long n = strings_in(l);
	struct line element = *l;
	char name[128];
	int r = 0;

	if (!n)
		return add_one(f, l, head);
	element.type = (struct piece){ string, sizeof(string) - 1 };
	element.size = 4;
	for (unsigned long i = 0; !r && i < n; i++) {
		snprintf(name, sizeof(name), "%.*s[%lu]", (int)l->name.len, l->name.at, i);
		element.name = (struct piece){ name, strlen(name) };
		element.offset = l->offset + 4 * i;
		r = add_one(f, &element, head);
	}
	return r;
}

/*
 * Drops open-ended arrays whose end is unknown: those that are not the last field, or that are
 * beside fields with dynamic data.
 */
static void drop_odd_tails(struct eventformat *f)
{
	uint32_t kept = 0;
	bool dynamic = false;

	for (uint32_t i = 0; i < f->nfields; i++)
		dynamic |= f->fields[i].place == TRAWL_DATA_LOC ||
			   f->fields[i].place == TRAWL_REL_LOC;
	for (uint32_t i = 0; i < f->nfields; i++) {
		struct trawl_field *field = &f->fields[i];

		if (field->place == TRAWL_TAIL &&
		    (dynamic || i + 1 < f->nfields || field->offset != f->size)) {
			free((char *)field->name);
			free((char *)field->ctype);
			continue;
		}
		f->fields[kept++] = *field;
	}
	f->nfields = kept;
}

static int parse_lines(const char *text, const char *end, struct eventformat *f,
		       struct trawl_error *err)
{
	bool head = true; /* before the empty line */
	const char *next;
	struct line l;

	for (const char *at = text; at < end; at = next) {
		const char *eol = memchr(at, '\n', (size_t)(end - at));
		unsigned long id;

		next = eol ? eol + 1 : end;
		if (!eol)
			eol = end;
		if (eol - at > 6 && !memcmp(at, "name: ", 6) && !f->name) {
			f->name = piece_dup(trim(at + 6, eol));
			if (!f->name)
				goto no_memory;
		} else if (eol - at > 4 && !memcmp(at, "ID: ", 4) &&
			   piece_number(trim(at + 4, eol), &id)) {
			f->id = (uint32_t)id;
		} else if (eol - at > 10 && !memcmp(at, "print fmt:", 10)) {
			break;
		} else if (parse_line(at, eol, &l)) {
			if (f->nfields + f->ncommon >= EVENTFORMAT_FIELDS_MAX)
				return trawl_fail(err, TRAWL_CANNOT,
						  "event format of %s: more than %d fields",
						  f->name ? f->name : "?", EVENTFORMAT_FIELDS_MAX);
			if (add_field(f, &l, head))
				goto no_memory;
		} else if (eol == at && f->ncommon) {
			head = false;
		}
	}
	return 0;
no_memory:
	return trawl_fail(err, TRAWL_CANNOT, "event format: out of memory");
}

int eventformat_parse(const char *text, size_t len, struct eventformat *f, struct trawl_error *err)
{
	*f = (struct eventformat){ 0 };
	if (parse_lines(text, text + len, f, err))
		goto fail;
	drop_odd_tails(f);
	if (!f->name || !*f->name || !f->id || !f->ncommon) {
		trawl_fail(err, TRAWL_CANNOT,
			   "event format%s%s: the kernel's text lacks name, ID or common fields",
			   f->name ? " of " : "", f->name ? f->name : "");
		goto fail;
	}
	if (f->size > UINT16_MAX) {
		trawl_fail(err, TRAWL_CANNOT,
			   "event format of %s: records of %u bytes, more than a file can have",
			   f->name, f->size);
		goto fail;
	}
	return 0;
fail:
	eventformat_free(f);
	return -1;
}

void eventformat_drop(struct eventformat *f, struct trawl_field *field)
{
	free((char *)field->name);
	free((char *)field->ctype);
	memmove(field, field + 1, (size_t)(f->fields + --f->nfields - field) * sizeof(*field));
}

struct trawl_field *eventformat_field(const struct eventformat *f, const char *name)
{
	for (uint32_t i = 0; i < f->nfields; i++) {
		if (!strcmp(f->fields[i].name, name))
			return &f->fields[i];
	}
	return NULL;
}
