/* SPDX-License-Identifier: MIT */
#include "config.h"
#include "common/caret.h"
#include "common/array.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "capture/kernel/histpair.h"
#include "capture/sys/clock.h"
#include "capture/tracefs/tracefs.h"
#include "capture/trace/losses.h"

/*
 * Entries of a map. A key that has come once keeps its entry. The kernel allocates about 100 bytes
 * for each entry when the trigger is set; its limit is 2^17.
 */
enum { MAP_SIZE = 32768, TEXT_MAX = 3072 };

int hist_pair_field(struct hist_pair *c, const char *name, const struct trawl_field *f, bool of_end,
		struct trawl_error *err)
{
	bool is_signed = f->kind == TRAWL_INT || f->kind == TRAWL_PID;
	struct hist_pair_field *field;

	for (size_t i = 0; i < c->nfields; i++)
		if (!strcmp(c->fields[i].name, name))
			return 0;
	if (c->nfields == HIST_PAIR_FIELDS_MAX)
		return trawl_fail(err, TRAWL_USAGE, "%s.%s: more than %d fields to keep",
				  c->start_group, c->start_event, HIST_PAIR_FIELDS_MAX);
	field = &c->fields[c->nfields];
	if (f->kind == TRAWL_TEXT && f->place == TRAWL_FIXED)
		snprintf(field->type, sizeof(field->type), "char[%u]", f->count);
	else if (f->kind == TRAWL_TEXT)
		snprintf(field->type, sizeof(field->type), "char[]");
	else if (f->place == TRAWL_FIXED && f->count == 1 && f->kind != TRAWL_BYTES)
		snprintf(field->type, sizeof(field->type), "%c%u", is_signed ? 's' : 'u',
			 8 * f->size);
	else
		return trawl_fail(err, TRAWL_USAGE, "%s.%s: %s is neither a number nor a text: the "
				  "kernel cannot keep it", of_end ? c->end_group : c->start_group,
				  of_end ? c->end_event : c->start_event, f->name);
	snprintf(field->name, sizeof(field->name), "%s", name);
	snprintf(field->value, sizeof(field->value), "%s", f->name);
	field->of_end = of_end;
	c->nfields++;
	return 0;
}

int hist_pair_latency(struct hist_pair *c, struct trawl_error *err)
{
	static const struct trawl_field time = { .name = "common_timestamp", .kind = TRAWL_UINT,
						 .size = 8, .count = 1 };

	if (hist_pair_field(c, "latency", &time, false, err))
		return -1;
	c->fields[c->nfields - 1].latency = true;
	return 0;
}

/* Appends to a text of TEXT_MAX bytes. If it does not fit, hist_pair_make() fails. */
static void add(char *text, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

static void add(char *text, const char *fmt, ...)
{
	size_t used = strlen(text);
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text + used, TEXT_MAX - used, fmt, ap);
	va_end(ap);
}

static int define(struct trace *t, const struct hist_pair *c, struct trawl_error *err)
{
	char text[TEXT_MAX] = "", what[160];
	int column, saved;

	add(text, "s:%s ", c->synthetic);
	for (size_t i = 0; i < c->nfields; i++) {
		const char *array = strchr(c->fields[i].type, '[');

		/* The length of an array comes after the name. */
		add(text, "%s%.*s %s%s", i ? "; " : "",
		    (int)strcspn(c->fields[i].type, "["), c->fields[i].type, c->fields[i].name,
		    array ? array : "");
	}
	if (!tracefs_write(t->top, "dynamic_events", text, err))
		return 0;
	saved = errno;
	if (tracefs_error(t->top, text + 2, what, sizeof(what), &column))
		return trawl_fail(err, TRAWL_CANNOT,
				  "the kernel refuses a synthetic event: %s\n    %s", what, text);
	return trawl_fail(err, TRAWL_CANNOT, "the kernel refuses a synthetic event: %s\n    %s",
			  strerror(saved), text);
}

static int set_trigger(struct trace *t, const char *group, const char *event, const char *text,
		       struct trawl_error *err)
{
	char path[192], what[160];
	int column, saved;

