/* SPDX-License-Identifier: MIT */
#include "replay/sectors.h"
#include "common/array.h"

#include <stdlib.h>
#include <string.h>

/* flag in sector.at: SECTOR_UNKNOWN alone, or with 1 + the offset in the heap */
#define HEAP SECTOR_UNKNOWN

/* Neighbours share a hash and so a few cache lines: commands are about ranges of sectors. */
#define RANGE 16

struct sector {
	uint64_t lba;              /* UINT64_MAX: the slot is free */
	uint64_t at;
};

static size_t slot_of(const struct sectors *s, uint64_t lba)
{
	uint64_t hash = lba / RANGE * UINT64_C(0x9e3779b97f4a7c15) >> 20;
	size_t i = (size_t)(hash * RANGE + lba % RANGE) & (s->size - 1);

	while (s->table[i].lba != UINT64_MAX && s->table[i].lba != lba)
		i = (i + 1) & (s->size - 1);
	return i;
}

static bool grow(struct sectors *s)
{
	struct sector *old = s->table;
	struct filearray old_file = s->file;
	size_t size = s->size;

	s->size = size ? 2 * size : 4096;
	if (!filearray_beside(s->beside, &s->file, s->size * sizeof(*s->table))) {
		s->file = old_file;
		s->size = size;
		return false;
	}
	s->table = s->file.p;
	memset(s->table, 0xff, s->size * sizeof(*s->table));
	for (size_t i = 0; i < size; i++)
		if (old[i].lba != UINT64_MAX)
			s->table[slot_of(s, old[i].lba)] = old[i];
	filearray_close(&old_file);
	return true;
}

bool sectors_set(struct sectors *s, uint64_t lba, uint64_t at, bool replace)
{
	size_t i;

	if (2 * (s->n + 1) > s->size && !grow(s))
		return false;
	i = slot_of(s, lba);
	s->n += s->table[i].lba == UINT64_MAX;
	if (s->table[i].lba == UINT64_MAX || replace)
		s->table[i] = (struct sector){lba, at};
	return true;
}

const uint8_t *sectors_at(const struct sectors *s, uint64_t lba)
{
	const struct sector *x = s->size ? &s->table[slot_of(s, lba)] : NULL;

	if (!x || x->lba == UINT64_MAX || x->at == SECTOR_UNKNOWN)
		return NULL;
	if (x->at & HEAP)
		return s->heap + (x->at & ~HEAP) - 1;
	store_will_read(s->store, store_at(s->store, x->at));
	return store_at(s->store, x->at);
}

bool sectors_write(struct sectors *s, uint64_t lba, const uint8_t *p, uint32_t n)
{
	if (!array_reserve(s->heap, s->heap_room, s->heap_used + n))
		return false;
	memcpy(s->heap + s->heap_used, p, n);
	if (!sectors_set(s, lba, HEAP | (s->heap_used + 1), true))
		return false;
	s->heap_used += n;
	return true;
}

void sectors_release(const struct sectors *s)
{
	filearray_release(&s->file);
}

void sectors_free(struct sectors *s)
{
	filearray_close(&s->file);
	free(s->heap);
}
