/* SPDX-License-Identifier: MIT */
#ifndef TRAWL_COMMON_FNV_H
#define TRAWL_COMMON_FNV_H

#include <stddef.h>
#include <stdint.h>

/*
 * FNV-1a of p[0 .. n), for hash tables. Chosen input can collide: callers must bound their tables.
 */
static inline uint64_t fnv1a(const void *p, size_t n)
{
	const unsigned char *c = p;
	uint64_t h = UINT64_C(0xcbf29ce484222325);

	while (n--)
		h = (h ^ *c++) * UINT64_C(0x100000001b3);
	return h;
}

#endif
