/* SPDX-License-Identifier: MIT */
#include "decode/base/eventlayout.h"
#include "common/numbersize.h"
#include "decode/base/escape.h"
#include "decode/base/number.h"

#include <stdlib.h>

#include "decode/base/ctype.h"
#include "decode/base/output.h"

/* Ops of scalars of fixed place come first: their room is reserved, so it is not checked. */
enum op {
	OP_U1, OP_U2, OP_U4, OP_U8,
	OP_S1, OP_S2, OP_S4, OP_S8,
	OP_X1, OP_X2, OP_X4, OP_X8,
	OP_BOOL,
	OP_TEXT,    /* a short text of fixed place */
	OP_NUMBERS, /* a short array of integers of fixed place */
	OP_FIXED, /* smaller ops use the reserved room */
	OP_CHECKED = OP_FIXED, /* a scalar that may be outside of the record */
	OP_CHAR,
	OP_FLOAT,
	OP_BYTES,
	OP_ARRAY,
	OP_LOC_TEXT,
	OP_NONE,
};

#define SHORT_TEXT 64 /* most bytes of a text for OP_TEXT */
#define SHORT_ARRAY 16 /* most elements of an array for OP_NUMBERS */
#define ROOM_MAX (32 * 1024)

bool field_bytes(const struct trawl_field *f, const void *record, size_t len, const uint8_t **p,
		 size_t *n)
{
	const uint8_t *r = record;
	size_t offset = f->offset, size = (size_t)f->size * f->count;
	uint32_t loc;

	if (f->place == TRAWL_TAIL) {
		size = offset <= len ? len - offset : 0;
	} else if (f->place != TRAWL_FIXED) {
		if (offset + 4 > len)
			return false;
		memcpy(&loc, r + offset, 4);
		size = trawl_loc_len(loc);
		offset = trawl_loc_offset(loc) + (f->place == TRAWL_REL_LOC ? offset + 4 : 0);
	}
	if (offset > len || size > len - offset)
		return false;
	*p = r + offset;
	*n = size;
	return true;
}

/* ---- preparation -------------------------------------------------------------------------- */

static int size_log(size_t size)
{
	return size == 1 ? 0 : size == 2 ? 1 : size == 4 ? 2 : 3;
}

static enum op scalar_op(const struct trawl_field *f)
{
	switch (f->kind) {
	case TRAWL_INT:
	case TRAWL_PID:
		return OP_S1 + size_log(f->size);
	case TRAWL_HEX:
	case TRAWL_ADDR:
		return OP_X1 + size_log(f->size);
	case TRAWL_BOOL:
		return OP_BOOL;
	case TRAWL_CHAR:
		return OP_CHAR;
	case TRAWL_FLOAT:
		return OP_FLOAT;
	default:
		return OP_U1 + size_log(f->size);
	}
}

static enum op choose_op(const struct trawl_field *f, uint32_t fixed)
{
	bool inside = f->place == TRAWL_FIXED && f->offset + (size_t)f->size * f->count <= fixed;

	if (f->kind == TRAWL_NONE)
		return OP_NONE;
	if (f->kind == TRAWL_TEXT)
		return inside && f->size == 1 && f->count <= SHORT_TEXT ? OP_TEXT : OP_LOC_TEXT;
	if (f->kind == TRAWL_BYTES || !is_number_size(f->size))
		return OP_BYTES;
	if (f->place != TRAWL_FIXED || f->count != 1)
		return inside && f->count <= SHORT_ARRAY && scalar_op(f) < OP_BOOL ? OP_NUMBERS :
										      OP_ARRAY;
	return inside ? scalar_op(f) : OP_CHECKED;
}

static size_t pad16(size_t n)
{
	return (n + 15) & ~(size_t)15;
}

static size_t label_room(const struct trawl_field *f)
{
	return pad16(strlen(f->name) * 4 + 18) + pad16(strlen(f->name) * 6 + 4);
}

