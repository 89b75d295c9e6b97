/* SPDX-License-Identifier: MIT */
/* Decodes batches of branches (branch.h). */
#include <stdlib.h>
#include <string.h>

#include "common/branch.h"
#include "common/branchguess.h"

const char branch_no_memory[] = "out of memory";

struct view {
	const uint8_t *at, *end;
	bool bad;
};

static uint8_t take_byte(struct view *v)
{
	if (v->at == v->end) {
		v->bad = true;
		return 0;
	}
	return *v->at++;
}

static uint64_t take_varint(struct view *v)
{
	uint64_t n = 0;

	for (unsigned int shift = 0; shift < 64; shift += 7) {
		uint8_t b = take_byte(v);

		n |= (uint64_t)(b & 0x7f) << shift;
		if (!(b & 0x80))
			return n;
	}
	v->bad = true;
	return 0;
}

static struct view take_substream(struct view *v)
{
	uint64_t len = v->at == v->end ? 0 : take_varint(v);
	struct view part = { v->at, v->at, false };

	if (len > (size_t)(v->end - v->at)) {
		v->bad = true;
		return part;
	}
	v->at += len;
	part.end = v->at;
	return part;
}

static bool take_pair(struct branch_batch *b, struct view *pairs, uint64_t before)
{
	struct branch_pair *p = &b->pairs[b->npairs++];

	p->from = before + branch_unzigzag(take_varint(pairs));
	p->to = p->from + branch_unzigzag(take_varint(pairs));
	p->kind = take_byte(pairs);
	return !pairs->bad;
}

/* Returns the pair of a branch whose first guess was wrong, numbered from 1; 0: damage. */
static uint32_t take_choice(struct branch_batch *b, struct view *codes, struct view *pairs,
			    const struct branch_guess *g, uint64_t before)
{
	uint64_t choice = take_varint(codes);

	if (codes->bad)
		return 0;
	if (choice == CHOICE_SECOND)
		return g->by_one[g->before[0]];
	if (choice == CHOICE_NEW)
		return take_pair(b, pairs, before) ? b->npairs : 0;
	return choice - CHOICE_OLD < b->npairs ? b->npairs - (uint32_t)(choice - CHOICE_OLD) : 0;
}

static const char *read_codes(struct branch_batch *b, struct view codes, struct view pairs,
			      struct branch_guess *g)
{
	uint64_t run = take_varint(&codes), to = 0;

	for (uint32_t i = 0; i < b->count; i++) {
		uint32_t slot = guess_slot(g), pair;

		if (run) {
			pair = g->by_three[slot];
			run--;
		} else {
			pair = take_choice(b, &codes, &pairs, g, to);
			run = take_varint(&codes);
		}
		if (!pair || codes.bad)
			return "a branch is none of its batch's pairs";
		b->ids[i] = pair - 1;
		guess_learn(g, slot, pair);
		to = b->pairs[pair - 1].to;
	}
	return run || codes.at != codes.end || pairs.at != pairs.end ?
	       "more than its branches" : NULL;
}

static const char *read_marks(struct branch_batch *b, struct view v, uint64_t time)
{
	size_t most = (size_t)(v.end - v.at) / 3; /* a mark takes at least three bytes */
	uint64_t at = 0;

	most = most < BRANCH_MARKS_MAX ? most : BRANCH_MARKS_MAX;
	b->marks = calloc(most + 1, sizeof(*b->marks));
	if (!b->marks)
		return branch_no_memory;
	while (v.at != v.end) {
		struct branch_mark *m = &b->marks[b->nmarks];
		uint64_t step = take_varint(&v), passed;

		if (b->nmarks == BRANCH_MARKS_MAX)
			return "more marks than can be";
		m->kind = take_byte(&v);
		passed = take_varint(&v);
		m->count = m->kind == BRANCH_MARK_LOST ? take_varint(&v) : 0;
		if (v.bad || step > b->count - at || m->kind >= BRANCH_MARKS ||
		    __builtin_add_overflow(time, passed, &time))
			return "a mark that is none";
		m->time = time;
		at += step;
		m->at = (uint32_t)at;
		b->nmarks++;
	}
	return NULL;
}

/* A mark limits the time of the branch before it if it is later, or only states the time. */
static void find_latest(struct branch_batch *b, uint64_t first)
{
	uint64_t latest = 0;

	for (uint32_t i = b->nmarks; i--;) {
		struct branch_mark *m = &b->marks[i];

		if (m->kind == BRANCH_MARK_TIME || m->time > (i ? m[-1].time : first))
			latest = m->time;
		m->latest = latest;
	}
}

