/* SPDX-License-Identifier: MIT */
#include <assert.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "common/array.h"
#include "common/sources.h"
#include "decode/base/task.h"
#include "decode/query/state.h"
#include "decode/query/stream.h"
#include "decode/base/output.h"

int stream_no_memory(struct trawl_error *err)
{
	return trawl_fail(err, TRAWL_CANNOT,
			  "out of memory; end other programs, or read a part (--from, --until)");
}

/* ---- sources ------------------------------------------------------------------------------ */

uint64_t stream_packet_time(struct stream *s, const struct item *it)
{
	size_t i, others = 0;

	if (it->source->clock != TRAWL_CLOCK_REAL)
		return it->time;
	for (i = 0; i < trawl_source_count(s->reader); i++) {
		const struct trawl_source *source = trawl_source_at(s->reader, i);

		others += source->id != it->source->id && stream_wants(s, source);
	}
	return others ? it->time : it->ts;
}

struct trawl_reader *stream_open_reader(const char *path, const struct decode_options *o,
					struct trawl_error *err)
{
	return o->fd ? trawl_open_fd(o->fd, path, o->memory, err) :
		       trawl_open_within(path, o->memory, err);
}

const struct trawl_source *stream_source(const struct stream *s, uint16_t id)
{
	return trawl_source_find(s->reader, id);
}

/* ---- items -------------------------------------------------------------------------------- */

/* Notes the name of an item, for the message that --name matched nothing. */
static void note_name(struct engine *e, const struct item *it)
{
	for (size_t i = 0; e->decoder->items && e->decoder->items[i] && i < 64; i++)
		if (e->decoder->items[i] == it->name)
			e->shown |= UINT64_C(1) << i;
}

static int take_item(struct item_sink *sink, const struct item *it)
{
	struct stream *s = (struct stream *)sink;
	struct selection *sel = s->selection;
	const struct binding *b;
	int got;

	if (s->silent)
		return 0;
	if (it->source != s->last) {
		s->last = it->source;
		s->last_wanted = stream_wants(s, it->source);
	}
	b = &s->bindings[it->source->id];
	s->has_took = s->took && !s->prologue &&
		took_item(s->took, b->engine->decoder, b->engine->state, it, &s->took_ns,
			  &s->took_began);
	if (s->prologue && s->last_wanted)
		return s->consumer->item(s->consumer, b->engine->decoder, b->engine->state, it);
	if (sel->nnames && s->last_wanted)
		note_name(b->engine, it);
	if (!s->last_wanted ||
	    (!sel->all && !selection_wants(sel, b->engine->decoder, b->engine->state, it,
					   s->has_took ? &s->took_ns : NULL))) {
		if (s->consumer->aside)
			s->consumer->aside(s->consumer, b->engine->decoder, b->engine->state, it);
		return 0;
	}
	got = stream_losses_before(s, it) ? 1 :
	      s->consumer->item(s->consumer, b->engine->decoder, b->engine->state, it);
	if (got == CONSUMER_PASSED_OVER)
		return 0;
	s->secrets += it->secret;
	if (got || ++sel->taken == sel->count) {
		s->stopped = true;
		return 1;
	}
	return 0;
}

/* Emits an engine's prologue, before its first event. */
static int begin(struct stream *s, struct engine *e, struct trawl_error *err)
{
	int got = 0;

	assert(e->phase == ENGINE_NEW);
	e->phase = ENGINE_BEGUN;
	if (s->options->export && e->decoder->prologue) {
		s->prologue = true;
		got = e->decoder->prologue(e->state, &s->sink, err);
		s->prologue = false;
	}
	return got;
}

/* Emits held items of all decoders that are earlier than `time`. */
static int emit_held(struct stream *s, uint64_t time, struct trawl_error *err)
{
	int got = 0;

	for (struct engine *e = s->holds ? s->engines : NULL; e && !got; e = e->next)
		if (e->decoder->advance)
			got = e->decoder->advance(e->state, time, &s->sink, err);
	return got;
}

/* Emits all that the engine holds. */
static int flush(struct stream *s, struct engine *e, struct trawl_error *err)
{
	s->section = e->phase >= ENGINE_FED ? e->section : s->section;
	return e->decoder->flush ? e->decoder->flush(e->state, s->now, &s->sink, err) : 0;
}

static bool is_over(const struct stream *s, const struct machine *m)
{
	for (uint32_t i = 0; i < m->nsections; i++)
		if (m->sections[i] && !trawl_section_ended(s->reader, i))
			return false;
	return true;
}

