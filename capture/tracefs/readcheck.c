/* SPDX-License-Identifier: MIT */
#include "capture/tracefs/readcheck.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { IDS = 65536, WORD = 4, VALUES_MAX = 128 };

/* Offsets in the record; 0: the value has none. */
struct value {
	uint32_t first, last; /* __data_loc words of the checks */
	uint32_t at, size;    /* the value; for strings, their __data_loc words */
	uint32_t address;
	bool text;
	bool zeroed;
};

struct read_check {
	uint32_t size;  /* bytes of the fixed part of a record */
	uint32_t control, end;
	size_t nwords;
	uint32_t *words; /* words of the control, the checks and the string after them, in the order
			  * of fetching */
	size_t nvalues;
	struct value *values;
};

struct read_checks {
	struct read_check *by_id[IDS];
};

static uint32_t get_word(const uint8_t *record, uint32_t at)
{
	uint32_t v;

	memcpy(&v, record + at, sizeof(v));
	return v;
}

static void put_word(uint8_t *record, uint32_t at, uint32_t v)
{
	memcpy(record + at, &v, sizeof(v));
}

/* ---- preparation -------------------------------------------------------------------------- */

static bool find_word(const struct eventformat *f, const char *name, uint32_t *at)
{
	const struct trawl_field *field = eventformat_field(f, name);

	*at = field ? field->offset : 0;
	return field && field->place == TRAWL_DATA_LOC;
}

static bool find_value(const struct eventformat *f, const struct read_name *name, struct value *v)
{
	const struct trawl_field *field = eventformat_field(f, name->value);
	char element[128];

	if (!field) { /* an array of strings */
		snprintf(element, sizeof(element), "%s[0]", name->value);
		field = eventformat_field(f, element);
	}
	if (!field)
		return false;
	v->at = field->offset;
	v->text = field->place != TRAWL_FIXED;
	v->size = v->text ? WORD : (uint32_t)field->size * field->count;
	v->zeroed = name->zeroed;
	if (name->address) {
		field = eventformat_field(f, name->address);
		v->address = field ? field->offset : 0;
	}
	return field;
}

/* Measures the words of an array of strings, which the format has as one field or as several. */
static void measure_texts(const struct eventformat *f, struct value *v)
{
	uint32_t end = f->size;

	for (uint32_t i = 0; i < f->nfields; i++)
		if (f->fields[i].offset > v->at && f->fields[i].offset < end)
			end = f->fields[i].offset;
	v->size = (end - v->at) / WORD * WORD;
}

/* Appends the word of the first string after the last check. Returns false if there is none. */
static bool find_next(struct read_check *c, const struct eventformat *f)
{
	uint32_t next = f->size, last = c->words[c->nwords - 1];

	for (uint32_t i = 0; i < f->nfields; i++)
		if (f->fields[i].place == TRAWL_DATA_LOC && f->fields[i].offset > last &&
		    f->fields[i].offset < next)
			next = f->fields[i].offset;
	c->words[c->nwords++] = next;
	return next < f->size;
}

static bool find_all(struct read_check *c, const struct eventformat *f,
		     const struct read_names *names)
{
	if (!find_word(f, names->control, &c->control) || !find_word(f, names->end, &c->end))
		return false;
	c->words[c->nwords++] = c->control;
	for (size_t i = 0; i < names->n; i++) {
		const struct read_name *name = &names->values[i];
		struct value *v = &c->values[c->nvalues++];

		if (!find_value(f, name, v) || !find_word(f, name->first, &v->first))
			return false;
		c->words[c->nwords++] = v->first;
		if (name->last) {
			if (!find_word(f, name->last, &v->last))
				return false;
			c->words[c->nwords++] = v->last;
			if (v->text)
				measure_texts(f, v);
		}
	}
	return find_next(c, f);
}

struct read_check *read_check_new(const struct eventformat *f, const struct read_names *names)
{
	struct read_check *c = calloc(1, sizeof(*c));

	if (!c)
		return NULL;
	c->size = f->size;
	c->words = calloc(2 * names->n + 2, sizeof(*c->words));
	c->values = calloc(names->n, sizeof(*c->values));
	if (names->n <= VALUES_MAX && c->words && c->values && find_all(c, f, names))
		return c;
	read_check_free(c);
	return NULL;
}

void read_check_free(struct read_check *c)
{
	if (!c)
		return;
	free(c->words);
	free(c->values);
	free(c);
}

static void drop_field(struct eventformat *f, const char *name)
{
	struct trawl_field *field = eventformat_field(f, name);

	if (field)
		eventformat_drop(f, field);
}

