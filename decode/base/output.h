/* SPDX-License-Identifier: MIT */
/*
 * The output buffer: text and bytes for a file descriptor, or for memory. number.h writes numbers
 * into it, escape.h texts of others.
 *
 * Every printer and exporter appends here; nothing on that path allocates or uses stdio. An output
 * on a descriptor is written when its buffer is full and by out_flush(); an output in memory
 * (out_memory) grows. The first error stays in `error` (an errno value); later appends do nothing,
 * so that callers check once an event or once at the end.
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
	size_t len, room; /* bytes in use, bytes there are */
	int fd;           /* -1: in memory */
	int error;        /* 0, or the errno of the first failure */
	uint64_t written; /* bytes handed to fd so far */
	/* Instead of write(): takes all n bytes and returns 0, or an errno. */
	int (*through)(void *arg, const char *p, size_t n);
	void *arg;
};

/* Both allocate their first buffer; on no memory, error is ENOMEM and appends do nothing. */
void out_open(struct out *o, int fd);
void out_memory(struct out *o);

/* Frees the buffer. Does not flush and does not close fd. */
void out_free(struct out *o);

/* Has any buffer of the process ever had no memory? What was made of it is not whole. */
bool out_lacked_memory(void);
/* For what would have been printed if there had been memory for it: the same is then said. */
void out_lack_memory(void);
/* Writes what is held to fd (nothing in memory). Returns 0, or -1 with o->error set. */
int out_flush(struct out *o);

/* Makes room for n more bytes; slow path of out_need(). */
char *out_more(struct out *o, size_t n);

/*
 * Where the next n bytes go, n <= OUT_NEED for an output on a descriptor. Never NULL. The caller
 * fills up to n of them and adds what it used to o->len (or calls out_used()).
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
/* Numbers as bytes, the lowest first. */
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

/* printf for the places where speed is no matter; at most 4 KiB of text. */
void out_printf(struct out *o, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/* Blanks until `width` columns since `start` (a value of o->len) are full; at least `least`. */
static inline void out_pad(struct out *o, size_t start, size_t width, size_t least)
{
	size_t have = o->len - start;
	size_t n = have + least <= width ? width - have : least;

	out_fill(o, ' ', n);
}

#endif