/* Copies a label in steps of 16 bytes; both sides are padded. */
static char *put_label(char *p, const char *label, size_t n)
{
	size_t i;

	for (i = 0; i < n; i += 16)
		memcpy(p + i, label + i, 16);
	return p + n;
}

static char *prepare_label(struct shown *s, char *at)
{
	size_t n = strlen(s->field->name);
	char *end;
	struct out o;

	s->label = at;
	at[0] = ' ';
	end = put_safe(at + 1, s->field->name, n, 0);
	*end = '=';
	s->label_len = (uint32_t)(end + 1 - at);
	at += pad16(n * 4 + 18);

	out_memory(&o);
	out_char(&o, ',');
	out_json(&o, s->field->name, n);
	out_char(&o, ':');
	s->json = at;
	s->json_len = (uint32_t)o.len;
	memcpy(at, o.data, o.len);
	at += pad16(n * 6 + 4);
	out_free(&o);
	return at;
}

/* Returns the field of a name without "[N]" after it. */
static struct shown *find_part(const struct event_layout *l, const char *name, uint32_t from)
{
	size_t n = strlen(name);

	for (uint32_t i = from; i < l->n; i++) {
		const char *have = l->shown[i].field->name;

		if (!strncmp(have, name, n) && (!have[n] || have[n] == '['))
			return &l->shown[i];
	}
	return NULL;
}

/* Hides the fields that say whether others could be read, and links them to these. */
static void find_faults(struct event_layout *l)
{
	size_t n = strlen(FAULT_PREFIX);

	for (uint32_t i = 0; i < l->n; i++) {
		struct shown *fault = &l->shown[i], *s;

		if (strncmp(fault->field->name, FAULT_PREFIX, n) || fault->op > OP_X8)
			continue;
		for (uint32_t from = 0; (s = find_part(l, fault->field->name + n, from));
		     from = (uint32_t)(s - l->shown) + 1) {
			s->fault = fault;
			fault->hidden = true;
			l->lacks = true;
		}
	}
}

struct event_layout *event_layout_new(const struct trawl_event_type *type)
{
	struct event_layout *l = calloc(1, sizeof(*l));
	size_t labels = 0;
	uint32_t i;
	char *at;

	if (!l)
		return NULL;
	for (i = 0; i < type->nfields; i++)
		labels += label_room(&type->fields[i]);
	l->type = type;
	l->name_len = strlen(type->name);
	l->n = type->nfields;
	l->room = labels + 64;
	l->shown = calloc(l->n + 1, sizeof(*l->shown));
	l->fields = calloc(l->n + 1, sizeof(*l->fields));
	l->labels = at = calloc(1, labels + 16);
	if (!l->shown || !l->fields || !l->labels) {
		event_layout_free(l);
		return NULL;
	}
	for (i = 0; i < l->n; i++) {
		struct trawl_field *f = &l->fields[i];
		struct shown *s = &l->shown[i];

		*f = ctype_field(type, &type->fields[i]);
		s->field = f;
		s->op = (uint8_t)choose_op(f, type->size);
		s->element = (uint8_t)scalar_op(f);
		l->lacks |= s->op == OP_NONE || s->op == OP_LOC_TEXT;
		at = prepare_label(s, at);
		l->room += 24 + (s->op == OP_TEXT ? 6 * (size_t)f->count + 16 :
				 s->op == OP_NUMBERS ? 22 * (size_t)f->count : 0);
	}
	l->checked = l->room > ROOM_MAX;
	find_faults(l);
	return l;
}

void event_layout_free(struct event_layout *l)
{
	if (!l)
		return;
	free(l->shown);
	free(l->fields);
	free(l->labels);
	free(l->arrow);
	free(l);
}

void event_layout_arrow(struct event_layout *l, struct shown *s)
{
	static const char arrow[] = " ==>";
	size_t n = sizeof(arrow) - 1;

	if (l->arrow || s->label == l->labels) /* no arrow before the first field */
		return;
	l->arrow = calloc(1, pad16(n + s->label_len));
	if (!l->arrow) {
		out_lack_memory();
		return;
	}
	memcpy(l->arrow, arrow, n);
	memcpy(l->arrow + n, s->label, s->label_len);
	s->label = l->arrow;
	s->label_len += (uint32_t)n;
	l->room += 32;
}

