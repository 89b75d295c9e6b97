/* SPDX-License-Identifier: MIT */
#include <time.h>

#include "format/block.h"
#include "format/batcher.h"
#include "format/thread.h"

/* The size of each source's first batch; what it grows by comes from the pool. */
enum { FIRST_BYTES = 128 << 10, FIRST_EVENTS = 2048 };

/* ---- what is lost ---------------------------------------------------------------------- */

void batcher_lost(struct batcher *s, uint64_t n)
{
	pthread_mutex_lock(&s->lock);
	s->losses.lost += n;
	pthread_mutex_unlock(&s->lock);
}

void batcher_unwritten(struct batcher *s, uint64_t n, uint64_t first, uint64_t last)
{
	struct batcher_losses *l = &s->losses;

	pthread_mutex_lock(&s->lock);
	if (!l->unwritten || first < l->from)
		l->from = first;
	if (!l->unwritten || last > l->to)
		l->to = last;
	l->unwritten += n;
	l->lost += n;
	s->unwritten += n;
	pthread_mutex_unlock(&s->lock);
}

const struct batcher_losses *batcher_report_losses(struct batcher *s)
{
	pthread_mutex_lock(&s->lock);
	s->reported = s->losses;
	pthread_mutex_unlock(&s->lock);
	return &s->reported;
}

void batcher_next_file(struct batcher *s)
{
	pthread_mutex_lock(&s->lock);
	s->losses.lost -= s->reported.lost;
	s->losses.unwritten -= s->reported.unwritten;
	pthread_mutex_unlock(&s->lock);
}

uint64_t batcher_all_unwritten(struct batcher *s)
{
	uint64_t n;

	pthread_mutex_lock(&s->lock);
	n = s->unwritten;
	pthread_mutex_unlock(&s->lock);
	return n;
}

/* ---- the worker ------------------------------------------------------------------------ */

/* Counts all events of a batch as unwritten: it could not be encoded. */
static void batch_unwritten(struct batcher *s, const struct batch *b)
{
	uint64_t first = UINT64_MAX, last = 0;

	for (uint32_t i = 0; i < b->count; i++) {
		if (b->events[i].ts < first)
			first = b->events[i].ts;
		if (b->events[i].ts > last)
			last = b->events[i].ts;
	}
	batcher_unwritten(s, b->count, first, last);
}

/*
 * A reader reads whole chunks. Records that hardly compress (transfers of disks and cameras) are
 * put into smaller chunks, so that seeking stays fast.
 */
enum { PAYLOAD_AIM = 320 << 10, TARGET_LEAST = 256 << 10 };

/*
 * Bytes of records that a chunk needs for its density to count. Small chunks consist mostly of
 * fixed parts: an estimate by them would rotate the next file after a few events.
 */
enum { DENSITY_LEAST = 16 << 10 };

static size_t next_target(const struct batcher *s, double density)
{
	size_t target = density > 0 ? (size_t)(PAYLOAD_AIM / density) : SIZE_MAX;

	if (target < TARGET_LEAST)
		target = TARGET_LEAST;
	return target < s->o.chunk_bytes ? target : s->o.chunk_bytes;
}

static uint64_t now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

/* Returns the chunk's bytes divided by the bytes of its records; 0 if there is no chunk. */
static double encode(struct batcher *s, struct chunk_encoder *e, const struct batch *b,
		     unsigned int rung)
{
	struct chunk_schema schema = { &s->source, s->types, atomic_load(&s->ntypes) };
	struct chunk_head head = { .source = s->source.id, .count = b->count };
	uint64_t begun = now(), encoded;
	struct trawl_error err;
	struct chunk_payload p;

	if (!e || chunk_encode(e, &schema, b, &p, &err)) {
		batch_unwritten(s, b);
		s->failed = true;
		return 0;
	}
	encoded = now();
	head.payload = (uint32_t)p.len;
	head.first = p.first;
	head.last = p.last;
	s->o.emit(s->o.arg, s, &head, p.data);
	if (chunk_encoder_was_bulk(e)) {
		pthread_mutex_lock(&s->lock);
		level_chunk(&s->level, rung, b->used, p.len, encoded - begun, now() - encoded);
		pthread_mutex_unlock(&s->lock);
	}
	return b->used ? (double)(p.len + BLOCK_OVERHEAD + CHUNK_HEAD) / (double)b->used : 0;
}

