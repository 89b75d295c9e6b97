/* SPDX-License-Identifier: MIT */
#include "decode/export/print_text.h"
#include "common/search.h"
#include "common/sources.h"
#include "decode/base/escape.h"
#include "decode/base/fit.h"
#include "decode/base/number.h"

#include <stddef.h>

#define TASK_WIDTH 23 /* 15 letters, "-" and 7 digits; grows if necessary */
#define TASK_MAX   28
#define NAME_WIDTH 20
#define NARROW 100 /* columns of a terminal */
#define NAME_MAX   40

#define NORMAL "\033[0m"
#define BOLD   "\033[1;36m"
#define GREEN  "\033[32m"
#define RED    "\033[31m"

static char *put(char *p, const char *s, size_t n)
{
	memcpy(p, s, n);
	return p + n;
}

static char *put_colour(const struct text_printer *t, char *p, const char *code)
{
	return t->colour ? put(p, code, strlen(code)) : p;
}

/* Pads to the width of a column, which grows to the widest entry so far, and one more blank. */
static char *put_column_end(char *p, const char *start, size_t *width, size_t most)
{
	size_t n = (size_t)(p - start);

	if (n > *width)
		*width = n < most ? n : most;
	n = n < *width ? *width - n : 0;
	memset(p, ' ', n + 1);
	return p + n + 1;
}

static char *put_cpu(char *p, uint32_t cpu)
{
	if (cpu == ITEM_NO_CPU)
		return put(p, "      ", 6);
	*p++ = '[';
	p = cpu < 1000 ? put_digits(p, cpu, 3) : put_u64(p, cpu);
	return put(p, "] ", 2);
}

static char *put_task(struct text_printer *t, char *p, const struct item *it)
{
	char *start;

	p = put_colour(t, p, GREEN);
	start = p;
	if (it->tid != ITEM_NO_TASK) {
		if (it->comm_len)
			p = put_safe(p, it->comm, it->comm_len < 64 ? it->comm_len : 64, 0);
		else
			*p++ = '?';
		*p++ = '-';
		p = put_s64(p, it->tid);
	}
	p = put_column_end(p, start, &t->task_width, TASK_MAX);
	return put_colour(t, p, NORMAL);
}

static char *put_name(struct text_printer *t, char *p, const struct item *it)
{
	char *start;
	size_t n = it->name_len < 512 ? it->name_len : 512;

	p = put_colour(t, p, it->problem ? RED : BOLD);
	start = p;
	p = put_safe(p, it->name, n, 0);
	p = put_column_end(p, start, &t->name_width, NAME_MAX);
	return put_colour(t, p, NORMAL);
}

/* A column has grown: cached lines have too little padding. */
static void widths_changed(struct text_printer *t)
{
	memset(&t->caches, 0, sizeof(t->caches));
}

/* Writes CPU and task. */
static char *put_task_column(struct text_printer *t, char *p, const struct item *it)
{
	struct print_cache *c = print_cache_of_task(&t->caches, it);
	size_t width = t->task_width;
	char *end;

	if (print_cache_is_task(c, it))
		return print_cache_put(p, c);
	end = put_task(t, put_cpu(p, it->cpu), it);
	if (t->task_width != width)
		widths_changed(t);
	else
		print_cache_keep_task(c, it, p, end);
	return end;
}

static char *put_name_column(struct text_printer *t, char *p, const struct item *it)
{
	struct print_cache *c = print_cache_of_name(&t->caches, it);
	size_t width = t->name_width;
	char *end;

	if (print_cache_is_name(c, it, it->problem))
		return print_cache_put(p, c);
	end = put_name(t, p, it);
	if (t->name_width != width)
		widths_changed(t);
	else
		print_cache_keep_name(c, it, it->problem, p, end);
	return end;
}

static char *put_bound(struct text_printer *t, char *p, const struct item *it)
{
	uint64_t bound = stream_bound(t->stream, it);

	p = put(p, "+-", 2);
	if (bound == UINT64_MAX)
		return put(p, "? ", 2);
	p = put_u64(p, bound);
	return put(p, "ns ", 3);
}

static void size_machines(struct text_printer *t, const struct trawl_source *s)
{
	size_t n = strlen(source_machine(s->name));

	if (n > t->machine_width)
		t->machine_width = n < 64 ? n : 64;
}

/* Writes the machine, in a merged file of several machines. */
static char *put_machine(struct text_printer *t, char *p, const struct item *it)
{
	const char *name = source_machine(it->source->name), *start = p;
	size_t n = strlen(name);

	p = put_safe(p, name, n < 64 ? n : 64, 0);
	return put_column_end(p, start, &t->machine_width, 64);
}

/*
 * At the first item, decides which columns are needed and how wide the names are, from what is
 * known of the file. The columns then stay in place in all lines.
 */
