/* SPDX-License-Identifier: MIT */
/*
 * The source "branch": every branch that the tasks of the scope take, by the best back end of this
 * machine. Branches of a task are encoded in batches (common/branch.h); one batch is one record.
 */
#include "config.h"

#include <assert.h>
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "capture/branch/backend.h"
#include "capture/branch/dating.h"
#include "capture/branch/images.h"
#include "capture/branch/last.h"
#include "capture/branch/lbrcheck.h"
#include "capture/session.h"
#include "capture/source.h"
#include "capture/sys/alloc.h"
#include "capture/sys/clock.h"
#include "capture/sys/proc.h"
#include "capture/task/task.h"
#include "capture/task/taskfilter.h"
#include "capture/tracefs/tracefs.h"
#include "common/array.h"
#include "common/branchrecord.h"

enum {
	BUCKETS = 256,
	BATCHES_MOST = 64,         /* batches that are open at a time; each takes 2 MB */
	BATCH_NS = 900000000,      /* a batch is ended after this: less than from sync to sync */
	BATCH_RING_NS = 100000000, /* the same with --ring, so that a trigger's file has the newest
				    * branches */
	BATCH_LIVE_NS = 40000000,  /* the same without -w, where events are printed as they come */
	HITS_MOST = 4096,          /* hits of probes that wait until their symbols are written */
	COMMIT_NS = 1000000,       /* an event is there at the latest so long after its time */
};

struct branch_task {
	struct branch_task *next;
	pid_t tid, pid;
	char name[16];                /* "": only /proc has it */
	struct branch_encoder *batch; /* NULL: none is open */
	uint64_t begun;               /* the time of its first branch */
	uint64_t to;                  /* target of its last branch; 0: the next branch need not
				       * follow the last one */
	struct dating dating;
	bool late;                    /* the back end reported it after the session's end */
};

/* The branches before a hit of a probe: a record that has not been written yet. */
struct branch_hit {
	uint32_t tid, count;
	uint64_t time;
	void *record;
	size_t len;
};

/*
 * arm() ─> ARMED ─start()─> RECORDING ─halt()─> HALTED ─stop()─> STOPPED ─drain()─> DRAINED
 *
 *	BRANCH_ARMED      the back end holds the tasks; no branch has come, no batch is open
 *	BRANCH_RECORDING  branches come; a batch is open for some time at most
 *	BRANCH_HALTED     later branches are dropped
 *	BRANCH_STOPPED    the tasks are detached; the back end may have more branches to drain
 *	BRANCH_DRAINED    the back end has no more, and no batch is open
 */
enum branch_phase { BRANCH_ARMED, BRANCH_RECORDING, BRANCH_HALTED, BRANCH_STOPPED, BRANCH_DRAINED };

struct branch_state {
	struct branch_sink sink; /* first: take_event() gets its address */
	enum branch_phase phase;
	struct input *in;
	const struct branch_backend *backend;
	void *recorder;               /* the back end's */
	struct branch_task *tasks[BUCKETS];
	struct branch_encoder *spare[BATCHES_MOST];
	size_t nspare, nopen;
	struct branch_last last;      /* the probes of last=; without any, all branches are
				       * recorded */
	struct branch_encoder *hit;   /* of one hit */
	struct branch_hit *hits;
	size_t nhits;
	struct images images;
	uint64_t flushed;             /* when the open batches were last ended */
	uint64_t reached;             /* what reached() returns */
	uint64_t captured, lost;
	bool uncounted, full;         /* full: the session wants no more */
	uint16_t source;
};

/* ---- batches ----------------------------------------------------------------------------- */

static struct branch_task *task_of(struct branch_state *s, pid_t tid, pid_t pid)
{
	struct branch_task **at = &s->tasks[(unsigned int)tid % BUCKETS], *t;

	while (*at && (*at)->tid != tid)
		at = &(*at)->next;
	if (!*at) {
		*at = xcalloc(1, sizeof(**at));
		(*at)->tid = tid;
	}
	t = *at;
	if (pid)
		t->pid = pid;
	return t;
}

