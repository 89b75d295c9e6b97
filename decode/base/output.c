/* SPDX-License-Identifier: MIT */
#include "decode/base/output.h"
#include "common/array.h"

#include <endian.h>
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

enum {
	SIZE = 256 << 10,   /* of the buffer of an output on a descriptor */
	SPARE = OUT_NEED,   /* most bytes that an out_need() asks for */
	MEMORY = 4096,      /* initial size of an output in memory */
};

/* The buffer of an output after an error; its contents are discarded. */
static char nowhere[SPARE];

/* Some output was discarded because memory ran out. */
static bool lacked_memory, exceeded_memory;

void out_lack_memory(void)
{
	lacked_memory = true;
}

void out_exceed_memory(void)
{
	lacked_memory = exceeded_memory = true;
}

const char *out_lack_reason(void)
{
	return exceeded_memory ? "the JSON of a file's metadata takes more memory than a file may; "
				 "--memory allows more, if you trust it"
			       : "out of memory; end other programs";
}

bool out_lacked_memory(void)
{
	return lacked_memory;
}

static void start(struct out *o, int fd, size_t room)
{
	memset(o, 0, sizeof(*o));
	o->fd = fd;
	o->data = malloc(room);
	o->room = room;
	if (!o->data) {
		lacked_memory = true;
		o->error = ENOMEM;
		o->data = nowhere;
		o->room = sizeof(nowhere);
	}
}

void out_open(struct out *o, int fd)
{
	start(o, fd, SIZE);
}

void out_memory(struct out *o)
{
	start(o, -1, MEMORY);
}

void out_free(struct out *o)
{
	if (o->data != nowhere)
		free(o->data);
	memset(o, 0, sizeof(*o));
	o->fd = -1;
}

int out_flush(struct out *o)
{
	size_t done = 0;

	if (o->fd < 0)
		return o->error ? -1 : 0;
	if (o->through && o->len && !o->error) {
		o->error = o->through(o->arg, o->data, o->len);
		done = o->error ? 0 : o->len;
	}
	while (!o->error && done < o->len) {
		ssize_t n = write(o->fd, o->data + done, o->len - done);

		if (n > 0)
			done += (size_t)n;
		else if (n == 0)
			o->error = EIO;
		else if (errno != EINTR)
			o->error = errno;
	}
	o->written += done;
	o->len = 0;
	return o->error ? -1 : 0;
}

static char *fail(struct out *o, int error)
{
	lacked_memory |= error == ENOMEM;
	if (!o->error)
		o->error = error;
	if (o->data != nowhere)
		free(o->data);
	o->data = nowhere;
	o->len = 0;
	o->room = sizeof(nowhere);
	return o->data;
}

char *out_more(struct out *o, size_t n)
{
	size_t room;

	if (o->data == nowhere) {
		o->len = 0;
		return o->data;
	}
	if (o->fd >= 0) {
		out_flush(o);
		return o->data;
	}
	if (n > SIZE_MAX / 4 || o->len > SIZE_MAX / 4)
		return fail(o, ENOMEM);
	for (room = o->room; room - o->len < n;)
		room *= 2;
	if (!array_resize(&o->data, room, 1))
		return fail(o, ENOMEM);
	o->room = room;
	return o->data + o->len;
}

void out_bytes(struct out *o, const void *p, size_t n)
{
	const char *from = p;

	while (n) {
		size_t part = n < SPARE ? n : SPARE;

		memcpy(out_need(o, part), from, part);
		o->len += part;
		from += part;
		n -= part;
	}
}

void out_le16(struct out *o, uint16_t v)
{
	v = htole16(v);
	out_bytes(o, &v, sizeof(v));
}

void out_le32(struct out *o, uint32_t v)
{
	v = htole32(v);
	out_bytes(o, &v, sizeof(v));
}

void out_le64(struct out *o, uint64_t v)
{
	v = htole64(v);
	out_bytes(o, &v, sizeof(v));
}

void out_fill(struct out *o, char c, size_t n)
{
	while (n) {
		size_t part = n < SPARE ? n : SPARE;

		memset(out_need(o, part), c, part);
		o->len += part;
		n -= part;
	}
}

void out_printf(struct out *o, const char *fmt, ...)
{
	char *text, *to = out_need(o, 4096);
	va_list ap;
	int n;

	va_start(ap, fmt);
	n = vsnprintf(to, 4096, fmt, ap);
	va_end(ap);
	if (n < 4096) {
		o->len += n > 0 ? (size_t)n : 0;
		return;
	}
	va_start(ap, fmt);
	n = vasprintf(&text, fmt, ap);
	va_end(ap);
	if (n < 0) {
		out_lack_memory();
		return;
	}
	out_bytes(o, text, (size_t)n);
	free(text);
}
