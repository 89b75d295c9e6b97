/* SPDX-License-Identifier: MIT */
/*
 * Events of the group "block" (event:block:NAME, and synth: of two of them) in a capture that -p or
 * COMMAND limits.
 *
 * A task's disk request is handled by others: a kernel thread issues it, and it completes in an
 * interrupt, whose common_pid is that of the interrupted task. The kernel's filter by task would
 * drop these events. So they are selected by the sectors of the request: block_bio_queue is in the
 * task that wants the sectors. From then until block_rq_complete (or block_bio_complete, on a
 * device without requests: device mapper, zram, brd) every event of these sectors belongs to that
 * task, and to no other, since a task may also issue requests that another task has queued. This
 * recording has the events of all tasks, among them those three, and divert() selects.
 *
 * Events that the kernel makes of a completion, a synthetic event or an eprobe's, come in the same
 * interrupt on the same CPU, shortly before block_rq_complete or shortly after it. Each belongs to
 * one completion, so those of a later request for the same sectors are not taken for it.
 *
 * CPUs are read one after the other, so events wait until all CPUs have been read up to their time,
 * and are then handled in time order.
 */
#include "config.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "capture/kernel/block.h"
#include "capture/kernel/histpair.h"
#include "common/array.h"
#include "capture/kernel/event.h"
#include "capture/sys/clock.h"
#include "capture/trace/state.h"
#include "capture/trace/drain.h"
#include "capture/trace/trace.h"
#include "capture/tracefs/tracefs.h"
#include "capture/tracefs/waiting.h"

/* The longest time from an event's time stamp to its commit by the CPU; session.c has the same. */
static const uint64_t COMMIT_NS = 1000000;
/* The longest time from a request's completion to an event that is made of it. */
static const uint64_t PAIR_NS = 100000000;
/* Bits of a record's common_flags: the event was in an interrupt. */
enum { FLAGS_AT = 2, IN_HARDIRQ = 0x08, IN_SOFTIRQ = 0x10 };

/* Offsets of the sectors in records of an event. */
struct block_event {
	uint32_t id, dev_at, sector_at, count_at, least; /* least: bytes that hold them all */
	bool begins, ends;  /* begins: block_bio_queue; ends: one of the other two */
	bool of_bio;        /* block_bio_complete */
	bool unwanted;      /* recorded only to select others, not for the file */
	uint64_t pair;      /* not 0: its bit in `paired`; it may be made of a completion */
	bool of_request;    /* its task may not be the one that wants the sectors */
};

/* A range of sectors that a task of the scope wants. */
struct sectors {
	uint64_t from, to; /* from <= sector < to */
	uint32_t dev;
};

/* A completion of a scope's sectors; or an event derived from one that has not arrived yet. */
struct completion {
	struct sectors sectors;
	uint64_t ts; /* CLOCK_MONOTONIC */
	uint64_t paired; /* the bits of the events derived from it */
	bool awaited; /* block_rq_complete itself has not arrived yet */
};

/* A CPU's latest completions: more than one, because interrupts nest. */
enum { NESTED = 4 };
struct block_cpu {
	struct completion latest[NESTED];
	uint32_t next;
};

struct block {
	struct block_event *events;
	size_t nevents;
	uint32_t npairs;
	struct sectors *sectors; /* requested and not completed */
	size_t nsectors, sectors_room;
	struct block_cpu *cpus;
	size_t ncpus;
	struct waiting waiting; /* .about: a struct block_event; NULL: an event without sectors */
	uint64_t reached; /* all events up to this time have been handled */
	bool no_memory;
};

/* ---- sectors ------------------------------------------------------------------------------ */

static bool overlap(const struct sectors *a, const struct sectors *b)
{
	return a->dev == b->dev && a->from < b->to && b->from < a->to;
}

static bool is_requested(const struct block *b, const struct sectors *s)
{
	for (size_t i = 0; i < b->nsectors; i++) {
		if (overlap(&b->sectors[i], s))
			return true;
	}
	return false;
}