static bool is_flight(const struct branch_state *s)
{
	return session_options(s->in->session)->ring > 0;
}

/* Ends a task's batch: one record. */
static int end_batch(struct branch_state *s, struct branch_task *t, struct trawl_error *err)
{
	struct branch_encoder *e = t->batch;
	struct branch_record fixed = { .tid = (uint32_t)t->tid, .pid = (uint32_t)t->pid,
				       .backend = s->backend->number };
	size_t len;
	const void *data;
	char *record;
	int r;

	if (!e)
		return 0;
	fixed.until = branch_encoder_last(e);
	if (fixed.until < t->dating.collected)
		fixed.until = t->dating.collected;
	fixed.count = branch_encoder_count(e);
	data = alloc_checked((void *)(uintptr_t)branch_encoder_finish(e, &len));
	record = alloc_checked(malloc(sizeof(fixed) + len));
	memcpy(record, &fixed, sizeof(fixed));
	memcpy(record + sizeof(fixed), data, len);
	r = session_append(s->in,
			   &(struct trawl_record){.source = s->source, .type = BRANCH_TYPE_STREAM,
						  .cpu = (uint32_t)t->tid,
						  .ts = branch_encoder_first(e), .data = record,
						  .len = sizeof(fixed) + len},
			   err);
	free(record);
	s->captured += r ? 0 : fixed.count;
	s->full |= r > 0;
	t->batch = NULL;
	s->spare[s->nspare++] = e;
	s->nopen--;
	return r < 0 ? -1 : 0;
}

/* Ends the batches of one process; pid 0: of all. */
static int end_batches(struct branch_state *s, pid_t pid, struct trawl_error *err)
{
	for (size_t i = 0; i < BUCKETS; i++) {
		for (struct branch_task *t = s->tasks[i]; t; t = t->next) {
			if ((!pid || t->pid == pid) && end_batch(s, t, err))
				return -1;
		}
	}
	return 0;
}

/* Appends the hits that wait as records. */
static int end_hits(struct branch_state *s, struct trawl_error *err)
{
	int r = 0;

	for (size_t i = 0; i < s->nhits; i++) {
		struct branch_hit *h = &s->hits[i];

		if (r >= 0 && !s->full)
			r = session_append(s->in,
					   &(struct trawl_record){.source = s->source,
								  .type = BRANCH_TYPE_LAST,
								  .cpu = h->tid, .ts = h->time,
								  .data = h->record,
								  .len = h->len},
					   err);
		s->captured += r || s->full ? 0 : h->count;
		s->full |= r > 0;
		free(h->record);
	}
	s->nhits = 0;
	return r < 0 ? -1 : 0;
}

static int flush(struct branch_state *s, struct trawl_error *err)
{
	s->flushed = mono_now();
	if (branch_images_write(&s->images, is_flight(s), session_writer(s->in->session), err))
		return -1;
	return end_hits(s, err) || end_batches(s, 0, err) ? -1 : 0;
}

/* The task's open batch, with room for more. */
static struct branch_encoder *batch_of(struct branch_state *s, struct branch_task *t, uint64_t time,
				       struct trawl_error *err)
{
	if (t->batch && branch_encoder_full(t->batch) && end_batch(s, t, err))
		return NULL;
	if (t->batch)
		return t->batch;
	if (s->nopen == BATCHES_MOST && end_batches(s, 0, err))
		return NULL;
	t->batch = s->nspare ? s->spare[--s->nspare] : alloc_checked(branch_encoder_new());
	s->nopen++;
	branch_encoder_start(t->batch, time);
	return t->batch;
}

/* ---- events of the back end -------------------------------------------------------------- */

static bool in_span(const struct branch_state *s, uint64_t time)
{
	const struct session_span *span = session_span(s->in->session);

	return !s->full && time >= span->begin && time <= span->end;
}

static void add_mark(struct branch_state *s, struct branch_task *t, struct branch_encoder *b,
		     enum branch_mark_kind kind, uint64_t time, uint64_t count)
{
	branch_encoder_mark(b, kind, time, count);
	if (kind != BRANCH_MARK_TIME)
		t->to = 0;
	if (kind == BRANCH_MARK_LOST) {
		s->lost += count;
		s->uncounted |= !count;
	}
}

