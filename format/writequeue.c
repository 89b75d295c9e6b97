/* SPDX-License-Identifier: MIT */
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "format/writequeue.h"
#include "format/thread.h"

enum { LARGE = 512 << 10 }; /* bytes of a chunk's payload */

/* A block that waits to be written. */
struct block_job {
	struct block_job *next;
	enum block_kind kind;
	size_t size;
	union {
		const struct trawl_source *source;
		struct {
			const struct trawl_event_type *type;
			uint32_t index;
		};
		struct trawl_meta meta;
		struct trawl_sync sync;
		struct trawl_loss loss;
		struct {
			struct batcher *batcher;
			struct chunk_head head;
			size_t len;
		};
	};
	uint8_t data[]; /* a chunk's payload; what `meta` points to */
};

struct write_queue {
	struct section_writer file; /* used by the thread while jobs wait, else under the lock */
	pthread_mutex_t lock;
	pthread_cond_t work, done;
	pthread_t thread;
	bool started, quit;
	struct block_job *first, **end; /* the first is being written */
	size_t waiting;              /* bytes of all jobs */
	uint64_t expected;           /* section_writer_size() after the last job */
	atomic_uint_fast64_t written;
	atomic_int error;
};

/* ---- the thread -------------------------------------------------------------------------- */

static void put_chunk(struct section_writer *file, struct batcher *s, const struct chunk_head *head,
		      const void *payload, size_t len)
{
	struct chunk_head c = *head;

	c.lost = batcher_report_losses(s)->lost;
	if (section_writer_chunk(file, &c, payload, len))
		batcher_unwritten(s, c.count, c.first, c.last);
}

/*
 * Writes a block. After a failure the section writer keeps the data that the end of the file needs.
 */
static void put(struct section_writer *file, struct block_job *p)
{
	switch (p->kind) {
	case BLOCK_SOURCE:
		section_writer_source(file, p->source);
		break;
	case BLOCK_EVENT_TYPE:
		section_writer_type(file, p->type, p->index);
		break;
	case BLOCK_META:
		section_writer_meta(file, &p->meta);
		break;
	case BLOCK_SYNC:
		section_writer_sync(file, &p->sync);
		break;
	case BLOCK_LOSS:
		section_writer_loss(file, &p->loss);
		break;
	default:
		put_chunk(file, p->batcher, &p->head, p->data, p->len);
	}
}

/* Updates what other threads may read. Needs the lock; the queue must be empty. */
static void publish(struct write_queue *q)
{
	q->expected = section_writer_size(&q->file);
	atomic_store(&q->written, q->file.sink.pos);
	atomic_store(&q->error, q->file.sink.error);
}

static void written(struct write_queue *q, struct block_job *p)
{
	q->first = p->next;
	if (!q->first)
		q->end = &q->first;
	q->waiting -= p->size;
	free(p);
	publish(q);
	pthread_cond_broadcast(&q->done);
}

static void *deliver(void *arg)
{
	struct write_queue *q = arg;
	struct block_job *p;

	thread_block_signals();
	pthread_mutex_lock(&q->lock);
	for (;;) {
		while (!q->first && !q->quit)
			pthread_cond_wait(&q->work, &q->lock);
		p = q->first;
		if (!p)
			break;
		pthread_mutex_unlock(&q->lock);
		put(&q->file, p);
		pthread_mutex_lock(&q->lock);
		written(q, p);
	}
	pthread_mutex_unlock(&q->lock);
	return NULL;
}

/* ---- putting ----------------------------------------------------------------------------- */

/* Returns a copy of the job with room for `data` bytes; NULL if memory runs out. */
static struct block_job *wrap(const struct block_job *what, size_t data)
{
	struct block_job *p = malloc(sizeof(*p) + data);

	if (p) {
		*p = *what;
		p->size = sizeof(*p) + data;
	}
	return p;
}

static bool send(struct write_queue *q, struct block_job *p)
{
	if (!p)
		return false;
	pthread_mutex_lock(&q->lock);
	while (q->first && q->waiting + p->size > WRITE_QUEUE_MOST)
		pthread_cond_wait(&q->done, &q->lock);
	*q->end = p;
	q->end = &p->next;
	q->waiting += p->size;
	pthread_cond_signal(&q->work);
	pthread_mutex_unlock(&q->lock);
	return true;
}

bool write_queue_source(struct write_queue *q, const struct trawl_source *s)
{
	return send(q, wrap(&(struct block_job){ .kind = BLOCK_SOURCE, .source = s }, 0));
}

bool write_queue_type(struct write_queue *q, const struct trawl_event_type *t, uint32_t index)
{
	return send(q, wrap(&(struct block_job){ .kind = BLOCK_EVENT_TYPE, .type = t,
					      .index = index }, 0));
}

