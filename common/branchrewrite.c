/* SPDX-License-Identifier: MIT */
#include "config.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/branch.h"
#include "common/branchrecord.h"
#include "common/branchrewrite.h"
#include "format/trawl.h"

enum {
	FILE_MOST = 16 << 20,
	BATCH_BYTES = 8192, /* mean size from which batches count as long */
	TASKS = 8,          /* most open batches: an encoder takes 3 MB */
	LEVEL = 9,          /* zstd's */
};

/* A batch of a task that is being filled. */
struct open_batch {
	struct branch_encoder *encoder; /* reused */
	struct branch_record head;
	uint64_t first;
	bool used;
};

struct rewrite {
	struct trawl_reader *r;
	struct trawl_writer *w;
	int sources[256];      /* number of each source in the new file; -1: none */
	uint16_t source;       /* of the open batches; its number in the new file */
	struct open_batch open[TASKS];
	struct trawl_sync sync; /* the newest */
	size_t syncs;           /* number of clock-syncs so far */
	uint64_t bytes, batches;
};

/* ---- sources, types and metadata --------------------------------------------------------- */

static bool put_types(struct rewrite *m, uint16_t number)
{
	size_t n = trawl_section_type_count(m->r, 0, number);
	struct trawl_error ignored;

	for (size_t i = 0; i < n; i++) {
		const struct trawl_event_type *t = trawl_section_type(m->r, 0, number, i);
		struct trawl_event_type type;

		if (!t)
			return false;
		type = *t;
		type.source = (uint16_t)m->sources[number];
		if (trawl_writer_event_type(m->w, &type, &ignored))
			return false;
	}
	return true;
}

static bool put_sources(struct rewrite *m)
{
	struct trawl_error ignored;

	for (uint16_t i = 0; i < 256; i++) {
		const struct trawl_source *s = trawl_section_source(m->r, 0, i);

		m->sources[i] = s ? trawl_writer_source(m->w, s, &ignored) : -1;
		if (s && (m->sources[i] < 0 || !put_types(m, i)))
			return false;
	}
	return true;
}

static bool put_loss(struct rewrite *m, struct trawl_loss l)
{
	struct trawl_error ignored;

	for (uint16_t i = 0; i < 256; i++) {
		const struct trawl_source *s = trawl_section_source(m->r, 0, i);

		if (!s || s->id != l.source)
			continue;
		l.source = (uint16_t)m->sources[i];
		return !trawl_writer_loss(m->w, &l, &ignored);
	}
	return false;
}

static bool put_front(struct rewrite *m)
{
	struct trawl_error ignored;

	if (!put_sources(m))
		return false;
	for (size_t i = 0; i < trawl_meta_count(m->r); i++) {
		if (trawl_writer_meta(m->w, trawl_meta_at(m->r, i), &ignored))
			return false;
	}
	for (size_t i = 0; i < trawl_loss_count(m->r); i++) {
		if (!put_loss(m, *trawl_loss_at(m->r, i)))
			return false;
	}
	return true;
}

/* ---- batches ----------------------------------------------------------------------------- */

static bool end_batch(struct rewrite *m, struct open_batch *o)
{
	struct trawl_error ignored;
	size_t len;
	const void *data;
	uint8_t *record;
	bool ok;

	if (!o->used)
		return true;
	o->used = false;
	data = branch_encoder_finish(o->encoder, &len);
	record = data ? malloc(sizeof(o->head) + len) : NULL;
	if (!record)
		return false;
	memcpy(record, &o->head, sizeof(o->head));
	memcpy(record + sizeof(o->head), data, len);
	ok = !trawl_append(m->w,
			   &(struct trawl_record){ m->source, BRANCH_TYPE_STREAM, o->head.tid,
						   o->first, record, sizeof(o->head) + len },
			   &ignored);
	free(record);
	return ok;
}

static bool end_batches(struct rewrite *m)
{
	for (size_t i = 0; i < TASKS; i++) {
		if (!end_batch(m, &m->open[i]))
			return false;
	}
	return true;
}

/* Returns the open batch of the task, or a free one; NULL if there is neither. */
static struct open_batch *batch_of(struct rewrite *m, const struct branch_record *head)
{
	struct open_batch *unused = NULL;

	for (size_t i = 0; i < TASKS; i++) {
		struct open_batch *o = &m->open[i];

		if (o->used && o->head.tid == head->tid)
			return o;
		if (!o->used)
			unused = o;
	}
	return unused;
}

/* Returns the time of the newest metadata KIND and ID before `time`; 0: there is none. */
static uint64_t known_since(const struct rewrite *m, const char *kind, uint32_t id, uint64_t time)
{
	uint64_t since = 0;
	char name[64];

	snprintf(name, sizeof(name), "%s%u", kind, id);
	for (size_t i = 0; i < trawl_meta_count(m->r); i++) {
		const struct trawl_meta *meta = trawl_meta_at(m->r, i);

		if (meta->time <= time && meta->time > since && !strcmp(meta->name, name))
			since = meta->time;
	}
	return since;
}

/*
 * Whether a batch can be added to the open one: a batch must not span a change of mappings, nor of
 * the task's name. The mappings at its end are its own: its first branches may have happened any
 * time after the batch before.
 */
static bool follows(const struct rewrite *m, const struct open_batch *o,
		    const struct branch_record *head, uint64_t first)
{
	return o->head.pid == head->pid && o->head.backend == head->backend &&
	       first >= o->head.until &&
	       known_since(m, "task/", head->tid, first) ==
		       known_since(m, "task/", head->tid, o->first) &&
	       known_since(m, BRANCH_MAPS_NAME, head->pid, head->until) ==
		       known_since(m, BRANCH_MAPS_NAME, head->pid, o->head.until);
}