/* perf calls a far return `ret`, and a task's own iret a return of the kernel's. */
static uint8_t kind_of(struct branch_state *s, const struct branch_task *t, const struct branch *b)
{
	uint8_t kind = branch_images_kind(&s->images, t->pid, b->from);

	return kind == BRANCH_UNKNOWN ? b->kind : kind;
}

/*
 * Adds a mark unless the code leads straight from the branch before to this one: the processor does
 * not record a branch that the kernel emulates for a uprobe, nor that the kernel moves the task.
 */
static void mark_way(struct branch_state *s, struct branch_task *t, struct branch_encoder *b,
		     uint64_t from, uint64_t time)
{
	enum way way = t->to ? branch_images_way(&s->images, t->pid, t->to, from) : WAY_OPEN;

	if (way != WAY_OPEN)
		add_mark(s, t, b, way == WAY_NONE ? BRANCH_MARK_BREAK : BRANCH_MARK_LOST, time, 0);
}

/* Adds a branch to the batch. */
static void add_branch(struct branch_state *s, const struct branch_event *e, struct branch_task *t,
		       struct branch_encoder *b, uint64_t time)
{
	struct branch one = e->branch;

	if (s->backend->by_processor)
		mark_way(s, t, b, one.from, time);
	if (branch_images_cut(&s->images, t->pid, one.to)) {
		add_mark(s, t, b, BRANCH_MARK_LOST, time, 0); /* stacks may repeat it */
		return;
	}
	t->to = one.to;
	if (s->backend->no_kinds)
		one.kind = kind_of(s, t, &one);
	if (branch_encoder_add(b, &one, time)) {
		branch_images_hit(&s->images, t->pid, e->branch.from);
		branch_images_hit(&s->images, t->pid, e->branch.to);
	}
}

/* What the back end notices late, as that a task has ended, is not dated before reached(). */
static int put_mark(struct branch_state *s, struct branch_task *t, uint64_t time, uint64_t count,
		    enum branch_mark_kind kind, struct trawl_error *err)
{
	struct branch_encoder *b;

	if (s->backend->collects && time < s->reached && in_span(s, s->reached))
		time = s->reached;
	b = batch_of(s, t, time, err);
	if (!b)
		return -1;
	add_mark(s, t, b, kind, time, count);
	return 0;
}

/*
 * Drops an event that the back end collected after the session's end, unless it is a task's first
 * and says that branches are missing since the last collection: some of them may be in the span.
 */
static int take_late(struct branch_state *s, const struct branch_event *e, struct branch_task *t,
		     struct trawl_error *err)
{
	bool lost = e->kind == BRANCH_EVENT_MARK && e->mark == BRANCH_MARK_LOST && !t->late;
	uint64_t end = session_span(s->in->session)->end;

	t->late = true;
	return lost && in_span(s, end) ? put_mark(s, t, end, 0, BRANCH_MARK_LOST, err) : 0;
}

/* Takes a branch or a mark; drops it if it happened outside the session's span. */
static int take_dated(struct branch_state *s, const struct branch_event *e, struct trawl_error *err)
{
	struct branch_task *t = task_of(s, e->tid, e->pid);
	uint64_t time = e->time;
	struct branch_encoder *b;

	if (e->collected && time > session_span(s->in->session)->end)
		return take_late(s, e, t, err);
	if (!in_span(s, time))
		return 0;
	if (e->collected)
		dating_collect(&t->dating, time, session_span(s->in->session)->begin);
	time = e->collected && t->dating.since < time ? t->dating.since : time;
	if (e->kind == BRANCH_EVENT_MARK)
		return put_mark(s, t, time, e->count, e->mark, err);
	b = batch_of(s, t, time, err);
	if (!b)
		return -1;
	if (e->collected)
		branch_encoder_time(b, time);
	add_branch(s, e, t, b, time);
	return 0;
}

/*
 * Whether a branch may be missing in the stack, because the kernel emulated it for a uprobe, or
 * because its record may have a part of its target only. In an empty stack nothing shows it: perf
 * clears the records when a task is scheduled in.
 */
