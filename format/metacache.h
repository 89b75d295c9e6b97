/* SPDX-License-Identifier: MIT */
/*
 * The newest metadata of each name, in bounded memory. Names that are equal up to their first '/'
 * are a family. When memory is full, the oldest piece of the largest family is dropped, so that ten
 * thousand tasks replace older tasks and not the description of a probe.
 *
 * Not thread safe.
 */
#ifndef TRAWL_FORMAT_METACACHE_H
#define TRAWL_FORMAT_METACACHE_H

#include "format/trawl.h"

struct meta_family;

struct cached_meta {
	struct trawl_meta meta;      /* its strings and data are stored after this struct */
	uint32_t refs;
	size_t size;
	struct cached_meta *next;           /* of the same hash */
	struct cached_meta *older, *newer;
	struct meta_family *family;
};

struct meta_cache {
	size_t most, used, count;
	struct cached_meta **slots;
	size_t nslots;
	struct cached_meta *oldest, *newest;
	struct meta_family *families;
};

/* Limits the cache to `most` bytes. Allocates nothing before the first meta_cache_put(). */
void meta_cache_init(struct meta_cache *f, size_t most);
void meta_cache_free(struct meta_cache *f);

/*
 * Copies metadata into the cache; replaces what has the same name. Returns false if memory runs
 * out, or it is larger than the cache.
 */
bool meta_cache_put(struct meta_cache *f, const struct trawl_meta *m);

/*
 * Returns all entries, the oldest first; *n is their number. They stay valid until
 * meta_cache_release() of the returned array, even if they are replaced. NULL: out of memory.
 */
struct cached_meta **meta_cache_hold(struct meta_cache *f, size_t *n);
void meta_cache_release(struct cached_meta **held, size_t n);

#endif
