/* SPDX-License-Identifier: MIT */
#include <assert.h>
#include <stdio.h>
#include <stdlib.h>

#include "common/array.h"
#include "common/caret.h"
#include "common/sources.h"
#include "common/text.h"
#include "decode/base/escape.h"
#include "decode/base/glob.h"
#include "decode/base/task.h"
#include "decode/query/stream.h"
#include "decode/query/watch.h"
#include "decode/query/where.h"

enum {
	PAGE = 256, PAGES = 256, /* watch_type() takes ids below PAGE * PAGES */
	LIST_MOST = 300,         /* a message lists names up to this length, and one more */
};

/* An event type: the reader's copy, and whether its records can match. */
struct watched {
	const struct trawl_event_type *type;
	bool wanted;
};

struct watched_source {
	const struct trawl_source *source;
	const struct decoder *decoder;
	uint64_t origin;            /* its clock plus origin is the wall clock */
	struct watched *pages[PAGES]; /* by type id / PAGE */
};

struct watch {
	struct consumer consumer; /* first: the stream hands it back */
	struct decode_options options;
	struct selection selection;
	struct trawl_reader *reader; /* the stream's */
	struct stream *stream;
	struct watched_source *sources;
	size_t nsources;
	bool tasks;               /* the expression uses the task of an event */
	bool matched;
	struct watch_match match;
};

static int take_match(struct consumer *c, const struct decoder *d, void *state,
		      const struct item *it)
{
	struct watch *w = (struct watch *)c;

	w->matched = true;
	w->match = (struct watch_match){
		.name = it->name, .source = it->source->name, .comm = it->comm, .tid = it->tid,
		.cpu = it->cpu, .ts = it->ts,
	};
	return 0;
}

struct watch *watch_new(const char *option, const char *text, struct trawl_error *err)
{
	struct watch *w = calloc(1, sizeof(*w));
	size_t at;

	if (!w) {
		trawl_fail(err, TRAWL_CANNOT, "%s: out of memory", option);
		return NULL;
	}
	w->consumer.item = take_match;
	w->options.no_code = true;
	w->selection.where_option = option;
	w->selection.where_text = text;
	w->selection.where = where_parse(option, text, err);
	if (w->selection.where && where_uses_took(w->selection.where, &at))
		caret_fail(err, TRAWL_USAGE, text, at, "%s: took_ns is known only in a saved file; "
			   "record the latency as an event (-i synth:...) and compare that", option);
	else if (w->selection.where && !selection_done(&w->selection, false, err))
		w->reader = trawl_reader_blank(err);
	if (w->reader)
		w->stream = stream_live(w->reader, &w->options, &w->selection, &w->consumer, err);
	if (!w->stream) {
		watch_free(w);
		return NULL;
	}
	w->tasks = where_uses_task(w->selection.where);
	return w;
}

void watch_set_on_mismatch(struct watch *w, void (*fn)(void *arg, const struct trawl_error *note),
			   void *arg)
{
	where_set_on_mismatch(w->selection.where, fn, arg);
}

void watch_free(struct watch *w)
{
	if (!w)
		return;
	stream_close(w->stream);
	selection_free(&w->selection);
	for (size_t i = 0; i < w->nsources; i++)
		for (int k = 0; k < PAGES; k++)
			free(w->sources[i].pages[k]);
	free(w->sources);
	free(w);
}

/* ---- sources, types, metadata ------------------------------------------------------------ */

static int no_memory(const struct watch *w, struct trawl_error *err)
{
	return trawl_fail(err, TRAWL_CANNOT, "%s: out of memory", w->selection.where_option);
}

int watch_source(struct watch *w, const struct trawl_source *s, struct trawl_error *err)
{
	struct watched_source *here;

	if (!array_extend(w->sources, w->nsources, s->id + 1u))
		return no_memory(w, err);
	here = &w->sources[s->id];
	here->source = trawl_reader_add_source(w->reader, s, err);
	here->decoder = decoder_find(s);
	return here->source ? 0 : -1;
}

static struct watched *watched(const struct watch *w, uint16_t source, uint32_t type)
{
	struct watched *page = source < w->nsources && type < PAGE * PAGES ?
		w->sources[source].pages[type / PAGE] : NULL;

	return page ? &page[type % PAGE] : NULL;
}

struct has {
	struct watch *watch;
	const struct trawl_event_type *type;
};

static bool has_field(void *arg, const char *name)
{
	struct has *h = arg;

	return stream_type_has(h->watch->stream, h->type, name);
}

/* Records of the task source are wanted, too, if the expression uses tasks. */
static bool is_wanted(struct watch *w, const struct watched_source *s,
		      const struct trawl_event_type *type)
{
	struct has h = { w, type };

	if (is_task_source(s->source->name))
		return w->tasks;
	return where_possible(w->selection.where, s->source, s->decoder->items ? NULL : type->name,
			      has_field, &h);
}

