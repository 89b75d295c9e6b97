/* SPDX-License-Identifier: MIT */
#include "decode/usb/protocol.h"
#include "common/compare.h"

#include <stdlib.h>

enum { WINDOW = 16 }; /* IN messages after a request that may be its answer */

struct work {
	struct protocol *p;
	bool failed;
};

/* ---- what all messages of a direction have in common ----------------------------------------- */

/* Returns samples of the messages, which the caller frees; NULL: out of memory. */
static struct sample *samples_of(const struct protocol *p, const uint32_t *index, uint32_t n)
{
	struct sample *s = malloc((size_t)n * sizeof(*s));

	for (uint32_t i = 0; s && i < n; i++)
		s[i] = protocol_sample(p, index[i]);
	return s;
}

/*
 * Searches for a checksum in messages that differ from each other and are stored completely.
 * Returns false only if memory runs out.
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
		    (s[i].length >= MESSAGE_LARGE) == large &&
		    (!kept || s[kept - 1].length != s[i].length ||
		     memcmp(s[kept - 1].p, s[i].p, s[i].length)))
			s[kept++] = s[i];
	d->has_checksum = checksum_find(s, kept, &d->checksum);
	d->large = large && d->has_checksum;
	free(s);
	return true;
}

/* Searches the large messages only if the others have no checksum. */
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
	direction_analyse(d, s, n);
	free(s);
	return find_checksum(p, index, n, d);
}

/* Analyses one direction: first what all its messages have in common, then their types. */
static void look_at(struct work *w, bool in)
{
	struct protocol *p = w->p;
	uint32_t n = in ? p->answers : p->requests, have = 0;
	uint32_t *index = malloc(((size_t)n + 1) * sizeof(*index));

	w->failed |= !index;
	for (uint32_t i = 0; index && i < p->of->count; i++)
		if (p->of->messages[i].in == in)
			index[have++] = i;
	if (index && have) {
		w->failed |= !look_at_direction(p, index, have, in ? &p->in : &p->out);
		w->failed |= !protocol_types(p, index, have);
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
		if (m->group >= p->ntypes || !p->types[m->group].unsolicited)
			return i;
	}
	return NO_MESSAGE;
}

/*
 * Determines the types that follow a request, and the first of them. Returns the number of
 * messages.
 */
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
	/* If the answers are of many types, the next message of any type counts as the answer. */
	if (t->answer == TYPES_MAX && some >= 4 && some * 10 >= t->count * 9)
		t->answer = ANY_TYPE;
}

