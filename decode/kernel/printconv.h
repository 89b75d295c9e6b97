/* SPDX-License-Identifier: MIT */
/* The conversions of a print format, such as "%-16s". */
#ifndef TRAWL_DECODE_KERNEL_PRINTCONV_H
#define TRAWL_DECODE_KERNEL_PRINTCONV_H

#include "decode/kernel/printexpr.h"
#include "decode/kernel/symbols.h"

/* Appends n pieces starting with `first`. */
void printfmt_pieces(struct printfmt *f, size_t first, size_t n, const struct symbols *symbols,
		     const void *record, size_t len, struct out *o);

#endif
