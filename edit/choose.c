/* SPDX-License-Identifier: MIT */
#include "edit/choose.h"

#include <stdlib.h>
#include <string.h>

#include "common/hashtable.h"
#include "common/sources.h"
#include "decode/base/cli.h"
#include "decode/export/choice.h"
#include "decode/query/around.h"
#include "decode/query/unseen.h"
#include "decode/usb/usb.h"
#include "edit/needs.h"

/*
 * The newest submission with an id. Drivers use an URB, and thus its id, again, also for another
 * pipe. Ids are of one source: a merged file may have those of several kernels.
 */
struct submission {
	const struct trawl_source *source;
	uint64_t id;
	uint32_t pipe;
	bool kept;
	bool open; /* its completion was not seen yet */
};

struct submissions {
	struct submission *slots; /* hash table by source and id; no source: unused */
	size_t n, room;
};

struct chooser_state {
	struct consumer consumer; /* first: the stream hands it back */
	struct stream *stream;
	struct keep *keep;
	uint64_t every, seen;
	struct submissions submissions;
	struct needs *needs; /* NULL: not requested, or not known for all events */
	struct task_names *names; /* NULL: not requested */
	const struct trawl_source *source; /* source of the previous event, with its section and
					    * number */
	uint32_t section;
	uint16_t number;
	bool no_memory;
};

/* Finds the number that a source has in a section. */
static bool find_number(struct chooser_state *c, const struct trawl_source *source,
			uint32_t section)
{
	if (c->source == source && c->section == section)
		return true;
	c->source = source;
	c->section = section;
	for (c->number = 0; c->number < 256; c->number++)
		if (trawl_section_source(stream_reader(c->stream), section, c->number) == source)
			return true;
	c->source = NULL;
	return false;
}

/* Adds what an event refers to: it is decoded here, so cut_plan() need not decode it again. */
static void note_needs(struct chooser_state *c, const struct item *it, uint32_t section)
{
	const struct trawl_event ev = { .source = it->source, .type = it->type,
					.record = it->record, .len = it->len };

	if (it->type && it->record && find_number(c, it->source, section))
		needs_event(c->needs, section, c->number, &ev);
	else
		c->needs = NULL;
}

static bool submissions_used(const struct submission *s)
{
	return s->source;
}

static bool submissions_has_key(const struct submission *s, const struct submission *key)
{
	return s->id == key->id && s->source == key->source;
}

static const struct submission *submissions_key(const struct submission *s)
{
	return s;
}

static uint64_t submissions_hash(const struct submission *key)
{
	return key->id ^ (uint64_t)(uintptr_t)key->source << 20;
}

HASH_TABLE(submissions, struct submissions, struct submission, const struct submission *)

/* A number for each pipe; both directions of a control endpoint are one. */
static uint32_t pipe_of(const struct urb *u)
{
	uint8_t endpoint = u->xfer == URB_CONTROL ? u->endpoint & 0x7f : u->endpoint;

	return (uint32_t)u->bus << 16 | (uint32_t)u->device << 8 | endpoint;
}

static struct submission submission_of(const struct item *it, bool kept)
{
	const struct usb_detail *u = it->detail;

	return (struct submission){ .source = it->source, .id = u->urb.id,
				    .pipe = pipe_of(&u->urb), .kept = kept, .open = true };
}

/* Returns the newest submission with the event's id and pipe; NULL: none was seen. */
static struct submission *find_submission(const struct submissions *s, const struct item *it)
{
	const struct submission key = submission_of(it, false);
	struct submission *found = submissions_find(s, &key);

	return found && found->pipe == key.pipe ? found : NULL;
}

/* Returns whether memory sufficed. */
static bool note_submission(struct submissions *s, const struct item *it, bool kept)
{
	const struct submission new = submission_of(it, kept);
	struct submission *slot = submissions_slot(s, &new);

	if (!slot)
		return false;
	s->n += !slot->source;
	*slot = new;
	return true;
}

/*
 * Whether --every keeps the event. The completion of a transfer is kept if its submission was, and
 * so is what a second reader recorded of either.
 */
static bool is_every_nth(struct chooser_state *c, const struct decoder *d, const struct item *it)
{
	const struct usb_detail *u = d == &usb_decoder ? it->detail : NULL;
	struct submission *submitted;
	bool selected;

	if (!c->every)
		return true;
	submitted = u ? find_submission(&c->submissions, it) : NULL;
	if (submitted && u->is_second)
		return submitted->kept;
	if (submitted && submitted->open && u->urb.type != 'S') {
		submitted->open = false;
		return submitted->kept;
	}
	selected = c->seen++ % c->every == 0;
	if (u && u->urb.type == 'S')
		c->no_memory |= !note_submission(&c->submissions, it, selected);
	return selected;
}