static void pool_release(struct batcher *s, size_t n)
{
	atomic_fetch_sub(&s->o.pool->used, n);
}

static void pool_take(struct batcher *s, size_t n)
{
	atomic_fetch_add(&s->o.pool->used, n);
}

static bool pool_has(struct batcher *s, size_t n)
{
	return atomic_load(&s->o.pool->used) + n <= s->o.pool->most;
}

/* Shrinks a batch that grew for one huge record. */
static void batch_reset(struct batcher *s, struct batch *b)
{
	b->count = 0;
	b->used = 0;
	b->shared = 0;
	if (b->size <= 2 * (size_t)s->o.chunk_bytes)
		return;
	free(b->bytes);
	pool_release(s, b->size);
	b->bytes = NULL;
	b->size = 0;
}

static void *worker(void *arg)
{
	struct batcher *s = arg;
	struct chunk_encoder *e = chunk_encoder_new(s->o.level);
	unsigned int rung;
	double density;

	thread_block_signals();
	pthread_mutex_lock(&s->lock);
	for (;;) {
		while (!s->pending && !s->quit)
			pthread_cond_wait(&s->work, &s->lock);
		if (!s->pending)
			break;
		rung = s->level.rung;
		pthread_mutex_unlock(&s->lock);
		if (e && s->o.keep_up)
			chunk_encoder_bulk(e, level_of_rung(rung, s->o.level));
		density = encode(s, e, s->pending, rung);
		pthread_mutex_lock(&s->lock);
		if (s->pending->used >= DENSITY_LEAST) {
			s->density = density;
			atomic_store_explicit(&s->target, next_target(s, density),
					      memory_order_relaxed);
		}
		batch_reset(s, s->pending);
		s->pending = NULL;
		s->idle = now();
		pthread_cond_broadcast(&s->done);
	}
	pthread_mutex_unlock(&s->lock);
	chunk_encoder_free(e);
	return NULL;
}

/* Waits until the worker is idle; it runs at the caller's priority meanwhile. Needs s->lock. */
static void wait_for_worker(struct batcher *s)
{
	bool lent;

	if (!s->pending)
		return;
	lent = thread_lend(s->thread);
	while (s->pending)
		pthread_cond_wait(&s->done, &s->lock);
	thread_take_back(s->thread, lent);
}

/* ---- setting up ------------------------------------------------------------------------ */

static bool batch_init(struct batcher *s, struct batch *b)
{
	b->capacity = FIRST_EVENTS;
	b->events = malloc(b->capacity * sizeof(*b->events));
	b->size = FIRST_BYTES;
	b->bytes = malloc(b->size);
	pool_take(s, b->size + b->capacity * sizeof(*b->events));
	return b->events && b->bytes;
}

struct batcher *batcher_new(const struct trawl_source *source, const struct batcher_options *o,
			struct trawl_error *err)
{
	struct batcher *s = calloc(1, sizeof(*s));

	if (!s)
		goto nomem;
	s->o = *o;
	lock_init(&s->lock);
	pthread_cond_init(&s->work, NULL);
	pthread_cond_init(&s->done, NULL);
	s->types = calloc(TYPES_MAX, sizeof(*s->types));
	s->filling = &s->a;
	s->target = o->chunk_bytes < TARGET_LEAST * 4 ? o->chunk_bytes : TARGET_LEAST * 4;
	if (!s->types || !batch_init(s, &s->a) || !batch_init(s, &s->b) ||
	    !body_source_copy(&s->source, source))
		goto nomem;
	s->started = thread_start(&s->thread, worker, s);
	if (!s->started)
		goto nomem;
	s->idle = s->level.since = now();
	return s;
nomem:
	batcher_free(s);
	trawl_fail(err, TRAWL_CANNOT, "source \"%s\": out of memory", source->name);
	return NULL;
}

