/* SPDX-License-Identifier: MIT */
/* The sources "uprobe" and "usdt": probes of user programs, defined in uprobe_events. */
#include "config.h"
#include "common/caret.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "capture/sys/clock.h"
#include "capture/sys/alloc.h"
#include "capture/sys/meta.h"
#include "capture/user/checked.h"
#include "capture/user/companion.h"
#include "capture/user/counted.h"
#include "capture/user/jumped.h"
#include "capture/probe/probe.h"
#include "capture/probe/procmap.h"
#include "capture/cli/spec.h"
#include "capture/task/task.h"
#include "capture/trace/drain.h"
#include "capture/trace/trace.h"
#include "capture/tracefs/tracefs.h"
#include "capture/user/listing.h"

static const char definitions[] = "uprobe_events";

enum { HITS_TRIES = 50 }; /* tries, 1 ms apart: other programs may define probes meanwhile */

/* ---- definition -------------------------------------------------------------------------- */

/*
 * Writes the error for a definition that the kernel refused. error_log has the reason, unless it is
 * that another probe at this place has no semaphore or a different one.
 */
static int fail_definition(struct trace *t, const struct probe *p, const char *line, int error,
			   struct trawl_error *err)
{
	char what[160], command[PROBE_DEFINITION_MAX + 1];
	int column;

	snprintf(command, sizeof(command), "%.*s", (int)strcspn(line, "\n"), line);
	if (tracefs_error(t->top, command, what, sizeof(what), &column))
		return caret_fail(err, TRAWL_USAGE, command, column > 0 ? (size_t)column : 0,
				  "%s: the kernel refuses this probe: %s", p->display_name, what);
	if (error == EINVAL && p->sites[0].ref_ctr)
		return trawl_fail(err, TRAWL_CANNOT,
				  "%s: the kernel refuses this probe: another recording has one at "
				  "this place without its semaphore; end that first",
				  p->display_name);
	return trawl_fail(err, TRAWL_CANNOT, "%s: the kernel refuses this probe: %s\n    %s",
			  p->display_name, strerror(error), command);
}

static int define_sites(struct trace *t, const struct probe *p, struct trawl_error *err)
{
	char *line = malloc(PROBE_DEFINITION_MAX + 1);
	int r = line ? 0 : trawl_fail(err, TRAWL_CANNOT, "out of memory");

	for (size_t site = 0; !r && site < p->nsites; site++) {
		r = probe_definition(p, site, t->name, line, PROBE_DEFINITION_MAX + 1, err);
		if (!r && tracefs_write(t->top, definitions, line, err))
			r = fail_definition(t, p, line, errno, err);
	}
	free(line);
	return r;
}

static enum trawl_kind shown_kind(const struct probe_arg *arg, const struct trawl_field *f)
{
	switch (arg->show) {
	case PROBE_SHOW_HEX:
		return TRAWL_HEX;
	case PROBE_SHOW_TEXT:
		return f->size == 1 ? TRAWL_TEXT : f->kind;
	case PROBE_SHOW_BOOL:
		return f->size == 1 ? TRAWL_BOOL : f->kind;
	case PROBE_SHOW_CHAR: /* the kernel's type of char[N] is u8[N] */
		return f->size > 1 ? f->kind : f->count > 1 ? TRAWL_TEXT : TRAWL_CHAR;
	case PROBE_SHOW_ADDR:
		return TRAWL_ADDR;
	case PROBE_SHOW_FLOAT:
		return f->size == 4 || f->size == 8 ? TRAWL_FLOAT : f->kind;
	case PROBE_SHOW_VARIANT:
	case PROBE_SHOW_INT:
		break;
	}
	return f->kind;
}

static int replace(const char **text, const char *by)
{
	char *copy = strdup(by);

	if (!copy)
		return -1;
	free((char *)*text);
	*text = copy;
	return 0;
}

/* Returns why an argument has no value; "" if it has one at some site. */
static const char *why_unavailable(const struct probe *p, size_t arg)
{
	for (size_t site = 0; site < p->nsites; site++) {
		if (p->sites[site].args[arg].state != PROBE_ARG_UNAVAILABLE)
			return "";
	}
	return p->nsites ? p->sites[0].args[arg].why : "";
}

/*
 * Returns why a string has 0 bytes. Pages that are not in memory are no reason, as uprobes can
 * cause page faults. Beside a string that is too long, an empty one looks unreadable (longtext.h).
 */
