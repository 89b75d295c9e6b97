/* SPDX-License-Identifier: MIT */
#include "decode/export/summary.h"
#include "common/array.h"
#include "decode/export/killed.h"
#include "decode/export/longest.h"
#include "decode/export/sleeps.h"
#include "decode/base/escape.h"
#include "decode/base/number.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/branchrecord.h"
#include "decode/base/boot.h"
#include "decode/base/jdoc.h"
#include "decode/base/tally.h"
#include "decode/query/reading.h"

#define TOP 10 /* maximum number of lines in a list */

struct summary {
	struct consumer consumer; /* must be first: a struct consumer is cast to its summary */
	struct tally sources, names, cpus, tasks;
	struct out key; /* of the tally that is counted in */
	uint64_t events, first, last;
	struct longest *longest;
	struct killed killed;
	struct sleeps sleeps;
	uint64_t losses;          /* number of losses in the selection */
	struct out loss_text;
	uint64_t marks;           /* places in the branches of tasks where some are lost */
};

/* Counts the key that was appended to m->key, which is empty afterwards. */
static void count(struct summary *m, struct tally *t, uint64_t time)
{
	if (m->key.error)
		t->missed++;
	else
		tally_add(t, m->key.data, m->key.len, time);
	m->key.len = 0;
}

static void count_name(struct summary *m, const struct item *it)
{
	out_str(&m->key, it->source->name);
	out_pad(&m->key, 0, 9, 1);
	out_bytes(&m->key, it->name, it->name_len < 512 ? it->name_len : 512);
	count(m, &m->names, it->time);
}

static void count_task(struct summary *m, const struct item *it)
{
	if (it->pid == ITEM_NO_TASK && it->tid == ITEM_NO_TASK)
		return;
	if (it->comm_len)
		out_bytes(&m->key, it->comm, it->comm_len);
	else
		out_char(&m->key, '?');
	out_str(&m->key, " (");
	out_s64(&m->key, it->pid != ITEM_NO_TASK ? it->pid : it->tid);
	out_char(&m->key, ')');
	count(m, &m->tasks, it->time);
}

static int count_item(struct consumer *c, const struct decoder *d, void *state,
		      const struct item *it)
{
	struct summary *m = (struct summary *)c;

	longest_item(m->longest, d, state, it);
	killed_item(&m->killed, d, state, it);
	sleeps_item(&m->sleeps, d, state, it);
	/* concatenated captures may be in any order */
	if (!m->events++ || it->time < m->first)
		m->first = it->time;
	if (it->time > m->last)
		m->last = it->time;
	tally_add(&m->sources, it->source->name, strlen(it->source->name), it->time);
	count_name(m, it);
	if (it->cpu != ITEM_NO_CPU) {
		out_str(&m->key, "cpu ");
		out_u64(&m->key, it->cpu);
		count(m, &m->cpus, it->time);
	}
	count_task(m, it);
	m->marks += it->problem && !strcmp(it->source->kind, BRANCH_SOURCE_KIND);
	return 0;
}

static int count_loss(struct consumer *c, const struct trawl_source *s, const struct trawl_loss *l,
		      uint64_t from, uint64_t to)
{
	struct summary *m = (struct summary *)c;
	struct out *o = &m->loss_text;

	sleeps_lost(&m->sleeps);
	if (m->losses++ >= TOP)
		return 0;
	out_str(o, "  ");
	out_safe(o, s->name, strlen(s->name));
	if (l->cpu != UINT32_MAX)
		out_printf(o, " cpu %u", l->cpu);
	if (l->count == UINT64_MAX)
		out_str(o, ": an unknown number");
	else
		out_printf(o, ": %llu", (unsigned long long)l->count);
	out_printf(o, " (%s) between ", trawl_loss_reason_name(l->reason));
	time_full(o, from, true);
	out_str(o, " and ");
	time_full(o, to, true);
	out_char(o, '\n');
	return 0;
}

/*
 * Whether the file may contain triggers: these are events of a source named trawl, or
 * trawl@MACHINE.
 */
