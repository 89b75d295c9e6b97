/* SPDX-License-Identifier: MIT */
/*
 * The packed codes of a column: docs/format.md, "Number columns". A code has one bit if the column
 * has one predictor, else two; that of the first event is in the lowest bits.
 */
#ifndef TRAWL_FORMAT_CODE_H
#define TRAWL_FORMAT_CODE_H

#include "format/bytes.h"

/* Appends n codes. `code` has room for 8 bytes after them, which are overwritten. */
void code_pack(uint8_t *code, uint32_t n, unsigned int npredictors, struct buf *out);

/* Reads n codes; up to 8 bytes after them are overwritten. False: there are fewer. */
bool code_unpack(struct view *in, uint32_t n, unsigned int npredictors, uint8_t *code);

#endif
