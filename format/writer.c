/* SPDX-License-Identifier: MIT */
/*
 * Writing a file. Records go to the batcher of their source (batcher.c), whose thread encodes
 * batches as chunk payloads. These and all other blocks go to the thread that writes
 * (writequeue.c). The writer keeps what a rotation must repeat, under w->lock.
 */
#include <errno.h>
#include <unistd.h>

#include "format/writequeue.h"
#include "format/ring.h"
#include "format/thread.h"

enum {
	CHUNK_EVENTS = 65536,
	CHUNK_BYTES = 2 << 20, /* two batches of this size fit into a cache */
	BATCHES = 16 << 20, /* most bytes of the batches of all sources */
	RING_CHUNKS = 16, /* a ring has room for at least so many uncompressed chunks */
	META_KEPT = 16 << 20, /* bytes of metadata that are kept for the next file of a rotation */
};

struct trawl_writer {
	struct trawl_writer_options o;
	char *comment, *name;   /* copies, to which o and front point */
	struct section_writer_front front;
	pthread_mutex_t lock;
	struct write_queue *file; /* NULL: there is a ring */
	const atomic_int *error; /* errno of the file, checked for each event; 0: none */
	struct ring *ring;      /* NULL: none */
	struct batcher_pool pool;
	struct batcher *batchers[SOURCES_MAX];
	_Atomic uint32_t nbatchers;
	struct meta_cache metas; /* for the next file of a rotation */
	struct trawl_sync sync; /* the newest; mono 0: none yet */
	uint32_t part;          /* number of the file in a rotation */
};

/* ---- to the file or the ring ------------------------------------------------------------- */

static int write_error(const struct trawl_writer *w, struct trawl_error *err)
{
	int error = atomic_load_explicit(w->error, memory_order_relaxed);

	return error ? sink_fail(error, w->name, err) : 0;
}

/* Returns 0, or -1 with *err if the block was not queued or an earlier one was not written. */
static int sent(const struct trawl_writer *w, bool ok, struct trawl_error *err)
{
	return ok ? write_error(w, err) : sink_fail(ENOMEM, w->name, err);
}

/* A spill of a ring gets all sources and types from their batchers. */
static int put_source(struct trawl_writer *w, const struct trawl_source *s, struct trawl_error *err)
{
	return w->ring ? 0 : sent(w, write_queue_source(w->file, s), err);
}

static int put_type(struct trawl_writer *w, const struct trawl_event_type *t, uint32_t index,
		    struct trawl_error *err)
{
	return w->ring ? 0 : sent(w, write_queue_type(w->file, t, index), err);
}

static int put_loss(struct trawl_writer *w, const struct trawl_loss *l, struct trawl_error *err)
{
	if (!w->ring)
		return sent(w, write_queue_loss(w->file, l), err);
	ring_loss(w->ring, l);
	return 0;
}

static int put_sync(struct trawl_writer *w, const struct trawl_sync *s, struct trawl_error *err)
{
	if (!w->ring)
		return sent(w, write_queue_sync(w->file, s), err);
	ring_sync(w->ring, s);
	return 0;
}

/* batcher_emit: called by the threads of the batchers. */
static void emit_chunk(void *arg, struct batcher *s, const struct chunk_head *head,
		       const uint8_t *payload)
{
	struct trawl_writer *w = arg;

	if (w->ring ? ring_chunk(w->ring, head, payload, head->payload) :
		      write_queue_chunk(w->file, s, head, payload, head->payload))
		return;
	batcher_unwritten(s, head->count, head->first, head->last);
	s->failed = !w->ring; /* a ring rejects chunks that are too large */
}

/* ---- the interface ----------------------------------------------------------------------- */

static void free_writer(struct trawl_writer *w)
{
	for (uint32_t i = 0; i < atomic_load(&w->nbatchers); i++)
		batcher_free(w->batchers[i]);
	meta_cache_free(&w->metas);
	write_queue_free(w->file);
	ring_free(w->ring);
	free(w->comment);
	free(w->name);
	pthread_mutex_destroy(&w->lock);
	free(w);
}

