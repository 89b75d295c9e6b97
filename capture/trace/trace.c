/* SPDX-License-Identifier: MIT */
#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "capture/tracefs/longtext.h"
#include "capture/tracefs/readcheck.h"
#include "common/array.h"
#include "common/interrupted.h"
#include "common/pcapng.h"
#include "capture/tracefs/filter.h"
#include "capture/tracefs/gc.h"
#include "capture/trace/drain.h"
#include "capture/trace/finallosses.h"
#include "capture/trace/instance.h"
#include "capture/trace/tamper.h"
#include "capture/tracefs/printkformats.h"
#include "capture/sys/clock.h"
#include "capture/sys/meta.h"
#include "capture/tracefs/pidfilter.h"
#include "capture/trace/trace.h"
#include "capture/tracefs/tracefs.h"
#include "common/sources.h"

enum {
	EVENT_IDS = 65536,       /* the kernel's event IDs have 16 bits */
	FEW_PROBES = 50,         /* are removed in a moment */
};

static const uint64_t DISCARD_NS = 1000000000; /* limit of trace_discard() */

/* ---- the recording ------------------------------------------------------------------------ */

/* Returns the -i texts in one line, malloc'd, for the file. */
static char *join_specs(const struct input *in)
{
	size_t size = 1, used = 0;
	char *text;

	for (size_t i = 0; i < in->nspecs; i++)
		size += strlen(in->specs[i]) + 3;
	text = calloc(1, size);
	for (size_t i = 0; text && i < in->nspecs; i++)
		used += (size_t)sprintf(text + used, "%s%s", i ? "; " : "", in->specs[i]);
	return text;
}

struct trace *trace_new(struct input *in, uint32_t buffer_kb, struct trawl_error *err)
{
	struct trace *t = calloc(1, sizeof(*t));

	if (!t) {
		trawl_fail(err, TRAWL_CANNOT, "out of memory");
		return NULL;
	}
	in->state = t;
	t->in = in;
	t->dir = t->source = t->power = -1;
	t->span = session_span(in->session);
	if (!buffer_kb)
		buffer_kb = session_options(in->session)->buffer_kb;
	owner_name(t->name, in->source->instance ? in->source->instance : in->source->name);
	t->by_id = calloc(EVENT_IDS, sizeof(*t->by_id));
	t->layout = calloc(1, sizeof(*t->layout));
	t->spec = join_specs(in);
	t->top = tracefs_open(err);
	if (t->top < 0)
		return NULL;
	if (!t->by_id || !t->layout || !t->spec) {
		trawl_fail(err, TRAWL_CANNOT, "out of memory");
		return NULL;
	}
	return trace_instance_make(t, buffer_kb, err) ? NULL : t;
}

int trace_limit(struct trace *t, struct trawl_error *err)
{
	char name[OWNER_NAME_MAX], path[OWNER_NAME_MAX + 16];
	const pid_t *pids;
	size_t n = session_scope(t->in->session, &pids);

	if (!n)
		return 0;
	t->filtered = true;
	/* The source "task" is armed first, so its instance has the list of tasks already. */
	owner_name(name, TASK_SOURCE);
	snprintf(path, sizeof(path), "instances/%s", name);
	return pidfilter_copy(t->dir, t->top, path, err);
}

int trace_follow(struct trace *t, struct trawl_error *err)
{
	const pid_t *pids;

	t->follows = session_scope(t->in->session, &pids) > 0;
	return t->follows ? session_learn(t->in->session, err) : 0;
}

/* ---- events ------------------------------------------------------------------------------ */

int trace_format(struct trace *t, const char *group, const char *name, struct eventformat *format,
		 struct trawl_error *err)
{
	char path[256];
	char *text;
	size_t len;
	int r;

	snprintf(path, sizeof(path), "events/%s/%s/format", group, name);
	text = tracefs_read(t->top, path, &len, err);
	if (!text)
		return -1;
	r = eventformat_parse(text, len, format, err);
	free(text);
	return r;
}

/* Describes the source to the writer at the first event, whose format has the common fields. */
static int add_source(struct trace *t, const struct eventformat *f, struct trawl_error *err)
{
	struct trawl_source s = {
		.name = t->in->source->name,
		.spec = t->spec,
		.kind = "tracefs",
		.clock = TRAWL_CLOCK_MONO,
		.linktype = LINKTYPE_UPPER_PDU,
		.resolution = 1,
		.ncommon = f->ncommon,
		.common = f->common,
	};

	if (t->source >= 0)
		return 0;
	t->source = trawl_writer_source(session_writer(t->in->session), &s, err);
	return t->source < 0 ? -1 : 0;
}

