/* SPDX-License-Identifier: MIT */
/*
 * The payload of a capture while it is replayed: bytes in a file without a name, mapped, so that
 * they need no memory but the kernel's cache and are gone with the process.
 */
#ifndef TRAWL_REPLAY_STORE_H
#define TRAWL_REPLAY_STORE_H

#include "format/trawl.h"

struct store {
	int fd;
	uint64_t size;
	uint8_t *buffer; /* what is not written yet */
	size_t held;
	const uint8_t *map;
};

int store_open(struct store *s, struct trawl_error *err);
void store_close(struct store *s);

/* Appends n bytes; *at: where they are. 0, or -1 with *err. */
int store_add(struct store *s, const void *p, size_t n, uint64_t *at, struct trawl_error *err);

/* After the last store_add(): maps all. 0, or -1 with *err. */
int store_map(struct store *s, struct trawl_error *err);

static inline const uint8_t *store_at(const struct store *s, uint64_t at)
{
	return s->map + at;
}

#endif