struct trawl_writer *trawl_writer_new(int fd, const struct trawl_writer_options *o,
				      struct trawl_error *err)
{
	static const atomic_int none;
	struct trawl_writer *w = calloc(1, sizeof(*w));

	if (!w) {
		trawl_fail(err, TRAWL_CANNOT, "output: out of memory");
		return NULL;
	}
	if (o)
		w->o = *o;
	if (!w->o.chunk_events)
		w->o.chunk_events = CHUNK_EVENTS;
	if (!w->o.chunk_bytes)
		w->o.chunk_bytes = CHUNK_BYTES;
	if (w->o.ring && w->o.chunk_bytes > w->o.ring / RING_CHUNKS)
		w->o.chunk_bytes = (uint32_t)(w->o.ring / RING_CHUNKS);
	w->comment = strdup(w->o.comment ? w->o.comment : "");
	w->o.comment = w->comment;
	w->name = strdup(w->o.name ? w->o.name : "output");
	w->o.name = w->name;
	w->front = (struct section_writer_front){ .name = w->name, .comment = w->comment,
					  .time = w->o.time,
					  .compact = w->o.compact || w->o.level >= CHUNK_ALL_LEVEL,
					  .no_index = w->o.no_index };
	meta_cache_init(&w->metas, META_KEPT);
	w->pool.most = BATCHES;
	lock_init(&w->lock);
	if (w->o.ring)
		w->ring = ring_new(w->o.ring, err);
	else
		w->file = write_queue_new(fd, &w->front, err);
	w->error = w->file ? write_queue_error(w->file) : &none;
	if (w->ring || w->file)
		return w;
	free_writer(w);
	return NULL;
}

/*
 * Whether the description of a source or type exceeds a block. If memory runs out, a later call
 * fails.
 */
static bool too_long(const struct trawl_source *s, const struct trawl_event_type *t)
{
	struct buf b = { 0 };
	bool over;

	if (s)
		body_source(&b, s, 0);
	if (t)
		body_type(&b, t, 0);
	over = b.len > DESCRIPTION_MAX;
	buf_free(&b);
	return over;
}

int trawl_writer_source(struct trawl_writer *w, const struct trawl_source *source,
			struct trawl_error *err)
{
	struct batcher_options o = {
		.level = w->o.level, .chunk_events = w->o.chunk_events,
		.chunk_bytes = w->o.chunk_bytes, .keep_up = w->o.keep_up, .pool = &w->pool,
		.emit = emit_chunk, .arg = w,
	};
	struct trawl_source s = *source;
	struct batcher *batcher;
	uint32_t n;
	int ret;

	if (s.clock < TRAWL_CLOCK_MONO || s.clock > TRAWL_CLOCK_TSC)
		return trawl_fail(err, TRAWL_USAGE, "source \"%s\": clock %u is not known", s.name,
				  s.clock);
	if (!body_fields_ok(s.common, s.ncommon, UINT16_MAX, true, err))
		return -1;
	if (too_long(&s, NULL))
		return trawl_fail(err, TRAWL_USAGE,
				  "source \"%s\": its fields' names take over 8 MiB", s.name);
	pthread_mutex_lock(&w->lock);
	n = atomic_load(&w->nbatchers);
	s.id = (uint16_t)n;
	if (n == SOURCES_MAX) {
		ret = trawl_fail(err, TRAWL_USAGE, "source \"%s\": a file has at most %d sources",
				 s.name, SOURCES_MAX);
		goto out;
	}
	batcher = batcher_new(&s, &o, err);
	ret = batcher ? 0 : -1;
	if (!batcher)
		goto out;
	w->batchers[n] = batcher;
	atomic_store_explicit(&w->nbatchers, n + 1, memory_order_release);
	ret = put_source(w, &batcher->source, err) ? -1 : (int)n;
out:
	pthread_mutex_unlock(&w->lock);
	return ret;
}

