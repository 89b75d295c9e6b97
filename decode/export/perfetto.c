/* SPDX-License-Identifier: MIT */
#include "decode/export/perfetto.h"
#include "common/array.h"
#include "common/branchrecord.h"

#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>

#include "decode/base/jdoc.h"
#include "decode/branch/branch.h"
#include "decode/branch/callstack.h"
#include "decode/export/ftracepb.h"
#include "decode/export/protobuf.h"
#include "decode/usb/usb.h"

/* Field numbers, grouped by message. */
enum {
	TRACE_PACKET = 1,

	PACKET_FTRACE_EVENTS = 1,
	PACKET_CLOCK_SNAPSHOT = 6,
	PACKET_TIMESTAMP = 8,
	PACKET_SEQUENCE = 10,
	PACKET_TRACK_EVENT = 11,
	PACKET_SEQUENCE_FLAGS = 13,
	PACKET_SYSTEM_INFO = 45,
	PACKET_CLOCK = 58,
	PACKET_TRACK_DESCRIPTOR = 60,

	SYSTEM_UTSNAME = 1,
	UTSNAME_SYSNAME = 1,
	UTSNAME_RELEASE = 3,
	UTSNAME_MACHINE = 4,

	SNAPSHOT_CLOCKS = 1,
	SNAPSHOT_PRIMARY = 2,
	CLOCK_ID = 1,
	CLOCK_TIMESTAMP = 2,

	TRACK_UUID = 1,
	TRACK_NAME = 2,
	TRACK_PROCESS = 3,
	TRACK_THREAD = 4,
	TRACK_PARENT = 5,
	TRACK_COUNTER = 8,
	PROCESS_PID = 1,
	PROCESS_NAME = 6,
	THREAD_PID = 1,
	THREAD_TID = 2,
	THREAD_NAME = 5,
	COUNTER_UNIT_NAME = 6,

	EVENT_ANNOTATIONS = 4,
	EVENT_TYPE = 9,
	EVENT_TRACK = 11,
	EVENT_CATEGORIES = 22,
	EVENT_NAME = 23,
	EVENT_COUNTER = 30,

	ANNOTATION_BOOL = 2,
	ANNOTATION_UINT = 3,
	ANNOTATION_INT = 4,
	ANNOTATION_DOUBLE = 5,
	ANNOTATION_STRING = 6,
	ANNOTATION_POINTER = 7,
	ANNOTATION_NAME = 10,
};

enum { TYPE_BEGIN = 1, TYPE_END = 2, TYPE_INSTANT = 3, TYPE_COUNTER = 4 };
enum { PERFETTO_REALTIME = 1, PERFETTO_MONOTONIC = 3, PERFETTO_BOOTTIME = 6 };
enum { SEQUENCE_CLEARED = 1 };

enum track_kind { OF_PROCESS = 1, OF_THREAD, OF_CPU, OF_ENDPOINT, OF_BYTES, OF_LOSS };

/* A track that has been described. Its uuid is its number in the table, from 1. */
struct track {
	/* kind and lane of the track; the thread, CPU or endpoint that it shows */
	uint64_t kind, key;
	uint64_t uuid;
	uint64_t busy;        /* ENDPOINT: end of the last slice, ns */
	uint64_t total;       /* BYTES, LOSS: value of the counter */
	char name[16];        /* THREAD: the name in its description */
	struct callstack *stack; /* THREAD: calls derived from its branches, or NULL */
	uint64_t last;        /* THREAD: time of the newest branch, ns */
	bool stepped;         /* THREAD: the task is single-stepped */
};

struct perfetto {
	struct consumer consumer; /* must be first: a struct consumer is cast to its perfetto */
	struct stream *stream;
	struct out *out, packet;
	struct track **slots; /* hash table, open addressing */
	size_t nslots, ntracks;
	uint64_t to_boot; /* CLOCK_BOOTTIME minus the timeline, from the clock snapshot */
	bool started, failed;
	struct callstack_sink calls;

	/* the current item, for annotate() */
	const struct decoder *decoder;
	void *state;
	const struct item *item;
	char **names;         /* names of the fields of its type */
	size_t nnames, names_room;
	const struct trawl_event_type *names_of;
};

