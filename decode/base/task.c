/* SPDX-License-Identifier: MIT */
#include "decode/base/task.h"
#include "common/array.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/compare.h"
#include "decode/base/boot.h"
#include "decode/base/jdoc.h"
#include "decode/base/eventlayout.h"
#include "decode/base/output.h"

#define CLONE_THREAD 0x00010000
#define SCHED_SWITCH "sched:sched_switch"

/* A task at a time, from metadata "task/TID". */
struct snapshot {
	uint64_t time;
	struct task task;
};

/* Fields of the events that are applied, looked up once for each event type. */
struct event {
	const struct trawl_event_type *type;
	enum { OTHER, NEWTASK, RENAME, EXEC, SWITCH } what;
	const struct trawl_field *pid, *comm, *flags;
	const struct trawl_field *next_pid, *next_comm; /* SWITCH: pid and comm are those of prev */
};

struct tasks {
	struct trawl_reader *reader;
	struct task *slots; /* open addressing; tid -1 is empty */
	size_t nslots, used;
	struct snapshot *snapshots; /* sorted by time */
	size_t nsnapshots, next; /* next: the first that is not applied yet */
	size_t metas;       /* number of metadata items that were read */
	struct event *events;
	size_t nevents;
	struct task idle, unknown;
	struct boots boots;
	uint32_t section, boot; /* the current ones */
};

#define NEVENTS 64

static const struct task nobody = {.tid = -1, .pid = -1};

/* Forgets everything; all metadata will be read again. */
static void clear(struct tasks *t)
{
	for (size_t i = 0; i < t->nslots; i++)
		t->slots[i] = nobody;
	t->used = t->nsnapshots = t->next = t->metas = 0;
}

struct tasks *tasks_new(struct trawl_reader *reader)
{
	struct tasks *t = calloc(1, sizeof(*t));

	if (!t)
		return NULL;
	t->reader = t->boots.reader = reader;
	t->nslots = 1024;
	t->slots = malloc(t->nslots * sizeof(*t->slots));
	t->events = calloc(NEVENTS, sizeof(*t->events));
	if (!t->slots || !t->events) {
		tasks_free(t);
		return NULL;
	}
	clear(t);
	return t;
}

void tasks_free(struct tasks *t)
{
	if (!t)
		return;
	free(t->slots);
	free(t->snapshots);
	free(t->events);
	boots_free(&t->boots);
	free(t);
}

static struct task *slot(struct task *slots, size_t n, int32_t tid)
{
	size_t i = (uint32_t)tid * 2654435761u & (n - 1);

	while (slots[i].tid != tid && slots[i].tid != -1)
		i = (i + 1) & (n - 1);
	return &slots[i];
}

static void grow(struct tasks *t)
{
	size_t n = t->nslots * 2, i;
	struct task *slots = malloc(n * sizeof(*slots));

	if (!slots)
		return; /* lookups are slower; entry() fails before the table is full */
	for (i = 0; i < n; i++)
		slots[i] = nobody;
	for (i = 0; i < t->nslots; i++)
		if (t->slots[i].tid != -1)
			*slot(slots, n, t->slots[i].tid) = t->slots[i];
	free(t->slots);
	t->slots = slots;
	t->nslots = n;
}

/* Returns the entry of a tid, which is added if it is new; NULL: out of memory, or a bad tid. */
static struct task *entry(struct tasks *t, int32_t tid)
{
	struct task *s;

	if (tid <= 0)
		return NULL;
	if (t->used * 2 >= t->nslots)
		grow(t);
	s = slot(t->slots, t->nslots, tid);
	if (s->tid == -1) {
		if (t->used + 1 >= t->nslots) {
			out_lack_memory();
			return NULL;
		}
		*s = nobody;
		s->tid = tid;
		t->used++;
	}
	return s;
}

static void name(struct task *task, const void *text, size_t n)
{
	const void *nul = memchr(text, 0, n);

	if (nul)
		n = (size_t)((const char *)nul - (const char *)text);
	if (n > sizeof(task->comm) - 1)
		n = sizeof(task->comm) - 1;
	memcpy(task->comm, text, n);
	task->comm[n] = '\0';
	task->comm_len = (uint8_t)n;
	task->named = true;
}

