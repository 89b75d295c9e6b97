/* SPDX-License-Identifier: MIT */
/*
 * The part of /proc/kallsyms that a capture's events refer to: the file's reader shows names (%pS,
 * stack traces) without the kernel of the capture.
 */
#ifndef TRAWL_CAPTURE_TRACEFS_KALLSYMS_H
#define TRAWL_CAPTURE_TRACEFS_KALLSYMS_H

#include "format/trawl.h"

/* Addresses seen so far, each once. Starts as all zero. */
struct kallsyms {
	uint64_t *slots; /* open addressing; 0: free */
	size_t n, room;
};

/* Does the format file's text show addresses as symbols? */
bool kallsyms_wanted(const char *format);

/* Remembers the kernel addresses in the fields of kind ADDR, and arrays of 8 bytes, of a record. */
void kallsyms_saw(struct kallsyms *k, const struct trawl_field *fields, size_t nfields,
		  const void *record, size_t len);

/*
 * Returns the lines of /proc/kallsyms for all of them, malloc'd; NULL if there are none, the kernel
 * hides them (kptr_restrict) or memory is short.
 */
char *kallsyms_text(const struct kallsyms *k, size_t *len);
void kallsyms_free(struct kallsyms *k);

#endif
