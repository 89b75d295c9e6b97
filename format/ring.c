/* SPDX-License-Identifier: MIT */
#include <inttypes.h>
#include <sys/mman.h>
#include <unistd.h>

#include "format/metacache.h"
#include "format/ring.h"
#include "format/thread.h"

enum {
	ALIGN = 16,           /* of entries, so that a head fits at the end of the buffer */
	META_CACHE_MOST = 16 << 20, /* bytes of metadata from before the oldest chunk */
	PART_MOST = 4,        /* an entry takes at most 1/PART_MOST of the buffer */
};

struct entry {
	uint32_t size;  /* distance to the next entry, bytes */
	uint32_t kind;  /* enum block_kind; BLOCK_FOREIGN: padding up to the end of the buffer */
	uint32_t len;   /* bytes of a chunk's payload, of metadata's data */
	uint32_t once;  /* metadata that only one file has */
};

struct chunk_entry {
	struct entry entry;
	struct chunk_head head;
	uint8_t payload[];
};

struct sync_entry {
	struct entry entry;
	struct trawl_sync sync;
};

struct loss_entry {
	struct entry entry;
	struct trawl_loss loss;
};

struct meta_entry {
	struct entry entry;
	uint64_t time;
	char text[]; /* name, type, data */
};

/* Positions count all bytes that were ever appended; modulo size they are offsets in the buffer. */
struct ring {
	pthread_mutex_t lock;
	pthread_cond_t freed_some;
	uint8_t *bytes;
	uint64_t size;
	uint64_t freed;        /* end of the free part; from here to tail a spill uses it */
	uint64_t tail, head;   /* start of the oldest entry; end of the newest */
	uint64_t last, before; /* the newest entry and the one before it; UINT64_MAX: none */
	struct meta_cache metas; /* metadata that was before tail */
	struct trawl_sync sync; /* the newest before tail; mono 0: none */
	struct trawl_ring_state state;
	uint64_t dropped[SOURCES_MAX]; /* by ring_state() */
	struct trawl_spill *spill;
	uint32_t part;
};

struct trawl_spill {
	struct ring *ring;
	uint64_t from, to;
	struct batcher *const *batchers;
	uint32_t nbatchers;
	uint32_t ntypes[SOURCES_MAX];
	struct cached_meta **metas;
	size_t nmetas;
	struct trawl_sync sync;
	struct section_writer_front front;
	struct trawl_loss unwritten[SOURCES_MAX];
	uint64_t lost[SOURCES_MAX];
	uint64_t written; /* number of events */
};

static struct entry *entry_at(const struct ring *r, uint64_t pos)
{
	return (struct entry *)(r->bytes + pos % r->size);
}

struct ring *ring_new(uint64_t size, struct trawl_error *err)
{
	uint64_t page = (uint64_t)sysconf(_SC_PAGESIZE);
	uint64_t memory = (uint64_t)sysconf(_SC_PHYS_PAGES) * page;
	struct ring *r;

	if (size > memory) {
		trawl_fail(err, TRAWL_CANNOT, "a ring of %" PRIu64 " MiB: this machine has %" PRIu64
			   " MiB of memory", size >> 20, memory >> 20);
		return NULL;
	}
	r = calloc(1, sizeof(*r));
	if (r) {
		r->size = (size + page - 1) / page * page;
		r->bytes = mmap(NULL, r->size, PROT_READ | PROT_WRITE,
				MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	}
	if (!r || r->bytes == MAP_FAILED) {
		free(r);
		trawl_fail(err, TRAWL_CANNOT, "a ring of %" PRIu64 " MiB: out of memory",
			   size >> 20);
		return NULL;
	}
	r->last = r->before = UINT64_MAX;
	meta_cache_init(&r->metas, META_CACHE_MOST);
	lock_init(&r->lock);
	pthread_cond_init(&r->freed_some, NULL);
	return r;
}

void ring_free(struct ring *r)
{
	if (!r)
		return;
	meta_cache_free(&r->metas);
	munmap(r->bytes, r->size);
	pthread_cond_destroy(&r->freed_some);
	pthread_mutex_destroy(&r->lock);
	free(r);
}

/* ---- overwriting the oldest entries -------------------------------------------------------- */

static struct trawl_meta entry_meta(const struct entry *i)
{
	const struct meta_entry *m = (const struct meta_entry *)i;
	struct trawl_meta meta = { .name = m->text, .time = m->time, .len = m->entry.len };