static void size_columns(struct text_printer *t)
{
	struct trawl_reader *r = stream_reader(t->stream);

	t->sized = true;
	for (size_t i = 0; i < trawl_source_count(r); i++) {
		const struct trawl_source *s = trawl_source_at(r, i);

		size_machines(t, s);
		t->tasks |= !strcmp(s->kind, tracefs_decoder.kind) && stream_wants(t->stream, s);
	}
	for (size_t i = 0; i < trawl_event_type_count(r); i++) {
		const struct trawl_event_type *type = trawl_event_type_at(r, i);
		size_t n = strlen(type->name);

		if (n > t->name_width && stream_wants_type(t->stream, type))
			t->name_width = n < NAME_MAX ? n : NAME_MAX;
	}
}

/* Room for everything before the fields. */
#define HEAD_ROOM (TIME_ROOM + 64 + 4 * 64 + 5 * 64 + 4 * 512 + 512 + 2 * PRINT_CACHE_TEXT)

/*
 * Converts a time of the timeline to CLOCK_MONOTONIC by the last sync block before it, or the first
 * one, because the wall clock may have been set between two of them.
 */
static uint64_t monotonic(const struct text_printer *t, uint64_t time)
{
	const struct trawl_reader *r = stream_reader(t->stream);
	size_t n = trawl_sync_count(r), before;
	uint64_t mono;

	if (!n)
		return time;
	before = partition_point(n, i, trawl_to_timeline(r, TRAWL_CLOCK_MONO,
							 trawl_sync_at(r, i)->mono) <= time);
	mono = trawl_sync_at(r, before ? before - 1 : 0)->mono;
	return mono + (time - trawl_to_timeline(r, TRAWL_CLOCK_MONO, mono));
}

static char *put_time(struct text_printer *t, char *p, uint64_t ns, unsigned int digits)
{
	if (!t->time.started && t->time.style == TIME_SINCE)
		t->time.first = stream_first(t->stream);
	p = time_put(&t->time, p, ns, digits);
	if (t->time.style != TIME_NONE)
		*p++ = ' ';
	return p;
}

/*
 * Writes the time of an item. If the source's own clock is the monotonic clock, its exact time is
 * used.
 */
static char *put_item_time(struct text_printer *t, char *p, const struct item *it)
{
	uint64_t ns = it->time;

	if (t->time.style == TIME_MONOTONIC && it->source->clock == TRAWL_CLOCK_MONO)
		ns = it->ts;
	else if (t->time.style == TIME_MONOTONIC)
		ns = monotonic(t, it->time);
	return put_time(t, p, ns, it->source->resolution >= 1000 ? 6 : 9);
}

/* Appends the line of an item, without what follows it under -v and -x. */
static void put_line(struct text_printer *t, const struct decoder *d, void *state,
		     const struct item *it, struct out *o)
{
	char *p = out_need(o, HEAD_ROOM);

	p = put_item_time(t, p, it);
	if (t->bounds)
		p = put_bound(t, p, it);
	t->tasks |= it->cpu != ITEM_NO_CPU || it->tid != ITEM_NO_TASK;
	if (t->machine_width)
		p = put_machine(t, p, it);
	if (t->tasks)
		p = put_task_column(t, p, it);
	p = put_name_column(t, p, it);
	out_used(o, p);
	d->text(state, it, o);
	out_char(o, '\n');
}

static int text_item(struct consumer *c, const struct decoder *d, void *state,
		     const struct item *it)
{
	struct text_printer *t = (struct text_printer *)c;
	struct out *o = t->out, *line = t->line;

	if (!t->sized)
		size_columns(t);
	if (line)
		line->len = 0;
	put_line(t, d, state, it, line ? line : o);
	if (line)
		fit_cut(o, line->data, line->len, t->columns);
	if (d->more)
		d->more(state, it, o);
	return o->error != 0 || (line && line->error);
}

static int text_loss(struct consumer *c, const struct trawl_source *s, const struct trawl_loss *l,
		     uint64_t from, uint64_t to)
{
	struct text_printer *t = (struct text_printer *)c;
	struct out *o = t->out;
	char *p = out_need(o, HEAD_ROOM);

	p = put_time(t, p, t->time.style == TIME_MONOTONIC ? monotonic(t, to) : to, 9);
	p = put_colour(t, p, RED);
	out_used(o, p);
	out_str(o, "*** ");
	if (l->count == UINT64_MAX)
		out_str(o, "an unknown number of");
	else
		out_u64(o, l->count);
	out_str(o, l->count == 1 ? " event of " : " events of ");
	out_safe(o, s->name, strlen(s->name));
	if (l->cpu != UINT32_MAX) {
		out_str(o, " on cpu ");
		out_u64(o, l->cpu);
	}
	out_str(o, " lost in the last ");
	time_span(o, to - from);
	out_str(o, ": ");
	out_str(o, trawl_loss_reason_name(l->reason));
	if (t->colour)
		out_str(o, NORMAL);
	out_char(o, '\n');
	return o->error != 0;
}

void text_printer_start(struct text_printer *t)
{
	t->consumer.item = text_item;
	t->consumer.loss = text_loss;
	t->tasks = t->sized = false;
	/* on a narrow terminal tasks and names are as wide as they must be */
	t->task_width = t->columns && t->columns < NARROW ? 0 : TASK_WIDTH;
	t->name_width = t->task_width ? NAME_WIDTH : 0;
	widths_changed(t);
}