static bool stack_has_gap(struct branch_state *s, const struct branch_task *t,
			  const struct branch_last_stack *l)
{
	if (!s->backend->by_processor)
		return false;
	if (!l->n)
		return true;
	for (size_t i = 0; i < l->n; i++) {
		uint64_t next = i + 1 < l->n ? l->branches[i + 1].from : l->address;

		if (branch_images_cut(&s->images, t->pid, l->branches[i].to) ||
		    branch_images_way(&s->images, t->pid, l->branches[i].to, next) ==
			    WAY_MISSING)
			return true;
	}
	return false;
}

/*
 * Encodes the mark of a stack, then its branches. A branch whose target was recorded in part only
 * becomes a loss.
 */
static void encode_stack(struct branch_state *s, const struct branch_task *t,
			 const struct branch_event *e)
{
	const struct branch_last_stack *l = e->last;
	bool unknown = l->unknown || stack_has_gap(s, t, l);

	branch_encoder_start(s->hit, e->time);
	branch_encoder_mark(s->hit, BRANCH_MARK_STACK, e->time, 0);
	if (unknown)
		branch_encoder_mark(s->hit, BRANCH_MARK_LOST, e->time, 0);
	branch_images_hit(&s->images, t->pid, l->address);
	for (size_t i = 0; i < l->n; i++) {
		struct branch one = l->branches[i];

		if (s->backend->by_processor && i &&
		    branch_images_way(&s->images, t->pid, l->branches[i - 1].to, one.from) ==
			    WAY_NONE)
			branch_encoder_mark(s->hit, BRANCH_MARK_BREAK, e->time, 0);
		if (branch_images_cut(&s->images, t->pid, one.to)) {
			branch_encoder_mark(s->hit, BRANCH_MARK_LOST, e->time, 0);
			continue;
		}
		if (one.kind == BRANCH_UNKNOWN)
			one.kind = branch_images_kind(&s->images, t->pid, one.from);
		branch_encoder_add(s->hit, &one, e->time);
		branch_images_hit(&s->images, t->pid, one.from);
		branch_images_hit(&s->images, t->pid, one.to);
	}
	s->uncounted |= unknown;
}

static int take_last(struct branch_state *s, const struct branch_event *e, struct trawl_error *err)
{
	struct branch_task *t = task_of(s, e->tid, e->pid);
	struct branch_last_record r = {.branch = {.tid = (uint32_t)t->tid,
						  .pid = (uint32_t)t->pid,
						  .until = e->time,
						  .backend = s->backend->number},
				       .address = e->last->address};
	struct branch_hit hit = {.tid = (uint32_t)t->tid, .time = e->time};
	const void *data;
	size_t len;

	if (!in_span(s, e->time))
		return 0;
	if (!s->hit)
		s->hit = alloc_checked(branch_encoder_new());
	encode_stack(s, t, e);
	hit.count = r.branch.count = branch_encoder_count(s->hit);
	data = alloc_checked((void *)(uintptr_t)branch_encoder_finish(s->hit, &len));
	hit.len = sizeof(r) + len;
	hit.record = alloc_checked(malloc(hit.len));
	memcpy(hit.record, &r, sizeof(r));
	memcpy((char *)hit.record + sizeof(r), data, len);
	xgrow(s->hits, s->nhits);
	s->hits[s->nhits++] = hit;
	return s->nhits == HITS_MOST ? flush(s, err) : 0;
}

/*
 * Writes the task's metadata before its branches. A back end that stops tasks leaves the name to
 * /proc. The events of others are read later: a task may have ended, or have yet another name.
 */
static int take_name(struct branch_state *s, const struct branch_event *e, struct branch_task *t,
		     struct trawl_error *err)
{
	struct tasks *tasks = session_tasks(s->in->session);
	struct trawl_writer *w = session_writer(s->in->session);
	struct initial_task named = { .tid = e->tid, .pid = e->pid };