static int take_item(struct consumer *consumer, const struct decoder *d, void *state,
		     const struct item *it)
{
	struct chooser_state *c = (struct chooser_state *)consumer;
	struct event_position at;

	if (!is_every_nth(c, d, it))
		return CONSUMER_PASSED_OVER;
	stream_position(c->stream, &at);
	if (c->needs)
		note_needs(c, it, at.section);
	if (c->names)
		task_names_add(c->names, at.section, it);
	if (keep_add(c->keep, at.section, at.chunk, at.place))
		return 0;
	c->no_memory = true;
	return 1;
}

static int run(struct choose *c, struct stream *s, struct around *around, struct keep *keep,
	       struct trawl_error *err)
{
	struct chooser_state state = { .consumer.item = take_item, .stream = s, .keep = keep,
				       .every = c->every, .needs = c->needs, .names = c->names };
	struct consumer *consumer = &state.consumer;
	struct trawl_error note;
	int ret;

	if (around)
		consumer = around_consumer(around, consumer, NULL);
	ret = stream_run(s, consumer, err);
	if (!ret && stream_unseen_name(s, &note))
		ret = trawl_fail(err, TRAWL_USAGE, "%s", note.text);
	if (!ret && stream_unseen_part(s, &note))
		cli_note(NULL, &note);
	if (c->needs)
		needs_event_end(c->needs);
	c->needs = state.needs;
	if (state.no_memory || (c->names && c->names->failed))
		ret = trawl_fail(err, TRAWL_CANNOT, "out of memory");
	free(state.submissions.slots);
	return ret;
}

int choose_events(struct choose *c, struct keep *keep, struct trawl_error *err)
{
	struct decode_options joined = c->decode;
	struct choice *choice = NULL;
	struct around *around = NULL;
	struct stream *s = NULL;
	int ret = -1;

	joined.raw = false;
	c->decode.raw = true;
	if (c->around) {
		around = around_find(c->path, c->around, c->window, &joined, err);
		if (!around)
			return -1;
	}
	if ((c->selection->where || c->selection->nnames || c->selection->count) &&
	    choice_find(c->path, &joined, c->selection, &choice, err))
		goto out;
	s = stream_open(c->path, &c->decode, c->selection, err);
	if (s)
		ret = run(c, s, around, keep, err);
out:
	stream_close(s);
	choice_free(choice);
	around_free(around);
	return ret;
}

/* ---- the point of interest ---------------------------------------------------------------- */

struct point {
	struct consumer consumer; /* first: the stream hands it back */
	uint64_t trigger, problem;
};

static int see_item(struct consumer *consumer, const struct decoder *d, void *state,
		    const struct item *it)
{
	struct point *p = (struct point *)consumer;

	if (it->problem)
		p->problem = it->time;
	if (it->name_len == 13 && !memcmp(it->name, "trawl:trigger", 13))
		p->trigger = it->time;
	return 0;
}

/*
 * Whether the source can have errors or a trigger: trace events are no errors (struct item), and
 * the trigger is no trace event.
 */
static bool has_points(const struct trawl_source *s)
{
	return strcmp(s->kind, "tracefs") != 0;
}

/* Selects the sources to be read; all if there are too many to list. */
static bool choose_sources(const struct trawl_reader *r, struct selection *some)
{
	size_t n = 0;

	for (size_t i = 0; i < trawl_source_count(r); i++) {
		const struct trawl_source *s = trawl_source_at(r, i);

		if (!has_points(s))
			continue;
		if (n < SELECTION_MAX)
			some->sources[n] = s->name;
		n++;
	}
	some->nsources = n <= SELECTION_MAX ? n : 0;
	return n;
}

static uint64_t end_of(const struct cut *c)
{
	uint64_t end = 0;

	for (size_t i = 0; i < c->n; i++) {
		const struct trawl_piece *p = &c->entries[i].p;

		if (!p->sync && !is_task_source(p->source->name) && p->to > end)
			end = p->to;
	}
	return end;
}

int choose_point(const char *path, const struct cut *c, uint64_t *time, const char **what,
		 struct trawl_error *err)
{
	struct point p = { .consumer.item = see_item };
	struct decode_options options = { .memory = c->memory };
	struct selection some = { 0 };
	struct stream *s;
	int ret = 0;

	if (choose_sources(c->r, &some)) {
		ret = selection_done(&some, false, err);
		s = ret ? NULL : stream_open(path, &options, &some, err);
		ret = s ? stream_run(s, &p.consumer, err) : -1;
		stream_close(s);
	}
	selection_free(&some);
	*time = p.trigger ? p.trigger : p.problem ? p.problem : end_of(c);
	*what = p.trigger ? "the trigger" : p.problem ? "the last error" : "the end";
	return ret;
}
