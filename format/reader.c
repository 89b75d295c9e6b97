/* SPDX-License-Identifier: MIT */
/*
 * Reading a file: the functions of trawl.h. The walk finds blocks, the catalog keeps what is known
 * of the file besides events, and the merge gives events in time order.
 */
#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <unistd.h>

#include "format/intake.h"
#include "format/lanes.h"
#include "format/locate.h"
#include "format/reader.h"
#include "format/rule.h"
#include "format/segment.h"

/*
 * Bytes of chunks that are held for a pipe without usable horizons, before their order may be
 * wrong.
 */
enum { HELD_MAX = 64 << 20 };

/* ---- opening and closing ----------------------------------------------------------------- */

const uint8_t *reader_fetch(struct trawl_reader *r, const struct section *s,
			    const struct chunk_ref *ref, size_t *len)
{
	uint64_t at = s->start + ref->at;
	struct chunk_head c;
	const char *why = RULE("Damage", "a chunk that is listed is not there");
	struct block b = { 0 };
	const uint8_t *p;
	size_t got;

	p = input_at(&r->in, at, ref->len, &got);
	if (got == ref->len && block_head(p, got, &b) == BLOCK_OK && b.kind == BLOCK_CHUNK &&
	    b.len == ref->len && block_whole(p, &b)) {
		chunk_head_get(p, &c);
		*len = c.payload;
		if (c.source == ref->source && c.count == ref->count && c.first == ref->first &&
		    c.last == ref->last) {
			if (chunk_payload_ok(p, &c))
				return p + BLOCK_HEAD + CHUNK_HEAD;
			why = RULE_PAYLOAD;
		}
	}
	damage_add(&r->damage, at, b.broken ? b.broken : why);
	return NULL;
}

/* Reads a pipe up to the first block of this format, so that another format is refused at once. */
static int pipe_front(struct trawl_reader *r, struct trawl_error *err)
{
	struct walked f = { 0 };
	enum walk step = WALK_BLOCK;

	walk_init(&r->walk, &r->in, &r->damage, 0, UINT64_MAX);
	r->walk.payloads = true;
	while (!r->ours && (step = walk_next(&r->walk, &f)) == WALK_BLOCK) {
		if (block_is_packet(&f.b))
			return walk_fault(r, WALK_END, &f, err);
		if (!reader_take(r, &f))
			return reader_no_memory(r, err);
	}
	if (step == WALK_BLOCK) {
		merge_begin(&r->lane.merge, r->section);
		return 0;
	}
	r->pipe = PIPE_ENDED;
	return walk_fault(r, step, &f, err);
}

static struct trawl_reader *reader_start(struct trawl_reader *r, struct trawl_error *err)
{
	r->range.to = UINT64_MAX;
	if (!r->catalog.budget.memory)
		r->catalog.budget.memory = &r->memory;
	lane_init(r, &r->lane);
	if (!probe_front(r, err) &&
	    !(r->in.seekable ? locate(r, err) : pipe_front(r, err))) {
		if (r->in.seekable && lanes_any(r) && lanes_order_metas(r, err)) {
			trawl_close(r);
			return NULL;
		}
		/* a search that fails may look like the end of the input */
		if (!r->in.error)
			return r;
		reader_unread(r, err);
	}
	trawl_close(r);
	return NULL;
}

int reader_no_memory(const struct trawl_reader *r, struct trawl_error *err)
{
	const struct budget *b = &r->catalog.budget;

	if (!b->refused)
		return trawl_fail(err, TRAWL_CANNOT,
				  "%s: out of memory; end other programs, or read a part (--from, "
				  "--to)",
				  r->name);
	return memory_refused(b->memory, r->name, b->refused, err);
}

struct trawl_reader *trawl_open(const char *path, struct trawl_error *err)
{
	return trawl_open_within(path, NULL, err);
}

