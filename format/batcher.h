/* SPDX-License-Identifier: MIT */
/*
 * One source of a writer: its event types, the batch that is being filled, and the thread that
 * encodes full batches. Two batches swap: while one is encoded the other is filled.
 */
#ifndef TRAWL_FORMAT_BATCHER_H
#define TRAWL_FORMAT_BATCHER_H

#include <pthread.h>
#include <stdatomic.h>

#include "format/body.h"
#include "format/chunk.h"
#include "format/level.h"

struct batcher;
struct chunk_head;

/*
 * What the worker does with an encoded chunk, whose payload has head->payload bytes; called without
 * the batcher's lock held.
 */
typedef void batcher_emit(void *arg, struct batcher *s, const struct chunk_head *head,
			  const uint8_t *payload);

/*
 * Memory that the batches of all batchers share. A source that is alone fills large chunks; where
 * many are busy at once, a batch is handed over before it grows when the others have taken all.
 */
struct batcher_pool {
	atomic_size_t used;
	size_t most;
};

struct batcher_options {
	int level;
	bool keep_up;
	uint32_t chunk_events;
	uint32_t chunk_bytes;
	struct batcher_pool *pool;
	batcher_emit *emit;
	void *arg;
};

/* What is not in the present file, and how much of that is so because it could not be written. */
struct batcher_losses {
	uint64_t lost;      /* all of it */
	uint64_t unwritten;
	uint64_t from, to;  /* time stamps of the unwritten ones, the first and the last */
};

enum {
	BATCHER_LONG = 512,          /* bytes of a tail that may come again */
	BATCHER_RECENT = 64,         /* tails that are remembered */
	BATCHER_SHARED = 16 << 20,   /* bytes in a batch that need not be there twice */
};

/* A long tail in the present batch; len 0: none. */
struct batcher_tail {
	uint32_t offset, len;
};

struct batcher {
	struct trawl_source source;
	const struct trawl_event_type **types; /* TYPES_MAX; ntypes of them set */
	_Atomic uint32_t ntypes;
	uint32_t *_Atomic pages[256]; /* type id / 256 -> 256 times (index + 1) */
	struct batcher_options o;

	atomic_uint_fast64_t appended;   /* events; one thread at a time counts */

	struct batch *filling;           /* of the thread that appends: it takes no lock for it */
	struct batcher_tail recent[BATCHER_RECENT]; /* likewise */
	pthread_mutex_t lock;            /* of all that follows */
	struct batcher_losses losses;      /* of the present file */
	uint64_t unwritten;              /* of all files */
	struct batcher_losses told;        /* the caller's: what batcher_tell_losses() gave */
	pthread_cond_t work, done;
	pthread_t thread;
	struct batch a, b;
	struct batch *pending;           /* NULL when the worker has nothing to do */
	_Atomic size_t target;           /* bytes of records that the next chunk should have */
	double density;                  /* the newest large chunk's bytes by byte of record */
	struct adaptive_level level;                /* of bulk payload, with o.keep_up */
	uint64_t idle;                   /* when the worker became so, ns */
	bool started, quit;
	bool failed;                     /* memory ran out in the worker */
};

/* Copies *s and starts the thread. NULL and *err on failure. */
struct batcher *batcher_new(const struct trawl_source *s, const struct batcher_options *o,
			struct trawl_error *err);
/* Adds a type, which the batcher then owns; -1 when memory or places run out. */
int batcher_add_type(struct batcher *s, struct trawl_event_type *t, struct trawl_error *err);
/* Room for a record of so many bytes in the present batch; waits when both batches are full. */
int batcher_make_room(struct batcher *s, size_t len, struct trawl_error *err);
/* Hands what has come together to the worker (begin), and waits until it is encoded (end). */
void batcher_flush_begin(struct batcher *s);
void batcher_flush_end(struct batcher *s);
/* Estimated bytes that what is not emitted yet will add to the file, by the newest large chunk. */
uint64_t batcher_ahead(struct batcher *s);
/* Counts n events that were lost before they came here. */
void batcher_lost(struct batcher *s, uint64_t n);
/* Counts n events of these times that are not in the file because it could not be written. */
void batcher_unwritten(struct batcher *s, uint64_t n, uint64_t first, uint64_t last);
/* What has been counted for the present file; in s->told, one thread at a time. */
const struct batcher_losses *batcher_tell_losses(struct batcher *s);
/* The next file begins: what was told last is in the one before, and not counted again. */
void batcher_next_file(struct batcher *s);
/* Events that no file could take, since the beginning. */
uint64_t batcher_all_unwritten(struct batcher *s);

/* Index of a type's id, or -1. */
static inline int batcher_type(const struct batcher *s, uint32_t id)
{
	uint32_t *page = id < TYPES_MAX ?
		atomic_load_explicit(&s->pages[id >> 8], memory_order_acquire) : NULL;

	return page ? (int)__atomic_load_n(&page[id & 255], __ATOMIC_ACQUIRE) - 1 : -1;
}

/* Is the present batch as large as it may be, for a record of so many bytes? */
static inline bool batcher_is_full(const struct batcher *s, size_t len)
{
	const struct batch *b = s->filling;

	return b->count >= s->o.chunk_events ||
	       (b->count &&
		b->used + len > atomic_load_explicit(&s->target, memory_order_relaxed));
}

/* A long record, of which only what is in front of the tail is kept if the same came before. */
int batcher_append_long(struct batcher *s, struct batch_event e, const uint8_t *record,
		      struct trawl_error *err);

/* The first `len` bytes of a record into the present batch. */
static inline int batcher_put(struct batcher *s, struct batch_event e, const void *record,
			      size_t len, struct trawl_error *err)
{
	struct batch *b = s->filling;

	if (batcher_is_full(s, len) || b->count == b->capacity || b->size - b->used < len) {
		if (batcher_make_room(s, len, err))
			return -1;
		b = s->filling;
	}
	e.offset = (uint32_t)b->used;
	b->events[b->count++] = e;
	copy_few(b->bytes + b->used, record, len);
	b->used += len;
	return 0;
}

/*
 * One record into the present batch. That is the caller's: no thread may flush, or ask what is
 * ahead, while another appends. Inline, for it is what each event costs its recorder.
 */
static inline int batcher_append(struct batcher *s, uint32_t index, uint32_t cpu, uint64_t ts,
			       const void *record, size_t len, struct trawl_error *err)
{
	uint64_t before = atomic_load_explicit(&s->appended, memory_order_relaxed);
	const struct batch_event e = {
		.ts = ts, .type = index, .cpu = cpu, .len = (uint32_t)len,
	};

	atomic_store_explicit(&s->appended, before + 1, memory_order_relaxed);
	return len < BATCHER_LONG ? batcher_put(s, e, record, len, err) :
				  batcher_append_long(s, e, record, err);
}

/* Flushes and ends the thread. */
void batcher_stop(struct batcher *s);
/* Stops and frees. */
void batcher_free(struct batcher *s);

#endif
