/* SPDX-License-Identifier: MIT */
#include "decode/usb/duplicate.h"
#include "decode/base/bytes.h"

#include <stdlib.h>
#include <string.h>

#define URBS 2048 /* a power of two */
#define PROBES 8  /* slots in which an URB may be stored */
/* events kept for an URB: the largest number by which one reader may be ahead of the other */
#define KEPT 8
/*
 * ns. If no event of the other kind is known, as in a capture of submissions only, two equal events
 * this close together are duplicates: a device takes longer to complete an URB. Root hubs do not,
 * because the kernel answers their requests itself.
 */
#define SURE UINT64_C(5000)
#define ROOT_HUB 1 /* device address */
/* ns; an interrupt endpoint is polled at most once in 125 us */
#define POLLED UINT64_C(25000)

struct seen_urb {
	uint64_t id, last;
	uint16_t bus;
	uint8_t device, endpoint, xfer;
	uint8_t next; /* index of the oldest element of events[] */
	struct seen_event events[KEPT];
};

struct duplicates {
	struct seen_urb urbs[URBS];
	uint8_t doubled[1 << 13]; /* one bit for each bus: its last event was recorded twice */
	uint64_t turn, count, apart;
};

struct duplicates *duplicates_new(void)
{
	return calloc(1, sizeof(struct duplicates));
}

void duplicates_free(struct duplicates *d)
{
	free(d);
}

static uint64_t mix(uint64_t h, const uint8_t *p, size_t n)
{
	const uint64_t k = UINT64_C(0x9e3779b97f4a7c15);
	uint64_t word;

	h = (h ^ n) * k;
	for (; n >= 8; p += 8, n -= 8) {
		memcpy(&word, p, 8);
		h = (h ^ h >> 29 ^ word) * k;
	}
	for (; n; p++, n--)
		h = (h ^ h >> 29 ^ *p) * k;
	return h ^ h >> 32;
}

/* Hashes all bytes of a record except its time, which occupies bytes 16 to 27. */
static uint64_t hash_of(const uint8_t *record, size_t len)
{
	if (len < 28)
		return mix(0, record, len < 16 ? len : 16);
	return mix(mix(0, record, 16), record + 28, len - 28);
}

static uint64_t distance(uint64_t a, uint64_t b)
{
	return a > b ? a - b : b - a;
}

/* Returns the slot of this URB. If it has none, replaces the one whose last event is the oldest. */
static struct seen_urb *urb_place(struct duplicates *d, const struct urb *u)
{
	uint8_t endpoint = u->xfer == URB_CONTROL ? u->endpoint & 0x7f : u->endpoint;
	size_t first = (size_t)((u->id >> 6 ^ u->id << 7) * UINT64_C(0x9e3779b97f4a7c15) >> 40);
	struct seen_urb *oldest = NULL;

	for (unsigned int i = 0; i < PROBES; i++) {
		struct seen_urb *s = &d->urbs[(first + i) & (URBS - 1)];

		if (s->last && s->id == u->id && s->bus == u->bus && s->device == u->device &&
		    s->endpoint == endpoint && s->xfer == u->xfer)
			return s;
		if (!oldest || s->last < oldest->last)
			oldest = s;
	}
	memset(oldest, 0, sizeof(*oldest));
	oldest->id = u->id;
	oldest->bus = u->bus;
	oldest->device = u->device;
	oldest->endpoint = endpoint;
	oldest->xfer = u->xfer;
	return oldest;
}

static void set_doubled(struct duplicates *d, uint16_t bus, bool on)
{
	uint8_t bit = (uint8_t)(1u << (bus & 7));

	if (on)
		d->doubled[bus >> 3] |= bit;
	else
		d->doubled[bus >> 3] &= (uint8_t)~bit;
}

bool duplicates_on(const struct duplicates *d, uint16_t bus)
{
	return d->doubled[bus >> 3] >> (bus & 7) & 1;
}

/*
 * Whether `span` is too short for a second completion of this URB, even though it was submitted
 * again.
 */
static bool too_fast(const struct duplicates *d, const struct urb *u, uint64_t span)
{
	return u->xfer == URB_INTERRUPT && u->device != ROOT_HUB && span <= POLLED &&
	       duplicates_on(d, u->bus);
}

/* Whether u, at `time`, is a duplicate of the kept event e of the same URB. */
static bool is_second_of(const struct duplicates *d, const struct seen_urb *s,
			 const struct seen_event *e, const struct urb *u, uint64_t time)
{
	uint64_t from = e->time < time ? e->time : time, to = e->time < time ? time : e->time;
	bool any = false, touching = false;

	for (unsigned int i = 0; i < KEPT; i++) {
		const struct seen_event *o = &s->events[i];

		if (!o->type || (o->type == 'S') == (u->type == 'S'))
			continue;
		if (o->time > from && o->time < to)
			return too_fast(d, u, to - from);
		any = true;
		touching |= o->time == from || o->time == to;
	}
	if (any && !touching)
		return true;
	if (!any && u->device != ROOT_HUB && to - from <= SURE)
		return true;
	/*
	 * The clock is too coarse to decide: assume the same as for the preceding events of the
	 * bus.
	 */
	return duplicates_on(d, u->bus);
}

struct seen_event *duplicates_take(struct duplicates *d, const struct urb *u, uint64_t time,
				   const void *record, size_t len, bool *is_second)
{
	struct seen_urb *s = urb_place(d, u);
	uint64_t hash = hash_of(record, len);
	struct seen_event *e;

	s->last = ++d->turn;
	*is_second = false;
	for (unsigned int i = 0; i < KEPT; i++) {
		e = &s->events[(s->next + i) % KEPT];
		if (e->type != u->type || e->doubled || e->hash != hash ||
		    distance(e->time, time) > DUPLICATE_WINDOW || !is_second_of(d, s, e, u, time))
			continue;
		e->doubled = *is_second = true;
		set_doubled(d, u->bus, true);
		d->count++;
		if (distance(e->time, time) > d->apart)
			d->apart = distance(e->time, time);
		return e;
	}
	e = &s->events[s->next];
	s->next = (uint8_t)((s->next + 1) % KEPT);
	if (e->type && !e->doubled)
		set_doubled(d, u->bus, false);
	*e = (struct seen_event){.hash = hash, .time = time, .type = u->type};
	return e;
}

uint64_t duplicates_count(const struct duplicates *d, uint64_t *apart)
{
	*apart = d->apart;
	return d->count;
}