static void batch_free(struct batcher *s, struct batch *b)
{
	pool_release(s, b->size + b->capacity * sizeof(*b->events));
	free(b->events);
	free(b->bytes);
}

void batcher_stop(struct batcher *s)
{
	if (!s->started)
		return;
	batcher_flush_begin(s);
	batcher_flush_end(s);
	pthread_mutex_lock(&s->lock);
	s->quit = true;
	pthread_cond_broadcast(&s->work);
	pthread_mutex_unlock(&s->lock);
	pthread_join(s->thread, NULL);
	s->started = false;
}

void batcher_free(struct batcher *s)
{
	if (!s)
		return;
	batcher_stop(s);
	for (uint32_t i = 0; i < atomic_load(&s->ntypes); i++) {
		body_type_free((struct trawl_event_type *)s->types[i]);
		free((void *)s->types[i]);
	}
	for (int i = 0; i < 256; i++)
		free(atomic_load(&s->pages[i]));
	free(s->types);
	batch_free(s, &s->a);
	batch_free(s, &s->b);
	body_source_free(&s->source);
	pthread_cond_destroy(&s->work);
	pthread_cond_destroy(&s->done);
	pthread_mutex_destroy(&s->lock);
	free(s);
}

/* ---- types ----------------------------------------------------------------------------- */

int batcher_add_type(struct batcher *s, struct trawl_event_type *t, struct trawl_error *err)
{
	uint32_t n = atomic_load(&s->ntypes);
	uint32_t *page = atomic_load(&s->pages[t->id >> 8]);

	if (!page) {
		page = calloc(256, sizeof(*page));
		if (!page)
			return trawl_fail(err, TRAWL_CANNOT, "event type \"%s\": out of memory",
					  t->name);
		atomic_store_explicit(&s->pages[t->id >> 8], page, memory_order_release);
	}
	s->types[n] = t;
	atomic_store(&s->ntypes, n + 1);
	__atomic_store_n(&page[t->id & 255], n + 1, __ATOMIC_RELEASE);
	return 0;
}

/* ---- filling --------------------------------------------------------------------------- */

/* Waits until the worker is idle and gives it the filled batch. */
static void start_worker_batch(struct batcher *s)
{
	pthread_mutex_lock(&s->lock);
	if (s->o.keep_up && s->pending)
		level_busy(&s->level, s->filling->used);
	else if (s->o.keep_up)
		level_idle(&s->level, s->filling->used, s->idle, now());
	wait_for_worker(s);
	s->pending = s->filling;
	s->filling = s->filling == &s->a ? &s->b : &s->a;
	memset(s->recent, 0, sizeof(s->recent));
	pthread_cond_signal(&s->work);
	pthread_mutex_unlock(&s->lock);
}

enum room {
	ROOM,      /* the record fits */
	ROOM_FULL, /* the batch must not grow */
	ROOM_NONE, /* memory ran out */
};

static enum room grow_events(struct batcher *s, struct batch *b)
{
	uint32_t n = b->capacity * 2 < s->o.chunk_events ? b->capacity * 2 : s->o.chunk_events;
	size_t more = (n - b->capacity) * sizeof(*b->events);
	void *p;

	if (!pool_has(s, more))
		return ROOM_FULL;
	p = realloc(b->events, n * sizeof(*b->events));
	if (!p)
		return ROOM_NONE;
	b->events = p;
	b->capacity = n;
	pool_take(s, more);
	return ROOM;
}