static const char *why_no_text(const struct probe *p, bool paired)
{
	size_t texts = 0;

	if (!paired)
		return "its address is not mapped, or it is too long for the kernel";

	for (size_t i = 0; i < p->nargs; i++)
		texts += !p->args[i].check && strstr(p->args[i].type, "string");
	return texts > 1 ? "its address is not mapped, or it is empty beside one that is too long" :
			   "its address is not mapped, or it has no end before a page that is not";
}

/* Adds to the format what the kernel's file lacks: kinds, C types, labels, notes. */
static int tune(const struct probe *p, bool paired, struct eventformat *f,
		struct trawl_error *err)
{
	for (size_t i = 0; i < p->nargs; i++) {
		struct trawl_field *field = eventformat_field(f, p->args[i].name);
		const char *why = why_unavailable(p, i);

		if (!field)
			continue;
		field->kind = (uint8_t)shown_kind(&p->args[i], field);
		if ((*p->args[i].ctype && replace(&field->ctype, p->args[i].ctype)) ||
		    (p->args[i].label && replace(&field->name, p->args[i].label)))
			return trawl_fail(err, TRAWL_CANNOT, "out of memory");
		if (field->kind == TRAWL_TEXT && field->place != TRAWL_FIXED)
			field->note = why_no_text(p, paired);
		if (*why) {
			field->kind = TRAWL_NONE;
			field->note = why;
		}
	}
	return 0;
}

static int write_meta(struct trace *t, const struct probe *p, struct trawl_error *err)
{
	struct json j = { .text = probe_meta_json(p) };
	char *name = xasprintf("probe/%s/%s", t->in->source->name, p->display_name);
	int r;

	j.len = strlen(j.text);
	r = meta_write_json(session_writer(t->in->session), name, mono_now(), &j, err);
	free(name);
	return r;
}

/* Changes *f to the format of records in the file (counted.h). */
static int describe_texts(struct trace *t, const struct probe *p, struct eventformat *f,
			  struct trawl_error *err)
{
	char path[256], *text;
	int r;

	snprintf(path, sizeof(path), "events/%s/%s/format", t->name, p->event);
	text = tracefs_read(t->top, path, NULL, err);
	if (!text)
		return -1;
	r = counted_describe(p, text, f) ? trawl_fail(err, TRAWL_CANNOT, "out of memory") : 0;
	free(text);
	return r;
}

static int arm_probe(struct trace *t, const struct probe *p, struct trawl_error *err)
{
	struct long_text pair = { 0 };
	char filter[JUMPED_FILTER_MAX];
	struct counted_text *texts;
	struct eventformat f;
	size_t ntexts;
	int r;

	if (define_sites(t, p, err) || trace_format(t, t->name, p->event, &f, err))
		return -1;
	companion_places(p, &f, &pair); /* before f loses the kernel's names */
	texts = counted_places(p, &f, &ntexts);
	r = checked_event(t, p, &f, err);
	if (!r && (ntexts || p->conditions))
		r = describe_texts(t, p, &f, err);
	if (!r)
		r = tune(p, pair.nargs, &f, err);
	if (!r)
		r = trace_add(t, &(struct trace_wanted){
			.group = t->name, .name = p->event, .display = p->display_name,
			.format = &f, .filter = jumped_filter(p, filter, sizeof(filter)) }, err);
	if (!r && *p->sites[0].exit)
		trace_comes_last(t, f.id);
	if (!r && ntexts) {
		trace_cut_texts(t, f.id, texts, ntexts);
		texts = NULL;
	}
	free(texts);
	eventformat_free(&f);
	if (!r)
		r = write_meta(t, p, err);
	return r ? -1 : companion_arm(t, p, &pair, err);
}

static int resolve(struct input *in, struct probe_list *list, struct trawl_error *err)
{
	for (size_t i = 0; i < in->nspecs; i++) {
		char *text = NULL;
		struct spec spec;
		int r;

		if (asprintf(&text, "%s:%s", in->source->name, in->specs[i]) < 0)
			return trawl_fail(err, TRAWL_CANNOT, "out of memory");
		r = spec_parse(text, &spec, err);
		if (!r)
			r = probe_resolve(&spec, 0, list, err);
		if (!r && spec.pid)
			tasks_saw_process(session_tasks(in->session), spec.pid);
		spec_free(&spec);
		free(text);
		if (r)
			return -1;
	}
	return 0;
}

