/* SPDX-License-Identifier: MIT */
/*
 * Sorts a batch into streams, tables and classes before its columns are made.
 * docs/format.md, "Order".
 */
#ifndef TRAWL_FORMAT_GROUPING_H
#define TRAWL_FORMAT_GROUPING_H

#include "format/chunk.h"
#include "format/table.h"

enum { GROUPING_KEYS = 4, GROUPING_CLASSES = 65535, GROUPING_ROOMS = 8 };

/* The encoder's view of one event type. */
struct grouping_type {
	struct layout layout;
	uint32_t nkeys;       /* key columns that the source names */
	bool has_spare_key;   /* the source names no key: column 0 may serve as one */
	uint32_t keys[GROUPING_KEYS];
};

struct grouping_table {
	uint32_t type;        /* index into the schema's types */
	bool rows;            /* its records do not match their type and are stored whole */
	uint32_t n, first;    /* number of events; place of the first one in class order */
	uint32_t first_class, nclasses;
	uint32_t nkeys;
	const uint32_t *keys; /* column numbers */
};

static inline bool grouping_is_key(const struct grouping_table *a, uint32_t column)
{
	for (uint32_t i = 0; i < a->nkeys; i++)
		if (a->keys[i] == column)
			return true;
	return false;
}

struct grouping_stream {
	uint32_t cpu, count;
	uint32_t next; /* for grouping_make() */
};

struct grouping {
	struct events events;
	const uint8_t **record;    /* in chunk order */
	uint32_t *length;          /* likewise */
	uint32_t *back;            /* likewise: batch_event.back; NULL: all 0 */
	const uint8_t **row;       /* records in class order */
	uint64_t *delta;           /* likewise: time since the event before in the stream */
	uint32_t ntables, nstreams;
	struct grouping_table *tables;
	struct grouping_stream *streams;
	uint32_t *class_count;
	uint64_t *class_key;       /* GROUPING_KEYS for each class */
	uint64_t first, last;      /* smallest and largest time stamp */
	struct find *finds;        /* classes, in the order of their first events */
	uint32_t nfinds;
	uint32_t *slots;           /* hash table: number of the find + 1 */
	struct kind *kinds;        /* by 2 * type + rows */
	struct room memory[GROUPING_ROOMS];
};

/* Finds the key columns of a type. Returns false if memory runs out. */
bool grouping_type_init(struct grouping_type *a, const struct trawl_event_type *t);

/* Groups a batch; types[i] describes the schema's type i. Returns false if memory runs out. */
bool grouping_make(struct grouping *a, const struct batch *b, struct grouping_type *const *types,
		   uint32_t ntypes);
void grouping_free(struct grouping *a);

/* Returns the number of a column in a record. */
static inline uint64_t grouping_number(const struct layout_column *c, const uint8_t *record)
{
	const uint8_t *p = record + c->offset;

	switch (c->size) {
	case 1:
		return c->is_signed ? (uint64_t)(int8_t)*p : *p;
	case 2:
		return c->is_signed ? (uint64_t)(int16_t)get16(p) : get16(p);
	case 4:
		return c->is_signed ? (uint64_t)(int32_t)get32(p) : get32(p);
	default:
		return get64(p);
	}
}

#endif
