/* SPDX-License-Identifier: MIT */
#include "decode/usb/protocol.h"

#include <math.h>
#include <stdlib.h>

enum {
	/* a first byte with at most this many values needs no further evidence to be a type */
	FEW_VALUES = 8,
	FIRST_VALUES = 64,  /* maximum number of values of a first byte that is a type */
	LATER_VALUES = 32,  /* the same for later bytes */
	/* maximum number of lengths of one type that become types of their own */
	LENGTHS = 4,
	/* messages of this length and more carry data and are analysed separately */
	LARGE = 512,
	LOOKED_AT = 64,     /* offsets at which messages are compared */
	WINDOW = 16,        /* IN messages after a request that may be its answer */
};

struct work {
	struct protocol *p;
	bool failed;
};

/* A set of messages of one direction that has not been split further yet. */
struct part {
	uint32_t *index;
	uint32_t n;
	uint32_t next;         /* the first offset that has not been examined */
	struct message_type as; /* the key so far */
};

static struct sample sample_of(const struct protocol *p, uint32_t message)
{
	const struct message *m = &p->of->messages[message];

	return (struct sample){message_bytes(p->of, m), m->kept};
}

static int byte_at(const struct protocol *p, uint32_t message, uint32_t at)
{
	struct sample s = sample_of(p, message);

	return at < s.length ? s.p[at] : -1;
}

static uint32_t values_at(const struct protocol *p, const struct part *t, uint32_t at)
{
	bool seen[257] = {false};
	uint32_t count = 0;

	for (uint32_t i = 0; i < t->n; i++) {
		int v = byte_at(p, t->index[i], at);

		count += !seen[v + 1];
		seen[v + 1] = true;
	}
	return count;
}

/*
 * Returns a hash of how the byte at `at` changes from message to message, or 0 if it never does.
 * Bytes that always change together, such as a byte and its copy, have the same hash.
 */
static uint64_t change_at(const struct protocol *p, const uint32_t *index, uint32_t n, uint32_t at)
{
	uint16_t number[257] = {0}, next = 1;
	uint64_t h = 0;

	for (uint32_t i = 0; i < n; i++) {
		uint16_t *v = &number[byte_at(p, index[i], at) + 1];

		if (!*v)
			*v = next++;
		h = (h ^ *v) * UINT64_C(0x100000001b3);
	}
	return next > 2 ? h : 0;
}

/* Entropy of the byte at `at`, in bits, over these messages. */
static double bits_of(const struct protocol *p, const uint32_t *index, uint32_t n, uint32_t at)
{
	uint32_t counts[257] = {0};
	double bits = 0;

	for (uint32_t i = 0; i < n; i++)
		counts[byte_at(p, index[i], at) + 1]++;
	for (uint32_t v = 0; v < 257; v++)
		if (counts[v])
			bits -= counts[v] * log2((double)counts[v] / n);
	return bits / n;
}

static int compare_parts(const void *a, const void *b, void *arg)
{
	const uint64_t *x = a, *y = b;

	return *x < *y ? -1 : *x > *y;
}

/* Sorts the messages by a key; messages with equal keys keep their order. */
static bool sort_by(struct part *t, uint32_t (*key)(const struct protocol *p, uint32_t message,
						     uint32_t arg),
		    const struct protocol *p, uint32_t arg)
{
	uint64_t *keys = malloc((size_t)t->n * sizeof(*keys));

	if (!keys)
		return false;
	for (uint32_t i = 0; i < t->n; i++)
		keys[i] = (uint64_t)key(p, t->index[i], arg) << 32 | t->index[i];
	qsort_r(keys, t->n, sizeof(*keys), compare_parts, NULL);
	for (uint32_t i = 0; i < t->n; i++)
		t->index[i] = (uint32_t)keys[i];
	free(keys);
	return true;
}

static uint32_t by_byte(const struct protocol *p, uint32_t message, uint32_t at)
{
	return (uint32_t)(byte_at(p, message, at) + 1);
}

static uint32_t by_length(const struct protocol *p, uint32_t message, uint32_t arg)
{
	return p->of->messages[message].length;
}

static uint32_t by_size(const struct protocol *p, uint32_t message, uint32_t arg)
{
	return p->of->messages[message].length >= LARGE;
}

static uint32_t by_order(const struct protocol *p, uint32_t message, uint32_t arg)
{
	return 0;
}

