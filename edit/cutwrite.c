/* SPDX-License-Identifier: MIT */
/*
 * Writes the part of a file that cut.c has planned: sources, event types, metadata, losses, and
 * each chunk as it is, in part, or as a loss.
 */
#include "edit/cut.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/sources.h"
#include "decode/base/output.h"

enum {
	EDGE_LEVEL = 19, /* zstd level of re-encoded chunks, unless another is chosen */
	BEST_LEVEL = 22,
	BEST_EVENTS = 1 << 19, /* largest chunk of `compact` */
	BEST_BYTES = 24 << 20,
};

struct section {
	struct cut *c;
	struct trawl_writer *w;
	uint32_t number;
	int sources[256]; /* source number in the file -> in the output; -1: not in it */
	struct branch_replacer marker;
};

static bool source_used(const struct cut *c, uint32_t section, uint16_t number)
{
	const struct trawl_source *s = trawl_section_source(c->r, section, number);

	return s && (cut_wants(c, s) || is_task_source(s->name));
}

/*
 * A chunk refers to an event type by its number within the source, so the numbers must stay. A type
 * without events is replaced by a placeholder.
 */
static int put_types(struct section *s, uint16_t number, struct trawl_error *err)
{
	const struct cut *c = s->c;
	const struct trawl_source *source = trawl_section_source(c->r, s->number, number);
	size_t n = trawl_section_type_count(c->r, s->number, number);
	uint32_t spare = UINT16_MAX, room = 0;

	for (uint32_t i = 0; i < source->ncommon; i++) {
		const struct trawl_field *f = &source->common[i];
		uint32_t end = f->offset + (uint32_t)f->size * f->count;

		room = end > room ? end : room;
	}
	for (size_t i = 0; i < n; i++) {
		const struct trawl_event_type *t = trawl_section_type(c->r, s->number, number, i);
		struct trawl_event_type type = {.name = "unused", .format = "", .size = room};

		type.id = t ? t->id : spare--;
		if (t && (c->all_metadata || is_task_source(source->name) ||
			  numbers_has(&c->needs.types, needs_type(s->number, number, t->id))))
			type = *t;
		type.source = (uint16_t)s->sources[number];
		if (trawl_writer_event_type(s->w, &type, err))
			return -1;
	}
	return 0;
}

/* Gives the name of a source "@MACHINE", or in place of that of an earlier merge. */
static const char *joined_name(const struct section *s, const char *name, char *room, size_t size)
{
	const struct cut_joined *j = s->c->joined ? &s->c->joined[s->number] : NULL;
	size_t n = strcspn(name, "@");

	if (!j || !*j->machine)
		return name;
	if (name[n] && !j->joined)
		snprintf(room, size, "%s%s", name, j->interfaces);
	else
		snprintf(room, size, "%.*s@%s", (int)n, name, j->machine);
	return room;
}

static int put_sources(struct section *s, struct trawl_error *err)
{
	struct trawl_source source;
	char name[256];

	for (uint16_t i = 0; i < 256; i++) {
		s->sources[i] = -1;
		if (!source_used(s->c, s->number, i))
			continue;
		source = *trawl_section_source(s->c->r, s->number, i);
		source.name = joined_name(s, source.name, name, sizeof(name));
		s->sources[i] = trawl_writer_source(s->w, &source, err);
		if (s->sources[i] < 0 || put_types(s, i, err))
			return -1;
	}
	return 0;
}

static int put_text(struct section *s, const char *name, const char *type, const char *text,
		    struct trawl_error *err)
{
	struct trawl_meta m = {.name = name, .type = type, .data = text, .len = strlen(text)};

	return trawl_writer_meta(s->w, &m, err);
}

/* The metadata probe/SOURCE/EVENT is renamed as its source is. */
static void rename_probe(const struct section *s, struct trawl_meta *m, char *room, size_t size)
{
	char source[256], name[256];
	const char *event;
	size_t n;

	if (!s->c->joined || strncmp(m->name, "probe/", 6))
		return;
	n = strcspn(m->name + 6, "/");
	event = m->name + 6 + n;
	if (!*event || n >= sizeof(source))
		return;
	snprintf(source, sizeof(source), "%.*s", (int)n, m->name + 6);
	snprintf(room, size, "probe/%s%s", joined_name(s, source, name, sizeof(name)), event);
	m->name = room;
}

static int put_joined(struct section *s, struct trawl_error *err)
{
	const struct cut_joined *j = s->c->joined ? &s->c->joined[s->number] : NULL;

	if (!j)
		return 0;
	return put_text(s, "timeline", "text/plain", j->timeline, err) ||
			       put_text(s, "timeline/how", "application/json", j->how, err)
		       ? -1
		       : 0;
}

