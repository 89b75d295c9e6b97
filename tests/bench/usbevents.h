/* SPDX-License-Identifier: MIT */
/* Synthetic USB traffic for the model of usbmon's ring. */
#ifndef TRAWL_TESTS_BENCH_USBEVENTS_H
#define TRAWL_TESTS_BENCH_USBEVENTS_H

#include "capture/usb/usbmon.h"

/*
 * Makes event n of a stream of transfers on a few endpoints of two devices: submissions and
 * completions alternate, and IN data comes with the completion. Time starts at the first call,
 * because a capture drops events from before its start, and advances by a few µs for each event.
 * URB ids are taken from a small pool. noise: how many of four words are random, the others being
 * counters: 1 resembles sensor readings and file contents, 4 images and compressed files. Returns
 * the length of the data. If data is NULL, it is not written.
 */
size_t usbevents_make(uint64_t n, size_t payload, unsigned int noise, struct usbmon_header *h,
		      uint8_t *data);

/*
 * Fills the ring and returns the number of its events. After the ring was full once, bulk data
 * stays and only the headers are renewed: otherwise the pause for making the data would give the
 * recorder time to compress earlier data, which a busy bus does not.
 */
uint64_t usbevents_fill(uint64_t *n, uint64_t most, size_t payload, unsigned int noise,
			uint64_t *bytes);

#endif
