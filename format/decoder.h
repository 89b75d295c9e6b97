/* SPDX-License-Identifier: MIT */
/* The state of a chunk decoder: of the source, and of the chunk that is decoded. */
#ifndef TRAWL_FORMAT_DECODER_H
#define TRAWL_FORMAT_DECODER_H

#include <zstd.h>

#include "format/arena.h"
#include "format/chunk.h"
#include "format/column.h"
#include "format/decoded.h"
#include "format/memory.h"
#include "format/stringtable.h"

enum { DECODE_MAX_KEYS = 4 };

struct decode_table {
	uint32_t type;        /* index into the schema's types */
	bool rows;
	uint32_t n, first;
	uint32_t first_class, nclasses;
	uint32_t nkeys, keys[DECODE_MAX_KEYS];
	uint32_t listed; /* number of its events in the sequence so far */
};

struct decode_class {
	uint32_t table, left; /* left: number of events that the sequence must still contain */
	uint64_t key[DECODE_MAX_KEYS];
};

struct type_layout {
	const struct trawl_event_type *type;
	struct layout layout;
};

/* The memory of a decoded chunk; all other buffers are free again once it is decoded. */
struct chunk_memory {
	struct chunk_memory *next;
	struct decoded decoded;
	struct arena arena;
	struct room data; /* the substream of that name */
};

struct chunk_decoder {
	struct chunk_memory *chunk, *spare;
	size_t nspare;
	struct budget *budget;      /* NULL: none */
	ZSTD_DCtx *zstd;
	struct type_layout *types;  /* by index */
	uint32_t ntypes;
	const struct trawl_source *source;
	struct layout common, row;
	uint32_t pid_column, common_end;

	/* One chunk: */
	const struct chunk_schema *schema;
	struct column_input in;
	struct room substreams[4], string_room, events_room, delta_room,
		derived_room;
	const struct string *strings;
	uint32_t nstrings;
	struct events events;
	uint64_t base, unit;
	bool back; /* differences of times are signed */
	bool payload_ticks; /* the payload's version is PAYLOAD_TICKS */
	uint64_t tick; /* its length; 0: times are in ns */
	uint32_t ncorrections;
	uint32_t nstreams, ntables, nclasses;
	struct trawl_stream *streams;
	struct decode_table *tables;
	struct decode_class *classes;
	uint32_t *class_count;
	uint64_t *ts;    /* table after table, each in chunk order */
	uint32_t *order; /* likewise: each event's place in the table's class order */
	uint32_t *position; /* in chunk order: the event's place in class order */
	struct table common_table, table;
	struct predictors predictors;
};

#endif