/* Opens a descriptor, which it owns. fd -1: fails by errno, that of the failed open(). */
static struct trawl_reader *open_taken(int fd, const char *path, struct trawl_memory *memory,
				       struct trawl_error *err)
{
	struct trawl_reader *r = fd < 0 ? NULL : calloc(1, sizeof(*r));

	if (r)
		r->name = strdup(strcmp(path, "-") ? path : "standard input");
	if (r && r->name) {
		input_fd(&r->in, fd);
		r->catalog.budget.memory = memory;
		return reader_start(r, err);
	}
	if (fd < 0) {
		trawl_fail(err, TRAWL_CANNOT, "%s: cannot be opened: %s", path, strerror(errno));
		err->sys = errno;
	} else {
		trawl_fail(err, TRAWL_CANNOT, "%s: out of memory", path);
		close(fd);
	}
	free(r);
	return NULL;
}

struct trawl_reader *trawl_open_within(const char *path, struct trawl_memory *memory,
				       struct trawl_error *err)
{
	int fd = STDIN_FILENO, end = 0;

	if (!strcmp(path, "-") ||
	    (sscanf(path, "/proc/self/fd/%d%n", &fd, &end) == 1 && end && !path[end]))
		return trawl_open_fd(fd, path, memory, err);
	return open_taken(open(path, O_RDONLY | O_CLOEXEC), path, memory, err);
}

bool trawl_is_seekable(const struct trawl_reader *r)
{
	return r->in.seekable;
}

/* Uses dup(), which a sandbox allows. It shares the file offset, which files are not read by. */
struct trawl_reader *trawl_open_fd(int fd, const char *name, struct trawl_memory *memory,
				   struct trawl_error *err)
{
	return open_taken(dup(fd), name, memory, err);
}

struct trawl_reader *reader_memory(const void *p, size_t n, bool pipe, struct trawl_error *err)
{
	struct trawl_reader *r = calloc(1, sizeof(*r));

	if (r)
		r->name = strdup("memory");
	if (!r || !r->name) {
		free(r);
		trawl_fail(err, TRAWL_CANNOT, "out of memory");
		return NULL;
	}
	input_memory(&r->in, p, n, pipe);
	return reader_start(r, err);
}

void trawl_when_waiting(struct trawl_reader *r, void (*call)(void *arg), void *arg)
{
	r->in.waiting = call;
	r->in.arg = arg;
}

void trawl_close(struct trawl_reader *r)
{
	if (!r)
		return;
	merge_free(&r->lane.merge);
	lanes_free(r);
	chunk_decoder_free(r->decoder);
	budget_return(&r->catalog.budget, r->catalog.budget.used);
	catalog_free(&r->catalog);
	input_close(&r->in);
	bundle_free(r->segment);
	bundle_free(r->near);
	buf_free(&r->tmp);
	buf_free(&r->index);
	free(r->name);
	free(r);
}

int trawl_select(struct trawl_reader *r, const struct trawl_range *range, struct trawl_error *err)
{
	if (range->from > range->to)
		return trawl_fail(err, TRAWL_USAGE, "the range ends before it begins");
	r->range = *range;
	r->lane.merge.range = *range;
	return 0;
}

/* ---- reading on -------------------------------------------------------------------------- */

/* Begins the next section or sections of a file. Returns 1; 0 if there is none; -1 with *err. */
static int file_more(struct trawl_reader *r, struct trawl_error *err)
{
	size_t first = r->next_section, n;

	lanes_free(r);
	if (first >= r->catalog.sections.n)
		return 0;
	n = lanes_count(r, first);
	r->next_section += n;
	if (n > 1)
		return lanes_begin(r, first, n, err) ? -1 : 1;
	return lane_begin(r, &r->lane, r->catalog.sections.p[first], err) ? -1 : 1;
}

bool reader_read(struct trawl_reader *r, enum reading how)
{
	if (r->reading == READING_DONE)
		return false;
	assert(r->reading == READING_NOTHING || r->reading == how);
	r->reading = how;
	return true;
}

