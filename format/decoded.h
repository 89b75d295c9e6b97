/* SPDX-License-Identifier: MIT */
/* What a decoded chunk has besides what the library shows: how its rows are rebuilt. */
#ifndef TRAWL_FORMAT_DECODED_H
#define TRAWL_FORMAT_DECODED_H

#include "format/trawl.h"

/* Records of a group that are kept whole, because they did not fit their type. */
struct decoded_rows {
	const uint8_t *data;     /* NULL: the group's records come from its columns */
	const uint32_t *offsets; /* record i is data[offsets[i] .. offsets[i + 1]) */
};

struct decoded {
	struct trawl_chunk chunk; /* first: cursors get a pointer to it */
	const uint32_t *rank;     /* chunk order: the event's number in its group */
	const struct decoded_rows *rows; /* by group */
};

#endif
