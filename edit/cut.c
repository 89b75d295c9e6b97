/* SPDX-License-Identifier: MIT */
#include "edit/cut.h"

#include <stdlib.h>
#include <string.h>

#include "common/array.h"
#include "common/sources.h"

/* number of clock-syncs before and after a chunk that its times may depend on */
enum { SYNCS_NEAR = 3 };

static struct cut_entry *add_entry(struct cut *c)
{
	if (!array_reserve(c->entries, c->cap, c->n + 1))
		return NULL;
	c->entries[c->n] = (struct cut_entry){0};
	return &c->entries[c->n++];
}

static bool list_pieces(struct cut *c, struct trawl_error *err)
{
	size_t sections = trawl_section_count(c->r);
	struct trawl_piece p;
	struct cut_entry *e;
	int got;

	if (c->unchecked)
		trawl_pieces_unchecked(c->r);
	c->origins = calloc(sections + 1, sizeof(*c->origins));
	if (!c->origins)
		return !edit_no_memory(err);
	while ((got = trawl_next_piece(c->r, &p, err)) > 0) {
		e = add_entry(c);
		if (!e)
			return !edit_no_memory(err);
		e->p = p;
		if (!p.sync)
			continue;
		e->sync = *p.sync;
		if (!c->origins[p.section])
			c->origins[p.section] =
				trawl_section_time(c->r, p.section, TRAWL_CLOCK_MONO, 0);
	}
	return !got && !cut_find_latest(c, err);
}

static bool in_time(const struct cut *c, uint64_t time)
{
	return time >= c->from && time < c->to;
}

/* An entry that is planned, and the events of it that are chosen; NULL: none. */
struct planned {
	struct cut_entry *entry;
	const struct keep_chunk *chosen;
};

static bool keep_event(struct cut *c, const struct cut_entry *e, const struct trawl_event *ev,
		       uint64_t time, void *arg)
{
	const struct planned *p = arg;
	enum cut_take take = in_time(c, time) ? CUT_WHOLE : CUT_NONE;

	if (c->chosen && !(p->chosen && keep_has(p->chosen, ev->place)))
		return true;
	if (cut_has_batches(e) && cut_has_times(c) && !cut_take_batch(c, ev, time, &take))
		return false;
	if (take == CUT_NONE)
		return true;
	p->entry->clipped |= take == CUT_PART;
	needs_event(&c->needs, e->p.section, e->p.number, ev);
	return keep_add(&c->part, e->p.section, e->p.at, ev->place);
}

/*
 * Keeps an event of the task source if its pid field names a task that other kept events refer to.
 */
static bool keep_task(struct cut *c, const struct cut_entry *e, const struct trawl_event *ev,
		      uint64_t time, void *arg)
{
	bool needed = false;

	for (uint32_t i = 0; i < ev->type->nfields; i++) {
		const struct trawl_field *f = &ev->type->fields[i];
		const uint8_t *p;
		size_t len;

		if (!strcmp(f->name, "pid") && record_field(ev, f, &p, &len))
			needed |= numbers_has(&c->needs.tasks, (uint32_t)number_at(p, len));
	}
	if (!needed || !in_time(c, time))
		return true;
	return keep_add(&c->part, e->p.section, e->p.at, ev->place);
}

/* latest: no event of it goes on longer, as far as is known. */
static enum cut_take first_guess(const struct cut *c, const struct cut_entry *e, uint64_t latest,
				 const struct keep_chunk *chosen)
{
	const struct trawl_piece *p = &e->p;

	if (!cut_wants(c, p->source) || latest < c->from || p->from >= c->to)
		return CUT_NONE;
	if (c->chosen && !chosen)
		return CUT_NONE;
	if (p->from < c->from || latest >= c->to || (chosen && chosen->count < p->count))
		return CUT_PART;
	return CUT_WHOLE;
}

const struct keep_chunk *cut_part(const struct cut *c, const struct cut_entry *e)
{
	return keep_find(e->as_chosen ? c->chosen : &c->part, e->p.section, e->p.at);
}