static int put_metas(struct section *s, struct trawl_error *err)
{
	const struct cut *c = s->c;
	char probe[1024];

	for (size_t i = 0; i < trawl_meta_count(c->r); i++) {
		struct trawl_meta m = *trawl_meta_at(c->r, i);
		char *text = NULL;
		int ret;

		if (m.section != s->number || (c->joined && !strncmp(m.name, "timeline", 8)) ||
		    !cut_meta(c, &m, &text, &m.len))
			continue;
		rename_probe(s, &m, probe, sizeof(probe));
		if (text)
			m.data = text;
		ret = trawl_writer_meta(s->w, &m, err);
		free(text);
		if (ret)
			return -1;
	}
	if (c->from && cut_task_names(c, s->number, s->w, err))
		return -1;
	return c->chosen_names ? cut_chosen_names(c, s->number, s->w, err) : 0;
}

/* Returns the first time stamp in the loss's range that is not before `limit` on the timeline. */
static uint64_t first_at(const struct cut *c, const struct trawl_loss *l, enum trawl_clock clock,
			 uint64_t limit)
{
	uint64_t low = l->from, high = l->to;

	while (low < high) {
		uint64_t middle = low + (high - low) / 2;

		if (trawl_section_time(c->r, l->section, clock, middle) < limit)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/* Restricts a loss to the part. The number of lost events within the part is then unknown. */
static void clip_loss(const struct cut *c, struct trawl_loss *l, enum trawl_clock clock)
{
	bool begins = trawl_section_time(c->r, l->section, clock, l->from) >= c->from;
	bool ends = trawl_section_time(c->r, l->section, clock, l->to) < c->to;

	if (!begins)
		l->from = first_at(c, l, clock, c->from);
	if (!ends && l->to > l->from)
		l->to = first_at(c, l, clock, c->to) - 1;
	if (!begins || !ends)
		l->count = UINT64_MAX;
}

/*
 * Returns the number, in its section, of the source of a loss that overlaps the part; -1 if there
 * is none.
 */
static int loss_source(const struct cut *c, const struct trawl_loss *l)
{
	for (uint16_t n = 0; n < 256; n++) {
		const struct trawl_source *source = trawl_section_source(c->r, l->section, n);

		if (source_used(c, l->section, n) && source->id == l->source &&
		    trawl_section_time(c->r, l->section, source->clock, l->to) >= c->from &&
		    trawl_section_time(c->r, l->section, source->clock, l->from) < c->to)
			return n;
	}
	return -1;
}

static int put_losses(struct section *s, struct trawl_error *err)
{
	const struct cut *c = s->c;

	for (size_t i = 0; i < trawl_loss_count(c->r); i++) {
		struct trawl_loss l = *trawl_loss_at(c->r, i);
		int n = l.section == s->number ? loss_source(c, &l) : -1;

		if (n < 0)
			continue;
		clip_loss(c, &l, trawl_section_source(c->r, s->number, (uint16_t)n)->clock);
		l.source = (uint16_t)s->sources[n];
		if (trawl_writer_loss(s->w, &l, err))
			return -1;
	}
	return 0;
}

struct part_copy {
	struct section *section;
	const struct cut_entry *entry;
	const struct keep_chunk *begun, *torn; /* NULL: no event */
	uint16_t source;
};

static int copy_event(void *arg, struct trawl_event *ev, struct trawl_error *err)
{
	const struct part_copy *p = arg;
	bool front = false;

	if (p->entry->clipped &&
	    cut_clip_batch(p->section->c, p->entry, &p->section->marker, ev, &front, err))
		return -1;
	if (!front && p->begun && keep_has(p->begun, ev->place) &&
	    cut_mark_branches(&p->section->marker, ev, BRANCH_MARK_START, err))
		return -1;
	if (p->torn && keep_has(p->torn, ev->place) &&
	    cut_mark_branches(&p->section->marker, ev, BRANCH_MARK_LOST, err))
		return -1;
	return trawl_append(p->section->w,
			    &(struct trawl_record){p->source, ev->type->id, ev->cpu, ev->ts,
						   ev->record, ev->len},
			    err);
}

static int put_part(struct section *s, const struct cut_entry *e, struct trawl_error *err)
{
	struct part_copy p = {s, e, keep_find(&s->c->begun, e->p.section, e->p.at),
			      keep_find(&s->c->torn, e->p.section, e->p.at),
			      (uint16_t)s->sources[e->p.number]};
	const struct keep_chunk *some = e->take == CUT_PART ? cut_part(s->c, e) : NULL;
	const struct trawl_chunk *chunk;

	if (!trawl_piece_decode(s->c->r, &e->p, &chunk))
		return 0;
	return edit_some_events(chunk, some, copy_event, &p, err);
}

/* Writes the events of a damaged chunk as a loss. */
static int put_damaged(struct section *s, const struct cut_entry *e, struct trawl_error *err)
{
	struct trawl_loss l = trawl_piece_loss(&e->p);

	if (!cut_is_missing(e))
		return 0;
	if (s->c->chosen)
		l.count = UINT64_MAX;
	clip_loss(s->c, &l, e->p.source->clock);
	l.source = (uint16_t)s->sources[e->p.number];
	return trawl_writer_loss(s->w, &l, err);
}

static int put_entry(struct section *s, struct cut_entry *e, struct trawl_error *err)
{
	if (e->take == CUT_NONE && !e->damaged)
		return 0;
	if (e->p.sync)
		return trawl_writer_sync(s->w, &e->sync, err);
	if (!e->damaged && !trawl_piece_read(s->c->r, &e->p)) {
		/* its events had not been counted before */
		s->c->kept -= s->c->as_they_are ? e->kept : 0;
		e->damaged = true;
	}
	if (e->damaged)
		return put_damaged(s, e, err);
	if (e->take == CUT_PART || s->c->again)
		return put_part(s, e, err);
	return trawl_writer_chunk(s->w, (uint16_t)s->sources[e->p.number], &e->p, err);
}

/* Returns the number of metadata "edit/N". */
static unsigned int edits(const struct trawl_reader *r)
{
	unsigned int n = 0;

	for (size_t i = 0; i < trawl_meta_count(r); i++)
		n += !strncmp(trawl_meta_at(r, i)->name, "edit/", 5);
	return n;
}

/* Writes metadata "edit/N" for each text. */
static int put_edits(struct section *s, const char *const *texts, struct trawl_error *err)
{
	unsigned int number = edits(s->c->r);
	char name[32];

	for (; *texts; texts++) {
		snprintf(name, sizeof(name), "edit/%u", ++number);
		if (put_text(s, name, "application/json", *texts, err))
			return -1;
	}
	return 0;
}

static uint64_t start_of(const struct cut *c, uint32_t section)
{
	for (size_t i = 0; i < c->n; i++)
		if (c->entries[i].p.sync && c->entries[i].p.section == section)
			return c->entries[i].sync.real;
	return 1; /* unknown; 0 would mean now */
}

static int write_section(struct cut *c, uint32_t number, int fd, const char *out,
			 const char *const *texts, struct trawl_error *err)
{
	struct trawl_writer_options o = {.level = c->level ? c->level : EDGE_LEVEL,
					 .name = out,
					 .compact = true,
					 .no_index = c->no_index,
					 .comment = c->all_metadata ? "" : "part of a capture",
					 .time = start_of(c, number)};
	struct section s = {.c = c, .number = number};
	struct trawl_error late;
	int ret;

	if (c->again) {
		o.level = c->level ? c->level : BEST_LEVEL;
		o.chunk_events = BEST_EVENTS;
		o.chunk_bytes = BEST_BYTES;
	}
	s.w = trawl_writer_new(fd, &o, err);
	if (!s.w)
		return -1;
	ret = put_joined(&s, err) || put_sources(&s, err) || put_edits(&s, texts, err) ||
			      put_metas(&s, err) || put_losses(&s, err)
		      ? -1
		      : 0;
	for (size_t i = 0; !ret && i < c->n; i++) {
		if (c->entries[i].p.section != number)
			continue;
		ret = put_entry(&s, &c->entries[i], err);
		if (c->again)
			edit_progress(out, i + 1, c->n);
	}
	branch_replacer_free(&s.marker);
	if (trawl_writer_close(s.w, &late) && !ret) {
		*err = late;
		ret = -1;
	}
	return ret;
}

/*
 * Whether the part contains an event or a loss of the section. A copy of the whole file keeps all
 * sections.
 */
static bool section_needed(const struct cut *c, uint32_t number)
{
	bool needed = c->all_metadata;

	for (size_t i = 0; !needed && i < c->n; i++)
		needed = c->entries[i].p.section == number && !c->entries[i].p.sync &&
			 c->entries[i].take != CUT_NONE;
	for (size_t i = 0; !needed && i < trawl_loss_count(c->r); i++) {
		const struct trawl_loss *l = trawl_loss_at(c->r, i);

		needed = l->section == number && loss_source(c, l) >= 0;
	}
	return needed;
}

int cut_write(struct cut *c, int fd, const char *out, const char *edit, struct trawl_error *err)
{
	static const char *const none[] = {NULL};
	size_t n = trawl_section_count(c->r);
	struct trawl_verdict v;
	char *missing = NULL;
	const char *texts[3] = {edit};
	bool any = false;
	int ret = 0;

	trawl_verdict(c->r, &v);
	if (!edit_is_whole(&v)) {
		missing = cut_describe_missing(c, &v);
		if (!missing)
			return edit_no_memory(err);
		texts[0] = missing;
		texts[1] = edit;
	}
	for (uint32_t i = 0; !ret && i < n; i++) {
		int copy;

		if (!section_needed(c, i) && (any || i + 1 < n))
			continue;
		copy = dup(fd);
		if (copy < 0)
			ret = trawl_fail(err, TRAWL_CANNOT, "%s: %m", out);
		else
			ret = write_section(c, i, copy, out, any ? none : texts, err);
		any = true;
	}
	free(missing);
	if (ret)
		return -1;
	return out_lacked_memory() ? edit_no_memory(err) : 0;
}