/* Ends the engines of machines whose events were all read; in a merged file others may go on. */
static int end_machines(struct stream *s, struct trawl_error *err)
{
	int got = 0;

	for (struct engine *e = s->engines; e && !got; e = e->next) {
		if (!e->machine || e->phase != ENGINE_FED || !e->decoder->flush ||
		    !is_over(s, e->machine))
			continue;
		e->phase = ENGINE_OVER;
		got = emit_held(s, s->now, err);
		if (!got)
			got = flush(s, e, err);
	}
	return got;
}

/*
 * Changes to another section. The items that the engine holds are flushed, unless both sections are
 * of one boot or share a timeline.
 */
static int change_section(struct stream *s, struct engine *e, uint32_t section,
			  struct trawl_error *err)
{
	uint64_t timeline = s->seekable ? trawl_section_timeline(s->reader, section) : 0;
	int got = end_machines(s, err);

	if (got || e->phase < ENGINE_FED || e->section == section || !e->decoder->flush ||
	    (timeline && timeline == trawl_section_timeline(s->reader, e->section)) ||
	    boots_same(&s->boots, e->section, section))
		return got;
	got = emit_held(s, UINT64_MAX, err);
	return got ? got : flush(s, e, err);
}

/*
 * Emits what precedes the event: the engine's prologue, the end of another section, and items held
 * until this time; all held items if time goes back, in another capture.
 */
static int feed_before(struct stream *s, struct engine *e, const struct trawl_event *ev,
		       struct trawl_error *err)
{
	int got = e->phase == ENGINE_NEW ? begin(s, e, err) : 0;

	if (!got && s->section != ev->section)
		got = change_section(s, e, ev->section, err);
	return got ? got : emit_held(s, ev->time < s->now ? UINT64_MAX : ev->time, err);
}

static int feed(struct stream *s, const struct trawl_event *ev, struct trawl_error *err)
{
	uint16_t id = ev->source->id;
	struct engine *e = id < s->nbindings ? s->bindings[id].engine : NULL;
	int got = 0;

	if (!e)
		e = stream_engine(s, ev->source, err);
	if (!e)
		return -1;
	if (e->phase == ENGINE_NEW || s->section != ev->section || s->holds)
		got = feed_before(s, e, ev, err);
	if (e->phase == ENGINE_BEGUN)
		e->phase = ENGINE_FED;
	e->section = s->section = ev->section;
	s->now = ev->time;
	s->chunk = ev->chunk;
	s->place = ev->place;
	return got ? got : e->decoder->feed(e->state, ev, &s->sink, err);
}

/* Emits all prologues before the first event; on a pipe, a prologue precedes its first source. */
static int begin_all(struct stream *s, struct trawl_error *err)
{
	int got = 0;

	for (size_t i = 0; !got && i < trawl_source_count(s->reader); i++) {
		const struct trawl_source *source = trawl_source_at(s->reader, i);
		struct engine *e = stream_wants(s, source) ? stream_engine(s, source, err) : NULL;

		if (e && e->phase == ENGINE_NEW)
			got = begin(s, e, err);
	}
	return got;
}

/* ---- opening ------------------------------------------------------------------------------ */

static struct stream *stream_new(const struct decode_options *options,
				 struct selection *selection, struct trawl_error *err)
{
	struct stream *s = calloc(1, sizeof(*s));

	if (!s) {
		stream_no_memory(err);
		return NULL;
	}
	s->sink.item = take_item;
	s->options = options;
	s->selection = selection;
	return s;
}

/* Sets the reader, which the stream then owns; NULL if it could not be opened (*err is set). */
static int set_reader(struct stream *s, struct trawl_reader *reader, struct trawl_error *err)
{
	s->reader = s->boots.reader = reader;
	if (!reader)
		return -1;
	s->context.reader = reader;
	s->context.options = s->options;
	s->context.tasks = tasks_new(reader);
	s->context.to = UINT64_MAX;
	return s->context.tasks ? 0 : stream_no_memory(err);
}

struct stream *stream_open(const char *path, const struct decode_options *options,
			   struct selection *selection, struct trawl_error *err)
{
	struct stream *s = stream_new(options, selection, err);

	if (!s)
		return NULL;
	s->path = s->name = path;
	if (!set_reader(s, stream_open_reader(path, options, err), err)) {
		s->seekable = strcmp(path, "-") && trawl_is_seekable(s->reader);
		if (!s->seekable || !stream_check(s, err))
			return s;
	}
	stream_close(s);
	return NULL;
}

struct stream *stream_again(const struct stream *s, struct selection *selection,
			    struct trawl_error *err)
{
	*selection = *s->selection;
	selection->taken = 0;
	return stream_open(s->path, s->options, selection, err);
}

struct stream *stream_live(struct trawl_reader *reader, const struct decode_options *options,
			   struct selection *selection, struct consumer *c, struct trawl_error *err)
{
	struct stream *s = stream_new(options, selection, err);

