/* SPDX-License-Identifier: MIT */
/* Collects existing names for a message about an unknown one: lists similar ones, or a few. */
#ifndef TRAWL_DECODE_QUERY_LISTING_H
#define TRAWL_DECODE_QUERY_LISTING_H

#include "common/nearest.h"
#include "decode/base/output.h"

struct listing {
	struct nearest near;
	struct out text;
	uint32_t more; /* number of names that did not fit into text */
	char hint[320];
};

/* Initialises *l. Keeps `wanted`, which the names are compared with. */
void listing_start(struct listing *l, const char *wanted);

/* Adds an existing name; may repeat names. A decoder_name_fn. */
void listing_add(void *listing, const char *name);

/* Returns "; did you mean a or b?", or "; there are a, b, ..."; valid until listing_free(). */
const char *listing_hint(struct listing *l);

void listing_free(struct listing *l);

#endif