/* ---- packets ------------------------------------------------------------------------------ */

static size_t packet_begin(struct perfetto *p)
{
	size_t start;

	p->packet.len = 0;
	start = pb_begin(&p->packet, TRACE_PACKET);
	pb_uint(&p->packet, PACKET_SEQUENCE, 1);
	if (!p->started)
		pb_uint(&p->packet, PACKET_SEQUENCE_FLAGS, SEQUENCE_CLEARED);
	p->started = true;
	return start;
}

static void packet_end(struct perfetto *p, size_t start)
{
	pb_end(&p->packet, start);
	if (p->packet.error)
		p->failed = true;
	else
		out_bytes(p->out, p->packet.data, p->packet.len);
}

static void clock(struct out *o, uint32_t id, uint64_t ns)
{
	size_t start = pb_begin(o, SNAPSHOT_CLOCKS);

	pb_uint(o, CLOCK_ID, id);
	pb_uint(o, CLOCK_TIMESTAMP, ns);
	pb_end(o, start);
}

/*
 * Writes the clocks at the start of the capture, which relate times to CLOCK_BOOTTIME, Perfetto's
 * default clock.
 */
static void snapshot(struct perfetto *p, uint64_t now)
{
	struct trawl_reader *r = stream_reader(p->stream);
	const struct trawl_sync *s = trawl_sync_count(r) ? trawl_sync_at(r, 0) : NULL;
	struct out *o = &p->packet;
	size_t packet = packet_begin(p), start;

	start = pb_begin(o, PACKET_CLOCK_SNAPSHOT);
	clock(o, PERFETTO_REALTIME, s ? s->real : now);
	clock(o, PERFETTO_BOOTTIME, s ? s->boot : now);
	if (s)
		clock(o, PERFETTO_MONOTONIC, s->mono);
	pb_uint(o, SNAPSHOT_PRIMARY, PERFETTO_REALTIME);
	pb_end(o, start);
	packet_end(p, packet);
	p->to_boot = s ? s->boot - s->real : 0;
}

static void safe_text(struct out *o, uint32_t field, const char *text)
{
	pb_safe(o, field, text, strlen(text));
}

/* Writes the kernel's release, because the encoding of task states depends on it. */
static void system_info(struct perfetto *p)
{
	struct json_object *machine = jdoc_meta(stream_reader(p->stream), "machine");
	struct out *o = &p->packet;
	size_t packet, info, uts;

	if (!machine)
		return;
	packet = packet_begin(p);
	info = pb_begin(o, PACKET_SYSTEM_INFO);
	uts = pb_begin(o, SYSTEM_UTSNAME);
	pb_string(o, UTSNAME_SYSNAME, "Linux");
	safe_text(o, UTSNAME_RELEASE, jdoc_string(machine, "kernel"));
	safe_text(o, UTSNAME_MACHINE, jdoc_string(machine, "arch"));
	pb_end(o, uts);
	pb_end(o, info);
	packet_end(p, packet);
	json_object_put(machine);
}

/* A packet with an event that is being written; completed by event_end(). */
struct event {
	size_t packet, start;
};

static struct event event_begin(struct perfetto *p, int type, const struct track *t, uint64_t time)
{
	struct event e = { .packet = packet_begin(p) };
	struct out *o = &p->packet;

	pb_uint(o, PACKET_TIMESTAMP, time);
	pb_uint(o, PACKET_CLOCK, PERFETTO_REALTIME);
	e.start = pb_begin(o, PACKET_TRACK_EVENT);
	pb_uint(o, EVENT_TYPE, (uint64_t)type);
	pb_uint(o, EVENT_TRACK, t->uuid);
	return e;
}

static void event_end(struct perfetto *p, struct event e)
{
	pb_end(&p->packet, e.start);
	packet_end(p, e.packet);
}

/* ---- tracks ------------------------------------------------------------------------------- */

static size_t track_slot(const struct perfetto *p, uint64_t kind, uint64_t key)
{
	size_t i = (kind + key * 0x9e3779b97f4a7c15u) >> 7 & (p->nslots - 1);

	while (p->slots[i] && (p->slots[i]->kind != kind || p->slots[i]->key != key))
		i = (i + 1) & (p->nslots - 1);
	return i;
}

