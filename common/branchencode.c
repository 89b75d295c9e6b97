/* SPDX-License-Identifier: MIT */
/* Encodes branches as batches (branch.h). */
#include <stdlib.h>
#include <string.h>

#include "common/array.h"
#include "common/branch.h"
#include "common/branchguess.h"

enum {
	HASH_BITS = 17,
	TIME_EVERY = 64,           /* number of branches between two time marks */
	TIME_PAUSE = 10000000,     /* ns without branches after which there is a time mark, too */
	TIME_ROUND = 16,           /* most low bits of a mark's time that are rounded to zero */
	VARINT_MAX = 10,
};

struct bytes {
	uint8_t *data;
	size_t len, room;
	bool failed;
};

struct branch_encoder {
	uint32_t *ids;               /* pair of each branch, numbered from 1 */
	struct branch_pair *pairs;
	uint32_t slots[1 << HASH_BITS]; /* hash table of pairs, numbered from 1; 0: free */
	uint32_t used[BRANCH_BATCH_MAX]; /* the slots that are not free */
	uint32_t count, npairs, nmarks;
	uint64_t first, last;        /* time */
	uint64_t marked_time;
	uint32_t marked_at;
	struct bytes marks;
	uint8_t flags[BRANCH_BATCH_MAX];
	uint32_t cycles[BRANCH_BATCH_MAX];
	bool has_flags, has_cycles;
	struct branch_guess guess;
	struct bytes out, part;
};

static bool need(struct bytes *b, size_t n)
{
	if (!array_reserve(b->data, b->room, b->len + n))
		b->failed = true;
	return !b->failed;
}

static void put_byte(struct bytes *b, uint8_t v)
{
	if (need(b, 1))
		b->data[b->len++] = v;
}

static void put_varint(struct bytes *b, uint64_t v)
{
	if (!need(b, VARINT_MAX))
		return;
	for (; v >= 0x80; v >>= 7)
		b->data[b->len++] = (uint8_t)(v | 0x80);
	b->data[b->len++] = (uint8_t)v;
}

/* Appends a part: its length and its bytes. */
static void put_part(struct bytes *b, const struct bytes *part)
{
	put_varint(b, part->len);
	if (part->failed || !need(b, part->len)) {
		b->failed = true;
		return;
	}
	if (part->len)
		memcpy(b->data + b->len, part->data, part->len);
	b->len += part->len;
}

struct branch_encoder *branch_encoder_new(void)
{
	struct branch_encoder *e = calloc(1, sizeof(*e));

	if (!e)
		return NULL;
	e->ids = malloc(BRANCH_BATCH_MAX * sizeof(*e->ids));
	e->pairs = malloc(BRANCH_BATCH_MAX * sizeof(*e->pairs));
	if (e->ids && e->pairs)
		return e;
	branch_encoder_free(e);
	return NULL;
}

void branch_encoder_free(struct branch_encoder *e)
{
	if (!e)
		return;
	free(e->ids);
	free(e->pairs);
	free(e->marks.data);
	free(e->out.data);
	free(e->part.data);
	free(e);
}

void branch_encoder_start(struct branch_encoder *e, uint64_t time)
{
	for (uint32_t i = 0; i < e->npairs; i++)
		e->slots[e->used[i]] = 0;
	e->count = e->npairs = e->nmarks = 0;
	e->first = e->last = e->marked_time = time;
	e->marked_at = 0;
	e->marks.len = 0;
	e->marks.failed = false;
	e->has_flags = e->has_cycles = false;
}

uint32_t branch_encoder_count(const struct branch_encoder *e)
{
	return e->count;
}

bool branch_encoder_full(const struct branch_encoder *e)
{
	/* a branch may come with several marks */
	return e->count == BRANCH_BATCH_MAX || e->nmarks >= BRANCH_MARKS_MAX - 4;
}

uint64_t branch_encoder_first(const struct branch_encoder *e)
{
	return e->first;
}

uint64_t branch_encoder_last(const struct branch_encoder *e)
{
	return e->last;
}

void branch_encoder_mark(struct branch_encoder *e, enum branch_mark_kind kind, uint64_t time,
			 uint64_t count)
{
	if (time < e->marked_time)
		time = e->marked_time;
	put_varint(&e->marks, e->count - e->marked_at);
	put_byte(&e->marks, (uint8_t)kind);
	put_varint(&e->marks, time - e->marked_time);
	if (kind == BRANCH_MARK_LOST)
		put_varint(&e->marks, count);
	e->marked_at = e->count;
	e->marked_time = time;
	e->last = time > e->last ? time : e->last;
	e->nmarks++;
}

void branch_encoder_time(struct branch_encoder *e, uint64_t time)
{
	if (time > e->marked_time)
		branch_encoder_mark(e, BRANCH_MARK_TIME, time, 0);
}

static uint32_t hash(const struct branch *b)
{
	return (uint32_t)((b->from * 0x9E3779B97F4A7C15u ^ b->to * 0xC2B2AE3D27D4EB4Fu) >>
			  (64 - HASH_BITS));
}

/* Returns the number of the branch's pair, from 1; adds it if it is new. */
static uint32_t pair_of(struct branch_encoder *e, const struct branch *b)
{
	uint32_t slot = hash(b);

	for (; e->slots[slot]; slot = (slot + 1) & ((1 << HASH_BITS) - 1)) {
		const struct branch_pair *p = &e->pairs[e->slots[slot] - 1];

		if (p->from == b->from && p->to == b->to && p->kind == b->kind)
			return e->slots[slot];
	}
	e->used[e->npairs] = slot;
	e->pairs[e->npairs] = (struct branch_pair){ b->from, b->to, b->kind };
	e->slots[slot] = ++e->npairs;
	return e->npairs;
}