void event_layout_hex(struct shown *s)
{
	if (s->op <= OP_U8) /* from OP_U1, the first op, on */
		s->op = (uint8_t)(s->op - OP_U1 + OP_X1);
	if (s->element <= OP_U8)
		s->element = (uint8_t)(s->element - OP_U1 + OP_X1);
	s->hex = s->field->kind == TRAWL_UINT;
}

struct shown *event_layout_find(const struct event_layout *l, const char *name)
{
	uint32_t i;

	for (i = 0; i < l->n; i++)
		if (!strcmp(l->shown[i].field->name, name))
			return &l->shown[i];
	return NULL;
}

void event_layout_hide(struct event_layout *l, const char *name)
{
	uint32_t i;

	for (i = 0; i < l->n; i++)
		if (!strcmp(l->shown[i].field->name, name))
			l->shown[i].hidden = true;
}

void event_layout_snap(struct event_layout *l, uint32_t most)
{
	for (struct shown *s = l->shown; s < l->shown + l->n; s++) {
		if (s->op != OP_LOC_TEXT || s->field->place == TRAWL_FIXED)
			continue;
		s->most = most;
		l->cuts |= most > 0;
	}
}

void event_layout_probe(struct event_layout *l)
{
	for (struct shown *s = l->shown; s < l->shown + l->n; s++) {
		if (s->op != OP_LOC_TEXT || s->field->place != TRAWL_DATA_LOC)
			continue;
		s->ended = true;
		l->cuts = true;
	}
}

/* ---- scalars ------------------------------------------------------------------------------ */

/* Writes an integer by its op. */
static inline char *put_integer(char *p, enum op op, const uint8_t *at, bool json)
{
	switch (op) {
	case OP_U1:
		return put_u64(p, at[0]);
	case OP_U2:
		return put_u64(p, load_uint(at, 2));
	case OP_U4:
		return put_u64(p, load_uint(at, 4));
	case OP_U8:
		return put_u64(p, load_uint(at, 8));
	case OP_S1:
		return put_s64(p, load_int(at, 1));
	case OP_S2:
		return put_s64(p, load_int(at, 2));
	case OP_S4:
		return put_s64(p, load_int(at, 4));
	case OP_S8:
		return put_s64(p, load_int(at, 8));
	default: {
		uint64_t v = load_uint(at, (size_t)1 << (op - OP_X1));

		return json ? put_u64(p, v) : put_hex(p, v);
	}
	}
}

static char *put_bool(char *p, const struct trawl_field *f, const uint8_t *at)
{
	if (load_uint(at, f->size)) {
		memcpy(p, "true", 4);
		return p + 4;
	}
	memcpy(p, "false", 5);
	return p + 5;
}

static size_t text_len(const uint8_t *p, size_t n)
{
	const uint8_t *nul = memchr(p, 0, n);

	return nul ? (size_t)(nul - p) : n;
}

/* Writes a byte that is not ASCII as its escape, as the text output and --where do. */
static void out_json_char(struct out *o, const uint8_t *at)
{
	char text[20];

	if (*at < 0x80)
		out_json(o, at, 1);
	else
		out_json(o, text, (size_t)(put_safe(text, at, 1, 0) - text));
}

static void out_scalar(const struct shown *s, const uint8_t *at, bool json, struct out *o)
{
	const struct trawl_field *f = s->field;
	enum op op = s->element;
	double d = 0;
	float f4;

	if (op == OP_CHAR) {
		if (json) {
			out_json_char(o, at);
		} else {
			out_char(o, '\'');
			out_used(o, put_safe(out_need(o, 8), at, 1, '\''));
			out_char(o, '\'');
		}
	} else if (op == OP_FLOAT) {
		memcpy(&d, at, f->size == 8 ? 8 : 0);
		if (f->size == 4) {
			memcpy(&f4, at, 4);
			d = (double)f4;
		}
		(json ? out_json_double : out_double)(o, d);
	} else if (op == OP_BOOL) {
		out_used(o, put_bool(out_need(o, 8), f, at));
	} else {
		out_used(o, put_integer(out_need(o, 24), op, at, json));
	}
}

