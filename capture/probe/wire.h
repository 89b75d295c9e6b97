/* SPDX-License-Identifier: MIT */
/*
 * Serialises numbers and strings for the pipe from the confined reader to the recorder: numbers in
 * 64 bits in the host's byte order; a string as its length (UINT64_MAX: NULL) and its bytes. The
 * receiving side states what it allows, and uses nothing if `bad` is set at the end.
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

void wire_put_number(struct wire_out *o, uint64_t v);
/* NULL and "" are distinguished. */
void wire_put_text(struct wire_out *o, const char *s);

/* Once `bad` is set, everything that is read is 0 or "". */
struct wire_in {
	const char *p;
	size_t left;
	bool bad;
};

/* Reads a number; one above `most` sets bad. */
uint64_t wire_number(struct wire_in *in, uint64_t most);

/* Which bytes a string may contain. */
typedef bool wire_allowed_fn(unsigned char c);
bool wire_line(unsigned char c); /* no control characters */
/* all but NUL: a name in the program, which is escaped when it is printed */
bool wire_any(unsigned char c);

/* Reads a string of at most `most` bytes, malloc'd; NULL if NULL was written. */
char *wire_text(struct wire_in *in, size_t most, wire_allowed_fn *allowed);
/* Reads a string that must not be NULL; malloc'd. */
char *wire_need_text(struct wire_in *in, size_t most, wire_allowed_fn *allowed);

#endif
