/* SPDX-License-Identifier: MIT */
/*
 * Collects kernel addresses of events, and their symbols from /proc/kallsyms for the file: readers
 * show symbols (%pS, stack traces) without the kernel of the capture.
 */
#ifndef TRAWL_CAPTURE_TRACEFS_KALLSYMS_H
#define TRAWL_CAPTURE_TRACEFS_KALLSYMS_H

#include "format/trawl.h"

/*
 * The set of addresses. Initialise with zeros. Many events have pointers to data beside those to
 * code: once the set is full, only addresses where symbols are stay in it. A reader takes the last
 * symbol before an address for its symbol, so none may be missing: if that is not enough, the file
 * gets all symbols.
 */
struct kallsyms {
	uint64_t *slots; /* open addressing; 0: free */
	size_t n, room;
	uint64_t from, to; /* where symbols are: from <= address < to; to 0: not looked up yet */
	bool all;          /* the set is given up: all symbols are wanted */
};

/* Whether the print format in a format file shows addresses as symbols. */
bool kallsyms_wanted(const char *format);

/* Adds the kernel addresses of a record: in fields of kind ADDR and arrays of 8-byte elements. */
void kallsyms_saw(struct kallsyms *k, const struct trawl_field *fields, size_t nfields,
		  const void *record, size_t len);

/*
 * Sets *text to the lines of /proc/kallsyms for all addresses, malloc'd; NULL if there are none, or
 * if the kernel hides them (kptr_restrict). Returns 0, or -1 with *err if memory runs out.
 */
int kallsyms_text(const struct kallsyms *k, char **text, size_t *len, struct trawl_error *err);
void kallsyms_free(struct kallsyms *k);

#endif
