/* SPDX-License-Identifier: MIT */
/*
 * Cuts batches of branches to the times wanted, and adds marks where earlier branches of the same
 * task are left out.
 */
#include "edit/cut.h"

#include <stdlib.h>
#include <string.h>

#include "common/array.h"
#include "common/branchrecord.h"

/* ---- the plan ----------------------------------------------------------------------------- */

/* Which of a task's batches are kept so far. */
struct branch_task {
	uint32_t tid;
	uint64_t gaps; /* branch_plan.gaps when the last batch was kept */
	bool any;      /* a batch was kept */
	bool left;     /* a batch after it was left out */
};

struct branch_plan {
	struct branch_task *tasks;
	size_t n, cap;
	uint64_t gaps; /* chunks left out without being read: they may have batches of any task */
};

static struct branch_task *task_of(struct branch_plan *p, uint32_t tid)
{
	for (size_t i = p->n; i--;)
		if (p->tasks[i].tid == tid)
			return &p->tasks[i];
	if (!array_reserve(p->tasks, p->cap, p->n + 1))
		return NULL;
	p->tasks[p->n] = (struct branch_task){ .tid = tid };
	return &p->tasks[p->n++];
}

/* Plans one stream of a chunk, whose events are all of one task: their CPU is the task's id. */
static bool plan_stream(struct cut *c, struct branch_plan *p, const struct cut_entry *e,
			const struct keep_chunk *some, struct trawl_cursor *cursor, uint32_t stream)
{
	struct branch_task *t = NULL;
	struct trawl_event ev;
	int got;

	while ((got = trawl_cursor_next(cursor, stream, &ev)) > 0) {
		if (!t)
			t = task_of(p, ev.cpu);
		if (!t)
			return false;
		if (e->take == CUT_NONE || (some && !keep_has(some, ev.place))) {
			t->left = true;
			continue;
		}
		if ((t->left || t->gaps != p->gaps) && ev.type->id == BRANCH_TYPE_STREAM &&
		    !keep_add(t->any ? &c->torn : &c->begun, e->p.section, e->p.at, ev.place))
			return false;
		*t = (struct branch_task){ .tid = t->tid, .gaps = p->gaps, .any = true };
	}
	return !got;
}

static bool plan_chunk(struct cut *c, struct branch_plan *p, struct cut_entry *e)
{
	const struct keep_chunk *some = e->take == CUT_PART ?
		cut_part(c, e) : NULL;
	const struct trawl_chunk *chunk;
	struct trawl_cursor *cursor;
	bool ok;

	/* A chunk left out for its time alone is not read to see which tasks it has. */
	if (e->take == CUT_NONE && !c->chosen) {
		p->gaps++;
		return true;
	}
	if (!trawl_piece_read(c->r, &e->p) || !trawl_piece_decode(c->r, &e->p, &chunk)) {
		p->gaps++;
		return true;
	}
	cursor = trawl_cursor_new(chunk);
	ok = cursor;
	for (uint32_t i = 0; ok && i < chunk->nstreams; i++)
		ok = plan_stream(c, p, e, some, cursor, i);
	trawl_cursor_free(cursor);
	if (keep_find(&c->begun, e->p.section, e->p.at) ||
	    keep_find(&c->torn, e->p.section, e->p.at))
		e->take = CUT_PART;
	return ok;
}

int cut_plan_branches(struct cut *c, struct trawl_error *err)
{
	struct branch_plan p = { 0 };
	uint32_t section = 0;
	bool ok = true;

	for (size_t i = 0; ok && i < c->n; i++) {
		struct cut_entry *e = &c->entries[i];

		if (e->p.sync || strcmp(e->p.source->kind, BRANCH_SOURCE_KIND))
			continue;
		if (e->p.section != section)
			p.n = 0;
		section = e->p.section;
		ok = plan_chunk(c, &p, e);
	}
	free(p.tasks);
	return ok ? 0 : edit_no_memory(err);
}

/* ---- one batch ---------------------------------------------------------------------------- */

bool cut_has_batches(const struct cut_entry *e)
{
	return !e->p.sync && !strcmp(e->p.source->kind, BRANCH_SOURCE_KIND);
}

/* Decodes the event's batch; the caller frees *b in any case. NULL, or what is wrong with it. */
static const char *read_batch(const struct trawl_event *ev, struct branch_record *head,
			      struct branch_batch *b)
{
	*b = (struct branch_batch){ 0 };
	if (ev->len < sizeof(*head))
		return "shorter than a record can be";
	memcpy(head, ev->record, sizeof(*head));
	return branch_batch_decode(b, (const uint8_t *)ev->record + sizeof(*head),
				   ev->len - sizeof(*head), head->count, ev->ts);
}

