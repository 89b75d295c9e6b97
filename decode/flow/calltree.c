/* SPDX-License-Identifier: MIT */
#include "decode/flow/calltree.h"

#include <inttypes.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/fnv.h"
#include "common/array.h"
#include "common/branchrecord.h"
#include "decode/flow/callshow.h"

enum { NODES_MOST = 4 << 20, PERIOD_MOST = 8, WRAPS_MOST = 1024, PROBES_MOST = 64 };
/* So many open calls are shown: nodes are visited by recursion. */
enum { OPEN_MOST = 4096 };

/* ---- names ------------------------------------------------------------------------------- */

/* Returns the slot that has the name, or a free one; NULL if none of PROBES_MOST slots is free. */
static char **slot_of(char **slots, size_t nslots, const char *text)
{
	size_t at = (size_t)fnv1a(text, strlen(text));

	for (size_t i = 0; i < PROBES_MOST; i++, at++) {
		char **slot = &slots[at % nslots];

		if (!*slot || !strcmp(*slot, text))
			return slot;
	}
	return NULL;
}

/*
 * Doubles the table. Returns false without memory, or if there are more names than calls that can
 * be shown.
 */
static bool grow_names(struct calls *c)
{
	size_t n = c->nslots ? 2 * c->nslots : 1024;
	char **slots = n <= 2 * NODES_MOST ? calloc(n, sizeof(*slots)) : NULL;

	c->full |= n > 2 * NODES_MOST;
	for (size_t i = 0; slots && i < c->nslots; i++) {
		char **slot = c->names[i] ? slot_of(slots, n, c->names[i]) : NULL;

		if (slot) {
			*slot = c->names[i];
		} else if (c->names[i]) { /* too many collisions: a hostile file */
			free(slots);
			slots = NULL;
			c->full = true;
		}
	}
	c->failed |= !slots && !c->full;
	if (!slots)
		return false;
	free(c->names);
	c->names = slots;
	c->nslots = n;
	return true;
}

/* Returns the only copy of a string, so that names can be compared by address. */
static const char *intern(struct calls *c, const char *text)
{
	char **slot;

	if (2 * c->nnames >= c->nslots && !grow_names(c))
		return "?"; /* failed or full is set, which ends the run */
	while (!(slot = slot_of(c->names, c->nslots, text)))
		if (!grow_names(c))
			return "?";
	if (!*slot) {
		*slot = strdup(text);
		c->failed |= !*slot;
		c->nnames += *slot != NULL;
	}
	return *slot ? *slot : "?";
}

static const char *name_of(struct calls *c, const struct call_site *site, enum call_event what)
{
	char buf[IMAGE_TEXT + 16], text[IMAGE_TEXT];

	/* The calls so far were made by the function that returns to its unknown caller. */
	image_describe_function(what == CALL_OUTER ? &site->from : &site->to, text);
	snprintf(buf, sizeof(buf), "%s%s", site->how == CALL_BY_SIGNAL ? "signal: " :
		 site->how == CALL_BY_EXEC ? "exec: " : what == CALL_JUMP ? "-> " : "", text);
	return intern(c, buf);
}

/* ---- the tree ---------------------------------------------------------------------------- */

static void free_children(struct calls *c, struct call_node *n)
{
	for (size_t i = 0; i < n->n; i++) {
		free_children(c, n->children[i]);
		free(n->children[i]);
		c->nodes--;
	}
	free(n->children);
	n->children = NULL;
	n->n = 0;
}

static void rehash(struct call_node *n)
{
	uint64_t h = (uintptr_t)n->name * 0x9E3779B97F4A7C15u + n->part;

	for (size_t i = 0; i < n->n; i++)
		h = (h ^ n->children[i]->hash ^ n->children[i]->count << 48) * 0x100000001b3;
	n->hash = h ^ h >> 29;
}

/*
 * Adds a later repetition, or part of a loop. All took place between the begin of the first and the
 * end of the last, which the sum of the single limits may exceed by far.
 */