static struct batcher *find_batcher(struct trawl_writer *w, uint32_t id, struct trawl_error *err)
{
	if (id < atomic_load_explicit(&w->nbatchers, memory_order_acquire))
		return w->batchers[id];
	trawl_fail(err, TRAWL_USAGE, "source %u was never added to the file", id);
	return NULL;
}

const struct trawl_source *trawl_writer_source_at(const struct trawl_writer *w, size_t i)
{
	return i < atomic_load(&((struct trawl_writer *)w)->nbatchers) ? &w->batchers[i]->source
								       : NULL;
}

const struct trawl_event_type *trawl_writer_event_type_at(const struct trawl_writer *w,
							  uint16_t source, size_t i)
{
	const struct batcher *s = trawl_writer_source_at(w, source) ? w->batchers[source] : NULL;

	return s && i < atomic_load(&((struct batcher *)s)->ntypes) ? s->types[i] : NULL;
}

static int check_type(const struct batcher *s, const struct trawl_event_type *t,
		      struct trawl_error *err)
{
	struct trawl_error why;

	if (t->id >= TYPES_MAX)
		return trawl_fail(err, TRAWL_USAGE,
				  "event type \"%s\": its number %u is over 65535", t->name, t->id);
	if (batcher_type(s, t->id) >= 0)
		return trawl_fail(err, TRAWL_USAGE,
				  "event type \"%s\": number %u is taken by \"%s\"", t->name, t->id,
				  s->types[batcher_type(s, t->id)]->name);
	if (t->size > UINT16_MAX)
		return trawl_fail(err, TRAWL_USAGE, "event type \"%s\": %u bytes are too many",
				  t->name, t->size);
	if (t->format && strlen(t->format) > FORMAT_TEXT_MAX)
		return trawl_fail(err, TRAWL_USAGE, "event type \"%s\": format text over 1 MiB",
				  t->name);
	if (!body_fields_ok(t->fields, t->nfields, t->size, false, &why))
		return trawl_fail(err, why.status, "event type \"%s\": %s", t->name, why.text);
	if (too_long(NULL, t))
		return trawl_fail(err, TRAWL_USAGE,
				  "event type \"%s\": its description takes over 8 MiB", t->name);
	for (uint32_t i = 0; i < s->source.ncommon; i++)
		if (s->source.common[i].offset + (uint32_t)s->source.common[i].size *
		    s->source.common[i].count > t->size)
			return trawl_fail(err, TRAWL_USAGE,
					  "event type \"%s\": records of %u bytes "
					  "have no room for the source's field \"%s\"",
					  t->name, t->size, s->source.common[i].name);
	return 0;
}

int trawl_writer_event_type(struct trawl_writer *w, const struct trawl_event_type *t,
			    struct trawl_error *err)
{
	struct batcher *s = find_batcher(w, t->source, err);
	struct trawl_event_type *copy;
	int ret = -1;

	if (!s)
		return -1;
	pthread_mutex_lock(&w->lock);
	if (check_type(s, t, err))
		goto out;
	copy = malloc(sizeof(*copy));
	if (!copy || !body_type_copy(copy, t)) {
		free(copy);
		trawl_fail(err, TRAWL_CANNOT, "event type \"%s\": out of memory", t->name);
		goto out;
	}
	/*
	 * queued before it is added to the batcher, so that it precedes all chunks with its events
	 */
	ret = put_type(w, copy, atomic_load(&s->ntypes), err);
	if (!ret)
		ret = batcher_add_type(s, copy, err);
	if (ret && w->file) {
		write_queue_hold(w->file); /* it may still be queued */
		write_queue_release(w->file);
	}
	if (ret) {
		body_type_free(copy);
		free(copy);
	}
out:
	pthread_mutex_unlock(&w->lock);
	return ret;
}