static int set_filter(struct trace *t, const char *group, const char *name, const char *filter,
		      struct trawl_error *err)
{
	if (!*filter)
		return 0;
	t->filtered = true;
	return filter_set(t->dir, group, name, filter, err);
}

/* Adds a filter to an event that was added before, so that events of either filter are recorded. */
static int widen_filter(struct trace *t, struct trace_event *e, const char *filter,
			struct trawl_error *err)
{
	char path[256], *both;
	int r;

	if (!strcmp(e->filter, filter))
		return 0;
	/* Sets it alone first, so that an error shows the user's text. */
	if (set_filter(t, e->group, e->name, filter, err))
		return -1;
	if (!*e->filter || !*filter) {
		e->filter[0] = '\0';
		snprintf(path, sizeof(path), "events/%s/%s/filter", e->group, e->name);
		return tracefs_write(t->dir, path, "0", err);
	}
	if (asprintf(&both, "(%s) || (%s)", e->filter, filter) < 0)
		return trawl_fail(err, TRAWL_CANNOT, "out of memory");
	r = set_filter(t, e->group, e->name, both, err);
	free(e->filter);
	e->filter = both;
	return r;
}

bool trace_has_name(const struct trace *t, const char *display)
{
	for (size_t i = 0; i < t->nevents; i++) {
		if (!strcmp(t->events[i].display, display))
			return true;
	}
	return false;
}

static void free_event(struct trace_event *e)
{
	free(e->group);
	free(e->name);
	free(e->display);
	free(e->request);
	free(e->filter);
	free(e->fields);
	free(e->texts);
}

/* Adds an event to the table for the drain; not at all if memory runs out. */
static int add_event(struct trace *t, const struct trace_wanted *wanted,
		     const struct eventformat *f)
{
	size_t bytes = f->nfields * sizeof(*f->fields);
	struct trace_event e = { .id = f->id, .size = f->size, .nfields = f->nfields };

	e.group = strdup(wanted->group);
	e.name = strdup(wanted->name);
	e.display = strdup(wanted->display);
	e.filter = strdup(wanted->filter);
	e.fields = malloc(bytes + 1);
	if (!e.group || !e.name || !e.display || !e.filter || !e.fields ||
	    !array_grow(t->events, t->nevents)) {
		free_event(&e);
		return -1;
	}
	memcpy(e.fields, f->fields, bytes);
	t->events[t->nevents++] = e;
	t->by_id[f->id] = (uint32_t)t->nevents;
	return 0;
}

/* Writes the kernel's constant strings if the event has a pointer to one. */
static int write_strings(struct trace *t, const char *format, struct trawl_error *err)
{
	if (t->strings_written ||
	    (!strstr(format, "field:const char *") && !strstr(format, "field:char *")))
		return 0;
	t->strings_written = true;
	return printkformats_write(session_writer(t->in->session), err);
}

int trace_add(struct trace *t, const struct trace_wanted *wanted, struct trawl_error *err)
{
	struct eventformat own = { 0 };
	const struct eventformat *f = wanted->format ? wanted->format : &own;
	struct trawl_event_type type;
	char path[256], *text;
	int r = -1;

	snprintf(path, sizeof(path), "events/%s/%s/format", wanted->group, wanted->name);
	text = tracefs_read(t->top, path, NULL, err);
	if (!text)
		return -1;
	if (!wanted->format && eventformat_parse(text, strlen(text), &own, err))
		goto out;
	if (t->by_id[f->id]) {
		r = widen_filter(t, &t->events[t->by_id[f->id] - 1], wanted->filter, err);
		goto out;
	}
	if (add_source(t, f, err) ||
	    set_filter(t, wanted->group, wanted->name, wanted->filter, err))
		goto out;
	type = (struct trawl_event_type){
		.source = (uint16_t)t->source,
		.id = f->id,
		.name = wanted->display,
		.format = f->text ? f->text : text,
		.size = f->size,
		.nfields = f->nfields,
		.fields = f->fields,
	};
	if (trawl_writer_event_type(session_writer(t->in->session), &type, err) ||
	    write_strings(t, text, err))
		goto out;
	r = add_event(t, wanted, f);
	if (r)
		trawl_fail(err, TRAWL_CANNOT, "out of memory");
	else
		t->events[t->nevents - 1].symbols = kallsyms_wanted(text);
out:
	eventformat_free(&own);
	free(text);
	return r;
}

