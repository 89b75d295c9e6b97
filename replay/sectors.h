/* SPDX-License-Identifier: MIT */
/* The sectors of a replayed disk: in the payload of the capture, or as they were written. */
#ifndef TRAWL_REPLAY_SECTORS_H
#define TRAWL_REPLAY_SECTORS_H

#include "replay/filearray.h"
#include "replay/store.h"

/* A sector that the tape writes before it reads it: its contents are unknown until then. */
#define SECTOR_UNKNOWN (UINT64_C(1) << 63)

struct sectors {
	struct filearray *beside;  /* whose file has the table */
	struct store *store;
	struct filearray file;
	struct sector *table;      /* hash table with open addressing, in `file` */
	size_t size, n;
	uint8_t *heap;             /* data of written sectors */
	size_t heap_used, heap_room;
};

#define SECTORS_NONE(a, s) {.beside = (a), .store = (s), .file = FILEARRAY_NONE}

/*
 * Sets where a sector is: offset in the store, or SECTOR_UNKNOWN. replace: also if it is known.
 * Returns false without memory.
 */
bool sectors_set(struct sectors *s, uint64_t lba, uint64_t at, bool replace);
/* A sector's bytes, valid until the next sectors_write(); NULL if they are unknown. */
const uint8_t *sectors_at(const struct sectors *s, uint64_t lba);
/* Stores a sector of n bytes. Returns false without memory: it stays as it was. */
bool sectors_write(struct sectors *s, uint64_t lba, const uint8_t *p, uint32_t n);
/* Removes the table's pages from this process's memory. */
void sectors_release(const struct sectors *s);
void sectors_free(struct sectors *s);

#endif
