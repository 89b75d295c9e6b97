/* SPDX-License-Identifier: MIT */
/* A stack of the last branches, as perf's samples have it. */
#ifndef TRAWL_CAPTURE_BRANCH_STACK_H
#define TRAWL_CAPTURE_BRANCH_STACK_H

#include <stddef.h>
#include "common/branch.h"

enum { BRANCH_STACK_MOST = 64 };

struct branch_stack {
	size_t n;
	struct branch entries[BRANCH_STACK_MOST]; /* the oldest first */
	bool strange; /* an entry has an address that is not canonical: all are dropped, n is 0 */
};

/* Whether the address is canonical: with five levels of page tables, bits 63 to 57 equal bit 56. */
static inline bool branch_address_valid(uint64_t address)
{
	int64_t sign = (int64_t)address >> 56;

	return sign == 0 || sign == -1;
}

/*
 * Whether a branch enters the kernel or comes from it. The other end need not be an address: the
 * exception after a wild jump has the target of that.
 */
static inline bool branch_of_kernel(const struct branch *b)
{
	return (b->from >> 63 && branch_address_valid(b->from)) ||
	       (b->to >> 63 && branch_address_valid(b->to));
}

/*
 * Reads the u64 count and entries (from, to, flags; the newest first) of a sample. Leaves out
 * branches of the kernel, and entries beyond the bytes.
 */
void branch_stack_read(struct branch_stack *s, const uint64_t *words, size_t bytes);

#endif
