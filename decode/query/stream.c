/* SPDX-License-Identifier: MIT */
#include <errno.h>

#include "common/caret.h"
#include "common/array.h"
#include "common/sources.h"
#include "decode/query/stream.h"
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

#include "decode/base/task.h"
#include "decode/query/where.h"
#include "decode/query/enumvalues.h"
#include "decode/query/listing.h"
#include "decode/query/state.h"

#define SOURCES 256 /* with ids above this, nothing is left to the reader to select */

static int no_memory(struct trawl_error *err)
{
	return trawl_fail(err, TRAWL_CANNOT,
			  "out of memory: end other programs, or read a part (--from, --to)");
}

/* ---- sources ------------------------------------------------------------------------------ */

static struct binding *bind(struct stream *s, uint16_t id)
{
	return array_extend(s->bindings, s->nbindings, id + 1u) ? &s->bindings[id] : NULL;
}

bool stream_wants(struct stream *s, const struct trawl_source *source)
{
	struct binding *b = bind(s, source->id);

	if (!b)
		return false;
	if (!b->asked) {
		b->asked = true;
		b->wanted = selection_source(s->selection, source->name);
	}
	return b->wanted;
}

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

static struct trawl_reader *open_reader(const char *path, const struct decode_options *o,
					struct trawl_error *err)
{
	return o->fd ? trawl_open_fd(o->fd, path, o->memory, err) :
		       trawl_open_within(path, o->memory, err);
}

static void machine_free(struct machine *m)
{
	tasks_free(m->context.tasks);
	trawl_close(m->context.reader);
	free(m);
}

/* Leaves of the metadata those of the sections that have a source of the machine. */
static bool hide_others(struct trawl_reader *r, const char *name)
{
	size_t n = trawl_section_count(r);
	bool *keep = calloc(n + 1, sizeof(*keep));

	for (uint32_t i = 0; keep && i < n; i++)
		for (uint16_t k = 0; k < SOURCES && !keep[i]; k++) {
			const struct trawl_source *source = trawl_section_source(r, i, k);

			keep[i] = source && !strcmp(source_machine(source->name), name);
		}
	if (keep)
		trawl_hide_metas(r, keep);
	free(keep);
	return keep;
}

static int machine_of(struct stream *s, const struct trawl_source *source, struct machine **found,
		      struct trawl_error *err)
{
	const char *name = source_machine(source->name);
	struct machine *m;

	for (m = s->machines; m && strcmp(m->name, name); m = m->next)
		;
	*found = m;
	if (m || !*name || !s->seekable)
		return 0;
	m = calloc(1, sizeof(*m));
	if (!m)
		return no_memory(err);
	m->name = name;
	m->context.options = s->options;
	m->context.reader = open_reader(s->path, s->options, err);
	if (m->context.reader) {
		m->context.tasks = tasks_new(m->context.reader);
		if (!m->context.tasks || !hide_others(m->context.reader, name))
			no_memory(err);
		else {
			m->next = s->machines;
			*found = s->machines = m;
			return 0;
		}
	}
	machine_free(m);
	return -1;
}

static struct engine *engine_for(struct stream *s, const struct decoder *d,
				 const struct trawl_source *source, struct trawl_error *err)
{
	struct machine *machine;
	int before = errno;
	struct engine *e;

	if (machine_of(s, source, &machine, err))
		return NULL;
	for (e = s->engines; e; e = e->next)
		if (e->decoder == d && e->machine == machine)
			return e;
	e = calloc(1, sizeof(*e));
	if (!e) {
		no_memory(err);
		return NULL;
	}
	e->decoder = d;
	e->machine = machine;
	errno = 0;
	e->state = d->open(machine ? &machine->context : &s->context, err);
	if (!errno)
		errno = before;
	else if (e->state && errno == ENOMEM) {
		d->close(e->state);
		e->state = NULL;
		no_memory(err);
	}
	if (!e->state) {
		free(e);
		return NULL;
	}
	e->next = s->engines;
	s->engines = e;
	return e;
}

static struct engine *engine_of(struct stream *s, const struct trawl_source *source,
				struct trawl_error *err)
{
	struct binding *b = bind(s, source->id);

	if (!b) {
		no_memory(err);
		return NULL;
	}
	if (!b->engine)
		b->engine = engine_for(s, decoder_find(source), source, err);
	return b->engine;
}

