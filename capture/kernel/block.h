/* SPDX-License-Identifier: MIT */
/* Events of disk requests, which belong to the task that asked for the sectors. */
#ifndef TRAWL_CAPTURE_KERNEL_BLOCK_H
#define TRAWL_CAPTURE_KERNEL_BLOCK_H

#include "capture/source.h"

struct trace;

/*
 * Makes the recording's events that have `dev`, `sector` and `nr_sector` belong to the task that
 * asked for these sectors. Called after its events were added. The source calls block_start(),
 * block_drain() and block_free(). Returns 0, or -1 with *err.
 */
int block_follow(struct trace *t, struct trawl_error *err);
int block_start(struct input *in, struct trawl_error *err);
int block_drain(struct input *in, struct trawl_error *err);
uint64_t block_reached(const struct input *in);

/* In the struct source of events on block requests. */
#define BLOCK_RECORDING                                                                           \
	TRACE_SOURCE, .start = block_start, .drain = block_drain, .reached = block_reached,       \
		.rotate = trace_rotate, .discard = trace_discard, .close = trace_close
void block_free(struct input *in);

#endif
