/* SPDX-License-Identifier: MIT */
/*
 * Parses the format file of a trace event (events/GROUP/NAME/format) into fields of records.
 *
 * Source: f_show() in the kernel's trace_events.c. Lines look like
 * 	field:__data_loc char[] filename;	offset:8;	size:4;	signed:0;
 * and the common fields, which every event of a kernel shares, come first, before a blank line.
 */
#ifndef TRAWL_CAPTURE_TRACEFS_EVENTFORMAT_H
#define TRAWL_CAPTURE_TRACEFS_EVENTFORMAT_H

#include "format/trawl.h"

enum { EVENTFORMAT_FIELDS_MAX = 1024 };

struct eventformat {
	char *name;
	char *text;    /* the text for the capture; NULL: the kernel's */
	uint32_t id;
	uint32_t size; /* bytes of the fixed part of a record, with the common fields */
	uint32_t nfields;
	struct trawl_field *fields; /* without the common ones; strings are owned by this struct */
	uint32_t ncommon;
	struct trawl_field *common; /* without common_type, which is the event's ID */
};

/*
 * Parses the text of a format file. Returns 0, or -1 with *err, after which *f needs no
 * eventformat_free().
 */
int eventformat_parse(const char *text, size_t len, struct eventformat *f, struct trawl_error *err);
void eventformat_free(struct eventformat *f);

/* Returns the field of that name, owned by *f; or NULL. */
struct trawl_field *eventformat_field(const struct eventformat *f, const char *name);

/* Removes a field of f->fields. */
void eventformat_drop(struct eventformat *f, struct trawl_field *field);

#endif
