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

static void fail(struct section_writer *file, int error)
{
	if (!file->sink.error)
		file->sink.error = error;
}

/*
 * Call before a block that adds n bytes to the index: reserves the space for the end of the file
 * after it. The index is counted uncompressed.
 */
static void leave_room(struct section_writer *file, size_t n)
{
	if (!file->ending)
		file->sink.last = END_RESERVE + INDEX_OVERHEAD + file->index.items.len +
			       file->index.refs.len + n;
}

static void put_index(struct section_writer *file)
{
	struct buf body = { 0 };

	index_take(&file->index, file->sink.pos, &body);
	if (!file->ending)
		file->sink.last = END_RESERVE; /* the index has its space already */
	sink_block(&file->sink, BLOCK_INDEX, &body);
	buf_free(&body);
}

/* Call after every block: writes an index block if the index is full. */
static int settle(struct section_writer *file)
{
	if (index_is_full(&file->index) && !file->sink.error)
		put_index(file);
	return file->sink.error ? -1 : 0;
}

/* Writes a block and adds its copy to the index. Frees the body. */
static int put_indexed(struct section_writer *file, enum block_kind kind, struct buf *body)
{
	uint64_t at = file->sink.pos;

	leave_room(file, INDEX_ITEM + body->len);
	if (!sink_block(&file->sink, kind, body))
		index_item(&file->index, kind, at, body);
	buf_free(body);
	return settle(file);
}

/*
 * Writes the collected metadata as one block, which compresses far better than one block for each.
 * Must precede the chunks that need the metadata.
 */
static int put_group(struct section_writer *file)
{
	struct view items = { 0 };
	uint64_t at = file->sink.pos;
	int ret;

	if (!file->group.len && !file->group.failed)
		return 0;
	leave_room(file, 16 * file->group.len);
	ret = sink_block(&file->sink, BLOCK_GROUP, &file->group);
	if (!ret) /* else there may be no data */
		items = (struct view){ file->group.data, file->group.data + file->group.len,
				       false };
	while (!ret && view_left(&items)) {
		enum block_kind kind = view_u8(&items);
		size_t len = (size_t)view_varint(&items);
		struct buf body = { .data = (uint8_t *)view_bytes(&items, len), .len = len };

		index_item(&file->index, kind, at, &body);
	}
	buf_free(&file->group);
	file->group = (struct buf){ 0 };
	return settle(file);
}

static int group_meta(struct section_writer *file, const struct buf *body)
{
	buf_u8(&file->group, BLOCK_META);
	buf_varint(&file->group, body->len);
	buf_put(&file->group, body->data, body->len);
	file->group.failed |= body->failed;
	return file->group.len > GROUP_MAX ? put_group(file) : settle(file);
}