static bool may_trigger(const struct trawl_reader *r)
{
	bool found = false;

	for (size_t i = 0; i < trawl_source_count(r); i++)
		found |= !strncmp(trawl_source_at(r, i)->name, "trawl", 5);
	return found;
}

struct summary *summary_new(struct stream *s)
{
	struct summary *m = calloc(1, sizeof(*m));

	if (m) {
		m->consumer.item = count_item;
		m->consumer.loss = count_loss;
		out_memory(&m->loss_text);
		out_memory(&m->key);
		m->sleeps.reader = stream_reader(s);
		m->longest = longest_new(s, may_trigger(stream_reader(s)));
	}
	if (m && m->longest)
		return m;
	summary_free(m);
	return NULL;
}

void summary_free(struct summary *m)
{
	if (!m)
		return;
	tally_free(&m->sources);
	tally_free(&m->names);
	tally_free(&m->cpus);
	tally_free(&m->tasks);
	longest_free(m->longest);
	out_free(&m->loss_text);
	out_free(&m->key);
	free(m);
}

struct consumer *summary_consumer(struct summary *m)
{
	return &m->consumer;
}

/* ---- printing ----------------------------------------------------------------------------- */

static void label(struct out *o, const char *text)
{
	size_t start = o->len;

	out_str(o, text);
	out_pad(o, start, 12, 1);
}

static void print_file(struct stream *s, const struct reading *r, struct out *o)
{
	struct trawl_verdict v;

	trawl_verdict(stream_reader(s), &v);
	label(o, "file");
	out_safe(o, r->path, strlen(r->path));
	out_printf(o, ", %llu bytes: ", (unsigned long long)(r->bytes ? r->bytes : v.bytes));
	out_safe(o, v.text, strlen(v.text));
	out_char(o, '\n');
}

static void value_text(struct out *o, struct json_object *v)
{
	switch (json_object_get_type(v)) {
	case json_type_string:
		out_safe(o, json_object_get_string(v), (size_t)json_object_get_string_len(v));
		break;
	case json_type_int:
		if (json_object_get_int64(v) < 0)
			out_s64(o, json_object_get_int64(v));
		else
			out_u64(o, json_object_get_uint64(v));
		break;
	case json_type_double:
		out_double(o, json_object_get_double(v));
		break;
	default:
		out_str(o, json_object_get_boolean(v) ? "yes" : "no");
	}
}

static bool is_shown(const struct json_object *v)
{
	return v && !json_object_is_type(v, json_type_array) &&
	       !json_object_is_type(v, json_type_object) &&
	       !(json_object_is_type(v, json_type_string) && !json_object_get_string_len(v));
}

/* Prints metadata that each capture of a file has, one line for each. */
struct each {
	struct out *o;
	const char *name;
	void (*print)(struct json_object *doc, const char *name, struct out *o);
	const struct trawl_meta *last; /* the last one that was printed */
	size_t n;
};

/* Consecutive files of a rotated capture contain the same metadata; repetitions are skipped. */
static void print_new(struct each *e, const struct trawl_meta *m)
{
	struct json_object *doc;

	if (e->last && e->last->len == m->len && !memcmp(e->last->data, m->data, m->len))
		return;
	e->last = m;
	if (e->n++ >= TOP)
		return;
	doc = jdoc_parse(m->data, m->len);
	e->print(doc, e->name, e->o);
	json_object_put(doc);
}

/* Prints the newest metadata with this name of each section, in file order. */
static void print_each(struct stream *s, const char *name, struct out *o,
		       void (*print)(struct json_object *doc, const char *name, struct out *o))
{
	struct trawl_reader *r = stream_reader(s);
	struct each e = { .o = o, .name = name, .print = print };
	const struct trawl_meta *newest = NULL;

	for (size_t i = 0; i < trawl_meta_count(r); i++) {
		const struct trawl_meta *m = trawl_meta_at(r, i);

		if (strcmp(m->name, name))
			continue;
		if (newest && newest->section != m->section)
			print_new(&e, newest);
		newest = m;
	}
	if (newest)
		print_new(&e, newest);
	if (e.n > TOP) {
		label(o, name);
		out_printf(o, "and %zu more\n", e.n - TOP);
	}
}

