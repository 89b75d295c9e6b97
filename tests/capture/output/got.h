/* SPDX-License-Identifier: MIT */
/*
 * For tests of buffers: events whose record is a single letter, and the sequence in which they come
 * out.
 */
#ifndef TRAWL_TESTS_CAPTURE_OUTPUT_GOT_H
#define TRAWL_TESTS_CAPTURE_OUTPUT_GOT_H

#include <string.h>

#include "capture/output/pending.h"

/* Records that emit() received, as letters. */
struct got {
	char text[64];
	size_t n, most;
};

static inline int emit(const struct pending_event *e, void *arg, struct trawl_error *err)
{
	struct got *got = arg;

	if (got->n == got->most)
		return trawl_fail(err, TRAWL_CANNOT, "full");
	memcpy(got->text + got->n++, e->record.data, e->record.len);
	return 0;
}

#endif
