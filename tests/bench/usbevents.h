/* SPDX-License-Identifier: MIT */
/* Made-up USB traffic for the model of usbmon's ring. */
#ifndef TRAWL_TESTS_BENCH_USBEVENTS_H
#define TRAWL_TESTS_BENCH_USBEVENTS_H

#include "capture/usb/usbmon.h"

/*
 * Event n of a stream of transfers on a few endpoints of two devices: submission and completion
 * in turn, the data of IN with the completion. Time begins at the first call, because a capture
 * drops what is older than its beginning, and goes on by a few µs an event. Ids come from a small
 * pool. Of every four words of data so many are noise and the others counters: 1 is like sensor
 * readings and file contents, 4 like pictures and compressed files. Returns the length of the data;
 * data NULL: that is left alone.
 */
size_t usbevents_make(uint64_t n, size_t payload, unsigned int noise, struct usbmon_header *h,
		      uint8_t *data);

/*
 * Fills the ring; returns the events in it. Once it has been full, bulk stays and only gets new
 * headers: a pause for making it would be time to compress what came before, which a busy bus does
 * not give.
 */
uint64_t usbevents_fill(uint64_t *n, uint64_t most, size_t payload, unsigned int noise,
			uint64_t *bytes);

#endif