static const char *read_flags(struct branch_batch *b, struct view flags, struct view cycles)
{
	if (flags.at != flags.end) {
		if ((size_t)(flags.end - flags.at) != b->count)
			return "not a flag for each branch";
		b->flags = malloc(b->count + 1u);
		if (!b->flags)
			return branch_no_memory;
		memcpy(b->flags, flags.at, b->count);
	}
	if (cycles.at == cycles.end)
		return NULL;
	b->cycles = malloc((b->count + 1u) * sizeof(*b->cycles));
	if (!b->cycles)
		return branch_no_memory;
	for (uint32_t i = 0; i < b->count; i++)
		b->cycles[i] = (uint32_t)take_varint(&cycles);
	return cycles.bad || cycles.at != cycles.end ? "not cycles for each branch" : NULL;
}

/* Allocates the arrays of a batch. A pair takes at least three bytes, which limits their number. */
static bool make_room(struct branch_batch *b, const struct view *pairs, struct branch_guess **g)
{
	size_t most = (size_t)(pairs->end - pairs->at) / 3;

	most = most < b->count ? most : b->count;
	b->ids = malloc((b->count + 1u) * sizeof(*b->ids));
	b->pairs = malloc((b->count + 1u) * sizeof(*b->pairs));
	*g = malloc(sizeof(**g));
	if (!b->ids || !b->pairs || !*g)
		return false;
	(*g)->bits = guess_bits(b->count);
	memset((*g)->by_three, 0, sizeof(*(*g)->by_three) << (*g)->bits);
	memset((*g)->by_one, 0, sizeof(*(*g)->by_one) * (most + 1));
	memset((*g)->before, 0, sizeof((*g)->before));
	return true;
}

const char *branch_batch_decode(struct branch_batch *b, const void *data, size_t len,
				uint32_t count, uint64_t first)
{
	struct view v = { data, (const uint8_t *)data + len, false };
	struct view codes = take_substream(&v), pairs = take_substream(&v);
	struct view marks = take_substream(&v);
	struct view flags = take_substream(&v), cycles = take_substream(&v);
	struct branch_guess *g = NULL;
	const char *problem;

	*b = (struct branch_batch){ 0 };
	if (v.bad || count > BRANCH_BATCH_MAX)
		return "a part that is longer than the record";
	b->count = count;
	if (!make_room(b, &pairs, &g)) {
		free(g);
		return branch_no_memory;
	}
	problem = read_codes(b, codes, pairs, g);
	free(g);
	if (!problem)
		problem = read_marks(b, marks, first);
	if (!problem)
		find_latest(b, first);
	return problem ? problem : read_flags(b, flags, cycles);
}

void branch_batch_free(struct branch_batch *b)
{
	free(b->pairs);
	free(b->ids);
	free(b->marks);
	free(b->flags);
	free(b->cycles);
	*b = (struct branch_batch){ 0 };
}

/* Returns how many branches are before `time`. */
static uint32_t before(const struct branch_batch *b, uint64_t first, uint64_t time)
{
	if (first >= time)
		return 0;
	for (uint32_t i = 0; i < b->nmarks; i++)
		if (b->marks[i].time >= time)
			return b->marks[i].at;
	return b->count;
}

/* Leaves the marks of that time, and the next one as one that only states the time. */
static void clip_marks(struct branch_batch *b, uint32_t front, uint64_t from, uint64_t to)
{
	uint32_t n = 0;

	for (uint32_t i = 0; i < b->nmarks; i++) {
		struct branch_mark m = b->marks[i];

		if (m.time < from)
			continue;
		if (m.time >= to)
			m = (struct branch_mark){ .at = m.at, .time = m.time };
		m.at -= front;
		b->marks[n++] = m;
		if (m.time >= to)
			break;
	}
	b->nmarks = n;
}

uint32_t branch_batch_clip(struct branch_batch *b, uint64_t *first, uint64_t from, uint64_t to)
{
	uint32_t front = before(b, *first, from), n = before(b, *first, to) - front;

	clip_marks(b, front, from, to);
	memmove(b->ids, b->ids + front, n * sizeof(*b->ids));
	if (b->flags)
		memmove(b->flags, b->flags + front, n);
	if (b->cycles)
		memmove(b->cycles, b->cycles + front, n * sizeof(*b->cycles));
	b->count = n;
	if (*first < from)
		*first = b->nmarks ? b->marks[0].time : from;
	return front;
}