static uint64_t median(uint64_t *times, uint32_t n)
{
	qsort(times, n, sizeof(*times), by_number);
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

/* Sorts the times and returns their median if three of four are within a fifth of it; else 0. */
static uint64_t regular(uint64_t *times, uint32_t n)
{
	uint64_t middle = n ? median(times, n) : 0;
	uint32_t near = 0;

	for (uint32_t i = 0; i < n; i++)
		near += times[i] >= middle - middle / 5 && times[i] <= middle + middle / 5;
	return near * 4 >= n * 3 ? middle : 0;
}

/* The type is periodic if its intervals are regular. */
static void find_period(struct protocol *p, struct message_type *t, uint64_t *times)
{
	uint32_t n = 0;

	for (uint32_t i = 1; i < t->count; i++) {
		const struct message *a = &p->of->messages[t->messages[i - 1]];
		const struct message *b = &p->of->messages[t->messages[i]];

		if (a->capture == b->capture && b->time >= a->time)
			times[n++] = b->time - a->time;
	}
	if (n >= 4)
		t->period = regular(times, n);
}

/* Whether the host sends a type of request with this period. */
static bool is_asked_every(const struct protocol *p, uint64_t period)
{
	for (uint32_t i = 0; i < p->ntypes; i++)
		if (!p->types[i].in && p->types[i].period >= period - period / 5 &&
		    p->types[i].period <= period + period / 5)
			return true;
	return false;
}

/*
 * Whether a device sends a type unsolicited: messages come periodically, and at least twice as
 * often as the requests that precede them. If the first message after a request mostly comes much
 * earlier than chance would explain (half a period), it is an answer instead. Messages that come
 * less often are unsolicited if the time from the request to them is not regular, some do not come
 * first after a request, and no request has their period.
 */
static bool is_unsolicited(const struct protocol *p, const struct message_type *t, uint32_t type,
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
	if (!n || median(times, n) <= t->period / 8)
		return !n;
	return t->count >= 2 * n || (n >= 4 && n < t->count && !regular(times, n) &&
				     !is_asked_every(p, t->period));
}

/*
 * Whether messages of this type mostly come too late to be answers: before any request, or after
 * more than ten times the usual delay of answers. The next message after a request may be a slow
 * answer, and what comes within that time after an answer may be its next part; neither is late.
 * One or two messages do not show when messages of their type come.
 */
static bool is_late(const struct protocol *p, const struct message_type *t, uint64_t delay)
{
	const struct message *before = NULL; /* the last request, or part of its answer */
	uint32_t late = 0, n = 0;

	for (uint32_t i = 0; i < p->of->count && t->in; i++) {
		const struct message *m = &p->of->messages[i];

		if (before && (before->capture != m->capture ||
			       (before->in && span(before, m) > 10 * delay)))
			before = NULL;
		if (!m->in || before)
			before = m;
		if (n < t->count && t->messages[n] == i && ++n)
			late += !before;
	}
	return t->in && t->count >= 3 && late * 2 > t->count;
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
			p->types[i].unsolicited |= is_late(p, &p->types[i], median(times, n));
}

/* Whether a message has the first bytes that distinguish a type. */
static bool has_key(const struct protocol *p, uint32_t message, const struct message_type *t)
{
	struct sample s = protocol_sample(p, message);

	for (uint32_t i = 0; i < t->keys; i++) {
		if (t->key[i].at >= s.length || s.p[t->key[i].at] != t->key[i].value)
			return false;
	}
	return t->keys > 0;
}

/* Whether these IN messages have the first bytes of t, and of no other type of request. */
static bool repeats_key(const struct protocol *p, const struct message_type *t,
			const struct message_type *in)
{
	if (!has_key(p, in->messages[0], t) || (in->keys && !has_key(p, t->messages[0], in)))
		return false;
	for (uint32_t i = 0; i < p->ntypes; i++) {
		const struct message_type *other = &p->types[i];

		if (other != t && !other->in && has_key(p, in->messages[0], other))
			return false;
	}
	for (uint32_t i = 0; i < in->count; i++)
		if (!has_key(p, in->messages[i], t))
			return false;
	return true;
}

/* Returns the first message of this type between message i of t and the next one; or NO_MESSAGE. */
static uint32_t answer_behind(const struct protocol *p, const struct message_type *t, uint32_t i,
			      uint32_t type)
{
	const struct message *m = p->of->messages;
	uint32_t request = t->messages[i];
	uint32_t end = i + 1 < t->count ? t->messages[i + 1] : p->of->count;

	for (uint32_t k = request + 1; k < end && m[k].capture == m[request].capture; k++)
		if (m[k].group == type)
			return k;
	return NO_MESSAGE;
}

/*
 * Whether IN messages of a type answer t, although other requests are between: one comes after
 * nearly each message of t, within a quarter of the time until the next one. times: gets the delays
 * of those that do, sorted; room for all messages.
 */
static bool is_behind(const struct protocol *p, const struct message_type *t, uint32_t type,
		      uint64_t *times)
{
	uint64_t apart = 0, delay;
	uint32_t n = 0, steps = 0;

	for (uint32_t i = 0; i < t->count; i++) {
		const struct message *m = &p->of->messages[t->messages[i]];
		uint32_t k = answer_behind(p, t, i, type);

		if (k != NO_MESSAGE)
			times[n++] = span(m, &p->of->messages[k]);
		if (i && p->of->messages[t->messages[i - 1]].capture == m->capture && ++steps)
			apart += span(&p->of->messages[t->messages[i - 1]], m);
	}
	delay = n ? median(times, n) : 0;
	return n >= 3 && n * 10 >= t->count * 8 && p->types[type].count * 10 <= n * 12 &&
	       delay * 4 <= apart / (steps ? steps : 1);
}

/* Finds the answers of t that come after other requests, by the first bytes that they repeat. */
static void find_behind(struct protocol *p, struct message_type *t, const bool *answers,
			uint64_t *times)
{
	for (uint32_t k = 0; k < p->ntypes; k++) {
		uint32_t n = 0;

		if (!p->types[k].in || answers[k] || !repeats_key(p, t, &p->types[k]) ||
		    !is_behind(p, t, k, times))
			continue;
		for (uint32_t i = 0; i < t->count; i++) {
			uint32_t answer = answer_behind(p, t, i, k);

			p->of->messages[t->messages[i]].answer = answer;
			n += answer != NO_MESSAGE;
		}
		t->answer = k;
		t->answered = n;
		t->delay = times[n / 2];
		p->types[k].unsolicited = false;
		return;
	}
}

/* Those of requests that have none so far. */
static void find_all_behind(struct protocol *p, uint64_t *times)
{
	bool answers[TYPES_MAX + 2] = {false};

	for (uint32_t i = 0; i < p->ntypes; i++)
		if (!p->types[i].in)
			answers[p->types[i].answer] = true;
	for (uint32_t i = 0; i < p->ntypes && !answers[ANY_TYPE]; i++)
		if (!p->types[i].in && p->types[i].answer == TYPES_MAX)
			find_behind(p, &p->types[i], answers, times);
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
		p->types[i].unsolicited = is_unsolicited(p, &p->types[i], i, times);
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
	find_all_behind(p, times);
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

/* Determines the properties of the direction that hold for the type, and its own checksum. */
static bool find_common(struct protocol *p, struct message_type *t)
{
	t->common = t->in ? p->in : p->out;
	if (t->in)
		protocol_type_echoes(p, t);
	if (t->common.has_checksum)
		return true;
	if (!find_checksum(p, t->messages, t->count, &t->common))
		return false;
	t->own_checksum = t->common.has_checksum;
	return true;
}

/* Whether two types have the same checksum: at the same place from the start or from the end. */
static bool same_checksum(const struct message_type *a, const struct message_type *b)
{
	const struct checksum *x = &a->common.checksum, *y = &b->common.checksum;

	if (x->kind != y->kind || x->big != y->big || x->constant != y->constant ||
	    x->place != y->place || x->after != y->after || x->around != y->around)
		return false;
	return x->at == y->at || (x->place == PLACE_START && a->shortest == a->longest &&
				  b->shortest == b->longest &&
				  a->longest - x->at == b->longest - y->at);
}

/* Drops the checksums of types of one direction that contradict each other. */
static void drop_contradictions(struct protocol *p)
{
	bool drop[TYPES_MAX] = {false};

	for (uint32_t i = 0; i < p->ntypes; i++)
		for (uint32_t k = 0; k < p->ntypes; k++)
			drop[i] |= p->types[i].own_checksum && p->types[k].own_checksum &&
				   p->types[i].in == p->types[k].in &&
				   !same_checksum(&p->types[i], &p->types[k]);
	for (uint32_t i = 0; i < p->ntypes; i++) {
		p->types[i].own_checksum &= !drop[i];
		p->types[i].common.has_checksum &= !drop[i];
	}
}

static bool find_fields(struct protocol *p, struct message_type *t)
{
	struct sample *s = samples_of(p, t->messages, t->count);

	if (!s)
		return false;
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
	w.failed |= !protocol_first_echoes(p);
	look_at(&w, false);
	look_at(&w, true);
	qsort(p->types, p->ntypes, sizeof(*p->types), by_appearance);
	name_types(p);
	number_messages(p);
	w.failed |= !find_answers(p) || !protocol_echoes(p);
	for (uint32_t i = 0; i < p->ntypes && !w.failed; i++)
		w.failed |= !find_common(p, &p->types[i]);
	protocol_all_echoes(p);
	drop_contradictions(p);
	for (uint32_t i = 0; i < p->ntypes && !w.failed; i++)
		w.failed |= !find_fields(p, &p->types[i]);
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
