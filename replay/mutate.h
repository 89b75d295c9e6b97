/* SPDX-License-Identifier: MIT */
/*
 * Captures of a device that does not behave: a tape, with a few things changed that a broken or
 * hostile device could do. Descriptors have other bytes, lengths and copies; answers have other
 * data, are short, are refused, fail, come late or never; the device is unplugged. What a run
 * changes depends on the seed and the run's number alone.
 */
#ifndef TRAWL_REPLAY_MUTATE_H
#define TRAWL_REPLAY_MUTATE_H

#include <stdio.h>

#include "replay/tape.h"

/*
 * Writes a pcap file (link type 220) of the device in this run; run 0 changes nothing. Of a long
 * tape only the beginning.
 * 0, or -1 with *err.
 */
int mutate_capture(const struct tape *t, uint64_t seed, uint64_t run, FILE *out,
		   struct trawl_error *err);

#endif