int reader_finish(struct trawl_reader *r, struct trawl_error *err)
{
	assert(r->reading != READING_DONE);
	r->reading = READING_DONE;
	if (!r->in.seekable || r->unchecked || r->range.from || r->range.to != UINT64_MAX ||
	    !reader_wants_all(r))
		return 0;
	return locate_check(r, err);
}

/* Reads the next block of a pipe. Returns 1; 0 at the end of the section or input; -1 with *err. */
static int pipe_block(struct trawl_reader *r, struct trawl_error *err)
{
	struct section *before = r->section;
	struct walked f;
	enum walk step;

	assert(r->pipe != PIPE_SECTION);
	if (r->pipe == PIPE_ENDED)
		return 0;
	step = walk_next(&r->walk, &f);
	if (step != WALK_BLOCK) {
		r->pipe = PIPE_ENDED;
		return walk_fault(r, step, &f, err);
	}
	if (!reader_take(r, &f))
		return reader_no_memory(r, err);
	if (before && r->section != before)
		r->pipe = PIPE_SECTION;
	return r->pipe == PIPE_OPEN;
}

/* After all events of a section: begins the next one. Returns false at the end of the input. */
static bool pipe_section(struct trawl_reader *r)
{
	if (r->lane.merge.section == r->section)
		return false;
	merge_begin(&r->lane.merge, r->section);
	r->limit = 0;
	if (r->pipe == PIPE_SECTION)
		r->pipe = PIPE_OPEN;
	return true;
}

static int pipe_next(struct trawl_reader *r, struct trawl_event *ev, struct trawl_error *err)
{
	int ret;

	for (;;) {
		bool all = r->pipe != PIPE_OPEN || r->lane.merge.held > HELD_MAX;

		ret = merge_next(&r->lane.merge, all ? UINT64_MAX : r->limit, ev);
		if (ret < 0)
			return reader_no_memory(r, err);
		if (ret)
			return 1;
		if (r->pipe != PIPE_OPEN && !pipe_section(r))
			return 0;
		if (r->pipe == PIPE_OPEN && pipe_block(r, err) < 0)
			return -1;
	}
}

int trawl_next(struct trawl_reader *r, struct trawl_event *ev, struct trawl_error *err)
{
	int ret = r->in.seekable ? merge_next_due(&r->lane.merge, ev) : 0;

	if (ret > 0)
		return 1;
	if (!reader_read(r, READING_EVENTS))
		return 0;
	if (!r->in.seekable) {
		ret = pipe_next(r, ev, err);
		r->events += ret == 1;
		if (!ret)
			r->reading = READING_DONE;
		return ret;
	}
	do {
		ret = r->lanes ? lanes_next(r, ev, err) : lane_next(r, &r->lane, ev, err);
		if (ret)
			return ret;
		ret = file_more(r, err);
	} while (ret > 0);
	return ret ? ret : reader_finish(r, err);
}

/* ---- chunk by chunk ---------------------------------------------------------------------- */

bool reader_decode(struct trawl_reader *r, const struct section *s, const struct chunk_ref *ref,
		   const uint8_t *payload, size_t len, const struct trawl_chunk **chunk)
{
	struct chunk_schema schema = section_schema(s, ref->source);
	const struct chunk_payload p = { .data = payload, .len = len, .count = ref->count };
	struct trawl_error err;

	if (!chunk_decoder_ready(&r->decoder, &r->catalog.budget))
		return false;
	if (!chunk_decode(r->decoder, &schema, &p, chunk, &err))
		return true;
	damage_add_chunk(&r->damage, s->start + ref->at, &err, &r->catalog.budget);
	return false;
}

static int pipe_chunk(struct trawl_reader *r, const struct trawl_chunk **chunk,
		      struct trawl_error *err)
{
	int ret;

