/* SPDX-License-Identifier: MIT */
/*
 * Reads sub-buffers of the ring buffers, finds their losses, selects events by task, and appends
 * these to the session.
 */
#include "config.h"

#include <errno.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "capture/sys/clock.h"
#include "capture/sys/priority.h"
#include "capture/task/task.h"
#include "capture/task/taskfilter.h"
#include "capture/trace/drain.h"
#include "capture/trace/losses.h"
#include "capture/tracefs/countedtext.h"
#include "capture/tracefs/longtext.h"
#include "capture/tracefs/loss.h"
#include "capture/tracefs/pidfilter.h"
#include "capture/tracefs/readcheck.h"
#include "common/array.h"

enum {
	RECORD_MAX = 8192,   /* most bytes of a record of a user probe with counted texts */
	DRAIN_PAGES = 64,    /* most sub-buffers of one CPU in one drain */
};

/*
 * Whether the time is before the start or after the end: such events are dropped, and are no loss.
 */
static bool is_outside(const struct trace *t, uint64_t time)
{
	return time < t->span->begin || time > t->span->end;
}

/* Writes the loss of events before this sub-buffer, which its flag reports. */
static int flagged_loss(struct trace *t, struct trace_cpu *c, const struct ring_page *p,
			struct trawl_error *err)
{
	uint64_t count = p->lost;
	struct loss_stats s;

	c->inexact |= count == UINT64_MAX;
	if (c->inexact && trace_read_stats(t, c, &s)) {
		uint64_t left = s.overrun > c->flagged ? s.overrun - c->flagged : 0;

		count = count < left ? count : left;
	}
	if (!count || count == UINT64_MAX)
		return 0;
	c->flagged += count;
	if (is_outside(t, p->clock.ts)) {
		t->outside += count;
		return 0;
	}
	return trace_lose(t, c, (struct trawl_loss){ .from = c->last, .to = p->clock.ts,
		.count = count, .reason = TRAWL_LOSS_OVERRUN }, err);
}

/*
 * Returns how many bytes of a field's dynamic data (described by `loc`) -s keeps. The NUL of a text
 * does not count; a text that is cut loses it, by which decoders know.
 */
static uint32_t kept(const struct trawl_field *f, uint32_t loc, const uint8_t *record, uint32_t len,
		     uint32_t snaplen)
{
	uint32_t n = trawl_loc_len(loc), at = trawl_loc_offset(loc);

	if (f->place == TRAWL_REL_LOC)
		at += f->offset + 4u;
	if (n <= snaplen || (f->kind == TRAWL_TEXT && n == snaplen + 1 && at + n <= len &&
			     !record[at + n - 1]))
		return n;
	return snaplen / f->size * f->size;
}

/* Shortens dynamic data for -s in a copy of the record, which it returns; NULL on failure. */
static const void *snap(struct trace *t, const struct trace_event *e, const uint8_t *record,
			uint32_t *len, uint32_t snaplen, struct trawl_error *err)
{
	uint8_t *copy;

	if (!array_reserve(t->snapped, t->snapped_room, *len)) {
		trawl_fail(err, TRAWL_CANNOT, "out of memory");
		return NULL;
	}
	copy = t->snapped;
	memcpy(copy, record, *len);
	for (uint32_t i = 0; i < e->nfields; i++) {
		const struct trawl_field *f = &e->fields[i];
		uint32_t loc;

		if (f->place == TRAWL_FIXED || f->offset + 4u > *len)
			continue;
		if (f->place == TRAWL_TAIL) {
			if (*len - f->offset > snaplen)
				*len = f->offset + snaplen / f->size * f->size;
			continue;
		}
		memcpy(&loc, copy + f->offset, sizeof(loc));
		loc = trawl_loc(kept(f, loc, record, *len, snaplen), trawl_loc_offset(loc));
		memcpy(copy + f->offset, &loc, sizeof(loc));
	}
	return copy;
}

/* Counts an event of a task that is out of scope, or undetermined. */
static void leave_out(struct trace *t, pid_t tid, uint64_t ts)
{
	if (ts <= session_followed(t->in->session)->unsure) {
		if (!t->unsure++)
			t->unsure_from = ts;
		return;
	}
	t->others++;
	if (t->keeps_unfollowed || ts <= t->left_out || t->nunfollowed == TRACE_UNFOLLOWED)
		return;
	for (size_t i = 0; i < t->nunfollowed; i++) {
		if (t->unfollowed[i] == tid)
			return;
	}
	t->unfollowed[t->nunfollowed++] = tid;
}

int trace_is_of_scope(struct trace *t, pid_t tid, uint64_t ts, struct trawl_error *err)
{
	const struct task_filter *followed = session_followed(t->in->session);

	if (task_filter_has(followed, tid, ts))
		return 1;
	/* The task may have started since the last update. */
	if (ts > followed->known && session_learn(t->in->session, err))
		return -1;
	return task_filter_has(followed, tid, ts);
}

