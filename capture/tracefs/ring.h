/* SPDX-License-Identifier: MIT */
/*
 * Sub-buffers of the kernel's trace ring buffer, as read() of per_cpu/cpuN/trace_pipe_raw gives
 * them: how to walk one, and how to drain a CPU.
 *
 * A sub-buffer (include/linux/ring_buffer.h, kernel/trace/ring_buffer.c):
 *
 *	u64 time_stamp | long commit | events ...
 *
 * where commit's low 30 bits are the bytes of events, bit 31 says that events were lost before
 * this sub-buffer, and bit 30 that their number follows the events as one more long. Where these
 * fields are is in the instance's events/header_page. An event starts with a u32:
 *
 *	type_len:5 | time_delta:27
 *	 1 .. 28  data of 4 * type_len bytes
 *	 0        u32 length (itself included), data
 *	29        padding: with time_delta 0 the rest is empty, else u32 length to skip (discarded)
 *	30        u32: bits 27.. of the delta of the next event ("time extend")
 *	31        u32: bits 27..58 of an absolute time; the upper five are those of the time so far
 *
 * Every delta counts, that of a discarded event as well.
 */
#ifndef TRAWL_CAPTURE_TRACEFS_RING_H
#define TRAWL_CAPTURE_TRACEFS_RING_H

#include "format/trawl.h"

struct ring_layout {
	uint32_t time_at;                /* u64 */
	uint32_t commit_at, commit_size; /* 4 or 8 */
	uint32_t data_at, data_size;     /* together the size of a sub-buffer */
};

/* Parses events/header_page. */
int ring_layout_parse(const char *text, struct ring_layout *l, struct trawl_error *err);

/* Where a walk through a sub-buffer is. */
struct ring_page {
	const uint8_t *at, *end;
	uint64_t ts;   /* of the event that ring_page_next() gave last */
	uint64_t lost; /* events lost before this sub-buffer; UINT64_MAX: some, number not known */
};

struct ring_event {
	uint64_t ts;
	const uint8_t *data; /* not aligned */
	uint32_t len;        /* a multiple of 4 */
};

/*
 * Starts a walk through len bytes of a sub-buffer. Nothing in it is believed: -1 for lengths that
 * do not fit.
 */
int ring_page_start(struct ring_page *p, const struct ring_layout *l, const void *page, size_t len);

/* The next event with data: 1, 0 at the end, -1 for a length that does not fit. */
int ring_page_next(struct ring_page *p, struct ring_event *ev);

#endif
