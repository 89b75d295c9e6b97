/* SPDX-License-Identifier: MIT */
/* The clocks in ns, as time stamps and metadata have them, and in ms for timeouts. */
#ifndef TRAWL_CAPTURE_SYS_CLOCK_H
#define TRAWL_CAPTURE_SYS_CLOCK_H

#include <stdint.h>
#include <time.h>

static inline uint64_t clock_ns(clockid_t clock)
{
	struct timespec t;

	clock_gettime(clock, &t);
	return (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
}

static inline uint64_t mono_now(void)
{
	return clock_ns(CLOCK_MONOTONIC);
}

static inline uint64_t mono_ms(void)
{
	return mono_now() / 1000000;
}

#endif
