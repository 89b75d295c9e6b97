/* SPDX-License-Identifier: MIT */
/*
 * A chunk: a batch of records of one source turned into compressed columns, and back.
 *
 * The boundary inside libtrawl: writer.c collects records in a struct batch and knows nothing of
 * columns; reader.c finds chunk payloads and knows nothing of them either. Everything between
 * (docs/format.md, "Chunk payload") begins in encode.c, decode.c and cursor.c.
 */
#ifndef TRAWL_FORMAT_CHUNK_H
#define TRAWL_FORMAT_CHUNK_H

#include "format/trawl.h"

/*
 * Records as they were appended, in append order. Any CPU order; sorted by the encoder. A TAIL
 * field's bytes may be those of an earlier event, so that what comes again is not copied.
 */
struct batch_event {
	uint64_t ts;
	uint32_t type;   /* index into the source's type table, not the type id */
	uint32_t cpu;
	uint32_t offset; /* of the record in struct batch.bytes */
	uint32_t len;    /* of all of it, wherever its tail is */
	uint32_t back;   /* so far before its place after the record its tail is */
};

struct batch {
	struct batch_event *events;
	uint32_t count, capacity;
	uint8_t *bytes;
	size_t used, size;
	size_t shared; /* bytes of tails that are those of earlier events */
};

/*
 * What the encoder must know of a source; the reader builds the same from the metadata. When a
 * reader has lost the block of a type, its entry in types is NULL: a chunk with events of this
 * type cannot be decoded, one without still must. The encoder has no holes. Records obey their
 * type: at least `size` bytes, fields within them, a TAIL field at offset `size`, last, and never
 * beside DATA_LOC or REL_LOC; the places that DATA_LOC and REL_LOC words point to are not checked.
 * Encoders and decoders know a source and a type by its address: both stay as and where they are
 * for as long as an encoder or decoder that has seen them is used.
 */
struct chunk_schema {
	const struct trawl_source *source;
	const struct trawl_event_type *const *types;
	uint32_t ntypes;
};

enum {
	CHUNK_MAX_EVENTS = 1 << 20,   /* of a chunk */
	CHUNK_MAX_BYTES = 64 << 20,   /* of its records together */
	CHUNK_MAX_MEMORY = 256 << 20, /* of what a decoder makes of it */
};

enum { CHUNK_ALL_LEVEL = 20 }; /* from this level on, time does not matter */

struct chunk_encoder; /* keeps buffers and compression contexts between chunks; one per worker */
struct chunk_encoder *chunk_encoder_new(int level);
void chunk_encoder_free(struct chunk_encoder *e);

/*
 * Bulk payload of the chunks to come: zstd's level, or LEVEL_STORED to store it as it is. The level
 * of chunk_encoder_new() holds until then, and always for everything else.
 */
void chunk_encoder_bulk(struct chunk_encoder *e, int level);
/* Whether the newest chunk was mostly bulk payload, so that this level matters to its size. */
bool chunk_encoder_was_bulk(const struct chunk_encoder *e);

/*
 * Encodes the batch. *payload points into the encoder until the next call. *first and *last are
 * the smallest and largest ts. Returns -1 only when memory runs out.
 */
int chunk_encode(struct chunk_encoder *e, const struct chunk_schema *schema, const struct batch *b,
		 const uint8_t **payload, size_t *len, uint64_t *first, uint64_t *last,
		 struct trawl_error *err);

struct chunk_decoder;
struct chunk_decoder *chunk_decoder_new(void);
struct budget;
/* Its memory counts there from now on; it has used none so far. The budget outlives it. */
void chunk_decoder_budget(struct chunk_decoder *d, struct budget *b);
void chunk_decoder_free(struct chunk_decoder *d);

/*
 * Decodes a payload from an untrusted file; `count` is the chunk header's number of events. The
 * chunk stays until the next call, or until its memory is given back if chunk_take() was called.
 */
int chunk_decode(struct chunk_decoder *d, const struct chunk_schema *schema, const uint8_t *payload,
		 size_t len, uint32_t count, const struct trawl_chunk **chunk,
		 struct trawl_error *err);

/*
 * Several chunks of one decoder at a time: the caller takes the memory of the chunk just decoded
 * (NULL if it failed) and gives it back to the same decoder, before that is freed.
 */
struct chunk_memory;
struct chunk_memory *chunk_take(struct chunk_decoder *d);
void chunk_give_back(struct chunk_decoder *d, struct chunk_memory *m);
/* n * size bytes of the caller's that live as long as the chunk; NULL: no memory. */
void *chunk_memory_more(struct chunk_memory *m, size_t n, size_t size);
size_t chunk_memory_size(const struct chunk_memory *m); /* bytes */

/* Gives the records of a decoded chunk again, each stream in its order. NULL without memory. */
struct chunk_cursor;
struct chunk_cursor *chunk_cursor_new(const struct trawl_chunk *chunk);
void chunk_cursor_free(struct chunk_cursor *c);
/* The next record of the stream: returns 1 and fills *ev but for time, section and chunk; 0 at the
 * stream's end; -1 without memory. The record is valid until the next call. */
int chunk_cursor_next(struct chunk_cursor *c, uint32_t stream, struct trawl_event *ev);
/* The same of the stream's record with this number in chunk order, whatever was given before. */
int chunk_cursor_at(struct chunk_cursor *c, uint32_t stream, uint32_t n, struct trawl_event *ev);
/* Passes over the stream's next n records. */
void chunk_cursor_skip(struct chunk_cursor *c, uint32_t stream, uint32_t n);

#endif