/* ---- types ----------------------------------------------------------------------------------- */

static void add_type(struct work *w, struct part *t)
{
	struct protocol *p = w->p;
	struct message_type *m;

	if (p->ntypes == TYPES_MAX)
		return;
	w->failed |= !sort_by(t, by_order, p, 0);
	m = &p->types[p->ntypes++];
	*m = t->as;
	m->in = p->of->messages[t->index[0]].in;
	m->count = t->n;
	m->answer = TYPES_MAX;
	m->messages = malloc((size_t)t->n * sizeof(*m->messages));
	if (!m->messages) {
		w->failed = true;
		p->ntypes--;
		return;
	}
	memcpy(m->messages, t->index, (size_t)t->n * sizeof(*m->messages));
	m->shortest = UINT32_MAX;
	for (uint32_t i = 0; i < t->n; i++) {
		uint32_t length = p->of->messages[t->index[i]].length;

		m->shortest = length < m->shortest ? length : m->shortest;
		m->longest = length > m->longest ? length : m->longest;
	}
}

/*
 * Moves the messages whose byte at `at` is unique behind all others and returns the number of these
 * others. The messages are sorted by the byte.
 */
static uint32_t move_alone(const struct protocol *p, struct part *t, uint32_t at)
{
	uint32_t kept = 0;

	for (uint32_t i = 0, n; i < t->n; i += n) {
		for (n = 1; i + n < t->n && byte_at(p, t->index[i + n], at) ==
						    byte_at(p, t->index[i], at);)
			n++;
		for (uint32_t k = 0; n > 1 && k < n; k++, kept++) {
			uint32_t swap = t->index[kept];

			t->index[kept] = t->index[i + k];
			t->index[i + k] = swap;
		}
	}
	return kept;
}

/* Conditional entropy, in bits, of the byte at `at` given the byte at `by`. */
static double bits_left(const struct protocol *p, const uint32_t *index, uint32_t n, uint32_t at,
			uint32_t by)
{
	double bits = 0;

	for (uint32_t i = 0, m; i < n; i += m) {
		for (m = 1; i + m < n && byte_at(p, index[i + m], by) == byte_at(p, index[i], by);)
			m++;
		bits += m * bits_of(p, index + i, m, at);
	}
	return bits / n;
}

/*
 * Whether the byte at `at` predicts the other bytes: knowing it removes at least a quarter of their
 * total entropy, and at least two bits. Bytes that change together are counted once, and bytes that
 * change together with the byte itself are not counted. Messages with a unique value are ignored.
 */
static bool explains(struct work *w, struct part *t, uint32_t at)
{
	const struct protocol *p = w->p;
	uint64_t changes[LOOKED_AT], own;
	double before = 0, after = 0;
	uint32_t count = 0, k, n;

	if (!sort_by(t, by_byte, p, at)) {
		w->failed = true;
		return false;
	}
	n = move_alone(p, t, at);
	if (n * 2 < t->n || !n)
		return false;
	own = change_at(p, t->index, n, at);
	for (uint32_t i = 0; i < LOOKED_AT; i++) {
		uint64_t change = change_at(p, t->index, n, i);

		for (k = 0; k < count && changes[k] != change;)
			k++;
		if (!change || change == own || k < count)
			continue;
		changes[count++] = change;
		before += bits_of(p, t->index, n, i);
		after += bits_left(p, t->index, n, i, at);
	}
	return after <= 0.75 * before && before - after >= 2;
}

static bool is_in(const struct protocol *p, const struct part *t)
{
	return p->of->messages[t->index[0]].in;
}

static const struct direction *direction_of(const struct protocol *p, const struct part *t)
{
	return is_in(p, t) ? &p->in : &p->out;
}

static bool is_checksum_at(const struct protocol *p, const struct part *t, uint32_t at)
{
	const struct direction *d = direction_of(p, t);
	struct sample s = sample_of(p, t->index[0]);
	uint32_t place, width;

	return d->has_checksum && d->checksum.place == PLACE_START &&
	       checksum_place(&d->checksum, &s, &place, &width) && at >= place &&
	       at < place + width;
}

/*
 * Whether the byte changes rarely and steadily, like the high byte of a number. A byte that is a
 * type alternates between its values.
 */