	if (e->name || e->kind != BRANCH_EVENT_TASK)
		snprintf(t->name, sizeof(t->name), "%s", e->name ? e->name : "");
	else if (e->parent)
		memcpy(t->name, task_of(s, e->parent, 0)->name, sizeof(t->name));
	memcpy(named.comm, t->name, sizeof(named.comm));
	if (*named.comm && tasks_name(&named, e->time, w, err))
		return -1;
	tasks_forget(tasks, e->tid);
	tasks_saw(tasks, e->tid);
	return tasks_flush(tasks, w, err);
}

static int take_task(struct branch_state *s, const struct branch_event *e, struct trawl_error *err)
{
	struct branch_task *t = task_of(s, e->tid, e->pid);

	if (e->kind == BRANCH_EVENT_NAME)
		return end_batch(s, t, err) ? -1 : take_name(s, e, t, err);
	if (e->kind == BRANCH_EVENT_TASK)
		t->dating = (struct dating){ 0 }; /* was of an earlier task with this TID */
	if (!t->dating.collected)
		t->dating.begun = e->time;
	task_filter_begin(session_followed(s->in->session), e->tid, e->time);
	t->to = 0;
	if (e->kind == BRANCH_EVENT_EXEC && end_batches(s, e->pid, err))
		return -1;
	return take_name(s, e, t, err);
}

static int take_maps(struct branch_state *s, const struct branch_event *e, struct trawl_error *err)
{
	return end_batches(s, e->pid, err) ||
			branch_images_map(&s->images, e->pid, e->maps, e->time,
					  session_writer(s->in->session), err)
		? -1
		: 0;
}

static int take_event(struct branch_sink *sink, const struct branch_event *e,
		      struct trawl_error *err)
{
	struct branch_state *s = (struct branch_state *)sink;

	assert(s->phase != BRANCH_ARMED && s->phase != BRANCH_DRAINED);
	switch (e->kind) {
	case BRANCH_EVENT_BRANCH:
	case BRANCH_EVENT_MARK:
		return take_dated(s, e, err);
	case BRANCH_EVENT_TASK:
	case BRANCH_EVENT_EXEC:
	case BRANCH_EVENT_NAME:
		return take_task(s, e, err);
	case BRANCH_EVENT_MAPS:
		return take_maps(s, e, err);
	case BRANCH_EVENT_LAST:
		return take_last(s, e, err);
	case BRANCH_EVENT_CAME:
		task_of(s, e->tid, e->pid)->dating.came = e->time;
		return 0;
	case BRANCH_EVENT_LEFT:
		task_of(s, e->tid, e->pid)->dating.left = e->time;
		return 0;
	case BRANCH_EVENT_EXIT:
		task_filter_end(session_followed(s->in->session), e->tid, e->time);
		task_of(s, e->tid, e->pid)->dating.left = e->time;
		*task_of(s, e->tid, e->pid)->name = '\0'; /* the TID may become another task's */
		if (e->status >= 0)
			session_on_reaped(s->in->session, e->pid, e->status);
		return end_batch(s, task_of(s, e->tid, e->pid), err);
	}
	return 0;
}

/* ---- the source -------------------------------------------------------------------------- */

/*
 * Reads all -i texts of this source. *backend: the back end's name in the first one; the caller
 * frees it.
 */
static int read_specs(struct branch_state *s, char **backend, struct trawl_error *err)
{
	for (size_t i = 0; i < s->in->nspecs; i++) {
		char *text = xasprintf("branch:%s", s->in->specs[i]);
		struct spec spec;
		int r = spec_parse(text, &spec, err);

		free(text);
		if (!r && i && (!spec.last || !s->last.n || strcmp(spec.backend, *backend)))
			r = trawl_fail(err, TRAWL_USAGE,
				       "-i branch: given twice; give one -i for all branches, or "
				       "one or more of one back end with last=");
		if (!r && !i)
			*backend = xstrdup(spec.backend);
		if (!r && spec.last)
			r = branch_last_add(&s->last, &spec, err);
		spec_free(&spec);
		if (r)
			return -1;
	}
	return 0;
}

