/* SPDX-License-Identifier: MIT */
/* Answers the host's bulk and interrupt reads from the tape. */
#include <errno.h>
#include <string.h>

#include "common/array.h"
#include "replay/playing.h"

/*
 * If the host cancelled reads before it got an answer, it has this time (ns) to do so again.
 * Otherwise, at --speed 0, the answer would go to a read that the host is about to cancel, and be
 * lost.
 */
#define GIVE_UP UINT64_C(500000000)

/*
 * If the recorded answer repeats echo fields of its cause, replaces them by those that the host has
 * sent now.
 */
static void put_echoes(struct player *p, const struct endpoint *e, const struct tape_entry *x,
		       uint8_t *data, uint32_t n)
{
	const struct tape_entry *cause = x->cause == TAPE_NONE ? NULL : &p->tape->entries[x->cause];
	const struct sent *s;
	bool in[ECHO_REACH], out[ECHO_REACH];
	const uint8_t *was;

	if (!cause || cause->xfer == URB_CONTROL)
		return;
	s = &p->sent[cause->endpoint & 15];
	if (!s->data || s->entry != x->cause)
		return;
	was = tape_data(p->tape, cause);
	echo_mask(&e->echo, false, tape_data(p->tape, x), x->data_len, in);
	echo_mask(&playing_endpoint(p, cause->endpoint)->echo, false, was, cause->data_len, out);
	for (uint32_t i = 0; i < n && i < ECHO_REACH; i++)
		for (uint32_t k = 0; in[i] && k < s->n && k < cause->data_len; k++)
			if (out[k] && was[k] == tape_data(p->tape, x)[i]) {
				data[i] = s->data[k];
				break;
			}
}

static uint64_t scaled(const struct player *p, uint64_t from, uint64_t to)
{
	return p->options.speed > 0 && to > from
		? (uint64_t)((double)(to - from) / p->options.speed)
		: 0;
}

/*
 * Returns when an answer is due although the host has not cancelled the reads that it cancelled in
 * the capture.
 */
static uint64_t give_up(const struct player *p, uint64_t due)
{
	if (!(p->options.speed > 0) && due < p->progress)
		due = p->progress;
	return due + GIVE_UP;
}

uint64_t playing_due(const struct player *p, const struct endpoint *e, const struct tape_entry *x)
{
	const struct tape_entry *cause = x->cause == TAPE_NONE ? NULL : &p->tape->entries[x->cause];
	uint64_t due;

	if (cause && !cause->used)
		return UINT64_MAX;
	if (cause && cause->time && (!e->given || cause->submitted > e->recorded))
		due = cause->time + scaled(p, cause->submitted, x->completed);
	else if (e->given)
		due = e->given + scaled(p, e->recorded, x->completed);
	else
		due = e->queued_at + p->options.delay + scaled(p, x->submitted, x->completed);
	if (x->after_cancelled > e->unlinked)
		due = give_up(p, due);
	return due > e->given ? due : e->given;
}

/* True if a transfer filled its buffer: a larger buffer would also have received what followed. */
static bool was_full(const struct tape_entry *x)
{
	return x->xfer == URB_BULK && x->length && x->length == x->buffer_size && !x->status;
}

void playing_answer_read(struct player *p, struct endpoint *e, struct tape_entry *x)
{
	struct usbip_urb *u = playing_take_urb(e);
	uint32_t n = 0, left;
	int32_t status = x->cancelled || x->status == -121 ? 0 : x->status;
	bool full = true;

	if (!array_reserve(p->scratch, p->scratch_room, (size_t)u->length + 1)) {
		playing_answer(p, u, -ENOMEM, NULL, 0);
		return;
	}
	while (x && full) {
		uint32_t at = n;

		left = x->data_len - e->offset;
		left = left < u->length - n ? left : u->length - n;
		memcpy(p->scratch + at, tape_data(p->tape, x) + e->offset, left);
		if (!e->offset)
			put_echoes(p, e, x, p->scratch + at, left);
		n += left;
		e->offset += left;
		if (e->offset < x->data_len && x->xfer == URB_BULK)
			break; /* the rest goes into the next read */
		if (e->offset < x->data_len)
			verdict_note(p->verdict, p->tape, x, "the host reads %u bytes only",
				     u->length);
		e->recorded = x->completed;
		full = was_full(x) && n < u->length;
		playing_use(p, x, e->offset == x->data_len);
		playing_advance(e);
		x = full ? playing_next_of(p, e) : NULL;
		if (x && (playing_due(p, e, x) > p->now || x->status || x->cut))
			break;
	}
	e->given = p->now;
	e->unlinked = 0;
	playing_answer(p, u, status, p->scratch, n);
}
