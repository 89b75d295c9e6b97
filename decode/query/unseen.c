/* SPDX-License-Identifier: MIT */
#include "decode/query/unseen.h"

#include <stdio.h>
#include <string.h>

#include "common/caret.h"
#include "decode/base/time.h"
#include "decode/query/listing.h"
#include "decode/query/state.h"
#include "decode/query/where.h"

/* Whether events of this type occurred, or of a type with the same low bits of its id. */
static bool occurred(const struct stream *s, const struct trawl_event_type *t)
{
	return s->occurred[t->id % OCCURRED_BITS / 8] >> (t->id % 8) & 1;
}

/* Notes the --names that are event types; lists those that occurred. */
static void list_types(struct stream *s, struct listing *l)
{
	bool raw = s->options->raw || s->options->export;

	for (size_t i = 0; i < trawl_event_type_count(s->reader); i++) {
		const struct trawl_event_type *t = trawl_event_type_at(s->reader, i);
		const struct trawl_source *source = stream_source(s, t->source);

		if (!raw && source && decoder_find(source)->items)
			continue; /* its items have other names, which are listed already */
		if (!l)
			selection_name(s->selection, t->name, strlen(t->name), true);
		else if (source && stream_wants(s, source) && occurred(s, t))
			listing_add(l, t->name);
	}
}

int stream_unseen_name(struct stream *s, struct trawl_error *err)
{
	const char *unseen;
	struct listing l;

	if (s->stopped || s->selection->begin || s->selection->end != UINT64_MAX ||
	    s->selection->chooser)
		return 0;
	list_types(s, NULL);
	unseen = selection_unseen(s->selection);
	if (!unseen)
		return 0;
	listing_start(&l, unseen);
	for (const struct engine *e = s->engines; e; e = e->next)
		for (size_t i = 0; i < 64 && e->shown >> i; i++)
			if (e->shown >> i & 1)
				listing_add(&l, e->decoder->items[i]);
	list_types(s, &l);
	trawl_fail(err, TRAWL_USAGE, "--name: no event is called '%.100s'%s", unseen,
		   listing_hint(&l));
	listing_free(&l);
	return -1;
}

int stream_unseen_pid(struct stream *s, struct trawl_error *err)
{
	const int32_t *unseen = selection_unseen_pid(s->selection);

	if (!unseen || s->stopped || s->selection->begin || s->selection->end != UINT64_MAX)
		return 0;
	return trawl_fail(err, TRAWL_USAGE, "--pid: no event%s belongs to process or thread %d",
			  s->selection->nsources ? " of this --source" : "", *unseen);
}

/* Offers names that resemble the last member of a path, unless there is one of that very name. */
static void list_parts(const struct stream *s, const char *name, struct listing *l)
{
	for (const struct engine *e = s->engines; e; e = e->next)
		if (e->decoder->parts && !e->decoder->part(name))
			e->decoder->parts(listing_add, l);
}

int stream_unseen_part(struct stream *s, struct trawl_error *err)
{
	const struct selection *sel = s->selection;
	const char *part, *dot;
	struct listing l;
	char name[100];
	size_t at;

	if (s->stopped || !sel->where || sel->chooser)
		return 0;
	part = where_valueless(sel->where, &at);
	if (!part)
		return 0;
	dot = strrchr(part, '.');
	dot = dot ? dot + 1 : part;
	snprintf(name, sizeof(name), "%.*s", (int)strcspn(dot, "["), dot);
	listing_start(&l, name);
	list_parts(s, name, &l);
	caret_fail(err, TRAWL_USAGE, sel->where_text, at, "%s: none of the events that were "
		   "compared has a value '%.200s'%s", sel->where_option, part,
		   l.near.count ? listing_hint(&l) : "; --json shows the names");
	listing_free(&l);
	return -1;
}

/* Gets the first and last time of the file on the timeline; false if they are not known. */
static bool file_span(const struct trawl_reader *r, uint64_t *first, uint64_t *last)
{
	const struct trawl_sync *front = NULL;

	*first = UINT64_MAX;
	*last = 0;
	for (size_t i = 0; i < trawl_sync_count(r); i++) {
		const struct trawl_sync *y = trawl_sync_at(r, i);
		uint64_t time;

		if (!front || front->section != y->section)
			front = y;
		time = y->mono + front->real - front->mono;
		*first = time < *first ? time : *first;
		*last = time > *last ? time : *last;
	}
	return front;
}

int stream_outside(struct stream *s, struct trawl_error *err)
{
	const struct selection *sel = s->selection;
	uint64_t first, last;
	struct out o;
	bool late;

	if (!s->seekable || sel->taken || !file_span(s->reader, &first, &last) ||
	    (sel->begin <= last && sel->end > first))
		return 0;
	late = sel->begin > last;
	out_memory(&o);
	out_str(&o, late ? "--from: no event is at or after " : sel->to_option);
	out_str(&o, late ? "" : ": no event is before ");
	time_full(&o, late ? sel->begin : sel->end, sel->utc);
	out_str(&o, "; the capture lasted from ");
	time_full(&o, first, sel->utc);
	out_str(&o, " to ");
	time_full(&o, last, sel->utc);
	out_char(&o, '\0');
	trawl_fail(err, TRAWL_USAGE, "%s", o.data);
	out_free(&o);
	return -1;
}