const struct decoder *stream_decoder(struct stream *s, const struct trawl_source *source,
				     void **state, struct trawl_error *err)
{
	struct engine *e = engine_of(s, source, err);

	*state = e ? e->state : NULL;
	return e ? e->decoder : NULL;
}

const struct trawl_source *stream_source(const struct stream *s, uint16_t id)
{
	return trawl_source_find(s->reader, id);
}

/* ---- names -------------------------------------------------------------------------------- */

static void names(struct stream *s, bool selected, decoder_name_fn *fn, void *arg)
{
	size_t i, n = trawl_event_type_count(s->reader);
	struct trawl_error err;

	for (i = 0; i < n; i++) {
		const struct trawl_event_type *t = trawl_event_type_at(s->reader, i);
		const struct trawl_source *source = stream_source(s, t->source);
		struct engine *e;

		if (!source ||
		    (selected && (!stream_wants(s, source) ||
				  !selection_name(s->selection, t->name, strlen(t->name), false))))
			continue;
		e = engine_of(s, source, &err);
		if (e)
			e->decoder->names(e->state, t, fn, arg);
	}
}

bool stream_wants_type(struct stream *s, const struct trawl_event_type *type)
{
	const struct trawl_source *source = stream_source(s, type->source);

	return source && stream_wants(s, source) && !decoder_find(source)->items &&
	       selection_name(s->selection, type->name, strlen(type->name), false);
}

void stream_names(struct stream *s, decoder_name_fn *fn, void *arg)
{
	names(s, true, fn, arg);
}

struct lookup {
	struct stream *stream;
	const char *wanted;
	bool found;
};

static void match_name(void *arg, const char *name)
{
	struct lookup *l = arg;
	size_t n = strlen(name);

	/* "setup.request": a part of a field that has parts; its decoder knows which. */
	l->found |= !strncmp(name, l->wanted, n) && (!l->wanted[n] || l->wanted[n] == '.');
}

static bool known(void *arg, const char *name)
{
	struct lookup l = {arg, name, false};

	names(arg, false, match_name, &l);
	for (struct engine *e = l.stream->engines; e && !l.found; e = e->next)
		l.found = e->decoder->part && e->decoder->part(name);
	return l.found;
}

bool stream_type_has(struct stream *s, const struct trawl_event_type *type, const char *name)
{
	const struct trawl_source *source = stream_source(s, type->source);
	struct lookup l = {s, name, false};
	struct trawl_error err;
	struct engine *e = source ? engine_of(s, source, &err) : NULL;

	if (e)
		e->decoder->names(e->state, type, match_name, &l);
	return l.found || (e && e->decoder->part && e->decoder->part(name));
}

int stream_known_fields(struct stream *s, const char *option, const char *list,
			struct trawl_error *err)
{
	struct listing l;
	char name[64];

	for (size_t n; *list; list += n + (list[n] == ',')) {
		n = strcspn(list, ",");
		snprintf(name, sizeof(name), "%.*s", (int)n, list);
		if (n && (n >= sizeof(name) || !known(s, name)))
			break;
	}
	if (!*list || !trawl_event_type_count(s->reader))
		return 0;
	listing_start(&l, name);
	stream_names(s, listing_add, &l);
	trawl_fail(err, TRAWL_USAGE, "%s: no event here has a field '%s'%s", option, name,
		   listing_hint(&l));
	listing_free(&l);
	return -1;
}

/* Is what stands there on the right of a comparison, where texts use to be? */
static bool compared_with(const char *expr, size_t at)
{
	while (at && expr[at - 1] == ' ')
		at--;
	return at && strchr("=<>~", expr[at - 1]);
}

/* id == openat: of a system call. */
static bool compares_id(const char *expr, size_t at)
{
	while (at && strchr(" =<>!", expr[at - 1]))
		at--;
	return at >= 2 && !memcmp(expr + at - 2, "id", 2) && (at == 2 || expr[at - 3] == ' ' ||
							      expr[at - 3] == '(');
}

/* A field of this name may hold this text in some event, or is nobody's. */
static bool can_be(void *arg, const char *field, const char *text, bool pattern)
{
	struct stream *s = arg;
	bool has = false;

	for (size_t i = 0; i < trawl_event_type_count(s->reader); i++) {
		const struct trawl_event_type *t = trawl_event_type_at(s->reader, i);
		const struct trawl_source *source = stream_source(s, t->source);

		if (!source || !stream_type_has(s, t, field))
			continue;
		if (enum_values_allow(decoder_find(source), field, text, pattern))
			return true;
		has = true;
	}
	return !has;
}

