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
 * Records in the order of appending; the encoder sorts them by CPU. The bytes of a TAIL field may
 * be those of an earlier event with an equal tail, so that repeated payload is stored once.
 */
struct batch_event {
	uint64_t ts;
	uint32_t type;   /* index into the source's type table, not the type id */
	uint32_t cpu;
	uint32_t offset; /* of the record in struct batch.bytes */
	uint32_t len;    /* of the whole record, including its tail */
	uint32_t back;   /* distance from the tail's usual place back to its bytes; 0: in place */
};

struct batch {
	struct batch_event *events;
	uint32_t count, capacity;
	uint8_t *bytes;
	size_t used, size;
	size_t shared; /* bytes of tails that are not stored again */
};

/*
 * A source and its event types. A reader that has lost the block of a type sets its entry in types
 * to NULL: chunks with events of this type cannot be decoded, other chunks can. An encoder needs
 * all types.
 *
 * Records must match their type: at least `size` bytes, fields within them, a TAIL field at offset
 * `size`, last, and not together with DATA_LOC or REL_LOC. The locations in DATA_LOC and REL_LOC
 * words may be anything.
 *
 * Encoders and decoders cache by the address of a source and of a type: neither may move or change
 * until the encoder or decoder is freed.
 */
struct chunk_schema {
	const struct trawl_source *source;
	const struct trawl_event_type *const *types;
	uint32_t ntypes;
};

enum {
	CHUNK_MAX_EVENTS = 1 << 20,   /* of a chunk */
	CHUNK_MAX_BYTES = 64 << 20,   /* of its records together */
	CHUNK_MAX_MEMORY = 256 << 20, /* bytes of a decoded chunk */
};

enum { CHUNK_ALL_LEVEL = 20 }; /* from this level on, size matters and time does not */

struct chunk_encoder; /* keeps buffers and compression contexts between chunks; one per worker */
/* level: of zstd, 0: the default. NULL: out of memory. */
struct chunk_encoder *chunk_encoder_new(int level);
void chunk_encoder_free(struct chunk_encoder *e);

/*
 * Sets the zstd level for bulk payload of the following chunks; LEVEL_STORED: do not compress it.
 * Everything else is compressed at the level of chunk_encoder_new().
 */
void chunk_encoder_bulk(struct chunk_encoder *e, int level);
/* Whether the last chunk was mostly bulk payload. */
bool chunk_encoder_was_bulk(const struct chunk_encoder *e);

/* A chunk's bytes, with what its block says of them. */
struct chunk_payload {
	const uint8_t *data;
	size_t len;
	uint32_t count;       /* of events */
	uint64_t first, last; /* smallest and largest time; chunk_decode() does not read them */
};

/*
 * Encodes the batch. p->data is owned by the encoder and valid until the next call. Returns 0, or
 * -1 with *err if memory runs out.
 */
int chunk_encode(struct chunk_encoder *e, const struct chunk_schema *schema, const struct batch *b,
		 struct chunk_payload *p, struct trawl_error *err);

struct chunk_decoder;
/* NULL: out of memory. */
struct chunk_decoder *chunk_decoder_new(void);
struct budget;
/* Makes *d, unless there is one, with this budget, which notes if memory runs out: false. */
bool chunk_decoder_ready(struct chunk_decoder **d, struct budget *b);
/* Takes the decoder's memory from a budget, which must outlive it. Call before the first chunk. */
void chunk_decoder_budget(struct chunk_decoder *d, struct budget *b);
void chunk_decoder_free(struct chunk_decoder *d);

/*
 * Decodes a payload from an untrusted file; its count is that of the chunk head. Returns -1 with
 * *err: TRAWL_BAD_DATA and the rule of docs/format.md that the payload breaks, or TRAWL_CANNOT if
 * memory runs out. *chunk is valid until the next call, or until
 * chunk_give_back() if chunk_take() was called.
 */
int chunk_decode(struct chunk_decoder *d, const struct chunk_schema *schema,
		 const struct chunk_payload *p, const struct trawl_chunk **chunk,
		 struct trawl_error *err);

/*
 * To hold several decoded chunks at a time, the caller takes the memory of the chunk just decoded
 * (NULL if there is none) and gives it back to the same decoder before that is freed.
 */
struct chunk_memory;
struct chunk_memory *chunk_take(struct chunk_decoder *d);
void chunk_give_back(struct chunk_decoder *d, struct chunk_memory *m);
/* Allocates n * size bytes for the caller that live as long as the chunk; NULL: out of memory. */
void *chunk_memory_more(struct chunk_memory *m, size_t n, size_t size);
size_t chunk_memory_size(const struct chunk_memory *m); /* bytes */

/* Rebuilds the records of a decoded chunk, stream by stream. NULL: out of memory. */
struct chunk_cursor;
struct chunk_cursor *chunk_cursor_new(const struct trawl_chunk *chunk);
void chunk_cursor_free(struct chunk_cursor *c);
/*
 * Fills *ev except time, section and chunk with the stream's next record and returns 1; 0 at the
 * end of the stream; -1 if memory runs out. ev->record is valid until the next call on the cursor.
 */
int chunk_cursor_next(struct chunk_cursor *c, uint32_t stream, struct trawl_event *ev);
/* The same for the stream's record with this number in chunk order. */
int chunk_cursor_at(struct chunk_cursor *c, uint32_t stream, uint32_t n, struct trawl_event *ev);
/* Skips the stream's next n records. */
void chunk_cursor_skip(struct chunk_cursor *c, uint32_t stream, uint32_t n);

#endif