/* Returns the track; *fresh is set if it must be described first. NULL: out of memory. */
static struct track *track(struct perfetto *p, uint64_t kind, uint64_t key, bool *fresh)
{
	struct track **old = p->slots, *t;
	size_t n = p->nslots, i;

	*fresh = false;
	if (2 * p->ntracks >= n) {
		p->slots = calloc(n ? 2 * n : 256, sizeof(*old));
		if (!p->slots) {
			p->slots = old;
			p->failed = true;
			return NULL;
		}
		p->nslots = n ? 2 * n : 256;
		for (i = 0; i < n; i++)
			if (old[i])
				p->slots[track_slot(p, old[i]->kind, old[i]->key)] = old[i];
		free(old);
	}
	i = track_slot(p, kind, key);
	if (p->slots[i])
		return p->slots[i];
	t = calloc(1, sizeof(*t));
	if (!t) {
		p->failed = true;
		return NULL;
	}
	t->kind = kind;
	t->key = key;
	t->uuid = ++p->ntracks;
	p->slots[i] = t;
	*fresh = true;
	return t;
}

/* Writes a track descriptor without the fields that are specific to the kind of track. */
static struct event describe(struct perfetto *p, const struct track *t, const struct track *parent,
			     const char *name)
{
	struct event e = { .packet = packet_begin(p) };
	struct out *o = &p->packet;

	e.start = pb_begin(o, PACKET_TRACK_DESCRIPTOR);
	pb_uint(o, TRACK_UUID, t->uuid);
	if (parent)
		pb_uint(o, TRACK_PARENT, parent->uuid);
	if (name)
		safe_text(o, TRACK_NAME, name);
	return e;
}

static struct track *process_track(struct perfetto *p, int32_t pid, const struct item *it)
{
	bool fresh;
	struct track *t = track(p, OF_PROCESS, (uint32_t)pid, &fresh);
	struct event e;
	size_t start;

	if (!t || !fresh)
		return t;
	e = describe(p, t, NULL, NULL);
	start = pb_begin(&p->packet, TRACK_PROCESS);
	pb_int(&p->packet, PROCESS_PID, pid);
	if (it->pid == it->tid && it->comm_len)
		pb_safe(&p->packet, PROCESS_NAME, it->comm, it->comm_len);
	pb_end(&p->packet, start);
	event_end(p, e);
	return t;
}

/* Describes a thread's track again if the task has changed its name (exec). */
static struct track *thread_track(struct perfetto *p, const struct item *it)
{
	int32_t pid = it->pid > 0 ? it->pid : it->tid;
	size_t len = it->comm_len < sizeof(((struct track *)0)->name) ? it->comm_len : 15, start;
	bool fresh;
	struct track *t = track(p, OF_THREAD, (uint32_t)it->tid, &fresh), *process;
	struct event e;

	if (!t || (!fresh && (!len || (!memcmp(t->name, it->comm, len) && !t->name[len]))))
		return t;
	process = process_track(p, pid, it);
	e = describe(p, t, process, NULL);
	start = pb_begin(&p->packet, TRACK_THREAD);
	pb_int(&p->packet, THREAD_PID, pid);
	pb_int(&p->packet, THREAD_TID, it->tid);
	if (len)
		pb_safe(&p->packet, THREAD_NAME, it->comm, len);
	pb_end(&p->packet, start);
	event_end(p, e);
	memset(t->name, 0, sizeof(t->name));
	memcpy(t->name, it->comm, len);
	return t;
}

static struct track *named_track(struct perfetto *p, uint64_t kind, uint64_t key,
				 const struct track *parent, const char *name, const char *unit)
{
	bool fresh;
	struct track *t = track(p, kind, key, &fresh);
	struct event e;
	size_t start;

	if (!t || !fresh)
		return t;
	e = describe(p, t, parent, name);
	if (unit) {
		start = pb_begin(&p->packet, TRACK_COUNTER);
		pb_string(&p->packet, COUNTER_UNIT_NAME, unit);
		pb_end(&p->packet, start);
	}
	event_end(p, e);
	return t;
}