/* Changes the word of a first check to the field __fault_NAME. */
static int make_fault(struct eventformat *f, const struct read_name *name)
{
	struct trawl_field *field = eventformat_field(f, name->first);
	char *own = NULL, *type = strdup("u32");

	if (!field || !type || asprintf(&own, READ_CHECK_FIELD "%s", name->shown) < 0) {
		free(type);
		return -1;
	}
	free((char *)field->name);
	free((char *)field->ctype);
	*field = (struct trawl_field){.name = own,
				      .ctype = type,
				      .note = name->why,
				      .kind = TRAWL_UINT,
				      .place = TRAWL_FIXED,
				      .offset = field->offset,
				      .size = WORD,
				      .count = 1};
	return 0;
}

int read_check_tune(struct eventformat *f, const struct read_names *names)
{
	drop_field(f, names->control);
	drop_field(f, names->end);
	for (size_t i = 0; i < names->n; i++) {
		const struct read_name *name = &names->values[i];

		if (name->last)
			drop_field(f, name->last);
		if (make_fault(f, name))
			return -1;
	}
	return 0;
}

/* ---- by id -------------------------------------------------------------------------------- */

struct read_checks *read_checks_new(void)
{
	return calloc(1, sizeof(struct read_checks));
}

void read_checks_free(struct read_checks *r)
{
	for (size_t i = 0; r && i < IDS; i++)
		read_check_free(r->by_id[i]);
	free(r);
}

void read_checks_add(struct read_checks *r, uint32_t id, struct read_check *c)
{
	read_check_free(r->by_id[id % IDS]);
	r->by_id[id % IDS] = c;
}

/* ---- records ------------------------------------------------------------------------------ */

/* Whether the fetch of this word failed: then the next string is stored at the same offset. */
static bool has_failed(const uint8_t *record, uint32_t word_at, uint32_t next_at)
{
	uint32_t word = get_word(record, word_at);

	return trawl_loc_len(word) &&
	       trawl_loc_offset(word) == trawl_loc_offset(get_word(record, next_at));
}

static bool is_zero(const uint8_t *p, size_t n)
{
	while (n && !*p) {
		p++;
		n--;
	}
	return !n;
}

/*
 * Corrects the result of a check, which reads eight bytes, by the value, which may be shorter: if
 * the kernel makes an unreadable value 0, any other value was read. An unreadable string has 0
 * bytes even without checks.
 */
static enum read_state settle(const struct value *v, const uint8_t *record, enum read_state state)
{
	if (v->text)
		return state == READ_UNKNOWN ? READ_DONE : state;
	return v->zeroed && !is_zero(record + v->at, v->size) ? READ_DONE : state;
}

static void forget_value(const struct value *v, uint8_t *record)
{
	for (uint32_t at = v->at; v->text && at < v->at + v->size; at += WORD)
		put_word(record, at, trawl_loc(0, 0));
	if (!v->text)
		memset(record + v->at, 0, v->size);
	if (v->address) /* not 0, which longtext.h would take as a null pointer */
		put_word(record, v->address, 1);
}

/* Finds the state of each value. Changes no words yet, because each is compared with the next. */
static void look(const struct read_check *c, const uint8_t *record, enum read_state *states)
{
	bool known = has_failed(record, c->words[0], c->words[1]);
	size_t word = 1;

	for (size_t i = 0; i < c->nvalues; i++, word++) {
		bool failed = has_failed(record, c->words[word], c->words[word + 1]);

		if (c->values[i].last) {
			word++;
			failed |= has_failed(record, c->words[word], c->words[word + 1]);
		}
		states[i] = settle(&c->values[i], record,
				   !known ? READ_UNKNOWN : failed ? READ_FAILED : READ_DONE);
	}
}

static void apply(const struct read_check *c, uint8_t *record, uint32_t *len)
{
	uint32_t end = trawl_loc_offset(get_word(record, c->end));
	enum read_state states[VALUES_MAX];

	look(c, record, states);
	for (size_t i = 0; i < c->nvalues; i++) {
		const struct value *v = &c->values[i];

		if (states[i] != READ_DONE)
			forget_value(v, record);
		put_word(record, v->first, states[i]);
		if (v->last)
			put_word(record, v->last, 0);
	}
	put_word(record, c->control, 0);
	put_word(record, c->end, 0);
	if (end >= c->size && end < *len)
		*len = (end + 3) & ~3u;
}

void read_checks_apply(const struct read_checks *r, uint8_t *record, uint32_t *len)
{
	uint16_t id;

	if (*len < sizeof(id))
		return;
	memcpy(&id, record, sizeof(id));
	if (r->by_id[id] && *len >= r->by_id[id]->size)
		apply(r->by_id[id], record, len);
}
