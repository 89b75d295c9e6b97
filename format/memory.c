/* SPDX-License-Identifier: MIT */
#include <inttypes.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "format/memory.h"
#include "format/trawl.h"

enum { HUGE_PAGE = 2 << 20, LARGE = 1 << 20, MOST_DEFAULT = 256 << 20 };

void *memory_new(size_t *size)
{
	void *p;

	if (*size < LARGE || *size > SIZE_MAX - HUGE_PAGE)
		return malloc(*size);
	*size = (*size + HUGE_PAGE - 1) & ~(size_t)(HUGE_PAGE - 1);
	p = aligned_alloc(HUGE_PAGE, *size);
	if (p)
		madvise(p, *size, MADV_HUGEPAGE); /* on failure it has small pages */
	return p;
}

/* The capacity of an array that had `room` and needs `need` elements. */
static size_t grown(size_t room, size_t need)
{
	size_t more = room ? room * 2 : 16;

	return more < need ? need : more;
}

bool array_grow(void *array, size_t *room, size_t need, size_t size)
{
	size_t more = grown(*room, need);
	void *p;

	memcpy(&p, array, sizeof(p));
	p = reallocarray(p, more, size);
	if (!p)
		return false;
	memcpy(array, &p, sizeof(p));
	*room = more;
	return true;
}

static uint64_t most_of(const struct trawl_memory *memory)
{
	return memory->most ? memory->most : MOST_DEFAULT;
}

int memory_refused(const struct trawl_memory *memory, const char *name, const char *what,
		   struct trawl_error *err)
{
	return trawl_fail(err, TRAWL_CANNOT, "%s: %s would take more than the %" PRIu64 " MiB of "
			  "memory that a file may: --memory allows more, if you trust it", name,
			  what, most_of(memory) >> 20);
}

int trawl_memory_take(struct trawl_memory *memory, uint64_t n, const char *name, const char *what,
		      struct trawl_error *err)
{
	if (!memory)
		return 0;
	if (n > most_of(memory) - memory->used)
		return memory_refused(memory, name, what, err);
	memory->used += n;
	return 0;
}

bool budget_take(struct budget *b, uint64_t n, const char *what)
{
	if (!b || !b->memory)
		return true;
	if (n > most_of(b->memory) - b->memory->used) {
		b->refused = what;
		return false;
	}
	b->memory->used += n;
	b->used += n;
	return true;
}

bool budget_array(struct budget *b, void *array, size_t *room, size_t need, size_t size,
		  const char *what)
{
	if (need <= *room)
		return true;
	return budget_take(b, (grown(*room, need) - *room) * size, what) &&
	       array_grow(array, room, need, size);
}

void budget_return(struct budget *b, uint64_t n)
{
	if (!b || !b->memory)
		return;
	b->memory->used -= n;
	b->used -= n;
}

uint64_t budget_share(const struct budget *b)
{
	return most_of(b->memory) - (b->memory->used - b->used);
}

void room_free(struct room *r)
{
	free(r->p);
	budget_return(r->budget, r->cap);
	r->p = NULL;
	r->cap = 0;
}

void *room_for(struct room *r, size_t size)
{
	size_t cap = size + size / 4, requested = cap;

	if (size <= r->cap && r->p)
		return r->p;
	room_free(r);
	if (!budget_take(r->budget, requested, "a chunk of events"))
		return NULL;
	r->p = memory_new(&cap);
	/* Only the requested bytes count: the rounding is never touched. */
	r->cap = r->p ? requested : 0;
	if (!r->p)
		budget_return(r->budget, requested);
	return r->p;
}
