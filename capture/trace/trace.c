/* SPDX-License-Identifier: MIT */
#include "config.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "capture/tracefs/longtext.h"
#include "capture/tracefs/readcheck.h"
#include "common/array.h"
#include "common/pcapng.h"
#include "capture/tracefs/filter.h"
#include "capture/tracefs/gc.h"
#include "capture/trace/account.h"
#include "capture/trace/drain.h"
#include "capture/trace/tamper.h"
#include "capture/tracefs/loss.h"
#include "capture/tracefs/printkformats.h"
#include "capture/sys/clock.h"
#include "capture/sys/lockdown.h"
#include "capture/sys/meta.h"
#include "capture/tracefs/pidfilter.h"
#include "capture/tracefs/ring.h"
#include "capture/trace/trace.h"
#include "capture/tracefs/tracefs.h"
#include "common/sources.h"

enum {
	EVENT_IDS = 65536,       /* the kernel's event IDs have 16 bits */
	SUBBUF_KB = 16,          /* size of a sub-buffer, if possible: it is read by one read() and
				  * fits into the CPU's cache */
	LONG_RECORD = 1024,      /* bytes; beside a record so long the kernel may have dropped
				  * longer ones */
	WAKE_PERCENT = 25,       /* poll() returns when so much of the buffer is full */
	BUFFER_KB_DEFAULT = 8192, /* per CPU */
	BUFFER_KB_MIN = 1024,
	BUFFER_SHARE = 16,       /* the buffers of all CPUs take at most 1/BUFFER_SHARE of the
				  * memory */
};

static const uint64_t DISCARD_NS = 1000000000; /* limit of trace_discard() */

/* ---- the instance ------------------------------------------------------------------------ */

static uint32_t default_buffer_kb(void)
{
	uint64_t page_kb = (uint64_t)sysconf(_SC_PAGESIZE) / 1024;
	uint64_t memory_kb = (uint64_t)sysconf(_SC_PHYS_PAGES) * page_kb;
	uint64_t cpus = (uint64_t)sysconf(_SC_NPROCESSORS_CONF);
	uint64_t kb = memory_kb / BUFFER_SHARE / (cpus ? cpus : 1);

	return (uint32_t)(kb > BUFFER_KB_DEFAULT ? BUFFER_KB_DEFAULT :
			  kb < BUFFER_KB_MIN ? BUFFER_KB_MIN : kb);
}