static bool drifts(struct work *w, struct part *t, uint32_t at, uint32_t values)
{
	const struct protocol *p = w->p;
	uint32_t changes = 0;

	if (!sort_by(t, by_order, p, 0)) {
		w->failed = true;
		return true;
	}
	for (uint32_t i = 1; i < t->n; i++)
		changes += byte_at(p, t->index[i], at) != byte_at(p, t->index[i - 1], at);
	return changes <= 2 * values && t->n >= 4 * values;
}

/* Whether the byte at `at` distinguishes types of messages. */
static bool tells_types(struct work *w, struct part *t, uint32_t at)
{
	const struct protocol *p = w->p;
	const struct direction *d = direction_of(p, t);
	uint32_t values = values_at(p, t, at);

	if (values < 2 || d->counters[at].is || is_checksum_at(p, t, at) ||
	    (d->has_length && at - d->length.at < d->length.width))
		return false;
	/* the first two bytes are bmRequestType and bRequest */
	if (p->of->kind == PIPE_VENDOR && at < 2 && !is_in(p, t))
		return true;
	if (!t->as.keys)
		return values <= FIRST_VALUES &&
		       ((values <= FEW_VALUES && (!is_in(p, t) || values * 2 <= t->n)) ||
			explains(w, t, at));
	return values <= LATER_VALUES && t->n >= 4 && !drifts(w, t, at, values) &&
	       explains(w, t, at);
}

static void split(struct work *w, struct part *t);

/* Splits by a key, sorts the messages by it, and continues with each part separately. */
static void split_sorted(struct work *w, struct part *t,
			 uint32_t (*key)(const struct protocol *p, uint32_t message, uint32_t arg),
			 uint32_t at, bool is_byte, void (*go_on)(struct work *w, struct part *t))
{
	if (!sort_by(t, key, w->p, at)) {
		w->failed = true;
		return;
	}
	for (uint32_t i = 0, n; i < t->n; i += n) {
		struct part part = {.index = t->index + i, .next = t->next, .as = t->as};
		uint32_t of = key(w->p, t->index[i], at);

		for (n = 1; i + n < t->n && key(w->p, t->index[i + n], at) == of;)
			n++;
		part.n = n;
		if (is_byte) {
			part.next = at + 1;
			if (of && part.as.keys < KEY_BYTES) {
				part.as.key[part.as.keys].at = (uint8_t)at;
				part.as.key[part.as.keys++].value = (uint8_t)(of - 1);
			}
		}
		go_on(w, &part);
	}
}

static uint32_t lengths_of(const struct protocol *p, const struct part *t)
{
	uint32_t seen[LENGTHS + 1], n = 0;

	for (uint32_t i = 0, k; i < t->n && n <= LENGTHS; i++) {
		uint32_t length = p->of->messages[t->index[i]].length;

		for (k = 0; k < n && seen[k] != length;)
			k++;
		if (k == n)
			seen[n++] = length;
	}
	return n;
}

/* Splits messages of one key by length if there are only a few lengths. */
static void split_lengths(struct work *w, struct part *t)
{
	uint32_t lengths = lengths_of(w->p, t);

	if (lengths > 1 && lengths <= LENGTHS && t->n >= 2 * lengths)
		split_sorted(w, t, by_length, 0, false, add_type);
	else
		add_type(w, t);
}

static void split(struct work *w, struct part *t)
{
	uint32_t reach = t->as.keys ? t->next + 3 : KEY_REACH;

	if (reach > KEY_REACH)
		reach = KEY_REACH;
	if (w->p->of->kind == PIPE_VENDOR && t->next < 2)
		reach = KEY_REACH;
	for (uint32_t at = t->next; at < reach && t->as.keys < KEY_BYTES; at++) {
		if (tells_types(w, t, at)) {
			split_sorted(w, t, by_byte, at, true, split);
			return;
		}
	}
	split_lengths(w, t);
}

/* ---- what holds for a direction -------------------------------------------------------------- */

/* Returns samples of the messages, which the caller frees; NULL: out of memory. */
static struct sample *samples_of(const struct protocol *p, const uint32_t *index, uint32_t n)
{
	struct sample *s = malloc((size_t)n * sizeof(*s));

	for (uint32_t i = 0; s && i < n; i++)
		s[i] = sample_of(p, index[i]);
	return s;
}

