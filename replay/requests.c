/* SPDX-License-Identifier: MIT */
/* Endpoint 0 of a replayed device: requests are matched by their setup packets. */
#include "replay/playing.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "decode/base/bytes.h"
#include "decode/usb/control.h"

/* Requests of the same group keep their order; those of other groups may come in between. */
static unsigned int group_of(const uint8_t setup[8])
{
	unsigned int recipient = setup[0] & 0x1f;

	if (!(setup[0] & 0x60)) /* selects a configuration or alternate setting */
		return 0x10000 | (unsigned int)setup[1] << 8 | setup[4];
	return recipient == SETUP_INTERFACE || recipient == SETUP_ENDPOINT
		? recipient << 8 | setup[4]
		: 0;
}

/* How similar a recorded request is to the one received: 0 not at all; 3 equal, data included. */
static int likeness(const struct tape *t, const struct tape_entry *e, const struct usbip_urb *u)
{
	bool same_length = !memcmp(e->setup + 6, u->setup + 6, 2);

	if (memcmp(e->setup, u->setup, 6))
		return 0;
	if (u->in)
		return same_length ? 3 : 2;
	if (!same_length)
		return 1;
	if (u->length < e->data_len)
		return 2;
	return !e->data_len || !memcmp(tape_data(t, e), u->data, e->data_len) ? 3 : 2;
}

struct found {
	struct tape_entry *entry; /* the recorded request; NULL: none */
	struct tape_entry *skipped; /* the first one that should have come before */
	struct tape_entry *repeat; /* the last similar one that was played */
	int like;
};

bool requests_start(struct player *p)
{
	uint32_t *later;

	p->requests = tape_list(p->tape, 32);
	p->nrequests = p->tape->lists[32].n;
	if (!filearray_beside(&p->tape->array, &p->later, (p->nrequests + (size_t)1) * 4))
		return false;
	later = p->later.p;
	for (uint32_t i = 0; i < p->nrequests; i++)
		later[i] = i + 1;
	return true;
}

static struct tape_entry *request_at(const struct player *p, uint32_t i)
{
	return &p->tape->entries[p->requests[i]];
}

/* True for a request that was played, and that the host cannot be expected to send again. */
static bool is_over_for(const struct tape_entry *e)
{
	return e->used && !(playing_optional(e) && !e->time);
}

/* The last request like this one that was played. */
static struct tape_entry *find_repeat(const struct player *p, const struct usbip_urb *u)
{
	for (uint32_t i = p->latest; i--;) {
		struct tape_entry *e = request_at(p, i);

		if (e->used && !e->cancelled && likeness(p->tape, e, u))
			return e;
	}
	return NULL;
}

static struct found find_request(struct player *p, const struct usbip_urb *u)
{
	uint32_t *later = p->later.p, before = 0, at;
	struct found f = {0};
	struct tape_entry *first = NULL;

	while (f.like < 3 && (at = later[before])) {
		struct tape_entry *e = request_at(p, at - 1);
		int like;

		if (is_over_for(e)) {
			p->latest = at > p->latest ? at : p->latest;
			later[before] = later[at];
			continue;
		}
		before = at;
		if (group_of(e->setup) != group_of(u->setup))
			continue;
		like = likeness(p->tape, e, u);
		if (e->used && like < 3)
			continue; /* the host need not send it */
		if (!first)
			first = e;
		if (like > f.like) {
			f.entry = e;
			f.skipped = first == e ? NULL : first;
			f.like = like;
		}
	}
	if (!f.entry || (f.like < 3 && f.skipped))
		f.repeat = find_repeat(p, u);
	return f;
}

static void describe_request(const struct player *p, const uint8_t setup[8], char *text,
			     size_t room)
{
	struct control_request s;
	struct control_target to;
	struct out o;

	control_parse(&s, setup);
	to = tape_target(p->tape, &s);
	out_memory(&o);
	control_request_brief(&s, &to, &o);
	snprintf(text, room, "%.*s", (int)o.len, o.data);
	out_free(&o);
}

static void delay_answer(struct player *p, struct usbip_urb *u, int32_t status, const uint8_t *data,
			 uint32_t n, uint64_t due)
{
	struct delayed *d = due > p->now ? malloc(sizeof(*d)) : NULL, **at = &p->delayed;

	if (!d) {
		playing_answer(p, u, status, data, n);
		return;
	}
	*d = (struct delayed){.urb = u, .data = data, .n = n, .status = status, .due = due};
	while (*at && (*at)->due <= due)
		at = &(*at)->next;
	d->next = *at;
	*at = d;
}

