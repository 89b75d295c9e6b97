/* SPDX-License-Identifier: MIT */
#include "replay/player.h"

#include <assert.h>
#include <errno.h>
#include <inttypes.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>

#include "common/array.h"
#include "decode/base/bytes.h"
#include "decode/usb/descriptor.h"
#include "replay/pace.h"
#include "replay/playing.h"
#include "replay/recordedcommands.h"

/*
 * Echo fields are learned from at most so many messages of an endpoint: enough for three bytes of a
 * counter that counts by 1. Bounds the memory for long captures.
 */
#define LEARN_MAX (1u << 18)
/* After so many answered bytes, the used part of the tape leaves this process's memory. */
#define RELEASE_BYTES (16u << 20)
#define ANSWER_BYTES 256 /* what an answer counts for besides its data: its tape entry and more */

/* ---- making ---------------------------------------------------------------------------------- */

static void list_entries(struct player *p)
{
	const struct tape *t = p->tape;

	for (unsigned int k = 0; k < 32; k++) {
		struct endpoint *e = &p->endpoints[k];

		e->address = (uint8_t)((k & 15) | (k & 16 ? 0x80 : 0));
		e->last = &e->first;
		e->entries = tape_list(t, k);
		e->n = e->cancelled_end = t->lists[k].n;
		if (e->n)
			e->xfer = t->entries[e->entries[e->n - 1]].xfer;
	}
}

/* Finds the bulk endpoints of the first interface with Bulk-Only Transport. */
static int find_storage(struct player *p, struct trawl_error *err)
{
	const struct usb_config *c = tape_config(p->tape);
	struct descriptor_walk w = descriptor_walk(c->p, c->len);
	struct descriptor d;
	uint8_t in = 0, out = 0;
	bool here = false, attached = false;

	while (descriptor_next(&w, &d)) {
		if (d.type == DESC_INTERFACE && d.room >= 8) {
			here = !(in && out) && d.p[5] == 0x08 && d.p[7] == 0x50;
			attached |= d.p[5] == 0x08 && d.p[7] == 0x62;
		} else if (d.type == DESC_ENDPOINT && d.room >= 4 && here && (d.p[3] & 3) == 2)
			*(d.p[2] & 0x80 ? &in : &out) = d.p[2];
	}
	if (!in || !out)
		return 0;
	if (!recorded_commands_are(p->tape, in, out)) {
		p->streams = attached;
		return 0;
	}
	p->storage = storage_new(p->tape, in, out, p->options.speed, p->verdict, err);
	playing_endpoint(p, in)->is_storage = playing_endpoint(p, out)->is_storage = true;
	return p->storage ? 0 : -1;
}

static bool learn(struct player *p, struct endpoint *e)
{
	uint32_t n = e->n < LEARN_MAX ? e->n : LEARN_MAX;
	struct sample *s;
	bool ok;

	if (e->is_storage || e->xfer == URB_ISO || !n)
		return true;
	s = malloc(n * sizeof(*s));
	if (!s)
		return false;
	for (uint32_t i = 0; i < n; i++) {
		const struct tape_entry *x = &p->tape->entries[e->entries[i]];

		s[i] = (struct sample){tape_data(p->tape, x), x->data_len};
		if (!(i % TAPE_STRETCH))
			tape_release(p->tape);
	}
	ok = echo_learn(&e->echo, s, n);
	free(s);
	tape_release(p->tape);
	return ok;
}

bool playing_optional(const struct tape_entry *e)
{
	if (e->xfer == URB_CONTROL && !(e->setup[0] & 0x60))
		return true;
	return e->cancelled && (!tape_in(e) || !e->data_len || e->xfer == URB_ISO);
}

struct player *player_new(struct tape *t, const struct player_options *o, struct verdict *v,
			  struct trawl_error *err)
{
	struct player *p = calloc(1, sizeof(*p));
	bool bad;

