/* SPDX-License-Identifier: MIT */
#include "decode/export/longest.h"
#include "common/array.h"
#include "decode/base/escape.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "decode/base/jdoc.h"
#include "decode/base/time.h"
#include "decode/query/stream.h"

enum {
	SHOWN = 8,    /* lines in each list */
	BEFORE = 10,  /* number of events shown before a trigger */
	KINDS = 256,  /* most kinds of durations */
	/* histogram steps per power of two of a duration: medians are accurate to 4 % */
	STEPS = 16,
	BUCKETS = 64 * STEPS,
	LINE = 300,
	SLOW = 5,     /* number of longest durations shown of a kind */
	WAKINGS = 4096,
	/* number of first events whose fields are kept; newer ones replace older ones */
	BEGINNINGS = 16384,
};

struct task {
	int32_t tid; /* ITEM_NO_TASK: none */
	char comm[48];
};

struct beginning {
	uint64_t time;
	struct task who;
	uint32_t len;
	char fields[LINE];
};

/* The last time that a task was woken, and who did it. */
struct waking {
	uint64_t time;
	int32_t tid; /* the woken task */
	struct task by;
	char interrupt[8]; /* its kind, which interrupted the task `by`; "": that task woke it */
};

struct slow {
	uint64_t ns, when; /* duration; time of its end, ns */
	struct task who;
	struct task starter; /* the task of its first event, if still known */
	struct task waker;   /* who woke its task last */
	char interrupt[8];   /* the kind of interrupt that did it, while `waker` ran */
	uint64_t woken;      /* how long before the end, ns */
};

struct kind {
	char begin[128], end[128];
	uint64_t n;
	struct slow slow[SLOW]; /* the longest first */
	char fields[LINE];      /* the longest: fields of its last event */
	char first[LINE];       /* the longest: fields of its first event, if still known */
	uint32_t *buckets;
};

/* An event that the summary shows. */
struct note {
	uint64_t time;
	char text[LINE];
};

struct longest {
	const struct stream *stream;
	struct kind *kinds;
	size_t nkinds;
	struct note failed[SHOWN], trigger;
	struct beginning beginnings[BEGINNINGS];
	struct waking wakings[WAKINGS];
	bool has_wakings; /* sched_waking, of which sched_wakeup is the second half */
	uint64_t failures;
	/* ring buffer of the newest events before the trigger or the end */
	struct note before[BEFORE];
	uint64_t nbefore;
	bool newest; /* these events are kept */
	char failed_how[64]; /* how the command failed; "": it did not, or is not known */
	struct out line;
};

/* Notes how the command failed, of the last capture in the file. */
static void read_failure(struct longest *l, const struct trawl_reader *r)
{
	struct json_object *end = jdoc_meta(r, "end");

	if (json_object_get_int(jdoc_get(end, "exit_status")))
		snprintf(l->failed_how, sizeof(l->failed_how), "%s", jdoc_string(end, "command"));
	json_object_put(end);
}

struct longest *longest_new(struct stream *s, bool triggers)
{
	struct longest *l = calloc(1, sizeof(*l));

	if (l) {
		out_memory(&l->line);
		l->stream = s;
		read_failure(l, stream_reader(s));
		l->newest = triggers || *l->failed_how;
	}
	return l;
}

void longest_free(struct longest *l)
{
	if (!l)
		return;
	for (size_t i = 0; i < l->nkinds; i++)
		free(l->kinds[i].buckets);
	free(l->kinds);
	out_free(&l->line);
	free(l);
}

/* ---- collecting ---------------------------------------------------------------------------- */

static size_t bucket_of(uint64_t ns)
{
	int high = ns ? 63 - __builtin_clzll(ns) : 0;
	uint64_t low = high >= 4 ? ns >> (high - 4) & (STEPS - 1) : ns << (4 - high) & (STEPS - 1);

	return (size_t)high * STEPS + low;
}

static double bucket_middle(size_t i)
{
	return (double)(UINT64_C(1) << i / STEPS) * (1 + (i % STEPS + 0.5) / STEPS);
}

static void name_copy(char *to, size_t size, const char *name, size_t len)
{
	snprintf(to, size, "%.*s", (int)(len < size ? len : size - 1), name);
}

