/* SPDX-License-Identifier: MIT */
/* An arena: memory allocated in small pieces up to a limit, and freed all at once. */
#ifndef TRAWL_FORMAT_ARENA_H
#define TRAWL_FORMAT_ARENA_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "format/memory.h"

struct arena_block;

struct arena {
	struct arena_block *blocks; /* the one in use first */
	struct arena_block *spare;
	size_t used, max;           /* bytes handed out since the last reset; never more than max */
	bool full;                  /* more than max was asked for since then */
	struct budget *budget;      /* that its memory is taken from; NULL: none */
};

/*
 * Returns n * size uninitialised bytes, aligned for every type, valid until arena_reset(); NULL if
 * that exceeds max or memory runs out.
 */
void *arena_take(struct arena *a, size_t n, size_t size);
/*
 * Frees all pieces. Keeps the arena's memory for reuse, except blocks that were not used since the
 * last reset.
 */
void arena_reset(struct arena *a);
void arena_free(struct arena *a);

#endif