/* An empty batch may always grow for its first record, even if the pool is used up. */
static enum room grow_bytes(struct batcher *s, struct batch *b, size_t len)
{
	size_t n = b->size ? b->size : FIRST_BYTES;
	void *p;

	while (n - b->used < len)
		n *= 2;
	if (b->count && !pool_has(s, n - b->size))
		return ROOM_FULL;
	p = realloc(b->bytes, n);
	if (!p)
		return ROOM_NONE;
	pool_take(s, n - b->size);
	b->bytes = p;
	b->size = n;
	return ROOM;
}

static enum room batch_room(struct batcher *s, struct batch *b, size_t len)
{
	enum room room = ROOM;

	if (batcher_is_full(s, len))
		return ROOM_FULL;
	if (b->count == b->capacity)
		room = grow_events(s, b);
	if (room == ROOM && b->size - b->used < len)
		room = grow_bytes(s, b, len);
	return room;
}

int batcher_make_room(struct batcher *s, size_t len, struct trawl_error *err)
{
	enum room room = batch_room(s, s->filling, len);

	if (room == ROOM_FULL) {
		start_worker_batch(s);
		room = batch_room(s, s->filling, len);
	}
	return room == ROOM ? 0 : trawl_fail(err, TRAWL_CANNOT, "source \"%s\": out of memory",
					     s->source.name);
}

/* ---- repeated tails --------------------------------------------------------------------- */

/*
 * Returns the number of bytes before the tail if the tail is long enough to search for; else len.
 */
static size_t bytes_before_tail(const struct trawl_event_type *t, size_t len)
{
	bool tail = t->nfields && t->fields[t->nfields - 1].place == TRAWL_TAIL;

	return tail && len - t->size >= BATCHER_LONG ? t->size : len;
}

/* Returns the hash slot of a tail, computed from some of its words. */
static struct batcher_tail *recent_tail(struct batcher *s, const uint8_t *tail, size_t len)
{
	uint64_t sum = len;

	for (int i = 0; i < 8; i++)
		sum = (sum ^ get64(tail + (len - 8) / 7 * i)) * 0x9e3779b97f4a7c15u;
	return &s->recent[sum >> 32 & (BATCHER_RECENT - 1)];
}

int batcher_append_long(struct batcher *s, struct batch_event e, const uint8_t *record,
		      struct trawl_error *err)
{
	const size_t before = bytes_before_tail(s->types[e.type], e.len);
	const size_t len = e.len - before;
	const uint8_t *tail = record + before;
	struct batcher_tail *recent = len ? recent_tail(s, tail, len) : NULL;
	struct batch *b = s->filling;

	if (recent && recent->len == len && b->shared + len <= BATCHER_SHARED &&
	    batch_room(s, b, before) == ROOM && !memcmp(b->bytes + recent->offset, tail, len)) {
		e.back = (uint32_t)(b->used + before - recent->offset);
		b->shared += len;
		return batcher_put(s, e, record, before, err);
	}
	if (batcher_put(s, e, record, e.len, err))
		return -1;
	b = s->filling;
	if (recent)
		*recent = (struct batcher_tail){ (uint32_t)(b->used - len), (uint32_t)len };
	return 0;
}

uint64_t batcher_ahead(struct batcher *s)
{
	uint64_t bytes;

	pthread_mutex_lock(&s->lock);
	bytes = s->filling->used + (s->pending ? s->pending->used : 0);
	bytes = (uint64_t)((double)bytes * s->density);
	pthread_mutex_unlock(&s->lock);
	return bytes;
}

void batcher_flush_begin(struct batcher *s)
{
	if (s->filling->count)
		start_worker_batch(s);
}

void batcher_flush_end(struct batcher *s)
{
	pthread_mutex_lock(&s->lock);
	wait_for_worker(s);
	pthread_mutex_unlock(&s->lock);
}