static int make_instance(struct trace *t, struct trawl_error *err)
{
	char path[OWNER_NAME_MAX + 16];

	snprintf(path, sizeof(path), "instances/%s", t->name);
	if (mkdirat(t->top, path, 0700))
		return trawl_fail(err, TRAWL_CANNOT, "tracefs: cannot make %s: %s", path,
				  errno == ENOMEM ?
				  "no memory for another ring buffer; end other recordings, or "
				  "remove unused instances with rmdir" :
				  errno == EACCES || errno == EPERM ?
				  "no permission: " TRACEFS_REMEDY :
				  lockdown_or(strerror(errno)));
	t->dir = openat(t->top, path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (t->dir < 0)
		return trawl_fail(err, TRAWL_CANNOT, "tracefs: cannot open %s: %s", path,
				  strerror(errno));
	flock(t->dir, LOCK_EX); /* gc_run() of another trawl may lock it for a moment */
	return 0;
}

static int set_up_buffer(struct trace *t, uint32_t kb, struct trawl_error *err)
{
	struct trawl_error ignored;
	char text[24];

	/* Memory may be too fragmented for large sub-buffers: tries smaller ones. */
	for (unsigned int subbuf = SUBBUF_KB;
	     subbuf >= 4 && tracefs_has(t->dir, "buffer_subbuf_size_kb"); subbuf /= 2) {
		if (!tracefs_write_number(t->dir, "buffer_subbuf_size_kb", subbuf, &ignored))
			break;
	}
	snprintf(text, sizeof(text), "%" PRIu32, kb);
	if (tracefs_write(t->dir, "buffer_size_kb", text, err))
		return trawl_fail(
			err, TRAWL_CANNOT,
			"-B: no memory for a ring buffer of %s KiB per CPU (%s); give a smaller "
			"size", text,
			strerror(errno));
	/* Kernels before 5.1 lack this file; poll() returns at any event. */
	if (tracefs_has(t->dir, "buffer_percent"))
		return tracefs_write_number(t->dir, "buffer_percent", WAKE_PERCENT, err);
	return 0;
}

/* Resets options that an instance may inherit, and that slow down or change the recording. */
static int set_options(struct trace *t, struct trawl_error *err)
{
	static const struct {
		const char *file, *value;
	} options[] = {
		{ "options/overwrite", "1" },    /* with overwrite, flags of the sub-buffers show
						  * losses */
		{ "options/record-cmd", "0" },   /* the source "task" records names */
		{ "options/record-tgid", "0" },
		{ "options/stacktrace", "0" },
		{ "options/userstacktrace", "0" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(options); i++) {
		if (tracefs_has(t->dir, options[i].file) &&
		    tracefs_write(t->dir, options[i].file, options[i].value, err))
			return -1;
	}
	return 0;
}

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

static int open_cpus(struct trace *t, struct trawl_error *err)
{
	long n = sysconf(_SC_NPROCESSORS_CONF);

	t->cpus = calloc((size_t)n, sizeof(*t->cpus));
	if (!t->cpus)
		return trawl_fail(err, TRAWL_CANNOT, "out of memory");
	for (uint32_t cpu = 0; cpu < (uint32_t)n; cpu++) {
		char path[64];
		int fd;

		snprintf(path, sizeof(path), "per_cpu/cpu%u/trace_pipe_raw", cpu);
		fd = openat(t->dir, path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
		if (fd < 0 && errno == ENOENT)
			continue;
		if (fd < 0)
			return trawl_fail(err, TRAWL_CANNOT, "tracefs: cannot open %s: %s", path,
					  strerror(errno));
		t->cpus[t->ncpus++] = (struct trace_cpu){ .cpu = cpu, .fd = fd };
	}
	return 0;
}

static int read_layout(struct trace *t, struct trawl_error *err)
{
	char *text = tracefs_read(t->dir, "events/header_page", NULL, err);
	int r = text ? ring_layout_parse(text, t->layout, err) : -1;

	free(text);
	if (!r) {
		t->page = malloc(t->layout->data_at + t->layout->data_size);
		if (!t->page)
			return trawl_fail(err, TRAWL_CANNOT, "out of memory");
	}
	return r;
}

struct trace *trace_new(struct input *in, uint32_t buffer_kb, struct trawl_error *err)
{
	const struct options *o = session_options(in->session);
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
		buffer_kb = o->buffer_kb ? o->buffer_kb : default_buffer_kb();
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
	if (make_instance(t, err) || tracefs_write(t->dir, "tracing_on", "0", err) ||
	    tracefs_write(t->dir, "trace_clock", "mono", err) || set_options(t, err) ||
	    set_up_buffer(t, buffer_kb, err) || read_layout(t, err) || open_cpus(t, err))
		return NULL;
	return t;
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

/* Adds an event to the table for the drain. */
static int add_event(struct trace *t, const struct trace_wanted *wanted,
		     const struct eventformat *f)
{
	size_t bytes = f->nfields * sizeof(*f->fields);
	struct trace_event *e;

	if (!array_grow(t->events, t->nevents))
		return -1;
	e = &t->events[t->nevents++];
	*e = (struct trace_event){ .id = f->id, .size = f->size, .nfields = f->nfields };
	e->group = strdup(wanted->group);
	e->name = strdup(wanted->name);
	e->display = strdup(wanted->display);
	e->filter = strdup(wanted->filter);
	e->fields = malloc(bytes + 1);
	if (!e->group || !e->name || !e->display || !e->filter || !e->fields)
		return -1;
	memcpy(e->fields, f->fields, bytes);
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

/* Of several probes at one place the kernel calls the one that was enabled last first. So those
 * that come last are enabled first. */
static int switch_all_on(struct trace *t, bool comes_last, struct trawl_error *err)
{
	for (size_t i = 0; i < t->nevents; i++) {
		const struct trace_event *e = &t->events[i];

		if (e->comes_last == comes_last && switch_on(t, e->group, e->name, err))
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

/* Discards the events that came while sources were started one by one: a buffer may be full of
 * them. */
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
 * Returns how many of the missing hits are of events with strings, whose records the kernel drops
 * if they are too long; 0 if not known. Losses of a full buffer are not counted by event, so the
 * number is known only if no event without strings misses hits.
 */
static uint64_t of_long_strings(const struct trace *t, uint64_t missing)
{
	uint64_t texts = 0, others = 0;

	for (size_t i = 0; i < t->nevents; i++) {
		const struct trace_event *e = &t->events[i];
		uint64_t is_short = e->hits > e->count ? e->hits - e->count : 0;
		bool text = false;

		for (uint32_t k = 0; k < e->nfields; k++)
			text |= e->fields[k].place != TRAWL_FIXED;
		*(text ? &texts : &others) += is_short;
	}
	if (t->lost && others)
		return 0;
	return texts < missing ? texts : missing;
}

/*
 * Reports hits that are neither captured nor lost. The kernel counts the hits of all processes. If
 * it drops some by a scope or filter, a note has the number of missing hits; otherwise they are
 * losses.
 */
static void missing_hits(struct trace *t, uint64_t now)
{
	const struct options *o = session_options(t->in->session);
	uint64_t seen = t->captured + t->lost + t->others + t->outside, missing, others;
	uint64_t too_long;
	bool long_strings = t->filtered && t->largest >= LONG_RECORD;
	struct trawl_error ignored;

	if (!t->hits_known || o->count)
		return;
	missing = t->hits > seen ? t->hits - seen : 0;
	too_long = t->filtered ? 0 : of_long_strings(t, missing);
	others = t->others + (t->filtered ? missing : 0);
	if (too_long) {
		trace_lose(t, NULL, (struct trawl_loss){ .from = t->since, .to = now,
			.count = too_long, .reason = TRAWL_LOSS_TOO_LONG }, &ignored);
		session_note(t->in->session,
			     "%s: %" PRIu64 " events had more than 4 KB of strings, which the "
					    "kernel drops; record the beginning of a string with "
					    ":char[64] instead of :string",
			     t->in->source->name, too_long);
	}
	if (missing > too_long && !t->filtered)
		trace_lose(t, NULL, (struct trawl_loss){ .from = t->since, .to = now,
			.count = missing - too_long, .reason = TRAWL_LOSS_MISSED }, &ignored);
	if (others && (long_strings || o->verbose))
		session_note(t->in->session,
			     "%s: %" PRIu64 " hits are not in the file: of processes that are not "
			     "recorded%s", t->in->source->name, others, long_strings ?
			     ", or of events with strings of over 4 KB together, which the kernel "
			     "drops" : "");
}

/* Writes the losses that are in the kernel's counters but in no flag, and those of missing hits. */
static void final_losses(struct trace *t)
{
	struct trawl_error ignored;
	uint64_t now = mono_now();

	for (size_t i = 0; i < t->ncpus; i++) {
		struct trace_cpu *c = &t->cpus[i];
		struct trawl_loss losses[3];
		struct loss_stats s;
		size_t n;

		if (!trace_read_stats(t, c, &s))
			continue;
		n = loss_remainder(&s, c->flagged, losses);
		for (size_t k = 0; k < n; k++)
			trace_lose(t, c, (struct trawl_loss){ .from = c->last, .to = now,
				.count = losses[k].count, .reason = losses[k].reason }, &ignored);
		c->flagged = s.overrun;
	}
	for (size_t i = 0; i < t->ncpus && session_options(t->in->session)->verbose; i++) {
		if (t->cpus[i].lost)
			session_note(t->in->session, "%s: CPU %u lost %" PRIu64 " events",
				     t->in->source->name, t->cpus[i].cpu, t->cpus[i].lost);
	}
	if (t->unpaired)
		trace_lose(t, NULL, (struct trawl_loss){ .from = t->since, .to = now,
			.count = t->unpaired, .reason = TRAWL_LOSS_UNPAIRED }, &ignored);
	missing_hits(t, now);
	if (t->unknown)
		session_incomplete(t->in->session,
				   "%s: %" PRIu64 " records match no known event and were dropped",
				   t->in->source->name, t->unknown);
}

/* Writes the symbols of this source's events, even if another source has written metadata of that
 * name. */
static void write_symbols(struct trace *t)
{
	struct trawl_error err;

	if (t->kallsyms.n != t->nsymbols) {
		free(t->symbols);
		t->symbols = kallsyms_text(&t->kallsyms, &t->symbols_len);
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
	final_losses(t);
	write_symbols(t);
	stats->captured = t->captured;
	stats->lost = t->lost;
	stats->uncounted = t->uncounted;
	stats->hits = t->hits_known ? t->hits : 0;
}

static void free_events(struct trace *t)
{
	for (size_t i = 0; i < t->nevents; i++) {
		free(t->events[i].group);
		free(t->events[i].name);
		free(t->events[i].display);
		free(t->events[i].request);
		free(t->events[i].filter);
		free(t->events[i].fields);
		free(t->events[i].texts);
	}
	free(t->events);
	free(t->snapped);
	for (size_t i = 0; i < t->ncompanions; i++)
		free(t->companions[i]);
	free(t->companions);
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
		tracefs_write(t->dir, "events/enable", "0", &err);
		if (gc_remove_group(t->top, t->name, &err))
			session_note(in->session, "%s", err.text);
		close(t->dir);
		if (gc_remove_instance(t->top, t->name, &err))
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
