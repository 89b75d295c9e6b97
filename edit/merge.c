/* SPDX-License-Identifier: MIT */
/*
 * Files of the same boot share CLOCK_MONOTONIC, so the origin of the first one is used for all.
 * Files of different boots or machines have only the wall clock in common. The largest difference
 * between two wall clocks is known if the kernel reported the maximum error of both.
 */
#include "edit/merge.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

#include "common/sources.h"
#include "decode/base/jdoc.h"

/* A wall clock below this was never set: it starts in 1970. */
#define YEAR_2000 UINT64_C(946684800000000000)

static void read_machine(struct merge_section *s, const struct trawl_meta *m)
{
	struct json_object *j = jdoc_parse(m->data, m->len);

	snprintf(s->boot, sizeof(s->boot), "%s", jdoc_string(j, "boot_id"));
	snprintf(s->host, sizeof(s->host), "%s", jdoc_string(j, "hostname"));
	s->error = jdoc_uint(j, "clock_error_ns", UINT64_MAX);
	json_object_put(j);
}

/*
 * If the wall clock was set during the capture, its error is unknown by the size of that step.
 * Returns the size of the largest step, ns.
 */
static uint64_t largest_step(const struct trawl_reader *r, uint32_t section)
{
	const struct trawl_sync *first = NULL;
	uint64_t largest = 0;

	for (size_t i = 0; i < trawl_sync_count(r); i++) {
		const struct trawl_sync *y = trawl_sync_at(r, i);
		uint64_t real, mono, off;

		if (y->section != section)
			continue;
		first = first ? first : y;
		real = y->real - first->real;
		mono = y->mono - first->mono;
		off = real > mono ? real - mono : mono - real;
		largest = off > largest ? off : largest;
	}
	return largest;
}

/*
 * Without clock-syncs, as in a pcap file, time stamps after 2000 are taken for those of a wall
 * clock.
 */
static bool looks_like_wall(const struct cut *c, uint32_t section)
{
	uint64_t first = UINT64_MAX;

	for (size_t i = 0; i < c->n; i++)
		if (!c->entries[i].p.sync && c->entries[i].p.section == section &&
		    c->entries[i].p.from < first)
			first = c->entries[i].p.from;
	return first >= YEAR_2000;
}

/* Returns the MACHINE that the sources of a section have in their names; "": none. */
static const char *called(const struct trawl_reader *r, uint32_t section)
{
	const char *found = "";

	for (uint16_t i = 0; i < 256 && !*found; i++) {
		const struct trawl_source *source = trawl_section_source(r, section, i);

		found = source ? source_machine(source->name) : "";
	}
	return found;
}

int merge_read_clocks(struct merge_file *f, struct trawl_error *err)
{
	const struct trawl_reader *r = f->cut.r;

	f->n = trawl_section_count(r);
	f->sections = calloc(f->n + 1, sizeof(*f->sections));
	if (!f->sections)
		return edit_no_memory(err);
	for (uint32_t i = 0; i < f->n; i++) {
		struct merge_section *s = &f->sections[i];

		/* a section without metadata is of the same boot as the preceding one */
		if (i && !strcmp(called(r, i), s[-1].called))
			*s = s[-1];
		s->called = called(r, i);
		s->joined = trawl_section_timeline(r, i);
		s->error = UINT64_MAX;
		s->synced = false;
		s->origin = s->before = trawl_section_time(f->cut.r, i, TRAWL_CLOCK_MONO, 0);
	}
	for (size_t i = 0; i < trawl_meta_count(r); i++) {
		const struct trawl_meta *m = trawl_meta_at(r, i);

		if (!strcmp(m->name, "machine") && m->section < f->n)
			read_machine(&f->sections[m->section], m);
	}
	for (size_t i = 0; i < trawl_sync_count(r); i++) {
		const struct trawl_sync *y = trawl_sync_at(r, i);
		struct merge_section *s = &f->sections[y->section];

		s->before -= s->synced ? 0 : y->real - y->mono;
		s->synced = true;
	}
	for (uint32_t i = 0; i < f->n; i++) {
		struct merge_section *s = &f->sections[i];
		uint64_t step = largest_step(r, i);

		s->wall = s->synced ? s->origin >= YEAR_2000 : looks_like_wall(&f->cut, i);
		if (s->error != UINT64_MAX)
			s->error += step;
	}
	return 0;
}