static struct track *cpu_track(struct perfetto *p, uint32_t cpu)
{
	char name[32];

	if (cpu == ITEM_NO_CPU)
		snprintf(name, sizeof(name), "machine");
	else
		snprintf(name, sizeof(name), "CPU %u", cpu);
	return named_track(p, OF_CPU, cpu, NULL, name, NULL);
}

static void counter(struct perfetto *p, const struct track *t, uint64_t time, uint64_t value)
{
	struct event e;

	if (!t)
		return;
	e = event_begin(p, TYPE_COUNTER, t, time);
	pb_int(&p->packet, EVENT_COUNTER, (int64_t)value);
	event_end(p, e);
}

/* ---- items -------------------------------------------------------------------------------- */

static void keep_name(void *arg, const char *name)
{
	struct perfetto *p = arg;
	for (size_t i = 0; i < p->nnames; i++)
		if (!strcmp(p->names[i], name))
			return;
	if (!array_grow(p->names, p->nnames)) {
		p->failed = true;
		return;
	}
	p->names[p->nnames] = strdup(name);
	if (p->names[p->nnames])
		p->nnames++;
	else
		p->failed = true;
}

static void names_free(struct perfetto *p)
{
	while (p->nnames)
		free(p->names[--p->nnames]);
}

static void annotate(struct perfetto *p, const char *name, const struct value *v)
{
	struct out *o = &p->packet;
	size_t start = pb_begin(o, EVENT_ANNOTATIONS);

	safe_text(o, ANNOTATION_NAME, name);
	if (v->type == VALUE_TEXT) {
		pb_safe(o, ANNOTATION_STRING, v->text, v->len);
	} else if (v->type == VALUE_BYTES) {
		pb_hex(o, ANNOTATION_STRING, v->text, v->len < 4096 ? v->len : 4096);
	} else if (v->type == VALUE_INT) {
		pb_int(o, ANNOTATION_INT, v->i);
	} else if (v->type == VALUE_FLOAT) {
		pb_double(o, ANNOTATION_DOUBLE, v->f);
	} else {
		pb_uint(o, v->hex ? ANNOTATION_POINTER : ANNOTATION_UINT, v->u);
	}
	pb_end(o, start);
}

/* Writes all fields of the item as arguments of the event. */
static void annotations(struct perfetto *p)
{
	const struct item *it = p->item;
	struct value v;

	if (!p->decoder->names || !p->decoder->value || !it->type)
		return;
	if (p->names_of != it->type) {
		names_free(p);
		p->decoder->names(p->state, it->type, keep_name, p);
		p->names_of = it->type;
	}
	for (size_t i = 0; i < p->nnames; i++)
		if (p->decoder->value(p->state, it, p->names[i], &v) && v.type != VALUE_NONE)
			annotate(p, p->names[i], &v);
}

static bool number(struct perfetto *p, const char *name, uint64_t *n)
{
	struct value v;

	if (!p->decoder->value || !p->decoder->value(p->state, p->item, name, &v))
		return false;
	*n = v.u;
	return v.type == VALUE_UINT || (v.type == VALUE_INT && v.i >= 0);
}

static void event_name(struct perfetto *p)
{
	safe_text(&p->packet, EVENT_CATEGORIES, p->item->source->name);
	pb_safe(&p->packet, EVENT_NAME, p->item->name, p->item->name_len);
}

/* Writes a scheduler event. Returns false if the item is not one. */
static bool scheduler(struct perfetto *p)
{
	const struct item *it = p->item;
	struct out *o = &p->packet;
	size_t packet, bundle;

	if (!p->decoder->value)
		return false;
	packet = packet_begin(p);
	bundle = pb_begin(o, PACKET_FTRACE_EVENTS);
	if (!ftracepb_event(o, p->decoder, p->state, it, it->time + p->to_boot))
		return false;
	pb_end(o, bundle);
	packet_end(p, packet);
	if (it->tid > 0) /* Perfetto learns the process of a thread from its track */
		thread_track(p, it);
	return true;
}

/*
 * Writes a transfer as a slice from `latency` ns ago to now. Slices on a track must nest, but
 * transfers on an endpoint overlap. So each goes to the first lane that has been free since it
 * began.
 */