static void add_sectors(struct block *b, const struct sectors *s)
{
	if (!array_reserve(b->sectors, b->sectors_room, b->nsectors + 1))
		b->no_memory = true;
	else
		b->sectors[b->nsectors++] = *s;
}

/* Removes completed sectors: a request may complete in parts, from its begin. */
static void complete(struct block *b, const struct sectors *s)
{
	for (size_t i = b->nsectors; i-- > 0;) {
		struct sectors *one = &b->sectors[i];

		if (!overlap(one, s))
			continue;
		if (s->to < one->to)
			one->from = s->to;
		else
			*one = b->sectors[--b->nsectors];
	}
}

/* ---- completions -------------------------------------------------------------------------- */

static struct block_cpu *cpu_of(struct block *b, uint32_t cpu)
{
	if (array_extend(b->cpus, b->ncpus, (size_t)cpu + 1))
		return &b->cpus[cpu];
	b->no_memory = true;
	return NULL;
}

/*
 * The completion of these sectors on this CPU that an event with this bit can belong to (0: with
 * any). awaited: one that is still to come.
 */
static struct completion *find_completion(struct block_cpu *c, const struct sectors *s,
					  uint64_t ts, uint64_t bit, bool awaited)
{
	for (uint32_t i = 0; c && i < NESTED; i++) {
		struct completion *one = &c->latest[i];

		if (overlap(&one->sectors, s) && one->awaited == awaited &&
		    !(one->paired & bit) && ts - one->ts <= PAIR_NS)
			return one;
	}
	return NULL;
}

static void add_completion(struct block_cpu *c, const struct completion *one)
{
	if (c)
		c->latest[c->next++ % NESTED] = *one;
}

/* Notes an event of requested sectors: it may be made of their completion, which is to come. */
static void await_completion(struct block_cpu *c, const struct sectors *s, uint64_t ts,
			     uint64_t bit)
{
	struct completion *one = find_completion(c, s, ts, 0, true);

	if (one)
		one->paired |= bit;
	else
		add_completion(c, &(struct completion){ *s, ts, bit, true });
}

/* Notes a completion. wanted: a task of the scope requested the sectors. */
static void note_completion(struct block_cpu *c, const struct sectors *s, uint64_t ts, bool wanted)
{
	struct completion *one = find_completion(c, s, ts, 0, true);
	struct completion next = { *s, ts, one ? one->paired : 0, false };

	for (uint32_t i = 0; c && i < NESTED; i++) {
		if (overlap(&c->latest[i].sectors, s))
			c->latest[i] = (struct completion){ 0 };
	}
	if (wanted)
		add_completion(c, &next);
}

/* Returns whether the event derives from a wanted completion, arrived or pending. */
static bool is_paired(struct block *b, const struct waiting_record *w, const struct sectors *s)
{
	const struct block_event *about = w->about;
	struct block_cpu *c = cpu_of(b, w->cpu);
	uint64_t bit = about->pair;
	struct completion *one = find_completion(c, s, w->ts, bit, false);
	bool requested = is_requested(b, s);

	if (one)
		one->paired |= bit;
	else if (requested)
		await_completion(c, s, w->ts, bit);
	return one || requested;
}

/* ---- events ------------------------------------------------------------------------------- */

static const struct block_event *find(const struct block *b, uint16_t id)
{
	for (size_t i = 0; i < b->nevents; i++) {
		if (b->events[i].id == id)
			return &b->events[i];
	}
	return NULL;
}

/*
 * divert() of struct trace: keeps an event until all earlier ones have been read. Events without
 * sectors wait like the others: a stream is in time order.
 */
static bool divert(struct trace *t, uint32_t cpu, const struct ring_event *ev)
{
	struct block *b = t->more;
	const struct block_event *about;
	uint16_t id;

	memcpy(&id, ev->data, sizeof(id));
	about = find(b, id);
	if (ev->ts > t->span->end || (about && ev->len < about->least) ||
	    (ev->ts < t->span->begin && !(about && about->begins)))
		return about && about->unwanted;
	if (waiting_add(&b->waiting, cpu, ev, about)) {
		b->no_memory = true;
		return false;
	}
	return true;
}