static bool begin_batch(struct open_batch *o, const struct branch_record *head, uint64_t first)
{
	if (!o->encoder)
		o->encoder = branch_encoder_new();
	if (!o->encoder)
		return false;
	branch_encoder_start(o->encoder, first);
	o->head = *head;
	o->head.count = 0;
	o->first = first;
	o->used = true;
	return true;
}

static bool add_batch(struct rewrite *m, const struct branch_record *head,
		      const struct branch_batch *b, uint64_t first)
{
	struct open_batch *o = batch_of(m, head);

	/* no open batch of this task, it cannot be continued, or it is full */
	if (!o || (o->used && !follows(m, o, head, first)) ||
	    (o->used && !branch_encoder_append(o->encoder, b, first, head->until))) {
		if (!end_batches(m))
			return false;
		o = batch_of(m, head);
	}
	if (!o->used && (!begin_batch(o, head, first) ||
			 !branch_encoder_append(o->encoder, b, first, head->until)))
		return false;
	o->head.count += head->count;
	o->head.until = head->until;
	return true;
}

static bool take_event(struct rewrite *m, const struct trawl_event *ev)
{
	struct branch_record head;
	struct branch_batch b;
	bool ok;

	if (ev->type->id != BRANCH_TYPE_STREAM || ev->len < sizeof(head))
		return false;
	memcpy(&head, ev->record, sizeof(head));
	ok = !branch_batch_decode(&b, (const uint8_t *)ev->record + sizeof(head),
				  ev->len - sizeof(head), head.count, ev->ts) &&
	     ev->cpu == head.tid && head.until >= ev->ts && add_batch(m, &head, &b, ev->ts);
	branch_batch_free(&b);
	return ok;
}

static bool take_batches(struct rewrite *m, const struct trawl_piece *p)
{
	const struct trawl_chunk *chunk;
	struct trawl_cursor *cursor;
	struct trawl_event ev;
	bool ok;
	int got = 0;

	m->bytes += p->bytes;
	m->batches += p->count;
	/* the batches are long already */
	if (m->bytes > (uint64_t)BATCH_BYTES * 64 && m->bytes / m->batches > BATCH_BYTES)
		return false;
	m->source = (uint16_t)m->sources[p->number];
	if (!trawl_piece_decode(m->r, p, &chunk))
		return false;
	cursor = trawl_cursor_new(chunk);
	ok = cursor;
	for (uint32_t i = 0; ok && i < chunk->nstreams; i++) {
		while (ok && (got = trawl_cursor_next(cursor, i, &ev)) > 0)
			ok = take_event(m, &ev);
		ok = ok && !got;
	}
	trawl_cursor_free(cursor);
	return ok;
}

/*
 * Times are MONOTONIC and the clock was not set: the first clock-sync and the last give the same
 * times as all of them. Each ends a chunk, and the pairs of one chunk's batches compress together.
 */
static bool take_sync(struct rewrite *m, const struct trawl_sync *s)
{
	struct trawl_error ignored;

	if (s->why == TRAWL_SYNC_STEP)
		return false;
	m->sync = *s;
	return m->syncs++ || !trawl_writer_sync(m->w, s, &ignored);
}

static bool end(struct rewrite *m)
{
	struct trawl_error ignored;

	return end_batches(m) && (m->syncs < 2 || !trawl_writer_sync(m->w, &m->sync, &ignored));
}

static bool take_piece(struct rewrite *m, struct trawl_piece *p)
{
	struct trawl_error ignored;

	if (p->sync)
		return take_sync(m, p->sync);
	if (p->source->clock != TRAWL_CLOCK_MONO || !trawl_piece_read(m->r, p))
		return false;
	if (!strcmp(p->source->kind, BRANCH_SOURCE_KIND))
		return take_batches(m, p);
	/* keeps the order of the chunks of all sources */
	return end_batches(m) &&
	       !trawl_writer_chunk(m->w, (uint16_t)m->sources[p->number], p, &ignored);
}

/* ---- the file ---------------------------------------------------------------------------- */

static bool rewrite(struct rewrite *m, int to)
{
	struct trawl_writer_options o = { .level = LEVEL, .comment = "", .compact = true,
					  .no_index = true };
	struct trawl_verdict verdict;
	struct trawl_error ignored;
	struct trawl_piece p;
	bool ok = true;
	int got = 0, copy;

	if (trawl_section_count(m->r) != 1)
		return false;
	while (ok && (got = trawl_next_piece(m->r, &p, &ignored)) > 0) {
		if (!m->w) {
			o.time = p.sync ? p.sync->real : 1;
			copy = dup(to);
			m->w = copy < 0 ? NULL : trawl_writer_new(copy, &o, &ignored);
			ok = m->w && put_front(m);
		}
		ok = ok && take_piece(m, &p);
	}
	trawl_verdict(m->r, &verdict);
	return ok && !got && m->w && end(m) && verdict.complete && !verdict.damaged &&
	       !verdict.junk && !trawl_pieces_failed(m->r, &ignored);
}

bool branch_rewrite(int from, int to)
{
	struct rewrite *m = calloc(1, sizeof(*m));
	struct trawl_error ignored;
	struct stat before, after;
	bool ok = m && !fstat(from, &before) && S_ISREG(before.st_mode) &&
		  before.st_size <= FILE_MOST;

	if (ok)
		m->r = trawl_open_fd(from, "capture", NULL, &ignored);
	ok = ok && m->r && rewrite(m, to);
	if (m && m->w && trawl_writer_close(m->w, &ignored))
		ok = false;
	for (size_t i = 0; m && i < TASKS; i++)
		branch_encoder_free(m->open[i].encoder);
	if (m)
		trawl_close(m->r);
	free(m);
	return ok && !fstat(to, &after) && after.st_size < before.st_size;
}
