/* SPDX-License-Identifier: MIT */
#include "edit/choose.h"

#include <stdlib.h>
#include <string.h>

#include "decode/export/choice.h"
#include "decode/query/around.h"
#include "decode/query/unseen.h"
#include "decode/usb/usb.h"
#include "edit/needs.h"

struct chooser_state {
	struct consumer consumer; /* first: the stream hands it back */
	struct stream *stream;
	struct keep *keep;
	uint64_t every, seen;
	struct numbers urbs; /* submitted and kept, their completions are kept too */
	struct numbers left; /* submitted and left out */
	bool no_memory;
};

/* Of a transfer the end goes where its beginning went. */
static bool is_turn(struct chooser_state *c, const struct decoder *d, const struct item *it)
{
	const struct usb_detail *u = it->detail;
	bool turn;

	if (!c->every)
		return true;
	if (d == &usb_decoder && u->urb.type != 'S') {
		if (numbers_has(&c->urbs, u->urb.id))
			return true;
		if (numbers_has(&c->left, u->urb.id))
			return false;
	}
	turn = c->seen++ % c->every == 0;
	if (d == &usb_decoder && u->urb.type == 'S')
		numbers_add(turn ? &c->urbs : &c->left, u->urb.id);
	return turn;
}

static int take_item(struct consumer *consumer, const struct decoder *d, void *state,
		     const struct item *it)
{
	struct chooser_state *c = (struct chooser_state *)consumer;
	struct event_place at;

	if (!is_turn(c, d, it))
		return CONSUMER_PASSED_OVER;
	stream_place(c->stream, &at);
	if (keep_add(c->keep, at.section, at.chunk, at.place))
		return 0;
	c->no_memory = true;
	return 1;
}

static int run(struct choose *c, struct stream *s, struct around *around, struct keep *keep,
	       struct trawl_error *err)
{
	struct chooser_state state = { .consumer.item = take_item, .stream = s, .keep = keep,
				       .every = c->every };
	struct consumer *consumer = &state.consumer;
	struct trawl_error note;
	int ret;

	if (around)
		consumer = around_consumer(around, consumer, NULL);
	ret = stream_run(s, consumer, err);
	if (!ret && stream_unseen_name(s, &note))
		ret = trawl_fail(err, TRAWL_USAGE, "%s", note.text);
	if (state.no_memory)
		ret = trawl_fail(err, TRAWL_CANNOT, "out of memory");
	numbers_free(&state.urbs);
	numbers_free(&state.left);
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
	uint64_t trigger, problem, end;
};

static int see_item(struct consumer *consumer, const struct decoder *d, void *state,
		    const struct item *it)
{
	struct point *p = (struct point *)consumer;

	p->end = it->time;
	if (it->problem)
		p->problem = it->time;
	if (it->name_len == 13 && !memcmp(it->name, "trawl:trigger", 13))
		p->trigger = it->time;
	return 0;
}

int choose_point(const char *path, uint64_t *time, const char **what, struct trawl_error *err)
{
	struct point p = { .consumer.item = see_item };
	struct decode_options options = { 0 };
	struct selection all = { 0 };
	struct stream *s;
	int ret = -1;

	if (!selection_done(&all, false, err)) {
		s = stream_open(path, &options, &all, err);
		ret = s ? stream_run(s, &p.consumer, err) : -1;
		stream_close(s);
	}
	selection_free(&all);
	*time = p.trigger ? p.trigger : p.problem ? p.problem : p.end;
	*what = p.trigger ? "the trigger" : p.problem ? "the last error" : "the end";
	return ret;
}