	snprintf(path, sizeof(path), "events/%s/%s/trigger", group, event);
	if (strlen(text) + 1 >= TEXT_MAX)
		return trawl_fail(err, TRAWL_USAGE, "%s.%s: too many or too long fields to keep",
				  group, event);
	if (!tracefs_write(t->dir, path, text, err))
		return 0;
	saved = errno;
	/* error_log has the command without its filter. */
	if (tracefs_error(t->dir, text, what, sizeof(what), &column))
		return caret_fail(err, TRAWL_CANNOT, text, column > 0 ? (size_t)column : 0,
				  "%s.%s: the kernel refuses a hist trigger: %s", group, event,
				  what);
	return trawl_fail(err, TRAWL_CANNOT,
			  "%s.%s: the kernel refuses a hist trigger (%s)\n    %s", group, event,
			  strerror(saved), text);
}

static void start_text(const struct hist_pair *c, unsigned int number, char *text)
{
	const char *separator = ":";

	add(text, "hist:keys=%s", c->start_key);
	for (size_t i = 0; i < c->nfields; i++) {
		if (c->fields[i].of_end)
			continue;
		add(text, "%sv%u_%zu=%s", separator, number, i,
		    c->fields[i].latency ? "common_timestamp" : c->fields[i].value);
		separator = ",";
	}
	add(text, ":size=%d:clock=mono", MAP_SIZE);
	if (*c->start_filter)
		add(text, " if %s", c->start_filter);
}

static bool is_text(const struct hist_pair_field *f)
{
	return !strncmp(f->type, "char[", 5);
}

/*
 * Numbers of END are passed as variables: a plain field loses its sign, and the kernel refuses a
 * field whose sign differs from the synthetic event's.
 */
static void end_text(const struct hist_pair *c, unsigned int number, char *text)
{
	const char *separator = ":";

	add(text, "hist:keys=%s", c->end_key);
	for (size_t i = 0; i < c->nfields; i++) {
		if (c->fields[i].of_end && is_text(&c->fields[i]))
			continue;
		add(text, "%sw%u_%zu=", separator, number, i);
		if (c->fields[i].of_end)
			add(text, "%s", c->fields[i].value);
		else
			add(text, "%s$v%u_%zu", c->fields[i].latency ? "common_timestamp-" : "",
			    number, i);
		separator = ",";
	}
	add(text, ":size=%d:clock=mono:onmatch(%s.%s).trace(%s", MAP_SIZE, c->start_group,
	    c->start_event, c->synthetic);
	for (size_t i = 0; i < c->nfields; i++) {
		if (c->fields[i].of_end && is_text(&c->fields[i]))
			add(text, ",%s", c->fields[i].value);
		else
			add(text, ",$w%u_%zu", number, i);
	}
	add(text, ")");
	if (*c->end_filter)
		add(text, " if %s", c->end_filter);
}

/* Keeps a copy of the pair in t, for hist_pair_disarm(). */
static struct hist_pair *keep(struct trace *t, const struct hist_pair *c, struct trawl_error *err)
{
	struct hist_pair *kept;

	if (!array_grow(t->hist_pairs, t->nhist_pairs)) {
		trawl_fail(err, TRAWL_CANNOT, "out of memory");
		return NULL;
	}
	kept = &t->hist_pairs[t->nhist_pairs++];
	*kept = *c;
	kept->start_filter = kept->end_filter = NULL; /* owned by the caller */
	return kept;
}

/*
 * Prevents the removal of the event's module. A hist trigger takes no reference to it: if the
 * module is removed, the kernel warns, and the synthetic event and the instance can never be
 * removed. A probe on the event, which is never enabled, takes a reference. Failures are ignored:
 * built-in events and probes need no reference, and the kernel may refuse the probe.
 */
static void keep_module(struct trace *t, const char *group, const char *event, const char *name,
			unsigned int number)
{
	struct trawl_error ignored;
	char text[256];

	snprintf(text, sizeof(text), "e:%s/%s_%u %s.%s", t->name, name, number, group, event);
	tracefs_write(t->top, "dynamic_events", text, &ignored);
}

