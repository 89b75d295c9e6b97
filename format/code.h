/* SPDX-License-Identifier: MIT */
/*
 * Codes of a column, which tell what predicted each event, packed: docs/format.md, "Codes".
 * One bit each if there is one predictor, two otherwise; the first event's in the lowest bits.
 */
#ifndef TRAWL_FORMAT_CODE_H
#define TRAWL_FORMAT_CODE_H

#include "format/bytes.h"

/* Appends n codes. `code` has n bytes and may be read 8 bytes beyond. */
void code_pack(uint8_t *code, uint32_t n, unsigned int npredictors, struct buf *out);

/* Reads n codes; up to 8 bytes after `code` are written as well. False: there are fewer. */
bool code_unpack(struct view *in, uint32_t n, unsigned int npredictors, uint8_t *code);

#endif
