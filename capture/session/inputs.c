/* SPDX-License-Identifier: MIT */
#include "config.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "capture/cli/spec.h"
#include "common/array.h"
#include "capture/session/inputs.h"
#include "capture/session.h"
#include "capture/sys/proc.h"
#include "capture/tracefs/tracefs.h"

/* Returns the input of a source, which the first call makes; NULL without memory. */
static struct input *input_of(struct input **inputs, size_t *n, const struct source *source,
			      struct session *s)
{
	for (size_t i = 0; i < *n; i++) {
		if ((*inputs)[i].source == source)
			return &(*inputs)[i];
	}
	if (!array_grow(*inputs, *n))
		return NULL;
	(*inputs)[*n] = (struct input){ .source = source, .session = s };
	return &(*inputs)[(*n)++];
}

static int add_spec(struct input *in, const char *spec, struct trawl_error *err)
{
	if (!in || !array_grow(in->specs, in->nspecs))
		return trawl_fail(err, TRAWL_CANNOT, "out of memory");
	in->specs[in->nspecs++] = spec;
	return 0;
}

static const struct source *source_of(const char *text, const struct options *o, const char **spec,
				      struct trawl_error *err)
{
	const struct source *source = source_find("-i", text, spec, err);

	return source && source->scoped && (o->npids || o->command) ? source->scoped(*spec)
								    : source;
}

static bool has_spec(const struct input *in, const char *spec)
{
	for (size_t i = 0; in && i < in->nspecs; i++) {
		if (!strcmp(in->specs[i], spec))
			return true;
	}
	return false;
}

static const char *besides(const struct source *source, const char *spec)
{
	return source && source->besides ? source->besides(spec) : NULL;
}

/* Sets *tasks if the source of a text needs the hidden ones. */
static int finds_tasks(const char *text, bool *tasks, struct trawl_error *err)
{
	const char *spec;
	const struct source *source = source_find("-i", text, &spec, err);

	if (!source)
		return -1;
	*tasks |= source->trace_events;
	text = besides(source, spec);
	return text ? finds_tasks(text, tasks, err) : 0;
}

static int add_text(struct input **inputs, size_t *n, const char *text, bool repeats,
		    struct session *s, struct trawl_error *err)
{
	const char *spec;
	const struct source *source = source_of(text, session_options(s), &spec, err);
	struct input *in;

	if (!source)
		return -1;
	text = besides(source, spec);
	if (text && add_text(inputs, n, text, false, s, err))
		return -1;
	in = input_of(inputs, n, source, s);
	return in && !repeats && has_spec(in, spec) ? 0 : add_spec(in, spec, err);
}

/*
 * Whether the events of tasks are recorded even if no source needs them: they tell when COMMAND
 * crashed, and in which thread. Where tracefs cannot be used, neither is known.
 */
static bool names_crash(const struct options *o)
{
	struct trawl_error ignored;
	int top = o->ring && o->command && !proc_is_nested() ? tracefs_open(&ignored) : -1;
	char *text = top >= 0 ? tracefs_read(top, "trace_clock", NULL, &ignored) : NULL;
	bool usable = text && !faccessat(top, "instances", W_OK, AT_EACCESS);

	free(text); /* it cannot be read under lockdown */
	if (top >= 0)
		close(top);
	return usable;
}

int inputs_make(struct input **inputs, size_t *n, const struct options *o, struct session *s,
		struct trawl_error *err)
{
	bool tasks = names_crash(o);

	for (size_t i = 0; i < o->ninterfaces; i++) {
		if (finds_tasks(o->interfaces[i], &tasks, err))
			return -1;
	}
	for (size_t i = 0; sources[i]; i++) {
		if (sources[i]->hidden && tasks && !input_of(inputs, n, sources[i], s))
			return trawl_fail(err, TRAWL_CANNOT, "out of memory");
	}
	for (size_t i = 0; i < o->ninterfaces; i++) {
		if (add_text(inputs, n, o->interfaces[i], true, s, err))
			return -1;
	}
	return 0;
}

void inputs_free(struct input *inputs, size_t n)
{
	for (size_t i = 0; i < n; i++)
		free(inputs[i].specs);
	free(inputs);
}

/* Checks the syntax. usb and synth parse their own texts. */
static int check_spec(const struct source *source, const char *text, struct trawl_error *err)
{
	char *whole = NULL;
	struct spec spec;
	int r;

	if (!source->spec_language)
		return 0;
	if (asprintf(&whole, "%s:%s", source->name, text) < 0)
		return trawl_fail(err, TRAWL_CANNOT, "out of memory");
	r = spec_parse(whole, &spec, err);
	spec_free(&spec);
	free(whole);
	return r;
}

int inputs_probe(const struct input *inputs, size_t n, struct trawl_error *err)
{
	/* Typing errors are reported before what this machine lacks. */
	for (size_t i = 0; i < n; i++)
		for (size_t k = 0; k < inputs[i].nspecs; k++)
			if (check_spec(inputs[i].source, inputs[i].specs[k], err))
				return -1;
	for (size_t i = 0; i < n; i++) {
		const struct source *source = inputs[i].source;

		if (source->probe && source->probe(err))
			return -1;
	}
	return 0;
}

bool inputs_use_tracefs(const struct input *inputs, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		if (inputs[i].source->trace_events)
			return true;
	}
	return false;
}
