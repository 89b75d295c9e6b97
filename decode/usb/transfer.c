/* SPDX-License-Identifier: MIT */
#include "decode/usb/transfer.h"
#include "common/array.h"

#include <stdlib.h>
#include <string.h>

/* usually some hundred URBs are in flight; losses leave more open */
#define BUCKET_BITS 14
#define OPEN_MAX 65536          /* bounds memory for files that contain only submissions */
#define HELD_MAX (256u << 20)   /* bytes of submissions that are stored completely */
#define HELD_SHORT 4096         /* bytes stored of each further submission */
/* allocation step for small submissions, so that buffers can be reused */
#define ROOM_STEP 256

struct entry {
	struct transfer t; /* must be first: a struct transfer is cast to its struct entry */
	struct entry *next;          /* in the bucket or the free list */
	struct entry *older, *newer; /* list of open submissions by age */
	size_t room;                 /* allocated bytes at t.copy */
};

struct half_pipe {
	struct half_pipe *next;
	struct urb key;
};

struct transfers {
	struct half_pipe *halves;
	struct entry *buckets[1 << BUCKET_BITS];
	struct entry *oldest, *newest;
	struct entry *free;
	struct entry *given; /* returned by the last call; recycled by the next one */
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
	/* Large buffers are freed instead of kept for reuse. */
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
	while (s->halves) {
		struct half_pipe *h = s->halves;

		s->halves = h->next;
		free(h);
	}
	free(s);
}

static size_t bucket_of(const struct urb *u)
{
	/* URB addresses are aligned, so their low bits are constant. */
	uint64_t h = (u->id >> 6 ^ (uint64_t)u->bus << 40) * UINT64_C(0x9e3779b97f4a7c15);

	return (size_t)(h >> (64 - BUCKET_BITS));
}

/* Whether both events belong to one pipe; a control pipe has both directions. */
static bool same_pipe(const struct urb *a, const struct urb *b)
{
	uint8_t apart = a->endpoint ^ b->endpoint;

	return a->bus == b->bus && a->device == b->device && a->xfer == b->xfer &&
	       (a->xfer == URB_CONTROL ? !(apart & 0x7f) : !apart);
}

/*
 * Sets the direction of a control transfer from bmRequestType, because other systems than Linux
 * always record endpoint 0x00. A request without data counts as OUT, as in Linux.
 */
static void set_direction(struct urb *u)
{
	if (u->xfer == URB_CONTROL && u->has_setup && (u->setup[6] | u->setup[7]))
		u->endpoint = (uint8_t)((u->endpoint & 0x7f) | (u->setup[0] & 0x80));
}

static struct entry **place_of(struct transfers *s, const struct urb *u)
{
	struct entry **at = &s->buckets[bucket_of(u)];

	while (*at && ((*at)->t.submit.id != u->id || !same_pipe(&(*at)->t.submit, u)))
		at = &(*at)->next;
	return at;
}

/* Removes the entry at *at from the table; it stays valid until the next call. */
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

		if (!array_resize(&e->t.copy, room, 1))
			return false;
		if (room > HELD_SHORT)
			s->held += room;
		e->room = room;
	}
	memcpy(e->t.copy, record, len);
	e->t.copy_len = len;
	return true;
}

static struct entry *submitted(struct transfers *s, const struct urb *u, uint64_t time,
			       const void *record, size_t len)
{
	struct entry *e = blank(s);

	if (!e)
		return NULL;
	if (!keep(s, e, record, len)) {
		e->next = s->free;
		s->free = e;
		return NULL;
	}
	urb_parse(&e->t.submit, e->t.copy, e->t.copy_len);
	/* These fields are not in the record's bytes. */
	e->t.submit.time = u->time;
	e->t.submit.number = u->number;
	e->t.submit.type = u->type;
	e->t.submit.flags = u->flags;
	e->t.submit.damage = u->damage;
	e->t.submit.is_usbpcap = u->is_usbpcap;
	e->t.submit.usbpcap = u->usbpcap;
	e->t.submit.is_darwin = u->is_darwin;
	e->t.submit.darwin = u->darwin;
	set_direction(&e->t.submit);
	e->t.has_submit = true;
	e->t.submitted = time;
	return e;
}

