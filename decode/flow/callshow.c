/* SPDX-License-Identifier: MIT */
#include "decode/flow/callshow.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "decode/base/escape.h"

static void put_line(struct out *o, const char *file, uint32_t line)
{
	const char *slash = file ? strrchr(file, '/') : NULL;

	if (!file)
		return;
	out_str(o, "  ");
	out_safe(o, slash ? slash + 1 : file, strlen(slash ? slash + 1 : file));
	out_printf(o, ":%" PRIu32, line);
}

static void put_time(struct calls *c, uint64_t ns)
{
	char *p = out_need(c->out, TIME_ROOM);

	out_used(c->out, time_put(&c->time, p, ns, 9));
}

/* Prints a duration with three significant digits. */
static void put_span(struct out *o, uint64_t ns)
{
	static const struct { uint64_t unit; const char *name; } units[] = {
		{ 1000000000, "s" }, { 1000000, "ms" }, { 1000, "us" }, { 1, "ns" },
	};
	unsigned int i = 0;
	double value;

	/* What would be rounded to 1000 has one unit of the next larger kind. */
	while (i < 3 && (double)ns < 0.9995 * (double)units[i].unit)
		i++;
	value = (double)ns / (double)units[i].unit;
	out_printf(o, i == 3 || value >= 999.5 ? "%.0f%s" : "%.3g%s", value, units[i].name);
}

/*
 * Prints the duration as far as it is known: "<9ms", "~46ms" (at most a third off), "46ms",
 * ">46ms", "?". Nothing for a jump.
 */
static void put_took(struct out *o, const struct call_node *n)
{
	bool near = n->least && n->most / 2 <= n->least;
	size_t start = o->len;

	if (n->most == CALL_UNKNOWN)
		out_char(o, n->least ? '>' : '?');
	else if (n->most > n->least)
		out_char(o, near ? '~' : '<');
	if (n->most == CALL_UNKNOWN && n->least)
		put_span(o, n->least);
	else if (n->most && n->most != CALL_UNKNOWN)
		put_span(o, near ? n->least + (n->most - n->least) / 2 : n->most);
	out_pad(o, start, 9, 1);
}

/* Indents a line. Lines of a deep recursion stay short: they have the number of their level. */
static void put_depth(struct out *o, unsigned int depth)
{
	enum { LEVELS = 50 };

	out_fill(o, ' ', 2 * (size_t)(depth < LEVELS ? depth : LEVELS));
	if (depth > LEVELS)
		out_printf(o, "(%u) ", depth);
}

static void print_node(struct calls *c, const struct call_node *n, unsigned int depth)
{
	struct out *o = c->out;

	put_time(c, n->time);
	out_str(o, "  ");
	put_took(o, n);
	put_depth(o, depth);
	if (n->name)
		out_safe(o, n->name, strlen(n->name));
	else
		out_str(o, "loop");
	if (n->count > 1)
		out_printf(o, " x%" PRIu64, n->count);
	put_line(o, n->file, n->line);
	out_char(o, '\n');
	for (size_t i = 0; i < n->n; i++)
		print_node(c, n->children[i], depth + 1);
}

static void print_json(struct calls *c, const struct call_tree *t, const struct call_node *n,
		       unsigned int depth)
{
	struct out *o = c->out;

	out_printf(o,
		   "{\"tid\":%d,\"depth\":%u,\"time_ns\":%" PRIu64 ",\"least_ns\":%" PRIu64
		   ",\"most_ns\":",
		   t->task->tid, depth, n->time, n->least);
	if (n->most == CALL_UNKNOWN)
		out_str(o, "null");
	else
		out_printf(o, "%" PRIu64, n->most);
	out_printf(o, ",\"count\":%" PRIu64 ",\"function\":", n->count);
	if (n->name)
		out_json(o, n->name, strlen(n->name));
	else
		out_str(o, "null");
	if (n->file) {
		out_str(o, ",\"file\":");
		out_json(o, n->file, strlen(n->file));
		out_printf(o, ",\"line\":%" PRIu32, n->line);
	}
	out_str(o, t->stepped ? ",\"stepped\":true}\n" : "}\n");
	for (size_t i = 0; i < n->n; i++)
		print_json(c, t, n->children[i], depth + 1);
}

/*
 * Prints the line of a task. stepped: what single-stepping has distorted, "durations" or "times".
 */
static void print_task(struct out *o, const char *comm, const struct call_tree *t,
		       const char *stepped)
{
	out_safe(o, *comm ? comm : "?", strlen(*comm ? comm : "?"));
	out_printf(o, "-%d", t->task->tid);
	if (t->stepped)
		out_printf(o, "  (single-stepped: %s include the time of the steps)", stepped);
	out_char(o, '\n');
}

void callshow_tree(struct calls *c, const struct call_tree *t)
{
	if (!c->json)
		print_task(c->out, t->task->comm, t, "durations");
	for (size_t i = 0; i < t->before.n; i++) {
		if (c->json)
			print_json(c, t, t->before.children[i], 0);
		else
			print_node(c, t->before.children[i], 1);
	}
}

void callshow_last(struct calls *c)
{
	uint64_t n = c->nlast < c->last_most ? c->nlast : c->last_most;
	unsigned int least = UINT32_MAX;
	struct last_call *l;

	for (uint64_t i = c->nlast - n; i < c->nlast; i++) {
		l = &c->last[i % c->last_most];
		least = l->depth < least ? l->depth : least;
		if (l->tree->stepped && !l->tree->warned && !c->json)
			print_task(c->out, l->comm, l->tree, "times");
		l->tree->warned = true;
	}
	for (uint64_t i = c->nlast - n; i < c->nlast; i++) {
		l = &c->last[i % c->last_most];
		if (c->json) {
			struct call_node n1 = { .name = l->name, .file = l->file, .line = l->line,
					   .count = 1, .time = l->time, .most = CALL_UNKNOWN };

			print_json(c, l->tree, &n1, l->depth - least);
			continue;
		}
		put_time(c, l->time);
		out_printf(c->out, " %.15s-%d ", l->comm, l->tree->task->tid);
		put_depth(c->out, l->depth - least);
		out_safe(c->out, l->name, strlen(l->name));
		put_line(c->out, l->file, l->line);
		out_char(c->out, '\n');
	}
}
