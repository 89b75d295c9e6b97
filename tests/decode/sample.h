/* SPDX-License-Identifier: MIT */
/*
 * Small captures made by libtrawl, for tests of all readers.
 *
 * sample_new() has two sources: "usdt" (app:start and app:stop, two sites, one of them with an
 * argument that must be computed and one that is unavailable) and "event" (sched:sched_switch); and
 * the hidden "task" source. See sample.c for the contents of the records.
 */
#ifndef TRAWL_TESTS_DECODE_SAMPLE_H
#define TRAWL_TESTS_DECODE_SAMPLE_H

#include "format/trawl.h"

#define SAMPLE_REAL 1795225477000000000ull /* 2026-11-21 01:44:37 UTC */
#define SAMPLE_MONO 5000000000ull          /* the same moment */

/*
 * Writes `events` events of app:start, one each ms from SAMPLE_MONO on, and the others. The first
 * site is in `function` ("main" if the test does not depend on it); the loss is on loss_cpu.
 * Returns 0 or -1.
 */
int sample_write(int fd, uint32_t events, const char *function, uint32_t loss_cpu,
		 struct trawl_error *err);

#endif
