/* SPDX-License-Identifier: MIT */
/* Large memory that is kept between uses. */
#ifndef TRAWL_FORMAT_MEMORY_H
#define TRAWL_FORMAT_MEMORY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * At least *size bytes for free(); *size becomes what there is. Large pieces are made of huge
 * pages, where the kernel has them: going through columns misses the TLB for a fifth of the time
 * otherwise. NULL when memory runs out.
 */
void *memory_new(size_t *size);

/*
 * Makes room for `need` elements in an array of *room, which at least doubles. False when memory
 * runs out: the array stays as it was. array: the address of the pointer to its elements of `size`
 * bytes.
 */
bool array_grow(void *array, size_t *room, size_t need, size_t size);
#define array_reserve(array, room, need) \
	((need) <= (room) || array_grow(&(array), &(room), (need), sizeof(*(array))))

/*
 * What a reader may use of memory. All of its parts count here, and who is refused says for what:
 * a small file can ask for any amount.
 */
struct budget {
	uint64_t most, used;   /* bytes; most 0: no limit */
	const char *refused;   /* what was asked for when it was too much; NULL: nothing so far */
	bool exhausted;        /* malloc() failed: what could not be read is not damaged */
};

enum { BUDGET_DEFAULT = 256 << 20 };

/* Counts n bytes more for this, unless that is too much. Without a budget there is no limit. */
bool budget_take(struct budget *b, uint64_t n, const char *what);
void budget_return(struct budget *b, uint64_t n);

/* Was anything not read for want of memory, of the budget or of all? */
static inline bool budget_failed(const struct budget *b)
{
	return b->refused || b->exhausted;
}

/* Memory that only grows. Zeroed at first; free(r.p) at the end, or room_free(). */
struct room {
	void *p;
	size_t cap;
	struct budget *budget; /* where it counts; NULL: nowhere */
};

/* At least `size` bytes with undefined contents, or NULL. */
void *room_for(struct room *r, size_t size);
void room_free(struct room *r);

#endif
