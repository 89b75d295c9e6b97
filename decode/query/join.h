/* SPDX-License-Identifier: MIT */
/*
 * --join shows which task caused a USB transfer, below its line or in its JSON object.
 *
 * usbmon does not record the task of a transfer. It is found by:
 *
 *	the URB		an event with its address (xhci-hcd:xhci_urb_enqueue: field `urb`),
 *			recorded in the task that submitted it
 *	the sector	a request to the block layer (block:block_rq_issue and the like, or an
 *			eprobe on one: field `sector`) for the sectors of the SCSI command that a
 *			storage transfer carries
 *
 * The task is shown with its last probe events (USDT, uprobe, eprobe) within the window before that
 * event. Only events before the transfer's completion count: nothing looks ahead.
 *
 * The cause of a SCSI command is searched once, in the window before its submission; the command's
 * data and status transfers have the same cause, or none. An event for the same sectors may be of
 * another disk, of a later request, or of one that has ended. Therefore an event causes only one
 * command, all candidates must be of one disk, and completion events do not count. A request that
 * the block layer splits has one event for all its parts.
 */
#ifndef TRAWL_DECODE_QUERY_JOIN_H
#define TRAWL_DECODE_QUERY_JOIN_H

#include "decode/query/stream.h"

struct join;

enum { JOIN_PROBES = 3, JOIN_MOST = 2 + JOIN_PROBES };

enum join_how { JOIN_URB, JOIN_SECTORS, JOIN_PROBE };

/* An event that caused a transfer. The texts are valid until the next join_see(). */
struct join_cause {
	enum join_how how;
	int32_t tid;
	const char *comm, *name; /* comm is "" if not known */
	int64_t before;          /* ns from the event to the transfer's begin; may be negative */
};

struct join_causes {
	size_t n;
	struct join_cause cause[JOIN_MOST];
};

/* window: ns. Returns NULL if memory runs out. */
struct join *join_new(uint64_t window);
void join_free(struct join *j);

/* Call at the end: if nothing was joined, prints the reason to stderr. */
void join_report(const struct join *j);

/* Takes the next item, in time order. For a USB transfer, gets its causes. */
void join_see(struct join *j, const struct decoder *d, void *state, const struct item *it,
	      struct join_causes *causes);

/*
 * Returns a consumer that passes all items to `inner` and writes the causes below a transfer's line
 * to out.
 */
struct consumer *join_consumer(struct join *j, struct consumer *inner, struct out *out);

#endif
