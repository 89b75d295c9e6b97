/* SPDX-License-Identifier: MIT */
/*
 * Makes captures of a misbehaving device: a tape with a few changes that a broken or hostile device
 * could make. Descriptors have other bytes, other lengths or copies; answers have other data, are
 * short, are refused, fail, come late or never; the device is unplugged. The changes of a run
 * depend only on the seed and the run's number.
 */
#ifndef TRAWL_REPLAY_MUTATE_H
#define TRAWL_REPLAY_MUTATE_H

#include <stdio.h>

#include "replay/tape.h"

/*
 * Writes the device of this run as a pcap file (link type 220); run 0 is without changes. Of a long
 * tape only the first 256 KiB are used. Returns 0, or -1 with *err.
 */
int mutate_capture(const struct tape *t, uint64_t seed, uint64_t run, FILE *out,
		   struct trawl_error *err);

#endif
