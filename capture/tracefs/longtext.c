/* SPDX-License-Identifier: MIT */
#include "capture/tracefs/longtext.h"
#include "common/array.h"

#include <stdlib.h>
#include <string.h>

enum { RECORD_MAX = 4096, MADE = 16, IDS = 65536 };

/* A record of a companion: held until the next record of its CPU, or made into an event. */
struct held {
	const struct long_text *pair; /* NULL: there is no record */
	uint64_t ts;
	uint32_t len;
	uint8_t data[RECORD_MAX];
};

struct long_texts {
	struct long_text **pairs; /* by the companion's event ID; NULL: no companion */
	struct held **cpus; /* by CPU; NULL: no record of the CPU was held yet */
	size_t ncpus;
	struct held made[MADE]; /* the newest companions that were made into events */
	size_t next_made;
	bool any; /* a record has been held */
};

struct long_texts *long_texts_new(void)
{
	struct long_texts *l = calloc(1, sizeof(*l));

	if (l)
		l->pairs = calloc(IDS, sizeof(struct long_text *));
	if (l && l->pairs)
		return l;
	free(l);
	return NULL;
}

void long_texts_free(struct long_texts *l)
{
	if (!l)
		return;
	for (size_t i = 0; i < IDS; i++)
		free(l->pairs[i]);
	for (size_t i = 0; i < l->ncpus; i++)
		free(l->cpus[i]);
	free(l->pairs);
	free(l->cpus);
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

/* Appends the companion's prefix of a string to the record, and returns the record's new length. Of
 * a prefix with a NUL, appends 0 bytes: the string is empty, or unreadable and stored as zeros. */
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

/* Emits the event, with missing strings completed from the companion. */
static int emit_merged(const struct held *h, uint32_t cpu, const struct ring_event *ev,
		       long_text_emit *emit, void *arg, struct trawl_error *err)
{
	uint8_t record[RECORD_MAX] = { 0 };
	struct ring_event merged = *ev;
	bool squeezed;

	if (ev->len > sizeof(record))
		return emit(arg, cpu, ev, err);
	memcpy(record, ev->data, ev->len);
	merged.data = record;
	squeezed = is_squeezed(h, record);
	for (size_t i = 0; i < h->pair->nargs; i++) {
		const struct long_text_arg *a = &h->pair->args[i];

		if (a->text)
			mend(h, a, squeezed, record, &merged.len);
		else if (a->own && squeezed)
			merged.len = put_own(h, a, record, merged.len);
	}
	merged.len = (merged.len + 3) & ~3u; /* as the kernel's */
	return emit(arg, cpu, &merged, err);
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

/* ---- records of a CPU -------------------------------------------------------------- */

static struct held *held_on(struct long_texts *l, uint32_t cpu)
{
	if (!array_extend(l->cpus, l->ncpus, cpu + 1))
		return NULL;
	if (!l->cpus[cpu])
		l->cpus[cpu] = calloc(1, sizeof(struct held));
	return l->cpus[cpu];
}

/* Called if no event came after the held companion. If a string is long, the kernel has dropped the
 * event. */
static int release(struct long_texts *l, uint32_t cpu, struct held *h, long_text_emit *emit,
		   void *arg, struct trawl_error *err)
{
	int r = 0;

	if (any_is_longer(h)) {
		r = emit_made(h, cpu, emit, arg, err);
		l->made[l->next_made++ % MADE] = *h;
	}
	h->pair = NULL;
	return r;
}

/* Whether this event, which comes late, was already made from its companion. */
static bool was_made(struct long_texts *l, const struct ring_event *ev)
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

static const struct long_text *pair_of(const struct long_texts *l, const struct ring_event *ev)
{
	const struct long_text *p = l->pairs[id_of(ev->data)];

	return p && ev->len >= p->companion_size && ev->len <= RECORD_MAX ? p : NULL;
}

int long_texts_event(struct long_texts *l, uint32_t cpu, const struct ring_event *ev,
		     long_text_emit *emit, void *arg, struct trawl_error *err)
{
	const struct long_text *pair = ev->len >= 8 ? pair_of(l, ev) : NULL;
	struct held *h;
	int r = 0;

	if ((!pair && !l->any) || ev->len < 8)
		return emit(arg, cpu, ev, err);
	h = held_on(l, cpu);
	if (!h)
		return trawl_fail(err, TRAWL_CANNOT, "out of memory");
	if (is_of(h, ev)) {
		r = emit_merged(h, cpu, ev, emit, arg, err);
		h->pair = NULL;
		return r;
	}
	if (h->pair)
		r = release(l, cpu, h, emit, arg, err);
	if (r)
		return r;
	if (was_made(l, ev))
		return 0;
	if (!pair)
		return emit(arg, cpu, ev, err);
	h->pair = pair;
	h->ts = ev->ts;
	h->len = ev->len;
	memcpy(h->data, ev->data, ev->len);
	l->any = true;
	return 0;
}

int long_texts_flush(struct long_texts *l, uint64_t until, long_text_emit *emit, void *arg,
		     struct trawl_error *err)
{
	for (size_t i = 0; i < l->ncpus; i++) {
		struct held *h = l->cpus[i];
		int r;

		if (!h || !h->pair || h->ts >= until)
			continue;
		r = release(l, (uint32_t)i, h, emit, arg, err);
		if (r)
			return r;
	}
	return 0;
}

uint64_t long_texts_held(const struct long_texts *l)
{
	uint64_t oldest = UINT64_MAX;

	for (size_t i = 0; i < l->ncpus; i++) {
		const struct held *h = l->cpus[i];

		if (h && h->pair && h->ts <= oldest)
			oldest = h->ts - 1;
	}
	return oldest;
}