/* Prints the notes of probes; one that several probes have is printed once, with -v for each. */
static void show_notes(struct session *s, const struct probe_list *list)
{
	bool each = session_options(s)->verbose;

	for (size_t i = 0; each && i < list->n; i++) {
		if (!strcmp(list->probes[i]->sites[0].insn, "step"))
			session_note(s, "%s: the instruction there must be single-stepped, which "
				     "takes about ten times as long as a nop or push",
				     list->probes[i]->display_name);
	}
	for (size_t i = 0; i < list->nnotes; i++)
		session_note(s, "%s", list->notes[i]);
	for (size_t i = 0; i < list->n; i++) {
		const struct probe *p = list->probes[i];
		size_t before = 0, more = 0;

		for (size_t k = 0; k < list->n && *p->note && !each; k++) {
			if (k != i && !strcmp(list->probes[k]->note, p->note))
				*(k < i ? &before : &more) += 1;
		}
		if (!*p->note || before)
			continue;
		if (more)
			session_note(s, "%s and %zu more probe%s: %s", p->display_name, more,
				     more == 1 ? "" : "s", p->note);
		else
			session_note(s, "%s: %s", p->display_name, p->note);
	}
}

/* Whether a process has mapped the file, or an older file of that name. */
enum mapped { MAPPED_NOT, MAPPED_FORMER, MAPPED };

static enum mapped how_mapped(pid_t pid, const struct probe_file *file)
{
	struct trawl_error ignored;
	struct mapped_file *files;
	size_t n, missed;
	enum mapped how = MAPPED_NOT;

	if (procmap_open(pid, &files, &n, &missed, &ignored))
		return MAPPED; /* unknown: prints no note */
	for (size_t i = 0; i < n && how != MAPPED; i++) {
		struct stat st;

		if (!fstat(files[i].fd, &st) && st.st_ino == file->inode &&
		    major(st.st_dev) == file->major && minor(st.st_dev) == file->minor)
			how = MAPPED;
		else if (files[i].deleted && !strcmp(files[i].path, file->path))
			how = MAPPED_FORMER;
	}
	if (missed && how == MAPPED_NOT)
		how = MAPPED;
	procmap_free(files, n);
	return how;
}

/* Prints a note if no process of -p has mapped the file: there are no events until one does. */
static void note_unmapped(struct session *s, const struct probe_file *file)
{
	const struct options *o = session_options(s);
	enum mapped best = MAPPED_NOT;
	pid_t former = 0;

	for (size_t i = 0; i < o->npids && best != MAPPED; i++) {
		enum mapped how = how_mapped(o->pids[i], file);

		if (how == MAPPED_FORMER)
			former = o->pids[i];
		if (how > best)
			best = how;
	}
	if (!o->npids || best == MAPPED)
		return;
	if (best == MAPPED_FORMER)
		session_note(s, "%s: process %d has mapped an older file of this name, which was "
			     "deleted or replaced; /proc/%d/exe is the program that it runs",
			     file->given, former, former);
	else
		session_note(s, "%s: not mapped by any process of -p so far: no events before it "
			     "is", file->given);
}

static void add_sites(struct session *s, const struct probe *p)
{
	const struct probe_file *f = p->file;

	for (size_t i = 0; i < p->nsites; i++)
		session_add_site(s, &(struct session_site){ f->inode, p->sites[i].offset,
							    f->major, f->minor });
}

/* Resolves the probes first, so that typing errors are reported before anything is defined. */
static int uprobe_arm(struct input *in, struct trawl_error *err)
{
	struct probe_list list = { 0 };
	struct trace *t;
	int r = resolve(in, &list, err);

	if (r)
		goto out;
	r = -1;
	t = trace_new(in, 0, err);
	if (!t)
		goto out;
	session_tasks(in->session)->want_maps = true;
	show_notes(in->session, &list);
	for (size_t i = 0; i < list.nfiles; i++)
		note_unmapped(in->session, list.files[i]);
	r = 0;
	for (size_t i = 0; !r && i < list.n; i++) {
		r = arm_probe(t, list.probes[i], err);
		add_sites(in->session, list.probes[i]);
	}
out:
	probe_list_free(&list);
	return r;
}

/* ---- hits -------------------------------------------------------------------------------- */

/* Adds the hits of one site to its event; the kernel counts each site of an event. */
static void add_hits(struct trace *t, const char *name, uint64_t n)
{
	for (size_t i = 0; i < t->nevents; i++)
		if (!strcmp(t->events[i].name, name))
			t->events[i].hits += n;
}

/*
 * Reads the kernel's counts of hits of our probes from uprobe_profile ("FILE EVENT HITS"). That has
 * no groups, so uprobe_events, which has the same probes in the same order, is read with it.
 * Returns false if another program defined or removed probes between the two reads.
 */
