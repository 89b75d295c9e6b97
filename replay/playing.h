/* SPDX-License-Identifier: MIT */
/* The player between its files: player.c has the loop and the data, requests.c what goes to
 * endpoint 0. */
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
	uint32_t *entries, n, next; /* of the tape */
	uint32_t offset;            /* bytes of the next entry that are through; of isochronous:
				     * packets */
	uint32_t within;            /* isochronous: bytes of it that are through */
	struct echo_fields echo;
	struct usbip_urb *first, **last; /* reads that wait; isochronous URBs of both directions */
	uint64_t asked;             /* when the first came; 0: none has */
	uint64_t given;             /* when the last answer was given */
	uint64_t recorded;          /* when that one was on the tape */
	uint64_t slot;              /* isochronous: when the next packet is due */
	bool is_storage;
	bool unlinked;              /* a read, since the last answer */
};

/* Where the sender of an OUT transfer of the tape is found again. */
struct sent {
	uint32_t entry;
	uint8_t *data; /* what the host sent this time, its front */
	uint32_t n;
};

/* An answer to a request that waits for its time. */
struct delayed {
	struct usbip_urb *urb;
	const uint8_t *data;
	uint32_t n;
	int32_t status;
	uint64_t due;
	struct delayed *next;
};

/*
 * PLAYER_ENUMERATED ─the host sent what is on the tape─> PLAYER_BEGUN ─the connection broke─>
 * PLAYER_GONE
 *         └───────────────────────────the connection broke────────────────────────────────────────┘
 *
 *	PLAYER_ENUMERATED  the host asks for descriptors, and it may do so in its own order
 *	PLAYER_BEGUN       something that the host sent was on the tape
 *	PLAYER_GONE        nothing is read or answered any more
 */
enum player_state { PLAYER_ENUMERATED, PLAYER_BEGUN, PLAYER_GONE };

struct player {
	enum player_state state;
	struct tape *tape;
	struct player_options options;
	struct verdict *verdict;
	struct standard standard;
	struct endpoint endpoints[32]; /* number, + 16 for IN */
	uint32_t *requests, nrequests; /* entries of endpoint 0 */
	struct storage *storage;
	struct delayed *delayed;
	struct sent sent[16];          /* the last of each OUT endpoint */
	struct usbip *usbip;
	uint64_t now, progress;        /* when something of the tape happened last */
	uint8_t *scratch;
	size_t scratch_room;
	uint64_t waiting;              /* entries that are not used yet */
};

/* requests.c: answers a request to endpoint 0, now or later. */
void playing_request(struct player *p, struct usbip_urb *u);

/* player.c */
/* Need a host not do this again? */
bool playing_optional(const struct tape_entry *e);
/* This recorded transfer has happened, as it was or otherwise. */
void playing_use(struct player *p, struct tape_entry *e, bool same);
/* Before the first that is on the tape of a capture that began later, a host sets the device up. */
bool playing_before(const struct player *p);
/* Answers and frees an URB. */
void playing_answer(struct player *p, struct usbip_urb *u, int32_t status, const void *data,
		    uint32_t n);
/* It waits, for an answer of the tape or until it is unlinked. */
void playing_queue(struct player *p, struct usbip_urb *u);

#endif