void trace_comes_last(struct trace *t, uint32_t id)
{
	t->events[t->by_id[id] - 1].comes_last = true;
}

void trace_cut_texts(struct trace *t, uint32_t id, struct counted_text *texts, size_t n)
{
	struct trace_event *e = &t->events[t->by_id[id] - 1];

	e->texts = texts;
	e->ntexts = n;
}

int trace_add_companion(struct trace *t, const char *name, const char *filter,
			const struct long_text *pair, struct trawl_error *err)
{
	if (!t->long_texts)
		t->long_texts = long_texts_new();
	if (!t->long_texts || !array_grow(t->companions, t->ncompanions) ||
	    !(t->companions[t->ncompanions] = strdup(name)))
		return trawl_fail(err, TRAWL_CANNOT, "out of memory");
	t->ncompanions++;
	if (long_texts_add(t->long_texts, pair))
		return trawl_fail(err, TRAWL_CANNOT, "out of memory");
	return filter_set(t->dir, t->name, name, filter, err);
}

int trace_add_check(struct trace *t, uint32_t id, struct read_check *check, struct trawl_error *err)
{
	if (!t->read_checks)
		t->read_checks = read_checks_new();
	if (!t->read_checks || !check) {
		read_check_free(check);
		return trawl_fail(err, TRAWL_CANNOT, "out of memory");
	}
	read_checks_add(t->read_checks, id, check);
	return 0;
}

static int switch_on(struct trace *t, const char *group, const char *name, struct trawl_error *err)
{
	char path[256];

	snprintf(path, sizeof(path), "events/%s/%s/enable", group, name);
	return tracefs_write(t->dir, path, "1", err);
}

/*
 * Of several probes at one place the kernel calls the one that was enabled last first. So those
 * that come last are enabled first.
 */
static int switch_all_on(struct trace *t, bool comes_last, struct trawl_error *err)
{
	for (size_t i = 0; i < t->nevents; i++) {
		const struct trace_event *e = &t->events[i];

		if (e->comes_last != comes_last)
			continue;
		if (is_interrupted()) /* each takes up to 0.1 s, and there may be hundreds */
			return trawl_fail(err, TRAWL_CANNOT,
					  "capture: interrupted before anything was recorded");
		if (switch_on(t, e->group, e->name, err))
			return trawl_fail(err, TRAWL_CANNOT, "%s:%s: cannot be switched on: %s",
					  e->group, e->name, strerror(errno));
	}
	return 0;
}

/* ---- running ----------------------------------------------------------------------------- */

/*
 * Recording is switched on before the events, so that every hit that the kernel counts is recorded.
 */
int trace_start(struct input *in, struct trawl_error *err)
{
	struct trace *t = in->state;
	uint64_t now = mono_now();

	t->since = t->looked = now;
	for (size_t i = 0; i < t->ncpus; i++)
		t->cpus[i].last = now;
	t->power = openat(t->dir, "tracing_on", O_WRONLY | O_CLOEXEC);
	if (t->power < 0)
		return trawl_fail(err, TRAWL_CANNOT, "tracefs: cannot open %s/tracing_on: %s",
				  t->name, strerror(errno));
	if (tracefs_write(t->dir, "tracing_on", "1", err))
		return -1;
	t->started = true;
	if (switch_all_on(t, true, err) || switch_all_on(t, false, err))
		return -1;
	/* Enabled after the probes that they belong to, so that they are called before these. */
	for (size_t i = 0; i < t->ncompanions; i++)
		if (switch_on(t, t->name, t->companions[i], err))
			return -1;
	return 0;
}

size_t trace_fds(struct input *in, struct pollfd *fds, size_t room)
{
	struct trace *t = in->state;
	size_t n = t->ncpus < room ? t->ncpus : room;

	/* poll() would return at once for a CPU without a buffer. */
	for (size_t i = 0; i < n; i++)
		fds[i] = (struct pollfd){ .fd = t->cpus[i].absent ? -1 : t->cpus[i].fd,
					  .events = POLLIN };
	return n;
}

static bool has_older(const struct trace *t, uint64_t time)
{
	for (size_t i = 0; i < t->ncpus; i++) {
		if (t->cpus[i].last < time)
			return true;
	}
	return false;
}

