/* SPDX-License-Identifier: MIT */
/* Names that there are, for a message about one that there is not: the nearest, or a few of
 * them. */
#ifndef TRAWL_DECODE_QUERY_LISTING_H
#define TRAWL_DECODE_QUERY_LISTING_H

#include "common/nearest.h"
#include "decode/base/output.h"

struct listing {
	struct nearest near;
	struct out text;
	uint32_t more; /* that found no room in text */
	char hint[320];
};

void listing_start(struct listing *l, const char *wanted);

/* A name that there is; twice does no harm. A decoder_name_fn. */
void listing_add(void *listing, const char *name);

/* "; did you mean a or b?", or "; there are a, b, ..."; valid until listing_free(). */
const char *listing_hint(struct listing *l);

void listing_free(struct listing *l);

#endif