	if (!p)
		goto fail;
	p->later = (struct filearray)FILEARRAY_NONE;
	p->tape = t;
	p->options = *o;
	p->verdict = v;
	standard_start(&p->standard, t, o->as_is);
	list_entries(p);
	if (!requests_start(p))
		goto fail;
	if (find_storage(p, err)) {
		player_free(p);
		return NULL;
	}
	bad = false;
	for (unsigned int k = 0; k < 32; k++)
		bad |= !learn(p, &p->endpoints[k]);
	if (bad)
		goto fail;
	/* A host may leave out what it cancelled, and enumerate in its own way. */
	for (uint32_t i = 0; i < t->n; i++) {
		if (!(i % TAPE_STRETCH))
			tape_release(t);
		t->entries[i].used |= playing_optional(&t->entries[i]);
		p->compared += !t->entries[i].used;
	}
	return p;
fail:
	player_free(p);
	trawl_fail(err, TRAWL_CANNOT, "the capture's transfers need more memory than there is");
	return NULL;
}

void player_free(struct player *p)
{
	if (!p)
		return;
	for (unsigned int k = 0; k < 32; k++) {
		struct endpoint *e = &p->endpoints[k];

		while (e->first) {
			struct usbip_urb *u = e->first;

			e->first = u->next;
			usbip_urb_free(u);
		}
		echo_free(&e->echo);
	}
	while (p->delayed) {
		struct delayed *d = p->delayed;

		p->delayed = d->next;
		usbip_urb_free(d->urb);
		free(d);
	}
	for (unsigned int k = 0; k < 16; k++)
		free(p->sent[k].data);
	storage_free(p->storage);
	filearray_close(&p->later);
	free(p->scratch);
	free(p);
}

const struct standard *player_standard(const struct player *p)
{
	return &p->standard;
}

bool player_note(const struct player *p, unsigned int i, char *text, size_t room)
{
	const struct tape *t = p->tape;

	if (p->storage && storage_guessed(p->storage, text, room) && !i--)
		return true;
	if (t->unknown && !i--) {
		snprintf(text, room,
			 "the capture lacks the data of %" PRIu64 " transfers to the device, which "
			 "is not compared: the first is transfer %" PRIu64 ", whose submission it "
			 "lacks",
			 t->unknown, t->first_unknown);
		return true;
	}
	if (p->streams && p->standard.speed == USBIP_SUPER && !i--) {
		snprintf(text, room,
			 "the capture's host used USB Attached SCSI: its streams do not exist in "
			 "vhci_hcd, so Linux uses the disk by Bulk-Only Transport, which differs");
		return true;
	}
	if (!p->compared && !i--) {
		snprintf(text, room,
			 "the capture has no transfers of the device but its enumeration: only that "
			 "a host configures the device is checked");
		return true;
	}
	return standard_note(&p->standard, i, text, room);
}

/* ---- the tape's progress --------------------------------------------------------------------- */

void playing_use(struct player *p, struct tape_entry *e, bool same)
{
	if (!e->used && same)
		p->verdict->same++;
	else if (!e->used)
		p->verdict->differ++;
	e->used = true;
	e->time = p->now;
	p->progress = p->now;
	if (p->state == PLAYER_ENUMERATED && (!tape_in(e) || e->xfer == URB_CONTROL))
		p->state = PLAYER_BEGUN;
}

bool playing_before(const struct player *p)
{
	return p->state == PLAYER_ENUMERATED && !p->tape->enumerated;
}

void playing_answer(struct player *p, struct usbip_urb *u, int32_t status, const void *data,
		    uint32_t n)
{
	if (usbip_answer(p->usbip, u, status, data, n))
		p->state = PLAYER_GONE;
	usbip_urb_free(u);
	p->passed += n + ANSWER_BYTES;
	if (p->passed > RELEASE_BYTES) {
		p->passed = 0;
		tape_release(p->tape);
	}
}

/* ---- endpoints ------------------------------------------------------------------------------- */

/*
 * True if an entry needs no further matching. An isochronous transfer that was cancelled when the
 * stream stopped may still be sent.
 */
static bool is_over_for(const struct tape_entry *x)
{
	return x->used && !(x->xfer == URB_ISO && x->cancelled && !x->time);
}

