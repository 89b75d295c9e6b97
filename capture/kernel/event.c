/* SPDX-License-Identifier: MIT */
/* The source "event": plain trace events, event:GROUP:NAME [if FILTER]. */
#include "config.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "capture/kernel/event.h"
#include "common/array.h"
#include "capture/kernel/syscallname.h"
#include "common/compare.h"
#include "common/nearest.h"
#include "capture/cli/spec.h"
#include "capture/sys/alloc.h"
#include "capture/trace/drain.h"
#include "capture/trace/trace.h"
#include "capture/tracefs/eventformat.h"
#include "capture/tracefs/tracefs.h"

extern const struct source event_source;

static void free_names(char **names, size_t n)
{
	for (size_t i = 0; i < n; i++)
		free(names[i]);
	free(names);
}

/*
 * Ends the program if the last call failed for want of memory: the list of events would lack some,
 * or what they are.
 */
static void end_without_memory(void)
{
	if (errno == ENOMEM)
		alloc_checked(NULL);
}

/*
 * Lists the folders in a folder of tracefs, sorted. Returns their number; SIZE_MAX if it cannot be
 * opened.
 */
static size_t list_folders(int top, const char *path, char ***names)
{
	int fd = openat(top, path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *dir = fd < 0 ? NULL : fdopendir(fd);
	struct dirent *d;
	size_t n = 0;

	*names = NULL;
	if (!dir) {
		end_without_memory();
		if (fd >= 0)
			close(fd);
		return SIZE_MAX;
	}
	while ((d = readdir(dir))) {
		if (d->d_name[0] == '.' || (d->d_type != DT_DIR && d->d_type != DT_UNKNOWN))
			continue;
		xgrow(*names, n);
		(*names)[n++] = xstrdup(d->d_name);
	}
	closedir(dir);
	if (n)
		qsort(*names, n, sizeof(**names), by_text);
	return n;
}

/* Whether the event can be enabled. Those that only other tracers write (ftrace:*) cannot. */
static bool has_switch(int top, const char *group, const char *name)
{
	char path[256];

	snprintf(path, sizeof(path), "events/%s/%s/enable", group, name);
	return tracefs_has(top, path);
}

/* Whether it is a group of probes of a running capture. */
static bool is_foreign(const char *group)
{
	return owner_is_name(group);
}

long events_each(int top, const char *group_glob, const char *name_glob,
		 int (*found)(void *arg, const char *group, const char *name), void *arg)
{
	char **groups, path[160];
	size_t n = list_folders(top, "events", &groups);
	long matched = 0;

	for (size_t i = 0; n != SIZE_MAX && i < n && matched >= 0; i++) {
		char **names;
		size_t k;

		if (!tracefs_glob(group_glob, groups[i]) ||
		    (is_foreign(groups[i]) && strcmp(group_glob, groups[i])))
			continue;
		snprintf(path, sizeof(path), "events/%.140s", groups[i]);
		k = list_folders(top, path, &names);
		for (size_t e = 0; k != SIZE_MAX && e < k && matched >= 0; e++) {
			if (!tracefs_glob(name_glob, names[e]) ||
			    !has_switch(top, groups[i], names[e]))
				continue;
			matched = found(arg, groups[i], names[e]) ? -1 : matched + 1;
		}
		if (k != SIZE_MAX)
			free_names(names, k);
	}
	if (n != SIZE_MAX)
		free_names(groups, n);
	return matched;
}

struct arming {
	struct trace *trace;
	const char *filter;
	struct trawl_error *err;
	size_t again;   /* matching events that had been added before */
	size_t widened; /* of these: events that had another filter */
};

static const struct trace_event *find(const struct trace *t, const char *group, const char *name)
{
	for (size_t i = 0; i < t->nevents; i++) {
		if (!strcmp(t->events[i].group, group) && !strcmp(t->events[i].name, name))
			return &t->events[i];
	}
	return NULL;
}

static int arm_one(void *arg, const char *group, const char *name)
{
	struct arming *a = arg;
	const struct trace_event *before = find(a->trace, group, name);
	char display[160];

	a->again += before != NULL;
	a->widened += before && strcmp(before->filter, a->filter);
	snprintf(display, sizeof(display), "%s:%s", group, name);
	return trace_add(a->trace, &(struct trace_wanted){
		.group = group, .name = name, .display = display, .filter = a->filter }, a->err);
}

/*
 * Prints a note for an event that is given twice, or with two filters; overlapping globs need none.
 */
static void note_again(const struct arming *a, const char *text, long matched)
{
	if (a->widened)
		session_note(a->trace->in->session,
			     "event:%s: given twice with different filters: records what either "
			     "filter lets through",
			     text);
	else if (a->again && (long)a->again == matched)
		session_note(a->trace->in->session, "event:%s: given twice: recorded once", text);
}

struct offering {
	struct nearest near;
	const char *name; /* as in the user's text */
	char separator;
	char call[160];   /* the event of the system call with that name */
};

static int offer(void *arg, const char *group, const char *name)
{
	struct offering *o = arg;
	char full[160];

	snprintf(full, sizeof(full), "%s%c%s", group, o->separator, name);
	if (!strncmp(name, "sys_enter_", 10) && !strcmp(name + 10, o->name))
		memcpy(o->call, full, sizeof(full));
	nearest_offer(&o->near, full);
	return 0;
}

void events_hint(int top, const char *group, char separator, const char *name, char *hint,
		 size_t size)
{
	char wanted[256];
	struct offering o = { .near = { .wanted = wanted }, .name = name, .separator = separator };

	snprintf(wanted, sizeof(wanted), "%s%c%s", group, separator, name);
	events_each(top, "*", "*", offer, &o);
	if (*o.call)
		snprintf(hint, size, "; did you mean %s?", o.call);
	else if (o.near.count)
		nearest_hint(&o.near, hint, size);
	else
		snprintf(hint, size, "; ls /sys/kernel/tracing/events shows all");
	nearest_free(&o.near);
}

static int fail_unknown(const struct trace *t, const struct spec *spec, struct trawl_error *err)
{
	char hint[400];

	events_hint(t->top, spec->group, ':', spec->event, hint, sizeof(hint));
	return trawl_fail(err, TRAWL_USAGE, "event:%s:%s: no such event on this kernel%s",
			  spec->group, spec->event, hint);
}

int event_check_calls(const struct spec *spec, struct trawl_error *err)
{
	const char *filter = spec->filter, *at = strstr(filter, "id");
	char name[64];
	int n = 0;

	if (strcmp(spec->group, "raw_syscalls") || !at)
		return 0;
	if (sscanf(at, "id %*[=!<>] \"%63[a-z0-9_]%n", name, &n) != 1 &&
	    sscanf(at, "id %*[=!<>] %63[a-z0-9_]%n", name, &n) != 1)
		return 0;
	if (isdigit((unsigned char)*name) || syscallname_number(name) < 0)
		return 0;
	at += (size_t)n - strlen(name);
	return spec_fail(spec,
			 (size_t)(strstr(spec->text, filter) - spec->text) + (size_t)(at - filter),
			 err, "%s: the kernel compares numbers here: %s is %ld",
			 spec_kind_name(spec->kind), name, syscallname_number(name));
}

static int arm_spec(struct trace *t, const char *text, struct trawl_error *err)
{
	struct arming arming = { .trace = t, .err = err };
	char *whole = NULL;
	struct spec spec;
	long n;
	int r = -1;

	if (asprintf(&whole, "event:%s", text) < 0)
		return trawl_fail(err, TRAWL_CANNOT, "out of memory");
	if (spec_parse(whole, &spec, err) || event_check_calls(&spec, err))
		goto out;
	arming.filter = spec.filter;
	n = events_each(t->top, spec.group, spec.event, arm_one, &arming);
	r = n > 0 ? 0 : n < 0 ? -1 : fail_unknown(t, &spec, err);
	note_again(&arming, text, n);
out:
	spec_free(&spec);
	free(whole);
	return r;
}

int event_arm_specs(struct trace *t, struct trawl_error *err)
{
	for (size_t i = 0; i < t->in->nspecs; i++) {
		if (arm_spec(t, t->in->specs[i], err))
			return -1;
	}
	return 0;
}

/* Prints a note for events that rarely happen in a task, which a scope excludes. */
static void note_interrupts(const struct trace *t)
{
	static const char *const in_interrupts[][2] = {
		{ "irq", "*" }, { "irq_vectors", "*" }, { "napi", "*" }, { "nmi", "*" },
		{ "scsi", "*_done" }, { "scsi", "*_timeout" }, { "nvme", "*complete*" },
		{ "libata", "*complete*" }, { "mmc", "*_done" }, { "ufs", "*" },
		{ "xhci-hcd", "*giveback*" }, { "xhci-hcd", "xhci_handle_*" },
		{ "timer", "*_expire_*" }, { "net", "netif_rx*" }, { "net", "netif_receive*" },
	};
	const char *first = NULL;
	size_t n = 0;

	for (size_t i = 0; i < t->nevents; i++) {
		const struct trace_event *e = &t->events[i];

		for (size_t k = 0; k < ARRAY_SIZE(in_interrupts); k++) {
			if (!tracefs_glob(in_interrupts[k][0], e->group) ||
			    !tracefs_glob(in_interrupts[k][1], e->name))
				continue;
			first = n++ ? first : e->display;
			break;
		}
	}
	if (n == 1)
		session_note(t->in->session,
			     "event:%s happens in interrupts, which belong to no task: -p and "
			     "COMMAND exclude most of them; omit both to record all",
			     first);
	else if (n)
		session_note(t->in->session,
			     "event:%s and %zu more happen in interrupts, which belong to no "
			     "task: -p and COMMAND exclude most of them; omit both to record all",
			     first, n - 1);
}

static int event_arm(struct input *in, struct trawl_error *err)
{
	struct trace *t = trace_new(in, 0, err);
	const pid_t *pids;

	if (!t || trace_limit(t, err) || event_arm_specs(t, err))
		return -1;
	if (session_scope(in->session, &pids))
		note_interrupts(t);
	return 0;
}

static const struct source *event_scoped(const char *spec)
{
	return strncmp(spec, "block:", 6) ? &event_source : &block_source;
}

static int event_probe(struct trawl_error *err)
{
	int top = tracefs_open(err);

	if (top < 0)
		return -1;
	close(top);
	return 0;
}

static int count_one(void *arg, const char *group, const char *name)
{
	(*(unsigned int *)arg)++;
	return 0;
}

static void event_describe(struct source_list *list)
{
	struct trawl_error err;
	unsigned int count = 0;
	char what[80];
	int top = tracefs_open(&err);

	if (top < 0) {
		source_list_add(list, "event:GROUP:NAME", "trace events of the kernel", err.text);
		return;
	}
	events_each(top, "*", "*", count_one, &count);
	snprintf(what, sizeof(what), "trace events of the kernel: %u", count);
	source_list_add(list, "event:GROUP:NAME", what, NULL);
	close(top);
}

/* Adds a field in the notation of the kernel's format file: "prev_comm char[16]". */
static void add_field(struct source_entry *e, char **what, const struct trawl_field *f)
{
	char *text, count[16] = "";

	if (f->count > 1)
		snprintf(count, sizeof(count), "[%u]", f->count);
	text = xasprintf("%s%s%s%s%s%s", *what, **what ? ", " : "", f->ctype,
			 *f->ctype && f->ctype[strlen(f->ctype) - 1] == '*' ? "" : " ", f->name,
			 count);
	free(*what);
	*what = text;
	json_object(&e->more, NULL);
	json_string(&e->more, "name", f->name);
	json_string(&e->more, "ctype", f->ctype);
	json_uint(&e->more, "size", (uint64_t)f->size * (f->count ? f->count : 1));
	json_end(&e->more);
}

struct listing {
	struct source_list *list;
	int top;
};

static int list_one(void *arg, const char *group, const char *name)
{
	struct listing *l = arg;
	char path[256], full[200], *text, *what = xstrdup("");
	struct trawl_error ignored;
	struct source_entry *e;
	struct eventformat f;
	bool parsed;

	snprintf(path, sizeof(path), "events/%s/%s/format", group, name);
	snprintf(full, sizeof(full), "event:%s:%s", group, name);
	errno = 0;
	text = tracefs_read(l->top, path, NULL, &ignored);
	parsed = text && !eventformat_parse(text, strlen(text), &f, &ignored);
	if (!parsed)
		end_without_memory();
	e = source_list_add(l->list, full, "", NULL);
	if (parsed) {
		json_array(&e->more, "fields");
		for (uint32_t i = 0; i < f.nfields; i++)
			add_field(e, &what, &f.fields[i]);
		json_end(&e->more);
		eventformat_free(&f);
		free(e->what);
		e->what = what;
		what = NULL;
	}
	free(what);
	free(text);
	return 0;
}

/* Lists the events of GROUP:NAME, or of NAME in any group; both may be globs. */
static int event_list(const char *text, struct source_list *list, struct trawl_error *err)
{
	struct listing l = { .list = list, .top = tracefs_open(err) };
	size_t len = strcspn(text, ":./ ");
	char group[64], hint[400];
	const char *name = text[len] && text[len] != ' ' ? text + len + 1 : text;
	long n;

	if (l.top < 0)
		return -1;
	snprintf(group, sizeof(group), "%.*s", name == text ? 1 : (int)len,
		 name == text ? "*" : text);
	n = events_each(l.top, group, name, list_one, &l);
	if (!n && name == text) /* no event has this name: takes it as a group */
		n = events_each(l.top, text, "*", list_one, &l);
	if (!n)
		events_hint(l.top, group, ':', name, hint, sizeof(hint));
	close(l.top);
	return n ? 0
		 : trawl_fail(err, TRAWL_USAGE, "-D event:%s: no such event on this kernel%s", text,
			      hint);
}

const struct source event_source = {
	.name = "event",
	.summary = "GROUP:NAME [if FILTER]",
	.spec_language = true,
	.trace_events = true,
	.scoped = event_scoped,
	.describe = event_describe,
	.list = event_list,
	.probe = event_probe,
	.arm = event_arm,
	TRACE_RECORDING,
	.stats = trace_stats,
	.disarm = trace_disarm,
};
