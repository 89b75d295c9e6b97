/* SPDX-License-Identifier: MIT */
/* Search in arrays. */
#ifndef TRAWL_COMMON_SEARCH_H
#define TRAWL_COMMON_SEARCH_H

#include <stddef.h>

/*
 * How many of the n elements of a sorted array come before the point that `before` describes: an
 * expression of the index i, true of the first elements and false of all after them.
 *
 *	first = partition_point(n, i, list[i].vaddr < vaddr);
 */
#define partition_point(n, i, before) \
	({ \
		size_t low_ = 0, high_ = (n); \
		while (low_ < high_) { \
			size_t i = low_ + (high_ - low_) / 2; \
			if (before) \
				low_ = i + 1; \
			else \
				high_ = i; \
		} \
		low_; \
	})

/*
 * A pointer to the first element of an array whose member has the value, or NULL. Evaluates `value`
 * for each element.
 */
#define find_by(array, member, value) \
	({ \
		__typeof__(&(array)[0]) found_ = NULL; \
		for (size_t i_ = 0; !found_ && i_ < sizeof(array) / sizeof((array)[0]); i_++) \
			if ((array)[i_].member == (value)) \
				found_ = &(array)[i_]; \
		found_; \
	})

#endif