/* What a field may be compared with in some event; 0: that is not known of all. */
static unsigned int comparable_with(void *arg, const char *field)
{
	struct stream *s = arg;
	unsigned int can = 0, here;

	for (size_t i = 0; i < trawl_event_type_count(s->reader); i++) {
		const struct trawl_event_type *t = trawl_event_type_at(s->reader, i);
		const struct trawl_source *source = stream_source(s, t->source);
		struct trawl_error err;
		struct engine *e = source ? engine_of(s, source, &err) : NULL;

		if (!e || !stream_type_has(s, t, field))
			continue;
		here = e->decoder->comparable ? e->decoder->comparable(e->state, t, field) : 0;
		if (!here)
			return 0;
		can |= here;
	}
	return can;
}

/* A number that is compared with a text never matches, whatever comes. */
static int check_mismatch(struct stream *s, struct trawl_error *err)
{
	const struct selection *sel = s->selection;
	bool is_text;
	size_t at;
	const char *field = where_mismatch(sel->where, comparable_with, s, &at, &is_text);

	if (!field)
		return 0;
	return caret_fail(err, TRAWL_USAGE, sel->where_text, at, "%s: %.60s is a %s",
			  sel->where_option, field,
			  is_text ? "number: write one, without quotes"
				  : "text: write one in quotes, as in name == \"usb:bulk\"");
}

/* Are all fields of --where known, and all words? To be asked when all event types are. */
static int check_where(struct stream *s, struct trawl_error *err)
{
	const struct selection *sel = s->selection;
	const char *bad = NULL, *field;
	struct listing l;
	char text[900];
	size_t at;

	/* A chooser has asked it already, of whole transfers. */
	if (!sel->where || sel->chooser)
		return 0;
	if (trawl_event_type_count(s->reader))
		bad = where_unknown(sel->where, known, s, &at);
	if (!bad) {
		bad = where_unknown_word(sel->where, can_be, s, &at, &field);
		if (!bad)
			return check_mismatch(s, err);
		enum_values_refuse(field, bad, text, sizeof(text));
		return caret_fail(err, TRAWL_USAGE, sel->where_text, at, "%s: %s",
				  sel->where_option, text);
	}
	listing_start(&l, bad);
	stream_names(s, listing_add, &l);
	if (compared_with(sel->where_text, at) && compares_id(sel->where_text, at))
		snprintf(text, sizeof(text), "no event here has a field '%.60s'; ausyscall %.60s "
			 "tells the number of a system call", bad, bad);
	else if (compared_with(sel->where_text, at))
		snprintf(text, sizeof(text), "no event here has a field '%.60s'; if it is meant as "
			 "a text, that stands in quotes: \"%.60s\"", bad, bad);
	else
		snprintf(text, sizeof(text), "no event here has a field '%.60s'%s", bad,
			 listing_hint(&l));
	listing_free(&l);
	return caret_fail(err, TRAWL_USAGE, sel->where_text, at, "%s: %s", sel->where_option,
			  text);
}

static int check_sources(struct stream *s, struct trawl_error *err)
{
	const char *missing;
	struct listing l;
	size_t i, n = trawl_source_count(s->reader);

	for (i = 0; i < n; i++)
		stream_wants(s, trawl_source_at(s->reader, i));
	missing = selection_missing(s->selection);
	if (!missing)
		return 0;
	listing_start(&l, missing);
	for (i = 0; i < n; i++)
		listing_add(&l, trawl_source_at(s->reader, i)->name);
	trawl_fail(err, TRAWL_USAGE, "--source: '%.100s' is no source of this file%s", missing,
		   listing_hint(&l));
	listing_free(&l);
	return -1;
}

int stream_check(struct stream *s, struct trawl_error *err)
{
	return check_sources(s, err) || check_where(s, err) ? -1 : 0;
}

/* ---- losses ------------------------------------------------------------------------------- */

static int by_end(const void *a, const void *b)
{
	const struct dated_loss *x = a, *y = b;

	return x->to < y->to ? -1 : x->to > y->to;
}