static void add_span(struct call_node *into, const struct call_node *from)
{
	uint64_t whole = from->end > into->time ? from->end - into->time : 0;

	into->least += from->least;
	into->end = from->end;
	if (into->most == CALL_UNKNOWN || from->most == CALL_UNKNOWN)
		into->most = CALL_UNKNOWN;
	else
		into->most = into->most + from->most < whole ? into->most + from->most : whole;
}

static void absorb(struct calls *c, struct call_node *into, struct call_node *from)
{
	into->count += from->count;
	add_span(into, from);
	free_children(c, from);
	free(from);
	c->nodes--;
}

/* Whether two sequences of k children are equal, apart from their times. */
static bool same(struct call_node *const *a, struct call_node *const *b, size_t k)
{
	for (size_t i = 0; i < k; i++) {
		if (a[i]->hash != b[i]->hash || a[i]->count != b[i]->count ||
		    a[i]->name != b[i]->name)
			return false;
	}
	return true;
}

/* Merges the last k children into the loop before them if they repeat its body. */
static bool join_loop(struct calls *c, struct call_node *p, size_t k)
{
	struct call_node *loop;

	if (p->n <= k)
		return false;
	loop = p->children[p->n - k - 1];
	if (loop->name || loop->n != k || !same(loop->children, p->children + p->n - k, k))
		return false;
	for (size_t i = 0; i < k; i++) {
		struct call_node *again = p->children[p->n - k + i];

		add_span(loop, again);
		add_span(loop->children[i], again);
		free_children(c, again);
		free(again);
		c->nodes--;
	}
	loop->count++;
	p->n -= k;
	return true;
}

/* If the last k children repeat the k before them, replaces both by a loop with count 2. */
static bool make_loop(struct calls *c, struct call_node *p, size_t k)
{
	struct call_node *loop, **first = p->children + p->n - 2 * k;

	if (p->n < 2 * k || !same(first, first + k, k))
		return false;
	loop = calloc(1, sizeof(*loop));
	if (loop)
		loop->children = calloc(k, sizeof(*loop->children));
	if (!loop || !loop->children) {
		free(loop);
		c->failed = true;
		return false;
	}
	loop->n = k;
	loop->count = 1;
	loop->time = first[0]->time;
	for (size_t i = 0; i < k; i++) {
		loop->children[i] = first[i];
		add_span(loop, first[i]);
	}
	rehash(loop);
	first[0] = loop;
	memmove(first + 1, first + k, k * sizeof(*first));
	p->n -= k - 1;
	c->nodes++;
	return join_loop(c, p, k);
}

/* Called when the last child is complete: merges it with what it repeats. */
static void fold(struct calls *c, struct call_node *p)
{
	struct call_node *last = p->children[p->n - 1];

	rehash(last);
	if (p->n > 1 && p->children[p->n - 2]->hash == last->hash &&
	    p->children[p->n - 2]->name == last->name) {
		absorb(c, p->children[p->n - 2], last);
		p->n--;
		return;
	}
	for (size_t k = 2; k <= PERIOD_MOST; k++) {
		if (join_loop(c, p, k) || make_loop(c, p, k))
			return;
	}
}

static struct call_node *innermost(struct call_tree *t)
{
	return t->nopen ? t->open[t->nopen - 1] : &t->root;
}

static struct call_node *add_child(struct calls *c, struct call_node *p, const char *name,
				   uint64_t time, uint64_t until)
{
	struct call_node *n;

	if (c->nodes >= NODES_MOST) {
		c->full = true;
		return NULL;
	}
	n = calloc(1, sizeof(*n));
	if (!n || !array_grow(p->children, p->n)) {
		free(n);
		c->failed = true;
		return NULL;
	}
	n->name = name;
	n->count = 1;
	n->time = time;
	n->until = n->end = until;
	p->children[p->n++] = n;
	c->nodes++;
	return n;
}