	meta.type = meta.name + strlen(meta.name) + 1;
	meta.data = meta.type + strlen(meta.type) + 1;
	return meta;
}

/* Keeps what later events need of an entry that leaves the ring. */
static void remember(struct ring *r, const struct entry *i)
{
	struct trawl_meta m;

	if (i->kind == BLOCK_SYNC) {
		r->sync = ((const struct sync_entry *)i)->sync;
	} else if (i->kind == BLOCK_META && !i->once) {
		m = entry_meta(i);
		meta_cache_put(&r->metas, &m);
	}
}

static void drop_oldest(struct ring *r)
{
	const struct entry *i = entry_at(r, r->tail);

	remember(r, i);
	if (i->kind == BLOCK_CHUNK) {
		const struct chunk_head *c = &((const struct chunk_entry *)i)->head;

		r->state.chunks--;
		r->state.events -= c->count;
		r->state.dropped += c->count;
		if (c->last > r->dropped[c->source])
			r->dropped[c->source] = c->last;
	}
	r->tail += i->size;
	r->freed = r->tail;
}

/* ---- appending --------------------------------------------------------------------------- */

/*
 * Appends an entry of n bytes; NULL if it can never fit. Needs the lock, which it may release to
 * wait.
 */
static struct entry *push(struct ring *r, enum block_kind kind, size_t n, size_t len)
{
	uint64_t rest, need;
	struct entry *i;

	if (n > r->size / PART_MOST)
		return NULL;
	n = (n + ALIGN - 1) & ~(size_t)(ALIGN - 1);
	rest = r->size - r->head % r->size;
	need = n <= rest ? n : rest + n;
	while (r->size - (r->head - r->freed) < need) {
		if (r->freed < r->tail)
			pthread_cond_wait(&r->freed_some, &r->lock);
		else
			drop_oldest(r);
		/* another thread may have appended during the wait */
		rest = r->size - r->head % r->size;
		need = n <= rest ? n : rest + n;
	}
	if (n > rest) {
		*entry_at(r, r->head) = (struct entry){ .size = (uint32_t)rest };
		r->head += rest;
	}
	i = entry_at(r, r->head);
	*i = (struct entry){ .size = (uint32_t)n, .kind = kind, .len = (uint32_t)len };
	r->before = r->last;
	r->last = r->head;
	r->head += n;
	return i;
}

bool ring_chunk(struct ring *r, const struct chunk_head *c, const void *payload, size_t len)
{
	struct chunk_entry *i;

	pthread_mutex_lock(&r->lock);
	i = (struct chunk_entry *)push(r, BLOCK_CHUNK, sizeof(*i) + len, len);
	if (i) {
		i->head = *c;
		memcpy(i->payload, payload, len);
		r->state.chunks++;
		r->state.events += c->count;
	}
	pthread_mutex_unlock(&r->lock);
	return i;
}

bool ring_meta(struct ring *r, const struct trawl_meta *m, bool repeat)
{
	const char *type = m->type ? m->type : "";
	size_t name = strlen(m->name) + 1, media = strlen(type) + 1;
	struct meta_entry *i;
	bool kept = true;

	pthread_mutex_lock(&r->lock);
	i = (struct meta_entry *)push(r, BLOCK_META, sizeof(*i) + name + media + m->len, m->len);
	if (i) {
		i->entry.once = !repeat;
		i->time = m->time;
		memcpy(i->text, m->name, name);
		memcpy(i->text + name, type, media);
		if (m->len)
			memcpy(i->text + name + media, m->data, m->len);
	} else {
		kept = meta_cache_put(&r->metas, m);
	}
	pthread_mutex_unlock(&r->lock);
	return kept;
}

static struct sync_entry *tick_at(const struct ring *r, uint64_t pos)
{
	struct sync_entry *s = pos != UINT64_MAX && pos >= r->tail ?
		(struct sync_entry *)entry_at(r, pos) : NULL;

