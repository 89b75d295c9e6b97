/* SPDX-License-Identifier: MIT */
#include "decode/flow/paths.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/array.h"
#include "decode/base/escape.h"

enum { WINDOW = 4096 };

/* One end of a branch in a form that does not depend on where modules are mapped. */
struct end {
	const char *where;   /* name of the module, or of the memory as /proc/PID/maps has it */
	uint64_t at;         /* address as linked, or offset in that memory */
	char text[96], line[64];
};

struct edge {
	struct end from, to;
	uint8_t kind;
};

struct task {
	char name[32];
	uint32_t *edges;
	size_t n, room;
};

struct paths {
	struct edge *edges;
	size_t nedges;
	uint32_t *slots;     /* hash table of edge numbers, which count from 1 */
	size_t room;
	struct task *tasks[2];
	size_t ntasks[2];
	struct images *images[2];

	bool failed;
};

struct reader {
	struct flow flow;
	struct paths *p;
	unsigned int side;
	uint32_t *ids;       /* edge numbers of the batch's pairs; 0: not looked up yet */
	size_t room;
};

struct paths *paths_new(void)
{
	return calloc(1, sizeof(struct paths));
}

void paths_free(struct paths *p)
{
	for (unsigned int i = 0; p && i < 2; i++) {
		for (size_t n = 0; n < p->ntasks[i]; n++)
			free(p->tasks[i][n].edges);
		free(p->tasks[i]);
	}
	if (p) {
		free(p->edges);
		free(p->slots);
	}
	free(p);
}

/* ---- edges ------------------------------------------------------------------------------- */

static uint64_t hash_of(const struct edge *e)
{
	uint64_t h = e->from.at * 0x9E3779B97F4A7C15u ^ e->to.at * 0xC2B2AE3D27D4EB4Fu ^ e->kind;

	for (const char *c = e->from.where; *c; c++)
		h = (h ^ (unsigned char)*c) * 0x100000001b3;
	return h ^ h >> 32;
}

static bool same_end(const struct end *a, const struct end *b)
{
	return a->at == b->at && !strcmp(a->where, b->where);
}

static uint32_t *slot_of(const struct paths *p, const struct edge *e)
{
	size_t at = (size_t)hash_of(e) & (p->room - 1);

	for (; p->slots[at]; at = (at + 1) & (p->room - 1)) {
		const struct edge *o = &p->edges[p->slots[at] - 1];

		if (o->kind == e->kind && same_end(&o->from, &e->from) && same_end(&o->to, &e->to))
			break;
	}
	return &p->slots[at];
}

static bool enlarge(struct paths *p)
{
	uint32_t *old = p->slots;
	size_t n = p->room;

	p->room = n ? 2 * n : 4096;
	p->slots = calloc(p->room, sizeof(*p->slots));
	if (!p->slots) {
		p->slots = old;
		p->room = n;
		return false;
	}
	free(old);
	for (size_t i = 0; i < p->nedges; i++)
		*slot_of(p, &p->edges[i]) = (uint32_t)i + 1;
	return true;
}

/* Returns the number of the edge, from 1; 0: out of memory. */
static uint32_t number_of(struct paths *p, const struct edge *e)
{
	uint32_t *slot;

	if (4 * p->nedges >= 3 * p->room && !enlarge(p))
		return 0;
	slot = slot_of(p, e);
	if (*slot)
		return *slot;
	if (!array_grow(p->edges, p->nedges))
		return 0;
	p->edges[p->nedges++] = *e;
	*slot = (uint32_t)p->nedges;
	return *slot;
}

static struct end end_of(const struct flow_stretch *s, uint64_t address)
{
	struct image_place place;
	char text[IMAGE_TEXT];
	struct end e;

	flow_place(s, address, &place);
	e.where = place.range ? image_module_name(&place) : "";
	e.at = place.module ? place.vaddr : place.range ? address - place.range->start : address;
	snprintf(e.text, sizeof(e.text), "%.95s", image_describe(&place, text));
	snprintf(e.line, sizeof(e.line), "%.63s", image_describe_line(&place, false, text));
	return e;
}

static uint32_t look_up(struct paths *p, const struct flow_stretch *s,
			const struct branch_pair *pair)
{
	struct edge e = { .from = end_of(s, pair->from), .to = end_of(s, pair->to),
			  .kind = pair->kind };

	return number_of(p, &e);
}

/* ---- reading ----------------------------------------------------------------------------- */

static struct task *task_of(struct reader *r, struct flow_task *t)
{
	struct paths *p = r->p;
	size_t *number = t->own;

	if (!number) {
		number = t->own = malloc(sizeof(*number));
		if (!number || !array_grow(p->tasks[r->side], p->ntasks[r->side]))
			return NULL;
		*number = p->ntasks[r->side]++;
		p->tasks[r->side][*number] = (struct task){ 0 };
	}
	snprintf(p->tasks[r->side][*number].name, sizeof(((struct task *)0)->name), "%.15s-%d",
		 *t->comm ? t->comm : "?", t->tid);
	return &p->tasks[r->side][*number];
}

static int take(struct flow *f, const struct flow_stretch *s)
{
	struct reader *r = (struct reader *)f;
	const struct branch_batch *b = &s->batch->batch;
	struct task *t = task_of(r, s->task);

	r->p->images[r->side] = s->batch->images;
	if (!t || !array_reserve(t->edges, t->room, t->n + (s->end - s->first)) ||
	    !array_reserve(r->ids, r->room, b->npairs)) {
		r->p->failed = true;
		return 1;
	}
	memset(r->ids, 0, b->npairs * sizeof(*r->ids));
	for (uint32_t i = s->first; i < s->end; i++) {
		uint32_t pair = b->ids[i];

		if (!r->ids[pair])
			r->ids[pair] = look_up(r->p, s, &b->pairs[pair]);
		r->p->failed |= !r->ids[pair];
		/* Where recordings of a command begin: not all back ends have this exec. */
		if (t->n || b->pairs[pair].kind != BRANCH_EXEC)
			t->edges[t->n++] = r->ids[pair];
	}
	return r->p->failed;
}