/*
 * Searches a checksum in messages that differ from each other and are stored completely. Returns
 * false only if memory runs out.
 */
static bool find_checksum_of(const struct protocol *p, const uint32_t *index, uint32_t n,
			     bool large, struct direction *d)
{
	struct sample *s = samples_of(p, index, n);
	uint32_t kept = 0;

	if (!s)
		return false;
	for (uint32_t i = 0; i < n; i++)
		if (p->of->messages[index[i]].kept == p->of->messages[index[i]].length &&
		    (s[i].length >= LARGE) == large &&
		    (!kept || s[kept - 1].length != s[i].length ||
		     memcmp(s[kept - 1].p, s[i].p, s[i].length)))
			s[kept++] = s[i];
	d->has_checksum = checksum_find(s, kept, &d->checksum);
	d->large = large && d->has_checksum;
	free(s);
	return true;
}

/* Searches in the large messages only if the others have no checksum. */
static bool find_checksum(const struct protocol *p, const uint32_t *index, uint32_t n,
			  struct direction *d)
{
	return find_checksum_of(p, index, n, false, d) &&
	       (d->has_checksum || find_checksum_of(p, index, n, true, d));
}

static bool look_at_direction(struct protocol *p, const uint32_t *index, uint32_t n,
			      struct direction *d)
{
	struct sample *s = samples_of(p, index, n);

	if (!s)
		return false;
	direction_look(d, s, n);
	free(s);
	return find_checksum(p, index, n, d);
}

/* Analyses one direction: what holds for all messages, then the types. */
static void look_at(struct work *w, bool in)
{
	struct protocol *p = w->p;
	uint32_t n = in ? p->answers : p->requests, have = 0;
	uint32_t *index = malloc(((size_t)n + 1) * sizeof(*index));
	struct part all = {.index = index};

	w->failed |= !index;
	for (uint32_t i = 0; index && i < p->of->count; i++)
		if (p->of->messages[i].in == in)
			index[have++] = i;
	all.n = have;
	if (index && have) {
		w->failed |= !look_at_direction(p, index, have, in ? &p->in : &p->out);
		split_sorted(w, &all, by_size, 0, false, split);
	}
	free(index);
}

/* ---- answers --------------------------------------------------------------------------------- */

static void number_messages(struct protocol *p)
{
	for (uint32_t t = 0; t < p->ntypes; t++)
		for (uint32_t i = 0; i < p->types[t].count; i++)
			p->of->messages[p->types[t].messages[i]].group = t;
}

/*
 * Returns the next message after `from` that can answer a request, up to the next request, or
 * NO_MESSAGE. Unsolicited messages are skipped.
 */
static uint32_t next_answer(const struct protocol *p, uint32_t request, uint32_t from)
{
	for (uint32_t i = from + 1; i < p->of->count; i++) {
		const struct message *m = &p->of->messages[i];

		if (!m->in || m->capture != p->of->messages[request].capture)
			break;
		if (m->group >= p->ntypes || !p->types[m->group].unasked)
			return i;
	}
	return NO_MESSAGE;
}

/* Sets which types follow a request and which of them is first; returns the number of messages. */
static uint32_t after(const struct protocol *p, uint32_t request, bool *seen, uint32_t *first)
{
	uint32_t n = 0;

	memset(seen, 0, p->ntypes);
	*first = TYPES_MAX;
	for (uint32_t i = next_answer(p, request, request); i != NO_MESSAGE && n < WINDOW;
	     i = next_answer(p, request, i)) {
		uint32_t group = p->of->messages[i].group;

		if (group < p->ntypes)
			seen[group] = true;
		if (!n++)
			*first = group;
	}
	return n;
}

/*
 * Determines which type answers t: a type that follows at least half of these requests; if there
 * are several, the one that follows other requests least often, and then the one that comes first.
 */
static void find_answer(struct protocol *p, struct message_type *t, const uint32_t *all)
{
	uint32_t counts[TYPES_MAX] = {0}, firsts[TYPES_MAX + 1] = {0}, some = 0, first;
	bool seen[TYPES_MAX];
	double best = 0;

	for (uint32_t i = 0; i < t->count; i++) {
		some += after(p, t->messages[i], seen, &first) != 0;
		firsts[first]++;
		for (uint32_t k = 0; k < p->ntypes; k++)
			counts[k] += seen[k];
	}
	for (uint32_t k = 0; k < p->ntypes; k++) {
		double here = (double)counts[k] / t->count;
		double score = 2 * here - (double)all[k] / p->requests + 0.5 * firsts[k] / t->count;

		if (p->types[k].in && here >= 0.5 && score > best) {
			best = score;
			t->answer = k;
		}
	}
	/* If the answers have many types, each request is answered by whatever comes next. */
	if (t->answer == TYPES_MAX && some >= 4 && some * 10 >= t->count * 9)
		t->answer = ANY_TYPE;
}

