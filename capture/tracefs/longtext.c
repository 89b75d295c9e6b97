/* SPDX-License-Identifier: MIT */
#include "capture/tracefs/longtext.h"
#include "capture/tracefs/waiting.h"
#include "common/array.h"

#include <stdlib.h>
#include <string.h>

enum { RECORD_MAX = 4096, MADE = 16, IDS = 65536 };
/*
 * The longest time between a companion's record and its event's, if nothing else of the task comes:
 * then the kernel has dropped the event.
 */
static const uint64_t HOLD_NS = 100000000;

/* A record of a companion. */
struct held {
	const struct long_text *pair; /* NULL: there is no record */
	uint64_t ts;
	uint32_t len;
	uint8_t data[RECORD_MAX];
};

struct long_texts {
	struct long_text **pairs; /* by the companion's event ID; NULL: no companion */
	struct long_text **of_event; /* the same by the event's ID, not owned */
	struct waiting waiting; /* .about: not NULL if the companion has been merged into it */
	struct held made[MADE]; /* the newest companions that were made into events */
	size_t next_made;
	bool waits; /* a record came that has a companion, or may have one */
};

struct long_texts *long_texts_new(void)
{
	struct long_texts *l = calloc(1, sizeof(*l));

	if (!l)
		return NULL;
	l->pairs = calloc(IDS, sizeof(struct long_text *));
	l->of_event = calloc(IDS, sizeof(struct long_text *));
	if (l->pairs && l->of_event)
		return l;
	free(l->pairs);
	free(l->of_event);
	free(l);
	return NULL;
}

void long_texts_free(struct long_texts *l)
{
	if (!l)
		return;
	for (size_t i = 0; i < IDS; i++)
		free(l->pairs[i]);
	waiting_free(&l->waiting);
	free(l->pairs);
	free(l->of_event);
	free(l);
}

int long_texts_add(struct long_texts *l, const struct long_text *pair)
{
	struct long_text *copy = malloc(sizeof(*copy));

	if (!copy)
		return -1;
	*copy = *pair;
	free(l->pairs[pair->companion]);
	l->pairs[pair->companion] = copy;
	l->of_event[pair->id] = copy;
	return 0;
}

/* ---- records ------------------------------------------------------------------------------ */

static uint32_t id_of(const uint8_t *record)
{
	uint16_t id;

	memcpy(&id, record, sizeof(id));
	return id;
}

static void put32(uint8_t *p, uint32_t v)
{
	memcpy(p, &v, sizeof(v));
}

static bool is_null(const struct long_text_arg *a, const struct held *h)
{
	static const uint8_t zero[8];

	return !memcmp(h->data + a->address_at, zero, sizeof(zero));
}

/* Whether the string is longer than its prefix in the companion. */
static bool is_longer(const struct long_text_arg *a, const struct held *h)
{
	return !memchr(h->data + a->from, 0, h->pair->prefix);
}

static bool any_is_longer(const struct held *h)
{
	for (size_t i = 0; i < h->pair->nargs; i++)
		if (h->pair->args[i].text && is_longer(&h->pair->args[i], h))
			return true;
	return false;
}

/* Returns the *n bytes of a string in a record; *n is 0 if the word points outside the record. */
static const uint8_t *bytes_of(const uint8_t *record, uint32_t len, uint32_t word_at, uint32_t *n)
{
	uint32_t word = ring_u32(record + word_at), at = trawl_loc_offset(word);

	*n = trawl_loc_len(word);
	if (at >= len || *n > len - at)
		*n = 0;
	return record + at;
}

/*
 * How many strings the event has, those of checks included: the kernel gives what they would take
 * to a string that is too long, which has a beginning then.
 */
static size_t count_texts(const struct long_text *p)
{
	size_t n = 0;

	for (size_t i = 0; i < p->nargs; i++)
		n += p->args[i].text || p->args[i].own || p->args[i].check;
	return n;
}

/*
 * Whether the string in the event can be that of the companion. One of 0 bytes can: the kernel
 * stores a long string so, while an empty one has a NUL. With several strings, one may have left
 * too little room for another, which then ends early; a single one must have the same end.
 */
static bool is_same_text(const struct held *h, const struct long_text_arg *a,
			 const struct ring_event *ev)
{
	uint32_t n, len, most;
	const uint8_t *text = bytes_of(ev->data, ev->len, a->at, &n);

	if (!n)
		return true;
	len = (uint32_t)strnlen((const char *)text, n);
	most = len < h->pair->prefix ? len : h->pair->prefix;
	if (memcmp(text, h->data + a->from, most))
		return false;
	return len >= h->pair->prefix || !h->data[a->from + len] || count_texts(h->pair) > 1;
}

/* The same for an own string; in the event, others may have left too little room for it. */
static bool is_same_own(const struct held *h, const struct long_text_arg *a,
			const struct ring_event *ev)
{
	uint32_t n, m;
	const uint8_t *text = bytes_of(ev->data, ev->len, a->at, &n);
	const uint8_t *other = bytes_of(h->data, h->len, a->from, &m);

	n = (uint32_t)strnlen((const char *)text, n);
	return n <= m && !memcmp(text, other, n);
}

