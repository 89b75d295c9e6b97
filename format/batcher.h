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
 * Memory that the batches of all sources share. A single busy source fills large chunks; if many
 * sources use up the pool, a batch is encoded early instead of growing.
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

/* The events of a source that are missing in a file. */
struct batcher_losses {
	uint64_t lost;      /* number of all of them */
	uint64_t unwritten; /* of these: number of events that could not be written */
	uint64_t from, to;  /* first and last time stamp of the unwritten events */
};

enum {
	BATCHER_LONG = 512,          /* smallest tail that is searched for an equal earlier one */
	BATCHER_RECENT = 64,         /* number of tails that are remembered */
	BATCHER_SHARED = 16 << 20,   /* most bytes of tails in a batch that are stored elsewhere */
};

/* A long tail in the batch that is being filled; len 0: none. */
struct batcher_tail {
	uint32_t offset, len;
};

struct batcher {
	struct trawl_source source;
	const struct trawl_event_type **types; /* TYPES_MAX; ntypes of them set */
	_Atomic uint32_t ntypes;
	uint32_t *_Atomic pages[256]; /* type id / 256 -> 256 times (index + 1) */
	struct batcher_options o;

	atomic_uint_fast64_t appended;   /* number of events; only the appending thread writes it */

	/* Only the appending thread uses these; it takes no lock. */
	struct batch *filling;
	struct batcher_tail recent[BATCHER_RECENT];

	pthread_mutex_t lock;            /* protects all members below */
	struct batcher_losses losses;    /* of the current file */
	uint64_t unwritten;              /* number of events, over all files */
	struct batcher_losses reported;  /* the losses that batcher_report_losses() returned last */
	pthread_cond_t work, done;
	pthread_t thread;
	struct batch a, b;
	struct batch *pending;           /* to be encoded; NULL: the worker is idle */
	_Atomic size_t target;           /* bytes of records that the next chunk should have */
	double density;                  /* the newest large chunk: its bytes / bytes of records */
	struct adaptive_level level;     /* of bulk payload, with o.keep_up */
	uint64_t idle;                   /* since when the worker is idle, ns */
	bool started, quit;
	bool failed;                     /* memory ran out in the worker */
};

/* Copies *s and starts the thread. Returns NULL with *err on failure. */
struct batcher *batcher_new(const struct trawl_source *s, const struct batcher_options *o,
			struct trawl_error *err);
/*
 * Adds an event type, which the batcher then owns. Returns -1 with *err if memory or the table of
 * TYPES_MAX types is full.
 */
int batcher_add_type(struct batcher *s, struct trawl_event_type *t, struct trawl_error *err);
/* Makes room for a record of len bytes in s->filling. Waits if both batches are full. */
int batcher_make_room(struct batcher *s, size_t len, struct trawl_error *err);
/* Hands the filled batch to the worker (begin) and waits until it is encoded (end). */
void batcher_flush_begin(struct batcher *s);
void batcher_flush_end(struct batcher *s);
/*
 * Estimates how many bytes the records that are not encoded yet will add to the file, by the
 * density of the newest large chunk.
 */
uint64_t batcher_ahead(struct batcher *s);
/* Counts n events that were lost before they were appended. */
void batcher_lost(struct batcher *s, uint64_t n);
/*
 * Counts n events that could not be written; first and last are their smallest and largest time
 * stamp.
 */
void batcher_unwritten(struct batcher *s, uint64_t n, uint64_t first, uint64_t last);
/* Returns the losses of the current file, valid until the next call. One thread at a time. */
const struct batcher_losses *batcher_report_losses(struct batcher *s);
/* A new file begins: subtracts the losses that the old file reports (s->reported). */
void batcher_next_file(struct batcher *s);
/* Number of events that could not be written, over all files. */
uint64_t batcher_all_unwritten(struct batcher *s);

/* Returns the index of the type with this id, or -1. */
static inline int batcher_type(const struct batcher *s, uint32_t id)
{
	uint32_t *page = id < TYPES_MAX ?
		atomic_load_explicit(&s->pages[id >> 8], memory_order_acquire) : NULL;

	return page ? (int)__atomic_load_n(&page[id & 255], __ATOMIC_ACQUIRE) - 1 : -1;
}

/* Whether the batch must be encoded before a record of len bytes is added. */
static inline bool batcher_is_full(const struct batcher *s, size_t len)
{
	const struct batch *b = s->filling;

	return b->count >= s->o.chunk_events ||
	       (b->count &&
		b->used + len > atomic_load_explicit(&s->target, memory_order_relaxed));
}

/*
 * Appends a long record. If an equal tail is in the batch, stores only the bytes before the tail.
 */
int batcher_append_long(struct batcher *s, struct batch_event e, const uint8_t *record,
		      struct trawl_error *err);

/* Appends the first len bytes of a record to the batch. */
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
 * Appends one record to the batch; index: its type in s->types. Meanwhile no other thread may call
 * batcher_flush_begin() or batcher_ahead(). Inline, because it runs for every event.
 */
static inline int batcher_append(struct batcher *s, uint32_t index, const struct trawl_record *r,
				 struct trawl_error *err)
{
	uint64_t before = atomic_load_explicit(&s->appended, memory_order_relaxed);
	const struct batch_event e = {
		.ts = r->ts, .type = index, .cpu = r->cpu, .len = (uint32_t)r->len,
	};

	atomic_store_explicit(&s->appended, before + 1, memory_order_relaxed);
	return r->len < BATCHER_LONG ? batcher_put(s, e, r->data, r->len, err) :
				       batcher_append_long(s, e, r->data, err);
}

/* Encodes the rest and ends the thread. */
void batcher_stop(struct batcher *s);
/* Stops and frees. */
void batcher_free(struct batcher *s);

#endif
