/* SPDX-License-Identifier: MIT */
/*
 * Caches frequent pieces of a line (CPU and task, the event's name) in their printed form, so that
 * printing them is a copy.
 */
#ifndef TRAWL_DECODE_BASE_PRINTCACHE_H
#define TRAWL_DECODE_BASE_PRINTCACHE_H

#include "decode/base/decoder.h"

enum { PRINT_CACHE_ENTRIES = 256, PRINT_CACHE_TEXT = 112 };

struct print_cache {
	const void *key;           /* of a name: its address */
	int32_t a, b;              /* of a task: tid, pid; of a name: other parts of its key */
	uint32_t cpu;              /* of a task: printed together with it */
	uint32_t len;              /* of text, bytes; 0: an unused entry */
	uint32_t comm_len;
	char comm[16];             /* of a task: item.comm, including bytes after its end */
	char text[PRINT_CACHE_TEXT];
};

struct print_caches {
	struct print_cache task[PRINT_CACHE_ENTRIES], name[PRINT_CACHE_ENTRIES];
};

static inline struct print_cache *print_cache_of_task(struct print_caches *c, const struct item *it)
{
	return &c->task[((uint32_t)it->tid + 61 * it->cpu) % PRINT_CACHE_ENTRIES];
}

static inline struct print_cache *print_cache_of_name(struct print_caches *c, const struct item *it)
{
	return &c->name[((uintptr_t)it->name >> 4) % PRINT_CACHE_ENTRIES];
}

static inline bool print_cache_is_task(const struct print_cache *c, const struct item *it)
{
	return c->len && c->a == it->tid && c->b == it->pid && c->cpu == it->cpu &&
	       c->comm_len == it->comm_len && !memcmp(c->comm, it->comm, sizeof(c->comm));
}

static inline bool print_cache_is_name(const struct print_cache *c, const struct item *it,
				       int32_t a)
{
	return c->len && c->key == it->name && c->a == a;
}

/* Copies a piece to p, overwriting up to PRINT_CACHE_TEXT bytes. Returns its end. */
static inline char *print_cache_put(char *p, const struct print_cache *c)
{
	for (size_t i = 0; i < c->len; i += 16)
		memcpy(p + i, c->text + i, 16);
	return p + c->len;
}

/* Keep the piece from p to end, which was just printed, unless it is too long. */
void print_cache_keep_task(struct print_cache *c, const struct item *it, const char *p,
			   const char *end);
void print_cache_keep_name(struct print_cache *c, const struct item *it, int32_t a, const char *p,
		    const char *end);

#endif
