/* SPDX-License-Identifier: MIT */
#include <inttypes.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "common/array.h"
#include "decode/flow/export.h"
#include "decode/base/escape.h"

enum { DEPTH_MOST = 512, NODES_MOST = 4 << 20 };

/* A stack of calls: the innermost, and those around it. */
struct node {
	char *name;
	struct node *parent, *child, *next; /* child: the newest; next: of the same parent */
	uint64_t branches;
};

struct task {
	struct callstack *stack;
	struct node root, *at;
	uint64_t total, told; /* branches so far, and those of them that were counted */
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

/* A separator in a name would make two of it. */
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

	t->at->branches += c->branches - t->told;
	t->told = c->branches;
	if (what == CALL_LEAVE && t->beyond)
		t->beyond--;
	else if (what == CALL_LEAVE && t->at->parent)
		t->at = t->at->parent;
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

static int take(struct flow *flow, const struct flow_stretch *s)
{
	struct folded *f = (struct folded *)flow;
	struct task *t = s->task->own;

	if (!t) {
		s->task->own = t = calloc(1, sizeof(*t));
		if (!t) {
			f->failed = true;
			return 1;
		}
		t->at = &t->root;
		t->next = f->tasks;
		f->tasks = t;
		t->root.name = strdup(*s->task->comm ? s->task->comm : "?");
		f->failed |= !t->root.name;
	}
	f->failed |= !flow_calls(s, &t->stack, &f->sink);
	t->total += s->end - s->first;
	t->at->branches += t->total - t->told;
	t->told = t->total;
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
	got = flow_run(&f.flow, s, "--to folded", err);
	if (!got && f.failed)
		got = trawl_fail(err, TRAWL_CANNOT, "out of memory");
	if (!got && f.full)
		got = trawl_fail(err, TRAWL_CANNOT,
				 "--to folded: more than %d stacks: choose some with --from, "
				 "--until, --pid",
				 NODES_MOST);
	for (struct task *t = f.tasks; t; t = t->next) {
		if (!got)
			print(&t->root, &prefix, out);
		free_nodes(&t->root);
		callstack_free(t->stack);
	}
	out_free(&prefix);
	flow_end(&f.flow);
	return got;
}