	if (!s) {
		trawl_close(reader);
		return NULL;
	}
	s->path = s->name = "live";
	s->consumer = c;
	selection_times(selection, 0);
	if (!set_reader(s, reader, err))
		return s;
	stream_close(s);
	return NULL;
}

int stream_feed(struct stream *s, const struct trawl_event *ev, struct trawl_error *err)
{
	int got = feed(s, ev, err);

	/* flushed, because the next event may come late or never */
	if (!got)
		got = emit_held(s, UINT64_MAX, err);
	return got < 0 ? -1 : 0;
}

void stream_close(struct stream *s)
{
	if (!s)
		return;
	stream_engines_free(s);
	took_free(s->took);
	boots_free(&s->boots);
	tasks_free(s->context.tasks);
	trawl_close(s->before);
	trawl_close(s->reader);
	free(s->bindings);
	free(s->losses);
	free(s);
}

struct tasks *stream_tasks(struct stream *s)
{
	return s->context.tasks;
}

void stream_set_name(struct stream *s, const char *name)
{
	s->name = name;
}

const char *stream_name(const struct stream *s)
{
	return s->name;
}

struct trawl_reader *stream_reader(struct stream *s)
{
	return s->reader;
}

const struct selection *stream_selection(const struct stream *s)
{
	return s->selection;
}

bool stream_seekable(const struct stream *s)
{
	return s->seekable;
}

int stream_measure(struct stream *s, struct trawl_error *err)
{
	s->took = s->took ? s->took : took_new(s->reader);
	return s->took ? 0 : stream_no_memory(err);
}

bool stream_took(const struct stream *s, uint64_t *ns, const char **began)
{
	*ns = s->took_ns;
	*began = s->took_began;
	return s->has_took;
}

bool stream_begins(const struct stream *s, const struct item *it)
{
	return took_begins(s->took, it);
}

uint64_t stream_bound(const struct stream *s, const struct item *it)
{
	struct trawl_event ev = {
		.time = it->time, .ts = it->ts, .source = it->source,
		.section = it->held ? it->section : s->section,
		.chunk = it->held ? it->chunk : s->chunk,
	};

	return trawl_event_bound(s->reader, &ev);
}

void stream_position(const struct stream *s, struct event_position *at)
{
	*at = (struct event_position){ s->section, s->place, s->chunk };
}

void stream_summaries(struct stream *s, struct out *o)
{
	struct engine *e;

	for (e = s->engines; e; e = e->next) {
		if (!e->decoder->summary)
			continue;
		if (e->machine)
			out_printf(o, "of %s:\n", e->machine->name);
		e->decoder->summary(e->state, o);
	}
}

/* ---- running ------------------------------------------------------------------------------ */

static void set_bit(uint64_t *bits, uint16_t id)
{
	bits[id / 64] |= 1ull << id % 64;
}

/* Opens a reader of the events before `to` of the hidden task source, or of all others. */
static struct trawl_reader *open_part(struct stream *s, bool tasks, uint64_t to,
				      struct trawl_error *err)
{
	struct trawl_reader *r = stream_open_reader(s->path, s->options, err);
	struct trawl_range range = { .to = to };
	bool any = false;

	for (size_t i = 0; r && i < trawl_source_count(r); i++) {
		const struct trawl_source *source = trawl_source_at(r, i);

		if (is_task_source(source->name) == tasks && source->id < SOURCES) {
			set_bit(range.sources, source->id);
			any = true;
		}
	}
	if (r && (!any || trawl_select(r, &range, err))) {
		trawl_close(r);
		r = NULL;
	}
	return r;
}

uint64_t stream_secrets(const struct stream *s)
{
	return s->secrets;
}

/* A reader of its own finds the first event, so that the main reader can still seek. */
int stream_find_first(struct stream *s, struct trawl_error *err)
{
	struct trawl_reader *r;
	struct trawl_event ev;
	int got;

	if (s->first_known || !s->seekable)
		return 0;
	s->first_known = true;
	if (trawl_sync_count(s->reader))
		s->first = trawl_sync_at(s->reader, 0)->real;
	err->text[0] = '\0';
	r = open_part(s, false, UINT64_MAX, err);
	if (!r)
		return err->text[0] ? -1 : 0;
	got = trawl_next(r, &ev, err);
	if (got > 0)
		s->first = ev.time;
	trawl_close(r);
	return got < 0 ? -1 : 0;
}

uint64_t stream_first(struct stream *s)
{
	struct trawl_error ignored;

	stream_find_first(s, &ignored);
	return s->first;
}

