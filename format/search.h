/* SPDX-License-Identifier: MIT */
/* Binary search: common/search.h once more, as the library includes nothing of the programs. */
#ifndef TRAWL_FORMAT_SEARCH_H
#define TRAWL_FORMAT_SEARCH_H

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

#endif