int watch_type(struct watch *w, const struct trawl_event_type *t, struct trawl_error *err)
{
	struct watched_source *s = &w->sources[t->source];
	struct watched **page, *here;

	assert(t->id < PAGE * PAGES);
	page = &s->pages[t->id / PAGE];
	if (!*page)
		*page = calloc(PAGE, sizeof(**page));
	if (!*page)
		return no_memory(w, err);
	here = &(*page)[t->id % PAGE];
	here->type = trawl_reader_add_type(w->reader, t, err);
	if (!here->type)
		return -1;
	here->wanted = is_wanted(w, s, here->type);
	return 0;
}

int watch_meta(struct watch *w, const struct trawl_meta *m, struct trawl_error *err)
{
	struct trawl_meta now = *m;

	now.time = 0; /* valid from the beginning */
	if (begins(m->name, "task/") && w->tasks)
		tasks_apply_meta(stream_tasks(w->stream), m);
	if (begins(m->name, "probe/") || begins(m->name, "usb/") || !strcmp(m->name, "machine"))
		return trawl_reader_add_meta(w->reader, &now, err);
	return 0;
}

int watch_sync(struct watch *w, const struct trawl_sync *s, struct trawl_error *err)
{
	if (trawl_reader_add_sync(w->reader, s, err))
		return -1;
	for (size_t i = 0; i < w->nsources; i++) {
		const struct trawl_source *source = w->sources[i].source;

		w->sources[i].origin = source && source->clock == TRAWL_CLOCK_MONO ?
			s->real - s->mono : 0;
	}
	return 0;
}

/* ---- checking ---------------------------------------------------------------------------- */

struct event_names {
	struct watch *watch;
	const char *text; /* looked for; NULL: they are listed */
	bool pattern, found;
	struct out list;
	bool cut; /* `list` has not all */
};

static void list_name(struct event_names *e, const char *name)
{
	if (e->list.len < LIST_MOST) {
		out_str(&e->list, e->list.len ? ", " : "");
		out_safe(&e->list, name, strlen(name));
	} else if (!e->cut) {
		e->cut = true;
		out_str(&e->list, ", ...");
	}
}

static void offer_event(struct event_names *e, const char *name)
{
	if (!e->text) {
		list_name(e, name);
	} else {
		e->found |= e->pattern ? glob_match(e->text, name, strlen(name)) :
					 !strcmp(e->text, name);
	}
}

/* Offers the names of all possible items, except those of the hidden task source. */
static void offer_events(struct event_names *e)
{
	struct trawl_reader *r = e->watch->reader;

	for (size_t i = 0; i < e->watch->nsources; i++) {
		const struct watched_source *s = &e->watch->sources[i];

		for (size_t k = 0; s->decoder && s->decoder->items && s->decoder->items[k]; k++)
			offer_event(e, s->decoder->items[k]);
	}
	for (size_t i = 0; i < trawl_event_type_count(r); i++) {
		const struct trawl_event_type *t = trawl_event_type_at(r, i);
		const struct watched_source *s = &e->watch->sources[t->source];

		if (!s->decoder->items && !is_task_source(s->source->name))
			offer_event(e, t->name);
	}
}

static bool known_event(void *arg, const char *text, bool pattern)
{
	struct event_names *e = arg;

	e->text = text;
	e->pattern = pattern;
	e->found = false;
	offer_events(e);
	return e->found;
}

int watch_check(struct watch *w, struct trawl_error *err)
{
	struct event_names e = { .watch = w };
	const char *bad;
	char text[600];
	size_t at;

	if (stream_check(w->stream, err))
		return -1;
	bad = where_unknown_event(w->selection.where, known_event, &e, &at);
	if (!bad)
		return 0;
	e.text = NULL;
	out_memory(&e.list);
	offer_events(&e);
	out_char(&e.list, '\0');
	snprintf(text, sizeof(text), "no event that is recorded is called '%.60s'; there are %s",
		 bad, e.list.data);
	out_free(&e.list);
	return caret_fail(err, TRAWL_USAGE, w->selection.where_text, at, "%s: %s",
			  w->selection.where_option, text);
}

/* ---- records ----------------------------------------------------------------------------- */

bool watch_uses_task(const struct watch *w)
{
	return w->tasks;
}

bool watch_has_type(const struct watch *w, uint16_t source, uint32_t type)
{
	const struct watched *t = watched(w, source, type);

	return t && t->type;
}

bool watch_wants(const struct watch *w, uint16_t source, uint32_t type)
{
	const struct watched *t = watched(w, source, type);

	return t && t->wanted;
}

int watch_record(struct watch *w, const struct trawl_record *r, struct watch_match *m,
		 struct trawl_error *err)
{
	struct trawl_event ev = {
		.time = r->ts + w->sources[r->source].origin, .ts = r->ts,
		.source = w->sources[r->source].source,
		.type = watched(w, r->source, r->type)->type,
		.cpu = r->cpu, .len = (uint32_t)r->len, .record = r->data,
	};

	w->matched = false;
	if (stream_feed(w->stream, &ev, err))
		return -1;
	if (w->matched)
		*m = w->match;
	return w->matched;
}
