/* SPDX-License-Identifier: MIT */
#include "replay/player.h"

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/signalfd.h>
#include <time.h>

#include "decode/base/bytes.h"
#include "decode/usb/control.h"
#include "decode/usb/descriptor.h"
#include "decode/usb/echofield.h"
#include "replay/storage.h"

/*
 * The host gave a read up before it got this answer: so long it may take to do that again. At --speed 0 the
 * answer would come into the read that is given up, and be lost.
 */
#define GIVE_UP UINT64_C(50000000)
#define WINDOW 64 /* transfers ahead that are looked at when another one comes */

/* One endpoint in one direction. */
struct endpoint {
	uint8_t address;
	uint8_t xfer;
	uint32_t *entries, n, next; /* of the tape */
	uint32_t offset;            /* bytes of the next entry that are through; of isochronous: packets */
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

struct player {
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
	bool begun;                    /* something that the host sent was on the tape */
	uint8_t *scratch;
	size_t scratch_room;
	bool gone;                     /* the other side */
	uint64_t waiting;              /* entries that are not used yet */
};

static uint64_t clock_now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
}

static struct endpoint *endpoint_of(struct player *p, uint8_t address)
{
	return &p->endpoints[(address & 15) + (address & 0x80 ? 16 : 0)];
}

static bool scratch(struct player *p, size_t n)
{
	uint8_t *grown = n <= p->scratch_room ? p->scratch : realloc(p->scratch, n);

	if (!grown)
		return false;
	p->scratch_room = n > p->scratch_room ? n : p->scratch_room;
	p->scratch = grown;
	return true;
}

/* ---- making ---------------------------------------------------------------------------------- */

static int list_entries(struct player *p)
{
	const struct tape *t = p->tape;

	p->requests = malloc((t->n + 1) * sizeof(*p->requests));
	if (!p->requests)
		return -1;
	for (uint32_t i = 0; i < t->n; i++) {
		struct endpoint *e = endpoint_of(p, t->entries[i].endpoint);

		if (t->entries[i].xfer == URB_CONTROL)
			p->requests[p->nrequests++] = i;
		else
			e->n++;
	}
	for (unsigned int k = 0; k < 32; k++) {
		struct endpoint *e = &p->endpoints[k];

		e->address = (uint8_t)((k & 15) | (k & 16 ? 0x80 : 0));
		e->last = &e->first;
		e->entries = malloc((e->n + 1) * sizeof(*e->entries));
		if (!e->entries)
			return -1;
		e->n = 0;
	}
	for (uint32_t i = 0; i < t->n; i++) {
		struct endpoint *e = endpoint_of(p, t->entries[i].endpoint);

		if (t->entries[i].xfer == URB_CONTROL)
			continue;
		e->xfer = t->entries[i].xfer;
		e->entries[e->n++] = i;
	}
	return 0;
}

/* The bulk endpoints of the first interface of Bulk-Only Transport. */
static int find_storage(struct player *p, struct trawl_error *err)
{
	const struct usb_config *c = standard_config(p->tape);
	struct descriptor_walk w = descriptor_walk(c->p, c->len);
	struct descriptor d;
	uint8_t in = 0, out = 0;
	bool here = false;

	while (descriptor_next(&w, &d)) {
		if (d.type == DESC_INTERFACE && d.room >= 8)
			here = !(in && out) && d.p[5] == 0x08 && d.p[7] == 0x50;
		else if (d.type == DESC_ENDPOINT && d.room >= 4 && here && (d.p[3] & 3) == 2)
			*(d.p[2] & 0x80 ? &in : &out) = d.p[2];
	}
	if (!in || !out)
		return 0;
	p->storage = storage_new(p->tape, in, out, p->options.speed, p->verdict, err);
	endpoint_of(p, in)->is_storage = endpoint_of(p, out)->is_storage = true;
	return p->storage ? 0 : -1;
}

static int learn(struct player *p, struct endpoint *e)
{
	struct sample *s;
	int ret;

	if (e->is_storage || e->xfer == URB_ISO || !e->n)
		return 0;
	s = malloc(e->n * sizeof(*s));
	if (!s)
		return -1;
	for (uint32_t i = 0; i < e->n; i++) {
		const struct tape_entry *x = &p->tape->entries[e->entries[i]];

		s[i] = (struct sample){tape_data(p->tape, x), x->data_len};
	}
	ret = echo_learn(&e->echo, s, e->n);
	free(s);
	return ret;
}