static int decide(struct trace *t, const struct waiting_record *w, struct trawl_error *err)
{
	const struct block_event *about = w->about;
	struct ring_event ev = { w->ts, w->data, w->len };
	struct block *b = t->more;
	struct sectors s;
	uint32_t count;
	int32_t tid;
	int own = 0;
	bool wanted;

	if (!about)
		return trace_take(t, w->cpu, &ev, err);
	memcpy(&s.dev, w->data + about->dev_at, sizeof(s.dev));
	memcpy(&s.from, w->data + about->sector_at, sizeof(s.from));
	memcpy(&count, w->data + about->count_at, sizeof(count));
	memcpy(&tid, w->data + 4, sizeof(tid));
	s.to = s.from + count;
	/* The driver may have advanced the bio, so its sector is the end. */
	if (about->of_bio && !count && s.from)
		s.to = s.from--;
	if (!(w->data[FLAGS_AT] & (IN_HARDIRQ | IN_SOFTIRQ)))
		own = trace_is_of_scope(t, tid, w->ts, err);
	if (own < 0)
		return -1;
	if (own && about->begins)
		add_sectors(b, &s);
	wanted = (own && !(about->of_request && count)) ||
		 (about->pair ? is_paired(b, w, &s) : is_requested(b, &s));
	if (about->ends)
		note_completion(cpu_of(b, w->cpu), &s, w->ts, wanted);
	if (about->ends && wanted)
		complete(b, &s);
	if (about->unwanted || w->ts < t->span->begin)
		return 0;
	if (wanted)
		return trace_put(t, w->cpu, &ev, err);
	t->others++;
	return 0;
}

/* Handles the events up to `until`, up to which all CPUs have been read. */
static int release(struct trace *t, uint64_t until, struct trawl_error *err)
{
	struct waiting *w = &((struct block *)t->more)->waiting;
	size_t n = 0;
	int r = 0;

	waiting_sort(w);
	for (; n < w->n && w->records[n].ts <= until; n++) {
		if (!r)
			r = decide(t, &w->records[n], err);
	}
	waiting_remove(w, n);
	return r < 0 ? -1 : 0;
}

int block_drain(struct input *in, struct trawl_error *err)
{
	struct trace *t = in->state;
	struct block *b = t->more;
	uint64_t until = t->started ? mono_now() - COMMIT_NS : UINT64_MAX;
	int r = trace_drain(in, err);

	if (r)
		return r;
	if (release(t, until, err))
		return -1;
	b->reached = t->started ? until : t->span->end;
	if (b->no_memory)
		return trawl_fail(err, TRAWL_CANNOT, "out of memory");
	return b->waiting.n ? DRAIN_HELD : DRAIN_DONE;
}

uint64_t block_reached(const struct input *in)
{
	const struct trace *t = in->state;

	return ((const struct block *)t->more)->reached;
}

/* ---- the source --------------------------------------------------------------------------- */