/* Gives the recorded answer to a request. */
static void answer_recorded(struct player *p, struct usbip_urb *u, const struct tape_entry *e,
			    bool now)
{
	uint64_t due = p->now;
	uint32_t n = u->in ? e->data_len : e->status ? 0 : u->length;

	if (n > u->length)
		n = u->length;
	if (!now && p->options.speed > 0 && e->completed > e->submitted)
		due += (uint64_t)((double)(e->completed - e->submitted) / p->options.speed);
	delay_answer(p, u, e->cancelled ? 0 : e->status, tape_data(p->tape, e), n, due);
}

static void note_request(struct player *p, const struct usbip_urb *u, const char *what)
{
	char text[120];

	if (playing_before(p)) {
		p->verdict->before++;
		return;
	}
	p->verdict->extra++;
	if (!verdict_wants(p->verdict))
		return;
	describe_request(p, u->setup, text, sizeof(text));
	verdict_note(p->verdict, p->tape, NULL, "the host sent %s, %s", text, what);
}

static void compare_request(struct player *p, const struct usbip_urb *u, const struct found *f)
{
	struct tape_entry *e = f->entry;
	char text[120];
	bool same = f->like == 3 && !f->skipped;

	if (f->skipped) {
		describe_request(p, u->setup, text, sizeof(text));
		verdict_note(p->verdict, p->tape, f->skipped, "the host sent %s first", text);
	}
	if (f->like == 2 && !u->in) {
		verdict_bytes(p->tape, e, u->data, u->length, text, sizeof(text));
		verdict_note(p->verdict, p->tape, e, "%s", text);
	} else if (f->like < 3) {
		verdict_note(p->verdict, p->tape, e, "the host asked for %u bytes, not %u",
			     get16(u->setup + 6), get16(e->setup + 6));
	}
	playing_use(p, e, same);
}

/* Answers a class or vendor request that the tape does not have. */
static void answer_unknown(struct player *p, struct usbip_urb *u, const struct control_request *r)
{
	static const uint8_t zero[1];

	note_request(p, u, "which is not in the capture");
	/*
	 * GET_MAX_LUN of storage is answered by one unit; other IN requests are refused, OUT
	 * requests accepted.
	 */
	if (u->in && p->storage && control_kind(r) == SETUP_CLASS && r->request == 0xfe)
		playing_answer(p, u, 0, zero, u->length ? 1 : 0);
	else
		playing_answer(p, u, u->in ? -EPIPE : 0, NULL, u->in ? 0 : u->length);
}

void playing_request(struct player *p, struct usbip_urb *u)
{
	struct control_request r;
	struct found f;
	const uint8_t *data;
	size_t n;
	int status;

	control_parse(&r, u->setup);
	u->in = control_in(&r);
	if (!u->in && !u->data) /* usbip and the setup packet disagree on the direction */
		u->length = 0;
	if (control_kind(&r) == SETUP_STANDARD)
		p->asked = p->now;
	if (control_kind(&r) == SETUP_STANDARD && r.request != REQ_SET_CONFIGURATION &&
	    r.request != REQ_SET_INTERFACE) {
		status = standard_answer(&p->standard, &r, &data, &n);
		n = n < r.length ? n : r.length;
		playing_answer(p, u, status, data,
			       u->in ? (uint32_t)(n < u->length ? n : u->length) : u->length);
		return;
	}
	f = find_request(p, u);
	if (control_kind(&r) == SETUP_STANDARD) {
		if (f.entry) /* the answers it causes may come from now on */
			f.entry->time = p->progress = p->now;
		status = standard_answer(&p->standard, &r, &data, &n);
		playing_answer(p, u, status, NULL, 0);
		return;
	}
	if (p->storage && control_kind(&r) == SETUP_CLASS && r.request == 0xff)
		storage_reset(p->storage);
	if (f.entry && f.entry->unseen) {
		f.entry->time = p->now;
		playing_answer(p, u, u->in ? -EPIPE : 0, NULL, u->in ? 0 : u->length);
		return;
	}
	if (f.entry && f.entry->cancelled) {
		f.entry->time = p->now;
		playing_queue(p, u); /* the host cancelled it in the capture, too */
		return;
	}
	/*
	 * A request with other data is taken for the next one with a difference, or for one that is
	 * not on the tape.
	 */
	if (f.entry && (f.like == 3 || !f.skipped || !f.repeat)) {
		compare_request(p, u, &f);
		answer_recorded(p, u, f.entry, false);
	} else if (f.repeat) {
		note_request(p, u, "once more than in the capture");
		answer_recorded(p, u, f.repeat, true);
	} else {
		answer_unknown(p, u, &r);
	}
}
