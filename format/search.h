/* SPDX-License-Identifier: MIT */
/*
 * Binary search; the same as common/search.h, because the library includes nothing from the
 * programs.
 */
#ifndef TRAWL_FORMAT_SEARCH_H
#define TRAWL_FORMAT_SEARCH_H

#include <stddef.h>

/*
 * Returns how many of the n elements of a sorted array satisfy `before`, an expression of the index
 * i that is true for the first elements and false for all others.
 *
 * first = partition_point(n, i, list[i].vaddr < vaddr);
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