/*
 * Discards the events that came while sources were started one by one: a buffer may be full of
 * them.
 */
int trace_discard(struct input *in, struct trawl_error *err)
{
	struct trace *t = in->state;
	uint64_t now = mono_now();
	int r;

	do
		r = trace_drain(in, err);
	while (r > 0 && has_older(t, now) && mono_now() < now + DISCARD_NS);
	t->since = now;
	for (size_t i = 0; i < t->ncpus; i++) {
		if (t->cpus[i].last < now)
			t->cpus[i].last = now;
	}
	return r < 0 ? -1 : 0;
}

int trace_tick(struct input *in, struct trawl_error *err)
{
	tamper_check(in->state, TAMPER_EVENTS);
	return 0;
}

void trace_close(struct input *in)
{
	struct trace *t = in->state;

	if (t->started)
		tamper_check(t, t->nevents);
}

/* Switches only the buffer off, which is fast. disarm() switches the events off, one by one. */
void trace_halt(struct input *in)
{
	struct trace *t = in->state;

	if (t->power >= 0 && pwrite(t->power, "0", 1, 0) != 1)
		t->unstoppable = errno;
	t->started = false;
}

int trace_stop(struct input *in, struct trawl_error *err)
{
	struct trace *t = in->state;
	struct trawl_error ignored;

	if (!t->unstoppable)
		return 0;
	tracefs_write(t->dir, "events/enable", "0", &ignored);
	return trawl_fail(err, TRAWL_CANNOT, "tracefs: cannot switch %s/tracing_on off: %s",
			  t->name, strerror(t->unstoppable));
}

/*
 * Writes the symbols of this source's events, even if another source has written metadata of that
 * name.
 */
static void write_symbols(struct trace *t)
{
	struct trawl_error err;

	/* All symbols are read for each file: modules may have been loaded since the last. */
	if (t->kallsyms.n != t->nsymbols || t->kallsyms.all) {
		free(t->symbols);
		if (kallsyms_text(&t->kallsyms, &t->symbols, &t->symbols_len, &err))
			session_incomplete(t->in->session, "%s", err.text);
		t->nsymbols = t->kallsyms.n;
	}
	if (t->symbols && meta_write_text(session_writer(t->in->session), "kernel/kallsyms",
					  mono_now(), t->symbols, t->symbols_len, &err))
		session_note(t->in->session, "%s", err.text);
}

void trace_rotate(struct input *in)
{
	write_symbols(in->state);
}

void trace_stats(struct input *in, struct source_stats *stats)
{
	struct trace *t = in->state;

	*stats = (struct source_stats){ 0 };
	if (!t || t->source < 0)
		return;
	trace_final_losses(t);
	write_symbols(t);
	stats->captured = t->captured;
	stats->lost = t->lost;
	stats->uncounted = t->uncounted;
	stats->hits = t->hits_known ? t->hits : 0;
}

static void free_events(struct trace *t)
{
	for (size_t i = 0; i < t->nevents; i++)
		free_event(&t->events[i]);
	free(t->events);
	free(t->snapped);
	for (size_t i = 0; i < t->ncompanions; i++)
		free(t->companions[i]);
	free(t->companions);
}

/* Says why trawl does not end yet: the kernel waits for all tasks at each probe. */
static void note_removal(struct session *s, const struct trace *t)
{
	size_t n = t->ncompanions;

	for (size_t i = 0; i < t->nevents; i++)
		n += !strcmp(t->events[i].group, t->name);
	if (n > FEW_PROBES)
		session_note(s, "removing %zu probes, one by one; an interrupt does not stop this", n);
}

void trace_disarm(struct input *in)
{
	struct trace *t = in->state;
	struct trawl_error err;

	if (!t)
		return;
	for (size_t i = 0; i < t->ncpus; i++)
		close(t->cpus[i].fd);
	if (t->power >= 0)
		close(t->power);
	if (t->dir >= 0) {
		note_removal(in->session, t);
		close(t->dir);
		if (gc_remove(t->top, t->name, &err))
			session_note(in->session, "%s", err.text);
	}
	if (t->top >= 0)
		close(t->top);
	free_events(t);
	long_texts_free(t->long_texts);
	read_checks_free(t->read_checks);
	free(t->by_id);
	free(t->cpus);
	free(t->page);
	free(t->layout);
	free(t->hist_pairs);
	kallsyms_free(&t->kallsyms);
	free(t->symbols);
	free(t->spec);
	free(t);
	in->state = NULL;
}
