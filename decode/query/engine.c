/* SPDX-License-Identifier: MIT */
/* Engines: one decoder for each kind of source, and for each machine of a merged file. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "common/array.h"
#include "common/sources.h"
#include "decode/base/task.h"
#include "decode/query/state.h"
#include "decode/query/stream.h"

static struct binding *bind(struct stream *s, uint16_t id)
{
	return array_extend(s->bindings, s->nbindings, id + 1u) ? &s->bindings[id] : NULL;
}

bool stream_wants(struct stream *s, const struct trawl_source *source)
{
	struct binding *b = bind(s, source->id);

	if (!b)
		return false;
	if (!b->checked) {
		b->checked = true;
		b->wanted = selection_source(s->selection, source->name);
	}
	return b->wanted;
}

/* What the decoders of a machine take before they keep anything of its events, at most. */
enum { MACHINE_BYTES = 96 << 10 };

static void machine_free(struct machine *m)
{
	if (m->counted)
		m->context.options->memory->used -= MACHINE_BYTES;
	tasks_free(m->context.tasks);
	trawl_close(m->context.reader);
	free(m->sections);
	free(m);
}

/* Hides the metadata of sections without a source of the machine. */
static bool hide_others(struct machine *m)
{
	struct trawl_reader *r = m->context.reader;

	m->nsections = trawl_section_count(r);
	m->sections = calloc(m->nsections + 1, sizeof(*m->sections));
	for (uint32_t i = 0; m->sections && i < m->nsections; i++)
		for (uint16_t k = 0; k < SOURCES && !m->sections[i]; k++) {
			const struct trawl_source *source = trawl_section_source(r, i, k);

			m->sections[i] =
				source && !strcmp(source_machine(source->name), m->name);
		}
	return m->sections && !trawl_hide_metas(r, m->sections);
}

static int machine_of(struct stream *s, const struct trawl_source *source, struct machine **found,
		      struct trawl_error *err)
{
	const char *name = source_machine(source->name);
	struct machine *m;

	for (m = s->machines; m && strcmp(m->name, name); m = m->next)
		;
	*found = m;
	if (m || !*name || !s->seekable)
		return 0;
	m = calloc(1, sizeof(*m));
	if (!m)
		return stream_no_memory(err);
	m->name = name;
	m->context.options = s->options;
	m->context.to = UINT64_MAX;
	if (trawl_memory_take(s->options->memory, MACHINE_BYTES, s->name, "decoders", err)) {
		free(m);
		return -1;
	}
	m->counted = s->options->memory;
	m->context.reader = stream_open_reader(s->path, s->options, err);
	if (m->context.reader) {
		m->context.tasks = tasks_new(m->context.reader);
		if (!m->context.tasks || !hide_others(m))
			stream_no_memory(err);
		else {
			m->next = s->machines;
			*found = s->machines = m;
			return 0;
		}
	}
	machine_free(m);
	return -1;
}

static struct engine *engine_for(struct stream *s, const struct decoder *d,
				 const struct trawl_source *source, struct trawl_error *err)
{
	struct machine *machine;
	int before = errno;
	struct engine *e;

	if (machine_of(s, source, &machine, err))
		return NULL;
	for (e = s->engines; e; e = e->next)
		if (e->decoder == d && e->machine == machine)
			return e;
	e = calloc(1, sizeof(*e));
	if (!e) {
		stream_no_memory(err);
		return NULL;
	}
	e->decoder = d;
	e->machine = machine;
	errno = 0;
	e->state = d->open(machine ? &machine->context : &s->context, err);
	if (!errno)
		errno = before;
	else if (e->state && errno == ENOMEM) {
		d->close(e->state);
		e->state = NULL;
		stream_no_memory(err);
	}
	if (!e->state) {
		free(e);
		return NULL;
	}
	s->holds |= d->advance != NULL;
	e->next = s->engines;
	s->engines = e;
	return e;
}

struct engine *stream_engine(struct stream *s, const struct trawl_source *source,
			     struct trawl_error *err)
{
	struct binding *b = bind(s, source->id);

	if (!b) {
		stream_no_memory(err);
		return NULL;
	}
	if (!b->engine)
		b->engine = engine_for(s, decoder_find(source), source, err);
	return b->engine;
}

const struct decoder *stream_decoder(struct stream *s, const struct trawl_source *source,
				     void **state, struct trawl_error *err)
{
	struct engine *e = stream_engine(s, source, err);

	*state = e ? e->state : NULL;
	return e ? e->decoder : NULL;
}

void stream_engines_free(struct stream *s)
{
	struct machine *m, *other;
	struct engine *e, *next;

	for (e = s->engines; e; e = next) {
		next = e->next;
		e->decoder->close(e->state);
		free(e);
	}
	for (m = s->machines; m; m = other) {
		other = m->next;
		machine_free(m);
	}
}