	return s && s->entry.kind == BLOCK_SYNC && s->sync.why == TRAWL_SYNC_TICK ? s : NULL;
}

/*
 * Without events for hours, a sync block every second would fill the ring. The first and the last
 * one of that period are sufficient, so a new one replaces its predecessor.
 */
void ring_sync(struct ring *r, const struct trawl_sync *sync)
{
	struct sync_entry *s = NULL;

	pthread_mutex_lock(&r->lock);
	if (sync->why == TRAWL_SYNC_TICK && tick_at(r, r->before))
		s = tick_at(r, r->last);
	if (!s)
		s = (struct sync_entry *)push(r, BLOCK_SYNC, sizeof(*s), 0);
	s->sync = *sync;
	pthread_mutex_unlock(&r->lock);
}

void ring_loss(struct ring *r, const struct trawl_loss *l)
{
	struct loss_entry *i;

	pthread_mutex_lock(&r->lock);
	i = (struct loss_entry *)push(r, BLOCK_LOSS, sizeof(*i), 0);
	i->loss = *l;
	pthread_mutex_unlock(&r->lock);
}

void ring_state(struct ring *r, struct trawl_ring_state *state, uint64_t dropped[SOURCES_MAX])
{
	uint64_t pos;

	pthread_mutex_lock(&r->lock);
	*state = r->state;
	memcpy(dropped, r->dropped, sizeof(r->dropped));
	state->bytes = r->head - r->tail;
	state->since = r->sync.mono;
	for (pos = r->tail; !state->since && pos < r->head; pos += entry_at(r, pos)->size)
		if (entry_at(r, pos)->kind == BLOCK_SYNC)
			state->since = ((struct sync_entry *)entry_at(r, pos))->sync.mono;
	pthread_mutex_unlock(&r->lock);
}

/* ---- spills ------------------------------------------------------------------------------ */

static struct trawl_spill *take(struct ring *r, struct trawl_error *err)
{
	struct trawl_spill *s;

