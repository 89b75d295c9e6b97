/* SPDX-License-Identifier: MIT */
/*
 * Duplicate events: two readers of usbmon recorded the same event, in a capture that merges their
 * output (usbmon0 delivers the events of all buses, usbmon1 those of bus 1).
 *
 * The two records differ only in the time, which each reader takes itself, some microseconds apart.
 * Records stand in the file in the order in which the readers wrote them, so the duplicate of a
 * submission may follow the completion. An event is a duplicate if an equal event of the same URB
 * is at most DUPLICATE_WINDOW away and the URB was not completed and submitted again in between: no
 * URB is submitted or completed twice.
 */
#ifndef TRAWL_DECODE_USB_DUPLICATE_H
#define TRAWL_DECODE_USB_DUPLICATE_H

#include "decode/usb/urb.h"

#define DUPLICATE_WINDOW UINT64_C(100000) /* ns */

struct duplicates;

/* An event, as far as it is kept for comparison. */
struct seen_event {
	uint64_t hash, time;
	char type;         /* 0: unused */
	bool doubled;      /* its duplicate was found */
	/* the rule by which its data is masked; set by the caller, initially NULL */
	const char *secret;
};

struct duplicates *duplicates_new(void); /* Returns NULL if memory runs out. */
void duplicates_free(struct duplicates *d);

/*
 * Processes one half of a transfer, in file order; `time` is on the timeline, ns. Returns the kept
 * event, valid until the next call. *is_second is set if u is a duplicate of that event.
 */
struct seen_event *duplicates_take(struct duplicates *d, const struct urb *u, uint64_t time,
				   const void *record, size_t len, bool *is_second);

/* Whether two readers record the bus: the last events of the bus were duplicated. */
bool duplicates_on(const struct duplicates *d, uint16_t bus);

/* Returns the number of duplicates, and in *apart their largest distance from the original (ns). */
uint64_t duplicates_count(const struct duplicates *d, uint64_t *apart);

#endif