/* Whether the event's task is in the scope. Returns 1 or 0; -1 with *err. */
static int is_wanted(struct trace *t, const struct ring_event *ev, struct trawl_error *err)
{
	int32_t tid;
	int r;

	memcpy(&tid, ev->data + 4, sizeof(tid));
	r = trace_is_of_scope(t, tid, ev->ts, err);
	if (!r)
		leave_out(t, tid, ev->ts);
	return r;
}

/* Excludes out-of-scope tasks that this drain saw; reports events of undetermined ones as lost. */
static int settle_aside(struct trace *t, struct trawl_error *err)
{
	uint64_t n = t->unsure;

	if (t->nunfollowed && pidfilter_leave_out(t->dir, t->unfollowed, t->nunfollowed)) {
		t->filtered = true;
		t->left_out = mono_now(); /* their events until now may still be in the buffer */
	}
	t->nunfollowed = 0;
	t->unsure = 0;
	return !n ? 0 : trace_lose(t, NULL, (struct trawl_loss){ .from = t->unsure_from,
		.to = mono_now(), .count = n, .reason = TRAWL_LOSS_MISSED }, err);
}

/*
 * Whether a synthetic event's latency is possible. It is not if the pair's START was after its END,
 * or before the hist pairs were set.
 */
static bool is_pair(const struct trace *t, const struct trace_event *e, const struct ring_event *ev)
{
	int64_t latency;

	if (!e->latency_at || e->latency_at + sizeof(latency) > ev->len)
		return true;
	memcpy(&latency, ev->data + e->latency_at, sizeof(latency));
	return latency >= 0 && ev->ts >= t->paired_since &&
	       (uint64_t)latency <= ev->ts - t->paired_since;
}

/* Returns the event of a record; NULL if the record matches none. */
static struct trace_event *event_of(const struct trace *t, const struct ring_event *ev)
{
	struct trace_event *e;
	uint16_t id;

	if (ev->len < 8)
		return NULL;
	memcpy(&id, ev->data, sizeof(id));
	if (!t->by_id[id])
		return NULL;
	e = &t->events[t->by_id[id] - 1];
	return ev->len < e->size ? NULL : e;
}

/* Appends one event to the session. Returns as session_append(). */
static int put(struct trace *t, struct trace_event *e, uint32_t cpu, const struct ring_event *ev,
	       struct trawl_error *err)
{
	uint32_t snaplen = session_options(t->in->session)->snaplen, len = ev->len;
	const void *record = ev->data;
	uint8_t cut[RECORD_MAX];
	int32_t tid;
	int r;

	if (!is_pair(t, e, ev)) {
		t->unpaired++;
		return 0;
	}
	memcpy(&tid, ev->data + 4, sizeof(tid));
	if (e->ntexts) {
		len = counted_texts_put(e->texts, e->ntexts, record, len, cut, sizeof(cut));
		record = cut;
	}
	if (snaplen && len > e->size)
		record = snap(t, e, record, &len, snaplen, err);
	if (!record)
		return -1;
	r = session_append(t->in, &(struct trawl_record){ (uint16_t)t->source, e->id, cpu, ev->ts,
							  record, len }, err);
	if (r)
		return r;
	e->count++;
	if (e->symbols)
		kallsyms_saw(&t->kallsyms, e->fields, e->nfields, ev->data, ev->len);
	t->captured++;
	if (ev->len > t->largest)
		t->largest = ev->len;
	if (t->look) /* only the task source has look(): its events need no metadata of their
		      * tasks */
		t->look(t, e, ev);
	else if (t->in->source->programs)
		tasks_hit(session_tasks(t->in->session), tid);
	else
		tasks_saw(session_tasks(t->in->session), tid);
	return 0;
}

int trace_put(struct trace *t, uint32_t cpu, const struct ring_event *ev, struct trawl_error *err)
{
	struct trace_event *e = event_of(t, ev);

	t->unknown += !e;
	return e ? put(t, e, cpu, ev, err) : 0;
}

int trace_take(struct trace *t, uint32_t cpu, const struct ring_event *ev, struct trawl_error *err)
{
	struct trace_event *e = event_of(t, ev);
	int r;

	if (!e) {
		t->unknown++;
		return 0;
	}
	if (is_outside(t, ev->ts)) {
		t->outside++;
		if (t->look && ev->ts < t->span->begin)
			t->look(t, e, ev);
		return 0;
	}
	r = t->follows ? is_wanted(t, ev, err) : 1;
	return r > 0 ? put(t, e, cpu, ev, err) : r;
}

/* Takes one event, now or, if it is diverted, later. Returns as session_append(). */
static int take(void *arg, uint32_t cpu, const struct ring_event *ev, struct trawl_error *err)
{
	struct trace *t = arg;

	if (t->divert && ev->len >= 8 && t->divert(t, cpu, ev))
		return 0;
	return trace_take(t, cpu, ev, err);
}

