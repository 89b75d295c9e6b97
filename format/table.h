/* SPDX-License-Identifier: MIT */
/*
 * A table: the events of one type in a chunk, in class order, and the contexts for predicting its
 * columns. The common fields are a table of all events, in chunk order. Used by encoder and
 * decoder; docs/format.md, "Contexts".
 */
#ifndef TRAWL_FORMAT_TABLE_H
#define TRAWL_FORMAT_TABLE_H

#include "format/memory.h"
#include "format/varint.h"
#include "format/layout.h"

enum {
	/* The parts of a context; a mask selects some of them. */
	CONTEXT_CLASS = 1, /* the event's class: its type and key values */
	CONTEXT_PID = 2,   /* the first common field of kind PID */
	CONTEXT_SEQ = 4,   /* the classes of the two preceding events in the chunk */
	CONTEXT_REF = 8,   /* the value of another column in the same record */
	CONTEXT_OWN = 16,  /* the column's residue in the preceding event */
	CONTEXT_MASKS = 32,
	CONTEXT_PER_EVENT = 8, /* smaller masks depend on the event only, not on a column */
	CONTEXT_MIN_BITS = 4,
	CONTEXT_MAX_BITS = 12,
	TABLE_PREDICTORS = 3, /* most of a column */
	TABLE_MAX_NUMBERS = 1 << 24, /* most in all columns of a table, and of a chunk */
};

/* Multiplicative hash constants for the parts of a context. */
#define CONTEXT_CLASS_FACTOR 0x9e3779b1u
#define CONTEXT_PID_FACTOR 0x85ebca77u
#define CONTEXT_SEQ_FACTOR 0xc2b2ae3du
#define CONTEXT_REF_FACTOR 0x27d4eb2fu
#define CONTEXT_SLOT_FACTOR 0x7feb352du
#define CONTEXT_OWN_FACTOR 0x9e3779b97f4a7c15ull

/*
 * Derived numbers, which a column can refer to like a column. Their numbers follow those of the
 * table's columns. REF_FOLLOWING: the pid of the next event in the stream. REF_ELAPSED: ns since
 * the table's previous event in the stream.
 */
enum { REF_FOLLOWING, REF_ELAPSED, REFS_DERIVED };

/* What encoder and decoder know of all events before columns are coded. */
struct events {
	uint32_t count, nclasses;
	const uint32_t *class_count; /* number of events of each class */
	const uint32_t *class_table; /* table of each class; NULL: there are no derived numbers */
	uint32_t ntables;
	const struct trawl_stream *streams;
	uint32_t nstreams;
	uint64_t *derived[REFS_DERIVED]; /* in chunk order, if have_derived */
	bool have_derived[REFS_DERIVED];
	uint64_t *last; /* scratch memory: a number for each table */
	uint32_t *number;    /* in class order: each event's place in chunk order */
	/* In chunk order: */
	uint16_t *class_of;
	uint64_t *ts;
	uint32_t *before;    /* the CONTEXT_SEQ part of the context */
	const uint64_t *pid; /* or NULL */
};

struct table {
	const struct layout *layout;
	uint32_t n;
	unsigned int shift;  /* 32 - bits of a slot number */
	/* The classes of the table; the common fields have one class. */
	uint32_t first_class, nclasses;
	const uint32_t *class_count;
	const uint16_t *class_of; /* by event, of the common fields; or NULL */
	struct events *events;
	const uint32_t *number;   /* each event's place in chunk order; NULL: the same order */
	/* The numbers of each column: value[column][event], then those of table_derive(). */
	uint64_t **value;
	/* Computed when first needed: */
	uint64_t *ts;
	uint32_t *pid, *before; /* the CONTEXT_PID and CONTEXT_SEQ parts of contexts */
	bool have_ts, have_pid, have_before, have_derived[REFS_DERIVED];
	/* the slot of each event for a mask without REF and OWN */
	uint16_t *slots[CONTEXT_PER_EVENT];
	bool have_slots[CONTEXT_PER_EVENT];
	/* Scratch memory for coding a column: */
	uint64_t *work, *literal;
	const uint64_t *residue; /* t->work or a column's values */
	uint16_t *own_slots[TABLE_PREDICTORS];
	uint8_t *codes;
	struct room memory, columns;
};

/*
 * Allocates memory for n events of a layout, which is reused by later calls. The caller fills
 * .value. Returns false if memory runs out, or there are more numbers than TABLE_MAX_NUMBERS.
 */
bool table_init(struct table *t, const struct layout *l, uint32_t n);
/* Sets e->before from e->class_of. */
void events_before(struct events *e);

/* Selects the table of nclasses classes from first_class on; its first event is at `first`. */
void table_of(struct table *t, struct events *e, uint32_t first, uint32_t first_class,
	      uint32_t nclasses);
/* Selects the table of the common fields: all events, without CONTEXT_PID. */
void table_of_all(struct table *t, struct events *e);
void table_free(struct table *t);

/* Whether a column can refer to `ref`: an earlier column, or a derived number. */
static inline bool table_can_refer(const struct table *t, uint32_t column, uint32_t ref)
{
	uint32_t which = ref - t->layout->ncolumns;

	if (ref < t->layout->ncolumns)
		return ref < column;
	return which < REFS_DERIVED && t->number && t->events->class_table &&
	       (which != REF_FOLLOWING || t->events->pid);
}

/* Sets t->value[ref] to derived numbers; does nothing if ref is a column. */
void table_derive(struct table *t, uint32_t ref);
/*
 * Computes the derived numbers of all events, so that columns can refer to them. memory has room
 * for REFS_DERIVED numbers of each event and one of each table.
 */
void events_derive(struct events *e, const struct trawl_stream *streams, uint32_t nstreams,
		   const uint32_t *class_table, uint32_t ntables, uint64_t *memory);

/* Returns the time stamp of each event. */
const uint64_t *table_ts(struct table *t);
/*
 * Returns the slot of each event for a mask, without its OWN part. ref has the values for REF;
 * memory has room for n slots, and is used if the table does not keep them.
 */
const uint16_t *table_slots(struct table *t, unsigned int mask, const uint64_t *ref,
			    uint16_t *memory);

/* Hashes a number to a part of a context. */
static inline uint32_t context_fold(uint64_t v)
{
	return (uint32_t)(v ^ v >> 32);
}

static inline uint32_t context_slot(uint32_t sum, unsigned int shift)
{
	return (sum ^ sum >> 15) * CONTEXT_SLOT_FACTOR >> shift;
}

/*
 * Returns the OWN part of a slot. It is combined by xor, a short operation, because it depends on
 * the previous residue.
 */
static inline uint32_t context_own(uint64_t residue, unsigned int shift)
{
	return (uint32_t)(residue * CONTEXT_OWN_FACTOR >> (32 + shift));
}

#endif
