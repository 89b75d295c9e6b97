/* SPDX-License-Identifier: MIT */
#include "capture/branch/stack.h"

/* Bits of an entry's third word: the bit fields of struct perf_branch_entry. */
enum {
	MISPREDICTED = 1,
	PREDICTED = 2,
	IN_TX = 4,
	ABORT = 8,
	CYCLES_AT = 4,
	TYPE_AT = 20,
	SPECULATION_AT = 24,
	WRONG_PATH = 1,
};

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
	s->strange = false;
	if (!room)
		return;
	n = words[0] <= (room - 1) / 3 ? (size_t)words[0] : (room - 1) / 3;
	n = n <= BRANCH_STACK_MOST ? n : BRANCH_STACK_MOST;
	for (size_t i = n; i--;) {
		const uint64_t *w = words + 1 + 3 * i;
		struct branch b = entry_of(w);

		/* AMD's processors record branches that they only executed by speculation. */
		if ((w[2] >> SPECULATION_AT & 3) == WRONG_PATH)
			continue;
		s->strange |= !branch_address_valid(b.from) || !branch_address_valid(b.to);
		if (!(b.from >> 63) && !(b.to >> 63))
			s->entries[s->n++] = b;
	}
	if (s->strange)
		s->n = 0;
}
