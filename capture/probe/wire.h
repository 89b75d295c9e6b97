/* SPDX-License-Identifier: MIT */
/*
 * Numbers and texts as bytes, from a process that reads strangers' programs to the recorder: 64-bit
 * numbers, and texts as their length (UINT64_MAX: NULL) and their bytes. Whoever reads says what is
 * allowed, and believes nothing if `bad` is set at the end.
 */
#ifndef TRAWL_CAPTURE_PROBE_WIRE_H
#define TRAWL_CAPTURE_PROBE_WIRE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct wire_out {
	char *p; /* malloc'd */
	size_t n, room;
};

void wire_put(struct wire_out *o, const void *p, size_t n);
void wire_put_number(struct wire_out *o, uint64_t v);
/* NULL is told apart from "". */
void wire_put_text(struct wire_out *o, const char *s);

/* Once bad, everything that is read is 0 or "". */
struct wire_in {
	const char *p;
	size_t left;
	bool bad;
};

/* A number above `most` is bad. */
uint64_t wire_number(struct wire_in *in, uint64_t most);

/* Which characters a text may have. */
typedef bool wire_allowed_fn(unsigned char c);
bool wire_line(unsigned char c); /* no control characters */
bool wire_any(unsigned char c);  /* all but NUL: a name of a program, which what prints it
				  * escapes */

/* malloc'd; NULL where NULL was written. At most `most` bytes. */
char *wire_text(struct wire_in *in, size_t most, wire_allowed_fn *allowed);
/* One that must be there. */
char *wire_need_text(struct wire_in *in, size_t most, wire_allowed_fn *allowed);

#endif