bool write_queue_sync(struct write_queue *q, const struct trawl_sync *s)
{
	return send(q, wrap(&(struct block_job){ .kind = BLOCK_SYNC, .sync = *s }, 0));
}

bool write_queue_loss(struct write_queue *q, const struct trawl_loss *l)
{
	return send(q, wrap(&(struct block_job){ .kind = BLOCK_LOSS, .loss = *l }, 0));
}

bool write_queue_meta(struct write_queue *q, const struct trawl_meta *m)
{
	size_t name = strlen(m->name) + 1, type = strlen(m->type) + 1;
	struct block_job *p = wrap(&(struct block_job){ .kind = BLOCK_META, .meta = *m },
				name + type + m->len);

	if (!p)
		return false;
	p->meta.name = memcpy(p->data, m->name, name);
	p->meta.type = memcpy(p->data + name, m->type, type);
	p->meta.data = p->data + name + type;
	if (m->len)
		memcpy(p->data + name + type, m->data, m->len);
	return send(q, p);
}

/* Large payloads bypass the queue: it holds one at most, and copying is expensive. */
static bool written_at_once(struct write_queue *q, struct batcher *s, const struct chunk_head *c,
			    const void *payload, size_t len)
{
	if (len < LARGE)
		return false;
	put_chunk(write_queue_hold(q), s, c, payload, len);
	write_queue_release(q);
	return true;
}

/*
 * Smaller payloads are copied. That takes 0.5 ns an event, of the 120 that encoding takes (system
 * calls, scheduler and timers in chunks of 65,536 events and 190 KB; 2026-11-23, as
 * tests/bench/container.c measures). If the encoder handed over its buffer instead, it would have
 * to allocate another one, of pages that are not mapped yet, for each chunk.
 */
bool write_queue_chunk(struct write_queue *q, struct batcher *s, const struct chunk_head *c,
		  const void *payload, size_t len)
{
	struct block_job *p;

	if (written_at_once(q, s, c, payload, len))
		return true;
	p = wrap(&(struct block_job){.kind = BLOCK_CHUNK, .batcher = s, .head = *c, .len = len},
		 len);
	if (p)
		memcpy(p->data, payload, len);
	return send(q, p);
}

/* ---- state ------------------------------------------------------------------------------- */

const atomic_int *write_queue_error(const struct write_queue *q)
{
	return &q->error;
}

uint64_t write_queue_written(const struct write_queue *q)
{
	return atomic_load(&((struct write_queue *)q)->written);
}

uint64_t write_queue_expected(struct write_queue *q)
{
	uint64_t bytes;

	pthread_mutex_lock(&q->lock);
	bytes = q->expected + q->waiting;
	pthread_mutex_unlock(&q->lock);
	return bytes;
}

struct section_writer *write_queue_hold(struct write_queue *q)
{
	bool lent;

	pthread_mutex_lock(&q->lock);
	lent = q->first && thread_lend(q->thread);
	while (q->first)
		pthread_cond_wait(&q->done, &q->lock);
	thread_take_back(q->thread, lent);
	return &q->file;
}

void write_queue_release(struct write_queue *q)
{
	publish(q);
	pthread_mutex_unlock(&q->lock);
}

/* ---- beginning and end ------------------------------------------------------------------- */

struct write_queue *write_queue_new(int fd, const struct section_writer_front *front,
				    struct trawl_error *err)
{
	struct write_queue *q = calloc(1, sizeof(*q));

	if (!q) {
		close(fd);
		trawl_fail(err, TRAWL_CANNOT, "%s: out of memory", front->name);
		return NULL;
	}
	q->end = &q->first;
	lock_init(&q->lock);
	pthread_cond_init(&q->work, NULL);
	pthread_cond_init(&q->done, NULL);
	if (section_writer_begin(&q->file, fd, front)) {
		section_writer_fail(&q->file, err);
	} else {
		publish(q);
		q->started = thread_start(&q->thread, deliver, q);
		if (q->started)
			return q;
		trawl_fail(err, TRAWL_CANNOT, "%s: out of memory", front->name);
	}
	section_writer_close(&q->file);
	write_queue_free(q);
	return NULL;
}

void write_queue_free(struct write_queue *q)
{
	if (!q)
		return;
	if (q->started) {
		pthread_mutex_lock(&q->lock);
		q->quit = true;
		pthread_cond_signal(&q->work);
		pthread_mutex_unlock(&q->lock);
		pthread_join(q->thread, NULL);
	}
	pthread_cond_destroy(&q->work);
	pthread_cond_destroy(&q->done);
	pthread_mutex_destroy(&q->lock);
	free(q);
}
