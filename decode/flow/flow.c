/* SPDX-License-Identifier: MIT */
#include "decode/flow/flow.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "decode/base/cli.h"

static struct flow_task *task_of(struct flow *f, const struct item *it)
{
	struct flow_task **at = &f->tasks[(unsigned int)it->tid % 256], *t;

	while (*at && ((*at)->tid != it->tid || (*at)->section != it->section))
		at = &(*at)->next;
	if (!*at) {
		*at = calloc(1, sizeof(**at));
		if (!*at) {
			f->failed = true;
			return NULL;
		}
		(*at)->tid = it->tid;
		(*at)->section = it->section;
		(*at)->nlosses = f->nlosses;
	}
	t = *at;
	t->pid = it->pid;
	if (it->comm_len)
		memcpy(t->comm, it->comm, sizeof(t->comm));
	return t;
}

static bool wants_task(const struct selection *sel, const struct item *it)
{
	for (size_t i = 0; i < sel->npids; i++) {
		if (sel->pids[i] == it->pid || sel->pids[i] == it->tid)
			return true;
	}
	return !sel->npids;
}

void flow_place(const struct flow_stretch *s, uint64_t address, struct image_place *p)
{
	images_place(s->batch->images, s->batch->maps, address, p);
}

uint64_t flow_time(const struct flow_stretch *s, uint32_t i, uint32_t *mark, uint64_t before)
{
	const struct branch_batch *b = &s->batch->batch;

	for (; *mark < b->nmarks && b->marks[*mark].at <= i; ++*mark)
		before = b->marks[*mark].time + s->offset;
	return before;
}

void flow_calls(struct flow *f, const struct flow_stretch *s)
{
	struct flow_task *t = s->task;
	const struct branch_batch *b = &s->batch->batch;
	struct call_where w = { .images = s->batch->images, .maps = s->batch->maps,
				.when.time = s->time, .task = s->task };
	uint32_t mark = s->mark;

	if (!t->stack)
		t->stack = callstack_new();
	f->failed |= !t->stack;
	for (uint32_t i = s->first; t->stack && i < s->end; i++) {
		w.when.time = flow_time(s, i, &mark, w.when.time);
		w.when.until = s->offset + branch_batch_latest(b, mark, s->batch->fixed.until);
		callstack_step(t->stack, &b->pairs[b->ids[i]], &w, f->calls);
	}
}

static void cut(struct flow *f, struct flow_task *t, uint64_t time, const struct branch_mark *m)
{
	t->known = false;
	if (time < f->selection->begin || time >= f->selection->end)
		return;
	f->gaps += m->kind != BRANCH_MARK_START;
	t->lost += m->count;
	if (t->stack)
		callstack_cut(t->stack, &(struct call_where){.when = {t->last, t->last}, .task = t},
			      f->calls);
	if (f->cut)
		f->cut(f, t, time, m);
}

/* Passes on the branches between two cuts, as far as they are in the time range. */
static int emit(struct flow *f, struct flow_stretch *s)
{
	const struct branch_batch *b = &s->batch->batch;
	uint32_t mark = s->mark, first = s->first, end = s->end;
	uint64_t time = s->time;
	int got = 0;

	/* each piece between two marks is either in the range or not */
	for (uint32_t i = first; i < end && !got;) {
		uint32_t next = end, m;

		time = flow_time(s, i, &mark, time);
		m = mark;
		if (m < b->nmarks && b->marks[m].at < end)
			next = b->marks[m].at;
		if (time < f->selection->begin || time >= f->selection->end) {
			s->task->known = false;
			i = next;
			continue;
		}
		if (f->selection->begin == 0 && f->selection->end == UINT64_MAX)
			next = end;
		s->first = i;
		s->end = next;
		s->mark = mark;
		s->time = time;
		f->branches += next - i;
		got = f->stretch(f, s);
		s->task->to = b->pairs[b->ids[next - 1]].to;
		s->task->known = true;
		m = mark;
		s->task->last = flow_time(s, next - 1, &m, time);
		i = next;
	}
	return got;
}

