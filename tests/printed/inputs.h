/* SPDX-License-Identifier: MIT */
/* The inputs of a set, tests/printed/SET.zst: each is a line "NAME SIZE" and its bytes. */
#ifndef TRAWL_TESTS_PRINTED_INPUTS_H
#define TRAWL_TESTS_PRINTED_INPUTS_H

#include <criterion/criterion.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zstd.h>

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

#endif