static int put_meta(struct trawl_writer *w, const struct trawl_meta *m, bool repeat,
		    struct trawl_error *err)
{
	int ret;

	if (m->len > UINT32_MAX)
		return trawl_fail(err, TRAWL_USAGE, "metadata \"%s\": over 4 GiB", m->name);
	if (w->o.on_meta)
		w->o.on_meta(w->o.arg, m);
	if (w->ring)
		return ring_meta(w->ring, m, repeat)
			       ? 0
			       : trawl_fail(err, TRAWL_CANNOT, "metadata \"%s\": out of memory",
					    m->name);
	pthread_mutex_lock(&w->lock);
	if (repeat)
		meta_cache_put(&w->metas, m);
	ret = sent(w, write_queue_meta(w->file, m), err);
	pthread_mutex_unlock(&w->lock);
	return ret;
}

int trawl_writer_meta(struct trawl_writer *w, const struct trawl_meta *m, struct trawl_error *err)
{
	return put_meta(w, m, true, err);
}

int trawl_writer_last_meta(struct trawl_writer *w, const struct trawl_meta *m,
			   struct trawl_error *err)
{
	return put_meta(w, m, false, err);
}

int trawl_writer_loss(struct trawl_writer *w, const struct trawl_loss *l, struct trawl_error *err)
{
	struct batcher *s = find_batcher(w, l->source, err);
	int ret;

	if (!s)
		return -1;
	if (l->count != UINT64_MAX)
		batcher_lost(s, l->count);
	pthread_mutex_lock(&w->lock);
	ret = put_loss(w, l, err);
	pthread_mutex_unlock(&w->lock);
	return ret;
}

int trawl_append(struct trawl_writer *w, const struct trawl_record *r, struct trawl_error *err)
{
	struct batcher *s = find_batcher(w, r->source, err);
	int index;

	if (!s)
		return -1;
	if (write_error(w, err)) {
		batcher_unwritten(s, 1, r->ts, r->ts);
		return -1;
	}
	index = batcher_type(s, r->type);
	if (index < 0)
		return trawl_fail(err, TRAWL_USAGE, "source \"%s\": event type %u was never added",
				  s->source.name, r->type);
	if (r->len < s->types[index]->size || r->len > TRAWL_RECORD_MAX)
		return trawl_fail(err, TRAWL_USAGE, "event \"%s\": a record of %zu bytes, must be "
				  "%u to %d", s->types[index]->name, r->len, s->types[index]->size,
				  TRAWL_RECORD_MAX);
	if (!batcher_append(s, (uint32_t)index, r, err))
		return 0;
	batcher_unwritten(s, 1, r->ts, r->ts);
	err->sys = ENOMEM;
	return -1;
}

int trawl_writer_chunk(struct trawl_writer *w, uint16_t source, const struct trawl_piece *p,
		       struct trawl_error *err)
{
	struct batcher *s = find_batcher(w, source, err);
	struct chunk_head c = {
		.source = source, .count = p->count, .first = p->first, .last = p->last,
	};

	if (!s)
		return -1;
	batcher_flush_begin(s);
	batcher_flush_end(s);
	if (s->failed)
		return trawl_fail(err, TRAWL_CANNOT, "source \"%s\": out of memory",
				  s->source.name);
	atomic_fetch_add_explicit(&s->appended, p->count, memory_order_relaxed);
	if (!write_queue_chunk(w->file, s, &c, p->payload, p->len)) {
		batcher_unwritten(s, p->count, p->first, p->last);
		return sink_fail(ENOMEM, w->name, err);
	}
	return write_error(w, err);
}

/* Waits until all records are encoded and their chunks are queued. */
static int encode(struct trawl_writer *w, struct trawl_error *err)
{
	uint32_t n = atomic_load(&w->nbatchers);

	for (uint32_t i = 0; i < n; i++)
		batcher_flush_begin(w->batchers[i]);
	for (uint32_t i = 0; i < n; i++)
		batcher_flush_end(w->batchers[i]);
	for (uint32_t i = 0; i < n; i++)
		if (w->batchers[i]->failed)
			return trawl_fail(err, TRAWL_CANNOT, "source \"%s\": out of memory: events "
					  "were lost", w->batchers[i]->source.name);
	return 0;
}

