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
 * Every delta counts, that of a discarded event as well. Where a discarded event had a delta of 0,
 * the kernel writes 1, because 0 would mean the other padding.
 *
 * The kernel's own reader ignores the deltas of discarded events (rb_update_read_stamp(), Linux 6.1
 * to 6.12 at least). A read() may return the first part of the sub-buffer that is being written.
 * The next read() returns the rest, whose time_stamp is the time of the kernel's reader: it is too
 * early by those deltas, which may be seconds. (The kernel discards an event if one of its triggers
 * wrote another event meanwhile, as at-exit and synth do.) So a walk keeps the time of the kernel's
 * reader beside the true time. If a sub-buffer begins with exactly the former, the walk continues
 * from the true time.
 */
#ifndef TRAWL_CAPTURE_TRACEFS_RING_H
#define TRAWL_CAPTURE_TRACEFS_RING_H

#include <string.h>

#include "format/trawl.h"

/* Reads from a sub-buffer or a record, which are not aligned. */
static inline uint32_t ring_u32(const uint8_t *p)
{
	uint32_t v;

	memcpy(&v, p, sizeof(v));
	return v;
}

static inline uint64_t ring_u64(const uint8_t *p)
{
	uint64_t v;

	memcpy(&v, p, sizeof(v));
	return v;
}

struct ring_layout {
	uint32_t time_at;                /* u64 */
	uint32_t commit_at, commit_size; /* 4 or 8 */
	uint32_t data_at, data_size;     /* their sum is the size of a sub-buffer */
};

/* Parses events/header_page. Returns 0, or -1 with *err. */
int ring_layout_parse(const char *text, struct ring_layout *l, struct trawl_error *err);

/* The time at a position in a CPU's buffer. All zero before its first sub-buffer. */
struct ring_clock {
	uint64_t ts;
	uint64_t stamp; /* the time of the kernel's reader, without the deltas of discarded
			 * events */
};

/* The position of a walk through a sub-buffer. */
struct ring_page {
	const uint8_t *at, *end;
	struct ring_clock clock; /* at the event that ring_page_next() last returned */
	uint64_t lost; /* events lost before this sub-buffer; UINT64_MAX: an unknown number */
};

struct ring_event {
	uint64_t ts;
	const uint8_t *data; /* not aligned */
	uint32_t len;        /* a multiple of 4 */
};

/*
 * Starts a walk through len bytes of a sub-buffer, which must stay valid. before: the clock at the
 * end of the walk through the same CPU's last sub-buffer. Returns 0, or -1 for invalid lengths.
 */
int ring_page_start(struct ring_page *p, const struct ring_layout *l, const void *page, size_t len,
		    const struct ring_clock *before);

/* Finds the next event with data. Returns 1; 0 at the end; -1 for an invalid length. */
int ring_page_next(struct ring_page *p, struct ring_event *ev);

#endif
