/* SPDX-License-Identifier: MIT */
/*
 * Keeps a capture's payload during the replay in a mapped unnamed file, which needs only page cache
 * and is removed with the process.
 */
#ifndef TRAWL_REPLAY_STORE_H
#define TRAWL_REPLAY_STORE_H

#include "format/trawl.h"

struct store {
	int fd;
	uint64_t size;
	uint8_t *buffer; /* bytes not yet written to the file */
	size_t held;
	const uint8_t *map;
	/* the stretch that store_will_read() mapped last; how many since store_release() */
	uint64_t ahead, ahead_end;
	unsigned int stretches;
};

/* Opens an empty store in $TMPDIR or /tmp, else in memory. Returns 0, or -1 with *err. */
int store_open(struct store *s, struct trawl_error *err);
void store_close(struct store *s);
/* Sets *err from errno, for other files in the same folder. Returns -1. */
int store_failed(struct trawl_error *err);
/* Removes the mapped payload from this process's memory; it is read again on access. */
void store_release(struct store *s);

/*
 * Maps a stretch of payload that begins near p, where p is about to be read. One call for many
 * pages costs far less than a fault for each few of them. Earlier stretches are released at times,
 * so that this process's memory does not depend on the capture's length.
 */
void store_will_read(struct store *s, const uint8_t *p);

/* Appends n bytes; *at is their offset. Returns 0, or -1 with *err. */
int store_add(struct store *s, const void *p, size_t n, uint64_t *at, struct trawl_error *err);

/*
 * Maps the store, after the last store_add(); store_at() works from then on. Returns 0, or -1 with
 * *err.
 */
int store_map(struct store *s, struct trawl_error *err);

static inline const uint8_t *store_at(const struct store *s, uint64_t at)
{
	return s->map + at;
}

#endif