static struct kind *kind_of(struct longest *l, const char *begin, const struct item *it)
{
	struct kind *k;

	for (size_t i = 0; i < l->nkinds; i++) {
		k = &l->kinds[i];
		if (!strncmp(k->end, it->name, it->name_len) && !k->end[it->name_len] &&
		    !strcmp(k->begin, begin))
			return k;
	}
	if (l->nkinds == KINDS || it->name_len >= sizeof(k->end) ||
	    strlen(begin) >= sizeof(k->begin) || !array_grow(l->kinds, l->nkinds))
		return NULL;
	k = &l->kinds[l->nkinds];
	*k = (struct kind){ .buckets = calloc(BUCKETS, sizeof(*k->buckets)) };
	if (!k->buckets)
		return NULL;
	l->nkinds++;
	name_copy(k->end, sizeof(k->end), it->name, it->name_len);
	name_copy(k->begin, sizeof(k->begin), begin, strlen(begin));
	return k;
}

/* Stores the fields as trawl-decode prints them, cut to the buffer. Returns the length. */
static uint32_t fields_of(struct longest *l, const struct decoder *d, void *state,
			  const struct item *it, char *to, size_t size)
{
	const char *line;
	size_t n;

	l->line.len = 0;
	d->text(state, it, &l->line);
	n = l->line.len < size ? l->line.len : size - 1;
	line = n ? memchr(l->line.data, '\n', n) : NULL;
	if (line)
		n = (size_t)(line - l->line.data);
	if (n)
		memcpy(to, l->line.data, n);
	to[n] = '\0';
	return (uint32_t)n;
}

static void who(const struct item *it, struct task *t)
{
	size_t n = it->comm_len < sizeof(t->comm) ? it->comm_len : sizeof(t->comm) - 1;

	t->tid = it->tid;
	memcpy(t->comm, it->comm, n);
	t->comm[n] = '\0';
}

/* Writes "comm-tid", or nothing for no task. */
static const char *task_text(const struct task *t, char *room, size_t size)
{
	if (t->tid == ITEM_NO_TASK)
		room[0] = '\0';
	else
		snprintf(room, size, "%s-%d", *t->comm ? t->comm : "?", t->tid);
	return room;
}

static bool same_task(const struct task *a, const struct task *b)
{
	return a->tid == b->tid && !strcmp(a->comm, b->comm);
}

static struct beginning *beginning_at(struct longest *l, uint64_t time)
{
	return &l->beginnings[time * UINT64_C(0x9e3779b97f4a7c15) >> 50];
}

/*
 * Takes a wake-up: the task that releases a lock, or sends awaited data, wakes the waiting task.
 * The event sched_waking is the waker's, and its field pid is the woken task. In an interrupt the
 * waker is only the task that was interrupted.
 */
static void take_waking(struct longest *l, const struct decoder *d, void *state,
			const struct item *it)
{
	struct value v = { 0 }, kind = { 0 };
	struct waking *w;
	bool waking;

	if (it->name_len != 18 || memcmp(it->name, "sched:sched_wak", 15) ||
	    (memcmp(it->name + 15, "ing", 3) && memcmp(it->name + 15, "eup", 3)))
		return;
	waking = it->name[15] == 'i';
	l->has_wakings |= waking;
	if ((l->has_wakings && !waking) || !d->value(state, it, "pid", &v) ||
	    (v.type != VALUE_UINT && v.type != VALUE_INT))
		return;
	w = &l->wakings[v.u % WAKINGS];
	w->time = it->time;
	w->tid = (int32_t)v.u;
	who(it, &w->by);
	w->interrupt[0] = '\0';
	if (d->value(state, it, "interrupt", &kind) && kind.type == VALUE_TEXT)
		snprintf(w->interrupt, sizeof(w->interrupt), "%.*s", (int)kind.len, kind.text);
}

/* Finds the task that last woke the span's task within the span. */
static void find_waker(const struct longest *l, struct slow *slow)
{
	const struct waking *w = &l->wakings[(uint32_t)slow->who.tid % WAKINGS];

	if (slow->who.tid > 0 && w->tid == slow->who.tid && w->by.tid != w->tid &&
	    w->time <= slow->when && slow->when - w->time <= slow->ns) {
		slow->waker = w->by;
		memcpy(slow->interrupt, w->interrupt, sizeof(slow->interrupt));
		slow->woken = slow->when - w->time;
	}
}

