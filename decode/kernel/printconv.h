/* SPDX-License-Identifier: MIT */
/* The conversions of a print format, such as "%-16s". */
#ifndef TRAWL_DECODE_KERNEL_PRINTCONV_H
#define TRAWL_DECODE_KERNEL_PRINTCONV_H

#include "decode/kernel/printeval.h"

/* Appends n pieces of e->f, starting with `first`, for the record of e. */
void printfmt_pieces(struct eval *e, size_t first, size_t n, struct out *o);

#endif