struct tape_entry *playing_next_of(struct player *p, struct endpoint *e)
{
	while (e->next < e->n && !e->offset && is_over_for(&p->tape->entries[e->entries[e->next]]))
		e->next++;
	return e->next < e->n ? &p->tape->entries[e->entries[e->next]] : NULL;
}

void playing_advance(struct endpoint *e)
{
	e->next++;
	e->offset = 0;
}

struct usbip_urb *playing_take_urb(struct endpoint *e)
{
	struct usbip_urb *u = e->first;

	e->first = u->next;
	if (!e->first)
		e->last = &e->first;
	return u;
}

void playing_queue(struct player *p, struct usbip_urb *u)
{
	struct endpoint *e = playing_endpoint(p, u->endpoint);

	u->next = NULL;
	if (!e->queued_at)
		e->queued_at = p->now;
	if (u->npackets) {
		bool over = !playing_next_of(p, e);

		e->slot = (e->slot > p->now ? e->slot : p->now) +
			  (p->options.speed > 0 || over ? u->npackets * playing_packet_time(p, u)
							: 0);
		u->time = e->slot;
	}
	*e->last = u;
	e->last = &u->next;
	p->queued |= 1u << (e - p->endpoints);
}

/*
 * Answers what is due on an endpoint; *wake: lowered to when something will be due. Returns whether
 * something was answered.
 */
static bool serve(struct player *p, struct endpoint *e, uint64_t *wake)
{
	struct tape_entry *x = NULL;
	struct storage_answer a;
	uint64_t due;

	if (!e->first) {
		p->queued &= ~(1u << (e - p->endpoints));
		return false;
	}
	if (e->is_storage) {
		if (!storage_in(p->storage, e->first->length, &a))
			return false;
		due = a.due;
	} else if (e->first->npackets) {
		due = e->first->time;
	} else {
		x = playing_next_of(p, e);
		due = x ? playing_due(p, e, x) : UINT64_MAX;
	}
	if (due > p->now) {
		*wake = due < *wake ? due : *wake;
		return false;
	}
	if (e->is_storage) {
		storage_taken(p->storage, &a, p->now);
		p->progress = p->now;
		playing_answer(p, playing_take_urb(e), a.status, a.data, a.n);
	} else if (e->first->npackets) {
		(e->address & 0x80 ? playing_answer_packets : playing_take_packets)(p, e);
	} else {
		playing_answer_read(p, e, x);
	}
	return true;
}

static uint64_t serve_all(struct player *p)
{
	uint64_t wake = UINT64_MAX;

	while (p->delayed && p->delayed->due <= p->now) {
		struct delayed *d = p->delayed;

		p->delayed = d->next;
		playing_answer(p, d->urb, d->status, d->data, d->n);
		free(d);
	}
	if (p->delayed)
		wake = p->delayed->due;
	for (unsigned int k = 0; k < 32 && p->state != PLAYER_GONE; k++)
		while (p->state != PLAYER_GONE && p->queued >> k & 1 &&
		       serve(p, &p->endpoints[k], &wake))
			;
	return wake;
}

/* ---- messages -------------------------------------------------------------------------------- */

/*
 * Cancels a waiting URB; one that was answered already is left to the host. Returns the status for
 * the host.
 */
static int32_t unlink_urb(struct player *p, uint32_t victim)
{
	for (struct delayed **at = &p->delayed, *d; (d = *at); at = &d->next) {
		if (d->urb->seqnum != victim)
			continue;
		*at = d->next;
		usbip_urb_free(d->urb);
		free(d);
		return -ECONNRESET;
	}
	for (unsigned int k = 0; k < 32; k++) {
		struct endpoint *e = &p->endpoints[k];

		for (struct usbip_urb **at = &e->first, *u; (u = *at); at = &u->next) {
			if (u->seqnum != victim)
				continue;
			*at = u->next;
			if (!u->next)
				e->last = at;
			if (u->npackets && !u->in)
				playing_cancel_packets(p, e, u);
			usbip_urb_free(u);
			e->unlinked++;
			return -ECONNRESET;
		}
	}
	return 0;
}

static void handle(struct player *p, struct usbip_urb *u)
{
	if (!(u->endpoint & 15))
		playing_request(p, u);
	else if (u->in || u->npackets)
		playing_queue(p, u);
	else
		playing_take_out(p, u);
}

