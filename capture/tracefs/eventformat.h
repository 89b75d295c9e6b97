/* SPDX-License-Identifier: MIT */
/*
 * The tracefs format file of an event (events/GROUP/NAME/format) as fields of records.
 *
 * The file is the kernel's: trace_events.c, f_show(). Lines look like
 *	field:__data_loc char[] filename;	offset:8;	size:4;	signed:0;
 * and the common fields, which every event of a kernel shares, come first, before a blank line.
 */
#ifndef TRAWL_CAPTURE_TRACEFS_EVENTFORMAT_H
#define TRAWL_CAPTURE_TRACEFS_EVENTFORMAT_H

#include "format/trawl.h"

enum { EVENTFORMAT_FIELDS_MAX = 1024 };

struct eventformat {
	char *name;
	char *text;    /* what the captured file gets instead of the kernel's text; or NULL */
	uint32_t id;
	uint32_t size; /* of the fixed part, common fields included */
	uint32_t nfields;
	struct trawl_field *fields; /* without the common ones; their strings belong to this too */
	uint32_t ncommon;
	struct trawl_field *common; /* without common_type, which the event's id implies */
};

/* Parses a format file's text. Returns 0, or -1 with *err; then *f needs no eventformat_free(). */
int eventformat_parse(const char *text, size_t len, struct eventformat *f, struct trawl_error *err);
void eventformat_free(struct eventformat *f);

/* Returns the field of that name, valid as long as *f, or NULL. */
struct trawl_field *eventformat_field(const struct eventformat *f, const char *name);

/* Removes a field of f->fields. */
void eventformat_drop(struct eventformat *f, struct trawl_field *field);

#endif