static int check_scope(const struct branch_scope *scope, struct trawl_error *err)
{
	if (!scope->n)
		return trawl_fail(err, TRAWL_USAGE, "-i branch: no program is selected; give -p "
						    "PID, or -- COMMAND");
	for (size_t i = 0; i < scope->n; i++) {
		bool ended = kill(scope->pids[i], 0) && errno == ESRCH;

		/* one of several that has ended is just not recorded */
		if (!proc_has_memory(scope->pids[i]) && (!ended || scope->n == 1))
			return trawl_fail(err, TRAWL_CANNOT, "-p %d: has no program: it is a "
							     "kernel thread, or has ended; give "
							     "the PID of a running program",
					  scope->pids[i]);
	}
	return 0;
}

static int arm(struct input *in, struct trawl_error *err)
{
	struct branch_state *s = xcalloc(1, sizeof(*s));
	struct branch_scope scope = { .command = session_options(in->session)->command != NULL };
	char *backend = NULL;
	int id;

	in->state = s;
	s->in = in;
	s->sink.event = take_event;
	scope.n = session_scope(in->session, &scope.pids);
	if (!read_specs(s, &backend, err))
		s->backend = branch_backend_find(backend, s->last.n, err);
	free(backend);
	if (!s->backend)
		return -1;
	if (session_options(in->session)->count)
		return trawl_fail(err, TRAWL_USAGE,
				  "-c: cannot limit branches, which are recorded in batches of "
				  "thousands; use --duration, or --ring for the newest");
	in->opens_events = s->backend->opens_events;
	scope.sites = s->last.sites;
	scope.nsites = s->last.n;
	if (check_scope(&scope, err))
		return -1;
	id = branchrecord_describe(session_writer(in->session), in->nspecs ? in->specs[0] : "",
				   s->last.n > 0, err);
	if (id < 0 || reader_starter_open(&s->images.starter, err))
		return -1;
	s->source = (uint16_t)id;
	s->recorder = s->backend->open(&scope, err);
	return s->recorder ? 0 : -1;
}

/* Notes the uprobes of this capture, and those of others that tracefs lists. */
static void note_uprobes(struct branch_state *s)
{
	struct trawl_error ignored;
	int tracefs = tracefs_open(&ignored);
	char *text = tracefs < 0 ? NULL : tracefs_read(tracefs, "uprobe_events", NULL, &ignored);
	size_t n;
	const struct session_site *sites = session_sites(s->in->session, &n);

	branch_images_sites(&s->images, sites, n);
	if (text)
		branch_images_probes(&s->images, text);
	free(text);
	if (tracefs >= 0)
		close(tracefs);
}

static int start(struct input *in, struct trawl_error *err)
{
	struct branch_state *s = in->state;

	assert(s->phase == BRANCH_ARMED && !s->nopen);
	s->flushed = mono_now();
	s->phase = BRANCH_RECORDING;
	if (s->backend->by_processor)
		note_uprobes(s);
	s->images.cut = s->backend->by_processor && s->backend->partial &&
			lbr_cuts_targets("/proc/cpuinfo");
	s->images.near_only = s->backend->near_at_sites && s->last.n;
	return s->backend->start(s->recorder, err);
}

static size_t fds(struct input *in, struct pollfd *fds, size_t room)
{
	struct branch_state *s = in->state;

	return s->backend->fds(s->recorder, fds, room);
}

/* Sets `reached`, while no batch is open. */
static void note_reached(struct branch_state *s, uint64_t began)
{
	const struct branch_backend *b = s->backend;
	uint64_t until = b->reached ? b->reached(s->recorder) : began;
	bool collects = b->collects && !s->last.n && s->phase < BRANCH_HALTED;

	if (until > began)
		until = began;
	for (size_t i = 0; collects && i < BUCKETS; i++) {
		for (struct branch_task *t = s->tasks[i]; t; t = t->next)
			until = dating_earliest(&t->dating, t->tid, until);
	}
	if (until > s->reached)
		s->reached = until;
}

static uint64_t reached(const struct input *in)
{
	return ((const struct branch_state *)in->state)->reached;
}

static int write_all(struct branch_state *s, struct trawl_error *err)
{
	return branch_images_write_all(&s->images, session_writer(s->in->session), err);
}

