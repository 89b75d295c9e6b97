/* SPDX-License-Identifier: MIT */
/*
 * The newest metadata of each name, in bounded memory. When it is too much, the oldest of the
 * family that takes most goes: a family are the names that are the same up to their first '/', so
 * that ten thousand tasks push out tasks, and not the description of a probe.
 *
 * Nothing here locks.
 */
#ifndef TRAWL_FORMAT_METACACHE_H
#define TRAWL_FORMAT_METACACHE_H

#include "format/trawl.h"

struct fact_family;

struct fact {
	struct trawl_meta meta;      /* its strings and data are behind this struct */
	uint32_t refs;
	size_t size;
	struct fact *next;           /* of the same hash */
	struct fact *older, *newer;
	struct fact_family *family;
};

struct facts {
	size_t most, used, count;
	struct fact **slots;
	size_t nslots;
	struct fact *oldest, *newest;
	struct fact_family *families;
};

/* At most `most` bytes. Nothing is allocated before the first facts_put(). */
void facts_init(struct facts *f, size_t most);
void facts_free(struct facts *f);

/* Copies the metadata; what is known by this name is replaced. False when memory runs out or it
 * is larger than all that may be kept. */
bool facts_put(struct facts *f, const struct trawl_meta *m);

/*
 * All of them, the oldest first, as they are now: they stay until facts_release() of the same,
 * whatever is put meanwhile. NULL when memory runs out.
 */
struct fact **facts_hold(struct facts *f, size_t *n);
void facts_release(struct fact **held, size_t n);

#endif
