/* SPDX-License-Identifier: MIT */
/* Matches the data that the host sends, except to endpoint 0, with the tape. */
#include <stdlib.h>
#include <string.h>

#include "replay/playing.h"

#define WINDOW 64 /* how many entries ahead an unexpected transfer is searched for */

static void remember(struct player *p, const struct endpoint *e, uint32_t entry,
		     const uint8_t *data, uint32_t n)
{
	struct sent *s = &p->sent[e->address & 15];

	n = n < ECHO_REACH ? n : ECHO_REACH;
	if (!s->data)
		s->data = malloc(ECHO_REACH);
	if (!s->data)
		return;
	memcpy(s->data, data, n);
	s->entry = entry;
	s->n = n;
}

/* Finds the message among the next WINDOW entries; TAPE_NONE if it is not there. */
static uint32_t look_ahead(const struct player *p, const struct endpoint *e, const uint8_t *data,
			   uint32_t n)
{
	for (uint32_t i = e->next + 1; i < e->n && i < e->next + WINDOW; i++) {
		const struct tape_entry *x = &p->tape->entries[e->entries[i]];

		if (x->data_len == n && echo_same(&e->echo, tape_data(p->tape, x), data, n, n))
			return i;
	}
	return TAPE_NONE;
}

/*
 * Finds the message among the entries that the host cancelled in the capture, which it may send or
 * not. Entries that were played or passed leave the searched range.
 */
static struct tape_entry *find_cancelled(const struct player *p, struct endpoint *e,
					 const uint8_t *data, uint32_t n)
{
	uint32_t first = e->cancelled_end, end = first;

	for (uint32_t i = e->cancelled; i < e->cancelled_end; i++) {
		struct tape_entry *x = &p->tape->entries[e->entries[i]];

		if (!x->cancelled || x->time)
			continue;
		if (x->unknown ? x->length == n
			       : x->data_len == n &&
					 echo_same(&e->echo, tape_data(p->tape, x), data, n, n))
			return x;
		first = i < first ? i : first;
		end = i + 1;
	}
	e->cancelled = first;
	e->cancelled_end = end;
	return NULL;
}

/* Marks an entry that the host skipped. */
static void pass(struct player *p, struct tape_entry *e)
{
	p->verdict->missing += !e->used;
	e->used = true;
	e->time = p->now;
}

/* Handles a message that is not the endpoint's next entry. Returns its best match, or NULL. */
static struct tape_entry *mismatch(struct player *p, struct endpoint *e, const uint8_t *data,
				   uint32_t n)
{
	struct tape_entry *x = playing_next_of(p, e);
	uint32_t ahead = look_ahead(p, e, data, n);
	struct tape_entry *given_up = find_cancelled(p, e, data, n);
	char text[120];

	if (given_up) {
		given_up->time = p->now;
		return NULL;
	}
	if (playing_before(p) && ahead == TAPE_NONE) {
		p->verdict->before++;
		return NULL;
	}
	if (!x) {
		p->verdict->extra++;
		verdict_note(p->verdict, p->tape, NULL,
			     "after the end of the capture the host sent %u bytes to endpoint %u",
			     n, e->address & 15u);
		return NULL;
	}
	if (ahead != TAPE_NONE) {
		verdict_note(p->verdict, p->tape, x,
			     "the host did not send this, but a later transfer");
		while (e->next < ahead) {
			pass(p, &p->tape->entries[e->entries[e->next]]);
			playing_advance(e);
		}
		x = &p->tape->entries[e->entries[ahead]];
		playing_use(p, x, true);
		playing_advance(e);
		return x;
	}
	verdict_bytes(p->tape, x, data, n, text, sizeof(text));
	verdict_note(p->verdict, p->tape, x, "%s", text);
	if (x->data_len != n) {
		p->verdict->extra++;
		return NULL;
	}
	playing_use(p, x, false);
	playing_advance(e);
	return x;
}

/*
 * Matches OUT data with the tape. Bulk data is a byte stream: transfers may be split and joined.
 * Returns the last entry that was completed, or NULL.
 */
static struct tape_entry *take_out(struct player *p, struct endpoint *e, const uint8_t *data,
				   uint32_t n)
{
	struct tape_entry *x = playing_next_of(p, e), *ended = NULL;
	uint32_t left, at = 0;

	if (x && !e->offset && x->data_len == n &&
	    echo_same(&e->echo, tape_data(p->tape, x), data, n, n)) {
		remember(p, e, e->entries[e->next], data, n);
		playing_use(p, x, true);
		playing_advance(e);
		return x;
	}
	while (x && e->xfer == URB_BULK && at < n) {
		left = x->data_len - e->offset;
		left = left < n - at ? left : n - at;
		if (!left || memcmp(tape_data(p->tape, x) + e->offset, data + at, left))
			break;
		at += left;
		e->offset += left;
		if (e->offset == x->data_len) {
			remember(p, e, e->entries[e->next], tape_data(p->tape, x), x->data_len);
			playing_use(p, x, true);
			playing_advance(e);
			ended = x;
		}
		x = playing_next_of(p, e);
	}
	if (at == n && n)
		return ended;
	return mismatch(p, e, data + at, n - at);
}

void playing_take_out(struct player *p, struct usbip_urb *u)
{
	struct endpoint *e = playing_endpoint(p, u->endpoint);
	const struct tape_entry *x;
	int32_t status = 0;
	uint32_t n = u->length;

	if (e->is_storage) {
		status = storage_out(p->storage, u->data, n, p->now);
		p->progress = p->now;
		playing_answer(p, u, status, NULL, status ? 0 : n);
		return;
	}
	x = take_out(p, e, u->data, n);
	if (x && x->status && !x->cancelled) {
		status = x->status;
		n = x->length < n ? x->length : n;
	}
	playing_answer(p, u, status, NULL, n);
}

void playing_cancel_packets(struct player *p, struct endpoint *e, const struct usbip_urb *u)
{
	struct tape_entry *x = find_cancelled(p, e, u->data, u->length);

	if (x)
		x->time = p->now;
}
