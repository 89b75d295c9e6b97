/* SPDX-License-Identifier: MIT */
#include "config.h"

#include <stdio.h>
#include <stdlib.h>

#include "capture/trace/losses.h"
#include "capture/trace/tamper.h"
#include "capture/tracefs/loss.h"
#include "capture/sys/clock.h"
#include "capture/tracefs/tracefs.h"

/* Events that others have changed, for one message. */
struct changed {
	size_t n;
	const char *group, *name; /* the first of them */
};

static void count(struct changed *c, const char *group, const char *name)
{
	if (!c->n++) {
		c->group = group;
		c->name = name;
	}
}

static void report(struct trace *t, const struct changed *c, const char *what)
{
	char others[48] = "";

	if (c->n > 1)
		snprintf(others, sizeof(others), " (and %zu more)", c->n - 1);
	session_incomplete(t->in->session, "%s: %s:%s%s %s", t->in->source->name, c->group, c->name,
			   others, what);
}

/* The file `enable` of an event that is on contains "1", or "1*". */
static void look_at_event(struct trace *t, struct trace_event *e, struct changed *gone,
			  struct changed *off)
{
	struct trawl_error ignored;
	char path[256], *text;

	if (e->changed)
		return;
	snprintf(path, sizeof(path), "events/%s/%s/enable", e->group, e->name);
	text = tracefs_read(t->dir, path, NULL, &ignored);
	e->changed = !text || text[0] != '1';
	if (e->changed)
		count(text ? off : gone, e->group, e->name);
	free(text);
}

/* Writes the loss of an emptied buffer: some or all events since the last check. */
static void lose_unread(struct trace *t, uint64_t now)
{
	struct trawl_error ignored;
	struct loss_stats s;

	trace_lose(t, NULL, (struct trawl_loss){ .from = t->looked, .to = now,
		.count = UINT64_MAX, .reason = TRAWL_LOSS_EMPTIED }, &ignored);
	t->uncounted = true;
	for (size_t i = 0; i < t->ncpus; i++) {
		struct trace_cpu *c = &t->cpus[i];

		if (!trace_read_stats(t, c, &s))
			continue;
		c->taken = s.read;
		c->flagged = c->flagged < s.overrun ? c->flagged : s.overrun;
	}
}

/* Whether a buffer was emptied: then the kernel's count of read events has restarted at zero. */
static bool is_restarted(struct trace *t)
{
	struct loss_stats s;

	for (size_t i = 0; i < t->ncpus; i++)
		if (trace_read_stats(t, &t->cpus[i], &s) && s.read < t->cpus[i].taken)
			return true;
	return false;
}

static void look_at_switch(struct trace *t)
{
	struct trawl_error ignored;
	char *text = tracefs_read(t->dir, "tracing_on", NULL, &ignored);

	if (text && text[0] == '0' && !t->switched_off) {
		t->switched_off = true;
		session_incomplete(t->in->session,
				   "%s: another program switched the recording off "
				   "(%s/tracing_on): no further events are recorded",
				   t->in->source->name, t->name);
	}
	free(text);
}

void tamper_check(struct trace *t, size_t events)
{
	struct changed gone = { 0 }, off = { 0 };
	uint64_t now = mono_now();
	bool restarted = is_restarted(t);

	look_at_switch(t);
	/* A module removes all its events at once: if one is gone, all others are checked. */
	for (size_t i = 0; i < t->nevents && (i < events || gone.n); i++)
		look_at_event(t, &t->events[t->next_look++ % t->nevents], &gone, &off);
	if (gone.n)
		report(t, &gone,
		       "was removed with its kernel module: no further events of it, and unread "
		       "events of this source are lost");
	else if (restarted)
		session_incomplete(t->in->session,
				   "%s: the ring buffer was emptied by another program, or with an "
				   "unloaded kernel module: unread events are lost",
				   t->in->source->name);
	if (off.n)
		report(t, &off,
		       "was switched off, by another program or by reloading its kernel module: "
		       "no further events of it");
	if (gone.n || restarted)
		lose_unread(t, now);
	t->looked = now;
}
