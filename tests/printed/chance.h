/* SPDX-License-Identifier: MIT */
/* Numbers by chance that are the same on every machine, and bytes printed. */
#ifndef TRAWL_TESTS_PRINTED_CHANCE_H
#define TRAWL_TESTS_PRINTED_CHANCE_H

#include <stdint.h>
#include <stdio.h>

#include "tests/printed/printed.h"

struct chance {
	uint64_t state; /* not 0 */
};

/* 0 .. below - 1. Once in an expression: compilers differ in which of two calls comes first. */
static inline uint32_t chance(struct chance *c, uint32_t below)
{
	c->state ^= c->state << 13;
	c->state ^= c->state >> 7;
	c->state ^= c->state << 17;
	return (uint32_t)(c->state >> 32) % below;
}

/* Often at and around a limit, and at powers of two. */
static inline uint64_t chance_edge(struct chance *c, uint64_t limit)
{
	uint64_t bit;

	switch (chance(c, 4)) {
	case 0:
		return chance(c, (uint32_t)limit + 1);
	case 1:
		return limit - 2 + chance(c, 5);
	case 2:
		bit = UINT64_C(1) << chance(c, 64);
		return bit - 1 + chance(c, 3);
	default:
		return chance(c, 3);
	}
}

static inline void chance_show(FILE *to, const void *bytes, size_t n)
{
	for (size_t i = 0; i < n; i++)
		fprintf(to, "%02x", ((const uint8_t *)bytes)[i]);
	fputc('\n', to);
}

/* What is printed of four sequences has a digest each. */
static inline void chance_take(struct printed *p, const char *name,
			       void (*show)(FILE *to, struct chance *c))
{
	for (unsigned int seed = 1; seed <= 4; seed++) {
		struct chance c = {seed * 0x9e3779b97f4a7c15u};
		char *text, full[64];
		size_t len;
		FILE *to = open_memstream(&text, &len);

		show(to, &c);
		fclose(to);
		snprintf(full, sizeof(full), "%s-%u", name, seed);
		printed_take(p, full, text, len);
		free(text);
	}
}

#endif