static void read_losses(struct stream *s)
{
	size_t n = trawl_loss_count(s->reader);

	if (!array_resize(&s->losses, n + 1, sizeof(*s->losses)))
		return;
	for (; s->losses_read < n; s->losses_read++) {
		const struct trawl_loss *l = trawl_loss_at(s->reader, s->losses_read);
		struct dated_loss *d = &s->losses[s->nlosses];

		d->source = stream_source(s, l->source);
		if (!d->source || !stream_wants(s, d->source))
			continue;
		d->loss = *l;
		d->from = trawl_section_time(s->reader, l->section, d->source->clock, l->from);
		d->to = trawl_section_time(s->reader, l->section, d->source->clock, l->to);
		if (d->from < s->selection->end && d->to >= s->selection->begin)
			s->nlosses++;
	}
	qsort(s->losses + s->next_loss, s->nlosses - s->next_loss, sizeof(*s->losses), by_end);
}

static bool any_losses(const struct stream *s)
{
	return s->next_loss < s->nlosses || s->losses_read != trawl_loss_count(s->reader);
}

/* Losses that ended by `now` go to the consumer. */
static int give_losses(struct stream *s, uint64_t now)
{
	if (s->losses_read != trawl_loss_count(s->reader))
		read_losses(s);
	while (s->next_loss < s->nlosses && s->losses[s->next_loss].to <= now) {
		const struct dated_loss *d = &s->losses[s->next_loss++];

		if (s->consumer->loss &&
		    s->consumer->loss(s->consumer, d->source, &d->loss, d->from, d->to))
			return 1;
	}
	return 0;
}

/* ---- items -------------------------------------------------------------------------------- */

/* Items with names of their own: which there were is told when --name had none. */
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
	if (s->prologue && s->last_wanted)
		return s->consumer->item(s->consumer, b->engine->decoder, b->engine->state, it);
	if (sel->nnames && s->last_wanted)
		note_name(b->engine, it);
	if (!s->last_wanted ||
	    (!sel->all && !selection_wants(sel, b->engine->decoder, b->engine->state, it))) {
		if (s->consumer->aside)
			s->consumer->aside(s->consumer, b->engine->decoder, b->engine->state, it);
		return 0;
	}
	got = any_losses(s) && give_losses(s, it->time) ? 1 :
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

/* What comes before an engine's first event. */
static int begin(struct stream *s, struct engine *e, struct trawl_error *err)
{
	int got = 0;

	e->begun = true;
	if (s->options->export && e->decoder->prologue) {
		s->prologue = true;
		got = e->decoder->prologue(e->state, &s->sink, err);
		s->prologue = false;
	}
	return got;
}

static int feed(struct stream *s, const struct trawl_event *ev, struct trawl_error *err)
{
	uint16_t id = ev->source->id;
	const struct binding *b = id < s->nbindings ? &s->bindings[id] : NULL;
	struct engine *e = b && b->engine ? b->engine : engine_of(s, ev->source, err);
	int got = e && !e->begun ? begin(s, e, err) : 0;

	s->section = ev->section;
	s->chunk = ev->chunk;
	s->place = ev->place;
	if (got)
		return got;
	return e ? e->decoder->feed(e->state, ev, &s->sink, err) : -1;
}

/* Prologues come before the first event of all; on a pipe, before the first of their source. */
static int begin_all(struct stream *s, struct trawl_error *err)
{
	int got = 0;

	for (size_t i = 0; !got && i < trawl_source_count(s->reader); i++) {
		const struct trawl_source *source = trawl_source_at(s->reader, i);
		struct engine *e = stream_wants(s, source) ? engine_of(s, source, err) : NULL;

		if (e && !e->begun)
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
		no_memory(err);
		return NULL;
	}
	s->sink.item = take_item;
	s->options = options;
	s->selection = selection;
	return s;
}

/* Takes the reader, which is NULL when *err is set. */
static int set_reader(struct stream *s, struct trawl_reader *reader, struct trawl_error *err)
{
	s->reader = reader;
	if (!reader)
		return -1;
	s->context.reader = reader;
	s->context.options = s->options;
	s->context.tasks = tasks_new(reader);
	return s->context.tasks ? 0 : no_memory(err);
}

struct stream *stream_open(const char *path, const struct decode_options *options,
			   struct selection *selection, struct trawl_error *err)
{
	struct stream *s = stream_new(options, selection, err);