	while (r->pipe != PIPE_ENDED) {
		r->payload = NULL;
		ret = pipe_block(r, err);
		if (r->pipe == PIPE_SECTION)
			r->pipe = PIPE_OPEN;
		if (ret < 0)
			return -1;
		if (!r->payload)
			continue;
		if (reader_decode(r, r->section, &r->chunk, r->payload, r->payload_len, chunk)) {
			r->events += r->chunk.count;
			return 1;
		}
		catalog_lose_chunk(&r->catalog, r->section, &r->chunk);
	}
	r->reading = READING_DONE;
	return 0;
}

/* Reads the next segment that has chunks. Returns 1; 0 at the end; -1 with *err. */
static int next_segment(struct trawl_reader *r, struct trawl_error *err)
{
	while (!r->segment || r->next_ref == r->segment->n) {
		const struct section *s;

		if (r->next_section >= r->catalog.sections.n)
			return 0;
		s = r->catalog.sections.p[r->next_section];
		bundle_free(r->segment);
		r->segment = NULL;
		r->next_ref = 0;
		if (r->next_segment == s->nsegments) {
			r->next_section++;
			r->next_segment = 0;
			continue;
		}
		r->segment = segment_read(r, s, r->next_segment++, err);
		if (!r->segment)
			return -1;
	}
	return 1;
}

static bool file_chunk(struct trawl_reader *r, const struct section *s,
		       const struct chunk_ref *ref, const struct trawl_chunk **chunk)
{
	const uint8_t *p;
	size_t len;

	if (!s->sources[ref->source]) {
		damage_add(&r->damage, s->start + ref->at, RULE_NO_SOURCE);
		return false;
	}
	if (!segment_wanted(r, s, &r->segment->clocks, ref))
		return false;
	p = reader_fetch(r, s, ref, &len);
	if (p && reader_decode(r, s, ref, p, len, chunk))
		return true;
	catalog_lose_chunk(&r->catalog, s, ref);
	return false;
}

int trawl_next_chunk(struct trawl_reader *r, const struct trawl_chunk **chunk,
		     struct trawl_error *err)
{
	int ret;

	if (!reader_read(r, READING_CHUNKS))
		return 0;
	if (!r->in.seekable)
		return pipe_chunk(r, chunk, err);
	while ((ret = next_segment(r, err)) > 0) {
		const struct section *s = r->catalog.sections.p[r->next_section];

		while (r->next_ref < r->segment->n)
			if (file_chunk(r, s, &r->segment->refs[r->next_ref++], chunk))
				return 1;
	}
	return ret ? ret : reader_finish(r, err);
}

/* ---- what is known ----------------------------------------------------------------------- */

static const void *at(const struct vec *v, size_t i)
{
	return i < v->n ? v->p[i] : NULL;
}

size_t trawl_source_count(const struct trawl_reader *r)
{
	return r->catalog.sources.n;
}

const struct trawl_source *trawl_source_at(const struct trawl_reader *r, size_t i)
{
	return at(&r->catalog.sources, i); /* the first member of struct catalog_source */
}

const struct trawl_source *trawl_source_find(const struct trawl_reader *r, uint16_t id)
{
	for (size_t i = 0; i < trawl_source_count(r); i++)
		if (trawl_source_at(r, i)->id == id)
			return trawl_source_at(r, i);
	return NULL;
}

size_t trawl_event_type_count(const struct trawl_reader *r)
{
	return r->catalog.types.n;
}

const struct trawl_event_type *trawl_event_type_at(const struct trawl_reader *r, size_t i)
{
	return at(&r->catalog.types, i);
}

size_t trawl_meta_count(const struct trawl_reader *r)
{
	return r->catalog.metas.n - r->hidden;
}

const struct trawl_meta *trawl_meta_at(const struct trawl_reader *r, size_t i)
{
	/* the first member of struct catalog_meta */
	return i < trawl_meta_count(r) ? at(&r->catalog.metas, i) : NULL;
}

const struct trawl_meta *trawl_meta_find(const struct trawl_reader *r, const char *name)
{
	for (size_t i = trawl_meta_count(r); i-- > 0;) {
		const struct trawl_meta *m = r->catalog.metas.p[i];

		if (!strcmp(m->name, name))
			return m;
	}
	return NULL;
}

