/* SPDX-License-Identifier: MIT */
/*
 * Applies the checks of an event's values (capture/cli/readable.h) to its records. The field of a
 * value that could not be read has arbitrary contents: it is set to 0, a string to 0 bytes. The
 * word of the value's first check becomes the field __fault_NAME in the file, an enum read_state.
 * The other checks, the control and the end are removed.
 */
#ifndef TRAWL_CAPTURE_TRACEFS_READCHECK_H
#define TRAWL_CAPTURE_TRACEFS_READCHECK_H

#include "capture/tracefs/eventformat.h"

#define READ_CHECK_FIELD "__fault_"

/* The values of __fault_NAME. */
enum read_state { READ_DONE = 0, READ_FAILED = 1, READ_UNKNOWN = 2 };

/* A value and its checks, by the names of their fields in the kernel's format. */
struct read_name {
	const char *first, *last; /* last: NULL if there is none */
	const char *value;
	const char *shown;   /* name of the value in the file */
	const char *why;     /* the note of __fault_NAME; must outlive the format */
	const char *address; /* of a companion's string: name of the field with its address; else
			      * NULL */
	bool zeroed;         /* the kernel sets it to 0 if it cannot be read */
};

/* The values and checks of an event. */
struct read_names {
	const char *control, *end;
	size_t n;
	struct read_name *values; /* in the order of their checks' fields */
};

struct read_check;

/*
 * Finds the fields in the kernel's format. Returns NULL without memory, or if a field is missing.
 */
struct read_check *read_check_new(const struct eventformat *f, const struct read_names *names);
void read_check_free(struct read_check *c);

/*
 * Changes the fields of the kernel's format to those in the file. Returns 0, or -1 without memory,
 * or if a field is missing.
 */
int read_check_tune(struct eventformat *f, const struct read_names *names);

/* The checks of all events, by event ID. */
struct read_checks;

/* NULL without memory. */
struct read_checks *read_checks_new(void);
void read_checks_free(struct read_checks *r);
/* Takes over *c. */
void read_checks_add(struct read_checks *r, uint32_t id, struct read_check *c);

/* Applies the checks of the record's event to the record; *len may shrink. */
void read_checks_apply(const struct read_checks *r, uint8_t *record, uint32_t *len);

#endif
