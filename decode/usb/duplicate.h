/* SPDX-License-Identifier: MIT */
/*
 * Duplicate events: one event that two readers of usbmon recorded, in a capture that merges both
 * (usbmon0 has the events of every bus, usbmon1 those of bus 1).
 *
 * Both records are equal in all but the time: each reader takes its own, some microseconds apart.
 * The readers' records are interleaved as they were written, so that the second record of a
 * submission may stand behind the completion. An event is a duplicate if an equal one of the same
 * URB is at most DUPLICATE_WINDOW away and the URB was not completed and submitted again in
 * between: no URB is submitted or completed twice.
 */
#ifndef TRAWL_DECODE_USB_DUPLICATE_H
#define TRAWL_DECODE_USB_DUPLICATE_H

#include "decode/usb/urb.h"

#define DUPLICATE_WINDOW UINT64_C(100000) /* ns */

struct duplicates;

/* One event, as it is kept for comparison. */
struct seen_event {
	uint64_t hash, time;
	char type;         /* 0: unused */
	bool doubled;      /* its second record came */
	const char *secret; /* the rule that masks its data; set by the caller, NULL at first */
};

struct duplicates *duplicates_new(void); /* Returns NULL if memory runs out. */
void duplicates_free(struct duplicates *d);

/*
 * Processes one half of a transfer, in file order; `time` is on the timeline, ns. Returns the kept
 * event, valid until the next call; *is_second tells that u is the second record of that event.
 */
struct seen_event *duplicates_take(struct duplicates *d, const struct urb *u, uint64_t time,
				   const void *record, size_t len, bool *is_second);

/* Whether the bus is recorded by two readers now: its last events came twice. */
bool duplicates_on(const struct duplicates *d, uint16_t bus);

/* How many second records there were, and by how much at most (ns) they differ from the first. */
uint64_t duplicates_count(const struct duplicates *d, uint64_t *apart);

#endif