/* Adds the offsets of an event's sectors. An event without sectors belongs to its own task. */
static int add_event(struct trace *t, const char *group, const char *name, const char *request,
		     bool unwanted, struct trawl_error *err)
{
	struct block *b = t->more;
	struct eventformat f;
	struct trawl_field *dev, *sector, *count;
	bool plain = !strcmp(group, "block"), synth = !plain && !request;
	bool pair = synth || (request && !strcmp(request, "block_rq_complete"));

	if (trace_format(t, group, name, &f, err))
		return -1;
	dev = eventformat_field(&f, "dev");
	sector = eventformat_field(&f, "sector");
	count = eventformat_field(&f, "nr_sector");
	if (dev && sector && count && dev->size == 4 && sector->size == 8 && count->size == 4) {
		if (pair && b->npairs == 64) {
			eventformat_free(&f);
			return trawl_fail(err, TRAWL_USAGE,
					  "%s:%s: more than 64 synthetic events and probes on "
					  "completions of disk requests; record them in two runs",
					  group, name);
		}
		if (!array_grow(b->events, b->nevents)) {
			eventformat_free(&f);
			return trawl_fail(err, TRAWL_CANNOT, "out of memory");
		}
		b->events[b->nevents++] = (struct block_event){
			.id = f.id,
			.dev_at = dev->offset,
			.sector_at = sector->offset,
			.count_at = count->offset,
			.least = f.size,
			.begins = plain && !strcmp(name, "block_bio_queue"),
			.ends = plain && (!strcmp(name, "block_rq_complete") ||
					  !strcmp(name, "block_bio_complete")),
			.of_bio = plain && !strcmp(name, "block_bio_complete"),
			.unwanted = unwanted,
			.pair = pair ? (uint64_t)1 << b->npairs++ : 0,
			.of_request = synth || !strncmp(request ? request : name, "block_rq_",
							strlen("block_rq_")),
		};
	}
	eventformat_free(&f);
	return 0;
}

/* The events by which the task of a request is found. */
static const char *const followed[] = { "block_bio_queue", "block_rq_complete",
					"block_bio_complete" };

static bool is_recorded(const struct trace *t, const char *name)
{
	for (size_t i = 0; i < t->nevents; i++) {
		if (!strcmp(t->events[i].group, "block") && !strcmp(t->events[i].name, name))
			return true;
	}
	return false;
}

int block_follow(struct trace *t, struct trawl_error *err)
{
	t->more = calloc(1, sizeof(struct block));
	if (!t->more)
		return trawl_fail(err, TRAWL_CANNOT, "out of memory");
	for (size_t i = 0; i < t->nevents; i++) {
		const struct trace_event *e = &t->events[i];

		if (add_event(t, e->group, e->name, e->request, false, err))
			return -1;
	}
	for (size_t i = 0; i < ARRAY_SIZE(followed); i++) {
		if (!is_recorded(t, followed[i]) &&
		    add_event(t, "block", followed[i], NULL, true, err))
			return -1;
	}
	t->keeps_unfollowed = true;
	t->filtered = true;
	t->divert = divert;
	return 0;
}

static int block_arm(struct input *in, struct trawl_error *err)
{
	struct trace *t = trace_new(in, 0, err);

	return !t || event_arm_specs(t, err) || block_follow(t, err) ? -1 : 0;
}

int block_start(struct input *in, struct trawl_error *err)
{
	struct trace *t = in->state;

	if (trace_follow(t, err) || trace_start(in, err))
		return -1;
	for (size_t i = 0; i < ARRAY_SIZE(followed); i++) {
		char path[64];

		snprintf(path, sizeof(path), "events/block/%s/enable", followed[i]);
		if (tracefs_write(t->dir, path, "1", err))
			return trawl_fail(err, TRAWL_CANNOT, "event:block: %s cannot be switched "
					  "on: %s", followed[i], strerror(errno));
	}
	return 0;
}

static void block_free(struct input *in)
{
	struct trace *t = in->state;
	struct block *b = t ? t->more : NULL;

	if (!b)
		return;
	waiting_free(&b->waiting);
	free(b->sectors);
	free(b->cpus);
	free(b->events);
	free(b);
	t->more = NULL;
	t->divert = NULL;
}

void block_pair_disarm(struct input *in)
{
	block_free(in);
	hist_pair_disarm(in);
}

static void block_disarm(struct input *in)
{
	block_free(in);
	trace_disarm(in);
}

const struct source block_source = {
	.name = "event",
	.instance = "block",
	.trace_events = true,
	.arm = block_arm,
	.start = block_start,
	TRACE_SOURCE,
	.drain = block_drain,
	.reached = block_reached,
	.rotate = trace_rotate,
	.discard = trace_discard,
	.close = trace_close,
	.stats = trace_stats,
	.disarm = block_disarm,
};
