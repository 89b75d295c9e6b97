/* SPDX-License-Identifier: MIT */
/*
 * The number of elements of an array, and growing arrays, for the programs. libtrawl has its own in
 * format/memory.h.
 *
 * array_grow(), array_reserve() and array_extend() return false if memory runs out, and leave the
 * array unchanged. They evaluate their arguments more than once. The owner frees the array by
 * free().
 */
#ifndef TRAWL_COMMON_ARRAY_H
#define TRAWL_COMMON_ARRAY_H

#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* The number of elements of an array, not of a pointer to one. */
#define ARRAY_SIZE(array) (sizeof(array) / sizeof((array)[0]))

/*
 * Makes room for one element after the n of an array that starts as NULL and grows only by this
 * macro: the capacity is not stored, it doubles whenever n is a power of two.
 */
#define array_grow(array, n) \
	(((n) & ((n) - 1)) || array_resize(&(array), (n) ? 2 * (size_t)(n) : 1, sizeof(*(array))))

/* Makes room for `need` elements. room: the capacity, which at least doubles. */
#define array_reserve(array, room, need)                                                           \
	((need) <= (room) ||                                                                       \
	 (array_resize(&(array), array_room((room), (need)), sizeof(*(array))) &&                  \
	  ((room) = array_room((room), (need)))))

/* Extends an array of n elements to at least `need`; new elements are zero. */
#define array_extend(array, n, need) \
	((need) <= (n) || (array_resize(&(array), (need), sizeof(*(array))) && \
			   memset((array) + (n), 0, ((need) - (n)) * sizeof(*(array))) && \
			   ((n) = (need))))

/* Resizes to n elements of `size` bytes. at: the address of the pointer to the elements. */
static inline bool array_resize(void *at, size_t n, size_t size)
{
	void *array;

	memcpy(&array, at, sizeof(array));
	array = reallocarray(array, n, size);
	if (!array)
		return false;
	memcpy(at, &array, sizeof(array));
	return true;
}

static inline size_t array_room(size_t room, size_t need)
{
	size_t more = room ? 2 * room : 16;

	return more < need ? need : more;
}

#endif
