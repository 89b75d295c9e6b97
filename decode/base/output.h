/* SPDX-License-Identifier: MIT */
/*
 * Text and bytes on their way to a file descriptor, or into memory.
 *
 * Every printer and exporter appends here; nothing on that path allocates or uses stdio. An output
 * on a descriptor is written when its buffer is full and by out_flush(); an output in memory
 * (out_memory) grows. The first error sticks in `error` (an errno value): later appends are
 * harmless, so that callers check once an event or once at the end.
 */
#ifndef TRAWL_DECODE_BASE_OUTPUT_H
#define TRAWL_DECODE_BASE_OUTPUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

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

/* Writes what is held to fd (nothing in memory). Returns 0, or -1 with o->error set. */
int out_flush(struct out *o);

/* Makes room for n more bytes; slow path of out_need(). */
char *out_more(struct out *o, size_t n);

/*
 * Where the next n bytes go, n <= 64 KiB for an output on a descriptor. Never NULL. The caller
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

/*
 * The same to a place that has room, for those who have reserved it for a whole line with
 * out_need(): each returns the end of what it wrote, at most 20 bytes.
 */
char *put_large(char *p, uint64_t v);
char *put_s64(char *p, int64_t v);
char *put_hex(char *p, uint64_t v);
char *put_xdigits(char *p, uint64_t v, unsigned int width); /* at least so many, without 0x */
char *put_digits(char *p, uint64_t v, unsigned int width); /* the last `width` decimal digits */
/* Text as by out_safe(): fills at most 4 * n + 16 bytes. */
char *put_safe(char *p, const void *text, size_t n, char quote);
/* A JSON string as by out_json(): fills at most 6 * n + 18 bytes. */
char *put_json(char *p, const void *text, size_t n);

static inline char *put_u64(char *p, uint64_t v)
{
	if (v >= 10)
		return put_large(p, v);
	*p = (char)('0' + v);
	return p + 1;
}

void out_u64(struct out *o, uint64_t v);
void out_s64(struct out *o, int64_t v);
void out_hex(struct out *o, uint64_t v);                       /* 0x..., no leading zeros */
void out_digits(struct out *o, uint64_t v, unsigned int width); /* with leading zeros, at least */
void out_xdigits(struct out *o, uint64_t v, unsigned int width); /* hex likewise, without 0x */
void out_double(struct out *o, double v); /* shortest text that reads back the same; nan, inf */

/* printf for the places where speed is no matter; at most 4 KiB of text. */
void out_printf(struct out *o, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/* So many of a thing: "1 byte", "2 bytes". */
void out_count(struct out *o, uint64_t n, const char *thing);

/* Bytes as hex digits: "48656c6c6f". */
void out_hexbytes(struct out *o, const void *p, size_t n);

/*
 * Foreign text for people: valid UTF-8 goes through, control characters (C0, DEL, C1) and invalid
 * bytes become \n, \t, \r, \xNN; a backslash is doubled. Safe on a terminal.
 */
void out_safe(struct out *o, const void *text, size_t n);

/*
 * The same of a text of several lines, as the kernel prints stack traces: a tab stays, and an end
 * of line where a blank, a tab or "=> " follows. No other line begins so, thus none is forged.
 */
void out_lines(struct out *o, const void *text, size_t n);

/* The same between double quotes, with \" for a quote. */
void out_quoted(struct out *o, const void *text, size_t n);

/*
 * A JSON string with its quotes: control characters (C0, DEL, C1) are escaped, each invalid UTF-8
 * sequence becomes one U+FFFD.
 */
void out_json(struct out *o, const void *text, size_t n);

/*
 * A document as it is, but for what a terminal obeys: control characters other than tab and end of
 * line (LF, or CR LF) become their pictures (U+2400 on), of C1 and of invalid UTF-8 each sequence
 * one U+FFFD.
 */
void out_visible(struct out *o, const void *text, size_t n);

/* A JSON number; JSON knows no nan and no inf: these become null. */
void out_json_double(struct out *o, double v);

/*
 * A CSV cell: quoted by RFC 4180 where needed, and when it is empty: nothing is no value. Its
 * text is as by out_visible().
 */
void out_csv(struct out *o, const void *text, size_t n);

/* Blanks until `width` columns since `start` (a value of o->len) are full; at least `least`. */
static inline void out_pad(struct out *o, size_t start, size_t width, size_t least)
{
	size_t have = o->len - start;
	size_t n = have + least <= width ? width - have : least;

	out_fill(o, ' ', n);
}

/* Length of the valid UTF-8 sequence at p (1..4), or 0; *bad then is the length to skip. */
size_t out_utf8(const unsigned char *p, size_t n, size_t *bad);

#endif