static void take_span(struct longest *l, const struct decoder *d, void *state,
		      const struct item *it, uint64_t ns, const char *begin)
{
	struct kind *k = kind_of(l, begin, it);
	struct slow slow = { .ns = ns, .when = it->time, .starter.tid = ITEM_NO_TASK,
			     .waker.tid = ITEM_NO_TASK };
	const struct beginning *b;
	size_t i;

	if (!k)
		return;
	i = k->n < SLOW ? (size_t)k->n : SLOW;
	k->n++;
	k->buckets[bucket_of(ns)]++;
	if (i == SLOW && ns <= k->slow[SLOW - 1].ns)
		return;
	for (i = i < SLOW ? i : SLOW - 1; i > 0 && ns > k->slow[i - 1].ns; i--)
		k->slow[i] = k->slow[i - 1];
	who(it, &slow.who);
	find_waker(l, &slow);
	b = beginning_at(l, it->time - ns);
	if (b->time == it->time - ns)
		slow.starter = b->who;
	k->slow[i] = slow;
	if (i)
		return;
	fields_of(l, d, state, it, k->fields, sizeof(k->fields));
	k->first[0] = '\0';
	if (b->time == it->time - ns)
		memcpy(k->first, b->fields, b->len + 1);
}

static void note_item(struct longest *l, const struct decoder *d, void *state,
		      const struct item *it, struct note *t)
{
	char fields[LINE / 2], task[64];
	struct task by;

	fields_of(l, d, state, it, fields, sizeof(fields));
	who(it, &by);
	task_text(&by, task, sizeof(task));
	t->time = it->time;
	snprintf(t->text, sizeof(t->text), "%.*s%s%s %.140s",
		 (int)(it->name_len < 100 ? it->name_len : 100), it->name, *task ? " " : "", task,
		 fields);
}

/*
 * The first trigger is the reason why the file was saved. Until it is found, the newest events are
 * kept.
 */
static void before_trigger(struct longest *l, const struct decoder *d, void *state,
			   const struct item *it)
{
	if (it->name_len == 13 && !memcmp(it->name, "trawl:trigger", 13)) {
		if (!*l->trigger.text)
			note_item(l, d, state, it, &l->trigger);
	} else if (!*l->trigger.text && l->newest && it->tid) { /* 0: the idle task */
		note_item(l, d, state, it, &l->before[l->nbefore++ % BEFORE]);
	}
}

void longest_item(struct longest *l, const struct decoder *d, void *state, const struct item *it)
{
	const char *begin;
	uint64_t ns;

	before_trigger(l, d, state, it);
	take_waking(l, d, state, it);
	if (it->problem && l->failures++ < SHOWN)
		note_item(l, d, state, it, &l->failed[l->failures - 1]);
	if (stream_begins(l->stream, it)) {
		struct beginning *b = beginning_at(l, it->time);

		/* two begin at this time, so it is unclear whose fields these are */
		if (b->time == it->time) {
			b->fields[0] = '\0';
			b->len = 0;
			b->who.tid = ITEM_NO_TASK;
		} else {
			b->len = fields_of(l, d, state, it, b->fields, sizeof(b->fields));
			who(it, &b->who);
		}
		b->time = it->time;
	}
	if (stream_took(l->stream, &ns, &begin) && begin)
		take_span(l, d, state, it, ns, begin);
}

/* ---- printing ------------------------------------------------------------------------------ */

static int by_longest(const void *a, const void *b)
{
	const struct kind *x = a, *y = b;

	return x->slow[0].ns != y->slow[0].ns ? (x->slow[0].ns < y->slow[0].ns ? 1 : -1)
					      : strcmp(x->end, y->end);
}

static uint64_t median(const struct kind *k)
{
	uint64_t sum = 0;
	size_t i;

	for (i = 0; i < BUCKETS - 1; i++) {
		sum += k->buckets[i];
		if (sum * 2 >= k->n)
			break;
	}
	return (uint64_t)bucket_middle(i);
}

static void safe(struct out *o, const char *text)
{
	out_safe(o, text, strlen(text));
}