	if (r->spill) {
		trawl_fail(err, TRAWL_USAGE, "the ring's last file is still being written");
		return NULL;
	}
	s = calloc(1, sizeof(*s));
	if (s)
		s->metas = meta_cache_hold(&r->metas, &s->nmetas);
	if (!s || !s->metas) {
		free(s);
		trawl_fail(err, TRAWL_CANNOT, "out of memory");
		return NULL;
	}
	s->ring = r;
	s->from = r->tail;
	s->to = r->head;
	s->sync = r->sync;
	for (uint64_t pos = r->tail; pos < r->head; pos += entry_at(r, pos)->size)
		remember(r, entry_at(r, pos));
	r->tail = r->head;
	r->last = r->before = UINT64_MAX;
	r->state = (struct trawl_ring_state){ 0 };
	memset(r->dropped, 0, sizeof(r->dropped));
	r->spill = s;
	return s;
}

struct trawl_spill *ring_take(struct ring *r, struct batcher *const *batchers, uint32_t nbatchers,
			      const struct section_writer_front *front, struct trawl_error *err)
{
	struct trawl_spill *s;

	pthread_mutex_lock(&r->lock);
	s = take(r, err);
	if (s) {
		s->batchers = batchers;
		s->nbatchers = nbatchers;
		for (uint32_t i = 0; i < nbatchers; i++)
			s->ntypes[i] = atomic_load(&batchers[i]->ntypes);
		s->front = *front;
		s->front.part = r->part++;
	}
	pthread_mutex_unlock(&r->lock);
	return s;
}

static int put_front(const struct trawl_spill *s, struct section_writer *file, int fd)
{
	int ret = section_writer_begin(file, fd, &s->front);

	for (uint32_t i = 0; !ret && i < s->nbatchers; i++) {
		ret = section_writer_source(file, &s->batchers[i]->source);
		for (uint32_t k = 0; !ret && k < s->ntypes[i]; k++)
			ret = section_writer_type(file, s->batchers[i]->types[k], k);
	}
	for (size_t i = 0; !ret && i < s->nmetas; i++)
		ret = section_writer_meta(file, &s->metas[i]->meta);
	return !ret && s->sync.mono ? section_writer_sync(file, &s->sync) : ret;
}

static void count_unwritten(struct trawl_spill *s, const struct chunk_head *c)
{
	struct trawl_loss *l = &s->unwritten[c->source];

	l->from = l->count && l->from < c->first ? l->from : c->first;
	l->to = l->count && l->to > c->last ? l->to : c->last;
	l->count += c->count;
}

static void put_chunk(struct trawl_spill *s, struct section_writer *file,
		      const struct chunk_entry *i)
{
	struct chunk_head c = i->head;

	c.lost = s->lost[c.source];
	if (section_writer_failed(file) || section_writer_chunk(file, &c, i->payload, i->entry.len))
		count_unwritten(s, &c);
	else
		s->written += c.count;
}

static void put_entry(struct trawl_spill *s, struct section_writer *file, const struct entry *i)
{
	const struct trawl_loss *l;
	struct trawl_meta m;

	switch (i->kind) {
	case BLOCK_CHUNK:
		put_chunk(s, file, (const struct chunk_entry *)i);
		break;
	case BLOCK_SYNC:
		section_writer_sync(file, &((const struct sync_entry *)i)->sync);
		break;
	case BLOCK_LOSS:
		l = &((const struct loss_entry *)i)->loss;
		s->lost[l->source] += l->count != UINT64_MAX ? l->count : 0;
		section_writer_loss(file, l);
		break;
	case BLOCK_META:
		m = entry_meta(i);
		section_writer_meta(file, &m);
		break;
	}
}

static void put_end(struct trawl_spill *s, struct section_writer *file)
{
	uint64_t lost = 0;

	section_writer_use_reserve(file);
	if (section_writer_failed(file))
		return;
	for (uint32_t i = 0; i < s->nbatchers; i++) {
		struct trawl_loss *l = &s->unwritten[i];

		l->source = (uint16_t)i;
		l->cpu = UINT32_MAX;
		l->reason = TRAWL_LOSS_WRITE;
		if (l->count)
			section_writer_loss(file, l);
		lost += s->lost[i] + l->count;
	}
	section_writer_end(file, lost);
}

/* Frees the part of the buffer before pos. */
static void give_back(struct ring *r, uint64_t pos)
{
	pthread_mutex_lock(&r->lock);
	r->freed = pos;
	pthread_cond_broadcast(&r->freed_some);
	pthread_mutex_unlock(&r->lock);
}

static void spill_free(struct trawl_spill *s)
{
	struct ring *r = s->ring;

	pthread_mutex_lock(&r->lock);
	meta_cache_release(s->metas, s->nmetas);
	r->spill = NULL;
	pthread_mutex_unlock(&r->lock);
	free(s);
}

int spill_write(struct trawl_spill *s, int fd, uint64_t *events, struct trawl_error *err)
{
	struct section_writer file;
	int ret = put_front(s, &file, fd) ? section_writer_fail(&file, err) : 0;

	for (uint64_t pos = s->from; pos < s->to; give_back(s->ring, pos)) {
		const struct entry *i = entry_at(s->ring, pos);

		put_entry(s, &file, i);
		if (!ret && section_writer_failed(&file))
			ret = section_writer_fail(&file, err);
		pos += i->size;
	}
	put_end(s, &file);
	if (section_writer_close(&file) && !ret)
		ret = section_writer_fail(&file, err);
	*events = s->written;
	spill_free(s);
	return ret;
}
