/* SPDX-License-Identifier: MIT */
/* Memory that lacks on demand, in a test program that includes this once. */
#ifndef TRAWL_TESTS_CAPTURE_LACKMEMORY_H
#define TRAWL_TESTS_CAPTURE_LACKMEMORY_H

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>

static bool memory_lacks;

/* In the place of libc's: what grows an array (common/array.h). */
void *reallocarray(void *p, size_t n, size_t size)
{
	if (!memory_lacks)
		return realloc(p, n * size);
	errno = ENOMEM;
	return NULL;
}

#endif
