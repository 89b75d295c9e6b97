/* SPDX-License-Identifier: MIT */
/* Large memory that is kept between uses. */
#ifndef TRAWL_FORMAT_MEMORY_H
#define TRAWL_FORMAT_MEMORY_H

#include <stddef.h>

/*
 * At least *size bytes for free(); *size becomes what there is. Large pieces are made of huge
 * pages, where the kernel has them: going through columns misses the TLB for a fifth of the time
 * otherwise. NULL when memory runs out.
 */
void *memory_new(size_t *size);

/* Memory that only grows. Zeroed at first; free(r.p) at the end. */
struct room {
	void *p;
	size_t cap;
};

/* At least `size` bytes with undefined contents, or NULL. */
void *room_for(struct room *r, size_t size);

#endif