/* Notes the first event of a pipe, which relative times count from. */
static void note_first(struct stream *s, const struct trawl_event *ev)
{
	if (s->first_known || s->seekable)
		return;
	s->first = ev->time;
	s->first_known = !is_task_source(ev->source->name);
	selection_times(s->selection, s->first);
}

/*
 * Reads the task events before --from. They are few, and read by a reader of their own, so that the
 * main reader can seek to --from.
 */
static int read_tasks_before(struct stream *s, uint64_t from, struct trawl_error *err)
{
	struct trawl_event ev;
	int got;

	err->text[0] = '\0';
	s->before = open_part(s, true, from, err);
	if (!s->before)
		return err->text[0] ? -1 : 0;
	s->silent = true;
	while ((got = trawl_next(s->before, &ev, err)) > 0)
		if (feed(s, &ev, err) < 0)
			return -1;
	s->silent = false;
	return got;
}

/* Tells the decoders which times are wanted. */
static void want_times(struct stream *s)
{
	s->context.from = s->selection->begin;
	s->context.to = s->selection->end;
	for (struct machine *m = s->machines; m; m = m->next) {
		m->context.from = s->selection->begin;
		m->context.to = s->selection->end;
	}
}

/* Limits the reader to the time range and sources, if all sources are known. */
static int select_range(struct stream *s, struct trawl_error *err)
{
	struct selection *sel = s->selection;
	struct trawl_range range = { .from = sel->begin, .to = sel->end };
	uint64_t lookback = 0;
	bool few = sel->nsources && !s->consumer->aside;
	size_t i;

	for (i = 0; i < trawl_source_count(s->reader); i++) {
		const struct trawl_source *source = trawl_source_at(s->reader, i);
		struct engine *e = stream_engine(s, source, err);

		if (!e)
			return -1;
		if (e->decoder->lookback == UINT64_MAX && source->id < SOURCES)
			set_bit(range.whole, source->id);
		else if (e->decoder->lookback > lookback)
			lookback = e->decoder->lookback;
		few &= source->id < SOURCES;
	}
	for (i = 0; few && i < trawl_source_count(s->reader); i++) {
		const struct trawl_source *source = trawl_source_at(s->reader, i);

		if (stream_wants(s, source) || is_task_source(source->name))
			set_bit(range.sources, source->id);
	}
	want_times(s);
	range.from -= range.from < lookback ? range.from : lookback;
	if (selection_needs_took(s->selection)) /* an operation may have begun at any time before */
		range.from = 0;
	if (range.from && read_tasks_before(s, range.from, err))
		return -1;
	return trawl_select(s->reader, &range, err);
}

static int read_all(struct stream *s, struct trawl_error *err)
{
	struct trawl_event ev;
	struct engine *e;
	int got;

	while ((got = trawl_next(s->reader, &ev, err)) > 0) {
		note_first(s, &ev);
		s->occurred[ev.type->id % OCCURRED_BITS / 8] |= (uint8_t)(1 << ev.type->id % 8);
		errno = 0;
		got = feed(s, &ev, err);
		/* decoders and printers leave out items silently if memory runs out */
		if (got >= 0 && errno == ENOMEM)
			got = stream_no_memory(err);
		if (got)
			break;
	}
	errno = 0;
	if (!got)
		got = emit_held(s, UINT64_MAX, err);
	for (e = s->engines; e && !got; e = e->next)
		if (e->phase != ENGINE_OVER)
			got = flush(s, e, err);
	if (!got)
		got = stream_losses_left(s);
	if (got >= 0 && errno == ENOMEM)
		return stream_no_memory(err);
	return got < 0 ? -1 : 0;
}

int stream_run(struct stream *s, struct consumer *c, struct trawl_error *err)
{
	s->consumer = c;
	if (selection_needs_took(s->selection) && stream_measure(s, err))
		return -1;
	if (s->seekable) {
		if (selection_relative(s->selection) && stream_find_first(s, err))
			return -1;
		errno = 0;
		selection_times(s->selection,
				selection_relative(s->selection) ? stream_first(s) : 0);
		if (select_range(s, err) || begin_all(s, err) < 0)
			return -1;
		if (errno == ENOMEM)
			return stream_no_memory(err);
	}
	if (read_all(s, err))
		return -1;
	if (s->seekable || s->stopped)
		return 0;
	return stream_check(s, err);
}

int stream_verdict(struct stream *s, struct trawl_error *err)
{
	struct trawl_verdict v;

	trawl_verdict(s->reader, &v);
	if (s->stopped && !s->seekable)
		return 0;
	if (v.damaged || v.junk || (!v.complete && !(s->stopped && !v.cut_at)))
		return trawl_fail(err, TRAWL_BAD_DATA, "%s: %s", s->name, v.text);
	return 0;
}
