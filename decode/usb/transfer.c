/* SPDX-License-Identifier: MIT */
#include "decode/usb/transfer.h"

#include <stdlib.h>
#include <string.h>

#define BUCKET_BITS 14          /* mostly some hundred URBs are in flight, but losses leave more */
#define OPEN_MAX 65536          /* a file of submissions only must not eat all memory */
#define HELD_MAX (256u << 20)   /* bytes of submissions that are kept whole */
#define HELD_SHORT 4096         /* bytes kept of a submission beyond that */
#define ROOM_STEP 256           /* room for a short one comes in these: it is used again */

struct entry {
	struct transfer t; /* first: a struct transfer of ours is its entry */
	struct entry *next;          /* in its bucket, or in the free list */
	struct entry *older, *newer; /* of those that are open */
	size_t room;                 /* of t.copy */
};

struct transfers {
	struct entry *buckets[1 << BUCKET_BITS];
	struct entry *oldest, *newest;
	struct entry *free;
	struct entry *given; /* handed out by the last call */
	size_t open, held;
};

struct transfers *transfers_new(void)
{
	return calloc(1, sizeof(struct transfers));
}

static void free_list(struct entry *e, bool bucket)
{
	while (e) {
		struct entry *next = bucket ? e->newer : e->next;

		free(e->t.copy);
		free(e);
		e = next;
	}
}

static void reclaim(struct transfers *s)
{
	struct entry *e = s->given;

	if (!e)
		return;
	/* Large buffers are not hoarded: megabytes come and go with their transfer. */
	if (e->room > HELD_SHORT) {
		s->held -= e->room;
		free(e->t.copy);
		e->t.copy = NULL;
		e->room = 0;
	}
	e->next = s->free;
	s->free = e;
	s->given = NULL;
}

void transfers_free(struct transfers *s)
{
	if (!s)
		return;
	reclaim(s);
	free_list(s->oldest, true);
	free_list(s->free, false);
	free(s);
}

static size_t bucket_of(const struct urb *u)
{
	/* URB addresses are aligned: the low bits say nothing. */
	uint64_t h = (u->id >> 6 ^ (uint64_t)u->bus << 40) * UINT64_C(0x9e3779b97f4a7c15);

	return (size_t)(h >> (64 - BUCKET_BITS));
}

static struct entry **place_of(struct transfers *s, const struct urb *u)
{
	struct entry **at = &s->buckets[bucket_of(u)];

	while (*at && ((*at)->t.submit.id != u->id || (*at)->t.submit.bus != u->bus))
		at = &(*at)->next;
	return at;
}

/* Takes the entry at *at out of the table; it lives until the next call. */
static struct entry *take_out(struct transfers *s, struct entry **at)
{
	struct entry *e = *at;

	*at = e->next;
	*(e->older ? &e->older->newer : &s->oldest) = e->newer;
	*(e->newer ? &e->newer->older : &s->newest) = e->older;
	s->open--;
	s->given = e;
	return e;
}

static struct entry *blank(struct transfers *s)
{
	struct entry *e = s->free;
	uint8_t *copy;
	size_t room;

	if (!e)
		return calloc(1, sizeof(*e));
	s->free = e->next;
	copy = e->t.copy;
	room = e->room;
	memset(e, 0, sizeof(*e));
	e->t.copy = copy;
	e->room = room;
	return e;
}

static bool keep(struct transfers *s, struct entry *e, const void *record, size_t len)
{
	if (len > HELD_SHORT && s->held + len > HELD_MAX)
		len = HELD_SHORT;
	if (len > e->room || !e->t.copy) {
		size_t room = len > HELD_SHORT ? len : (len / ROOM_STEP + 1) * ROOM_STEP;
		uint8_t *copy = realloc(e->t.copy, room);

		if (!copy)
			return false;
		if (room > HELD_SHORT)
			s->held += room;
		e->t.copy = copy;
		e->room = room;
	}
	memcpy(e->t.copy, record, len);
	e->t.copy_len = len;
	return true;
}

static int submit(struct transfers *s, const struct urb *u, uint64_t time, const void *record,
		  size_t len)
{
	size_t bucket = bucket_of(u);
	struct entry *e = blank(s);

	if (!e)
		return -1;
	if (!keep(s, e, record, len)) {
		e->next = s->free;
		s->free = e;
		return -1;
	}
	urb_parse(&e->t.submit, e->t.copy, e->t.copy_len);
	/* What the caller knows better than the bytes: they lack the time and the number. */
	e->t.submit.time = u->time;
	e->t.submit.number = u->number;
	e->t.submit.type = u->type;
	e->t.submit.damage = u->damage;
	e->t.has_submit = true;
	e->t.submitted = time;
	e->t.end = TRANSFER_PENDING;
	e->next = s->buckets[bucket];
	s->buckets[bucket] = e;
	e->older = s->newest;
	*(s->newest ? &s->newest->newer : &s->oldest) = e;
	s->newest = e;
	s->open++;
	return 0;
}

int transfers_feed(struct transfers *s, const struct urb *u, uint64_t time, const void *record,
		   size_t len, struct transfer **done)
{
	struct entry **at, *e;

	reclaim(s);
	*done = NULL;
	at = place_of(s, u);
	if (u->type == 'S') {
		if (*at) {
			*done = &take_out(s, at)->t;
			(*done)->end = TRANSFER_UNANSWERED;
		} else if (s->open >= OPEN_MAX) {
			*done = transfers_drain(s);
		}
		return submit(s, u, time, record, len);
	}
	if (*at) {
		e = take_out(s, at);
	} else {
		e = blank(s);
		if (!e)
			return -1;
		s->given = e;
	}
	e->t.complete = *u;
	e->t.has_complete = true;
	e->t.completed = time;
	e->t.end = u->type == 'E' ? TRANSFER_ERROR : TRANSFER_DONE;
	*done = &e->t;
	return 0;
}

struct transfer *transfers_drain(struct transfers *s)
{
	reclaim(s);
	if (!s->oldest)
		return NULL;
	return &take_out(s, place_of(s, &s->oldest->t.submit))->t;
}

size_t transfers_open(const struct transfers *s)
{
	return s->open;
}

const struct urb *transfer_data(const struct transfer *t)
{
	const struct urb *u = transfer_urb(t);

	if (urb_in(u))
		return t->has_complete && t->complete.type == 'C' ? &t->complete : NULL;
	return t->has_submit ? &t->submit : NULL;
}

const uint8_t *transfer_setup(const struct transfer *t)
{
	if (t->has_submit && t->submit.has_setup)
		return t->submit.setup;
	return NULL;
}

uint64_t transfer_latency(const struct transfer *t)
{
	if (!t->has_submit || !t->has_complete || t->completed < t->submitted)
		return 0;
	return t->completed - t->submitted;
}
