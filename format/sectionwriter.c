/* SPDX-License-Identifier: MIT */
#include <errno.h>
#include <time.h>
#include <xxhash.h>

#include "format/sectionwriter.h"
#include "format/varint.h"

enum {
	END_RESERVE = 64 << 10, /* bytes reserved for the end of a file, besides its index */
	RESERVE_METAS = 16 << 10, /* most bytes of metadata in these */
	GROUP_MAX = 256 << 10, /* bytes of metadata from which a group block is written */
};

struct late_loss {
	struct trawl_loss loss;
	struct late_loss *next;
};

static void fail(struct section_writer *v, int error)
{
	if (!v->sink.error)
		v->sink.error = error;
}

/*
 * Call before a block that adds n bytes to the index: reserves the space for the end of the file
 * after it. The index is counted uncompressed.
 */
static void leave_room(struct section_writer *v, size_t n)
{
	if (!v->ending)
		v->sink.last = END_RESERVE + INDEX_OVERHEAD + v->index.items.len +
			       v->index.refs.len + n;
}

static void put_index(struct section_writer *v)
{
	struct buf body = { 0 };

	index_take(&v->index, v->sink.pos, &body);
	if (!v->ending)
		v->sink.last = END_RESERVE; /* the index has its space already */
	sink_block(&v->sink, BLOCK_INDEX, &body);
	buf_free(&body);
}

/* Call after every block: writes an index block if the index is full. */
static int settle(struct section_writer *v)
{
	if (index_is_full(&v->index) && !v->sink.error)
		put_index(v);
	return v->sink.error ? -1 : 0;
}

/* Writes a block and adds its copy to the index. Frees the body. */
static int put_indexed(struct section_writer *v, enum block_kind kind, struct buf *body)
{
	uint64_t at = v->sink.pos;

	leave_room(v, INDEX_ITEM + body->len);
	if (!sink_block(&v->sink, kind, body))
		index_item(&v->index, kind, at, body);
	buf_free(body);
	return settle(v);
}

/*
 * Writes the collected metadata as one block, which compresses far better than one block for each.
 * Must precede the chunks that need the metadata.
 */
static int put_group(struct section_writer *v)
{
	struct view items = { 0 };
	uint64_t at = v->sink.pos;
	int ret;

	if (!v->group.len && !v->group.failed)
		return 0;
	leave_room(v, 16 * v->group.len);
	ret = sink_block(&v->sink, BLOCK_GROUP, &v->group);
	if (!ret) /* else there may be no data */
		items = (struct view){ v->group.data, v->group.data + v->group.len, false };
	while (!ret && view_left(&items)) {
		enum block_kind kind = view_u8(&items);
		size_t len = (size_t)view_varint(&items);
		struct buf body = { .data = (uint8_t *)view_bytes(&items, len), .len = len };

		index_item(&v->index, kind, at, &body);
	}
	buf_free(&v->group);
	v->group = (struct buf){ 0 };
	return settle(v);
}

static int group_meta(struct section_writer *v, const struct buf *body)
{
	buf_u8(&v->group, BLOCK_META);
	buf_varint(&v->group, body->len);
	buf_put(&v->group, body->data, body->len);
	v->group.failed |= body->failed;
	return v->group.len > GROUP_MAX ? put_group(v) : settle(v);
}

