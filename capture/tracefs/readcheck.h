/* SPDX-License-Identifier: MIT */
/*
 * Applies the checks of an event's values (capture/cli/readable.h) to its records. A value that
 * could not be read becomes 0, and a string one of no bytes: the kernel left something else there.
 * The word of its first check becomes the field __fault_NAME of the file, an enum read_state. The
 * other checks, the control and the end are removed.
 */
#ifndef TRAWL_CAPTURE_TRACEFS_READCHECK_H
#define TRAWL_CAPTURE_TRACEFS_READCHECK_H

#include "capture/tracefs/eventformat.h"

#define READ_CHECK_FIELD "__fault_"

/* The values of __fault_NAME. */
enum read_state { READ_DONE = 0, READ_FAILED = 1, READ_UNKNOWN = 2 };

/* A value and its checks, by the kernel's names of their fields. */
struct read_name {
	const char *first, *last; /* last: NULL if there is none */
	const char *value;
	const char *shown;   /* the value's name in the file */
	const char *why;     /* the note of __fault_NAME; must outlive the format */
	const char *address; /* of a companion's string: the field with its address; else NULL */
	bool zeroed;         /* the kernel makes it 0 where it cannot read it */
};

/* The values and checks of an event. */
struct read_names {
	const char *control, *end;
	size_t n;
	struct read_name *values; /* in the order of their checks' fields */
};

struct read_check;

/* Finds the fields in the kernel's format. NULL without memory, or if a field is missing. */
struct read_check *read_check_new(const struct eventformat *f, const struct read_names *names);
void read_check_free(struct read_check *c);

/* Turns the kernel's fields into the file's. Returns 0, or -1 without memory or a field. */
int read_check_tune(struct eventformat *f, const struct read_names *names);

/* Checks of events, by the events' ids. */
struct read_checks;

/* NULL without memory. */
struct read_checks *read_checks_new(void);
void read_checks_free(struct read_checks *r);
/* Takes *c. */
void read_checks_add(struct read_checks *r, uint32_t id, struct read_check *c);

/* Writes what the checks of its event found into a record; *len may shrink. */
void read_checks_apply(const struct read_checks *r, uint8_t *record, uint32_t *len);

#endif