/* Plans a chunk without decoding it, from the references of the chosen events. */
static void plan_known(const struct cut *c, struct cut_entry *e)
{
	const struct keep_chunk *chosen = keep_find(c->chosen, e->p.section, e->p.at);

	e->kept = chosen ? chosen->count : 0;
	e->as_chosen = true;
	e->clipped = chosen && cut_has_times(c) && cut_has_batches(e);
	e->take = !chosen ? CUT_NONE : chosen->count == e->p.count && !e->clipped ? CUT_WHOLE
									      : CUT_PART;
}

/* Plans a chunk. A damaged chunk becomes a loss. */
static int plan_chunk(struct cut *c, struct cut_entry *e, struct trawl_error *err)
{
	struct keep_chunk *chosen = c->chosen ? keep_find(c->chosen, e->p.section, e->p.at) : NULL;
	const struct trawl_chunk *chunk;

	e->take = first_guess(c, e, cut_has_times(c) && cut_has_batches(e) ? UINT64_MAX
									   : e->latest, chosen);
	if (e->take == CUT_NONE)
		return 0;
	if (e->take == CUT_WHOLE && c->as_they_are) {
		e->kept = e->p.count;
		return 0;
	}
	if (e->take == CUT_WHOLE) {
		if (!trawl_piece_read(c->r, &e->p) || !trawl_piece_decode(c->r, &e->p, &chunk)) {
			e->take = CUT_NONE;
			e->damaged = true;
			return 0;
		}
		e->kept = e->p.count;
		needs_chunk(&c->needs, &e->p, chunk);
	} else {
		if (!cut_each_event(c, e, keep_event, &(struct planned){ e, chosen }))
			return edit_no_memory(err);
		chosen = keep_find(&c->part, e->p.section, e->p.at);
		e->kept = chosen ? chosen->count : 0;
		if (!e->kept)
			e->take = CUT_NONE;
		else if (e->kept == e->p.count && !e->clipped)
			e->take = CUT_WHOLE;
	}
	return needs_ok(&c->needs) ? 0 : edit_no_memory(err);
}

static int plan_tasks(struct cut *c, struct cut_entry *e, struct trawl_error *err)
{
	const struct keep_chunk *some;

	e->take = CUT_NONE;
	if (e->latest < c->from || e->p.from >= c->to)
		return 0;
	if (c->all_metadata && e->p.from >= c->from && e->latest < c->to) {
		e->take = CUT_WHOLE;
		e->kept = e->p.count;
		return 0;
	}
	if (!cut_each_event(c, e, keep_task, NULL))
		return edit_no_memory(err);
	some = keep_find(&c->part, e->p.section, e->p.at);
	e->kept = some ? some->count : 0;
	if (e->kept)
		e->take = CUT_PART;
	return 0;
}

/* Keeps the first clock-sync of each section, and those near chunks that are kept. */
static void plan_syncs(struct cut *c)
{
	uint32_t section = UINT32_MAX;
	size_t since = SYNCS_NEAR;

	for (size_t i = 0; i < c->n; i++) {
		struct cut_entry *e = &c->entries[i];

		if (!e->p.sync && e->take)
			since = 0;
		else if (e->p.sync && (e->p.section != section || since++ < SYNCS_NEAR))
			e->take = CUT_WHOLE;
		if (e->p.sync)
			section = e->p.section;
	}
	since = SYNCS_NEAR;
	for (size_t i = c->n; i-- > 0;) {
		struct cut_entry *e = &c->entries[i];

		if (!e->p.sync && e->take)
			since = 0;
		else if (e->p.sync && since++ < SYNCS_NEAR)
			e->take = CUT_WHOLE;
	}
}

static void forget_plan(struct cut *c)
{
	for (size_t i = 0; i < c->n; i++) {
		c->entries[i].take = CUT_NONE;
		c->entries[i].kept = 0;
		c->entries[i].as_chosen = false;
		c->entries[i].damaged = c->entries[i].clipped = false;
	}
	keep_free(&c->part);
	keep_free(&c->begun);
	keep_free(&c->torn);
	needs_free(&c->needs);
	cut_forget_times(c);
	c->kept = c->left_out = c->bytes = 0;
}

static bool is_step(const struct trawl_sync *a, const struct trawl_sync *b)
{
	uint64_t real = b->real - a->real, mono = b->mono - a->mono;
	uint64_t off = real > mono ? real - mono : mono - real;

	return b->mono < a->mono || off > mono / 1000 + a->bound + b->bound + 1000;
}