static void transfer(struct perfetto *p, uint64_t latency)
{
	const struct item *it = p->item;
	uint64_t bus = 0, dev = 0, ep = 0, actual, begin = it->time - latency, key;
	struct track *endpoint = NULL, *lane = NULL, *bytes;
	struct value dir;
	const char *way = "";
	char name[96];
	struct event e;

	number(p, "bus", &bus);
	number(p, "dev", &dev);
	number(p, "ep", &ep);
	if (p->decoder->value(p->state, it, "dir", &dir) && dir.type == VALUE_TEXT)
		way = dir.len == 2 && !memcmp(dir.text, "in", 2) ? " in" : " out";
	key = bus << 32 | (dev & 0xffff) << 16 | (ep & 0xff) << 8 | (way[1] == 'i') << 7;
	snprintf(name, sizeof(name), "USB %llu.%llu endpoint %llu%s", (unsigned long long)bus,
		 (unsigned long long)dev, (unsigned long long)(ep & 0x7f), way);
	for (uint64_t i = 0; i < 64; i++) {
		lane = named_track(p, OF_ENDPOINT | i << 8, key, endpoint, name, NULL);
		if (!lane)
			return;
		if (!endpoint)
			endpoint = lane;
		if (lane->busy <= begin)
			break;
	}
	lane->busy = it->time;
	e = event_begin(p, TYPE_BEGIN, lane, begin);
	event_name(p);
	annotations(p);
	event_end(p, e);
	event_end(p, event_begin(p, TYPE_END, lane, it->time));
	if (!number(p, "actual", &actual))
		return;
	bytes = named_track(p, OF_BYTES, key, endpoint, "bytes", "bytes");
	if (bytes)
		counter(p, bytes, it->time, bytes->total += actual);
}

/*
 * Stores the duration of a USB transfer. The field is not found by its name, because a probe's
 * argument may also be called latency_ns.
 */
static bool transfer_time(const struct decoder *d, const struct item *it, uint64_t *ns)
{
	const struct usb_detail *u = d == &usb_decoder ? it->detail : NULL;

	return u && u->transfer && transfer_latency(u->transfer, ns) && *ns;
}

static void annotate_text(struct perfetto *p, const char *name, const char *text)
{
	annotate(p, name, &(struct value){ .type = VALUE_TEXT, .text = text, .len = strlen(text) });
}

/* Annotates the beginning or the end of a call if it is known only to be in a range of time. */
static void annotate_range(struct perfetto *p, const char *name, const struct call_time *t)
{
	if (t->until > t->time)
		annotate(p, name, &(struct value){ .type = VALUE_UINT, .u = t->until - t->time });
}

/* Calls are slices on the track of their thread. */
static void call_event(struct callstack_sink *sink, void *task, enum call_event what,
		       const struct call_site *c)
{
	struct perfetto *p = (struct perfetto *)((char *)sink - offsetof(struct perfetto, calls));
	const struct track *t = task;
	char name[IMAGE_TEXT];
	struct event e;

	bool ends = what == CALL_LEAVE || what == CALL_LOST || what == CALL_AWAY;

	if (ends || what == CALL_JUMP) {
		e = event_begin(p, TYPE_END, t, c->when.time);
		annotate_range(p, "ended_up_to_ns_later", &c->when);
		if (what == CALL_LOST)
			annotate_text(p, "end", "unknown: branches are missing");
		if (what == CALL_AWAY)
			annotate_text(p, "end", "unknown: another goroutine, or function, "
					      "continues");
		event_end(p, e);
	}
	if (ends || what == CALL_OUTER || what == CALL_GOROUTINE || what == CALL_OUT)
		return;
	e = event_begin(p, TYPE_BEGIN, t, c->when.time);
	image_describe_function(&c->to, name);
	safe_text(&p->packet, EVENT_NAME, name);
	pb_string(&p->packet, EVENT_CATEGORIES, "branch");
	annotate_range(p, "began_up_to_ns_later", &c->when);
	if (t->stepped)
		annotate_text(p, "single_stepped", "the duration includes the time of the steps");
	event_end(p, e);
}