static int take_messages(struct player *p, struct trawl_error *err)
{
	struct usbip_urb *u;
	uint32_t seqnum, victim;
	int got = 0;

	while (p->state != PLAYER_GONE &&
	       (got = usbip_next(p->usbip, &u, &seqnum, &victim, err)) > 0) {
		if (got == USBIP_SUBMIT)
			handle(p, u);
		else if (usbip_answer_unlink(p->usbip, seqnum, unlink_urb(p, victim)))
			p->state = PLAYER_GONE;
	}
	return got;
}

static bool is_over(struct player *p)
{
	const struct tape *t = p->tape;

	/* The last entries are checked first, because they are mostly those still to come. */
	while (p->waiting && t->entries[p->waiting - 1].used)
		p->waiting--;
	if (p->waiting && p->storage) {
		storage_end(p->storage, p->now);
		while (p->waiting && t->entries[p->waiting - 1].used)
			p->waiting--;
	}
	return !p->waiting;
}

/* True if the replay ends now, and *end is how; else *wake is lowered to when to check again. */
static bool is_end(struct player *p, uint64_t *wake, int *end)
{
	bool over = is_over(p) && !p->delayed;
	uint64_t left;

	if (over && p->asked && !p->options.hold) {
		left = (p->asked > p->progress ? p->asked : p->progress) + p->options.linger;
		*end = PLAYER_DONE;
	} else if ((!over || !p->asked) && p->options.timeout) {
		left = p->progress + p->options.timeout;
		*end = PLAYER_TIMEOUT;
	} else {
		return false;
	}
	*wake = left < *wake ? left : *wake;
	return left <= p->now;
}

/* Waits for messages or the time `wake`; a signal, which shuts the socket down, ends this, too. */
static void wait_for(struct player *p, uint64_t wake)
{
	struct pollfd fd = {.fd = p->usbip->fd, .events = POLLIN};
	uint64_t ns = wake > p->now ? wake - p->now : 0;
	struct timespec t = {.tv_sec = (time_t)(ns / 1000000000),
			     .tv_nsec = (long)(ns % 1000000000)};
	/* Without a time recv() waits, which saves a system call for each message. */
	int n = wake == UINT64_MAX ? 1 : ppoll(&fd, 1, &t, NULL);

	if (n > 0 && usbip_read(p->usbip, wake == UINT64_MAX))
		p->state = PLAYER_GONE;
	p->now = pace_clock();
}

int player_run(struct player *p, struct usbip *u, const volatile sig_atomic_t *stop,
	       struct trawl_error *err)
{
	uint64_t wake;
	int end;

	assert(p->state == PLAYER_ENUMERATED);
	p->usbip = u;
	p->now = p->progress = pace_clock();
	p->waiting = p->tape->n;
	for (;;) {
		if (take_messages(p, err) < 0)
			return -1;
		wake = serve_all(p);
		if (*stop || p->state == PLAYER_GONE)
			return is_over(p) ? PLAYER_DONE : *stop ? PLAYER_SIGNAL : PLAYER_UNPLUGGED;
		if (is_end(p, &wake, &end))
			return end;
		wait_for(p, wake);
	}
}

void player_finish(struct player *p)
{
	struct tape *t = p->tape;

	if (p->storage)
		storage_end(p->storage, p->now);
	/* The capture itself may be of a device that was read, and not configured. */
	if (!p->standard.configured && !p->options.partial && (t->enumerated || !t->described))
		verdict_note(p->verdict, t, NULL,
			     "the host did not configure the device: see the log of its kernel");
	for (uint32_t i = 0; i < t->n && !p->options.partial; i++) {
		const struct tape_entry *e = &t->entries[i];

		if (!(i % TAPE_STRETCH))
			tape_release(t);
		if (e->used)
			continue;
		p->verdict->missing++;
		if (tape_in(e) && e->xfer != URB_CONTROL)
			verdict_note(p->verdict, t, e,
				     "it was not given: the host did not read it");
		else
			verdict_note(p->verdict, t, e, "the host did not send it");
	}
}