int paths_read(struct paths *p, unsigned int i, struct stream *s, struct trawl_error *err)
{
	struct reader r = { .p = p, .side = i };
	struct selection sel = *stream_selection(s);
	char what[256];
	int got;

	sel.count = 0; /* -c is a number of differences */
	if (flow_selectable(&sel, "--diff", err))
		return -1;
	flow_start(&r.flow, stream_selection(s));
	r.flow.stretch = take;
	got = flow_run(&r.flow, s, "--diff", err);
	if (!got && p->failed)
		got = trawl_fail(err, TRAWL_CANNOT,
				 "--diff: out of memory; select a part with --from, --until, "
				 "--pid");
	if (!got) {
		snprintf(what, sizeof(what), "--diff: %.200s", stream_name(s));
		flow_note_gaps(&r.flow, what, "a difference may be what is missing");
	}
	flow_end(&r.flow);
	free(r.ids);
	return got;
}

/* ---- comparing --------------------------------------------------------------------------- */

size_t paths_tasks(const struct paths *p, unsigned int i)
{
	return p->ntasks[i];
}

uint64_t paths_length(const struct paths *p, unsigned int i, size_t n)
{
	return n < p->ntasks[i] ? p->tasks[i][n].n : 0;
}

/* Whether the next PATHS_RESYNC branches are equal, or all remaining ones of both tasks. */
static bool joins(const struct task *a, const struct task *b, uint64_t x, uint64_t y)
{
	uint64_t left_a = a->n - x, left_b = b->n - y, n = PATHS_RESYNC;

	if (left_a < n || left_b < n)
		return left_a == left_b &&
			!memcmp(a->edges + x, b->edges + y, left_a * sizeof(*a->edges));
	return !memcmp(a->edges + x, b->edges + y, n * sizeof(*a->edges));
}

/*
 * Finds the nearest point from which both continue equally, by the total number of branches
 * skipped.
 */
static void find_join(const struct task *a, const struct task *b, struct path_difference *d)
{
	uint64_t x = d->at[0], y = d->at[1];

	for (uint64_t sum = 1; sum <= WINDOW; sum++) {
		for (uint64_t i = 0; i <= sum; i++) {
			if (x + i > a->n || y + (sum - i) > b->n)
				continue;
			if ((x + i < a->n && y + (sum - i) < b->n &&
			     a->edges[x + i] != b->edges[y + (sum - i)]) ||
			    !joins(a, b, x + i, y + (sum - i)))
				continue;
			d->end[0] = x + i;
			d->end[1] = y + (sum - i);
			return;
		}
	}
	d->end[0] = a->n;
	d->end[1] = b->n;
}

bool paths_next(const struct paths *p, size_t n, uint64_t at[2], struct path_difference *d)
{
	static const struct task none;
	const struct task *a = n < p->ntasks[0] ? &p->tasks[0][n] : &none;
	const struct task *b = n < p->ntasks[1] ? &p->tasks[1][n] : &none;
	uint64_t x = at[0], y = at[1];

	while (x < a->n && y < b->n && a->edges[x] == b->edges[y]) {
		x++;
		y++;
	}
	if (x == a->n && y == b->n)
		return false;
	*d = (struct path_difference){ .at = { x, y } };
	find_join(a, b, d);
	return true;
}

const char *paths_other_build(const struct paths *p)
{
	if (!p->images[0] || !p->images[1])
		return NULL;
	for (const struct image_module *a = images_modules(p->images[0]); a; a = a->next) {
		for (const struct image_module *b = images_modules(p->images[1]); b; b = b->next) {
			if (!strcmp(a->name, b->name) && *a->build_id && *b->build_id &&
			    strcmp(a->build_id, b->build_id))
				return a->name;
		}
	}
	return NULL;
}

/* ---- text output ------------------------------------------------------------------------- */

void paths_put_task(const struct paths *p, unsigned int i, size_t n, struct out *o)
{
	const char *name = n < p->ntasks[i] ? p->tasks[i][n].name : "none";

	out_safe(o, name, strlen(name));
}

static void put_end(struct out *o, const char *name, const struct end *e, bool json)
{
	if (json) {
		out_printf(o, ",\"%s\":", name);
		out_json(o, e->text, strlen(e->text));
		out_printf(o, ",\"%s_line\":", name);
		out_json(o, e->line, strlen(e->line));
		return;
	}
	out_safe(o, e->text, strlen(e->text));
	out_str(o, *e->line ? " " : "");
	out_safe(o, e->line, strlen(e->line));
}

void paths_put_branch(const struct paths *p, unsigned int i, size_t n, uint64_t at, bool json,
		      struct out *o)
{
	const struct task *t = n < p->ntasks[i] ? &p->tasks[i][n] : NULL;
	const struct edge *e = t && at < t->n ? &p->edges[t->edges[at] - 1] : NULL;

	if (!e) {
		out_str(o, json ? "null" : "(it ended)");
		return;
	}
	out_printf(o, json ? "{\"number\":%" PRIu64 ",\"kind\":\"%s\"" : "#%" PRIu64 " %s ", at,
		   branch_kind_name(e->kind));
	put_end(o, "from", &e->from, json);
	out_str(o, json ? "" : " -> ");
	put_end(o, "to", &e->to, json);
	out_str(o, json ? "}" : "");
}