static int compare_times(const void *a, const void *b)
{
	const uint64_t *x = a, *y = b;

	return *x < *y ? -1 : *x > *y;
}

static uint64_t median(uint64_t *times, uint32_t n)
{
	qsort(times, n, sizeof(*times), compare_times);
	return times[n / 2];
}

/* Time from one message to a later one, ns. */
static uint64_t span(const struct message *from, const struct message *to)
{
	return to->time > from->time ? to->time - from->time : 0;
}

static void link_answers(struct protocol *p, struct message_type *t, uint64_t *times)
{
	uint32_t n = 0;

	for (uint32_t i = 0; i < t->count && t->answer != TYPES_MAX; i++) {
		struct message *m = &p->of->messages[t->messages[i]];
		uint32_t k = next_answer(p, t->messages[i], t->messages[i]);

		for (uint32_t left = WINDOW; k != NO_MESSAGE && left; left--) {
			if (t->answer == ANY_TYPE || p->of->messages[k].group == t->answer)
				break;
			k = left > 1 ? next_answer(p, t->messages[i], k) : NO_MESSAGE;
		}
		if (k == NO_MESSAGE)
			continue;
		m->answer = k;
		times[n++] = span(m, &p->of->messages[k]);
	}
	t->answered = n;
	t->delay = n ? median(times, n) : 0;
}

/* The type is periodic if three of four intervals are within a fifth of the median. */
static void find_period(struct protocol *p, struct message_type *t, uint64_t *times)
{
	uint32_t n = 0, near = 0;
	uint64_t middle;

	for (uint32_t i = 1; i < t->count; i++) {
		const struct message *a = &p->of->messages[t->messages[i - 1]];
		const struct message *b = &p->of->messages[t->messages[i]];

		if (a->capture == b->capture && b->time >= a->time)
			times[n++] = b->time - a->time;
	}
	if (n < 4)
		return;
	middle = median(times, n);
	for (uint32_t i = 0; i < n; i++)
		near += times[i] >= middle - middle / 5 && times[i] <= middle + middle / 5;
	if (near * 4 >= n * 3)
		t->period = middle;
}

/*
 * Whether a device sends a type unsolicited: messages come periodically, and at least twice as
 * often as the requests that precede them. If the first message after a request mostly comes much
 * earlier than chance would explain (half a period), it is an answer instead.
 */
static bool is_unasked(const struct protocol *p, const struct message_type *t, uint32_t type,
		       uint64_t *times)
{
	uint32_t n = 0;

	if (!t->in || !t->period)
		return false;
	for (uint32_t i = 0; i < p->of->count; i++) {
		const struct message *request = &p->of->messages[i];

		if (request->in)
			continue;
		for (uint32_t k = next_answer(p, i, i); k != NO_MESSAGE; k = next_answer(p, i, k)) {
			if (p->of->messages[k].group != type)
				continue;
			times[n++] = span(request, &p->of->messages[k]);
			break;
		}
	}
	return !n || (t->count >= 2 * n && median(times, n) > t->period / 8);
}

/*
 * Whether messages of this type mostly come too late to be answers: before any request, or after
 * more than ten times the usual delay of answers.
 */
static bool is_late(const struct protocol *p, const struct message_type *t, uint64_t delay)
{
	const struct message *asked = NULL;
	uint32_t late = 0, n = 0;

	for (uint32_t i = 0; i < p->of->count && t->in; i++) {
		const struct message *m = &p->of->messages[i];

		if (!m->in)
			asked = m;
		else if (n < t->count && t->messages[n] == i && ++n)
			late += !asked || asked->capture != m->capture ||
				span(asked, m) > 10 * delay;
	}
	return t->in && late * 2 > t->count;
}

