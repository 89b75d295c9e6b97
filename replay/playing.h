/* SPDX-License-Identifier: MIT */
/*
 * Internals of the player, shared by player.c (the loop, the endpoints' queues), sentdata.c (bulk
 * and interrupt data from the host), reads.c (to the host), packets.c (isochronous packets) and
 * requests.c (endpoint 0).
 */
#ifndef TRAWL_REPLAY_PLAYING_H
#define TRAWL_REPLAY_PLAYING_H

#include "decode/usb/echofield.h"
#include "replay/playeroptions.h"
#include "replay/standard.h"
#include "replay/storage.h"

/* One endpoint in one direction. */
struct endpoint {
	uint8_t address;
	uint8_t xfer;
	const uint32_t *entries;    /* indexes of its tape entries */
	uint32_t n, next;           /* their number; the position in them */
	/* range of positions that has all cancelled entries that were not sent since */
	uint32_t cancelled, cancelled_end;
	/* bytes of the next entry that have been transferred; isochronous: packets */
	uint32_t offset;
	/*
	 * isochronous IN: bytes of the next entry that have been transferred; OUT: 1 if it differs
	 */
	uint32_t within;
	struct echo_fields echo;
	/* queue of waiting reads, and of isochronous URBs of both directions */
	struct usbip_urb *first, **last;
	uint64_t queued_at;         /* when the first read was queued; 0: none yet */
	uint64_t given;             /* when the last answer was sent, CLOCK_MONOTONIC */
	uint64_t recorded;          /* time of that answer on the tape */
	uint64_t slot;              /* isochronous: when the next packet is due */
	bool is_storage;
	uint32_t unlinked;          /* reads that the host cancelled since the last answer */
};

/* The last matched OUT transfer of an endpoint. */
struct sent {
	uint32_t entry;
	uint8_t *data; /* begin of the data that the host has sent now */
	uint32_t n;
};

/* An answer to a request that waits until it is due. */
struct delayed {
	struct usbip_urb *urb;
	const uint8_t *data;
	uint32_t n;
	int32_t status;
	uint64_t due;
	struct delayed *next;
};

/*
 * States of the player:
 *
 *	PLAYER_ENUMERATED  the host reads descriptors, in any order
 *	PLAYER_BEGUN       the host has sent something that is on the tape
 *	PLAYER_GONE        the connection is broken: nothing is read or answered any more
 *
 * ENUMERATED goes to BEGUN, and either of them to GONE.
 */
enum player_state { PLAYER_ENUMERATED, PLAYER_BEGUN, PLAYER_GONE };

struct player {
	enum player_state state;
	struct tape *tape;
	struct player_options options;
	struct verdict *verdict;
	struct standard standard;
	struct endpoint endpoints[32]; /* by endpoint number, + 16 for IN */
	uint32_t queued;               /* a bit for each endpoint that may have URBs waiting */
	uint32_t *requests, nrequests; /* tape entries of endpoint 0 */
	/*
	 * A linked list of the requests that the host may still send: element i + 1 has 1 + the
	 * index of the request after request i, element 0 that of the first; 0: none.
	 */
	struct filearray later;
	uint32_t latest;               /* number of leading requests of which any was played */
	uint32_t passed;               /* bytes that were answered since the last tape_release() */
	struct storage *storage;
	bool streams;                  /* a disk that the capture's host used by UAS instead */
	uint64_t compared;             /* number of entries that a host has to repeat */
	struct delayed *delayed;
	struct sent sent[16];          /* by OUT endpoint number */
	struct usbip *usbip;
	/* ns, CLOCK_MONOTONIC: now, and when a tape entry was last played */
	uint64_t now, progress;
	uint64_t asked;                /* when the host last sent a standard request */
	uint8_t *scratch;
	size_t scratch_room;
	uint64_t waiting;              /* number of leading entries that may still be unused */
};

static inline struct endpoint *playing_endpoint(struct player *p, uint8_t address)
{
	return &p->endpoints[(address & 15) + (address & 0x80 ? 16 : 0)];
}

/*
 * Answers a request to endpoint 0, now or later, and takes over u. (requests.c; where no file is
 * named, it is player.c)
 */
void playing_request(struct player *p, struct usbip_urb *u);

/* Lists the requests of the tape. Returns false without memory. (requests.c) */
bool requests_start(struct player *p);
/* True if a host need not repeat this entry. */
bool playing_optional(const struct tape_entry *e);
/* Marks an entry as played. same: as recorded; else with a difference. */
void playing_use(struct player *p, struct tape_entry *e, bool same);
/*
 * True while a host still sets up the device, before the first entry of a tape that began after
 * that.
 */
bool playing_before(const struct player *p);
/* Answers an URB and frees it. status: 0 or a negative errno; n: bytes transferred. */
void playing_answer(struct player *p, struct usbip_urb *u, int32_t status, const void *data,
		    uint32_t n);
/* Returns the next entry of the endpoint that is still to be matched, or NULL. */
struct tape_entry *playing_next_of(struct player *p, struct endpoint *e);
/* Goes on to the entry after it. */
void playing_advance(struct endpoint *e);
/* Takes the first URB of the endpoint's queue, which is not empty. */
struct usbip_urb *playing_take_urb(struct endpoint *e);

/* Compares data from the host with the tape, answers, and takes over u. (sentdata.c) */
void playing_take_out(struct player *p, struct usbip_urb *u);
/*
 * Notes that the host cancelled isochronous data that was not played, as it did in the capture.
 * (sentdata.c)
 */
void playing_cancel_packets(struct player *p, struct endpoint *e, const struct usbip_urb *u);

/*
 * When an answer is due, ns of CLOCK_MONOTONIC; UINT64_MAX while its cause has not been played.
 * (reads.c)
 */
uint64_t playing_due(const struct player *p, const struct endpoint *e, const struct tape_entry *x);
/*
 * Answers the endpoint's first read with the next entries, as far as they fit; the read exists and
 * the first entry, x, is due. (reads.c)
 */
void playing_answer_read(struct player *p, struct endpoint *e, struct tape_entry *x);

/* How long the packets of an isochronous URB lie apart, ns. (packets.c) */
uint64_t playing_packet_time(const struct player *p, const struct usbip_urb *u);
/* Answers the first URB in the queue of an isochronous IN endpoint. (packets.c) */
void playing_answer_packets(struct player *p, struct endpoint *e);
/* Compares the first URB of an isochronous OUT endpoint with the tape, and answers. (packets.c) */
void playing_take_packets(struct player *p, struct endpoint *e);
/* Queues an URB until an answer is due or the host cancels it. Takes over u. */
void playing_queue(struct player *p, struct usbip_urb *u);

#endif