static bool is_optional(const struct tape_entry *e)
{
	if (e->xfer == URB_CONTROL && !(e->setup[0] & 0x60))
		return true;
	return e->cancelled && (!tape_in(e) || !e->data_len);
}

struct player *player_new(struct tape *t, const struct player_options *o, struct verdict *v,
			  struct trawl_error *err)
{
	struct player *p = calloc(1, sizeof(*p));
	bool bad;

	if (!p)
		goto fail;
	p->tape = t;
	p->options = *o;
	p->verdict = v;
	standard_start(&p->standard, t);
	if (list_entries(p))
		goto fail;
	if (find_storage(p, err)) {
		player_free(p);
		return NULL;
	}
	bad = false;
	for (unsigned int k = 0; k < 32; k++)
		bad |= learn(p, &p->endpoints[k]);
	if (bad)
		goto fail;
	/* What the host cancelled is nothing that it has to do again; and it sets up as it likes. */
	for (uint32_t i = 0; i < t->n; i++)
		t->entries[i].used |= is_optional(&t->entries[i]);
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
		free(e->entries);
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
	free(p->requests);
	free(p->scratch);
	free(p);
}

const struct standard *player_standard(const struct player *p)
{
	return &p->standard;
}

bool player_note(const struct player *p, unsigned int i, char *text, size_t room)
{
	return !i && p->storage && storage_guessed(p->storage, text, room);
}

/* ---- the tape's progress ---------------------------------------------------------------------- */

static void use(struct player *p, struct tape_entry *e, bool same)
{
	if (!e->used && same)
		p->verdict->same++;
	else if (!e->used)
		p->verdict->differ++;
	e->used = true;
	e->time = p->now;
	p->progress = p->now;
	if (!tape_in(e) || e->xfer == URB_CONTROL)
		p->begun = true;
}

/* The host passed over it. */
static void pass(struct player *p, struct tape_entry *e)
{
	p->verdict->missing += !e->used;
	e->used = true;
	e->time = p->now;
}

/* Before the first that is on the tape of a capture that began later, a host sets the device up. */
static bool is_before(const struct player *p)
{
	return !p->begun && !p->tape->enumerated;
}

static void answer(struct player *p, struct usbip_urb *u, int32_t status, const void *data, uint32_t n)
{
	if (usbip_answer(p->usbip, u, status, data, n))
		p->gone = true;
	usbip_urb_free(u);
}

/* ---- requests --------------------------------------------------------------------------------- */

/* Requests to the same recipient keep their order; those to others may come in between. */
static unsigned int group_of(const uint8_t setup[8])
{
	unsigned int recipient = setup[0] & 0x1f;

	if (!(setup[0] & 0x60)) /* a choice of configuration or alternate setting */
		return 0x10000 | (unsigned int)setup[1] << 8 | setup[4];
	return recipient == SETUP_INTERFACE || recipient == SETUP_ENDPOINT ? recipient << 8 | setup[4] : 0;
}

/* How well a recorded request is the one that came: 0 not at all; 3 its data, too. */
static int likeness(const struct tape *t, const struct tape_entry *e, const struct usbip_urb *u)
{
	bool same_length = !memcmp(e->setup + 6, u->setup + 6, 2);

	if (memcmp(e->setup, u->setup, 6))
		return 0;
	if (u->in)
		return same_length ? 3 : 2;
	if (!same_length)
		return 1;
	return u->length >= e->data_len && !memcmp(tape_data(t, e), u->data, e->data_len) ? 3 : 2;
}

struct found {
	struct tape_entry *entry; /* NULL: none */
	struct tape_entry *skipped; /* the first that should have come before */
	struct tape_entry *repeat; /* the last of this kind that was played */
	int like;
};

static struct found find_request(struct player *p, const struct usbip_urb *u)
{
	struct found f = {0};
	struct tape_entry *first = NULL;

	for (uint32_t i = 0; i < p->nrequests; i++) {
		struct tape_entry *e = &p->tape->entries[p->requests[i]];
		int like;

		if (group_of(e->setup) != group_of(u->setup))
			continue;
		like = likeness(p->tape, e, u);
		if (e->used && !(is_optional(e) && !e->time && like == 3)) {
			f.repeat = like && !e->cancelled ? e : f.repeat;
			continue;
		}
		if (!first)
			first = e;
		if (like > f.like) {
			f.entry = e;
			f.skipped = first == e ? NULL : first;
			f.like = like;
		}
		if (like == 3)
			break;
	}
	return f;
}

