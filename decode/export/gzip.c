/* SPDX-License-Identifier: MIT */
#include "config.h"
#include "decode/export/gzip.h"

#ifdef HAVE_ZLIB
#include <errno.h>
#include <stdlib.h>
#include <unistd.h>
#include <zlib.h>

struct gzip {
	z_stream z;
	gz_header header;
	char *comment;
	struct out *out;
	unsigned char buf[65536];
};

static int write_all(int fd, const unsigned char *p, size_t n)
{
	while (n) {
		ssize_t got = write(fd, p, n);

		if (got < 0 && errno == EINTR)
			continue;
		if (got <= 0)
			return got < 0 ? errno : EIO;
		p += got;
		n -= (size_t)got;
	}
	return 0;
}

/* Compresses a piece; with Z_FINISH, also writes what zlib still buffers. */
static int compress_piece(struct gzip *g, const void *p, size_t n, int flush)
{
	int error, got;

	g->z.next_in = (unsigned char *)p;
	g->z.avail_in = (unsigned int)n;
	do {
		g->z.next_out = g->buf;
		g->z.avail_out = sizeof(g->buf);
		got = deflate(&g->z, flush);
		if (got == Z_STREAM_ERROR)
			return EIO;
		error = write_all(g->out->fd, g->buf, sizeof(g->buf) - g->z.avail_out);
		if (error)
			return error;
	} while (g->z.avail_out == 0);
	return 0;
}

static int through(void *arg, const char *p, size_t n)
{
	return compress_piece(arg, p, n, Z_NO_FLUSH);
}

struct gzip *gzip_new(struct out *out, const char *comment)
{
	struct gzip *g = calloc(1, sizeof(*g));

	if (!g)
		return NULL;
	g->comment = strdup(comment);
	if (!g->comment || deflateInit2(&g->z, Z_DEFAULT_COMPRESSION, Z_DEFLATED, 15 + 16, 8,
					Z_DEFAULT_STRATEGY) != Z_OK) {
		free(g->comment);
		free(g);
		return NULL;
	}
	g->header.os = 3; /* Unix */
	g->header.comment = (unsigned char *)g->comment;
	deflateSetHeader(&g->z, &g->header);
	g->out = out;
	out->through = through;
	out->arg = g;
	return g;
}

void gzip_end(struct gzip *g)
{
	struct out *o = g->out;

	out_flush(o);
	if (!o->error)
		o->error = compress_piece(g, "", 0, Z_FINISH);
	o->through = NULL;
	deflateEnd(&g->z);
	free(g->comment);
	free(g);
}

#else

struct gzip *gzip_new(struct out *out, const char *comment)
{
	return NULL;
}

void gzip_end(struct gzip *g)
{
}
#endif
