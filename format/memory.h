/* SPDX-License-Identifier: MIT */
/* Large memory that is kept between uses. */
#ifndef TRAWL_FORMAT_MEMORY_H
#define TRAWL_FORMAT_MEMORY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The number of elements of an array, not of a pointer to one. */
#define ARRAY_SIZE(array) (sizeof(array) / sizeof((array)[0]))

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
 * The memory that a reader may use, since a small file can ask for any amount. All parts of the
 * reader count here what they use.
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

/* Memory that only grows. Starts all zero; ends by room_free(), or free(r.p) without a budget. */
struct room {
	void *p;
	size_t cap;
	struct budget *budget; /* where it counts; NULL: nowhere */
};

/* At least `size` bytes with undefined contents, or NULL. */
void *room_for(struct room *r, size_t size);
void room_free(struct room *r);

#endif