static void tell_request(const struct player *p, const uint8_t setup[8], char *text, size_t room)
{
	struct control_request s;
	struct setup_target to = {0};
	struct out o;

	setup_parse(&s, setup);
	if (setup_recipient(&s) == SETUP_INTERFACE)
		to.class = standard_class(&p->standard, (uint8_t)s.index);
	out_memory(&o);
	setup_brief(&s, &to, &o);
	snprintf(text, room, "%.*s", (int)o.len, o.data);
	out_free(&o);
}

static void delay_answer(struct player *p, struct usbip_urb *u, int32_t status, const uint8_t *data, uint32_t n,
			 uint64_t due)
{
	struct delayed *d = due > p->now ? malloc(sizeof(*d)) : NULL, **at = &p->delayed;

	if (!d) {
		answer(p, u, status, data, n);
		return;
	}
	*d = (struct delayed){.urb = u, .data = data, .n = n, .status = status, .due = due};
	while (*at && (*at)->due <= due)
		at = &(*at)->next;
	d->next = *at;
	*at = d;
}

/* What a recorded request was answered. */
static void answer_recorded(struct player *p, struct usbip_urb *u, const struct tape_entry *e, bool now)
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

	if (is_before(p)) {
		p->verdict->before++;
		return;
	}
	p->verdict->extra++;
	tell_request(p, u->setup, text, sizeof(text));
	verdict_note(p->verdict, p->tape, NULL, "the host sent %s, %s", text, what);
}

static void compare_request(struct player *p, const struct usbip_urb *u, const struct found *f)
{
	struct tape_entry *e = f->entry;
	char text[120];
	bool same = f->like == 3 && !f->skipped;

	if (f->skipped) {
		tell_request(p, u->setup, text, sizeof(text));
		verdict_note(p->verdict, p->tape, f->skipped, "the host sent %s first", text);
	}
	if (f->like == 2 && !u->in) {
		verdict_bytes(p->tape, e, u->data, u->length, text, sizeof(text));
		verdict_note(p->verdict, p->tape, e, "%s", text);
	} else if (f->like < 3) {
		verdict_note(p->verdict, p->tape, e, "the host asked for %u bytes, not %u", get16(u->setup + 6),
			     get16(e->setup + 6));
	}
	use(p, e, same);
}

/* A class's or vendor's request that the tape has no answer to. */
static void answer_unknown(struct player *p, struct usbip_urb *u, const struct control_request *r)
{
	static const uint8_t zero[1];

	note_request(p, u, "which is not in the capture");
	/* GET_MAX_LUN of storage: one. Other questions nobody has an answer to; settings are taken. */
	if (u->in && p->storage && setup_kind(r) == SETUP_CLASS && r->request == 0xfe)
		answer(p, u, 0, zero, u->length ? 1 : 0);
	else
		answer(p, u, u->in ? -EPIPE : 0, NULL, u->in ? 0 : u->length);
}

static void queue(struct player *p, struct usbip_urb *u);