/* Sets a trigger and keeps its text, without which it could not be removed. */
static int hang_trigger(struct trace *t, const char *group, const char *event, const char *text,
			char **kept, struct trawl_error *err)
{
	char *copy = strdup(text);

	if (!copy)
		return trawl_fail(err, TRAWL_CANNOT, "out of memory");
	if (set_trigger(t, group, event, text, err)) {
		free(copy);
		return -1;
	}
	*kept = copy;
	return 0;
}

int hist_pair_make(struct trace *t, struct hist_pair *c, unsigned int number,
		   struct trawl_error *err)
{
	char text[TEXT_MAX] = "";
	struct hist_pair *kept;

	snprintf(c->synthetic, sizeof(c->synthetic), "%.55s_%u", t->name, number);
	kept = keep(t, c, err);
	/* While tracing_on is 0, triggers get times of another clock. */
	if (!kept || define(t, c, err) || tracefs_write(t->dir, "tracing_on", "1", err))
		return -1;
	if (!t->paired_since)
		t->paired_since = mono_now();
	if (strcmp(c->start_group, "syscalls")) {
		keep_module(t, c->start_group, c->start_event, "keep_start", number);
		keep_module(t, c->end_group, c->end_event, "keep_end", number);
	}
	start_text(c, number, text);
	if (hang_trigger(t, c->start_group, c->start_event, text, &kept->start_trigger, err))
		return -1;
	text[0] = '\0';
	end_text(c, number, text);
	return hang_trigger(t, c->end_group, c->end_event, text, &kept->end_trigger, err);
}

static void unset_trigger(struct trace *t, const char *group, const char *event, const char *text)
{
	struct trawl_error ignored;
	char path[192], *command;

	if (!text || asprintf(&command, "!%s", text) < 0)
		return;
	snprintf(path, sizeof(path), "events/%s/%s/trigger", group, event);
	tracefs_write(t->dir, path, command, &ignored);
	free(command);
}

void hist_pair_disarm(struct input *in)
{
	struct trace *t = in->state;
	struct trawl_error ignored;
	char command[192];

	if (t && t->dir >= 0 && t->nhist_pairs)
		tracefs_write(t->dir, "events/enable", "0", &ignored);
	for (size_t i = 0; t && t->nhist_pairs && i < t->nevents; i++) {
		if (strcmp(t->events[i].group, t->name))
			continue;
		snprintf(command, sizeof(command), "-:%.70s/%.70s", t->name, t->events[i].name);
		tracefs_write(t->top, "dynamic_events", command, &ignored);
	}
	for (size_t i = t ? t->nhist_pairs : 0; i-- > 0;) {
		struct hist_pair *c = &t->hist_pairs[i];

		unset_trigger(t, c->end_group, c->end_event, c->end_trigger);
		unset_trigger(t, c->start_group, c->start_event, c->start_trigger);
		free(c->end_trigger);
		free(c->start_trigger);
	}
	trace_disarm(in);
}

/* Returns the sum of the "Dropped: N" lines in an event's hist file. */
static uint64_t dropped(struct trace *t, const char *group, const char *event)
{
	static const char label[] = "\n    Dropped: ";
	struct trawl_error ignored;
	char path[192], *text, *at;
	uint64_t sum = 0;

	snprintf(path, sizeof(path), "events/%s/%s/hist", group, event);
	text = tracefs_read(t->dir, path, NULL, &ignored);
	for (at = text; at && (at = strstr(at, label)); at++)
		sum += strtoull(at + sizeof(label) - 1, NULL, 10);
	free(text);
	return sum;
}

/*
 * Counts as lost what the maps dropped: each is a START without its END or an END without its
 * START.
 */
void hist_pair_stats(struct input *in, struct source_stats *stats)
{
	struct trace *t = in->state;
	struct trawl_error ignored;

	for (size_t i = 0; t && t->source >= 0 && i < t->nhist_pairs; i++) {
		const struct hist_pair *c = &t->hist_pairs[i];
		uint64_t n = dropped(t, c->start_group, c->start_event) +
			     dropped(t, c->end_group, c->end_event);

		if (n)
			trace_lose(t, NULL, (struct trawl_loss){ .from = t->since, .to = mono_now(),
				.count = n, .reason = TRAWL_LOSS_MAP }, &ignored);
	}
	trace_stats(in, stats);
}