static void print_note(const struct note *t, bool utc, struct out *o)
{
	out_str(o, "  ");
	time_full(o, t->time, utc);
	out_str(o, "\n    ");
	safe(o, t->text);
	out_char(o, '\n');
}

static void print_before(const struct longest *l, bool utc, struct out *o)
{
	uint64_t first = l->nbefore > BEFORE ? l->nbefore - BEFORE : 0;

	if (l->nbefore)
		out_printf(o, "\nthe last %" PRIu64 " before %s\n", l->nbefore - first,
			   *l->trigger.text ? "it" : "the end");
	for (uint64_t i = first; i < l->nbefore; i++)
		print_note(&l->before[i % BEFORE], utc, o);
}

/* A request may be completed by an interrupt, in whatever task runs then. */
static bool ended_elsewhere(const struct slow *s)
{
	return s->starter.tid != ITEM_NO_TASK && !same_task(&s->starter, &s->who);
}

static void print_slow(const struct slow *s, bool utc, struct out *o)
{
	bool other = ended_elsewhere(s);
	char room[80];

	if (other) {
		out_str(o, "of ");
		safe(o, task_text(&s->starter, room, sizeof(room)));
		out_str(o, "; ");
	}
	out_str(o, "ended ");
	time_full(o, s->when, utc);
	if (s->who.tid != ITEM_NO_TASK) {
		out_str(o, other ? " while this ran: " : " in ");
		safe(o, task_text(&s->who, room, sizeof(room)));
	}
}

static void print_waker(const struct slow *s, const char *name, struct out *o)
{
	char room[80];

	if (s->waker.tid == ITEM_NO_TASK || ended_elsewhere(s))
		return;
	out_str(o, "\n    slept until ");
	time_span(o, s->woken);
	out_str(o, " before its end, when it was woken ");
	if (*s->interrupt)
		out_printf(o, "in %s, ", s->interrupt);
	out_str(o, "while this ran: ");
	safe(o, task_text(&s->waker, room, sizeof(room)));
	if (!*s->interrupt && strstr(name, "lock") && !strstr(name, "clock"))
		out_str(o, ", which then probably released the lock");
}

static void print_kind(const struct kind *k, bool utc, struct out *o)
{
	out_str(o, "  ");
	time_span(o, k->slow[0].ns);
	out_str(o, " from ");
	safe(o, k->begin);
	out_str(o, " to ");
	safe(o, k->end);
	out_str(o, "\n    ");
	print_slow(&k->slow[0], utc, o);
	out_printf(o, "; %" PRIu64 " in all", k->n);
	if (k->n > 1) {
		out_str(o, ", median about ");
		time_span(o, median(k));
	}
	if (*k->first) {
		out_str(o, "\n    began with ");
		safe(o, k->first);
	}
	if (*k->fields) {
		out_str(o, "\n    ");
		safe(o, k->fields);
	}
	print_waker(&k->slow[0], k->end, o);
	for (size_t i = 1; i < SLOW && i < k->n; i++) {
		out_str(o, i == 1 ? "\n    then " : "\n         ");
		time_span(o, k->slow[i].ns);
		out_char(o, ' ');
		print_slow(&k->slow[i], utc, o);
	}
	out_char(o, '\n');
}

void longest_print(const struct longest *l, bool utc, struct out *o)
{
	if (*l->trigger.text) {
		out_str(o, "\nwhy this was saved\n");
		print_note(&l->trigger, utc, o);
		print_before(l, utc, o);
	} else if (*l->failed_how) {
		out_str(o, "\nthe command failed: ");
		safe(o, l->failed_how);
		out_char(o, '\n');
		print_before(l, utc, o);
	}
	if (l->failures) {
		out_printf(o, "\nerrors: %" PRIu64 "%s\n", l->failures,
			   l->failures > SHOWN ? ", the first are" : "");
		for (size_t i = 0; i < SHOWN && i < l->failures; i++)
			print_note(&l->failed[i], utc, o);
	}
	if (!l->nkinds)
		return;
	out_str(o, "\nthe longest of each kind, by two events of a task or request\n");
	qsort(l->kinds, l->nkinds, sizeof(*l->kinds), by_longest);
	for (size_t i = 0; i < l->nkinds && i < SHOWN; i++)
		print_kind(&l->kinds[i], utc, o);
}