/* ---- metadata ----------------------------------------------------------------------------- */

static int by_time(const void *a, const void *b)
{
	const struct snapshot *x = a, *y = b;

	return compare_numbers(x->time, y->time);
}

/*
 * Returns the length of a task's own name. /proc adds to the name of a kernel worker what it does,
 * or did last: "kworker/0:1H-kblockd". That changes all the time, and no event has it.
 */
static size_t own_name(const char *comm)
{
	enum { KIND = 8 }; /* the length of "kworker/" */
	static const char digits[] = "0123456789";
	const char *at = comm + KIND;
	size_t n;

	if (strncmp(comm, "kworker/", KIND))
		return strlen(comm);
	at += *at == 'u';
	n = strspn(at, digits);
	if (!n || at[n] != ':' || !strspn(at + n + 1, digits))
		return strlen(comm); /* "kworker/R-NAME", a rescuer */
	at += n + 1;
	return (size_t)(at - comm) + strcspn(at, "+-");
}

/* Parses metadata "task/TID"; tid is -1 if it is not valid. */
static struct task task_of(const struct trawl_meta *m)
{
	struct json_object *j = jdoc_parse(m->data, m->len);
	int64_t tid = jdoc_int(j, "tid", -1), pid = jdoc_int(j, "pid", -1);
	const char *comm = jdoc_string(j, "comm");
	struct task task = nobody;

	if (tid > 0 && tid <= INT32_MAX)
		task.tid = (int32_t)tid;
	if (pid > 0 && pid <= INT32_MAX)
		task.pid = (int32_t)pid;
	if (*comm)
		name(&task, comm, own_name(comm));
	json_object_put(j);
	return task;
}

static void read_meta(struct tasks *t, const struct trawl_meta *m)
{
	struct task task = task_of(m);

	if (task.tid == -1)
		return;
	if (array_grow(t->snapshots, t->nsnapshots))
		t->snapshots[t->nsnapshots++] = (struct snapshot){ m->time, task };
	else
		out_lack_memory();
}

/* Reads metadata that is new since the last call. */
static void read_metas(struct tasks *t)
{
	size_t n = trawl_meta_count(t->reader), before = t->nsnapshots, i;

	for (; t->metas < n; t->metas++) {
		const struct trawl_meta *m = trawl_meta_at(t->reader, t->metas);

		if (!strncmp(m->name, "task/", 5) && boot_of(&t->boots, m->section) == t->boot)
			read_meta(t, m);
	}
	if (t->nsnapshots == before)
		return;
	qsort(t->snapshots + t->next, t->nsnapshots - t->next, sizeof(*t->snapshots), by_time);
	/* what is not known of a task has its first later value until then */
	for (i = t->next; i < t->nsnapshots; i++) {
		const struct task *later = &t->snapshots[i].task;
		struct task *s = entry(t, later->tid);

		if (s && !s->named && later->named)
			name(s, later->comm, later->comm_len);
		if (s && s->pid == -1)
			s->pid = later->pid;
	}
}

static void apply(struct tasks *t, const struct task *given)
{
	struct task *s = entry(t, given->tid);

	if (!s)
		return;
	if (given->pid != -1)
		s->pid = given->pid;
	if (given->named)
		name(s, given->comm, given->comm_len);
}

void tasks_apply_meta(struct tasks *t, const struct trawl_meta *m)
{
	struct task task = task_of(m);

	apply(t, &task);
}

/* Changes to a section. In another boot the same ids are other tasks. */
static void select_section(struct tasks *t, uint32_t section)
{
	uint32_t boot = boot_of(&t->boots, section);

	t->section = section;
	if (boot == t->boot)
		return;
	t->boot = boot;
	clear(t);
}