static uint64_t realtime(void)
{
	struct timespec t;

	clock_gettime(CLOCK_REALTIME, &t);
	return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

/* Writes the pcapng blocks that any reader understands, then the start block. */
int section_writer_begin(struct section_writer *file, int fd, const struct section_writer_front *f)
{
	uint64_t now = f->time ? f->time : realtime();
	struct buf front = { 0 }, body = { 0 };
	uint64_t check;
	size_t n;

	memset(file, 0, sizeof(*file));
	file->name = f->name;
	file->compact = f->compact;
	file->index.none = f->no_index;
	sink_open(&file->sink, fd);
	leave_room(file, 0);
	meta_cache_init(&file->metas, RESERVE_METAS);
	pcapng_section(&front, f->comment);
	n = front.len;
	check = XXH64(front.data, n, 0);
	pcapng_journal(&front, now, f->comment);
	check = XXH64(front.data + n, front.len - n, check);
	buf_u64(&body, now);
	buf_u64(&body, check);
	buf_u32(&body, f->part);
	if (front.failed)
		fail(file, ENOMEM);
	else if (!sink_bytes(&file->sink, front.data, front.len))
		sink_start(&file->sink, f->compact ? FORMAT_COMPACT : FORMAT_WRITTEN, &body);
	buf_free(&front);
	buf_free(&body);
	return settle(file);
}

int section_writer_source(struct section_writer *file, const struct trawl_source *s)
{
	struct buf idb = { 0 }, body = { 0 };

	pcapng_interface(&idb, s);
	if (idb.failed)
		fail(file, ENOMEM);
	else
		sink_bytes(&file->sink, idb.data, idb.len);
	body_source(&body, s, XXH64(idb.data, idb.len, 0));
	buf_free(&idb);
	return put_indexed(file, BLOCK_SOURCE, &body);
}

int section_writer_type(struct section_writer *file, const struct trawl_event_type *t,
			uint32_t index)
{
	struct buf body = { 0 };

	body_type(&body, t, index);
	return put_indexed(file, BLOCK_EVENT_TYPE, &body);
}

int section_writer_meta(struct section_writer *file, const struct trawl_meta *m)
{
	struct meta_part p = { 0 };
	int ret = 0;

	while (!ret && meta_part_next(&p, m)) {
		struct buf body = { 0 };

		body_meta(&body, &p);
		if (file->compact && !file->ending && body.len < GROUP_MAX) {
			ret = group_meta(file, &body);
			buf_free(&body);
		} else {
			ret = put_group(file) | put_indexed(file, BLOCK_META, &body);
		}
	}
	if (ret && !file->ending)
		meta_cache_put(&file->metas, m);
	return ret;
}

int section_writer_sync(struct section_writer *file, const struct trawl_sync *s)
{
	struct buf body = { 0 };

	body_sync(&body, s);
	if (!put_indexed(file, BLOCK_SYNC, &body))
		return 0;
	file->sync = *s;
	return -1;
}

/* Keeps a loss for the end of the file, merged with others of its source, CPU and reason. */
static void keep_loss(struct section_writer *file, const struct trawl_loss *l)
{
	struct late_loss *k;

	for (k = file->losses; k; k = k->next) {
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
	*k = (struct late_loss){ *l, file->losses };
	file->losses = k;
}

int section_writer_loss(struct section_writer *file, const struct trawl_loss *l)
{
	struct buf body = { 0 };

	body_loss(&body, l);
	if (!put_indexed(file, BLOCK_LOSS, &body))
		return 0;
	if (!file->ending)
		keep_loss(file, l);
	return -1;
}

int section_writer_chunk(struct section_writer *file, struct chunk_head *c, const void *payload,
			 size_t len)
{
	struct chunk_ref r = {
		.first = c->first, .last = c->last, .count = c->count, .source = c->source,
	};

	if (put_group(file))
		return -1;
	c->payload = (uint32_t)len;
	if (len > BLOCK_BODY_MAX - CHUNK_HEAD)
		fail(file, EMSGSIZE);
	leave_room(file, INDEX_REF);
	if (sink_chunk(&file->sink, c, payload, &r.at, &r.len))
		return -1;
	index_ref(&file->index, &r);
	return settle(file);
}

void section_writer_use_reserve(struct section_writer *file)
{
	put_group(file);
	file->ending = true;
	sink_use_reserve(&file->sink);
	for (struct late_loss *k = file->losses; k; k = k->next)
		section_writer_loss(file, &k->loss);
	if (file->sync.mono)
		section_writer_sync(file, &file->sync);
	for (struct cached_meta *k = file->metas.oldest; k; k = k->newer)
		section_writer_meta(file, &k->meta);
}

/* The index compresses to between a quarter and a half. */
uint64_t section_writer_size(const struct section_writer *file)
{
	return file->sink.pos + (file->index.items.len + file->index.refs.len) / 3 + END_BLOCK;
}

void section_writer_end(struct section_writer *file, uint64_t lost)
{
	struct end_mark e = {
		.events = file->index.events, .chunks = file->index.chunks, .lost = lost,
	};
	struct buf body = { 0 };

	put_group(file);
	if (!file->index.none)
		put_index(file);
	e.section = file->sink.pos;
	e.index = file->index.none ? 0 : file->sink.pos - file->index.last;
	e.blocks = file->sink.seq;
	end_put(&body, &e);
	sink_block(&file->sink, BLOCK_END, &body);
	buf_free(&body);
}

int section_writer_close(struct section_writer *file)
{
	if (sink_close(&file->sink))
		fail(file, errno);
	index_free(&file->index);
	buf_free(&file->group);
	memset(&file->group, 0, sizeof(file->group));
	memset(&file->index, 0, sizeof(file->index));
	meta_cache_free(&file->metas);
	while (file->losses) {
		struct late_loss *k = file->losses;

		file->losses = k->next;
		free(k);
	}
	return file->sink.error ? -1 : 0;
}

int section_writer_fail(const struct section_writer *file, struct trawl_error *err)
{
	return sink_fail(file->sink.error, file->name, err);
}
