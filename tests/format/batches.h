/* SPDX-License-Identifier: MIT */
/* Random types and batches of records for tests of chunks; the same seed gives the same result. */
#ifndef TRAWL_TESTS_FORMAT_BATCHES_H
#define TRAWL_TESTS_FORMAT_BATCHES_H

#include "format/chunk.h"

enum { BATCHES_FIELDS = 12, BATCHES_TYPES = 1000 };

/* Ways to generate numbers; each field has its own. */
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
/* Makes random types; way < WAYS: all numbers are generated in this way. */
struct batches *batches_new(uint64_t seed, uint32_t ntypes, int way);
void batches_free(struct batches *b);
/*
 * Fills b->batch with new events. broken: one record in this many has a DATA_LOC that points
 * outside, or 0 for none.
 */
void batches_fill(struct batches *b, uint32_t count, uint32_t cpus, uint32_t broken);
/* Returns the record that a reader must return according to docs/format.md; malloc'd. */
uint8_t *batches_expect(const struct batches *b, const struct batch_event *e, uint32_t *len);
/* Returns the same payload uncompressed, so that a changed byte changes the contents. */
uint8_t *batches_expand(const uint8_t *payload, size_t len, size_t *expanded);

#endif
