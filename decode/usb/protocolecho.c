/* SPDX-License-Identifier: MIT */
/* Finds bytes of answers that repeat bytes sent by the host. */
#include "decode/usb/protocol.h"

#include <stdlib.h>

enum {
	LOOKED_AT = 64,  /* offsets that are searched */
	/* minimum number of distinct values of an echo; fewer may be a coincidence */
	ECHO_VALUES = 3,
};

struct pair {
	struct sample request, answer;
};

/*
 * Whether byte `to` of all answers equals byte `from` of their requests, plus a constant *change.
 */
static bool is_echo(const struct pair *pairs, uint32_t n, uint32_t from, uint32_t to,
		    uint8_t *change)
{
	bool seen[256] = {false};
	uint32_t values = 0;

	for (uint32_t i = 0; i < n; i++) {
		uint8_t a, b;

		if (from >= pairs[i].request.length || to >= pairs[i].answer.length)
			return false;
		a = pairs[i].request.p[from];
		b = pairs[i].answer.p[to];
		if (i && (uint8_t)(b - a) != *change)
			return false;
		*change = (uint8_t)(b - a);
		values += !seen[a];
		seen[a] = true;
	}
	return values >= ECHO_VALUES;
}

/*
 * Searches for the byte of the request that byte `to` of the answer echoes. Of the possible
 * changes, only 0, 1 and 0x80 are accepted.
 */
static void find_echo(struct protocol *p, const struct pair *pairs, uint32_t n, uint32_t to)
{
	for (uint32_t step = 0; step < 2 * 16; step++) {
		uint32_t from = to + (step & 1 ? step / 2 + 1 : 0) - (step & 1 ? 0 : step / 2);
		uint8_t change = 0;

		if (from >= LOOKED_AT || !is_echo(pairs, n, from, to, &change))
			continue;
		if (change && change != 1 && change != 0x80)
			continue;
		p->in.echoes[to].is = true;
		p->in.echoes[to].from = (uint16_t)from;
		p->in.echoes[to].change = change;
		return;
	}
}

/* Whether byte `to` has at least as many values in the answers as an echo must have. */
static bool may_echo(const struct pair *pairs, uint32_t n, uint32_t to)
{
	bool seen[256] = {false};
	uint32_t values = 0;

	for (uint32_t i = 0; i < n; i++) {
		if (to >= pairs[i].answer.length)
			return false;
		values += !seen[pairs[i].answer.p[to]];
		seen[pairs[i].answer.p[to]] = true;
	}
	return values >= ECHO_VALUES;
}

static void find_echoes(struct protocol *p, const struct pair *pairs, uint32_t n)
{
	for (uint32_t to = 0; to < LOOKED_AT && n >= 4; to++)
		if (may_echo(pairs, n, to))
			find_echo(p, pairs, n, to);
}

bool protocol_first_echoes(struct protocol *p)
{
	struct pair *pairs = malloc(((size_t)p->requests + 1) * sizeof(*pairs));
	const struct message *m = p->of->messages;
	uint32_t n = 0;

	if (!pairs)
		return false;
	for (uint32_t i = 0; i + 1 < p->of->count; i++)
		if (!m[i].in && m[i + 1].in && m[i].capture == m[i + 1].capture)
			pairs[n++] = (struct pair){protocol_sample(p, i),
						   protocol_sample(p, i + 1)};
	find_echoes(p, pairs, n);
	free(pairs);
	return true;
}

bool protocol_echoes(struct protocol *p)
{
	struct pair *pairs = malloc(((size_t)p->requests + 1) * sizeof(*pairs));
	uint32_t n = 0;

	if (!pairs)
		return false;
	memset(p->in.echoes, 0, sizeof(p->in.echoes));
	for (uint32_t i = 0; i < p->of->count; i++) {
		uint32_t answer = p->of->messages[i].answer;

		if (answer == NO_MESSAGE)
			continue;
		/* one message may answer several requests */
		if (!n || pairs[n - 1].answer.p != message_bytes(p->of, &p->of->messages[answer]))
			p->types[p->of->messages[answer].group].answers++;
		pairs[n++] = (struct pair){protocol_sample(p, i), protocol_sample(p, answer)};
	}
	find_echoes(p, pairs, n);
	p->pairs = n;
	free(pairs);
	return true;
}

/*
 * Whether byte `at`, less `change`, repeats byte `from` of the last request before it in all
 * messages of an IN type.
 */
static bool repeats(const struct protocol *p, const struct message_type *t, uint32_t at,
		    uint32_t from, int change)
{
	uint32_t before = NO_MESSAGE, values = 0;
	bool seen[256] = {false};

	for (uint32_t i = 0; i < p->of->count; i++) {
		const struct message *m = &p->of->messages[i];
		struct sample request, here;

		if (!m->in)
			before = i;
		if (!m->in || &p->types[m->group] != t)
			continue;
		if (before == NO_MESSAGE || p->of->messages[before].capture != m->capture)
			return false;
		request = protocol_sample(p, before);
		here = protocol_sample(p, i);
		if (from >= request.length || at >= here.length ||
		    (uint8_t)(request.p[from] + change) != here.p[at])
			return false;
		values += !seen[here.p[at]];
		seen[here.p[at]] = true;
	}
	return values >= ECHO_VALUES;
}

/*
 * Finds where the messages of this type echo their requests among the bytes that count over all
 * messages: if other types have no echo there, it is not one of all answers.
 */
static void find_own_echoes(const struct protocol *p, struct message_type *t)
{
	for (uint32_t at = 0; at < LOOKED_AT; at++) {
		if (p->in.echoes[at].is || !(p->in.counters[at].is || p->out.counters[at].is))
			continue;
		t->common.echoes[at].from = (uint16_t)at;
		t->common.echoes[at].change = 0;
		t->common.echoes[at].is = repeats(p, t, at, at, 0);
		t->common.counters[at].is &= !t->common.echoes[at].is;
	}
}

/*
 * Messages of this type have the echoes of all answers if most of them are answers; otherwise only
 * those that repeats() confirms.
 */
void protocol_type_echoes(const struct protocol *p, struct message_type *t)
{
	bool answers = !t->unsolicited && t->answers * 2 >= t->count;

	for (uint32_t at = 0; at < FIELD_POSITIONS; at++) {
		if (!t->common.echoes[at].is)
			continue;
		t->common.echoes[at].is = answers || repeats(p, t, at, p->in.echoes[at].from,
							  p->in.echoes[at].change);
		/* The counter is that of the request; the device need not have one. */
		t->common.counters[at].is &= !t->common.echoes[at].is;
	}
	find_own_echoes(p, t);
}

void protocol_all_echoes(struct protocol *p)
{
	for (uint32_t at = 0; at < FIELD_POSITIONS; at++) {
		bool counts = !p->in.echoes[at].is;
		uint32_t echoes = 0;

		for (uint32_t i = 0; i < p->ntypes; i++) {
			counts |= p->types[i].in && p->types[i].common.counters[at].is;
			if (p->types[i].in && p->types[i].common.echoes[at].is)
				echoes += p->types[i].count;
		}
		p->in.counters[at].is &= counts && echoes * 2 <= p->answers;
		for (uint32_t i = 0; i < p->ntypes; i++)
			if (p->types[i].in)
				p->types[i].common.counters[at].is &= p->in.counters[at].is;
	}
}