void tasks_advance(struct tasks *t, uint32_t section, uint64_t now)
{
	if (section != t->section)
		select_section(t, section);
	if (t->metas != trawl_meta_count(t->reader))
		read_metas(t);
	for (; t->next < t->nsnapshots && t->snapshots[t->next].time <= now; t->next++)
		apply(t, &t->snapshots[t->next].task);
}

bool task_event_names(const char *type)
{
	return !strcmp(type, SCHED_SWITCH);
}

/* ---- events ------------------------------------------------------------------------------- */

static const struct trawl_field *field(const struct trawl_event_type *type, const char *wanted)
{
	uint32_t i;

	for (i = 0; i < type->nfields; i++)
		if (!strcmp(type->fields[i].name, wanted))
			return &type->fields[i];
	return NULL;
}

static const struct event *known(struct tasks *t, const struct trawl_event_type *type)
{
	struct event *e;
	size_t i;

	for (i = 0; i < t->nevents; i++)
		if (t->events[i].type == type)
			return &t->events[i];
	if (t->nevents == NEVENTS)
		return NULL;
	e = &t->events[t->nevents++];
	e->type = type;
	if (!strcmp(type->name, "task:task_newtask"))
		e->what = NEWTASK;
	else if (!strcmp(type->name, "task:task_rename"))
		e->what = RENAME;
	else if (!strcmp(type->name, "sched:sched_process_exec"))
		e->what = EXEC;
	else if (!strcmp(type->name, SCHED_SWITCH))
		e->what = SWITCH;
	e->pid = field(type, e->what == SWITCH ? "prev_pid" : "pid");
	e->comm = field(type, e->what == SWITCH ? "prev_comm" :
			      e->what == RENAME ? "newcomm" : "comm");
	e->flags = field(type, "clone_flags");
	e->next_pid = field(type, "next_pid");
	e->next_comm = field(type, "next_comm");
	return e;
}

static int64_t number(const struct trawl_field *f, const struct trawl_event *ev)
{
	const uint8_t *p;
	size_t n;

	if (!f || !field_bytes(f, ev->record, ev->len, &p, &n) || n > 8)
		return -1;
	return load_int(p, n);
}

static void rename_task(struct task *s, const struct trawl_field *f, const struct trawl_event *ev)
{
	const uint8_t *p;
	size_t n;

	if (s && f && field_bytes(f, ev->record, ev->len, &p, &n))
		name(s, p, n);
}

/* The task of a pid field, which is added if it is new; NULL: out of memory, or no valid pid. */
static struct task *task_in(struct tasks *t, const struct trawl_field *f,
			    const struct trawl_event *ev)
{
	int64_t tid = number(f, ev);

	return tid > 0 && tid <= INT32_MAX ? entry(t, (int32_t)tid) : NULL;
}

void tasks_event(struct tasks *t, const struct trawl_event *ev, int32_t in)
{
	const struct event *e = known(t, ev->type);
	struct task *s;

	if (!e || e->what == OTHER)
		return;
	s = task_in(t, e->pid, ev);
	if (s && e->what == NEWTASK) {
		s->pid = s->tid;
		if (number(e->flags, ev) & CLONE_THREAD)
			s->pid = tasks_find(t, in, 0)->pid;
	} else if (s && e->what == EXEC) {
		/* exec by any thread: only this thread is left, with the id of the process */
		s->pid = s->tid;
	}
	if (e->what != EXEC)
		rename_task(s, e->comm, ev);
	if (e->what == SWITCH)
		rename_task(task_in(t, e->next_pid, ev), e->next_comm, ev);
}

const struct task *tasks_find(struct tasks *t, int32_t tid, uint32_t cpu)
{
	const struct task *s;

	if (tid == 0) {
		t->idle.tid = t->idle.pid = 0;
		t->idle.named = true;
		t->idle.comm_len = (uint8_t)snprintf(t->idle.comm, sizeof(t->idle.comm),
						     "swapper/%u", cpu % 100000);
		return &t->idle;
	}
	s = slot(t->slots, t->nslots, tid);
	if (s->tid == tid && tid > 0)
		return s;
	t->unknown = nobody;
	t->unknown.tid = tid;
	return &t->unknown;
}