static void handle_request(struct player *p, struct usbip_urb *u)
{
	struct control_request r;
	struct found f;
	const uint8_t *data;
	size_t n;
	int status;

	setup_parse(&r, u->setup);
	u->in = setup_in(&r);
	if (setup_kind(&r) == SETUP_STANDARD && r.request != REQ_SET_CONFIGURATION &&
	    r.request != REQ_SET_INTERFACE) {
		status = standard_answer(&p->standard, &r, &data, &n);
		n = n < r.length ? n : r.length;
		answer(p, u, status, data, u->in ? (uint32_t)(n < u->length ? n : u->length) : u->length);
		return;
	}
	f = find_request(p, u);
	if (setup_kind(&r) == SETUP_STANDARD) {
		if (f.entry) /* what it causes may come now */
			f.entry->time = p->progress = p->now;
		status = standard_answer(&p->standard, &r, &data, &n);
		answer(p, u, status, NULL, 0);
		return;
	}
	if (p->storage && setup_kind(&r) == SETUP_CLASS && r.request == 0xff)
		storage_reset(p->storage);
	if (f.entry && f.entry->cancelled) {
		f.entry->time = p->now;
		queue(p, u); /* the host gave up waiting for it */
		return;
	}
	/* One with other data is the next one changed, or none of the tape's. */
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

/* ---- OUT ---------------------------------------------------------------------------------------- */

static bool equal(const struct endpoint *e, const uint8_t *was, const uint8_t *is, size_t n, size_t whole)
{
	bool mask[ECHO_REACH];

	if (!memcmp(was, is, n))
		return true;
	if (n != whole)
		return false;
	echo_mask(&e->echo, false, was, whole, mask);
	for (size_t i = 0; i < n; i++)
		if (was[i] != is[i] && (i >= ECHO_REACH || !mask[i]))
			return false;
	return true;
}

static void remember(struct player *p, const struct endpoint *e, uint32_t entry, const uint8_t *data, uint32_t n)
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

/* Of a stream, what was on its way when the host gave up may come again. */
static bool is_over_for(const struct tape_entry *x)
{
	return x->used && !(x->xfer == URB_ISO && x->cancelled && !x->time);
}

static struct tape_entry *next_of(struct player *p, struct endpoint *e)
{
	while (e->next < e->n && !e->offset && is_over_for(&p->tape->entries[e->entries[e->next]]))
		e->next++;
	return e->next < e->n ? &p->tape->entries[e->entries[e->next]] : NULL;
}

static void advance(struct endpoint *e)
{
	e->next++;
	e->offset = 0;
}

/* The entry within the window that is this message; TAPE_NONE: none. */
static uint32_t look_ahead(const struct player *p, const struct endpoint *e, const uint8_t *data, uint32_t n)
{
	for (uint32_t i = e->next + 1; i < e->n && i < e->next + WINDOW; i++) {
		const struct tape_entry *x = &p->tape->entries[e->entries[i]];

		if (x->data_len == n && equal(e, tape_data(p->tape, x), data, n, n))
			return i;
	}
	return TAPE_NONE;
}

/* One that the host gave up then, and may send again or not. */
static struct tape_entry *find_cancelled(const struct player *p, const struct endpoint *e, const uint8_t *data,
					 uint32_t n)
{
	for (uint32_t i = 0; i < e->n; i++) {
		struct tape_entry *x = &p->tape->entries[e->entries[i]];

		if (x->cancelled && !x->time && x->data_len == n && equal(e, tape_data(p->tape, x), data, n, n))
			return x;
	}
	return NULL;
}

/* A message that is not the next one of the tape. Returns the entry that stands for it, or NULL. */
static struct tape_entry *mismatch(struct player *p, struct endpoint *e, const uint8_t *data, uint32_t n)
{
	struct tape_entry *x = next_of(p, e);
	uint32_t ahead = look_ahead(p, e, data, n);
	struct tape_entry *given_up = find_cancelled(p, e, data, n);
	char text[120];

	if (given_up) {
		given_up->time = p->now;
		return NULL;
	}
	if (is_before(p) && ahead == TAPE_NONE) {
		p->verdict->before++;
		return NULL;
	}
	if (!x) {
		p->verdict->extra++;
		verdict_note(p->verdict, p->tape, NULL, "behind the end of the capture the host sent %u bytes to "
			     "endpoint %u", n, e->address & 15u);
		return NULL;
	}
	if (ahead != TAPE_NONE) {
		verdict_note(p->verdict, p->tape, x, "the host did not send this, but a later transfer");
		while (e->next < ahead) {
			pass(p, &p->tape->entries[e->entries[e->next]]);
			advance(e);
		}
		x = &p->tape->entries[e->entries[ahead]];
		use(p, x, true);
		advance(e);
		return x;
	}
	verdict_bytes(p->tape, x, data, n, text, sizeof(text));
	verdict_note(p->verdict, p->tape, x, "%s", text);
	if (x->data_len != n) {
		p->verdict->extra++;
		return NULL;
	}
	use(p, x, false);
	advance(e);
	return x;
}

/* Bulk data is a stream: transfers may be split and joined. Returns the last entry that it ended. */
static struct tape_entry *take_out(struct player *p, struct endpoint *e, const uint8_t *data, uint32_t n)
{
	struct tape_entry *x = next_of(p, e), *ended = NULL;
	uint32_t left, at = 0;

	if (x && !e->offset && x->data_len == n && equal(e, tape_data(p->tape, x), data, n, n)) {
		remember(p, e, e->entries[e->next], data, n);
		use(p, x, true);
		advance(e);
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
			use(p, x, true);
			advance(e);
			ended = x;
		}
		x = next_of(p, e);
	}
	if (at == n && n)
		return ended;
	return mismatch(p, e, data + at, n - at);
}

