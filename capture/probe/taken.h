/* SPDX-License-Identifier: MIT */
/*
 * The names and events that probes of a list have, by which probes they are. A program may have a
 * hundred thousand functions, and thousands of one name. An entry of a probe that the list lost
 * since does no harm: the caller looks at the probe.
 */
#ifndef TRAWL_CAPTURE_PROBE_TAKEN_H
#define TRAWL_CAPTURE_PROBE_TAKEN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct taken_name {
	uint64_t hash;
	size_t probe; /* index in the list */
	size_t next;  /* entry of the same slot, from 1; 0: none */
};

struct taken {
	struct taken_name *names;
	size_t n;
	size_t *slots; /* a power of two of them; an entry, from 1 */
	size_t room;
};

void taken_add(struct taken *t, const char *name, size_t probe);

/*
 * The probes that may have the name. Start with *at = 0; false: there are no more.
 *
 *	for (size_t at = 0, probe; taken_next(t, name, &at, &probe);)
 */
bool taken_next(const struct taken *t, const char *name, size_t *at, size_t *probe);

void taken_free(struct taken *t);

#endif
