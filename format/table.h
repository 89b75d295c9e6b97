/* SPDX-License-Identifier: MIT */
/*
 * A table: the events of one type in a chunk, in chunk order, and the contexts in which the
 * values of its columns are predicted. The common fields are a table of all events.
 * The same for encoder and decoder; docs/format.md, "Contexts".
 */
#ifndef TRAWL_TABLE_H
#define TRAWL_TABLE_H

#include "memory.h"
#include "varint.h"
#include "layout.h"

enum {
	CONTEXT_CLASS = 1, /* the event's class: its type and key values */
	CONTEXT_PID = 2,   /* the first common field of kind PID */
	CONTEXT_SEQ = 4,   /* the classes of the two events before it in the chunk */
	CONTEXT_REF = 8,   /* the value of another column in the same record */
	CONTEXT_OWN = 16,  /* the column's last value in the same class */
	CONTEXT_MASKS = 32,
	CONTEXT_PER_EVENT = 8, /* masks below need nothing but the event */
	CONTEXT_MIN_BITS = 4,
	CONTEXT_MAX_BITS = 12,
	TABLE_PREDICTORS = 3, /* of a column */
	TABLE_MAX_NUMBERS = 1 << 24, /* in all columns of a table, and of a chunk */
};

/* Odd numbers without a pattern that the parts of a context are multiplied by. */
#define CONTEXT_CLASS_FACTOR 0xff51afd7ed558ccdull
#define CONTEXT_PID_FACTOR 0xc4ceb9fe1a85ec53ull
#define CONTEXT_SEQ_FACTOR 0xd6e8feb86659fd93ull
#define CONTEXT_REF_FACTOR 0x9fb21c651e98df25ull
#define CONTEXT_OWN_FACTOR 0xa24baed4963ee407ull
#define CONTEXT_SLOT_FACTOR 0x9e3779b97f4a7c15ull

/* What the encoder and decoder know of all events before they come to columns. */
struct events {
	uint32_t count;
	uint16_t *class_of; /* chunk order */
	uint32_t *position; /* of each event among all, sorted by class */
	uint64_t *ts;
	const uint64_t *pid; /* chunk order, or NULL */
};

struct table {
	const struct layout *layout;
	uint32_t n;
	uint32_t first_class, nclasses;
	unsigned int shift;  /* 64 - bits of a slot number */
	/* By event, in table order: */
	uint32_t *event;     /* its number in the chunk */
	const uint32_t *sorted;   /* its place among the table's events sorted by class */
	const uint16_t *class_of; /* relative to first_class */
	uint32_t *before;    /* the classes of the two events before it, + 1 each */
	uint64_t *pid;
	bool has_pid;
	const uint64_t *ts;
	uint64_t **value;    /* the number of each column: value[column][event] */
	/* Made when first asked for: the slot of each event under a mask without REF and OWN. */
	uint16_t *slots[CONTEXT_PER_EVENT];
	bool have_slots[CONTEXT_PER_EVENT];
	/* For whoever codes columns: */
	uint64_t *work, *literal;
	const uint64_t *residue; /* t->work or a column's values */
	uint64_t *base[TABLE_PREDICTORS];
	uint16_t *own_slots[TABLE_PREDICTORS];
	uint8_t *codes;
	uint64_t *last;      /* nclasses */
	struct room memory, columns;
};

/*
 * Lays out memory for n events of a layout, kept from use to use. .event and .value are for the
 * caller to fill, then table_contexts() fills the rest. Returns -1 when memory runs out
 * or for more numbers than TABLE_MAX_NUMBERS.
 */
int table_init(struct table *t, const struct layout *l, uint32_t n, uint32_t first_class,
	       uint32_t nclasses);
/* `first` is the position of the table's first event among all sorted ones. */
void table_contexts(struct table *t, const struct events *e, uint32_t first);
/* The table of the common fields: all events, which it refers to, in chunk order. No pid. */
void table_of_all(struct table *t, const struct events *e);
void table_free(struct table *t);

/* What an event adds to the sum under a mask; ref is the column for REF. Without OWN. */
static inline uint64_t table_sum(const struct table *t, unsigned int mask, const uint64_t *ref,
				 uint32_t i)
{
	uint64_t sum = 0;

	if (mask & CONTEXT_CLASS)
		sum += (uint64_t)(t->first_class + t->class_of[i] + 1) * CONTEXT_CLASS_FACTOR;
	if (mask & CONTEXT_PID && t->has_pid)
		sum += (t->pid[i] + 1) * CONTEXT_PID_FACTOR;
	if (mask & CONTEXT_SEQ)
		sum += ((uint64_t)t->before[i] + 1) * CONTEXT_SEQ_FACTOR;
	if (mask & CONTEXT_REF)
		sum += (ref[i] + 1) * CONTEXT_REF_FACTOR;
	return sum;
}

/* Slots under a mask without REF and OWN. */
const uint16_t *table_slots(struct table *t, unsigned int mask);

static inline uint32_t context_slot(uint64_t sum, unsigned int shift)
{
	sum ^= sum >> 32;
	return (uint32_t)(sum * CONTEXT_SLOT_FACTOR >> shift);
}

#endif
