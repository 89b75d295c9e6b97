/* SPDX-License-Identifier: MIT */
/*
 * The guesses of the next pair, shared by encoder and decoder of branches. Pairs are numbered from
 * 1 here; 0 is no pair.
 */
#ifndef TRAWL_COMMON_BRANCHGUESS_H
#define TRAWL_COMMON_BRANCHGUESS_H

#include <stdint.h>
#include "common/branch.h"

enum {
	GUESS_BITS_LEAST = 4,
	GUESS_BITS_MOST = 16,
	/* Codes for a wrong first guess; larger codes: how many pairs ago the pair was new. */
	CHOICE_SECOND = 0,
	CHOICE_NEW = 1,
	CHOICE_OLD = 2,
};

struct branch_guess {
	uint32_t by_three[1 << GUESS_BITS_MOST]; /* by a hash of the last three pairs */
	uint32_t by_one[BRANCH_BATCH_MAX + 1];   /* by the last pair */
	uint32_t before[3];                      /* the last three pairs, newest first */
	unsigned int bits;
};

/* Returns the size of by_three in bits for a batch of so many branches. */
static inline unsigned int guess_bits(uint32_t count)
{
	unsigned int bits = GUESS_BITS_LEAST;

	while (bits < GUESS_BITS_MOST && 1u << bits < count)
		bits++;
	return bits;
}

static inline uint32_t guess_slot(const struct branch_guess *g)
{
	uint32_t sum = g->before[0] * 0x9E3779B1u + g->before[1] * 0x85EBCA77u +
		       g->before[2] * 0xC2B2AE3Du;

	return (sum ^ sum >> 15) * 0x7FEB352Du >> (32 - g->bits);
}

static inline void guess_learn(struct branch_guess *g, uint32_t slot, uint32_t pair)
{
	g->by_three[slot] = pair;
	g->by_one[g->before[0]] = pair;
	g->before[2] = g->before[1];
	g->before[1] = g->before[0];
	g->before[0] = pair;
}

static inline uint64_t branch_zigzag(uint64_t v)
{
	return v << 1 ^ (uint64_t)((int64_t)v >> 63);
}

static inline uint64_t branch_unzigzag(uint64_t z)
{
	return z >> 1 ^ (0 - (z & 1));
}

#endif