/*
 * Batches stay open for a while, because a branch is encoded relative to those before it. The
 * capture's horizon must not pass an open batch, so all are ended at the same time.
 */
static int drain(struct input *in, struct trawl_error *err)
{
	struct branch_state *s = in->state;
	const struct options *o = session_options(in->session);
	uint64_t most = !o->write ? BATCH_LIVE_NS : o->ring ? BATCH_RING_NS : BATCH_NS;
	bool over = s->phase >= BRANCH_HALTED && s->backend->over(s->recorder);
	uint64_t began = mono_now() - COMMIT_NS;
	bool due;

	if (s->backend->drain(s->recorder, &s->sink, err))
		return -1;
	if (s->phase >= BRANCH_HALTED && !over)
		return DRAIN_MORE;
	due = over || mono_now() - s->flushed >= most;
	if (!due && (s->nopen || s->nhits))
		return DRAIN_HELD;
	if (due && flush(s, err))
		return -1;
	assert(!s->nopen);
	note_reached(s, began);
	if (s->phase != BRANCH_STOPPED)
		return DRAIN_DONE;
	s->phase = BRANCH_DRAINED;
	return is_flight(s) && write_all(s, err) ? -1 : DRAIN_DONE;
}

static void rotate(struct input *in)
{
	struct trawl_error ignored;

	write_all(in->state, &ignored);
}

static void halt(struct input *in)
{
	struct branch_state *s = in->state;

	assert(s->phase == BRANCH_RECORDING);
	s->backend->halt(s->recorder);
	s->phase = BRANCH_HALTED;
}

static int stop(struct input *in, struct trawl_error *err)
{
	struct branch_state *s = in->state;

	assert(s->phase == BRANCH_HALTED);
	s->phase = BRANCH_STOPPED;
	return s->backend->stop(s->recorder, err);
}

static void stats(struct input *in, struct source_stats *stats)
{
	const struct branch_state *s = in->state;

	*stats = (struct source_stats){ .captured = s->captured, .lost = s->lost,
					.uncounted = s->uncounted };
}

static void disarm(struct input *in)
{
	struct branch_state *s = in->state;

	if (!s)
		return;
	if (s->recorder)
		s->backend->close(s->recorder);
	for (size_t i = 0; i < BUCKETS; i++) {
		for (struct branch_task *t = s->tasks[i], *next; t; t = next) {
			next = t->next;
			branch_encoder_free(t->batch);
			free(t);
		}
	}
	while (s->nspare)
		branch_encoder_free(s->spare[--s->nspare]);
	for (size_t i = 0; i < s->nhits; i++)
		free(s->hits[i].record);
	free(s->hits);
	branch_encoder_free(s->hit);
	branch_last_free(&s->last);
	branch_images_free(&s->images);
	free(s);
	in->state = NULL;
}

static void describe(struct source_list *list)
{
	struct trawl_error err;
	char name[64];

	for (size_t i = 0; branch_backends[i]; i++) {
		const struct branch_backend *b = branch_backends[i];

		snprintf(name, sizeof(name), "branch:%s", b->name);
		source_list_add(list, name, b->what, b->usable(&err) ? err.text : NULL);
	}
	source_list_add(list, "branch:last=N@PROBE",
			"the last N branches before each hit of a uprobe: or usdt: "
			"probe, by kmod-lbr or kmod-step",
			branch_backend_find("", true, &err) ? NULL : err.text);
}

static const char *besides(const char *spec)
{
	const char *last = !strncmp(spec, "last=", 5) ? spec : strstr(spec, ":last=");

	last = last ? strchr(last, '@') : NULL;
	return last ? last + 1 : NULL;
}

const struct source branch_source = {
	.name = "branch",
	.summary = "[BACKEND | [BACKEND:]last=N@PROBE]",
	.spec_language = true,
	.traces = true,
	.small_files = true,
	.besides = besides,
	.describe = describe,
	.arm = arm,
	.start = start,
	.fds = fds,
	.drain = drain,
	.reached = reached,
	.rotate = rotate,
	.halt = halt,
	.stop = stop,
	.stats = stats,
	.disarm = disarm,
};
