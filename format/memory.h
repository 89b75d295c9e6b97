/* SPDX-License-Identifier: MIT */
/* Large buffers that are kept between uses, and the memory limit of a reader. */
#ifndef TRAWL_FORMAT_MEMORY_H
#define TRAWL_FORMAT_MEMORY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct trawl_error;
struct trawl_memory;

/* The number of elements of an array, not of a pointer to one. */
#define ARRAY_SIZE(array) (sizeof(array) / sizeof((array)[0]))

/*
 * Allocates at least *size bytes, to be freed by free(); sets *size to the usable size. Large
 * buffers use huge pages if the kernel has them: otherwise a fifth of the time of decoding is TLB
 * misses. Returns NULL if memory runs out.
 */
void *memory_new(size_t *size);

/*
 * Makes room for `need` elements in an array with a capacity of *room, which at least doubles.
 * `array` is the address of the pointer to its elements, which have `size` bytes. Returns false if
 * memory runs out, and leaves the array unchanged.
 */
bool array_grow(void *array, size_t *room, size_t need, size_t size);
#define array_reserve(array, room, need) \
	((need) <= (room) || array_grow(&(array), &(room), (need), sizeof(*(array))))

/*
 * Limits the memory of a reader, because a small file can ask for any amount. All parts of the
 * reader take from its budget, and all readers that share a struct trawl_memory from that.
 */
struct budget {
	struct trawl_memory *memory; /* NULL: no limit */
	uint64_t used;         /* bytes of memory->used that this reader took */
	const char *refused;   /* what exceeded the limit, for the error; NULL: nothing so far */
	bool exhausted;        /* malloc() failed: blocks that were not read may be undamaged */
};

/* Fills *err: `what` of the file `name` exceeds the limit. Returns -1. */
int memory_refused(const struct trawl_memory *memory, const char *name, const char *what,
		   struct trawl_error *err);
/* Takes n bytes for `what`. Returns false if that exceeds the limit. b NULL: no limit. */
bool budget_take(struct budget *b, uint64_t n, const char *what);
/* As array_reserve(), with the memory taken from the budget, for `what`. */
bool budget_array(struct budget *b, void *array, size_t *room, size_t need, size_t size,
		  const char *what);
#define budget_reserve(b, array, room, need, what)                                                 \
	budget_array(b, &(array), &(room), need, sizeof(*(array)), what)
void budget_return(struct budget *b, uint64_t n);
/* What other readers leave of the limit for this one. Not for a budget without one. */
uint64_t budget_share(const struct budget *b);

/* Whether anything was not read because of the limit, or because malloc() failed. */
static inline bool budget_failed(const struct budget *b)
{
	return b->refused || b->exhausted;
}

/*
 * A buffer that only grows. Initialised with zeros; freed by room_free(), or by free(r.p) if it has
 * no budget.
 */
struct room {
	void *p;
	size_t cap;
	struct budget *budget; /* that its memory is taken from; NULL: none */
};

/* Returns at least `size` uninitialised bytes, valid until the next call; NULL: out of memory. */
void *room_for(struct room *r, size_t size);
void room_free(struct room *r);

#endif