/* ---- other fields ------------------------------------------------------------------------- */

static void out_array(const struct shown *s, const uint8_t *p, size_t n, bool json, struct out *o)
{
	size_t size = s->field->size, i;

	out_char(o, json ? '[' : '{');
	for (i = 0; size && i + size <= n; i += size) {
		if (i)
			out_char(o, ',');
		out_scalar(s, p + i, json, o);
	}
	out_char(o, json ? ']' : '}');
}

/* A probe's string without bytes, not even a NUL, could not be read from the traced task. */
static bool faulted(const struct trawl_field *f, size_t n)
{
	return n == 0 && (f->place == TRAWL_DATA_LOC || f->place == TRAWL_REL_LOC);
}

/* A string whose pointer was NULL is recorded as two NULs. */
static bool is_null_text(const struct shown *s, const uint8_t *p, size_t n)
{
	return s->ended && n == 2 && !p[0] && !p[1];
}

/* Recurses along `when`, which has no cycles: site.c. */
bool shown_absent(const struct shown *s, const void *record, size_t len)
{
	const struct written *w;
	const char *name;

	if (!s->when)
		return false;
	w = s->when->written;
	name = w && w->name ? w->name(w, record, len) : NULL;
	return !name || strcmp(name, s->is) || shown_absent(s->when, record, len);
}

/* Returns why the recorder has no value: unreadable memory, or another alternative; or NULL. */
static const char *fault_of(const struct shown *s, const void *record, size_t len)
{
	const uint8_t *p;
	size_t n;
	uint64_t state;

	if (shown_absent(s, record, len))
		return "the value is another of its alternatives";
	if (!s->fault || !field_bytes(s->fault->field, record, len, &p, &n))
		return NULL;
	state = load_uint(p, n);
	if (!state)
		return NULL;
	if (state != 1)
		return "the kernel that recorded it does not record whether it could be read";
	return s->fault->field->note && *s->fault->field->note ? s->fault->field->note : "fault";
}

const char *shown_why(const struct shown *s, const void *record, size_t len)
{
	const char *why = fault_of(s, record, len);
	const uint8_t *p;
	size_t n;

	if (why)
		return why;
	if (s->op == OP_NONE)
		return s->field->note ? s->field->note : "";
	if (s->op == OP_LOC_TEXT && field_bytes(s->field, record, len, &p, &n) &&
	    faulted(s->field, n))
		return s->field->note && *s->field->note ? s->field->note : "fault";
	return NULL;
}

static bool is_cut(const struct shown *s, const uint8_t *p, size_t n)
{
	return (s->ended || (s->most && n == s->most)) && n && p[n - 1] != '\0';
}

bool shown_cut(const struct shown *s, const void *record, size_t len)
{
	const uint8_t *p;
	size_t n;

	return (s->most || s->ended) && field_bytes(s->field, record, len, &p, &n) &&
		is_cut(s, p, n);
}

static void out_none(const char *why, bool json, struct out *o)
{
	if (json) {
		out_str(o, "null");
		return;
	}
	out_str(o, "<unavailable");
	if (why && *why) {
		out_str(o, ": ");
		out_safe(o, why, strlen(why));
	}
	out_char(o, '>');
}

static void out_text(const struct shown *s, const uint8_t *p, size_t n, bool json, struct out *o)
{
	bool null = is_null_text(s, p, n);

	if (faulted(s->field, n) && s->field->note && *s->field->note) {
		out_none(s->field->note, json, o);
		return;
	}
	if (null || faulted(s->field, n)) {
		out_str(o, json ? "null" : null ? "NULL" : "(fault)");
		return;
	}
	(json ? out_json : out_quoted)(o, p, text_len(p, n));
	if (!json && is_cut(s, p, n))
		out_str(o, "...");
}