static bool submit(struct transfers *s, const struct urb *u, uint64_t time, const void *record,
		   size_t len)
{
	struct entry *e = submitted(s, u, time, record, len);
	size_t bucket = bucket_of(u);

	if (!e)
		return false;
	e->t.end = TRANSFER_PENDING;
	e->next = s->buckets[bucket];
	s->buckets[bucket] = e;
	e->older = s->newest;
	*(s->newest ? &s->newest->newer : &s->oldest) = e;
	s->newest = e;
	s->open++;
	return true;
}

bool transfers_expect_half(struct transfers *s, uint16_t bus, uint8_t device, uint8_t endpoint,
			   uint8_t xfer)
{
	struct half_pipe *h = calloc(1, sizeof(*h));

	if (!h)
		return false;
	h->key.bus = bus;
	h->key.device = device;
	h->key.endpoint = endpoint;
	h->key.xfer = xfer;
	h->next = s->halves;
	s->halves = h;
	return true;
}

static bool is_half(const struct transfers *s, const struct urb *u)
{
	for (const struct half_pipe *h = s->halves; h; h = h->next)
		if (same_pipe(&h->key, u))
			return true;
	return false;
}

struct transfer *transfers_displaced(struct transfers *s, const struct urb *u)
{
	struct entry **at = &s->buckets[bucket_of(u)];

	reclaim(s);
	while (*at && ((*at)->t.submit.id != u->id || (*at)->t.submit.bus != u->bus ||
		       same_pipe(&(*at)->t.submit, u)))
		at = &(*at)->next;
	if (!*at)
		return NULL;
	(*at)->t.end = TRANSFER_UNANSWERED;
	return &take_out(s, at)->t;
}

static bool feed_submission(struct transfers *s, const struct urb *u, uint64_t time,
			    const void *record, size_t len, struct transfer **done)
{
	struct entry **at = place_of(s, u), *e;

	if (s->halves && is_half(s, u)) {
		e = submitted(s, u, time, record, len);
		if (!e)
			return false;
		e->t.end = TRANSFER_HALF;
		s->given = e;
		*done = &e->t;
		return true;
	}
	if (*at) {
		*done = &take_out(s, at)->t;
		(*done)->end = TRANSFER_UNANSWERED;
	} else if (s->open >= OPEN_MAX) {
		*done = transfers_drain(s);
	}
	return submit(s, u, time, record, len);
}

bool transfers_feed(struct transfers *s, const struct urb *u, uint64_t time, const void *record,
		    size_t len, struct transfer **done)
{
	struct entry **at, *e;

	reclaim(s);
	*done = NULL;
	if (u->type == 'S')
		return feed_submission(s, u, time, record, len, done);
	at = place_of(s, u);
	if (*at) {
		e = take_out(s, at);
	} else {
		e = blank(s);
		if (!e)
			return false;
		s->given = e;
	}
	e->t.complete = *u;
	if (e->t.has_submit && u->xfer == URB_CONTROL)
		e->t.complete.endpoint = e->t.submit.endpoint;
	e->t.has_complete = true;
	e->t.completed = time;
	e->t.end = u->type == 'E' ? TRANSFER_ERROR : TRANSFER_DONE;
	*done = &e->t;
	return true;
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

	if (urb_in(u) || u->is_darwin)
		return t->has_complete && t->complete.type == 'C' ? &t->complete : NULL;
	return t->has_submit ? &t->submit : NULL;
}

const uint8_t *transfer_setup(const struct transfer *t)
{
	if (t->has_submit && t->submit.has_setup)
		return t->submit.setup;
	return NULL;
}

bool transfer_submit_timed(const struct transfer *t)
{
	return t->has_submit && !(t->submit.is_usbpcap && t->submit.usbpcap.info & 1);
}

bool transfer_latency(const struct transfer *t, uint64_t *ns)
{
	*ns = t->completed - t->submitted;
	return transfer_submit_timed(t) && t->has_complete && t->completed >= t->submitted;
}