static void handle_out(struct player *p, struct usbip_urb *u)
{
	struct endpoint *e = endpoint_of(p, u->endpoint);
	const struct tape_entry *x;
	int32_t status = 0;
	uint32_t n = u->length;

	if (e->is_storage) {
		status = storage_out(p->storage, u->data, n, p->now);
		p->progress = p->now;
		answer(p, u, status, NULL, status ? 0 : n);
		return;
	}
	x = take_out(p, e, u->data, n);
	if (x && x->status && !x->cancelled) {
		status = x->status;
		n = x->length < n ? x->length : n;
	}
	answer(p, u, status, NULL, n);
}

/* ---- IN ----------------------------------------------------------------------------------------- */

/* Puts the host's own sequence numbers in the place of those of the tape, where the answer has them again. */
static void put_echoes(struct player *p, const struct endpoint *e, const struct tape_entry *x, uint8_t *data,
		       uint32_t n)
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
	echo_mask(&endpoint_of(p, cause->endpoint)->echo, false, was, cause->data_len, out);
	for (uint32_t i = 0; i < n && i < ECHO_REACH; i++)
		for (uint32_t k = 0; in[i] && k < s->n && k < cause->data_len; k++)
			if (out[k] && was[k] == tape_data(p->tape, x)[i]) {
				data[i] = s->data[k];
				break;
			}
}

static uint64_t scaled(const struct player *p, uint64_t from, uint64_t to)
{
	return p->options.speed > 0 && to > from ? (uint64_t)((double)(to - from) / p->options.speed) : 0;
}

/* When an answer is due; UINT64_MAX: not before its cause has come. */
static uint64_t due_of(const struct player *p, const struct endpoint *e, const struct tape_entry *x)
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
		due = e->asked + p->options.delay + scaled(p, x->submitted, x->completed);
	if (x->after_cancelled && !e->unlinked)
		due += GIVE_UP;
	return due > e->given ? due : e->given;
}

static struct usbip_urb *take_urb(struct endpoint *e)
{
	struct usbip_urb *u = e->first;

	e->first = u->next;
	if (!e->first)
		e->last = &e->first;
	return u;
}

/* Whether a transfer filled its buffer: a larger one would have got what came behind it, too. */
static bool was_full(const struct tape_entry *x)
{
	return x->xfer == URB_BULK && x->length && x->length == x->asked && !x->status;
}

/* Answers one read with the next entry, as far as it fits; e->first and its time are there. */
static void give(struct player *p, struct endpoint *e, struct tape_entry *x)
{
	struct usbip_urb *u = take_urb(e);
	uint32_t n = 0, left;
	int32_t status = x->cancelled || x->status == -121 ? 0 : x->status;
	bool full = true;

	if (!scratch(p, u->length + 1)) {
		answer(p, u, -ENOMEM, NULL, 0);
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
			break; /* the rest comes with the next read */
		if (e->offset < x->data_len)
			verdict_note(p->verdict, p->tape, x, "the host reads %u bytes only", u->length);
		e->recorded = x->completed;
		full = was_full(x) && n < u->length;
		use(p, x, e->offset == x->data_len);
		advance(e);
		x = full ? next_of(p, e) : NULL;
		if (x && (due_of(p, e, x) > p->now || x->status || x->cut))
			break;
	}
	e->given = p->now;
	e->unlinked = false;
	answer(p, u, status, p->scratch, n);
}

static uint64_t packet_time(const struct player *p, const struct usbip_urb *u)
{
	uint64_t unit = p->standard.speed >= USBIP_HIGH ? 125000 : 1000000;

	return (u->interval ? u->interval : 1) * unit;
}

/* The next packet of the tape; false: there is none. */
static bool next_packet(struct player *p, struct endpoint *e, struct tape_packet *k, const uint8_t **data)
{
	struct tape_entry *x = next_of(p, e);

	while (x && e->offset >= x->npackets) {
		use(p, x, true);
		e->within = 0;
		advance(e);
		x = next_of(p, e);
	}
	if (!x)
		return false;
	*k = tape_packet(p->tape, x, e->offset++);
	*data = tape_data(p->tape, x) + e->within;
	e->within += k->length;
	if (e->offset == x->npackets) {
		use(p, x, true);
		e->within = 0;
		advance(e);
	}
	return true;
}

