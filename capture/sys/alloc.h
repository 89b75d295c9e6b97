/* SPDX-License-Identifier: MIT */
/*
 * Allocation that ends the program with status 3 where there is no memory. What probes and specs
 * need is small and bounded. The exit cleans nothing up: the kernel drops the locks on this
 * process's instances, so that gc.c finds and removes them; COMMAND, which waits for its start,
 * ends.
 */
#ifndef TRAWL_CAPTURE_SYS_ALLOC_H
#define TRAWL_CAPTURE_SYS_ALLOC_H

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/array.h"

static inline void *alloc_checked(void *p)
{
	if (!p) {
		fputs("trawl: out of memory: end other programs, or ask for fewer probes; those "
		      "that were made are removed by the next run or trawl --gc\n",
		      stderr);
		exit(3);
	}
	return p;
}

static inline void *xcalloc(size_t n, size_t size)
{
	return alloc_checked(calloc(n ? n : 1, size));
}

static inline char *xstrdup(const char *s)
{
	return alloc_checked(strdup(s));
}

static inline char *xstrndup(const char *s, size_t n)
{
	return alloc_checked(strndup(s, n));
}

__attribute__((format(printf, 1, 2))) static inline char *xasprintf(const char *fmt, ...)
{
	char *s;
	va_list ap;

	va_start(ap, fmt);
	if (vasprintf(&s, fmt, ap) < 0)
		s = NULL;
	va_end(ap);
	return alloc_checked(s);
}

/* array_grow() that does not fail. */
#define xgrow(array, n) ((void)(array_grow(array, n) || alloc_checked(NULL)))

#endif
