/* SPDX-License-Identifier: MIT */
/* Takes the blocks of an open file, one after another, into the catalog and the merge. */
#ifndef TRAWL_FORMAT_INTAKE_H
#define TRAWL_FORMAT_INTAKE_H

#include "format/openfile.h"

/* Takes one block; damage is counted. False when memory runs out. */
bool reader_take(struct trawl_reader *r, const struct walked *f);

#endif