/*
 * A mark's time need only lie between the branches around it. Zeroes low bits of its distance from
 * the previous mark, as far as that changes it by at most 1/32: zeros compress. With slow branches
 * (ptrace), exact times took a third of the batch.
 */
static uint64_t rounded(const struct branch_encoder *e, uint64_t time)
{
	uint64_t distance = time - e->marked_time, least = e->last - e->marked_time, coarse;

	for (unsigned int bits = TIME_ROUND; bits; bits--) {
		coarse = distance >> bits << bits;
		if (coarse >= least && distance - coarse <= distance / 32)
			return e->marked_time + coarse;
	}
	return time;
}

bool branch_encoder_add(struct branch_encoder *e, const struct branch *b, uint64_t time)
{
	uint32_t before = e->npairs;

	if (time < e->last)
		time = e->last;
	if (time > e->marked_time && (e->count - e->marked_at >= TIME_EVERY ||
				      time - e->last >= TIME_PAUSE))
		branch_encoder_mark(e, BRANCH_MARK_TIME, rounded(e, time), 0);
	e->last = time;
	e->flags[e->count] = b->flags;
	e->cycles[e->count] = b->cycles;
	e->has_flags |= b->flags != 0;
	e->has_cycles |= b->cycles != 0;
	e->ids[e->count++] = pair_of(e, b);
	return e->npairs != before;
}

/* Appends a new pair: `from` is relative to the target of the previous branch. */
static void put_pair(struct bytes *b, const struct branch_pair *p, uint64_t before)
{
	put_varint(b, branch_zigzag(p->from - before));
	put_varint(b, branch_zigzag(p->to - p->from));
	put_byte(b, p->kind);
}

/* Appends the codes to `codes`, and new pairs to e->part. */
static void put_codes(struct branch_encoder *e, struct bytes *codes)
{
	struct branch_guess *g = &e->guess;
	uint32_t known = 0, run = 0;
	uint64_t to = 0;

	for (uint32_t i = 0; i < e->count; i++) {
		uint32_t pair = e->ids[i], slot = guess_slot(g);

		if (g->by_three[slot] == pair) {
			run++;
		} else {
			put_varint(codes, run);
			run = 0;
			if (g->by_one[g->before[0]] == pair)
				put_varint(codes, CHOICE_SECOND);
			else if (pair > known)
				put_varint(codes, CHOICE_NEW);
			else
				put_varint(codes, CHOICE_OLD + known - pair);
		}
		if (pair > known) {
			put_pair(&e->part, &e->pairs[pair - 1], to);
			known = pair;
		}
		guess_learn(g, slot, pair);
		to = e->pairs[pair - 1].to;
	}
	put_varint(codes, run);
}

static void guess_start(struct branch_guess *g, uint32_t count, uint32_t pairs)
{
	g->bits = guess_bits(count);
	memset(g->by_three, 0, sizeof(*g->by_three) << g->bits);
	memset(g->by_one, 0, sizeof(*g->by_one) * (pairs + 1));
	memset(g->before, 0, sizeof(g->before));
}

const void *branch_encoder_finish(struct branch_encoder *e, size_t *len)
{
	struct bytes codes = { 0 };

	e->out.len = e->part.len = 0;
	e->out.failed = e->part.failed = false;
	guess_start(&e->guess, e->count, e->npairs);
	put_codes(e, &codes);
	put_part(&e->out, &codes);
	free(codes.data);
	put_part(&e->out, &e->part);
	put_part(&e->out, &e->marks);
	if (e->has_flags || e->has_cycles) {
		struct bytes flags = { .data = e->flags, .len = e->has_flags ? e->count : 0 };

		put_part(&e->out, &flags);
		e->part.len = 0;
		for (uint32_t i = 0; e->has_cycles && i < e->count; i++)
			put_varint(&e->part, e->cycles[i]);
		put_part(&e->out, &e->part);
	}
	*len = e->out.len;
	return e->out.failed || e->marks.failed ? NULL : e->out.data;
}

static void append_branch(struct branch_encoder *e, const struct branch_batch *b, uint32_t i)
{
	const struct branch_pair *p = &b->pairs[b->ids[i]];
	struct branch one = { .from = p->from, .to = p->to, .kind = p->kind };

	e->flags[e->count] = b->flags ? b->flags[i] : 0;
	e->cycles[e->count] = b->cycles ? b->cycles[i] : 0;
	e->ids[e->count++] = pair_of(e, &one);
}

bool branch_encoder_append(struct branch_encoder *e, const struct branch_batch *b, uint64_t first,
			   uint64_t until)
{
	const struct branch_mark *mark = b->marks, *end = b->marks + b->nmarks;
	bool joined = e->count || e->nmarks;

	if (b->count > BRANCH_BATCH_MAX - e->count ||
	    (uint64_t)e->nmarks + b->nmarks + (joined ? 2 : 0) > BRANCH_MARKS_MAX)
		return false;
	if (joined) {
		/* the end of the first batch and the beginning of the second */
		branch_encoder_mark(e, BRANCH_MARK_TIME, e->last, 0);
		if (first > e->last)
			branch_encoder_mark(e, BRANCH_MARK_TIME, first, 0);
	}
	for (uint32_t i = 0; i <= b->count; i++) {
		for (; mark < end && mark->at == i; mark++)
			branch_encoder_mark(e, mark->kind, mark->time, mark->count);
		if (i < b->count)
			append_branch(e, b, i);
	}
	e->has_flags |= b->flags != NULL;
	e->has_cycles |= b->cycles != NULL;
	e->last = until > e->last ? until : e->last;
	return true;
}
