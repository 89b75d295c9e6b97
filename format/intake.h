/* SPDX-License-Identifier: MIT */
/* Blocks of an open file, one after another, as what a reader knows and what it gives. */
#ifndef TRAWL_FORMAT_INTAKE_H
#define TRAWL_FORMAT_INTAKE_H

#include "format/openfile.h"

/*
 * Adds what a block tells to the catalog; damage is counted. False when memory runs out.
 */
bool reader_take(struct trawl_reader *r, const struct walked *f);

#endif