	if (!s)
		return NULL;
	s->path = s->name = path;
	if (!set_reader(s, open_reader(path, options, err), err)) {
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
	return feed(s, ev, err) < 0 ? -1 : 0;
}

void stream_close(struct stream *s)
{
	struct machine *m, *other;
	struct engine *e, *next;

	if (!s)
		return;
	for (e = s->engines; e; e = next) {
		next = e->next;
		e->decoder->close(e->state);
		free(e);
	}
	for (m = s->machines; m; m = other) {
		other = m->next;
		machine_free(m);
	}
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

uint64_t stream_bound(const struct stream *s, const struct item *it)
{
	struct trawl_event ev = {
		.time = it->time, .ts = it->ts, .source = it->source,
		.section = s->section, .chunk = s->chunk,
	};

	return trawl_event_bound(s->reader, &ev);
}

void stream_place(const struct stream *s, struct event_place *at)
{
	*at = (struct event_place){ s->section, s->place, s->chunk };
}

void stream_summaries(struct stream *s, struct out *o)
{
	struct engine *e;

	for (e = s->engines; e; e = e->next)
		if (e->decoder->summary)
			e->decoder->summary(e->state, o);
}

/* ---- running ------------------------------------------------------------------------------ */

static void set_bit(uint64_t *bits, uint16_t id)
{
	bits[id / 64] |= 1ull << id % 64;
}

/* A reader of the events of the hidden task source before `to`, or of all others; NULL: none. */
static struct trawl_reader *open_part(struct stream *s, bool tasks, uint64_t to,
				      struct trawl_error *err)
{
	struct trawl_reader *r = open_reader(s->path, s->options, err);
	struct trawl_range range = {0, to, {0}};
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

/* The first event of a file is looked for apart, so that the main reader's seek is one. */
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

/* An event of a pipe: until one has come that counts, the range goes by what there is. */
static void note_first(struct stream *s, const struct trawl_event *ev)
{
	if (s->first_known || s->seekable)
		return;
	s->first = ev->time;
	s->first_known = !is_task_source(ev->source->name);
	selection_times(s->selection, s->first);
}

/*
 * What happened to tasks before --from: their events are few and are read apart, so that the
 * seek in the main reader is one.
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

/* Tells the reader what can be left out; only where all sources are known. */
static int select_range(struct stream *s, struct trawl_error *err)
{
	struct selection *sel = s->selection;
	struct trawl_range range = {sel->begin, sel->end, {0}};
	uint64_t lookback = 0;
	bool few = sel->nsources && !s->consumer->aside;
	size_t i;

	for (i = 0; i < trawl_source_count(s->reader); i++) {
		const struct trawl_source *source = trawl_source_at(s->reader, i);
		struct engine *e = engine_of(s, source, err);

		if (!e)
			return -1;
		if (e->decoder->lookback > lookback)
			lookback = e->decoder->lookback;
		few &= source->id < SOURCES;
	}
	for (i = 0; few && i < trawl_source_count(s->reader); i++) {
		const struct trawl_source *source = trawl_source_at(s->reader, i);

		if (stream_wants(s, source) || is_task_source(source->name))
			set_bit(range.sources, source->id);
	}
	range.from -= range.from < lookback ? range.from : lookback;
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
		/* Decoders and printers leave out silently what they have no memory for. */
		if (got >= 0 && errno == ENOMEM)
			got = no_memory(err);
		if (got)
			break;
	}
	for (e = s->engines; e && !got; e = e->next)
		if (e->decoder->flush)
			got = e->decoder->flush(e->state, &s->sink, err);
	if (!got)
		got = give_losses(s, UINT64_MAX);
	return got < 0 ? -1 : 0;
}

int stream_run(struct stream *s, struct consumer *c, struct trawl_error *err)
{
	s->consumer = c;
	if (s->seekable) {
		if (selection_relative(s->selection) && stream_find_first(s, err))
			return -1;
		errno = 0;
		selection_times(s->selection,
				selection_relative(s->selection) ? stream_first(s) : 0);
		if (select_range(s, err) || begin_all(s, err) < 0)
			return -1;
		if (errno == ENOMEM)
			return no_memory(err);
	}
	if (read_all(s, err))
		return -1;
	if (s->seekable || s->stopped)
		return 0;
	return check_sources(s, err) || check_where(s, err) ? -1 : 0;
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