/* Whether the event is of the same hit as the held record: same task, same address, same values. */
static bool is_of(const struct held *h, const struct ring_event *ev)
{
	const struct long_text *p = h->pair;

	if (!p || ev->len < p->size || id_of(ev->data) != p->id ||
	    memcmp(ev->data + 4, h->data + 4, 4) ||
	    memcmp(ev->data + 8, h->data + 8, p->head - 8))
		return false;
	for (size_t i = 0; i < p->nargs; i++) {
		const struct long_text_arg *a = &p->args[i];

		if (a->own  ? !is_same_own(h, a, ev) :
		    a->text ? !is_same_text(h, a, ev) :
			      memcmp(ev->data + a->at, h->data + a->from, a->size))
			return false;
	}
	return true;
}

/*
 * Appends the companion's prefix of a string to the record, and returns the record's new length. Of
 * a prefix with a NUL, appends 0 bytes: the string is empty, or unreadable and stored as zeros.
 */
static uint32_t put_text(const struct held *h, const struct long_text_arg *a, uint8_t *record,
			 uint32_t len)
{
	const uint8_t *from = h->data + a->from;
	const uint8_t *end = memchr(from, 0, h->pair->prefix);
	uint32_t n = end ? (uint32_t)(end - from) + 1 : h->pair->prefix;

	if (is_null(a, h))
		n = 2;
	else if (!*from)
		n = 0;
	if (len + n > RECORD_MAX)
		n = RECORD_MAX - len;
	if (is_null(a, h))
		memset(record + len, 0, n);
	else
		memcpy(record + len, from, n);
	put32(record + a->at, trawl_loc(n, len));
	return len + n;
}

/* The same for an own string. */
static uint32_t put_own(const struct held *h, const struct long_text_arg *a, uint8_t *record,
			uint32_t len)
{
	uint32_t n;
	const uint8_t *text = bytes_of(h->data, h->len, a->from, &n);

	if (len + n > RECORD_MAX)
		n = RECORD_MAX - len;
	memcpy(record + len, text, n);
	put32(record + a->at, trawl_loc(n, len));
	return len + n;
}

/*
 * Completes a string of the event from the companion. The kernel stored a string that it measured
 * as empty in the room of the strings after it: it ends with a NUL at the end of that room, and
 * they have 0 bytes.
 */
static void mend(const struct held *h, const struct long_text_arg *a, bool squeezed,
		 uint8_t *record, uint32_t *len)
{
	uint32_t loc = ring_u32(record + a->at), n = trawl_loc_len(loc);
	bool readable = is_null(a, h) || h->data[a->from];

	if (n ? squeezed && is_longer(a, h) && n <= h->pair->prefix : readable)
		*len = put_text(h, a, record, *len);
	else if (n && squeezed && is_longer(a, h))
		/* a text without its NUL is cut */
		put32(record + a->at, trawl_loc(n - 1, trawl_loc_offset(loc)));
}

/* Whether a readable string certainly got too little room, or none. */
static bool is_squeezed(const struct held *h, const uint8_t *record)
{
	for (size_t i = 0; i < h->pair->nargs; i++) {
		const struct long_text_arg *a = &h->pair->args[i];
		uint32_t n = a->text ? trawl_loc_len(ring_u32(record + a->at)) : 0;

		if (a->text && (n ? n <= h->pair->prefix && is_longer(a, h) : h->data[a->from]))
			return true;
	}
	return false;
}

/*
 * Completes the missing strings of a waiting event from its companion. Returns 0, or -1 without
 * memory.
 */
static int merge(const struct held *h, struct waiting_record *w)
{
	uint32_t len = w->len, room = len;
	uint8_t *record;
	bool squeezed;

	w->about = h->pair;
	if (len > RECORD_MAX)
		return 0;
	if (!array_extend(w->data, room, RECORD_MAX))
		return -1;
	record = w->data;
	squeezed = is_squeezed(h, record);
	for (size_t i = 0; i < h->pair->nargs; i++) {
		const struct long_text_arg *a = &h->pair->args[i];

		if (a->text)
			mend(h, a, squeezed, record, &len);
		else if (a->own && squeezed)
			len = put_own(h, a, record, len);
	}
	w->len = (len + 3) & ~3u; /* as the kernel's */
	return 0;
}

/* Emits an event that the kernel dropped, made from its companion. */
static int emit_made(const struct held *h, uint32_t cpu, long_text_emit *emit, void *arg,
		     struct trawl_error *err)
{
	const struct long_text *p = h->pair;
	struct ring_event ev = { .ts = h->ts, .len = p->size };
	uint8_t record[RECORD_MAX] = { 0 };
	uint16_t id = (uint16_t)p->id;

	if (p->size > sizeof(record))
		return 0;
	memcpy(record, h->data, p->head);
	memcpy(record, &id, sizeof(id));
	for (size_t i = 0; i < p->nargs; i++) {
		const struct long_text_arg *a = &p->args[i];

		if (a->text)
			ev.len = put_text(h, a, record, ev.len);
		else if (a->own)
			ev.len = put_own(h, a, record, ev.len);
		else
			memcpy(record + a->at, h->data + a->from, a->size);
	}
	ev.data = record;
	ev.len = (ev.len + 3) & ~3u; /* as the kernel's */
	return emit(arg, cpu, &ev, err);
}

