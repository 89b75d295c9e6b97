/* SPDX-License-Identifier: MIT */
/*
 * The output buffer: text and bytes for a file descriptor, or for memory. number.h appends numbers,
 * escape.h untrusted text.
 *
 * All printers and exporters use it instead of stdio; appending allocates only if an output in
 * memory (out_memory) grows. An output on a descriptor is written when its buffer is full, and by
 * out_flush(). The first error is kept in `error` (an errno value) and later appends do nothing, so
 * callers check it once for an event, or once at the end.
 */
#ifndef TRAWL_DECODE_BASE_OUTPUT_H
#define TRAWL_DECODE_BASE_OUTPUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

enum { OUT_NEED = 64 << 10 }; /* the most bytes that one out_need() asks for */

struct out {
	char *data;
	size_t len, room; /* bytes in use; size of the buffer */
	int fd;           /* -1: in memory */
	int error;        /* 0, or the errno of the first failure */
	uint64_t written; /* bytes written to fd */
	/* If set, called instead of write(). Must take all n bytes; returns 0 or an errno. */
	int (*through)(void *arg, const char *p, size_t n);
	void *arg;
};

/* Initialise an output on a descriptor, or in memory. If memory runs out, error is ENOMEM. */
void out_open(struct out *o, int fd);
void out_memory(struct out *o);

/* Frees the buffer. Does not flush and does not close fd. */
void out_free(struct out *o);

/* Whether memory ran out for any output of this process: then some output is incomplete. */
bool out_lacked_memory(void);
/* Makes out_lacked_memory() true: for text that could not be made because memory ran out. */
void out_lack_memory(void);
/* The same if metadata would take more memory than --memory allows. */
void out_exceed_memory(void);
/* Why out_lacked_memory() is true, and what helps: "out of memory; end other programs". */
const char *out_lack_reason(void);
/* Writes the buffer to fd; an output in memory is unchanged. Returns 0, or -1 with o->error set. */
int out_flush(struct out *o);

/* Makes room for n more bytes; slow path of out_need(). */
char *out_more(struct out *o, size_t n);

/*
 * Returns room for n bytes, n <= OUT_NEED for an output on a descriptor; never NULL. The caller
 * writes up to n bytes and adds their number to o->len, or calls out_used() with their end.
 */
static inline char *out_need(struct out *o, size_t n)
{
	return o->room - o->len >= n ? o->data + o->len : out_more(o, n);
}

static inline void out_used(struct out *o, const char *end)
{
	o->len = (size_t)(end - o->data);
}

void out_bytes(struct out *o, const void *p, size_t n); /* of any size */
/* Append numbers in little endian. */
void out_le16(struct out *o, uint16_t v);
void out_le32(struct out *o, uint32_t v);
void out_le64(struct out *o, uint64_t v);
void out_fill(struct out *o, char c, size_t n);

static inline void out_str(struct out *o, const char *s)
{
	out_bytes(o, s, strlen(s));
}

static inline void out_char(struct out *o, char c)
{
	*out_need(o, 1) = c;
	o->len++;
}

/* printf(). Slow: not for use in every event. */
void out_printf(struct out *o, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/* Appends blanks up to `width` bytes after `start` (an earlier o->len), and at least `least`. */
static inline void out_pad(struct out *o, size_t start, size_t width, size_t least)
{
	size_t have = o->len - start;
	size_t n = have + least <= width ? width - have : least;

	out_fill(o, ' ', n);
}

#endif
