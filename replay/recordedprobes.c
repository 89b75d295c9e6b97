/* SPDX-License-Identifier: MIT */
#include "replay/recordedprobes.h"
#include "common/array.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "decode/base/jdoc.h"

/* The size of values of this type, as stapsdt notes write it; NULL: it is no number. */
static const char *size_of_type(const char *type)
{
	static const struct { const char *type, *size;
	} types[] = {
		{"u8", "1"},   {"u16", "2"},  {"u32", "4"},  {"u64", "8"},  {"s8", "-1"},
		{"s16", "-2"}, {"s32", "-4"}, {"s64", "-8"}, {"x8", "1"},   {"x16", "2"},
		{"x32", "4"},  {"x64", "8"},  {"f32", "4f"}, {"f64", "8f"},
	};

	for (size_t i = 0; i < ARRAY_SIZE(types); i++)
		if (!strcmp(type, types[i].type))
			return types[i].size;
	return NULL;
}

/* Takes the size from a note, "-4@%esi"; false if it has none, as of an ARG that the user wrote. */
static bool size_of_note(char size[8], const char *note)
{
	size_t n = strcspn(note, "@");

	if (note[n] != '@' || !n || n >= 5 || strspn(note, "-0123456789f") < n)
		return false;
	snprintf(size, 8, "%.*s", (int)n, note);
	return true;
}

/* Argument i at a site; NULL: the site has none. */
static const struct json_object *argument_at(const struct json_object *sites, size_t site, size_t i)
{
	const struct json_object *args;

	if (site >= jdoc_count(sites))
		return NULL;
	args = jdoc_get(json_object_array_get_idx(sites, site), "args");
	return i < jdoc_count(args) ? json_object_array_get_idx(args, i) : NULL;
}

/*
 * Sets the size of argument i as stapsdt notes write it. The sites of a probe may disagree: a
 * constant is an int ("-4@$0") where another site has a byte. Then that is it which was recorded.
 */
static void set_size(char size[8], const struct json_object *sites, size_t i)
{
	const struct json_object *first = argument_at(sites, 0, i);
	const char *recorded = size_of_type(jdoc_string(first, "type"));

	for (size_t k = 0; recorded && k < jdoc_count(sites); k++)
		if (size_of_note(size, jdoc_string(argument_at(sites, k, i), "note")) &&
		    !strcmp(size, recorded))
			return;
	if (!size_of_note(size, jdoc_string(first, "note")))
		snprintf(size, 8, "%s", recorded ? recorded : "8");
}

static int add_probe(struct recorded_probes *p, const struct json_object *o)
{
	const struct json_object *sites = jdoc_get(o, "sites");
	const struct json_object *site =
		jdoc_count(sites) ? json_object_array_get_idx(sites, 0) : NULL;
	const struct json_object *args = jdoc_get(site, "args");
	struct sdt_probe *sdt;
	struct recorded_probe *probe;

	if (!array_grow(p->sdt, p->n) || !array_grow(p->probes, p->n))
		return -1;
	sdt = &p->sdt[p->n];
	probe = &p->probes[p->n++];
	memset(sdt, 0, sizeof(*sdt));
	memset(probe, 0, sizeof(*probe));
	snprintf(sdt->provider, sizeof(sdt->provider), "%s", jdoc_string(o, "provider"));
	snprintf(sdt->name, sizeof(sdt->name), "%s", jdoc_string(o, "probe"));
	snprintf(probe->event, sizeof(probe->event), "%s", jdoc_string(o, "event"));
	for (size_t i = 0; i < jdoc_count(args) && i < SDT_ARGS; i++) {
		const struct json_object *a = json_object_array_get_idx(args, i);

		snprintf(probe->args[i], sizeof(probe->args[i]), "%s", jdoc_string(a, "name"));
		set_size(sdt->sizes[i], sites, i);
		sdt->nargs = (unsigned int)i + 1;
	}
	return 0;
}

struct recorded_probe *recordedprobes_find(const struct recorded_probes *p, const char *event)
{
	for (size_t i = 0; i < p->n; i++)
		if (!strcmp(p->probes[i].event, event))
			return &p->probes[i];
	return NULL;
}

int recordedprobes_read(struct recorded_probes *p, struct trawl_reader *r, const char *name,
			struct trawl_error *err)
{
	for (size_t i = 0; i < trawl_meta_count(r); i++) {
		const struct trawl_meta *m = trawl_meta_at(r, i);
		struct json_object *o =
			strncmp(m->name, "probe/", 6) ? NULL : jdoc_parse(m->data, m->len);
		int bad = 0;

		if (!strcmp(jdoc_string(o, "kind"), "usdt") &&
		    !recordedprobes_find(p, jdoc_string(o, "event")))
			bad = add_probe(p, o);
		json_object_put(o);
		if (bad)
			return trawl_fail(err, TRAWL_CANNOT, "out of memory");
	}
	return p->n ? 0
		    : trawl_fail(err, TRAWL_USAGE,
				 "%s: there are no static probes (usdt) in this capture; "
				 "trawl-decode -D lists what there is",
				 name);
}

void recordedprobes_free(struct recorded_probes *p)
{
	free(p->sdt);
	free(p->probes);
}
