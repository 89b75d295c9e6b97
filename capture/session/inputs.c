/* SPDX-License-Identifier: MIT */
#include "config.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "capture/cli/spec.h"
#include "common/array.h"
#include "capture/session/inputs.h"
#include "capture/session.h"

/* The input of a source, made on first call for it. */
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

	return source && source->scoped && (o->npids || o->command) ? source->scoped(*spec) : source;
}

int inputs_make(struct input **inputs, size_t *n, const struct options *o, struct session *s,
		struct trawl_error *err)
{
	const struct source *source;
	const char *spec;
	bool tasks = false;

	for (size_t i = 0; i < o->ninterfaces; i++) {
		source = source_find("-i", o->interfaces[i], &spec, err);
		if (!source)
			return -1;
		tasks |= source->tasks;
	}
	for (size_t i = 0; sources[i]; i++) {
		if (sources[i]->hidden && tasks && !input_of(inputs, n, sources[i], s))
			return trawl_fail(err, TRAWL_CANNOT, "out of memory");
	}
	for (size_t i = 0; i < o->ninterfaces; i++) {
		source = source_of(o->interfaces[i], o, &spec, err);
		if (add_spec(input_of(inputs, n, source, s), spec, err))
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

/* Can it be read at all? usb and synth have grammars of their own. */
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
	/* What the user mistyped comes before what this machine lacks. */
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
		if (inputs[i].source->tasks)
			return true;
	}
	return false;
}
