/* SPDX-License-Identifier: MIT */
/*
 * A table: the events of one type in a chunk, in class order, and the contexts in which the
 * values of its columns are predicted. The common fields are a table of all events, in chunk
 * order. The same for encoder and decoder; docs/format.md, "Contexts".
 */
#ifndef TRAWL_FORMAT_TABLE_H
#define TRAWL_FORMAT_TABLE_H

#include "format/memory.h"
#include "format/varint.h"
#include "format/layout.h"

enum {
	CONTEXT_CLASS = 1, /* the event's class: its type and key values */
	CONTEXT_PID = 2,   /* the first common field of kind PID */
	CONTEXT_SEQ = 4,   /* the classes of the two events before it in the chunk */
	CONTEXT_REF = 8,   /* the value of another column in the same record */
	CONTEXT_OWN = 16,  /* the residue in the event before it */
	CONTEXT_MASKS = 32,
	CONTEXT_PER_EVENT = 8, /* masks below need nothing but the event */
	CONTEXT_MIN_BITS = 4,
	CONTEXT_MAX_BITS = 12,
	TABLE_PREDICTORS = 3, /* of a column */
	TABLE_MAX_NUMBERS = 1 << 24, /* in all columns of a table, and of a chunk */
};

/* Odd numbers without a pattern that the parts of a context are multiplied by. */
#define CONTEXT_CLASS_FACTOR 0x9e3779b1u
#define CONTEXT_PID_FACTOR 0x85ebca77u
#define CONTEXT_SEQ_FACTOR 0xc2b2ae3du
#define CONTEXT_REF_FACTOR 0x27d4eb2fu
#define CONTEXT_SLOT_FACTOR 0x7feb352du
#define CONTEXT_OWN_FACTOR 0x9e3779b97f4a7c15ull

/*
 * What a column can refer to besides columns, by the number after the table's columns: the pid of
 * the event after this one in its stream, and the ns since the table's event before it there.
 */
enum { REF_FOLLOWING, REF_ELAPSED, REFS_DERIVED };

/* What the encoder and decoder know of all events before they come to columns. */
struct events {
	uint32_t count, nclasses;
	const uint32_t *class_count; /* events of each class */
	const uint32_t *class_table; /* each class's table, by number; NULL: nothing is derived */
	uint32_t ntables;
	const struct trawl_stream *streams;
	uint32_t nstreams;
	uint64_t *derived[REFS_DERIVED]; /* in chunk order, if have_derived */
	bool have_derived[REFS_DERIVED];
	uint64_t *last; /* room for a number of each table */
	uint32_t *number;    /* in class order: each event's place in chunk order */
	/* In chunk order: */
	uint16_t *class_of;
	uint64_t *ts;
	uint32_t *before;    /* what the two events before it add to contexts with SEQ */
	const uint64_t *pid; /* or NULL */
};

struct table {
	const struct layout *layout;
	uint32_t n;
	unsigned int shift;  /* 32 - bits of a slot number */
	/* Runs of events that are alike; the common fields are one run. */
	uint32_t first_class, nclasses;
	const uint32_t *class_count;
	const uint16_t *class_of; /* by event, of the common fields; or NULL */
	struct events *events;
	const uint32_t *number;   /* each event's place in chunk order; NULL: they are in it */
	/* The number of each column: value[column][event], and then what table_derive() makes. */
	uint64_t **value;
	/* What is gathered from the chunk when first asked for, ... */
	uint64_t *ts;
	uint32_t *pid, *before; /* as they are added to contexts */
	bool have_ts, have_pid, have_before, have_derived[REFS_DERIVED];
	/* ... and the slot of each event under a mask without REF and OWN. */
	uint16_t *slots[CONTEXT_PER_EVENT];
	bool have_slots[CONTEXT_PER_EVENT];
	/* For whoever codes columns: */
	uint64_t *work, *literal;
	const uint64_t *residue; /* t->work or a column's values */
	uint16_t *own_slots[TABLE_PREDICTORS];
	uint8_t *codes;
	struct room memory, columns;
};

/*
 * Lays out memory for n events of a layout, kept from use to use; .value is for the caller to
 * fill. Returns -1 when memory runs out or for more numbers than TABLE_MAX_NUMBERS.
 */
int table_init(struct table *t, const struct layout *l, uint32_t n);
/* Sets e->before from e->class_of. */
void events_before(struct events *e);

/* The table of nclasses classes from first_class on; its first event is at `first`. */
void table_of(struct table *t, struct events *e, uint32_t first, uint32_t first_class,
	      uint32_t nclasses);
/* The table of the common fields: all events. No pid. */
void table_of_all(struct table *t, struct events *e);
void table_free(struct table *t);

/* Whether a column can refer to another: to one before it, or to what is derived. */
static inline bool table_can_refer(const struct table *t, uint32_t column, uint32_t ref)
{
	uint32_t which = ref - t->layout->ncolumns;

	if (ref < t->layout->ncolumns)
		return ref < column;
	return which < REFS_DERIVED && t->number && t->events->class_table &&
	       (which != REF_FOLLOWING || t->events->pid);
}

/* Puts what is derived where column `ref` would be; does nothing for a column. */
void table_derive(struct table *t, uint32_t ref);
/*
 * From now on columns can refer to what is derived from these streams and tables. memory is for
 * REFS_DERIVED numbers of each event and one of each table.
 */
void events_derive(struct events *e, const struct trawl_stream *streams, uint32_t nstreams,
		   const uint32_t *class_table, uint32_t ntables, uint64_t *memory);

/* The time stamp of each event. */
const uint64_t *table_ts(struct table *t);
/*
 * The slots of events under a mask, as far as they are known without OWN; ref is the column for
 * REF, memory is for n slots if they are none that are kept.
 */
const uint16_t *table_slots(struct table *t, unsigned int mask, const uint64_t *ref,
			    uint16_t *memory);

/* A number as part of a context. */
static inline uint32_t context_fold(uint64_t v)
{
	return (uint32_t)(v ^ v >> 32);
}

static inline uint32_t context_slot(uint32_t sum, unsigned int shift)
{
	return (sum ^ sum >> 15) * CONTEXT_SLOT_FACTOR >> shift;
}

/* What OWN changes in a slot: xor, so that little has to wait for the residue before. */
static inline uint32_t context_own(uint64_t residue, unsigned int shift)
{
	return (uint32_t)(residue * CONTEXT_OWN_FACTOR >> (32 + shift));
}

#endif
