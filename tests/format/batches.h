/* SPDX-License-Identifier: MIT */
/* Made-up types and batches of records for tests of chunks, the same for the same seed. */
#ifndef BATCHES_H
#define BATCHES_H

#include "format/chunk.h"

enum { BATCHES_FIELDS = 12, BATCHES_TYPES = 1000 };

/* How values of numbers come: each field has its own way. */
enum batches_way {
	WAY_RANDOM, WAY_ZERO, WAY_FEW, WAY_COUNT, WAY_STEP, WAY_TIME, WAY_SMALL, WAY_POINTER, WAYS
};

struct batches {
	struct trawl_source source;
	struct trawl_field common[3];
	struct trawl_event_type types[BATCHES_TYPES];
	const struct trawl_event_type *list[BATCHES_TYPES];
	struct trawl_field fields[BATCHES_TYPES][BATCHES_FIELDS];
	struct chunk_schema schema;
	uint64_t random;
	struct batch batch;
};

uint64_t batches_random(struct batches *b);
/* Random types; way < WAYS: all numbers come that way. */
struct batches *batches_new(uint64_t seed, uint32_t ntypes, int way);
void batches_free(struct batches *b);
/* Fills b->batch anew. broken: one record in so many has a DATA_LOC that points outside, or 0. */
void batches_fill(struct batches *b, uint32_t count, uint32_t cpus, uint32_t broken);
/* A record as docs/format.md says that a reader gives it back; malloc'd. */
uint8_t *batches_expect(const struct batches *b, const struct batch_event *e, uint32_t *len);
/* The same payload with nothing compressed, so that a changed byte changes what it says. */
uint8_t *batches_expand(const uint8_t *payload, size_t len, size_t *expanded);

#endif
