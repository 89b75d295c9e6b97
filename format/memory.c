/* SPDX-License-Identifier: MIT */
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>

#include "format/memory.h"

enum { HUGE_PAGE = 2 << 20, LARGE = 1 << 20 };

void *memory_new(size_t *size)
{
	void *p;

	if (*size < LARGE || *size > SIZE_MAX - HUGE_PAGE)
		return malloc(*size);
	*size = (*size + HUGE_PAGE - 1) & ~(size_t)(HUGE_PAGE - 1);
	p = aligned_alloc(HUGE_PAGE, *size);
	if (p)
		madvise(p, *size, MADV_HUGEPAGE); /* or small pages, where this fails */
	return p;
}

void *room_for(struct room *r, size_t size)
{
	if (size > r->cap || !r->p) {
		size_t cap = size + size / 4;

		free(r->p);
		r->p = memory_new(&cap);
		r->cap = r->p ? cap : 0;
	}
	return r->p;
}
