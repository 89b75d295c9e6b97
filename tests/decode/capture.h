/* SPDX-License-Identifier: MIT */
/* A capture in memory with metadata only, for tests of its readers. */
#ifndef TRAWL_TESTS_DECODE_CAPTURE_H
#define TRAWL_TESTS_DECODE_CAPTURE_H

#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "format/trawl.h"

/* A field of fixed size. */
#define FIXED(name_, kind_, offset_, size_, count_) \
	{.name = (name_), .ctype = "", .note = "", .kind = (kind_), .offset = (offset_), \
	 .size = (size_), .count = (count_)}

struct capture_meta {
	const char *name;
	uint64_t time;
	const char *text;
};

/* Appends the capture to fd; returns false on failure. */
static inline bool capture_write(int fd, const struct capture_meta *metas, size_t n)
{
	struct trawl_writer_options o = {.comment = NULL};
	struct trawl_error err;
	struct trawl_writer *w = fd < 0 ? NULL : trawl_writer_new(dup(fd), &o, &err);
	size_t i;

	for (i = 0; w && i < n; i++) {
		struct trawl_meta m = {.name = metas[i].name, .type = "application/json",
				       .time = metas[i].time, .data = metas[i].text,
				       .len = strlen(metas[i].text)};

		if (trawl_writer_meta(w, &m, &err))
			return false;
	}
	return w && !trawl_writer_close(w, &err);
}

/* Returns a reader of the contents of fd, which it owns; NULL on failure. */
static inline struct trawl_reader *capture_read(int fd)
{
	struct trawl_error err;
	struct trawl_reader *r;
	char path[64];

	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	r = trawl_open(path, &err);
	close(fd);
	return r;
}

/* Returns a reader of one capture; NULL on failure. */
static inline struct trawl_reader *capture_of(const struct capture_meta *metas, size_t n)
{
	int fd = memfd_create("capture", 0);

	return capture_write(fd, metas, n) ? capture_read(fd) : NULL;
}

#endif