size_t trawl_loss_count(const struct trawl_reader *r)
{
	return r->catalog.losses.n;
}

const struct trawl_loss *trawl_loss_at(const struct trawl_reader *r, size_t i)
{
	return at(&r->catalog.losses, i);
}

size_t trawl_sync_count(const struct trawl_reader *r)
{
	return r->catalog.nsyncs;
}

const struct trawl_sync *trawl_sync_at(const struct trawl_reader *r, size_t i)
{
	return i < r->catalog.nsyncs ? &r->catalog.syncs[i].s : NULL;
}

/* Returns the section whose sync blocks enclose ts, or the last section. */
static const struct section *section_around(const struct trawl_reader *r, enum trawl_clock clock,
					    uint64_t ts)
{
	const struct section *s = NULL;
	uint64_t mono;

	for (size_t i = 0; i < r->catalog.sections.n; i++) {
		struct clock_map m;

		s = r->catalog.sections.p[i];
		m = catalog_clocks(&r->catalog, s);
		if (!m.n)
			continue;
		mono = clock_to_mono(&m, clock, ts, SIZE_MAX);
		if (mono >= m.syncs[0].s.mono && mono <= m.syncs[m.n - 1].s.mono)
			return s;
	}
	return s;
}

uint64_t trawl_to_timeline(const struct trawl_reader *r, enum trawl_clock clock, uint64_t ts)
{
	const struct section *s = section_around(r, clock, ts);
	struct clock_map m = { 0 };

	if (s)
		m = catalog_clocks(&r->catalog, s);
	if (m.n && clock != TRAWL_CLOCK_MONO)
		m = segment_clocks((struct trawl_reader *)r, s,
				m.syncs[clock_find(&m, clock, ts)].at);
	return clock_to_mono(&m, clock, ts, SIZE_MAX) + m.origin;
}

uint64_t trawl_section_time(struct trawl_reader *r, uint32_t section, enum trawl_clock clock,
			    uint64_t ts)
{
	const struct section *s = section < r->catalog.sections.n ?
				  r->catalog.sections.p[section] : NULL;
	struct clock_map m;

	if (!s)
		return ts;
	m = catalog_clocks(&r->catalog, s);
	if (m.n && clock != TRAWL_CLOCK_MONO)
		m = segment_clocks(r, s, m.syncs[clock_find(&m, clock, ts)].at);
	return clock_to_mono(&m, clock, ts, SIZE_MAX) + m.origin;
}

uint64_t trawl_section_timeline(const struct trawl_reader *r, uint32_t section)
{
	return section < r->catalog.sections.n ?
	       ((const struct section *)r->catalog.sections.p[section])->timeline : 0;
}

bool trawl_section_ended(const struct trawl_reader *r, uint32_t section)
{
	const struct section *s = r->lane.merge.section;
	size_t first = r->next_section - (r->nlanes ? r->nlanes : r->next_section > 0);

	if (r->reading == READING_DONE)
		return true;
	if (!r->in.seekable)
		return s && section < s->number;
	if (section < first || section >= r->next_section)
		return section < first;
	return r->nlanes && r->lanes[section - first].state == LANE_ENDED;
}

/* What was done to the whole file is in the first section. */
static bool is_of_file(const struct trawl_meta *m)
{
	return !m->section && !strncmp(m->name, "edit/", 5);
}

int trawl_hide_metas(struct trawl_reader *r, const bool *keep)
{
	struct vec *all = &r->catalog.metas;
	void **order = calloc(all->n + 1, sizeof(*order));
	size_t n = 0;

	if (!order)
		return -1;
	for (size_t pass = 0; pass < 2; pass++) {
		for (size_t i = 0; i < all->n; i++) {
			const struct trawl_meta *m = &((struct catalog_meta *)all->p[i])->meta;

			if ((keep[m->section] || is_of_file(m)) == !pass)
				order[n++] = all->p[i];
		}
		r->hidden = pass ? r->hidden : all->n - n;
	}
	if (n)
		memcpy(all->p, order, n * sizeof(*order));
	free(order);
	return 0;
}

