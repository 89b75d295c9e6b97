/* SPDX-License-Identifier: MIT */
/*
 * What the checks of an event's values (capture/cli/readable.h) found. A value that could not be
 * read is made 0, and a string one of no bytes, for the kernel has left something else there; the
 * word of its first check becomes a number that says so, the field __fault_NAME of the file. Of the
 * other checks, the control and the end nothing is left.
 */
#ifndef TRAWL_CAPTURE_TRACEFS_READCHECK_H
#define TRAWL_CAPTURE_TRACEFS_READCHECK_H

#include "capture/tracefs/eventformat.h"

#define READ_CHECK_FIELD "__fault_"

/* The number of a first check. */
enum read_state { READ_DONE = 0, READ_FAILED = 1, READ_UNKNOWN = 2 };

/* A value and its checks, by the kernel's names of their fields. */
struct read_name {
	const char *first, *last; /* last: NULL if there is none */
	const char *value;
	const char *shown;   /* the value's name in the file */
	const char *why;     /* it has none, if it could not be read; kept */
	const char *address; /* of a companion's string: where its address is; else NULL */
	bool zeroed;         /* the kernel makes it 0 where it cannot read it */
};

/* Those of an event. */
struct read_names {
	const char *control, *end;
	size_t n;
	struct read_name *values; /* first and last checks are fields in this order */
};

struct read_check;

/* By the kernel's format; NULL without memory, or if a field is missing. */
struct read_check *read_check_new(const struct eventformat *f, const struct read_names *names);
void read_check_free(struct read_check *c);

/* Makes the file's fields of the kernel's. */
int read_check_tune(struct eventformat *f, const struct read_names *names);

/* Checks of events, by the events' ids. */
struct read_checks;

/* NULL without memory. */
struct read_checks *read_checks_new(void);
void read_checks_free(struct read_checks *r);
void read_checks_add(struct read_checks *r, uint32_t id, struct read_check *c);

/* Writes into a record what the checks of its event found; *len may shrink. */
void read_checks_apply(const struct read_checks *r, uint8_t *record, uint32_t *len);

#endif