/* Whether all clocks are MONOTONIC, or REALTIME that was never set. */
static bool clocks_are_steady(const struct cut *c)
{
	const struct cut_entry *before = NULL;

	for (size_t i = 0; i < trawl_source_count(c->r); i++) {
		enum trawl_clock clock = trawl_source_at(c->r, i)->clock;

		if (clock != TRAWL_CLOCK_MONO && clock != TRAWL_CLOCK_REAL)
			return false;
	}
	for (size_t i = 0; i < c->n; i++) {
		const struct cut_entry *e = &c->entries[i];

		if (!e->p.sync)
			continue;
		if (before && before->p.section == e->p.section && is_step(&before->sync, &e->sync))
			return false;
		before = e;
	}
	return true;
}

/* Whether a clock-sync of the same section comes after entry i. */
static bool sync_follows(const struct cut *c, size_t i)
{
	uint32_t section = c->entries[i].p.section;

	while (++i < c->n && c->entries[i].p.section == section)
		if (c->entries[i].p.sync)
			return true;
	return false;
}

/*
 * Every chunk ends with a clock-sync. With steady clocks the first and the last of a section give
 * the same times as all of them; between two steps of a clock, times depend on the nearest ones.
 */
static void thin_syncs(struct cut *c)
{
	const struct cut_entry *first = NULL;

	if (!clocks_are_steady(c))
		return;
	for (size_t i = 0; i < c->n; i++) {
		struct cut_entry *e = &c->entries[i];

		if (!e->p.sync)
			continue;
		if (!first || first->p.section != e->p.section)
			first = e;
		else if (sync_follows(c, i))
			e->take = CUT_NONE;
	}
}

int cut_guess(struct cut *c, struct trawl_error *err)
{
	if (!c->origins && !list_pieces(c, err))
		return -1;
	forget_plan(c);
	for (size_t i = 0; i < c->n; i++) {
		struct cut_entry *e = &c->entries[i];
		const struct keep_chunk *chosen =
			c->chosen ? keep_find(c->chosen, e->p.section, e->p.at) : NULL;

		if (e->p.sync || is_task_source(e->p.source->name))
			continue;
		e->take = first_guess(c, e, e->latest, chosen);
		e->kept = e->take == CUT_NONE ? 0 : chosen ? chosen->count : e->p.count;
		c->kept += e->kept;
		c->left_out += e->p.count - e->kept;
		c->bytes += e->take ? (uint64_t)((double)e->p.bytes * e->kept / e->p.count) : 0;
	}
	return 0;
}

int cut_plan(struct cut *c, struct trawl_error *err)
{
	bool known =
		c->chosen && c->chosen_needs && c->from == c->chosen_from && c->to == c->chosen_to;

	if (!c->origins && !list_pieces(c, err))
		return -1;
	forget_plan(c);
	if (known) {
		c->needs = *c->chosen_needs; /* c->needs now owns the references and frees them */
		*c->chosen_needs = (struct needs){0};
		c->chosen_needs = NULL;
	}
	for (size_t i = 0; i < c->n; i++) {
		struct cut_entry *e = &c->entries[i];

		if (e->p.sync || is_task_source(e->p.source->name))
			continue;
		if (known)
			plan_known(c, e);
		else if (plan_chunk(c, e, err))
			return -1;
		c->kept += e->kept;
		c->left_out += e->p.count - e->kept;
		c->bytes += e->take ? (uint64_t)((double)e->p.bytes * e->kept / e->p.count) : 0;
	}
	for (size_t i = 0; i < c->n; i++)
		if (!c->entries[i].p.sync && is_task_source(c->entries[i].p.source->name) &&
		    plan_tasks(c, &c->entries[i], err))
			return -1;
	if (c->left_out && cut_plan_branches(c, err))
		return -1;
	plan_syncs(c);
	for (size_t i = 0; c->all_metadata && i < c->n; i++)
		if (c->entries[i].p.sync)
			c->entries[i].take = CUT_WHOLE;
	if (c->again)
		thin_syncs(c);
	return 0;
}

void cut_free(struct cut *c)
{
	free(c->entries);
	free(c->origins);
	free(c->tails);
	keep_free(&c->part);
	keep_free(&c->begun);
	keep_free(&c->torn);
	needs_free(&c->needs);
}