static void enter(struct calls *c, struct call_tree *t, const char *name,
		  const struct call_site *site)
{
	struct call_node *n;

	if (t->nopen == OPEN_MOST) {
		name = intern(c, "*** a call that is too deep to be shown");
		t->beyond++;
	}
	n = add_child(c, innermost(t), name, site->when.time, site->when.until);
	if (n && t->beyond) {
		fold(c, innermost(t));
		return;
	}
	if (!n || !array_grow(t->open, t->nopen)) {
		c->failed |= !c->full;
		return;
	}
	n->file = site->from.file;
	n->line = site->from.line;
	t->open[t->nopen++] = n;
}

/*
 * Ends the innermost call, which returned between these two times. until CALL_UNKNOWN: it had not
 * returned at `time`.
 */
static void leave(struct calls *c, struct call_tree *t, uint64_t time, uint64_t until)
{
	struct call_node *n;

	if (t->beyond) {
		t->beyond--;
		return;
	}
	if (!t->nopen)
		return;
	n = t->open[--t->nopen];
	n->least = time > n->until ? time - n->until : 0;
	n->most = until == CALL_UNKNOWN ? CALL_UNKNOWN : until > n->time ? until - n->time : 0;
	n->end = until;
	fold(c, innermost(t));
}

/*
 * Moves the calls of the root to those before, and adds a mark there: calls that follow may be
 * others' callees.
 */
static void cut_tree(struct calls *c, struct call_tree *t, const char *mark, uint64_t time)
{
	struct call_node *n;
	size_t moved = 0;

	for (; moved < t->root.n && array_grow(t->before.children, t->before.n); moved++) {
		t->before.children[t->before.n++] = t->root.children[moved];
		fold(c, &t->before);
	}
	t->root.n -= moved;
	if (t->root.n) {
		memmove(t->root.children, t->root.children + moved,
			t->root.n * sizeof(*t->root.children));
		c->failed = true;
		return;
	}
	free(t->root.children);
	t->root.children = NULL;
	n = mark ? add_child(c, &t->before, mark, time, time) : NULL;
	if (n)
		rehash(n);
}

/*
 * A return to an unknown caller: inserts the function that returns, which was called before the
 * recording began, or went on, as parent of everything since then.
 */
static void wrap(struct calls *c, struct call_tree *t, const char *name, uint64_t time)
{
	struct call_node inner = t->root, *n;

	if (t->wraps == WRAPS_MOST)
		return;
	t->wraps++;
	t->root = (struct call_node){ 0 };
	n = add_child(c, &t->root, name, inner.n ? inner.children[0]->time : time, time);
	if (!n) {
		t->root = inner;
		return;
	}
	n->children = inner.children;
	n->n = inner.n;
	n->least = inner.n && time > inner.children[0]->until ? time - inner.children[0]->until : 0;
	n->most = CALL_UNKNOWN;
	n->part = true;
	rehash(n);
}

static struct call_tree *tree_of(struct calls *c, struct flow_task *task)
{
	struct call_tree *t = task->own;

	if (t)
		return t;
	t = calloc(1, sizeof(*t));
	if (!t) {
		c->failed = true;
		return NULL;
	}
	task->own = t;
	t->task = task;
	*c->end = t;
	c->end = &t->next;
	return t;
}

/* ---- list of the last calls --------------------------------------------------------------- */

static void note_last(struct calls *c, const struct flow_task *task, const char *name,
		      const struct call_site *site)
{
	struct last_call *l = &c->last[c->nlast++ % c->last_most];

	*l = (struct last_call){ .time = site->when.time, .name = name, .file = site->from.file,
				 .line = site->from.line, .depth = site->depth, .tree = task->own };
	memcpy(l->comm, task->comm, sizeof(l->comm));
}

/* ---- events ------------------------------------------------------------------------------ */

