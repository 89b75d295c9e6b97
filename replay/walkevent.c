/* SPDX-License-Identifier: MIT */
#include "replay/walkevent.h"

#include <string.h>

#include "common/branchrecord.h"
#include "common/sources.h"
#include "decode/base/escape.h"
#include "decode/base/glob.h"
#include "decode/query/consumer.h"

#define WINDOW UINT64_C(100000000) /* ns that are looked at first on the way back */

struct finder {
	struct consumer consumer; /* first: the stream hands it back */
	struct trawl_reader *known;
	const char *path;
	const struct walk_wanted *wanted;
	bool found;
	uint64_t time, number;    /* of the item at hand, as in struct walk_event */
	bool any;
	struct walk_event *event;
};

static void keep(struct finder *f, const struct decoder *d, void *state, const struct item *it)
{
	struct out *o = &f->event->text;

	o->len = 0;
	out_safe(o, it->name, it->name_len);
	if (it->tid != ITEM_NO_TASK) {
		out_str(o, " [");
		out_safe(o, it->comm, it->comm_len);
		out_printf(o, " %d]", it->tid);
	}
	out_char(o, ' ');
	d->text(state, it, o);
	f->event->time = f->time;
	f->event->number = f->number;
	f->found = true;
}

static int look(struct consumer *c, const struct decoder *d, void *state, const struct item *it)
{
	struct finder *f = (struct finder *)c;
	const struct walk_wanted *w = f->wanted;
	bool before;

	f->number = f->any && f->time == it->time ? f->number + 1 : 0;
	f->time = it->time;
	f->any = true;
	before = it->time < w->from.time ||
		 (it->time == w->from.time && f->number < w->from.behind);
	if (w->glob && !glob_match(w->glob, it->name, it->name_len))
		return 0;
	if (w->back && !before)
		return 1;
	if (!w->back && before)
		return 0;
	keep(f, d, state, it);
	return !w->back;
}

/* Chooses all sources but those of branches and tasks. False: there are none. */
static bool choose_sources(struct selection *sel, struct trawl_reader *r)
{
	for (size_t i = 0; i < trawl_source_count(r) && sel->nsources < SELECTION_MAX; i++) {
		const struct trawl_source *s = trawl_source_at(r, i);

		if (strcmp(s->kind, BRANCH_SOURCE_KIND) && !is_task_source(s->name))
			sel->sources[sel->nsources++] = s->name;
	}
	return sel->nsources;
}

/* Passes the items from begin on, before end, to look(). */
static int find_within(struct finder *f, uint64_t begin, uint64_t end, struct trawl_error *err)
{
	struct decode_options options = {.memory = f->wanted->memory};
	struct selection selection = {
		.to_option = "--until",
		.from = {.kind = TIME_ARG_ABSOLUTE, .ns = begin},
		.to = {.kind = TIME_ARG_ABSOLUTE, .ns = end},
	};
	struct stream *s;
	int ret = -1;

	if (!choose_sources(&selection, f->known))
		return 0;
	s = selection_done(&selection, true, err) ? NULL :
						    stream_open(f->path, &options, &selection, err);
	f->any = false;
	if (s)
		ret = stream_run(s, &f->consumer, err);
	stream_close(s);
	selection_free(&selection);
	return ret < 0 ? -1 : 0;
}

int walkevent_find(struct trawl_reader *known, const char *path, const struct walk_wanted *wanted,
		   struct walk_event *e, struct trawl_error *err)
{
	struct finder f = {.consumer = {.item = look}, .known = known, .path = path,
			   .wanted = wanted, .event = e};
	uint64_t window = WINDOW, end = wanted->from.time + 1;

	out_memory(&e->text);
	if (!wanted->back)
		return find_within(&f, wanted->from.time, UINT64_MAX, err) ? -1 : f.found;
	/* The same time again and again, but twice as long: the begin is met soon. */
	for (bool all = false; !f.found && !all; window *= 2) {
		all = window >= end;
		if (find_within(&f, all ? 0 : end - window, end, err))
			return -1;
	}
	return f.found;
}