static void find_late(struct protocol *p, uint64_t *times)
{
	bool answers[TYPES_MAX + 2] = {false};
	uint32_t n = 0;

	for (uint32_t i = 0; i < p->of->count; i++) {
		const struct message *m = &p->of->messages[i];

		if (m->answer == NO_MESSAGE)
			continue;
		times[n++] = span(m, &p->of->messages[m->answer]);
		answers[p->of->messages[m->answer].group] = true;
	}
	for (uint32_t i = 0; i < p->ntypes && n; i++)
		if (!answers[i])
			p->types[i].unasked |= is_late(p, &p->types[i], median(times, n));
}

static bool find_answers(struct protocol *p)
{
	uint64_t *times = malloc(((size_t)p->of->count + 1) * sizeof(*times));
	uint32_t all[TYPES_MAX] = {0}, first;
	bool seen[TYPES_MAX];

	if (!times)
		return false;
	for (uint32_t i = 0; i < p->ntypes; i++)
		find_period(p, &p->types[i], times);
	for (uint32_t i = 0; i < p->ntypes && p->requests; i++)
		p->types[i].unasked = is_unasked(p, &p->types[i], i, times);
	for (uint32_t i = 0; i < p->of->count; i++) {
		if (p->of->messages[i].in)
			continue;
		after(p, i, seen, &first);
		for (uint32_t k = 0; k < p->ntypes; k++)
			all[k] += seen[k];
	}
	for (uint32_t i = 0; i < p->ntypes; i++) {
		if (!p->types[i].in && p->answers)
			find_answer(p, &p->types[i], all);
		link_answers(p, &p->types[i], times);
	}
	find_late(p, times);
	free(times);
	return true;
}

/* ---- the whole protocol ---------------------------------------------------------------------- */

/* Sorts OUT types before IN types, and each direction by first appearance. */
static int by_appearance(const void *a, const void *b)
{
	const struct message_type *x = a, *y = b;

	if (x->in != y->in)
		return x->in ? 1 : -1;
	return x->messages[0] < y->messages[0] ? -1 : 1;
}

static void name_types(struct protocol *p)
{
	uint32_t n[2] = {0, 0};

	for (uint32_t i = 0; i < p->ntypes; i++) {
		struct message_type *t = &p->types[i];
		uint32_t k = n[t->in]++;
		char first = t->in ? 'a' : 'A';

		if (k < 26) {
			t->id[0] = (char)(first + k);
		} else {
			t->id[0] = (char)(first + (k / 26 - 1) % 26);
			t->id[1] = (char)(first + k % 26);
		}
	}
}

static bool find_fields(struct protocol *p, struct message_type *t)
{
	struct sample *s = samples_of(p, t->messages, t->count);

	if (!s)
		return false;
	t->common = t->in ? p->in : p->out;
	if (t->in)
		protocol_type_echoes(p, t);
	if (!t->common.has_checksum) {
		if (!find_checksum(p, t->messages, t->count, &t->common)) {
			free(s);
			return false;
		}
		t->own_checksum = t->common.has_checksum;
	}
	t->nfields = bytefields(&t->common, s, t->count, t->fields);
	free(s);
	return true;
}

struct protocol *protocol_of(struct conversation *c)
{
	struct protocol *p = calloc(1, sizeof(*p));
	struct work w = {.p = p};

	if (!p)
		return NULL;
	p->of = c;
	p->types = calloc(TYPES_MAX, sizeof(*p->types));
	if (!p->types) {
		free(p);
		return NULL;
	}
	for (uint32_t i = 0; i < c->count; i++) {
		c->messages[i].group = TYPES_MAX;
		*(c->messages[i].in ? &p->answers : &p->requests) += 1;
	}
	look_at(&w, false);
	look_at(&w, true);
	qsort(p->types, p->ntypes, sizeof(*p->types), by_appearance);
	name_types(p);
	number_messages(p);
	w.failed |= !find_answers(p) || !protocol_echoes(p);
	for (uint32_t i = 0; i < p->ntypes && !w.failed; i++)
		w.failed |= !find_fields(p, &p->types[i]);
	protocol_all_echoes(p);
	if (!w.failed)
		return p;
	protocol_free(p);
	return NULL;
}

void protocol_free(struct protocol *p)
{
	if (!p)
		return;
	for (uint32_t i = 0; i < p->ntypes; i++)
		free(p->types[i].messages);
	free(p->types);
	free(p);
}
