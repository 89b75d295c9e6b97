/* SPDX-License-Identifier: MIT */
/* Folded stacks, as flame graphs take them: a line for each call stack, with its count. */
#include <inttypes.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "common/array.h"
#include "decode/flow/export.h"
#include "decode/base/escape.h"

enum { DEPTH_MOST = 512, NODES_MOST = 4 << 20 };

/* A call stack: its innermost function; the parents are the callers. */
struct node {
	char *name;
	struct node *parent, *child, *next; /* child: the most recently added; next: sibling */
	uint64_t branches;
};

struct task {
	struct node root, *at; /* at: the innermost call */
	/* branches so far, and how many of them were already attributed to a stack */
	uint64_t total, reported;
	unsigned int beyond;
	struct task *next;
};

struct folded {
	struct flow flow;
	struct callstack_sink sink;
	struct task *tasks;
	size_t nodes;
	bool failed, full;
};

static struct node *child_of(struct folded *f, struct node *p, const char *name)
{
	struct node *n;

	for (n = p->child; n; n = n->next) {
		if (!strcmp(n->name, name))
			return n;
	}
	if (f->nodes >= NODES_MOST) {
		f->full = true;
		return p;
	}
	f->nodes++;
	n = calloc(1, sizeof(*n));
	if (n)
		n->name = strdup(name);
	if (!n || !n->name) {
		free(n);
		f->failed = true;
		return p;
	}
	n->parent = p;
	n->next = p->child;
	p->child = n;
	return n;
}

/* A semicolon in a name would split it in two. */
static void name_of(const struct image_place *p, char *buf)
{
	image_describe_function(p, buf);
	for (char *c = buf; *c; c++) {
		if (*c == ';')
			*c = ':';
	}
}

static void on_event(struct callstack_sink *sink, void *arg, enum call_event what,
		     const struct call_site *c)
{
	struct folded *f = (struct folded *)((char *)sink - offsetof(struct folded, sink));
	struct task *t = ((struct flow_task *)arg)->own;
	char name[IMAGE_TEXT];
	bool ends = what == CALL_LEAVE || what == CALL_LOST || what == CALL_AWAY;

	t->at->branches += c->branches - t->reported;
	t->reported = c->branches;
	if (ends && t->beyond)
		t->beyond--;
	else if (ends && t->at->parent)
		t->at = t->at->parent;
	if (what == CALL_GOROUTINE || what == CALL_OUT)
		t->at = child_of(f, &t->root, "[unknown]");
	if (what == CALL_ENTER && c->depth >= DEPTH_MOST)
		t->beyond++;
	else if (what == CALL_ENTER) {
		name_of(&c->to, name);
		t->at = child_of(f, t->at, name);
	}
	if (what == CALL_JUMP && !t->beyond && t->at->parent) {
		name_of(&c->to, name);
		t->at = child_of(f, t->at->parent, name);
	}
}

static struct task *task_of(struct folded *f, struct flow_task *task)
{
	struct task *t = task->own;

	if (t)
		return t;
	t = calloc(1, sizeof(*t));
	if (t)
		t->root.name = strdup(*task->comm ? task->comm : "?");
	if (!t || !t->root.name) {
		free(t);
		f->failed = true;
		return NULL;
	}
	t->at = &t->root;
	t->next = f->tasks;
	f->tasks = t;
	task->own = t;
	return t;
}

/* After a gap the callers are unknown: continues at the root. */
static void cut(struct flow *flow, struct flow_task *task, uint64_t time,
		const struct branch_mark *m)
{
	struct folded *f = (struct folded *)flow;
	struct task *t = m->kind == BRANCH_MARK_START ? NULL : task_of(f, task);

	(void)time;
	if (t)
		t->at = child_of(f, &t->root, "[unknown]");
}

static int take(struct flow *flow, const struct flow_stretch *s)
{
	struct folded *f = (struct folded *)flow;
	struct task *t = task_of(f, s->task);

	if (!t)
		return 1;
	flow_calls(flow, s);
	t->total += s->end - s->first;
	t->at->branches += t->total - t->reported;
	t->reported = t->total;
	return f->failed;
}

static void print(const struct node *n, struct out *prefix, struct out *o)
{
	size_t len = prefix->len;

	out_safe(prefix, n->name, strlen(n->name));
	if (n->branches) {
		out_bytes(o, prefix->data, prefix->len);
		out_printf(o, " %" PRIu64 "\n", n->branches);
	}
	out_char(prefix, ';');
	for (const struct node *c = n->child; c; c = c->next)
		print(c, prefix, o);
	prefix->len = len;
}

static void free_nodes(struct node *n)
{
	for (struct node *c = n->child, *next; c; c = next) {
		next = c->next;
		free_nodes(c);
		free(c);
	}
	free(n->name);
}

int folded_write(struct stream *s, struct out *out, struct trawl_error *err)
{
	struct folded f = { .sink.event = on_event };
	struct out prefix;
	int got;

	out_memory(&prefix);
	flow_start(&f.flow, stream_selection(s));
	f.flow.stretch = take;
	f.flow.cut = cut;
	f.flow.calls = &f.sink;
	got = flow_run(&f.flow, s, "--to folded", err);
	if (!got && f.failed)
		got = trawl_fail(err, TRAWL_CANNOT, "out of memory");
	if (!got && f.full)
		got = trawl_fail(err, TRAWL_CANNOT,
				 "--to folded: more than %d stacks; select some with --from, "
				 "--until, --pid",
				 NODES_MOST);
	for (struct task *t = f.tasks; t; t = t->next) {
		if (!got)
			print(&t->root, &prefix, out);
		free_nodes(&t->root);
	}
	out_free(&prefix);
	flow_end(&f.flow);
	return got;
}