static bool same_boot(const struct merge_section *a, const struct merge_section *b)
{
	return *a->boot && !strcmp(a->boot, b->boot) && a->synced && b->synced;
}

/*
 * The first section of the same boot in all files; the section itself if it is the first. *file:
 * the file it is in.
 */
static const struct merge_section *base_of(const struct merge_file *f, size_t n,
					   const struct merge_section *s, size_t *file)
{
	for (size_t i = 0; i < n; i++)
		for (size_t k = 0; k < f[i].n; k++)
			if (&f[i].sections[k] == s || same_boot(&f[i].sections[k], s)) {
				*file = i;
				return &f[i].sections[k];
			}
	return s;
}

static int refuse(const struct merge_file *f, const struct merge_section *s,
		  struct trawl_error *err)
{
	if (s->synced)
		return trawl_fail(err, TRAWL_USAGE,
				  "%s: cannot be related to the others: its wall clock had not "
				  "been set; give --shift %s=TIME, which is added to its times",
				  f->name, f->name);
	return trawl_fail(err, TRAWL_USAGE,
			  "%s: cannot be related to the others: it has no clock-syncs, and its "
			  "times are of no wall clock; give --shift %s=TIME, which is added to its "
			  "times",
			  f->name, f->name);
}

/* Whether an earlier first section of a boot has the name in the output, or sources with it. */
static bool is_taken(const struct merge_file *f, size_t n, const struct merge_section *s,
		     const char *name)
{
	for (size_t i = 0; i < n; i++)
		for (size_t k = 0; k < f[i].n; k++) {
			const struct merge_section *o = &f[i].sections[k];

			if (o == s)
				return false;
			if (!strcmp(o->machine, name) || (!o->joined && !strcmp(o->called, name)))
				return true;
		}
	return false;
}

/*
 * The number of earlier sections with the name NAME or NAME#K in the output: trying each K from 2
 * on takes too long in a file of many sections.
 */
static size_t like(const struct merge_file *f, size_t n, const struct merge_section *s,
		   const char *name)
{
	size_t len = strlen(name), found = 0;

	for (size_t i = 0; i < n; i++)
		for (size_t k = 0; k < f[i].n; k++) {
			const char *machine = f[i].sections[k].machine;

			if (&f[i].sections[k] == s)
				return found;
			found += !strncmp(machine, name, len) &&
				 (!machine[len] || machine[len] == '#');
		}
	return found;
}

/*
 * Chooses MACHINE in the sources' names NAME@MACHINE, of the first section of a boot: distinct for
 * each. An earlier merge's is kept if it is.
 */
static void name_machine(const struct merge_file *f, size_t n, struct merge_section *s, size_t file)
{
	const char *name = f[file].name, *slash = strrchr(name, '/');
	char first[81];
	size_t k;

	name = slash ? slash + 1 : name;
	if (s->joined && *s->called)
		snprintf(first, sizeof(first), "%.80s", s->called);
	else if (*s->host)
		snprintf(first, sizeof(first), "%s", s->host);
	else
		snprintf(first, sizeof(first), "%.*s", (int)strcspn(name, "."), name);
	for (char *p = first; *p; p++)
		if (strchr("@/, *?[", *p) || (unsigned char)*p < 32)
			*p = '_';
	k = like(f, n, s, first);
	snprintf(s->machine, sizeof(s->machine), "%s", first);
	for (k = k ? k + 1 : 2; is_taken(f, n, s, s->machine); k++)
		snprintf(s->machine, sizeof(s->machine), "%s#%zu", first, k);
}

/*
 * Text to be added to names NAME@INTERFACE, which an import gave: "", or another one for each
 * boot with such names.
 */
static void name_interfaces(const struct merge_file *f, size_t n, const struct merge_section *s,
			    char *room, size_t size)
{
	size_t earlier = 0;

	*room = '\0';
	for (size_t i = 0; i < n; i++)
		for (size_t k = 0; k < f[i].n; k++) {
			const struct merge_section *o = &f[i].sections[k];

			if (o == s && earlier && *s->called && !s->joined)
				snprintf(room, size, "#%zu", earlier + 1);
			if (o == s)
				return;
			earlier += *o->machine && (!strcmp(o->machine, s->called) ||
						   (!o->joined && !strcmp(o->called, s->called)));
		}
}