static int take_batch(struct flow *f, const struct branch_batch_detail *d, const struct item *it)
{
	const struct branch_batch *b = &d->batch;
	struct flow_stretch s = { .task = task_of(f, it), .batch = d, .time = it->time,
				  .offset = it->time - it->ts };
	uint64_t time = it->time;
	int got = 0;

	if (!s.task)
		return 1;
	f->any = true;
	f->damaged += d->problem != NULL;
	/* a batch that is damaged, or was lost before this one */
	if (d->problem || s.task->nlosses != f->nlosses)
		cut(f, s.task, time, &(struct branch_mark){ .kind = BRANCH_MARK_LOST });
	s.task->nlosses = f->nlosses;
	for (uint32_t m = 0, from = 0, mark = 0; m <= b->nmarks && !got; m++) {
		const struct branch_mark *at = m < b->nmarks ? &b->marks[m] : NULL;

		if (at && at->kind == BRANCH_MARK_TIME)
			continue;
		s.first = from;
		s.end = at ? at->at : b->count;
		s.mark = mark;
		s.time = time;
		if (s.end > s.first)
			got = emit(f, &s);
		if (at) {
			time = at->time + (it->time - it->ts);
			cut(f, s.task, time, at);
			from = at->at;
			mark = m;
		}
	}
	return got;
}

static int flow_item(struct consumer *c, const struct decoder *d, void *state,
		     const struct item *it)
{
	struct flow *f = (struct flow *)c;
	const struct branch_batch_detail *batch = branch_batch_of(d, it);

	(void)state;
	return batch && wants_task(f->selection, it) ? take_batch(f, batch, it) : 0;
}

/* A batch that begins before the time range may extend into it. */
static void flow_aside(struct consumer *c, const struct decoder *d, void *state,
		       const struct item *it)
{
	flow_item(c, d, state, it);
}

/* The tasks of a loss are unknown: counts it for all of them. */
static int flow_loss(struct consumer *c, const struct trawl_source *source,
		     const struct trawl_loss *l, uint64_t from, uint64_t to)
{
	struct flow *f = (struct flow *)c;

	(void)l, (void)from, (void)to;
	f->nlosses += !strcmp(source->kind, BRANCH_SOURCE_KIND);
	return 0;
}

void flow_start(struct flow *f, const struct selection *selection)
{
	f->consumer = (struct consumer){
		.item = flow_item, .loss = flow_loss, .aside = flow_aside
	};
	f->selection = selection;
}

void flow_end(struct flow *f)
{
	for (size_t i = 0; i < 256; i++) {
		for (struct flow_task *t = f->tasks[i], *next; t; t = next) {
			next = t->next;
			callstack_free(t->stack);
			free(t->own);
			free(t);
		}
	}
}

int flow_selectable(const struct selection *s, const char *what, struct trawl_error *err)
{
	if (!s->where && !s->nnames && !s->count)
		return 0;
	return trawl_fail(err, TRAWL_USAGE,
			  "%s: needs consecutive branches; select with --from, --until, --pid "
			  "instead of %s",
			  what, s->count ? "-c" : "--where, --name");
}

static bool is_part(const struct selection *s)
{
	return s->npids || s->nsources || s->begin || s->end != UINT64_MAX;
}

int flow_run(struct flow *f, struct stream *s, const char *what, struct trawl_error *err)
{
	if (stream_run(s, &f->consumer, err))
		return -1;
	if (f->failed)
		return trawl_fail(err, TRAWL_CANNOT, "%s: out of memory", what);
	if (!f->any && stream_verdict(s, err)) /* they may be in what is missing */
		return -1;
	if (!f->any)
		return trawl_fail(err, TRAWL_USAGE,
				  is_part(f->selection)
					  ? "%s: no branches are selected; give other times, "
					    "--pid or --source, or none"
					  : "%s: the file has no branches", what);
	return 0;
}

void flow_note_gaps(const struct flow *f, const char *what, const char *so)
{
	struct trawl_error note;

	if (!f->gaps)
		return;
	trawl_fail(&note, TRAWL_USAGE, "%s: branches are missing at %" PRIu64 " place%s: %s", what,
		   f->gaps, f->gaps == 1 ? "" : "s", so);
	cli_note(NULL, &note);
}
