/* SPDX-License-Identifier: MIT */
/*
 * --join tells which task caused a USB transfer: under its line, or in its JSON object.
 *
 * usbmon does not say which task a transfer is of. Two things tell:
 *
 *	the URB		an event that names it (xhci-hcd:xhci_urb_enqueue: field `urb`) ran in the
 *			task that submitted it
 *	the sector	a request to the block layer (block:block_rq_issue and the like, or an
 *			eprobe on one: field `sector`) for the sectors of the SCSI command that a
 *			storage transfer carries
 *
 * With the task come its last probe events (USDT, uprobe, eprobe) within the window before that
 * event. Events of before the transfer's completion are known when it is shown; nothing here looks
 * ahead.
 *
 * The cause of a SCSI command is searched once, in the window before its submission; its data and
 * its status have the same one, or none. Events for the same sectors may be of another disk, of a
 * request that waits behind this one, or of one that has ended: each event is the cause of one
 * command, the disk must be one, and events of completions are nobody's doing. A request that the
 * block layer splits is queued once, for all its parts.
 */
#ifndef TRAWL_DECODE_QUERY_JOIN_H
#define TRAWL_DECODE_QUERY_JOIN_H

#include "decode/query/stream.h"

struct join;

enum { JOIN_PROBES = 3, JOIN_MOST = 2 + JOIN_PROBES };

enum join_how { JOIN_URB, JOIN_SECTORS, JOIN_PROBE };

/* What a task did. The texts live until the next join_see(). */
struct join_cause {
	enum join_how how;
	int32_t tid;
	const char *comm, *name; /* comm is "" if not known */
	int64_t before;          /* ns from there to the transfer's begin; negative: it came
				  * after */
};

struct join_causes {
	size_t n;
	struct join_cause cause[JOIN_MOST];
};

/* window in ns. NULL without memory. */
struct join *join_new(uint64_t window);
void join_free(struct join *j);

/* At the end: where nothing was joined a line on standard error says why. */
void join_tell(const struct join *j);

/* Takes the next item, in order of time; of a USB transfer it tells whose doing it was. */
void join_see(struct join *j, const struct decoder *d, void *state, const struct item *it,
	      struct join_causes *causes);

/* A consumer that hands everything to `inner` and writes below a transfer's line to out. */
struct consumer *join_consumer(struct join *j, struct consumer *inner, struct out *out);

#endif