static void set_relation(struct merge_file *f, const char *by, int64_t moved, const char *bound,
			 bool first)
{
	char doubt[80] = "";

	if (first) {
		snprintf(f->relation, sizeof(f->relation), "the timeline is its");
		return;
	}
	if (*bound == '-')
		snprintf(doubt, sizeof(doubt), "; their distance is unknown");
	else if (*bound != '0')
		snprintf(doubt, sizeof(doubt), ", which are at most %.3f ms apart",
			 strtod(bound, NULL) / 1e6);
	if (!strcmp(by, "boot"))
		snprintf(f->relation, sizeof(f->relation),
			 "by the monotonic clock of the same boot");
	else if (!strcmp(by, "hand"))
		snprintf(f->relation, sizeof(f->relation), "moved by %+.9f s, by hand",
			 (double)moved / 1e9);
	else
		snprintf(f->relation, sizeof(f->relation), "by the wall clocks%s", doubt);
}

/* What is merged, as one timeline. */
struct timeline {
	struct merge_file *files;
	size_t n;
	uint64_t number; /* that the sections share */
	bool several;    /* the sections are of more than one machine */
};

/* Moves section i of a file onto the first section's timeline. */
static int relate(const struct timeline *t, size_t file, size_t i, struct trawl_error *err)
{
	struct merge_file *f = t->files;
	const struct merge_section *s = &f[file].sections[i], *base, *first = &f->sections[0];
	struct cut_joined *j = &f[file].cut.joined[i];
	int64_t moved = f[file].by_hand ? f[file].shift : 0;
	const char *by = "boot";
	size_t owner = file;
	char bound[32] = "-", json[64] = "";

	base = base_of(f, t->n, s, &owner);
	if (base != s)
		moved = (int64_t)((uint64_t)moved + base->origin - s->origin);
	if (f[file].by_hand) {
		by = "hand";
	} else if (!same_boot(base, first) && base != first) {
		by = "wall clock";
		if (!base->wall)
			return refuse(&f[file], base, err);
		if (!first->wall && !f->by_hand)
			return refuse(f, first, err);
		if (base->error != UINT64_MAX && first->error != UINT64_MAX)
			snprintf(bound, sizeof(bound), "%" PRIu64, base->error + first->error);
	} else {
		snprintf(bound, sizeof(bound), "0");
	}
	snprintf(j->machine, sizeof(j->machine), "%s", base->machine);
	j->joined = s->joined;
	name_interfaces(f, t->n, base, j->interfaces, sizeof(j->interfaces));
	snprintf(j->timeline, sizeof(j->timeline), "%016" PRIx64 " %" PRId64 " %s", t->number,
		 (int64_t)((uint64_t)moved + s->before), bound);
	if (*bound != '-')
		snprintf(json, sizeof(json), ",\"bound_ns\":%s", bound);
	set_relation(&f[file], by, moved, bound, file == 0 && i == 0);
	snprintf(j->how, sizeof(j->how), "{\"machine\":\"%s\",\"by\":\"%s\",\"moved_ns\":%" PRId64
		 "%s}", j->machine, by, moved, json);
	return 0;
}

int merge_relate(struct merge_file *f, size_t n, struct trawl_error *err)
{
	struct timeline t = { .files = f, .n = n };
	size_t file;

	while (!t.number)
		if (getrandom(&t.number, sizeof(t.number), 0) != sizeof(t.number))
			t.number = (uint64_t)(uintptr_t)f;
	for (size_t i = 0; i < n; i++)
		for (size_t k = 0; k < f[i].n; k++)
			t.several |= base_of(f, n, &f[i].sections[k], &file) != &f->sections[0];
	for (size_t i = 0; t.several && i < n; i++)
		for (size_t k = 0; k < f[i].n; k++)
			if (base_of(f, n, &f[i].sections[k], &file) == &f[i].sections[k])
				name_machine(f, n, &f[i].sections[k], i);
	for (size_t i = 0; i < n; i++) {
		f[i].cut.joined = calloc(f[i].n + 1, sizeof(*f[i].cut.joined));
		if (!f[i].cut.joined)
			return edit_no_memory(err);
		for (size_t k = 0; k < f[i].n; k++)
			if (relate(&t, i, k, err))
				return -1;
	}
	return 0;
}