/* ---- companions and their events ---------------------------------------------------------- */

static const struct long_text *pair_of(const struct long_texts *l, const uint8_t *record,
				       uint32_t len)
{
	const struct long_text *p = l->pairs[id_of(record)];

	return p && len >= p->companion_size && len <= RECORD_MAX ? p : NULL;
}

static struct ring_event event_of(const struct waiting_record *w)
{
	return (struct ring_event){ .ts = w->ts, .data = w->data, .len = w->len };
}

/* Whether the event, of which no companion is known, may have one. */
static bool may_have_companion(const struct long_texts *l, const struct ring_event *ev)
{
	const struct long_text *p = l->of_event[id_of(ev->data)];

	if (!p || ev->len < p->size)
		return false;
	if (count_texts(p) > 1)
		return true;
	for (size_t i = 0; i < p->nargs; i++) {
		uint32_t n;
		const uint8_t *text;

		if (!p->args[i].text)
			continue;
		text = bytes_of(ev->data, ev->len, p->args[i].at, &n);
		if (!n || strnlen((const char *)text, n) >= p->prefix)
			return true;
	}
	return false;
}

/*
 * Forgets the event that was made from a companion for the task's last hit. Returns whether this is
 * that event, which comes late.
 */
static bool take_made(struct long_texts *l, const struct ring_event *ev)
{
	for (size_t i = 0; i < MADE; i++) {
		struct held *h = &l->made[i];

		if (!h->pair || memcmp(ev->data + 4, h->data + 4, 4))
			continue;
		if (id_of(ev->data) != h->pair->id && id_of(ev->data) != h->pair->companion)
			continue;
		if (is_of(h, ev)) {
			h->pair = NULL;
			return true;
		}
		h->pair = NULL; /* of another hit of the task: the event of this companion was
				 * dropped */
	}
	return false;
}

/* Returns the task's next record after record i of those up to `until`; NULL if there is none. */
static struct waiting_record *next_of_task(const struct waiting *w, size_t i, uint64_t until)
{
	for (size_t j = i + 1; j < w->n && w->records[j].ts <= until; j++) {
		if (!memcmp(w->records[j].data + 4, w->records[i].data + 4, 4))
			return &w->records[j];
	}
	return NULL;
}

/*
 * Decides on a companion: completes its event, which is the task's next record, or makes it if the
 * kernel has dropped it because a string is long. next: NULL if there is none.
 */
static int decide_companion(struct long_texts *l, const struct waiting_record *w,
			    struct waiting_record *next, long_text_emit *emit, void *arg,
			    struct trawl_error *err)
{
	struct held h = { .pair = pair_of(l, w->data, w->len), .ts = w->ts, .len = w->len };

	memcpy(h.data, w->data, w->len);
	if (next) {
		struct ring_event ev = event_of(next);

		if (is_of(&h, &ev))
			return merge(&h, next) ? trawl_fail(err, TRAWL_CANNOT, "out of memory") : 0;
	}
	if (!any_is_longer(&h))
		return 0;
	l->made[l->next_made++ % MADE] = h;
	return emit_made(&h, w->cpu, emit, arg, err);
}

int long_texts_event(struct long_texts *l, uint32_t cpu, const struct ring_event *ev,
		     long_text_emit *emit, void *arg, struct trawl_error *err)
{
	if (ev->len < 8)
		return emit(arg, cpu, ev, err);
	if (!l->waits && !pair_of(l, ev->data, ev->len) && !may_have_companion(l, ev))
		return emit(arg, cpu, ev, err);
	l->waits = true;
	return waiting_add(&l->waiting, cpu, ev, NULL) ?
	       trawl_fail(err, TRAWL_CANNOT, "out of memory") : 0;
}

int long_texts_release(struct long_texts *l, uint64_t until, long_text_emit *emit, void *arg,
		       struct trawl_error *err)
{
	struct waiting *w = &l->waiting;
	size_t n = 0;
	int r = 0;

	waiting_sort(w);
	for (; n < w->n && w->records[n].ts <= until; n++) {
		struct waiting_record *record = &w->records[n], *next;
		struct ring_event ev = event_of(record);

		if (!record->about && take_made(l, &ev))
			continue;
		if (!pair_of(l, record->data, record->len)) {
			r = r ? r : emit(arg, record->cpu, &ev, err);
			continue;
		}
		next = next_of_task(w, n, until);
		if (!next && until - record->ts < HOLD_NS)
			break; /* its event may still come */
		r = r ? r : decide_companion(l, record, next, emit, arg, err);
	}
	waiting_remove(w, n);
	return r;
}

uint64_t long_texts_held(const struct long_texts *l)
{
	uint64_t oldest = UINT64_MAX;

	for (size_t i = 0; i < l->waiting.n; i++) {
		if (l->waiting.records[i].ts <= oldest)
			oldest = l->waiting.records[i].ts - 1;
	}
	return oldest;
}
