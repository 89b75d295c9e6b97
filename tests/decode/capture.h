/* SPDX-License-Identifier: MIT */
/* A capture in memory that holds only metadata, for tests of what is read from it. */
#ifndef TESTS_DECODE_CAPTURE_H
#define TESTS_DECODE_CAPTURE_H

#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "format/trawl.h"

struct capture_meta {
	const char *name;
	uint64_t time;
	const char *text;
};

/* A reader of it; NULL if anything fails. */
static inline struct trawl_reader *capture_of(const struct capture_meta *metas, size_t n)
{
	struct trawl_writer_options o = {.comment = NULL};
	struct trawl_reader *r = NULL;
	struct trawl_error err;
	int fd = memfd_create("capture", 0);
	struct trawl_writer *w = fd < 0 ? NULL : trawl_writer_new(dup(fd), &o, &err);
	char path[64];
	size_t i;

	for (i = 0; w && i < n; i++) {
		struct trawl_meta m = {metas[i].name, "application/json", metas[i].time,
				       metas[i].text, strlen(metas[i].text)};

		if (trawl_writer_meta(w, &m, &err))
			return NULL;
	}
	if (w && !trawl_writer_close(w, &err)) {
		snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
		r = trawl_open(path, &err);
	}
	close(fd);
	return r;
}

#endif