static void branch(struct perfetto *p, const struct branch_detail *d)
{
	struct track *t = thread_track(p, p->item);
	struct call_where w = { .images = d->batch->images, .maps = d->batch->maps, .task = t,
				.when = { p->item->time, p->item->time + d->late } };

	if (t && !t->stack)
		t->stack = callstack_new();
	if (t)
		t->stepped = branch_stepped(d->batch->fixed.backend);
	if (t && t->stack)
		callstack_step(t->stack, &d->pair, &w, &p->calls);
	else
		p->failed = true;
	if (t)
		t->last = p->item->time;
}

/* Branches of the thread are missing: its slices end with the last one that is known. */
static void cut_calls(struct perfetto *p, struct track *t)
{
	if (t && t->stack)
		callstack_cut(t->stack,
			      &(struct call_where){.when = {t->last, t->last}, .task = t},
			      &p->calls);
}

/* Called before the first event or loss. */
static void begin(struct perfetto *p, uint64_t now)
{
	if (p->started)
		return;
	snapshot(p, now);
	system_info(p);
}

static int take_item(struct consumer *consumer, const struct decoder *d, void *state,
		     const struct item *it)
{
	struct perfetto *p = (struct perfetto *)consumer;
	uint64_t latency;
	struct track *t;
	struct event e;

	p->decoder = d;
	p->state = state;
	p->item = it;
	begin(p, it->time);
	if (scheduler(p))
		return p->failed;
	/* Branches recorded before a probe's hit are no calls that begin or end at its time. */
	if (branch_of(d, it) && !branch_of(d, it)->batch->last) {
		branch(p, branch_of(d, it));
		return p->failed;
	}
	if (transfer_time(d, it, &latency) && latency <= it->time) {
		transfer(p, latency);
		return p->failed;
	}
	t = it->tid > 0 ? thread_track(p, it) : cpu_track(p, it->cpu);
	if (!t)
		return 1;
	if (branch_cuts(d, it))
		cut_calls(p, t);
	e = event_begin(p, TYPE_INSTANT, t, it->time);
	event_name(p);
	annotations(p);
	event_end(p, e);
	return p->failed;
}

static int take_loss(struct consumer *consumer, const struct trawl_source *s,
		     const struct trawl_loss *l, uint64_t from, uint64_t to)
{
	struct perfetto *p = (struct perfetto *)consumer;
	size_t packet, bundle;
	char name[128];
	struct track *t;

	begin(p, from);
	for (size_t i = 0; i < p->nslots && !strcmp(s->kind, BRANCH_SOURCE_KIND); i++)
		cut_calls(p, p->slots[i]);
	snprintf(name, sizeof(name), "lost events: %.100s", s->name);
	t = named_track(p, OF_LOSS, s->id, NULL, name, "events");
	if (!t)
		return 1;
	counter(p, t, from, t->total);
	if (l->cpu != UINT32_MAX && !strcmp(s->kind, tracefs_decoder.kind)) {
		packet = packet_begin(p);
		bundle = pb_begin(&p->packet, PACKET_FTRACE_EVENTS);
		ftracepb_loss(&p->packet, l->cpu);
		pb_end(&p->packet, bundle);
		packet_end(p, packet);
	}
	t->total += l->count == UINT64_MAX ? 1 : l->count;
	counter(p, t, to, t->total);
	return p->failed;
}

static void perfetto_free(struct perfetto *p)
{
	names_free(p);
	free(p->names);
	for (size_t i = 0; i < p->nslots; i++) {
		if (p->slots[i])
			callstack_free(p->slots[i]->stack);
		free(p->slots[i]);
	}
	free(p->slots);
	out_free(&p->packet);
}

int perfetto_export(const struct export_options *o, struct stream *s, struct out *out,
		    struct trawl_error *err)
{
	struct perfetto p = {.consumer = {.item = take_item, .loss = take_loss},
			     .stream = s,
			     .out = out,
			     .calls.event = call_event};
	int got;

	out_memory(&p.packet);
	got = stream_run(s, &p.consumer, err);
	if (!got && p.failed)
		got = trawl_fail(err, TRAWL_CANNOT, "--to perfetto: out of memory");
	perfetto_free(&p);
	return got;
}