static bool read_hits(struct trace *t, uint64_t *hits)
{
	struct trawl_error ignored;
	char *defs = tracefs_read(t->top, definitions, NULL, &ignored);
	char *profile = tracefs_read(t->top, "uprobe_profile", NULL, &ignored);
	char *d = defs, *p = profile;
	bool same = d && p;

	*hits = 0;
	for (size_t i = 0; i < t->nevents; i++)
		t->events[i].hits = 0;
	while (same && (*d || *p)) {
		char group[OWNER_NAME_MAX], event[64], name[64];
		uint64_t n;

		same = sscanf(d, "%*[^:]:%63[^/]/%63s", group, event) == 2 &&
		       sscanf(p, "%*s %63s %" SCNu64, name, &n) == 2 && !strcmp(event, name);
		if (same && !strcmp(group, t->name) && !companion_is(event)) {
			*hits += n;
			add_hits(t, event, n);
		}
		d = strchrnul(d, '\n');
		d += *d == '\n';
		p = strchrnul(p, '\n');
		p += *p == '\n';
	}
	free(defs);
	free(profile);
	return same;
}

static int uprobe_start(struct input *in, struct trawl_error *err)
{
	return trace_follow(in->state, err) || trace_start(in, err) ? -1 : 0;
}

/*
 * Reads the counts of hits before the end: each hit must then be in the buffer or among its losses,
 * unless a scope, a filter or -c excludes it (missing_hits() in finallosses.c).
 */
static void uprobe_close(struct input *in)
{
	struct trace *t = in->state;

	for (int tries = 0; t && t->started && !t->hits_known && tries < HITS_TRIES; tries++) {
		if (tries)
			usleep(1000);
		t->hits_known = read_hits(t, &t->hits);
	}
	trace_close(in);
}

static const char what_uprobe[] = "any place in a program: an entry, a return, an instruction";
static const char what_usdt[] = "static probes of programs and libraries";

static int uprobe_probe(struct trawl_error *err)
{
	int top = tracefs_open(err), r = 0;

	if (top < 0)
		return -1;
	if (!tracefs_has(top, definitions))
		r = trawl_fail(err, TRAWL_CANNOT,
			       "uprobes: this kernel is built without them (CONFIG_UPROBE_EVENTS)");
	else if (faccessat(top, definitions, W_OK, AT_EACCESS))
		r = trawl_fail(err, TRAWL_CANNOT,
			       "uprobes: no permission to define probes: " TRACEFS_REMEDY);
	close(top);
	return r;
}

/*
 * Tests for -D whether a probe on this program can be defined: the kernel may refuse it even if
 * uprobe_events exists.
 */
static int try_definition(struct trawl_error *err)
{
	char group[OWNER_NAME_MAX], text[OWNER_NAME_MAX + 64];
	int top, r;

	if (uprobe_probe(err))
		return -1;
	top = tracefs_open(err);
	if (top < 0)
		return -1;
	owner_name(group, "test");
	snprintf(text, sizeof(text), "p:%s/test /proc/self/exe:0x1000\n", group);
	r = tracefs_write(top, definitions, text, err);
	snprintf(text, sizeof(text), "-:%s/test\n", group);
	if (!r)
		r = tracefs_write(top, definitions, text, err);
	close(top);
	return r;
}

static void uprobe_describe(struct source_list *list)
{
	struct trawl_error err;

	source_list_add(list, "uprobe:PATH:SYMBOL", what_uprobe,
			try_definition(&err) ? err.text : NULL);
}

static void usdt_describe(struct source_list *list)
{
	struct trawl_error err;

	source_list_add(list, "usdt:PATH:[PROVIDER:]NAME", what_usdt,
			try_definition(&err) ? err.text : NULL);
}

/* The functions that both sources share: they differ only in how probes are named and listed. */
#define USER_RECORDING                                                                            \
	TRACE_SOURCE, .probe = uprobe_probe, .arm = uprobe_arm, .start = uprobe_start,            \
		.drain = trace_drain, .reached = trace_reached, .discard = trace_discard,         \
		.close = uprobe_close, .stats = trace_stats, .disarm = trace_disarm

const struct source uprobe_source = {
	.name = "uprobe",
	.summary = "PATH:SYMBOL[+OFF][%return] [ARG ...]",
	.spec_language = true,
	.programs = true,
	.trace_events = true,
	.describe = uprobe_describe,
	.list = uprobe_list,
	USER_RECORDING,
};

const struct source usdt_source = {
	.name = "usdt",
	.summary = "PATH:[PROVIDER:]NAME [ARG ...], pid=PID:[PROVIDER:]NAME [ARG ...]",
	.spec_language = true,
	.programs = true,
	.trace_events = true,
	.describe = usdt_describe,
	.list = usdt_list,
	USER_RECORDING,
};
