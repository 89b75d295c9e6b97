/* SPDX-License-Identifier: MIT */
#include "decode/export/longest.h"
#include "common/array.h"
#include "decode/base/escape.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "decode/base/time.h"
#include "decode/query/spans.h"

enum {
	SHOWN = 8,    /* lines of each kind */
	BEFORE = 10,  /* events in front of a trigger */
	KINDS = 256,
	STEPS = 16,   /* of durations, in each doubling: a median is off by 4 % at most */
	BUCKETS = 64 * STEPS,
	LINE = 300,
	BEGINNINGS = 16384, /* whose fields are kept; a newer one takes an older one's place */
};

struct beginning {
	uint64_t time;
	char fields[LINE];
};

struct kind {
	char begin[128], end[128];
	uint64_t n, longest, when; /* when it ended */
	char who[64];
	char fields[LINE];         /* of the longest: of the event that ended it */
	char first[LINE];          /* and of the one that began it, if still known */
	uint32_t *buckets;
};

struct told {
	uint64_t time;
	char text[LINE];
};

struct longest {
	struct spans *spans;
	struct kind *kinds;
	size_t nkinds;
	struct told failed[SHOWN], trigger;
	struct beginning beginnings[BEGINNINGS];
	uint64_t failures;
	struct told before[BEFORE]; /* the newest events in turn, until the trigger */
	uint64_t nbefore;
	bool triggers; /* there may be one: before it, each event is a text that is kept */
	struct out line;
};

struct longest *longest_new(bool triggers)
{
	struct longest *l = calloc(1, sizeof(*l));

	if (l) {
		out_memory(&l->line);
		l->triggers = triggers;
		l->spans = spans_new();
	}
	if (l && l->spans)
		return l;
	free(l);
	return NULL;
}

void longest_free(struct longest *l)
{
	if (!l)
		return;
	for (size_t i = 0; i < l->nkinds; i++)
		free(l->kinds[i].buckets);
	free(l->kinds);
	spans_free(l->spans);
	out_free(&l->line);
	free(l);
}

void longest_forget(struct longest *l)
{
	spans_forget(l->spans);
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

/* The fields as trawl-decode shows them, cut to a line. */
static void fields_of(struct longest *l, const struct decoder *d, void *state,
		      const struct item *it, char *to, size_t size)
{
	l->line.len = 0;
	d->text(state, it, &l->line);
	name_copy(to, size, l->line.len ? l->line.data : "", l->line.len);
	to[strcspn(to, "\n")] = '\0';
}

static void who(const struct item *it, char *to, size_t size)
{
	if (it->tid == ITEM_NO_TASK)
		to[0] = '\0';
	else
		snprintf(to, size, "%.*s-%d", it->comm_len ? (int)it->comm_len : 1,
			 it->comm_len ? it->comm : "?", it->tid);
}

static struct beginning *beginning_at(struct longest *l, uint64_t time)
{
	return &l->beginnings[time * UINT64_C(0x9e3779b97f4a7c15) >> 50];
}

static void take_span(struct longest *l, const struct decoder *d, void *state,
		      const struct item *it, uint64_t ns, const char *begin)
{
	struct kind *k = kind_of(l, begin, it);

	if (!k)
		return;
	k->n++;
	k->buckets[bucket_of(ns)]++;
	if (k->n > 1 && ns <= k->longest)
		return;
	k->longest = ns;
	k->when = it->time;
	who(it, k->who, sizeof(k->who));
	fields_of(l, d, state, it, k->fields, sizeof(k->fields));
	k->first[0] = '\0';
	if (beginning_at(l, it->time - ns)->time == it->time - ns)
		snprintf(k->first, sizeof(k->first), "%s", beginning_at(l, it->time - ns)->fields);
}

static void tell(struct longest *l, const struct decoder *d, void *state, const struct item *it,
		 struct told *t)
{
	char fields[LINE / 2], task[64];

	fields_of(l, d, state, it, fields, sizeof(fields));
	who(it, task, sizeof(task));
	t->time = it->time;
	snprintf(t->text, sizeof(t->text), "%.*s%s%s %.140s",
		 (int)(it->name_len < 100 ? it->name_len : 100), it->name, *task ? " " : "", task,
		 fields);
}

/* The first trigger is why the file was written; until it comes the newest events are kept. */
static void before_trigger(struct longest *l, const struct decoder *d, void *state,
			   const struct item *it)
{
	if (it->name_len == 13 && !memcmp(it->name, "trawl:trigger", 13)) {
		if (!*l->trigger.text)
			tell(l, d, state, it, &l->trigger);
	} else if (!*l->trigger.text && l->triggers) {
		tell(l, d, state, it, &l->before[l->nbefore++ % BEFORE]);
	}
}

void longest_item(struct longest *l, const struct decoder *d, void *state, const struct item *it)
{
	const char *begin;
	uint64_t ns;

	before_trigger(l, d, state, it);
	if (it->problem && l->failures++ < SHOWN)
		tell(l, d, state, it, &l->failed[l->failures - 1]);
	if (spans_begins(l->spans, it)) {
		struct beginning *b = beginning_at(l, it->time);

		if (b->time == it->time) /* whose end comes is not known */
			b->fields[0] = '\0';
		else
			fields_of(l, d, state, it, b->fields, sizeof(b->fields));
		b->time = it->time;
	}
	if (spans_item(l->spans, d, state, it, &ns, &begin))
		take_span(l, d, state, it, ns, begin);
}

/* ---- printing ------------------------------------------------------------------------------ */

static int by_longest(const void *a, const void *b)
{
	const struct kind *x = a, *y = b;

	return x->longest != y->longest ? (x->longest < y->longest ? 1 : -1)
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

static void print_told(const struct told *t, bool utc, struct out *o)
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
		out_printf(o, "\nthe last %" PRIu64 " before it\n", l->nbefore - first);
	for (uint64_t i = first; i < l->nbefore; i++)
		print_told(&l->before[i % BEFORE], utc, o);
}

static void print_kind(const struct kind *k, bool utc, struct out *o)
{
	out_str(o, "  ");
	time_span(o, k->longest);
	out_str(o, " from ");
	safe(o, k->begin);
	out_str(o, " to ");
	safe(o, k->end);
	out_str(o, "\n    ended ");
	time_full(o, k->when, utc);
	if (*k->who) {
		out_str(o, " in ");
		safe(o, k->who);
	}
	out_printf(o, "; %" PRIu64 " in all", k->n);
	if (k->n > 1) {
		out_str(o, ", half of them within about ");
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
	out_char(o, '\n');
}

void longest_print(const struct longest *l, bool utc, struct out *o)
{
	if (*l->trigger.text) {
		out_str(o, "\nwhy this was saved\n");
		print_told(&l->trigger, utc, o);
		print_before(l, utc, o);
	}
	if (l->failures) {
		out_printf(o, "\nerrors: %" PRIu64 "%s\n", l->failures,
			   l->failures > SHOWN ? ", the first are" : "");
		for (size_t i = 0; i < SHOWN && i < l->failures; i++)
			print_told(&l->failed[i], utc, o);
	}
	if (!l->nkinds)
		return;
	out_str(o, "\nthe longest of each kind, by two events of a task or request\n");
	qsort(l->kinds, l->nkinds, sizeof(*l->kinds), by_longest);
	for (size_t i = 0; i < l->nkinds && i < SHOWN; i++)
		print_kind(&l->kinds[i], utc, o);
}
