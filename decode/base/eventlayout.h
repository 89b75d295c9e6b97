/* SPDX-License-Identifier: MIT */
/*
 * The fields of an event type, prepared once for printing its records in a short loop.
 */
#ifndef TRAWL_DECODE_BASE_EVENTLAYOUT_H
#define TRAWL_DECODE_BASE_EVENTLAYOUT_H

#include "decode/base/decoder.h"

/*
 * How a field's value is shown, if not by its type: by names of an enumeration, or a function.
 */
struct written {
	void (*put)(const struct written *w, const void *record, size_t len, struct out *o);
	/* Returns the traced program's name for the value, or NULL. May be NULL. */
	const char *(*name)(const struct written *w, const void *record, size_t len);
	bool only_name; /* the number has no meaning: JSON has the name, too */
	bool only_negative; /* other numbers are shown by their type */
};

struct shown {
	const struct trawl_field *field;
	const struct shown *fault;     /* if this field is not 0, the value could not be read; or
				        * NULL */
	const struct shown *when;      /* it has a value only if the value of this field has the
					* name `is`; or NULL */
	const char *is;
	const struct written *written; /* how text shows it; NULL: by its type */
	uint8_t op;        /* how its bytes are printed: enum op in eventlayout.c */
	uint8_t element;   /* the same for one element of an array */
	bool ended;        /* a text without a NUL at its end was cut (event_layout_probe()) */
	bool hex;          /* shown in hex, whatever its kind; unsigned */
	bool hidden;       /* a helper field: only with --fields all */
	uint32_t most;     /* longer texts were cut to so many bytes (event_layout_snap()), or 0 */
	uint32_t label_len, json_len;
	const char *label; /* " name=", padded so that it can be copied in steps of 16 bytes */
	const char *json;  /* `,"name":` likewise */
};

struct event_layout {
	const struct trawl_event_type *type;
	size_t name_len;
	size_t room;      /* most bytes of all fields of fixed place as text or JSON */
	bool lacks;       /* a field may have no value */
	bool cuts;        /* a field may be cut */
	bool checked;     /* bounds of each field are checked: the type is unusual or huge */
	uint32_t n;
	struct shown *shown;
	struct trawl_field *fields; /* copies with the sizes of their declared types (ctype.h) */
	char *labels;
	char *arrow; /* label of the field with an arrow (event_layout_arrow()); or NULL */
};

/* Returns NULL only if memory runs out. The type and its strings must stay valid. */
struct event_layout *event_layout_new(const struct trawl_event_type *type);
void event_layout_free(struct event_layout *l);

/* Returns the field with this name, or NULL. */
struct shown *event_layout_find(const struct event_layout *l, const char *name);
void event_layout_hide(struct event_layout *l, const char *name);

/* Texts of this length were cut by the recorder (-s): "..." follows them. */
void event_layout_snap(struct event_layout *l, uint32_t most);

/* For events of user probes: their strings end with a NUL unless they were cut. */
void event_layout_probe(struct event_layout *l);

/* Append all fields, without hidden ones unless `all`: `a=1 b="x"`, or JSON `"a":1,"b":"x"`. */
void event_layout_text(const struct event_layout *l, const void *record, size_t len, bool all,
		       struct out *o);
void event_layout_json(const struct event_layout *l, const void *record, size_t len, bool all,
		       struct out *o);

/* Text will have an arrow, " ==> ", before the field. */
void event_layout_arrow(struct event_layout *l, struct shown *s);
/* Unsigned numbers of the field will be shown in hex. */
void event_layout_hex(struct shown *s);

/* Prefix of a helper field: FAULT_PREFIX NAME is not 0 if the field NAME could not be read. */
#define FAULT_PREFIX "__fault_"

/* Returns why the field has no value in this record: "fault", or its note; NULL: it has one. */
const char *shown_why(const struct shown *s, const void *record, size_t len);

/*
 * Whether the field belongs to another alternative (of a union, an enum) than this record has. Text
 * leaves it out.
 */
bool shown_absent(const struct shown *s, const void *record, size_t len);

/* Whether the text of the field was cut in this record. */
bool shown_cut(const struct shown *s, const void *record, size_t len);

/* Append the value of one field without its name. plain: by its type, ignoring `written`. */
void shown_plain_text(const struct shown *s, const void *record, size_t len, struct out *o);
void shown_text(const struct shown *s, const void *record, size_t len, struct out *o);
void shown_json(const struct shown *s, const void *record, size_t len, struct out *o);
/* Appends one element of a field, whose bytes are at p. */
void shown_element(const struct shown *s, const void *p, bool json, struct out *o);
bool shown_is_array(const struct shown *s);
/* Gets the value of a field; for an array, its bytes. */
void shown_value(const struct shown *s, const void *record, size_t len, struct value *v);
/* Gets the nth element of an array, from 0. Returns false if it is no array, or too short. */
bool shown_nth_value(const struct shown *s, const void *record, size_t len, size_t nth,
		     struct value *v);
void shown_element_value(const struct shown *s, const void *p, struct value *v);

/* Finds the bytes of a field in a record. Returns false if they are not inside it. */
bool field_bytes(const struct trawl_field *f, const void *record, size_t len, const uint8_t **p,
		 size_t *n);

/* Load an integer of up to 8 bytes, little endian, extended by sign or zeros. */
static inline uint64_t load_uint(const void *p, size_t size)
{
	uint64_t v = 0;

	switch (size) {
	case 1:
		return *(const uint8_t *)p;
	case 2:
		memcpy(&v, p, 2);
		return v;
	case 4:
		memcpy(&v, p, 4);
		return v;
	case 8:
		memcpy(&v, p, 8);
		return v;
	default:
		memcpy(&v, p, size < 8 ? size : 8);
		return v;
	}
}

static inline int64_t load_int(const void *p, size_t size)
{
	unsigned int shift = size < 8 ? 64 - 8 * (unsigned int)size : 0;

	return size ? (int64_t)(load_uint(p, size) << shift) >> shift : 0;
}

#endif
