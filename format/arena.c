/* SPDX-License-Identifier: MIT */
#include <stdlib.h>

#include "format/arena.h"
#include "format/memory.h"

/*
 * Large blocks use huge pages, which the kernel allocates on first use, so an unused end of a block
 * costs nothing. The first block is small, because a small chunk must not cost a huge page.
 */
enum { BLOCK_LEAST = 64 << 10, BLOCK_MOST = 8 << 20, ALIGN = 16 };

struct arena_block {
	struct arena_block *next;
	size_t size, used, counted;
	_Alignas(ALIGN) uint8_t data[];
};

static struct arena_block *find_spare(struct arena *a, size_t n)
{
	for (struct arena_block **p = &a->spare; *p; p = &(*p)->next) {
		struct arena_block *b = *p;

		if (b->size >= n) {
			*p = b->next;
			return b;
		}
	}
	return NULL;
}

/* Grows the blocks by a factor of eight, so that the third one has the largest size. */
static size_t block_size(const struct arena *a)
{
	if (a->used < BLOCK_LEAST / 8)
		return BLOCK_LEAST;
	return a->used < BLOCK_MOST / 8 ? a->used * 8 : BLOCK_MOST;
}

static struct arena_block *new_block(struct arena *a, size_t n)
{
	size_t size = sizeof(struct arena_block) + n, counted;
	struct arena_block *b = find_spare(a, n);

	if (!b) {
		if (size < block_size(a))
			size = block_size(a);
		if (!budget_take(a->budget, size, "a chunk of events"))
			return NULL;
		counted = size;
		b = memory_new(&size);
		if (!b) {
			budget_return(a->budget, counted);
			return NULL;
		}
		b->size = size - sizeof(*b);
		b->counted = counted;
	}
	b->used = 0;
	b->next = a->blocks;
	a->blocks = b;
	return b;
}

void *arena_take(struct arena *a, size_t n, size_t size)
{
	struct arena_block *b = a->blocks;
	size_t bytes;
	void *p;

	if (size && n > (a->max - a->used) / size) {
		a->full = true;
		return NULL;
	}
	a->used += n * size;
	bytes = (n * size + ALIGN - 1) & ~(size_t)(ALIGN - 1);
	if (!bytes)
		bytes = ALIGN;
	if (!b || b->size - b->used < bytes)
		b = new_block(a, bytes);
	if (!b)
		return NULL;
	p = b->data + b->used;
	b->used += bytes;
	return p;
}

static void free_list(struct arena *a, struct arena_block *b)
{
	while (b) {
		struct arena_block *next = b->next;

		budget_return(a->budget, b->counted);
		free(b);
		b = next;
	}
}

void arena_reset(struct arena *a)
{
	free_list(a, a->spare);
	a->spare = a->blocks;
	a->blocks = NULL;
	a->used = 0;
	a->full = false;
}

void arena_free(struct arena *a)
{
	free_list(a, a->spare);
	free_list(a, a->blocks);
	a->spare = a->blocks = NULL;
}