/* An unknown bound (UINT64_MAX) stays unknown. */
static uint64_t sum(uint64_t a, uint64_t b)
{
	return a < UINT64_MAX - b ? a + b : UINT64_MAX;
}

uint64_t trawl_event_bound(const struct trawl_reader *r, const struct trawl_event *ev)
{
	const struct section *s = ev->section < r->catalog.sections.n ?
				  r->catalog.sections.p[ev->section] : NULL;
	uint64_t bound;
	struct clock_map m = { 0 };

	if (s && ev->source->clock == TRAWL_CLOCK_MONO)
		m = catalog_clocks(&r->catalog, s);
	else if (s)
		m = segment_clocks((struct trawl_reader *)r, s, ev->chunk);
	bound = clock_bound(&m, ev->source->clock, ev->ts, clock_syncs_before(&m, ev->chunk),
			    ev->time - m.origin);
	/* A time stamp has no information below its resolution. */
	if (ev->source->resolution > 1)
		bound = sum(bound, ev->source->resolution - 1);
	return sum(bound, s ? s->doubt : 0);
}

static bool all_ended(const struct trawl_reader *r)
{
	for (size_t i = 0; i < r->catalog.sections.n; i++)
		if (!((const struct section *)r->catalog.sections.p[i])->ended)
			return false;
	return r->catalog.sections.n > 0;
}

void trawl_verdict(const struct trawl_reader *r, struct trawl_verdict *v)
{
	const struct damage *d = &r->damage;
	int n = 0;

	*v = (struct trawl_verdict){
		.complete = all_ended(r) && !d->cut, .index_used = r->index_used,
		.cut_at = d->cut ? d->cut_at : 0, .damaged = d->blocks, .damaged_at = d->first,
		.damaged_known = r->catalog.lost_chunks,
		.events = r->events, .chunks = r->chunks,
		.bytes = r->in.seekable ? r->in.size : r->in.bytes_read,
		.syncs = r->catalog.nsyncs + r->catalog.thinned, .bound = r->catalog.bound,
	};
	if (d->junk)
		v->junk = v->bytes - d->junk_at;
	v->written = !v->complete && input_is_written(&r->in);
	if (v->written)
		n = snprintf(v->text, sizeof(v->text), "still being written: all up to byte "
			     "%" PRIu64 " is here", d->cut ? d->cut_at : v->bytes);
	else if (d->cut)
		n = snprintf(v->text, sizeof(v->text), "cut at byte %" PRIu64 ": what follows is "
			     "missing", d->cut_at);
	else if (!v->complete)
		n = snprintf(v->text, sizeof(v->text), "no end block: the capture was not ended "
			     "properly, all up to byte %" PRIu64 " is here", v->bytes);
	else if (d->junk)
		n = snprintf(v->text, sizeof(v->text), "complete, but the last %" PRIu64 " byte%s, "
			     "from byte %" PRIu64 " on, %s no part of it", v->junk,
			     v->junk == 1 ? "" : "s", d->junk_at, v->junk == 1 ? "is" : "are");
	else if (!d->blocks)
		n = snprintf(v->text, sizeof(v->text), "complete");
	if (d->blocks && (size_t)n < sizeof(v->text))
		snprintf(v->text + n, sizeof(v->text) - (size_t)n,
			 "%s%" PRIu64 " damaged or missing block%s, the first at byte %" PRIu64,
			 n ? "; " : "", d->blocks, d->blocks == 1 ? "" : "s", d->first);
	n = (int)strlen(v->text);
	if (*d->broken && d->broken_at == d->first)
		snprintf(v->text + n, sizeof(v->text) - (size_t)n, ": %s", d->broken);
	else if (*d->broken)
		snprintf(v->text + n, sizeof(v->text) - (size_t)n, "; byte %" PRIu64 ": %s",
			 d->broken_at, d->broken);
}