/* The same, and waits until they are written. The caller owns *file until write_queue_release(). */
static int hold(struct trawl_writer *w, struct section_writer **file, struct trawl_error *err)
{
	int ret = encode(w, err);

	*file = write_queue_hold(w->file);
	return ret ? ret : write_error(w, err);
}

int trawl_writer_flush(struct trawl_writer *w, struct trawl_error *err)
{
	struct section_writer *file;
	int ret;

	if (w->ring)
		return encode(w, err);
	ret = hold(w, &file, err);
	write_queue_release(w->file);
	return ret;
}

/* Combines two results: keeps the first error, because a later one follows from it. */
static int worse(int ret, struct trawl_error *err, int now, const struct trawl_error *other)
{
	if (!ret && now)
		*err = *other;
	return ret ? ret : now;
}

int trawl_writer_sync(struct trawl_writer *w, const struct trawl_sync *sync,
		      struct trawl_error *err)
{
	struct trawl_error other;
	int ret = encode(w, err);

	pthread_mutex_lock(&w->lock);
	w->sync = *sync;
	ret = worse(ret, err, put_sync(w, sync, &other), &other);
	pthread_mutex_unlock(&w->lock);
	return ret;
}

uint64_t trawl_writer_bytes(const struct trawl_writer *w)
{
	return w->file ? write_queue_written(w->file) : 0;
}

uint64_t trawl_writer_expected(const struct trawl_writer *w)
{
	uint64_t bytes = w->file ? write_queue_expected(w->file) : 0;

	for (uint32_t i = 0; i < atomic_load(&((struct trawl_writer *)w)->nbatchers); i++)
		bytes += batcher_ahead(w->batchers[i]);
	return bytes;
}

uint64_t trawl_writer_events(const struct trawl_writer *w)
{
	uint32_t n = atomic_load(&((struct trawl_writer *)w)->nbatchers);
	uint64_t events = 0;

	for (uint32_t i = 0; i < n; i++)
		events += atomic_load(&w->batchers[i]->appended);
	return events;
}

uint64_t trawl_writer_unwritten(const struct trawl_writer *w, uint16_t source)
{
	return source < atomic_load(&((struct trawl_writer *)w)->nbatchers) ?
		       batcher_all_unwritten(w->batchers[source]) : 0;
}

/* ---- ends -------------------------------------------------------------------------------- */

/* Adds a loss for the events of each source that could not be written. */
static void put_write_losses(struct trawl_writer *w, struct section_writer *file)
{
	for (uint32_t i = 0; i < atomic_load(&w->nbatchers); i++) {
		const struct batcher_losses *all = batcher_report_losses(w->batchers[i]);
		struct trawl_loss l = {
			.source = (uint16_t)i, .cpu = UINT32_MAX, .from = all->from, .to = all->to,
			.count = all->unwritten, .reason = TRAWL_LOSS_WRITE,
		};

		if (l.count && file)
			section_writer_loss(file, &l);
		else if (l.count)
			ring_loss(w->ring, &l);
	}
}

/* Subtracts the losses that put_write_losses() has written. */
static void forget_losses(struct trawl_writer *w)
{
	for (uint32_t i = 0; i < atomic_load(&w->nbatchers); i++)
		batcher_next_file(w->batchers[i]);
}

/* Ends the current file and closes it. */
static int end_file(struct trawl_writer *w, struct section_writer *file, struct trawl_error *err)
{
	bool failed = section_writer_failed(file);
	uint64_t lost = 0;

	section_writer_use_reserve(file);
	put_write_losses(w, file);
	for (uint32_t i = 0; i < atomic_load(&w->nbatchers); i++)
		lost += w->batchers[i]->reported.lost;
	section_writer_end(file, lost);
	if (!section_writer_failed(file))
		forget_losses(w);
	/* an earlier error was returned before */
	return section_writer_close(file) && !failed ? section_writer_fail(file, err) : 0;
}