static void out_bytes_field(const uint8_t *p, size_t n, bool json, struct out *o)
{
	if (json)
		out_char(o, '"');
	out_hexbytes(o, p, n);
	if (json)
		out_char(o, '"');
}

static void out_value(const struct shown *s, const void *record, size_t len, bool json,
		      struct out *o)
{
	const char *why = s->fault || s->when ? fault_of(s, record, len) : NULL;
	const uint8_t *p;
	size_t n;

	if (why || s->op == OP_NONE)
		out_none(why ? why : s->field->note, json, o);
	else if (!field_bytes(s->field, record, len, &p, &n))
		out_str(o, json ? "null" : "<damaged>");
	else if (s->op == OP_TEXT || s->op == OP_LOC_TEXT)
		out_text(s, p, n, json, o);
	else if (s->op == OP_BYTES)
		out_bytes_field(p, n, json, o);
	else if (s->op == OP_ARRAY || s->op == OP_NUMBERS)
		out_array(s, p, n, json, o);
	else
		out_scalar(s, p, json, o);
}

void shown_element(const struct shown *s, const void *p, bool json, struct out *o)
{
	out_scalar(s, p, json, o);
}

void shown_plain_text(const struct shown *s, const void *record, size_t len, struct out *o)
{
	out_value(s, record, len, false, o);
}

void shown_text(const struct shown *s, const void *record, size_t len, struct out *o)
{
	if (s->written)
		s->written->put(s->written, record, len, o);
	else
		out_value(s, record, len, false, o);
}

void shown_json(const struct shown *s, const void *record, size_t len, struct out *o)
{
	const char *name = s->written && s->written->only_name && !fault_of(s, record, len) ?
			   s->written->name(s->written, record, len) : NULL;

	if (name)
		out_json(o, name, strlen(name));
	else
		out_value(s, record, len, true, o);
}

void shown_element_value(const struct shown *s, const void *p, struct value *v)
{
	const struct trawl_field *f = s->field;
	float f4;

	memset(v, 0, sizeof(*v));
	if (f->kind == TRAWL_CHAR) {
		v->type = VALUE_TEXT;
		v->text = p;
		v->len = 1;
	} else if (f->kind == TRAWL_FLOAT) {
		v->type = VALUE_FLOAT;
		memcpy(&v->f, p, f->size == 8 ? 8 : 0);
		if (f->size == 4) {
			memcpy(&f4, p, 4);
			v->f = (double)f4;
		}
	} else if (f->kind == TRAWL_INT || f->kind == TRAWL_PID) {
		v->type = VALUE_INT;
		v->i = load_int(p, f->size);
	} else {
		v->type = VALUE_UINT;
		v->u = load_uint(p, f->size);
		v->hex = s->hex || f->kind == TRAWL_HEX || f->kind == TRAWL_ADDR;
	}
}

void shown_value(const struct shown *s, const void *record, size_t len, struct value *v)
{
	const uint8_t *p;
	size_t n;

	memset(v, 0, sizeof(*v));
	if (s->op == OP_NONE || fault_of(s, record, len) ||
	    !field_bytes(s->field, record, len, &p, &n))
		return;
	if (s->op != OP_TEXT && s->op != OP_LOC_TEXT && s->op != OP_BYTES && s->op != OP_ARRAY &&
	    s->op != OP_NUMBERS) {
		shown_element_value(s, p, v);
		return;
	}
	v->text = (const char *)p;
	v->len = n;
	v->type = VALUE_BYTES;
	if (s->op == OP_TEXT || s->op == OP_LOC_TEXT) {
		v->type = faulted(s->field, n) || is_null_text(s, p, n) ? VALUE_NONE : VALUE_TEXT;
		v->len = text_len(p, n);
	}
}

