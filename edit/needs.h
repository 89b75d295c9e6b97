/* SPDX-License-Identifier: MIT */
/*
 * Collects what events refer to: tasks, kernel addresses, USB devices, event types. Metadata about
 * anything else is not needed to decode the events.
 */
#ifndef TRAWL_EDIT_NEEDS_H
#define TRAWL_EDIT_NEEDS_H

#include "common/hashset.h"
#include "format/trawl.h"

struct numbers { /* a set of numbers; all zero: empty */
	struct hashset set; /* those but 0 */
	uint64_t last; /* added last */
	bool has_zero, failed;
};
void numbers_add(struct numbers *s, uint64_t v);
bool numbers_has(const struct numbers *s, uint64_t v);
void numbers_free(struct numbers *s);

struct references; /* the fields of an event type that refer to something */

struct needs {
	struct numbers tasks;     /* thread ids */
	struct numbers addresses; /* kernel addresses */
	struct numbers devices;   /* USB: bus << 8 | device */
	struct numbers types;     /* as needs_type() encodes them */
	struct references **references; /* by event type; of the reader in use */
	size_t nreferences, room;
	const struct references *recent[64]; /* some of them, by the address of the type */
	bool failed;
};

/* Adds what all events of a chunk refer to. */
void needs_chunk(struct needs *n, const struct trawl_piece *p, const struct trawl_chunk *chunk);
/*
 * Adds what one event refers to. number: that of its source in the section. Data about event types
 * is cached until needs_event_end(), which must be called before their reader is closed.
 */
void needs_event(struct needs *n, uint32_t section, uint16_t number, const struct trawl_event *ev);
void needs_event_end(struct needs *n);
/* False if memory ran out in an earlier call. */
bool needs_ok(const struct needs *n);
void needs_free(struct needs *n);

static inline uint64_t needs_type(uint32_t section, uint16_t number, uint32_t id)
{
	return (uint64_t)section << 32 | (uint64_t)number << 16 | (id & 0xffff);
}

/*
 * Finds the bytes of a field in a record; they are valid as long as the record. False if the field
 * is not inside the record.
 */
bool record_field(const struct trawl_event *ev, const struct trawl_field *f, const uint8_t **p,
		  size_t *len);
/* Reads an unsigned little-endian number of `size` bytes, 1 to 8, at any alignment. */
uint64_t number_at(const uint8_t *p, size_t size);

#endif
