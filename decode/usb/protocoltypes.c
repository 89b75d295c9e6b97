/* SPDX-License-Identifier: MIT */
/* Divides messages into types by their first bytes and lengths. */
#include "common/compare.h"
#include "decode/usb/protocol.h"

#include <math.h>
#include <stdlib.h>

enum {
	/* a first byte with at most this many values needs no further evidence to be a type */
	FEW_VALUES = 8,
	COMMANDS = 16,      /* the same limit for a command byte, if there are enough requests */
	FIRST_VALUES = 64,  /* maximum number of values of a first byte that is a type */
	LATER_VALUES = 32,  /* the same for later bytes */
	/* maximum number of lengths of one type that become types of their own */
	LENGTHS = 6,
	LOOKED_AT = 64,     /* offsets at which messages are compared */
	EXPLAINED = 3,      /* minimum number of other bytes that a type must predict */
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

static int byte_at(const struct protocol *p, uint32_t message, uint32_t at)
{
	struct sample s = protocol_sample(p, message);

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
 * Returns how many values of the byte occur more than once, and in *n the number of messages with
 * these values.
 */
static uint32_t values_again(const struct protocol *p, const struct part *t, uint32_t at,
			     uint32_t *n)
{
	uint32_t counts[257] = {0}, count = 0;

	for (uint32_t i = 0; i < t->n; i++)
		counts[byte_at(p, t->index[i], at) + 1]++;
	*n = 0;
	for (uint32_t v = 0; v < 257; v++) {
		count += counts[v] > 1;
		*n += counts[v] > 1 ? counts[v] : 0;
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

/*
 * Returns the number of bits needed to encode the bytes at `at` of these messages. A value that
 * occurred before costs as much as its frequency so far implies; a new one also costs the 8 bits of
 * the value itself. Therefore a byte that occurs once predicts nothing, even if there are few
 * messages.
 */
static double bits_of(const struct protocol *p, const uint32_t *index, uint32_t n, uint32_t at)
{
	uint32_t counts[257] = {0};
	double bits = 0;

	for (uint32_t i = 0; i < n; i++) {
		uint32_t *count = &counts[byte_at(p, index[i], at) + 1];

		bits += log2(i + 1.0) + (*count ? -log2(*count) : 8);
		++*count;
	}
	return bits;
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
	qsort(keys, t->n, sizeof(*keys), by_number);
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
	return p->of->messages[message].length >= MESSAGE_LARGE;
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

/* The same as bits_of() if the byte at `by` is known. The messages are sorted by that byte. */
static double bits_left(const struct protocol *p, const uint32_t *index, uint32_t n, uint32_t at,
			uint32_t by)
{
	double bits = 0;

	for (uint32_t i = 0, m; i < n; i += m) {
		for (m = 1; i + m < n && byte_at(p, index[i + m], by) == byte_at(p, index[i], by);)
			m++;
		bits += bits_of(p, index + i, m, at);
	}
	return bits;
}

static uint32_t shortest_of(const struct protocol *p, const uint32_t *index, uint32_t n)
{
	uint32_t shortest = LOOKED_AT;

	for (uint32_t i = 0; i < n; i++) {
		struct sample s = protocol_sample(p, index[i]);

		shortest = s.length < shortest ? (uint32_t)s.length : shortest;
	}
	return shortest;
}

/*
 * Whether the byte at `at` predicts the other bytes: at least three other bytes change
 * independently of each other, and knowing `at` saves a quarter of the bits that they cost and at
 * least two bits a message. Bytes that change together are counted once; bytes that change together
 * with the byte itself are not counted. Three are required because the number of a register
 * predicts its value (one or two bytes) and is not a type. Messages with a unique value are
 * ignored, and lengths are handled separately.
 */
static bool explains(struct work *w, struct part *t, uint32_t at)
{
	const struct protocol *p = w->p;
	uint64_t changes[LOOKED_AT], own;
	double before = 0, after = 0;
	uint32_t count = 0, k, n, shortest;

	if (!sort_by(t, by_byte, p, at)) {
		w->failed = true;
		return false;
	}
	n = move_alone(p, t, at);
	if (n * 2 < t->n || !n)
		return false;
	own = change_at(p, t->index, n, at);
	shortest = shortest_of(p, t->index, n);
	for (uint32_t i = 0; i < shortest; i++) {
		uint64_t change = change_at(p, t->index, n, i);

		for (k = 0; k < count && changes[k] != change;)
			k++;
		if (!change || change == own || k < count)
			continue;
		changes[count++] = change;
		before += bits_of(p, t->index, n, i);
		after += bits_left(p, t->index, n, i, at);
	}
	return count >= EXPLAINED && after <= 0.75 * before && before - after >= 2.0 * n;
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
	struct sample s = protocol_sample(p, t->index[0]);
	uint32_t place, width;

	return d->has_checksum && d->checksum.place == PLACE_START &&
	       checksum_place(&d->checksum, &s, &place, &width) && at >= place &&
	       at < place + width;
}

/*
 * Whether the byte changes rarely, like the high byte of a number, or is mostly the same as in the
 * preceding answer, like a temperature. A byte that is a type alternates.
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
	return t->n >= 4 * values &&
	       (changes <= 2 * values || (is_in(p, t) && changes <= t->n / 4));
}

/*
 * Whether the byte at `at` has another meaning than the message type: counter, checksum or length.
 */
static bool is_other(const struct protocol *p, const struct part *t, uint32_t at)
{
	const struct direction *d = direction_of(p, t);

	return d->counters[at].is || is_checksum_at(p, t, at) ||
	       (d->has_length && at - d->length.at < d->length.width);
}

/* Whether all bytes before `at` are constant or have another meaning than the message type. */
static bool is_first(const struct protocol *p, const struct part *t, uint32_t at)
{
	for (uint32_t i = 0; i < at; i++)
		if (!is_other(p, t, i) && values_at(p, t, i) > 1)
			return false;
	return true;
}

/*
 * Whether the byte has so few values that they are types without further evidence. In requests the
 * byte is likely the command, so more values are accepted if there are many messages. In answers
 * only the first byte that varies is accepted, because later ones may be the high byte of a value.
 */
static bool is_few(const struct protocol *p, const struct part *t, uint32_t at, uint32_t values)
{
	uint32_t n, again = values_again(p, t, at, &n);

	if (is_in(p, t) && !is_first(p, t, at))
		return false;
	if (values <= FEW_VALUES && (!is_in(p, t) || values * 2 <= t->n))
		return true;
	if (n * 2 < t->n || n < 4 * again)
		return false;
	return again <= FEW_VALUES ||
	       (!is_in(p, t) && again <= COMMANDS && again * again <= t->n);
}

/*
 * Whether the byte is echoed in answers, as command codes are. A byte whose values mostly occur
 * once is a message number instead.
 */
static bool is_repeated(const struct protocol *p, const struct part *t, uint32_t at)
{
	uint32_t n;

	values_again(p, t, at, &n);
	if (n * 2 < t->n)
		return false;
	if (is_in(p, t))
		return p->in.echoes[at].is;
	for (uint32_t to = 0; to < FIELD_POSITIONS; to++)
		if (p->in.echoes[to].is && p->in.echoes[to].from == at)
			return true;
	return false;
}

/* Whether the byte at `at` distinguishes types of messages. */
static bool distinguishes_types(struct work *w, struct part *t, uint32_t at)
{
	const struct protocol *p = w->p;
	uint32_t values = values_at(p, t, at);

	if (values < 2 || is_other(p, t, at))
		return false;
	/* the first two bytes are bmRequestType and bRequest */
	if (p->of->kind == PIPE_VENDOR && at < 2 && !is_in(p, t))
		return true;
	if (values <= LATER_VALUES && is_repeated(p, t, at))
		return true;
	if (!t->as.keys)
		return values <= FIRST_VALUES &&
		       (is_few(p, t, at, values) ||
			(!drifts(w, t, at, values) && explains(w, t, at)));
	return values <= LATER_VALUES && t->n >= 4 && !drifts(w, t, at, values) &&
	       explains(w, t, at);
}

static void split(struct work *w, struct part *t);
static void split_lengths(struct work *w, struct part *t);

/* Returns how many messages, from the first of t, have the same key. They are sorted by it. */
static uint32_t same_key(const struct protocol *p, const struct part *t,
			 uint32_t (*key)(const struct protocol *p, uint32_t message, uint32_t arg),
			 uint32_t at)
{
	uint32_t of = key(p, t->index[0], at), n = 1;

	while (n < t->n && key(p, t->index[n], at) == of)
		n++;
	return n;
}

/* Splits by a key, sorts the messages by it, and continues with each part separately. */
static void split_sorted(struct work *w, struct part *t,
			 uint32_t (*key)(const struct protocol *p, uint32_t message, uint32_t arg),
			 uint32_t at, void (*go_on)(struct work *w, struct part *t))
{
	if (!sort_by(t, key, w->p, at)) {
		w->failed = true;
		return;
	}
	for (uint32_t i = 0, n; i < t->n; i += n) {
		struct part part = {.index = t->index + i, .n = t->n - i, .next = t->next,
				    .as = t->as};

		n = part.n = same_key(w->p, &part, key, at);
		go_on(w, &part);
	}
}

/*
 * Splits by the byte at `at`, which becomes part of the key. Messages whose value is unique become
 * types of their own if the byte is the command or if there are few of them; otherwise they become
 * one type together.
 */
static void split_by_byte(struct work *w, struct part *t, uint32_t at)
{
	bool command = !is_in(w->p, t) && !t->as.keys;
	uint32_t again, often;
	struct part rest = {.next = at + 1, .as = t->as};

	again = values_again(w->p, t, at, &often);
	if (!sort_by(t, by_byte, w->p, at)) {
		w->failed = true;
		return;
	}
	if (!command && values_at(w->p, t, at) - again > FEW_VALUES) {
		often = move_alone(w->p, t, at);
		rest.index = t->index + often;
		rest.n = t->n - often;
	}
	for (uint32_t i = 0, n; i < t->n - rest.n; i += n) {
		struct part part = {.index = t->index + i, .n = t->n - rest.n - i, .next = at + 1,
				    .as = t->as};
		int of = byte_at(w->p, t->index[i], at);

		n = part.n = same_key(w->p, &part, by_byte, at);
		if (of >= 0 && part.as.keys < KEY_BYTES) {
			part.as.key[part.as.keys].at = (uint8_t)at;
			part.as.key[part.as.keys++].value = (uint8_t)of;
		}
		split(w, &part);
	}
	if (rest.n)
		split_lengths(w, &rest);
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
		split_sorted(w, t, by_length, 0, add_type);
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
		if (distinguishes_types(w, t, at)) {
			split_by_byte(w, t, at);
			return;
		}
	}
	split_lengths(w, t);
}

bool protocol_types(struct protocol *p, uint32_t *index, uint32_t n)
{
	struct work w = {.p = p};
	struct part all = {.index = index, .n = n};

	split_sorted(&w, &all, by_size, 0, split);
	return !w.failed;
}