static uint64_t realtime(void)
{
	struct timespec t;

	clock_gettime(CLOCK_REALTIME, &t);
	return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

/* Writes the pcapng blocks that any reader understands, then the start block. */
int section_writer_begin(struct section_writer *v, int fd, const struct section_writer_front *f)
{
	uint64_t now = f->time ? f->time : realtime();
	struct buf front = { 0 }, body = { 0 };
	uint64_t check;
	size_t n;

	memset(v, 0, sizeof(*v));
	v->name = f->name;
	v->compact = f->compact;
	v->index.none = f->no_index;
	sink_open(&v->sink, fd);
	leave_room(v, 0);
	meta_cache_init(&v->metas, RESERVE_METAS);
	pcapng_section(&front, f->comment);
	n = front.len;
	check = XXH64(front.data, n, 0);
	pcapng_journal(&front, now, f->comment);
	check = XXH64(front.data + n, front.len - n, check);
	buf_u64(&body, now);
	buf_u64(&body, check);
	buf_u32(&body, f->part);
	if (front.failed)
		fail(v, ENOMEM);
	else if (!sink_bytes(&v->sink, front.data, front.len))
		sink_start(&v->sink, f->compact ? FORMAT_COMPACT : FORMAT_WRITTEN, &body);
	buf_free(&front);
	buf_free(&body);
	return settle(v);
}

int section_writer_source(struct section_writer *v, const struct trawl_source *s)
{
	struct buf idb = { 0 }, body = { 0 };

	pcapng_interface(&idb, s);
	if (idb.failed)
		fail(v, ENOMEM);
	else
		sink_bytes(&v->sink, idb.data, idb.len);
	body_source(&body, s, XXH64(idb.data, idb.len, 0));
	buf_free(&idb);
	return put_indexed(v, BLOCK_SOURCE, &body);
}

int section_writer_type(struct section_writer *v, const struct trawl_event_type *t, uint32_t index)
{
	struct buf body = { 0 };

	body_type(&body, t, index);
	return put_indexed(v, BLOCK_EVENT_TYPE, &body);
}

int section_writer_meta(struct section_writer *v, const struct trawl_meta *m)
{
	struct meta_part p = { 0 };
	int ret = 0;

	while (!ret && meta_part_next(&p, m)) {
		struct buf body = { 0 };

		body_meta(&body, &p);
		if (v->compact && !v->ending && body.len < GROUP_MAX) {
			ret = group_meta(v, &body);
			buf_free(&body);
		} else {
			ret = put_group(v) | put_indexed(v, BLOCK_META, &body);
		}
	}
	if (ret && !v->ending)
		meta_cache_put(&v->metas, m);
	return ret;
}

int section_writer_sync(struct section_writer *v, const struct trawl_sync *s)
{
	struct buf body = { 0 };

	body_sync(&body, s);
	if (!put_indexed(v, BLOCK_SYNC, &body))
		return 0;
	v->sync = *s;
	return -1;
}

/* Keeps a loss for the end of the file, merged with others of its source, CPU and reason. */
static void keep_loss(struct section_writer *v, const struct trawl_loss *l)
{
	struct late_loss *k;

	for (k = v->losses; k; k = k->next) {
		struct trawl_loss *o = &k->loss;

		if (o->source != l->source || o->cpu != l->cpu || o->reason != l->reason)
			continue;
		o->from = l->from < o->from ? l->from : o->from;
		o->to = l->to > o->to ? l->to : o->to;
		o->count = l->count > UINT64_MAX - o->count ? UINT64_MAX : o->count + l->count;
		return;
	}
	k = malloc(sizeof(*k));
	if (!k)
		return;
	*k = (struct late_loss){ *l, v->losses };
	v->losses = k;
}

int section_writer_loss(struct section_writer *v, const struct trawl_loss *l)
{
	struct buf body = { 0 };

	body_loss(&body, l);
	if (!put_indexed(v, BLOCK_LOSS, &body))
		return 0;
	if (!v->ending)
		keep_loss(v, l);
	return -1;
}

int section_writer_chunk(struct section_writer *v, struct chunk_head *c, const void *payload,
			 size_t len)
{
	struct chunk_ref r = {
		.first = c->first, .last = c->last, .count = c->count, .source = c->source,
	};

	if (put_group(v))
		return -1;
	c->payload = (uint32_t)len;
	if (len > BLOCK_BODY_MAX - CHUNK_HEAD)
		fail(v, EMSGSIZE);
	leave_room(v, INDEX_REF);
	if (sink_chunk(&v->sink, c, payload, &r.at, &r.len))
		return -1;
	index_ref(&v->index, &r);
	return settle(v);
}

void section_writer_use_reserve(struct section_writer *v)
{
	put_group(v);
	v->ending = true;
	sink_use_reserve(&v->sink);
	for (struct late_loss *k = v->losses; k; k = k->next)
		section_writer_loss(v, &k->loss);
	if (v->sync.mono)
		section_writer_sync(v, &v->sync);
	for (struct cached_meta *k = v->metas.oldest; k; k = k->newer)
		section_writer_meta(v, &k->meta);
}

/* The index compresses to between a quarter and a half. */
uint64_t section_writer_size(const struct section_writer *v)
{
	return v->sink.pos + (v->index.items.len + v->index.refs.len) / 3 + END_BLOCK;
}

void section_writer_end(struct section_writer *v, uint64_t lost)
{
	struct end_mark e = {
		.events = v->index.events, .chunks = v->index.chunks, .lost = lost,
	};
	struct buf body = { 0 };

	put_group(v);
	if (!v->index.none)
		put_index(v);
	e.section = v->sink.pos;
	e.index = v->index.none ? 0 : v->sink.pos - v->index.last;
	e.blocks = v->sink.seq;
	end_put(&body, &e);
	sink_block(&v->sink, BLOCK_END, &body);
	buf_free(&body);
}

int section_writer_close(struct section_writer *v)
{
	if (sink_close(&v->sink))
		fail(v, errno);
	index_free(&v->index);
	buf_free(&v->group);
	memset(&v->group, 0, sizeof(v->group));
	memset(&v->index, 0, sizeof(v->index));
	meta_cache_free(&v->metas);
	while (v->losses) {
		struct late_loss *k = v->losses;

		v->losses = k->next;
		free(k);
	}
	return v->sink.error ? -1 : 0;
}

int section_writer_fail(const struct section_writer *v, struct trawl_error *err)
{
	return sink_fail(v->sink.error, v->name, err);
}