bool shown_is_array(const struct shown *s)
{
	return s->op == OP_ARRAY || s->op == OP_NUMBERS;
}

bool shown_nth_value(const struct shown *s, const void *record, size_t len, size_t nth,
		     struct value *v)
{
	size_t size = s->field->size;
	const uint8_t *p;
	size_t n;

	memset(v, 0, sizeof(*v));
	if (!shown_is_array(s) || !size || fault_of(s, record, len) ||
	    !field_bytes(s->field, record, len, &p, &n) || nth >= n / size)
		return false;
	shown_element_value(s, p + nth * size, v);
	return true;
}

/* ---- whole records ------------------------------------------------------------------------ */

static char *put_numbers(char *p, const struct trawl_field *f, enum op op, const uint8_t *r,
			 bool json)
{
	const uint8_t *end = r + (size_t)f->count * f->size;

	*p++ = json ? '[' : '{';
	if (json && op == OP_X8)
		op = OP_U8;
	for (; op == OP_U8 && r < end; r += 8) { /* a fast path for arguments of system calls */
		p = put_u64(p, load_uint(r, 8));
		*p++ = ',';
	}
	for (; r < end; r += f->size) {
		p = put_integer(p, op, r, json);
		*p++ = ',';
	}
	p -= f->count > 0;
	*p++ = json ? ']' : '}';
	return p;
}

/* Writes a field of fixed place, inside the record, to reserved room. */
static inline char *put_fixed(char *p, const struct shown *s, const uint8_t *r, bool json)
{
	const struct trawl_field *f = s->field;

	r += f->offset;
	if (s->op == OP_TEXT) {
		size_t n = text_len(r, f->count);

		if (json)
			return put_json(p, r, n);
		*p++ = '"';
		p = put_safe(p, r, n, '"');
		*p++ = '"';
		return p;
	}
	if (s->op == OP_NUMBERS)
		return put_numbers(p, f, s->element, r, json);
	return s->op == OP_BOOL ? put_bool(p, f, r) : put_integer(p, s->op, r, json);
}

/* Whether the value, in a field of fixed place of record r, is not printed from its bytes alone. */
static inline bool is_special(const struct shown *s, const uint8_t *r, bool json)
{
	if (!((uintptr_t)s->fault | (uintptr_t)s->when | (uintptr_t)s->written))
		return false;
	if (!s->fault && !s->when && s->written->only_negative)
		return !json && load_int(r + s->field->offset, s->field->size) < 0;
	return s->fault || s->when || !json || s->written->only_name;
}

/*
 * The hot path. Fields of fixed place are written to the reserved room. For any other field,
 * commits what is written so far, and reserves room again after it.
 */
static inline void all_fields(const struct event_layout *l, const uint8_t *r, size_t len, bool all,
			      bool json, struct out *o)
{
	bool checked = l->checked || len < l->type->size;
	size_t room = checked ? 1 : l->room, skip = 1; /* the first has no separator */
	const struct shown *s = l->shown, *end = s + l->n;
	char *p = out_need(o, room);

	for (; s < end; s++) {
		const char *label = (json ? s->json : s->label) + skip;
		size_t label_len = (json ? s->json_len : s->label_len) - skip;

		if (s->hidden && !all)
			continue;
		if (s->op < OP_FIXED && !checked && !is_special(s, r, json)) {
			skip = 0;
			p = put_fixed(put_label(p, label, label_len), s, r, json);
			continue;
		}
		if (!json && shown_absent(s, r, len))
			continue;
		skip = 0;
		out_used(o, p);
		out_bytes(o, label, label_len);
		(json ? shown_json : shown_text)(s, r, len, o);
		p = out_need(o, room);
	}
	out_used(o, p);
}

void event_layout_text(const struct event_layout *l, const void *record, size_t len, bool all,
		       struct out *o)
{
	all_fields(l, record, len, all, false, o);
}

void event_layout_json(const struct event_layout *l, const void *record, size_t len, bool all,
		       struct out *o)
{
	all_fields(l, record, len, all, true, o);
}