/* Takes one event of the sub-buffer in t->page. */
static int append(struct trace *t, struct trace_cpu *c, struct ring_event *ev,
		  struct trawl_error *err)
{
	if (t->read_checks)
		read_checks_apply(t->read_checks, t->page + (ev->data - t->page), &ev->len);
	if (t->long_texts)
		return long_texts_event(t->long_texts, c->cpu, ev, take, t, err);
	return take(t, c->cpu, ev, err);
}

static int drain_page(struct trace *t, struct trace_cpu *c, size_t len, bool *partial,
		      struct trawl_error *err)
{
	struct ring_event ev;
	struct ring_page p;
	int full = 0, r;

	if (ring_page_start(&p, t->layout, t->page, len, &c->clock))
		return trawl_fail(err, TRAWL_CANNOT, "tracefs: a sub-buffer of CPU %u is damaged",
				  c->cpu);
	*partial = (size_t)(p.end - p.at) < t->layout->data_size / 2;
	if (p.lost && flagged_loss(t, c, &p, err))
		return -1;
	while ((r = ring_page_next(&p, &ev)) > 0) {
		c->taken++;
		if (full) /* only the clock of the rest is needed */
			continue;
		full = append(t, c, &ev, err);
		if (full < 0)
			return -1;
		c->last = ev.ts;
	}
	c->clock = p.clock;
	return r < 0 ? trawl_fail(err, TRAWL_CANNOT, "tracefs: a sub-buffer of CPU %u is damaged",
				  c->cpu) : full;
}

/* The longest time from an event's time stamp to its commit by the CPU; session.c has the same. */
static const uint64_t COMMIT_NS = 1000000;

/*
 * Reads one CPU's sub-buffers in a drain that began at `began`. Stops at a sub-buffer that is less
 * than half full and has events after `began`: the kernel is writing to it, and another read would
 * only get the few events that came meanwhile. Without events after `began` it may be the rest of a
 * sub-buffer that the last drain read in part, and full ones may follow. Returns 0; 1 if more is
 * left; -1 with *err.
 */
static int read_cpu(struct trace *t, struct trace_cpu *c, uint64_t began, struct trawl_error *err)
{
	bool here = t->started && (int)c->cpu == sched_getcpu();
	size_t size = t->layout->data_at + t->layout->data_size;

	for (int pages = 0; pages < DRAIN_PAGES; pages++) {
		ssize_t n = read(c->fd, t->page, size);
		bool partial = false;
		int r;

		if (n < 0 && errno == EINTR)
			continue;
		c->absent = n < 0 && errno == ENODEV;
		if (!n || c->absent || (n < 0 && errno == EAGAIN))
			return 0;
		if (n < 0)
			return trawl_fail(err, TRAWL_CANNOT,
					  "tracefs: cannot read the events of CPU %u: %s", c->cpu,
					  strerror(errno));
		r = drain_page(t, c, (size_t)n, &partial, err);
		if (r)
			return r < 0 ? -1 : 0;
		if (here && !partial) { /* the recorded program may wait for this CPU */
			priority_step_aside();
			here = false;
		}
		if (partial && t->started && c->last >= began)
			return 0;
	}
	return 1;
}

static int drain_cpu(struct trace *t, struct trace_cpu *c, uint64_t began, struct trawl_error *err)
{
	int more = read_cpu(t, c, began, err);
	uint64_t reached = more ? c->last - 1 : began - COMMIT_NS;

	if (reached > c->reached)
		c->reached = reached;
	return more;
}

/* Returns the time up to which all CPUs have been read. */
static uint64_t all_read(const struct trace *t)
{
	uint64_t reached = UINT64_MAX;

	for (size_t i = 0; i < t->ncpus; i++)
		if (t->cpus[i].reached < reached)
			reached = t->cpus[i].reached;
	return reached == UINT64_MAX ? 0 : reached;
}

uint64_t trace_reached(const struct input *in)
{
	const struct trace *t = in->state;
	uint64_t reached = all_read(t);
	uint64_t held = t->long_texts ? long_texts_held(t->long_texts) : UINT64_MAX;

	return held < reached ? held : reached;
}

int trace_drain(struct input *in, struct trawl_error *err)
{
	struct trace *t = in->state;
	uint64_t began = mono_now();
	int more = 0;

	for (size_t i = 0; i < t->ncpus; i++) {
		int r = drain_cpu(t, &t->cpus[i], began, err);

		if (r < 0)
			return -1;
		more |= r;
	}
	if (t->long_texts &&
	    long_texts_release(t->long_texts, t->started || more ? all_read(t) : UINT64_MAX, take,
			       t, err) < 0)
		return -1;
	return t->follows && settle_aside(t, err) ? -1 : more;
}
