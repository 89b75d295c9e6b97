/* SPDX-License-Identifier: MIT */
#include <signal.h>

#include "stage.h"

enum { FIRST_BYTES = 64 << 10, FIRST_EVENTS = 1024 };

/* ---- the worker ------------------------------------------------------------------------ */

void stage_unwritten(struct stage *s, uint64_t n)
{
	atomic_fetch_add(&s->lost, n);
	atomic_fetch_add(&s->unwritten, n);
}

static void encode(struct stage *s, struct chunk_encoder *e, struct batch *b)
{
	struct chunk_schema schema = { &s->source, s->types, atomic_load(&s->ntypes) };
	struct trawl_error err;
	const uint8_t *payload;
	uint64_t first, last;
	size_t len;

	if (!e || chunk_encode(e, &schema, b, &payload, &len, &first, &last, &err)) {
		stage_unwritten(s, b->count);
		s->failed = true;
		return;
	}
	s->o.emit(s->o.arg, s, payload, len, b->count, first, last);
}

/* A batch that grew for one huge record does not stay that large. */
static void batch_reset(struct batch *b, uint32_t chunk_bytes)
{
	b->count = 0;
	b->used = 0;
	if (b->size <= 2 * (size_t)chunk_bytes)
		return;
	free(b->bytes);
	b->bytes = NULL;
	b->size = 0;
}

static void *worker(void *arg)
{
	struct stage *s = arg;
	struct chunk_encoder *e = chunk_encoder_new(s->o.level);
	sigset_t all;

	sigfillset(&all);
	pthread_sigmask(SIG_BLOCK, &all, NULL);
	pthread_mutex_lock(&s->lock);
	for (;;) {
		while (!s->pending && !s->quit)
			pthread_cond_wait(&s->work, &s->lock);
		if (!s->pending)
			break;
		pthread_mutex_unlock(&s->lock);
		encode(s, e, s->pending);
		pthread_mutex_lock(&s->lock);
		batch_reset(s->pending, s->o.chunk_bytes);
		s->pending = NULL;
		pthread_cond_broadcast(&s->done);
	}
	pthread_mutex_unlock(&s->lock);
	chunk_encoder_free(e);
	return NULL;
}

/* ---- setting up ------------------------------------------------------------------------ */

static bool batch_init(struct batch *b)
{
	b->capacity = FIRST_EVENTS;
	b->events = malloc(b->capacity * sizeof(*b->events));
	b->size = FIRST_BYTES;
	b->bytes = malloc(b->size);
	return b->events && b->bytes;
}

struct stage *stage_new(const struct trawl_source *source, const struct stage_options *o,
			struct trawl_error *err)
{
	struct stage *s = calloc(1, sizeof(*s));

	if (!s)
		goto nomem;
	s->o = *o;
	pthread_mutex_init(&s->lock, NULL);
	pthread_cond_init(&s->work, NULL);
	pthread_cond_init(&s->done, NULL);
	s->types = calloc(TYPES_MAX, sizeof(*s->types));
	s->filling = &s->a;
	if (!s->types || !batch_init(&s->a) || !batch_init(&s->b) ||
	    !body_source_copy(&s->source, source))
		goto nomem;
	if (pthread_create(&s->thread, NULL, worker, s))
		goto nomem;
	s->started = true;
	return s;
nomem:
	stage_free(s);
	trawl_fail(err, TRAWL_CANNOT, "source \"%s\": out of memory", source->name);
	return NULL;
}

void stage_stop(struct stage *s)
{
	if (!s->started)
		return;
	stage_flush_begin(s);
	stage_flush_end(s);
	pthread_mutex_lock(&s->lock);
	s->quit = true;
	pthread_cond_broadcast(&s->work);
	pthread_mutex_unlock(&s->lock);
	pthread_join(s->thread, NULL);
	s->started = false;
}

void stage_free(struct stage *s)
{
	if (!s)
		return;
	stage_stop(s);
	for (uint32_t i = 0; i < atomic_load(&s->ntypes); i++) {
		body_type_free((struct trawl_event_type *)s->types[i]);
		free((void *)s->types[i]);
	}
	for (int i = 0; i < 256; i++)
		free(atomic_load(&s->pages[i]));
	free(s->types);
	free(s->a.events);
	free(s->a.bytes);
	free(s->b.events);
	free(s->b.bytes);
	body_source_free(&s->source);
	pthread_cond_destroy(&s->work);
	pthread_cond_destroy(&s->done);
	pthread_mutex_destroy(&s->lock);
	free(s);
}

/* ---- types ----------------------------------------------------------------------------- */

int stage_type(const struct stage *s, uint32_t id)
{
	uint32_t *page = id < TYPES_MAX ?
		atomic_load_explicit(&s->pages[id >> 8], memory_order_acquire) : NULL;

	return page ? (int)__atomic_load_n(&page[id & 255], __ATOMIC_ACQUIRE) - 1 : -1;
}

int stage_add_type(struct stage *s, struct trawl_event_type *t, struct trawl_error *err)
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

/* With the lock held: the filled batch goes to the worker as soon as that is free. */
static void hand_over(struct stage *s)
{
	while (s->pending)
		pthread_cond_wait(&s->done, &s->lock);
	s->pending = s->filling;
	s->filling = s->filling == &s->a ? &s->b : &s->a;
	pthread_cond_signal(&s->work);
}

static bool batch_room(struct batch *b, size_t len, uint32_t most_events)
{
	void *p;

	if (b->count == b->capacity) {
		uint32_t n = b->capacity * 2 < most_events ? b->capacity * 2 : most_events;

		p = realloc(b->events, n * sizeof(*b->events));
		if (!p)
			return false;
		b->events = p;
		b->capacity = n;
	}
	if (b->size - b->used < len) {
		size_t n = b->size ? b->size : FIRST_BYTES;

		while (n - b->used < len)
			n *= 2;
		p = realloc(b->bytes, n);
		if (!p)
			return false;
		b->bytes = p;
		b->size = n;
	}
	return true;
}

int stage_append(struct stage *s, uint32_t index, uint32_t cpu, uint64_t ts, const void *record,
		 size_t len, struct trawl_error *err)
{
	struct batch *b;
	int ret = 0;

	pthread_mutex_lock(&s->lock);
	b = s->filling;
	if (b->count >= s->o.chunk_events || (b->count && b->used + len > s->o.chunk_bytes)) {
		hand_over(s);
		b = s->filling;
	}
	if (batch_room(b, len, s->o.chunk_events)) {
		b->events[b->count++] = (struct batch_event){
			.ts = ts, .type = index, .cpu = cpu, .offset = (uint32_t)b->used,
			.len = (uint32_t)len,
		};
		memcpy(b->bytes + b->used, record, len);
		b->used += len;
	} else {
		ret = trawl_fail(err, TRAWL_CANNOT, "source \"%s\": out of memory", s->source.name);
	}
	pthread_mutex_unlock(&s->lock);
	return ret;
}

void stage_flush_begin(struct stage *s)
{
	pthread_mutex_lock(&s->lock);
	if (s->filling->count)
		hand_over(s);
	pthread_mutex_unlock(&s->lock);
}

void stage_flush_end(struct stage *s)
{
	pthread_mutex_lock(&s->lock);
	while (s->pending)
		pthread_cond_wait(&s->done, &s->lock);
	pthread_mutex_unlock(&s->lock);
}
