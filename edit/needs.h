/* SPDX-License-Identifier: MIT */
/*
 * What events refer to: tasks, kernel addresses, USB devices, event types. Metadata that is about
 * none of these is not needed to decode them.
 */
#ifndef TRAWL_EDIT_NEEDS_H
#define TRAWL_EDIT_NEEDS_H

#include "format/trawl.h"

struct numbers { /* a set of numbers */
	uint64_t *slots;
	size_t n, cap;
	bool has_zero, failed;
};
void numbers_add(struct numbers *s, uint64_t v);
bool numbers_has(const struct numbers *s, uint64_t v);
void numbers_free(struct numbers *s);

struct needs {
	struct numbers tasks;     /* ids */
	struct numbers addresses; /* of the kernel */
	struct numbers devices;   /* USB: bus << 8 | device */
	struct numbers types;     /* needs_type() */
};

/* Adds what the events of a whole chunk refer to. */
void needs_chunk(struct needs *n, const struct trawl_piece *p, const struct trawl_chunk *chunk);
/* Adds what one event of a chunk refers to. */
void needs_event(struct needs *n, const struct trawl_piece *p, const struct trawl_event *ev);
/* Returns false if memory ran out in one of the calls before. */
bool needs_ok(const struct needs *n);
void needs_free(struct needs *n);

static inline uint64_t needs_type(uint32_t section, uint16_t number, uint32_t id)
{
	return (uint64_t)section << 32 | (uint64_t)number << 16 | (id & 0xffff);
}

/* Sets *p and *len to the bytes of a field in a record, valid as long as the record. False: the
 * field has none. */
bool record_field(const struct trawl_event *ev, const struct trawl_field *f, const uint8_t **p,
		  size_t *len);
/* Reads an unsigned number of 1, 2, 4 or 8 bytes, unaligned. */
uint64_t number_at(const uint8_t *p, size_t size);

#endif
