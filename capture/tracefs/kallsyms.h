/* SPDX-License-Identifier: MIT */
/* Collects kernel addresses of events, and their symbols from /proc/kallsyms for the file: readers
 * show symbols (%pS, stack traces) without the kernel of the capture. */
#ifndef TRAWL_CAPTURE_TRACEFS_KALLSYMS_H
#define TRAWL_CAPTURE_TRACEFS_KALLSYMS_H

#include "format/trawl.h"

/* The set of addresses. Initialise with zeros. */
struct kallsyms {
	uint64_t *slots; /* open addressing; 0: free */
	size_t n, room;
};

/* Whether the print format in a format file shows addresses as symbols. */
bool kallsyms_wanted(const char *format);

/* Adds the kernel addresses of a record: in fields of kind ADDR and arrays of 8-byte elements. */
void kallsyms_saw(struct kallsyms *k, const struct trawl_field *fields, size_t nfields,
		  const void *record, size_t len);

/* Returns the lines of /proc/kallsyms for all addresses, malloc'd; NULL if there are none, if the
 * kernel hides them (kptr_restrict), or without memory. */
char *kallsyms_text(const struct kallsyms *k, size_t *len);
void kallsyms_free(struct kallsyms *k);

#endif
