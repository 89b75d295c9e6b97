/* SPDX-License-Identifier: MIT */
/*
 * The inputs of a set, tests/printed/SET.zst: each is a line "NAME SIZE" and its bytes. What is
 * printed of them is held by digests.
 */
#ifndef TRAWL_TESTS_PRINTED_INPUTS_H
#define TRAWL_TESTS_PRINTED_INPUTS_H

#include <criterion/criterion.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zstd.h>

#include "tests/printed/printed.h"

struct inputs {
	char *all, *end, *next;
	/* the current one */
	char name[64];
	char *data;
	size_t size;
};

static inline void inputs_open(struct inputs *in, const char *set)
{
	char path[4096];
	size_t packed, size;
	char *bytes;
	FILE *f;

	snprintf(path, sizeof(path), "%s/tests/printed/%s.zst", getenv("TRAWL_SRC"), set);
	f = fopen(path, "r");
	cr_assert_not_null(f, "%s", path);
	bytes = malloc(1 << 20);
	packed = fread(bytes, 1, 1 << 20, f);
	fclose(f);
	size = (size_t)ZSTD_getFrameContentSize(bytes, packed);
	cr_assert_lt(size, 1u << 30, "%s", path);
	*in = (struct inputs){.all = malloc(size)};
	cr_assert_eq(ZSTD_decompress(in->all, size, bytes, packed), size, "%s", path);
	in->next = in->all;
	in->end = in->all + size;
	free(bytes);
}

static inline bool inputs_next(struct inputs *in)
{
	int used;

	if (in->next == in->end)
		return false;
	cr_assert_eq(sscanf(in->next, "%63s %zu%n", in->name, &in->size, &used), 2);
	in->data = in->next + used + 1;
	in->next = in->data + in->size;
	cr_assert_leq(in->next, in->end);
	return true;
}

static inline void inputs_close(struct inputs *in)
{
	free(in->all);
}

enum { INPUTS_GROUP = 20 }; /* what is printed of so many inputs has one digest */

static inline void inputs_take(struct printed *p, const char *set,
			       void (*show)(FILE *to, const struct inputs *in))
{
	struct inputs in;
	char *text, name[64];
	size_t len;
	unsigned int n = 0;
	bool more;

	inputs_open(&in, set);
	more = inputs_next(&in);
	while (more) {
		FILE *to = open_memstream(&text, &len);

		for (unsigned int i = 0; more && i < INPUTS_GROUP; i++) {
			show(to, &in);
			more = inputs_next(&in);
		}
		fclose(to);
		snprintf(name, sizeof(name), "%s-%u", set, n++);
		printed_take(p, name, text, len);
		free(text);
	}
	inputs_close(&in);
}

#endif
