/* SPDX-License-Identifier: MIT */
/* Decodes the columns of a chunk whose structure, sequence and times are decoded already. */
#ifndef TRAWL_FORMAT_DECODECOLUMNS_H
#define TRAWL_FORMAT_DECODECOLUMNS_H

#include "format/decoder.h"

/*
 * Decode the columns of the common fields, and then those of each group, into d->chunk. Return
 * false if the payload is damaged, with d->in.broken, or memory runs out.
 */
bool decode_common(struct chunk_decoder *d);
bool decode_groups(struct chunk_decoder *d);

#endif
