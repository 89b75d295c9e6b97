/* SPDX-License-Identifier: MIT */
/* The source of a writer's tests: numbered records of any size. */
#ifndef TRAWL_TESTS_FORMAT_BLOBS_H
#define TRAWL_TESTS_FORMAT_BLOBS_H

#include <criterion/criterion.h>

#include "format/trawl.h"

static const struct trawl_field fields[] = {
	{ "n", "", "", TRAWL_SEQ, TRAWL_FIXED, 0, 0, 8, 1 },
	{ "data", "", "", TRAWL_BYTES, TRAWL_TAIL, 0, 8, 1, 1 },
};
static const struct trawl_event_type type = {
	.id = 1, .name = "test:data", .format = "", .size = 8, .nfields = 2, .fields = fields,
};
static const struct trawl_source source = {
	.name = "usb", .spec = "usb", .kind = "test", .clock = TRAWL_CLOCK_MONO, .linktype = 252,
	.resolution = 1,
};

/* add() - the source and its type, to a writer. Returns the source's number, or -1. */
static inline int add(struct trawl_writer *w, struct trawl_error *err)
{
	struct trawl_event_type t = type;
	int id = trawl_writer_source(w, &source, err);

	t.source = (uint16_t)id;
	return id < 0 || trawl_writer_event_type(w, &t, err) ? -1 : id;
}

static inline struct trawl_writer *begin(int fd)
{
	struct trawl_error err;
	struct trawl_writer *w = trawl_writer_new(fd, NULL, &err);

	cr_assert(w, "%s", err.text);
	cr_assert_eq(add(w, &err), 0);
	return w;
}

#endif
