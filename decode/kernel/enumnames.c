/* SPDX-License-Identifier: MIT */
#include "decode/kernel/enumnames.h"

#include <stdlib.h>
#include <string.h>

#include "decode/base/escape.h"
#include "decode/base/jdoc.h"
#include "decode/base/output.h"

struct value_name {
	uint64_t value;
	const char *name;
};

/* The names for one argument's values. */
struct named_field {
	/* must be the first member: a struct written is cast to the named_field that contains it */
	struct written written;
	const struct shown *shown;
	size_t n;
	struct value_name *names; /* in the order of the metadata */
	const char *otherwise;    /* name of all other values; "" for none */
	size_t size;              /* bytes of the field that hold the value; 0: all */
};

struct enum_names {
	size_t n;
	struct named_field fields[];
};

static uint64_t low_bytes(uint64_t v, size_t size)
{
	return size < 8 ? v & ((1ull << 8 * size) - 1) : v;
}

static const char *name_of(const struct named_field *f, uint64_t value, size_t size)
{
	for (size_t i = 0; i < f->n; i++)
		if (low_bytes(f->names[i].value, size) == value)
			return f->names[i].name;
	return f->otherwise;
}

static const char *name_in(const struct written *w, const void *record, size_t len)
{
	const struct named_field *f = (const struct named_field *)w;
	const uint8_t *bytes;
	const char *name = "";
	size_t n;

	if (field_bytes(f->shown->field, record, len, &bytes, &n) && n <= 8) {
		n = f->size && f->size < n ? f->size : n;
		name = name_of(f, load_uint(bytes, n), n);
	}
	return *name ? name : NULL;
}

static void put(const struct written *w, const void *record, size_t len, struct out *o)
{
	const struct named_field *f = (const struct named_field *)w;
	const char *name = shown_why(f->shown, record, len) ? NULL : name_in(w, record, len);

	if (name)
		out_safe(o, name, strlen(name));
	else
		shown_plain_text(f->shown, record, len, o);
}

static bool is_number(const struct trawl_field *f)
{
	return f->place == TRAWL_FIXED && f->count == 1 && f->size <= 8 && f->kind != TRAWL_NONE &&
	       f->kind != TRAWL_FLOAT;
}

/* Reads the names for one argument. */
static void read_names(struct named_field *f, struct json_object *values)
{
	f->names = calloc((size_t)json_object_object_length(values) + 1, sizeof(*f->names));
	if (!f->names) {
		out_lack_memory();
		return;
	}
	json_object_object_foreach(values, name, value) {
		f->names[f->n].name = name;
		f->names[f->n++].value = json_object_get_int64(value) < 0 ?
					 (uint64_t)json_object_get_int64(value) :
					 json_object_get_uint64(value);
	}
}

struct enum_names *enum_names_new(const struct json_object *args, struct event_layout *l)
{
	size_t count = jdoc_count(args);
	struct enum_names *e = calloc(1, sizeof(*e) + count * sizeof(e->fields[0]));

	if (!e)
		out_lack_memory();
	for (size_t i = 0; e && i < count; i++) {
		struct json_object *arg = json_object_array_get_idx(args, i);
		struct json_object *values = jdoc_get(arg, "values");
		struct shown *shown = event_layout_find(l, jdoc_string(arg, "name"));
		struct named_field *f = &e->fields[e->n];

		if (!json_object_is_type(values, json_type_object) || !shown ||
		    !is_number(shown->field) || shown->written)
			continue;
		read_names(f, values);
		f->shown = shown;
		f->otherwise = jdoc_string(arg, "otherwise");
		f->written.put = put;
		f->written.name = name_in;
		f->written.only_name = !strcmp(jdoc_string(arg, "show"), "variant");
		shown->written = &f->written;
		e->n++;
	}
	if (!e || e->n)
		return e;
	free(e);
	return NULL;
}

void enum_names_narrow(struct enum_names *e, const struct shown *field, size_t size)
{
	for (size_t i = 0; e && i < e->n; i++)
		if (e->fields[i].shown == field)
			e->fields[i].size = size;
}

/* Whether fields depend on each other in a cycle, in which case none of them has a value. */
static bool depends(const struct shown *s, const struct shown *on, size_t most)
{
	while (s && s != on && most--)
		s = s->when;
	return s != NULL;
}

void alternatives_read(const struct json_object *args, struct event_layout *l)
{
	for (size_t i = 0, n = jdoc_count(args); i < n; i++) {
		const struct json_object *arg = json_object_array_get_idx(args, i);
		const struct json_object *when = jdoc_get(arg, "when");
		struct shown *s = event_layout_find(l, jdoc_string(arg, "name"));
		const struct shown *of = event_layout_find(l, jdoc_string(when, "arg"));

		if (!when || !s || !of || depends(of, s, l->n))
			continue;
		s->when = of;
		s->is = jdoc_string(when, "is");
		l->lacks = true;
	}
}

void enum_names_free(struct enum_names *e)
{
	for (size_t i = 0; e && i < e->n; i++)
		free(e->fields[i].names);
	free(e);
}