/* Begins a file and repeats everything that must precede its first chunk. */
static int begin_next(struct trawl_writer *w, struct section_writer *file, int fd)
{
	struct section_writer_front front = w->front;
	int ret;

	front.part = w->part + 1;
	ret = section_writer_begin(file, fd, &front);
	for (uint32_t i = 0; !ret && i < atomic_load(&w->nbatchers); i++) {
		struct batcher *s = w->batchers[i];

		ret = section_writer_source(file, &s->source);
		for (uint32_t k = 0; !ret && k < atomic_load(&s->ntypes); k++)
			ret = section_writer_type(file, s->types[k], k);
	}
	for (struct cached_meta *k = w->metas.oldest; !ret && k; k = k->newer)
		ret = section_writer_meta(file, &k->meta);
	if (!ret && w->sync.mono)
		ret = section_writer_sync(file, &w->sync);
	return ret;
}

/*
 * Begins the next file before the current one is ended: if that fails, the current one continues.
 */
int trawl_writer_rotate(struct trawl_writer *w, int fd, struct trawl_error *err)
{
	struct section_writer next, *present;
	struct trawl_error other;
	int ret;

	/* chunks of other threads wait meanwhile, then go to the new file */
	pthread_mutex_lock(&w->lock);
	ret = hold(w, &present, err);
	if (ret) {
		close(fd);
		goto out;
	}
	if (begin_next(w, &next, fd)) {
		ret = section_writer_fail(&next, err);
		section_writer_close(&next);
		goto out;
	}
	ret = end_file(w, present, &other) ? 1 : 0;
	if (ret)
		*err = other;
	*present = next;
	w->part++;
out:
	write_queue_release(w->file);
	pthread_mutex_unlock(&w->lock);
	return ret;
}

int trawl_writer_close(struct trawl_writer *w, struct trawl_error *err)
{
	struct trawl_error other;
	struct section_writer *file;
	int ret = trawl_writer_flush(w, err);

	for (uint32_t i = 0; i < atomic_load(&w->nbatchers); i++)
		batcher_stop(w->batchers[i]);
	if (w->file) {
		file = write_queue_hold(w->file);
		ret = worse(ret, err, end_file(w, file, &other), &other);
		write_queue_release(w->file);
	}
	free_writer(w);
	return ret;
}

/* ---- the ring ---------------------------------------------------------------------------- */

struct trawl_spill *trawl_writer_take(struct trawl_writer *w, struct trawl_error *err)
{
	struct trawl_spill *s = NULL;

	if (encode(w, err))
		return NULL;
	pthread_mutex_lock(&w->lock);
	put_write_losses(w, NULL);
	forget_losses(w);
	s = ring_take(w->ring, w->batchers, atomic_load(&w->nbatchers), &w->front, err);
	pthread_mutex_unlock(&w->lock);
	return s;
}

int trawl_spill_write(struct trawl_spill *s, int fd, uint64_t *events, struct trawl_error *err)
{
	return spill_write(s, fd, events, err);
}

void trawl_writer_ring(const struct trawl_writer *w, struct trawl_ring_state *state)
{
	uint64_t dropped[SOURCES_MAX];

	ring_state(w->ring, state, dropped);
	for (uint32_t i = 0; i < atomic_load(&((struct trawl_writer *)w)->nbatchers); i++) {
		uint64_t until = dropped[i];

		if (until && w->batchers[i]->source.clock == TRAWL_CLOCK_REAL)
			until += w->sync.mono - w->sync.real + w->batchers[i]->source.resolution;
		if (until > state->dropped_until)
			state->dropped_until = until;
	}
}