static void give_packets(struct player *p, struct endpoint *e)
{
	struct usbip_urb *u = take_urb(e);
	uint32_t n = 0;

	if (!scratch(p, u->length + 1)) {
		answer(p, u, -ENOMEM, NULL, 0);
		return;
	}
	for (uint32_t i = 0; i < u->npackets; i++) {
		struct usbip_packet *to = &u->packets[i];
		struct tape_packet k = {0};
		const uint8_t *data = NULL;

		if (next_packet(p, e, &k, &data) && k.length > to->length)
			k.length = to->length;
		memcpy(p->scratch + n, data ? data : p->scratch, data ? k.length : 0);
		to->actual = k.length;
		to->status = k.status == -18 ? 0 : k.status; /* -EXDEV: as it was submitted */
		n += k.length;
	}
	e->given = p->now;
	answer(p, u, 0, p->scratch, n);
}

/* Isochronous data is a stream; behind its end a host that has nothing to play sends silence. */
static void compare_packets(struct player *p, struct endpoint *e, const struct usbip_urb *u)
{
	for (uint32_t i = 0; i < u->npackets; i++) {
		const uint8_t *data = u->data + u->packets[i].offset;
		uint32_t n = u->packets[i].length, at = 0;

		while (at < n) {
			struct tape_entry *x = next_of(p, e);
			uint32_t k;
			char text[120];

			if (!x)
				return;
			k = x->data_len - e->offset < n - at ? x->data_len - e->offset : n - at;
			if (x->cancelled && !e->offset && memcmp(tape_data(p->tape, x), data + at, k)) {
				x->time = p->now; /* it did not */
				continue;
			}
			if (memcmp(tape_data(p->tape, x) + e->offset, data + at, k) && !e->within) {
				verdict_bytes(p->tape, x, data + at, k, text, sizeof(text));
				verdict_note(p->verdict, p->tape, x, "of %u bytes from its byte %u on, %s", k,
					     e->offset, text);
				e->within = 1; /* this entry differs */
			}
			at += k;
			e->offset += k;
			if (e->offset >= x->data_len) {
				use(p, x, !e->within);
				e->within = 0;
				advance(e);
			}
		}
	}
}

static void take_packets(struct player *p, struct endpoint *e)
{
	struct usbip_urb *u = take_urb(e);

	compare_packets(p, e, u);
	for (uint32_t i = 0; i < u->npackets; i++)
		u->packets[i].actual = u->packets[i].length;
	answer(p, u, 0, NULL, u->length);
}

static void queue(struct player *p, struct usbip_urb *u)
{
	struct endpoint *e = endpoint_of(p, u->endpoint);

	u->next = NULL;
	if (!e->asked)
		e->asked = p->now;
	if (u->npackets) {
		bool over = !next_of(p, e);

		e->slot = (e->slot > p->now ? e->slot : p->now) +
			  (p->options.speed > 0 || over ? u->npackets * packet_time(p, u) : 0);
		u->time = e->slot;
	}
	*e->last = u;
	e->last = &u->next;
}

/* Gives what is due on an endpoint; *wake: when something will be. Returns whether something was given. */
static bool serve(struct player *p, struct endpoint *e, uint64_t *wake)
{
	struct tape_entry *x = NULL;
	struct storage_answer a;
	uint64_t due;

	if (!e->first)
		return false;
	if (e->is_storage) {
		if (!storage_in(p->storage, e->first->length, &a))
			return false;
		due = a.due;
	} else if (e->first->npackets) {
		due = e->first->time;
	} else {
		x = next_of(p, e);
		due = x ? due_of(p, e, x) : UINT64_MAX;
	}
	if (due > p->now) {
		*wake = due < *wake ? due : *wake;
		return false;
	}
	if (e->is_storage) {
		storage_taken(p->storage, &a, p->now);
		p->progress = p->now;
		answer(p, take_urb(e), a.status, a.data, a.n);
	} else if (e->first->npackets) {
		(e->address & 0x80 ? give_packets : take_packets)(p, e);
	} else {
		give(p, e, x);
	}
	return true;
}

