/* SPDX-License-Identifier: MIT */
/* Memory that is handed out piece by piece, bounded, and taken back all at once. */
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
	struct budget *budget;      /* where its memory counts; NULL: nowhere */
};

/* n * size bytes with undefined contents, aligned for every type; NULL: over max or no memory. */
void *arena_take(struct arena *a, size_t n, size_t size);
/* Takes everything back; memory is kept for the next round, but not what one round did not use. */
void arena_reset(struct arena *a);
void arena_free(struct arena *a);

#endif