static void on_event(struct callstack_sink *sink, void *arg, enum call_event what,
		     const struct call_site *site)
{
	struct flow_task *task = arg;
	struct calls *c = (struct calls *)((char *)sink - offsetof(struct calls, sink));
	struct call_tree *t = task->own;
	bool ends = what == CALL_LEAVE || what == CALL_LOST || what == CALL_AWAY;
	const char *name = ends ? NULL : name_of(c, site, what);

	if (c->last_most) {
		if (what == CALL_ENTER || what == CALL_JUMP)
			note_last(c, task, name, site);
		return;
	}
	switch (what) {
	case CALL_ENTER:
		enter(c, t, name, site);
		return;
	case CALL_JUMP: /* a tail call is shown as a child of the call that it belongs to */
		if (t->beyond)
			return;
		if (add_child(c, innermost(t), name, site->when.time, site->when.until))
			fold(c, innermost(t));
		return;
	case CALL_LEAVE:
		leave(c, t, site->when.time, site->when.until);
		return;
	case CALL_LOST:
	case CALL_AWAY:
		leave(c, t, site->when.time, CALL_UNKNOWN);
		return;
	case CALL_GOROUTINE:
		cut_tree(c, t, "*** a goroutine continues", site->when.time);
		return;
	case CALL_OUT:
		cut_tree(c, t, "*** a jump out of the calls that are known", site->when.time);
		return;
	case CALL_OUTER:
		wrap(c, t, name, site->when.time);
	}
}

static int take(struct flow *f, const struct flow_stretch *s)
{
	struct calls *c = (struct calls *)f;
	struct call_tree *t = tree_of(c, s->task);

	if (t) {
		t->stepped |= branch_stepped(s->batch->fixed.backend);
		flow_calls(f, s);
	}
	return c->failed || c->full;
}

static void cut(struct flow *f, struct flow_task *task, uint64_t time, const struct branch_mark *m)
{
	struct calls *c = (struct calls *)f;
	struct call_tree *t = tree_of(c, task);

	if (t && m->kind != BRANCH_MARK_START && !c->last_most)
		cut_tree(c, t, m->kind == BRANCH_MARK_LOST ? "*** branches lost" :
			       m->kind == BRANCH_MARK_BREAK ? "*** a signal, or branches lost" :
							      "*** another stack", time);
}

/* ---- the whole ---------------------------------------------------------------------------- */

/* Closes the calls that are open at the end of the recording. */
static void close_tree(struct calls *c, struct call_tree *t)
{
	t->beyond = 0;
	while (t->nopen)
		leave(c, t, t->task->last, CALL_UNKNOWN);
	cut_tree(c, t, NULL, 0);
}

static void calls_free(struct calls *c)
{
	for (struct call_tree *t = c->trees; t; t = t->next) {
		free_children(c, &t->root);
		free_children(c, &t->before);
		free(t->open);
	}
	flow_end(&c->flow);
	for (size_t i = 0; i < c->nslots; i++)
		free(c->names[i]);
	free(c->names);
	free(c->last);
	free(c);
}

int calls_print(const struct calls_options *o, const struct selection *sel, struct stream *s,
		struct out *out, struct trawl_error *err)
{
	struct calls *c = calloc(1, sizeof(*c));
	int got;

	if (c && o->last)
		c->last = calloc(o->last, sizeof(*c->last));
	if (!c || (o->last && !c->last)) {
		free(c);
		return trawl_fail(err, TRAWL_CANNOT, "out of memory");
	}
	c->last_most = o->last;
	c->json = o->json;
	c->out = out;
	c->end = &c->trees;
	c->sink.event = on_event;
	c->time.utc = o->utc;
	flow_start(&c->flow, sel);
	c->flow.calls = &c->sink;
	c->flow.stretch = take;
	c->flow.cut = cut;
	got = flow_run(&c->flow, s, "--calls", err);
	for (struct call_tree *t = c->trees; t && !got && !o->last; t = t->next)
		close_tree(c, t);
	if (!got && c->failed)
		got = trawl_fail(err, TRAWL_CANNOT, "out of memory");
	if (!got && o->last)
		callshow_last(c);
	for (struct call_tree *t = c->trees; t && !got && !o->last; t = t->next)
		callshow_tree(c, t);
	if (!got && c->full)
		got = trawl_fail(err, TRAWL_CANNOT, "--calls: more than %d different calls; select "
						    "some with --from, --until, --pid", NODES_MOST);
	calls_free(c);
	return got;
}