static uint64_t serve_all(struct player *p)
{
	uint64_t wake = UINT64_MAX;

	while (p->delayed && p->delayed->due <= p->now) {
		struct delayed *d = p->delayed;

		p->delayed = d->next;
		answer(p, d->urb, d->status, d->data, d->n);
		free(d);
	}
	if (p->delayed)
		wake = p->delayed->due;
	for (unsigned int k = 0; k < 32 && !p->gone; k++)
		while (!p->gone && serve(p, &p->endpoints[k], &wake))
			;
	return wake;
}

/* ---- messages ------------------------------------------------------------------------------------ */

/* An URB that waits is cancelled; of one that was answered, the host has the answer. */
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
			usbip_urb_free(u);
			e->unlinked = true;
			return -ECONNRESET;
		}
	}
	return 0;
}

static void handle(struct player *p, struct usbip_urb *u)
{
	if (!(u->endpoint & 15))
		handle_request(p, u);
	else if (u->in || u->npackets)
		queue(p, u);
	else
		handle_out(p, u);
}

static int take_messages(struct player *p, struct trawl_error *err)
{
	struct usbip_urb *u;
	uint32_t seqnum, victim;
	int got = 0;

	while (!p->gone && (got = usbip_next(p->usbip, &u, &seqnum, &victim, err)) > 0) {
		if (got == USBIP_SUBMIT)
			handle(p, u);
		else if (usbip_answer_unlink(p->usbip, seqnum, unlink_urb(p, victim)))
			p->gone = true;
	}
	return got;
}

static bool is_over(struct player *p)
{
	const struct tape *t = p->tape;

	/* The last ones are looked at first: mostly they are those that are still to come. */
	while (p->waiting && t->entries[p->waiting - 1].used)
		p->waiting--;
	if (p->waiting && p->storage) {
		storage_end(p->storage, p->now);
		while (p->waiting && t->entries[p->waiting - 1].used)
			p->waiting--;
	}
	return !p->waiting;
}

/* When to look again at the latest; *end: how it ends now. */
static bool is_end(struct player *p, uint64_t *wake, int *end)
{
	bool over = is_over(p) && !p->delayed;
	uint64_t left;

	if (over && !p->options.hold) {
		left = p->progress + p->options.linger;
		*end = PLAYER_DONE;
	} else if (!over && p->options.timeout) {
		left = p->progress + p->options.timeout;
		*end = PLAYER_TIMEOUT;
	} else {
		return false;
	}
	*wake = left < *wake ? left : *wake;
	return left <= p->now;
}

/* Waits for messages, the time `wake`, or a signal, which it returns true for. */
static bool wait_for(struct player *p, uint64_t wake, int stop)
{
	struct pollfd fds[2] = {{.fd = p->usbip->fd, .events = POLLIN}, {.fd = stop, .events = POLLIN}};
	uint64_t ns = wake > p->now ? wake - p->now : 0;
	struct timespec t = {.tv_sec = (time_t)(ns / 1000000000), .tv_nsec = (long)(ns % 1000000000)};
	int n = ppoll(fds, stop >= 0 ? 2 : 1, wake == UINT64_MAX ? NULL : &t, NULL);

	p->now = clock_now();
	if (n > 0 && fds[0].revents && usbip_read(p->usbip))
		p->gone = true;
	return n > 0 && stop >= 0 && fds[1].revents;
}

int player_run(struct player *p, struct usbip *u, int stop, struct trawl_error *err)
{
	uint64_t wake;
	int end;

	p->usbip = u;
	p->now = p->progress = clock_now();
	p->waiting = p->tape->n;
	for (;;) {
		if (take_messages(p, err) < 0)
			return -1;
		wake = serve_all(p);
		if (p->gone)
			return is_over(p) ? PLAYER_DONE : PLAYER_UNPLUGGED;
		if (is_end(p, &wake, &end))
			return end;
		if (wait_for(p, wake, stop))
			return is_over(p) ? PLAYER_DONE : PLAYER_SIGNAL;
	}
}

void player_finish(struct player *p)
{
	const struct tape *t = p->tape;

	if (p->storage)
		storage_end(p->storage, p->now);
	for (uint32_t i = 0; i < t->n; i++) {
		const struct tape_entry *e = &t->entries[i];

		if (e->used)
			continue;
		p->verdict->missing++;
		if (tape_in(e) && e->xfer != URB_CONTROL)
			verdict_note(p->verdict, t, e, "it was not given: the host did not read it");
		else
			verdict_note(p->verdict, t, e, "the host did not send it");
	}
}
