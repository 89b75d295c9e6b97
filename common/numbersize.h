/* SPDX-License-Identifier: MIT */
/* The sizes of numbers in records and registers. */
#ifndef TRAWL_COMMON_NUMBERSIZE_H
#define TRAWL_COMMON_NUMBERSIZE_H

#include <stdbool.h>
#include <stddef.h>

static inline bool is_number_size(size_t size)
{
	return size == 1 || size == 2 || size == 4 || size == 8;
}

#endif
