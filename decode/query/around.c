/* SPDX-License-Identifier: MIT */
#include "decode/query/around.h"
#include "common/array.h"

#include <stdlib.h>

#include "decode/base/cli.h"
#include "decode/query/where.h"

struct stretch {
	uint64_t from, to; /* both inclusive */
};

struct around {
	struct consumer consumer; /* first: the stream hands it back */
	struct consumer *inner;
	struct out *separator;
	uint64_t window;
	struct stretch *stretches;
	size_t n, room;
	size_t at;    /* the first stretch that has not ended */
	size_t shown; /* 1 + number of the stretch that was shown last; 0: none yet */
	bool no_memory;
};

/* Matches come in time order: a new one extends the last stretch, or begins another after it. */
static int take_match(struct consumer *c, const struct decoder *d, void *state,
		      const struct item *it)
{
	struct around *a = (struct around *)c;
	struct stretch *last = a->n ? &a->stretches[a->n - 1] : NULL;
	uint64_t from = it->time > a->window ? it->time - a->window : 0;
	uint64_t to = it->time > UINT64_MAX - a->window ? UINT64_MAX : it->time + a->window;

	if (last && from <= last->to) {
		if (to > last->to)
			last->to = to;
		return 0;
	}
	if (!array_grow(a->stretches, a->n)) {
		a->no_memory = true;
		return 1;
	}
	a->stretches[a->n++] = (struct stretch){ from, to };
	return 0;
}

struct around *around_find(const char *path, const char *expr, uint64_t window,
			   const struct decode_options *options, struct trawl_error *err)
{
	struct around *a = calloc(1, sizeof(*a));
	struct selection matches = { 0 };
	struct stream *s = NULL;
	struct trawl_error note;
	int got = -1;

	if (!a) {
		trawl_fail(err, TRAWL_CANNOT, "out of memory");
		return NULL;
	}
	a->window = window;
	a->consumer.item = take_match;
	if (!strcmp(path, "-")) {
		trawl_fail(err, TRAWL_USAGE,
			   "--around: reads its input twice; give a file instead of a pipe");
		goto out;
	}
	matches.where = where_parse("--around", expr, err);
	matches.where_option = "--around";
	matches.where_text = expr;
	if (!matches.where || selection_done(&matches, false, err))
		goto out;
	where_set_on_mismatch(matches.where, cli_note, NULL);
	s = stream_open(path, options, &matches, err);
	if (!s || stream_run(s, &a->consumer, err))
		goto out;
	if (a->no_memory)
		trawl_fail(err, TRAWL_CANNOT, "out of memory");
	else
		got = 0;
	if (!got && !a->n) {
		trawl_fail(&note, TRAWL_OK, "--around: nothing matches '%.400s'", expr);
		cli_note(NULL, &note);
	}
out:
	stream_close(s);
	selection_free(&matches);
	if (!got)
		return a;
	around_free(a);
	return NULL;
}

void around_free(struct around *a)
{
	if (!a)
		return;
	free(a->stretches);
	free(a);
}

static void pass_aside(struct consumer *c, const struct decoder *d, void *state,
		       const struct item *it)
{
	struct around *a = (struct around *)c;

	if (a->inner->aside)
		a->inner->aside(a->inner, d, state, it);
}

static int pass_item(struct consumer *c, const struct decoder *d, void *state,
		     const struct item *it)
{
	struct around *a = (struct around *)c;

	while (a->at < a->n && a->stretches[a->at].to < it->time)
		a->at++;
	if (a->at == a->n)
		return a->n ? 1 : CONSUMER_PASSED_OVER;
	if (it->time < a->stretches[a->at].from) {
		pass_aside(c, d, state, it);
		return CONSUMER_PASSED_OVER;
	}
	if (a->separator && a->shown && a->shown != a->at + 1)
		out_str(a->separator, "--\n");
	a->shown = a->at + 1;
	return a->inner->item(a->inner, d, state, it);
}

/* Passes on losses that overlap a stretch. */
static int pass_loss(struct consumer *c, const struct trawl_source *s, const struct trawl_loss *l,
		     uint64_t from, uint64_t to)
{
	struct around *a = (struct around *)c;

	for (size_t i = a->at; i < a->n && a->stretches[i].from <= to; i++)
		if (a->stretches[i].to >= from)
			return a->inner->loss(a->inner, s, l, from, to);
	return 0;
}

struct consumer *around_consumer(struct around *a, struct consumer *inner, struct out *separator)
{
	a->inner = inner;
	a->separator = separator;
	a->consumer.item = pass_item;
	a->consumer.loss = inner->loss ? pass_loss : NULL;
	a->consumer.aside = inner->aside ? pass_aside : NULL;
	return &a->consumer;
}
