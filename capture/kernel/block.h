/* SPDX-License-Identifier: MIT */
/* Selects events of disk requests by the task that wants the sectors. */
#ifndef TRAWL_CAPTURE_KERNEL_BLOCK_H
#define TRAWL_CAPTURE_KERNEL_BLOCK_H

#include "capture/source.h"

struct trace;

/*
 * Makes events with `dev`, `sector` and `nr_sector` belong to the task that wants these sectors.
 * Call after all events were added. The source then uses block_start() and block_drain(). Returns
 * 0, or -1 with *err.
 */
int block_follow(struct trace *t, struct trawl_error *err);
int block_start(struct input *in, struct trawl_error *err);
int block_drain(struct input *in, struct trawl_error *err);
uint64_t block_reached(const struct input *in);

/* Initialises functions in the struct source of events of disk requests. */
#define BLOCK_RECORDING                                                                           \
	TRACE_SOURCE, .start = block_start, .drain = block_drain, .reached = block_reached,       \
		.rotate = trace_rotate, .discard = trace_discard, .close = trace_close

/* disarm() of a source of events of disk requests that are made by hist pairs. */
void block_pair_disarm(struct input *in);

#endif