/* Returns in words why a recording ended; NULL: not known. */
static const char *end_text(const char *why)
{
	static const struct {
		const char *why, *text;
	} texts[] = {
		{ "command", "the command ended" },
		{ "process", "the process of -p ended" },
		{ "signal", "the recorder was interrupted" },
		{ "count", "the number of events of -c was reached" },
		{ "duration", "the time of --duration was over" },
		{ "files", "the number of files was reached" },
		{ "rotation", "the next file began" },
		{ "trigger", "a trigger saved it; the recorder continued" },
		{ "consumer", "the reader of the output left" },
		{ "output", "the output could not be written" },
		{ "error", "the recorder failed" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(texts); i++)
		if (!strcmp(texts[i].why, why))
			return texts[i].text;
	return NULL;
}

/*
 * Prints the members of a metadata object as "key value, key value"; nested lists and objects are
 * skipped.
 */
static void print_members(struct json_object *doc, const char *name, struct out *o)
{
	bool first = true;

	if (json_object_is_type(doc, json_type_object)) {
		label(o, name);
		json_object_object_foreach(doc, key, v) {
			if (!is_shown(v))
				continue;
			if (!first)
				out_str(o, ", ");
			first = false;
			out_safe(o, key, strlen(key));
			out_char(o, ' ');
			value_text(o, v);
			if (!strcmp(name, "end") && !strcmp(key, "why") &&
			    end_text(json_object_get_string(v)))
				out_printf(o, " (%s)", end_text(json_object_get_string(v)));
		}
		out_char(o, '\n');
	}
}

/* Prints a word of a command line, quoted for the shell. */
static void shell_word(struct out *o, const char *p)
{
	if (*p && !p[strspn(p, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
			       "0123456789-_=+.,/:@%^")]) {
		out_str(o, p);
		return;
	}
	out_char(o, '\'');
	while (*p) {
		size_t n = strcspn(p, "'");

		out_safe(o, p, n); /* together: a character may have several bytes */
		p += n;
		if (*p) {
			out_str(o, "'\\''");
			p++;
		}
	}
	out_char(o, '\'');
}

static void print_edits(struct stream *s, struct out *o)
{
	size_t i = 0;

	for (struct json_object *doc; (doc = jdoc_next_edit(stream_reader(s), &i));) {
		print_members(doc, "edited", o);
		json_object_put(doc);
	}
}

static void print_capture(struct json_object *doc, const char *name, struct out *o)
{
	const struct json_object *argv = jdoc_get(doc, "argv");

	if (json_object_is_type(argv, json_type_array)) {
		label(o, "command");
		for (size_t i = 0; i < jdoc_count(argv); i++) {
			struct json_object *word = json_object_array_get_idx(argv, i);

			const char *text = json_object_get_string(word);

			if (i)
				out_char(o, ' ');
			if (text)
				shell_word(o, text);
			else /* null, or out of memory */
				out_char(o, '?');
		}
		out_char(o, '\n');
	}
	print_members(doc, name, o);
}

static void print_times(const struct summary *m, bool utc, struct out *o)
{
	label(o, "events");
	out_u64(o, m->events);
	if (m->events) {
		out_str(o, " in ");
		time_span(o, m->last - m->first);
		if (m->last > m->first)
			out_printf(o, ", %.0f a second", (double)m->events * 1e9 /
							 (double)(m->last - m->first));
		out_char(o, '\n');
		label(o, "first");
		time_full(o, m->first, utc);
		out_char(o, '\n');
		label(o, "last");
		time_full(o, m->last, utc);
	}
	out_char(o, '\n');
}

static void print_tally(struct tally *t, const char *title, size_t most, struct out *o)
{
	const struct tally_entry *e;
	size_t n, i;

	e = tally_sorted(t, &n);
	if (!n)
		return;
	out_printf(o, "\n%s\n", title);
	for (i = 0; i < n && i < most; i++) {
		out_printf(o, "%12llu  ", (unsigned long long)e[i].count);
		out_safe(o, e[i].key, e[i].len);
		out_char(o, '\n');
	}
	if (n > most)
		out_printf(o, "              and %zu more\n", n - most);
	if (t->missed)
		out_printf(o, "%12llu  not counted apart: out of memory\n",
			   (unsigned long long)t->missed);
}

/* Returns what may be missing beside the losses that the file lists; NULL: nothing. */
static const char *unlisted(struct trawl_reader *r, const struct trawl_verdict *v)
{
	if (v->damaged > v->damaged_known)
		return "the events of damaged blocks are missing";
	if (jdoc_edits_lack_more(r))
		return "the file was damaged; see \"edited\"";
	return v->complete ? NULL : "what the buffers still held is not in the file";
}

/* The final number of lost events is in the end metadata. */
static void print_losses(const struct summary *m, struct trawl_reader *r, struct out *o)
{
	struct trawl_verdict v;
	const char *more;

	trawl_verdict(r, &v);
	more = unlisted(r, &v);
	if (!m->losses && !m->marks) {
		out_str(o, "\nlosses      none");
		if (v.written && !v.damaged)
			out_str(o, " so far");
		else if (more)
			out_printf(o, " as far as is known: %s", more);
		out_char(o, '\n');
		return;
	}
	out_printf(o, "\nlosses      %llu\n", (unsigned long long)(m->losses + m->marks));
	if (m->marks)
		out_printf(o, "  %llu place%s in the branches of tasks (branch:lost)\n",
			   (unsigned long long)m->marks, m->marks == 1 ? "" : "s");
	out_bytes(o, m->loss_text.data, m->loss_text.len);
	if (m->losses > TOP)
		out_printf(o, "  and %llu more\n", (unsigned long long)(m->losses - TOP));
	if (more && !v.written)
		out_printf(o, "  that is not all: %s\n", more);
}

static const char *clock_name(uint8_t clock)
{
	static const char *const names[] = {"?", "monotonic", "realtime", "boottime",
					    "monotonic raw", "tai", "tsc"};

	return clock < ARRAY_SIZE(names) ? names[clock] : "?";
}

/*
 * Returns by how much more than CLOCK_MONOTONIC a clock advanced between two sync blocks, in ns;
 * unsigned arithmetic wraps.
 */
static int64_t beyond(uint64_t a, uint64_t b, const struct trawl_sync *x,
		      const struct trawl_sync *y)
{
	return (int64_t)((b - a) - (y->mono - x->mono));
}

static void print_seconds(struct out *o, int64_t ns)
{
	uint64_t n = ns < 0 ? -(uint64_t)ns : (uint64_t)ns;

	out_printf(o, "%llu.%09llu s", (unsigned long long)(n / 1000000000),
		   (unsigned long long)(n % 1000000000));
}

/*
 * Between two sync blocks the wall clock stepped, because it was set or the machine slept. The
 * timeline does not step, so later times differ from the wall clock.
 */
static void print_step(const struct trawl_sync *first, const struct trawl_sync *a,
		       const struct trawl_sync *b, bool utc, struct out *o)
{
	int64_t step = beyond(a->real, b->real, a, b), slept = beyond(a->boot, b->boot, a, b);
	int64_t ahead = beyond(first->real, b->real, first, b), set, least;

	least = (int64_t)((b->mono - a->mono) / 1000 + a->bound + b->bound + 1000);
	slept = slept > least ? slept : 0;
	/* both values are from a file and may be arbitrary */
	set = (int64_t)((uint64_t)step - (uint64_t)slept);
	out_str(o, "  by ");
	time_full(o, b->mono + first->real - first->mono, utc);
	if (slept) {
		out_str(o, " the machine slept ");
		print_seconds(o, slept);
	}
	if (set > least || set < -least) {
		out_str(o, slept ? " and the wall clock was set " : " the wall clock was set ");
		print_seconds(o, set);
		out_str(o, set < 0 ? " back" : " ahead");
	}
	out_str(o, ": from here it is ");
	print_seconds(o, ahead);
	out_str(o, ahead < 0 ? " behind the times shown\n" : " ahead of the times shown\n");
}

/*
 * The definition of docs/format.md; in addition, a section of another boot starts its clocks anew.
 */
bool summary_is_step(struct boots *boots, const struct trawl_sync *a, const struct trawl_sync *b)
{
	int64_t step = beyond(a->real, b->real, a, b);
	uint64_t far = step < 0 ? -(uint64_t)step : (uint64_t)step;

	return b->mono >= a->mono && boot_of(boots, a->section) == boot_of(boots, b->section) &&
	       far > (b->mono - a->mono) / 1000 + a->bound + b->bound + 1000;
}

static void print_steps(struct trawl_reader *r, bool utc, struct out *o)
{
	size_t n = trawl_sync_count(r), i, steps = 0;
	const struct trawl_sync *first = NULL, *a, *b;
	struct boots boots = { .reader = r };
	struct trawl_verdict v;

	for (i = 1; i < n; i++)
		steps += summary_is_step(&boots, trawl_sync_at(r, i - 1), trawl_sync_at(r, i));
	trawl_verdict(r, &v);
	if (!v.syncs) {
		out_str(o, "\nclocks      were not read together: their differences are unknown\n");
		boots_free(&boots);
		return;
	}
	out_printf(o, "\nclocks      read together %llu times, each time within %llu ns; "
		      "%zu step%s of the wall clock\n", (unsigned long long)v.syncs,
		   (unsigned long long)v.bound, steps, steps == 1 ? "" : "s");
	for (i = 0, a = NULL, steps = 0; i < n && steps < TOP; i++, a = b) {
		b = trawl_sync_at(r, i);
		if (!first || first->section != b->section)
			first = b; /* the sync block that relates its times */
		if (!a || !summary_is_step(&boots, a, b))
			continue;
		steps++;
		print_step(first, a, b, utc, o);
	}
	boots_free(&boots);
}

/* Whether a preceding source has the same name and clock. */
static bool clock_was_printed(struct stream *s, const struct trawl_source *source, size_t i)
{
	while (i--) {
		const struct trawl_source *b = trawl_source_at(stream_reader(s), i);

		if (stream_wants(s, b) && !strcmp(b->name, source->name) &&
		    b->clock == source->clock && b->resolution == source->resolution)
			return true;
	}
	return false;
}

static void print_clocks(struct stream *s, bool utc, struct out *o)
{
	struct trawl_reader *r = stream_reader(s);
	size_t n = trawl_sync_count(r), i;

	print_steps(r, utc, o);
	for (i = 0; i < trawl_source_count(r); i++) {
		const struct trawl_source *source = trawl_source_at(r, i);
		const struct trawl_sync *y = n ? trawl_sync_at(r, 0) : NULL;

		if (!stream_wants(s, source) || clock_was_printed(s, source, i))
			continue;
		out_str(o, "  ");
		out_safe(o, source->name, strlen(source->name));
		out_printf(o, ": %s, resolution %u ns", clock_name(source->clock),
			   source->resolution);
		/* bound of the clock readings at the start */
		if (y)
			out_printf(o, ", error at the start at most %llu ns",
				   (unsigned long long)y->bound);
		out_char(o, '\n');
	}
}

void summary_print(struct summary *m, struct stream *s, const struct reading *r, struct out *o)
{
	bool utc = r->utc;

	print_file(s, r, o);
	print_times(m, utc, o);
	print_each(s, "capture", o, print_capture);
	print_each(s, "machine", o, print_members);
	print_each(s, "end", o, print_members);
	print_each(s, "timeline/how", o, print_members);
	print_edits(s, o);
	print_tally(&m->sources, "by source", SIZE_MAX, o);
	print_tally(&m->names, "by name", SIZE_MAX, o);
	print_tally(&m->cpus, "by cpu", TOP, o);
	print_tally(&m->tasks, "by process", TOP, o);
	killed_print(&m->killed, utc, o);
	longest_print(m->longest, utc, o);
	sleeps_print(&m->sleeps, m->last, utc, o);
	print_losses(m, stream_reader(s), o);
	print_clocks(s, utc, o);
	stream_summaries(s, o);
}