/* Whether a batch has more than marks that only state the time. */
static bool has_content(const struct branch_batch *b)
{
	for (uint32_t i = 0; i < b->nmarks; i++)
		if (b->marks[i].kind != BRANCH_MARK_TIME)
			return true;
	return b->count;
}

/* What is left of a batch: docs/format.md, "Branches". */
struct clipped {
	struct branch_record head;
	struct branch_batch batch; /* if only a part is taken */
	uint64_t first;  /* time of the first branch that is left */
	uint32_t front;  /* branches that are left out before it */
};

/*
 * Sets *take as cut_take_batch(), and *p. The batch begins at `time` of the timeline; it is decoded
 * only if the times wanted begin or end in it. The caller frees p->batch in any case. Returns
 * false if memory ran out.
 */
static bool clip(const struct cut *c, const struct trawl_event *ev, uint64_t time,
		 enum cut_take *take, struct clipped *p)
{
	bool begins = time >= c->from && time < c->to;
	uint64_t offset = time - ev->ts;
	const char *problem;

	*p = (struct clipped){ .first = ev->ts };
	*take = begins ? CUT_WHOLE : CUT_NONE;
	if (ev->type->id != BRANCH_TYPE_STREAM || time >= c->to || ev->len < sizeof(p->head))
		return true;
	memcpy(&p->head, ev->record, sizeof(p->head));
	if (p->head.until < ev->ts || p->head.until - ev->ts < (begins ? c->to : c->from) - time)
		return true; /* it ends before that, too */
	problem = read_batch(ev, &p->head, &p->batch);
	if (problem)
		return problem != branch_no_memory;
	p->front = branch_batch_clip(&p->batch, &p->first, c->from > offset ? c->from - offset : 0,
				     c->to - offset);
	*take = !has_content(&p->batch) ? CUT_NONE :
		p->batch.count < p->head.count ? CUT_PART : CUT_WHOLE;
	return true;
}

bool cut_take_batch(const struct cut *c, const struct trawl_event *ev, uint64_t time,
		    enum cut_take *take)
{
	struct clipped p;
	bool ok = clip(c, ev, time, take, &p);

	branch_batch_free(&p.batch);
	return ok;
}

/* ---- the marks ---------------------------------------------------------------------------- */

/* Puts a further mark in front of all others of the batch. */
static int put_marked(struct branch_replacer *r, struct trawl_event *ev,
		      const struct branch_record *head, const struct branch_batch *b,
		      enum branch_mark_kind kind, struct trawl_error *err)
{
	struct branch_batch more = *b;
	int ret;

	more.marks = malloc((b->nmarks + 1) * sizeof(*more.marks));
	if (!more.marks)
		return edit_no_memory(err);
	more.marks[0] = (struct branch_mark){ .kind = (uint8_t)kind, .time = ev->ts };
	if (b->nmarks)
		memcpy(more.marks + 1, b->marks, b->nmarks * sizeof(*more.marks));
	more.nmarks = b->nmarks + 1;
	ret = branch_replace(r, ev, head, sizeof(*head), &more, err);
	free(more.marks);
	return ret;
}

int cut_mark_branches(struct branch_replacer *r, struct trawl_event *ev, enum branch_mark_kind kind,
		      struct trawl_error *err)
{
	struct branch_record head;
	struct branch_batch batch;
	const char *problem = read_batch(ev, &head, &batch);
	int ret = 0; /* a damaged one is left as it is */

	if (!problem)
		ret = put_marked(r, ev, &head, &batch, kind, err);
	else if (problem == branch_no_memory)
		ret = edit_no_memory(err);
	branch_batch_free(&batch);
	return ret;
}

int cut_clip_batch(const struct cut *c, const struct cut_entry *e, struct branch_replacer *r,
		   struct trawl_event *ev, bool *front, struct trawl_error *err)
{
	enum cut_take take;
	struct clipped p;
	int ret = 0;

	if (!clip(c, ev, trawl_piece_time(c->r, &e->p, ev->ts), &take, &p))
		ret = edit_no_memory(err);
	*front = !ret && take == CUT_PART && p.front;
	if (!ret && take == CUT_PART) {
		p.head.count = p.batch.count;
		ev->ts = p.first;
		ret = p.front ? put_marked(r, ev, &p.head, &p.batch, BRANCH_MARK_START, err)
			      : branch_replace(r, ev, &p.head, sizeof(p.head), &p.batch, err);
	}
	branch_batch_free(&p.batch);
	return ret;
}
