/* SPDX-License-Identifier: MIT */
/*
 * The fields of an event type, prepared once so that printing a record is one short loop.
 */
#ifndef TRAWL_DECODE_BASE_LAYOUT_H
#define TRAWL_DECODE_BASE_LAYOUT_H

#include "decode/base/decoder.h"

/*
 * How a field's value is shown where its type does not tell: names of an enumeration, a function.
 */
struct written {
	void (*put)(const struct written *w, const void *record, size_t len, struct out *o);
	/* The name that the program has for the value; NULL: none. The function may be NULL. */
	const char *(*name)(const struct written *w, const void *record, size_t len);
	bool only_name; /* the number has no meaning: JSON has the name too */
};

struct shown {
	const struct trawl_field *field;
	const struct shown *fault;     /* not 0: this one could not be read, and has no value; or
				        * NULL */
	const struct shown *when;      /* it has a value only where the value of this field, one */
	const char *is;                /* with names, has this name; or NULL */
	const struct written *written; /* how text shows it; NULL: by its type */
	uint8_t op;        /* what to do with its bytes; layout.c */
	uint8_t element;   /* the same for one element of an array */
	bool ended;        /* a text that ends without a NUL was cut (layout_probe()) */
	bool hex;          /* an unsigned number that is shown in hex nevertheless */
	bool hidden;       /* a helper field: only with --fields all */
	uint32_t most;     /* bytes that a text was cut to (layout_snap()); 0: none was */
	uint32_t label_len, json_len;
	const char *label; /* " name=" with room to copy in steps of 16 bytes */
	const char *json;  /* `,"name":` likewise */
};

struct layout {
	const struct trawl_event_type *type;
	size_t name_len;
	size_t room;      /* enough for the fields of fixed place as text or JSON */
	bool lacks;       /* a field may be without a value */
	bool cuts;        /* a field may be cut */
	bool checked;     /* every field is looked at with care: an odd type, or a huge one */
	uint32_t n;
	struct shown *shown;
	struct trawl_field *fields; /* as their declared types have them */
	char *labels;
	char *arrow; /* the label of the field with the arrow; or NULL */
};

/* Fails (NULL) only when memory runs out. Keeps pointers to the type and its strings. */
struct layout *layout_new(const struct trawl_event_type *type);
void layout_free(struct layout *l);

/* The field of that name, or NULL. */
struct shown *layout_find(const struct layout *l, const char *name);
void layout_hide(struct layout *l, const char *name);

/* The capture kept no more than these bytes of a text (-s): "..." stands after what was cut. */
void layout_snap(struct layout *l, uint32_t most);

/* The event is a probe's: its strings end with a NUL, unless they were cut. */
void layout_probe(struct layout *l);

/* All fields that are not hidden (or all): text `a=1 b="x"`, JSON `"a":1,"b":"x"`. */
void layout_text(const struct layout *l, const void *record, size_t len, bool all, struct out *o);
void layout_json(const struct layout *l, const void *record, size_t len, bool all, struct out *o);

/* In text an arrow stands before the field, " ==> ". */
void layout_arrow(struct layout *l, struct shown *s);
/* Numbers of the field are shown in hex; of one that is signed or none they stay as they are. */
void layout_hex(struct shown *s);

/* The name of the field that tells that the field NAME could not be read: its number is not 0
 * then. */
#define LAYOUT_FAULT "__fault_"

/* Why the field has no value in this record: "fault", or what its note says; NULL: it has one. */
const char *shown_why(const struct shown *s, const void *record, size_t len);

/* Is it of another alternative than the value in this record? Text leaves it out. */
bool shown_absent(const struct shown *s, const void *record, size_t len);

/* Whether the text of the field was cut in this record: what is whole ends in a NUL. */
bool shown_cut(const struct shown *s, const void *record, size_t len);

/* The value of one field, without its name; plain: by its type, even if it is written otherwise. */
void shown_plain_text(const struct shown *s, const void *record, size_t len, struct out *o);
void shown_text(const struct shown *s, const void *record, size_t len, struct out *o);
void shown_json(const struct shown *s, const void *record, size_t len, struct out *o);
/* One element of the kind of this field, at p. */
void shown_element(const struct shown *s, const void *p, bool json, struct out *o);
bool shown_is_array(const struct shown *s);
/* The same for programs; of an array the bytes. */
void shown_value(const struct shown *s, const void *record, size_t len, struct value *v);
/* The nth element of an array, from 0; false: it is none, or has not so many. */
bool shown_nth_value(const struct shown *s, const void *record, size_t len, size_t nth,
		     struct value *v);
void shown_element_value(const struct shown *s, const void *p, struct value *v);

/* The bytes of a field in a record: false if they are not inside it. */
bool field_bytes(const struct trawl_field *f, const void *record, size_t len, const uint8_t **p,
		 size_t *n);

/* An integer of 1, 2, 4 or 8 bytes (or up to 8), little endian, extended by sign or zeros. */
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
