/* SPDX-License-Identifier: MIT */
#include "capture/branch/stack.h"

/* Bits of an entry's third word, as struct perf_branch_entry has them. */
enum { MISPREDICTED = 1, PREDICTED = 2, IN_TX = 4, ABORT = 8, CYCLES_AT = 4, TYPE_AT = 20 };

/* Code that is run again and again leaves stacks that end and begin alike without having a branch in common. */
enum { COMMON_LEAST = 16 };

static struct branch entry_of(const uint64_t *w)
{
	struct branch b = { .from = w[0], .to = w[1] };
	unsigned int type = (unsigned int)(w[2] >> TYPE_AT) & 15;

	b.flags = (uint8_t)((w[2] & MISPREDICTED ? BRANCH_MISPREDICTED : 0) |
			    (w[2] & PREDICTED ? BRANCH_PREDICTED : 0) |
			    (w[2] & IN_TX ? BRANCH_IN_TX : 0) | (w[2] & ABORT ? BRANCH_ABORT : 0));
	b.cycles = (uint32_t)(w[2] >> CYCLES_AT) & 0xffff;
	b.kind = (uint8_t)(type <= BRANCH_IRQ ? type : BRANCH_UNKNOWN);
	return b;
}

void branch_stack_read(struct branch_stack *s, const uint64_t *words, size_t bytes)
{
	size_t room = bytes / sizeof(*words), n;

	s->n = 0;
	if (!room)
		return;
	n = words[0] <= (room - 1) / 3 ? (size_t)words[0] : (room - 1) / 3;
	n = n <= BRANCH_STACK_MOST ? n : BRANCH_STACK_MOST;
	for (size_t i = n; i--;) {
		struct branch b = entry_of(words + 1 + 3 * i);

		if (!(b.from >> 63) && !(b.to >> 63))
			s->entries[s->n++] = b;
	}
}

static bool same(const struct branch *a, const struct branch *b)
{
	return a->from == b->from && a->to == b->to && a->cycles == b->cycles && a->flags == b->flags;
}

static bool overlaps(const struct branch_stack *last, const struct branch_stack *now, size_t common)
{
	size_t i = 0;

	while (i < common && same(&last->entries[last->n - common + i], &now->entries[i]))
		i++;
	return i == common;
}

size_t branch_stack_join(const struct branch_stack *last, const struct branch_stack *now)
{
	size_t most = last->n < now->n ? last->n : now->n, found = 0;

	if (last->tid != now->tid)
		return now->n;
	/* A loop overlaps itself in several ways, of which nobody knows the right one. */
	for (size_t common = COMMON_LEAST; common <= most; common++) {
		if (!overlaps(last, now, common))
			continue;
		if (found)
			return now->n;
		found = common;
	}
	return now->n - found;
}
