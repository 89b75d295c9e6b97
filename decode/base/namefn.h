/* SPDX-License-Identifier: MIT */
/* A function that takes names one by one: those of fields, or of their values. */
#ifndef TRAWL_DECODE_BASE_NAMEFN_H
#define TRAWL_DECODE_BASE_NAMEFN_H

typedef void decoder_name_fn(void *arg, const char *name);

#endif
