/* SPDX-License-Identifier: MIT */
/*
 * The source "eprobe": probes on existing events of the kernel, defined in dynamic_events
 * (Documentation/trace/eprobetrace.rst).
 *
 * 	eprobe:[OWN=]GROUP.EVENT [ARG ...] [at-exit] [if FILTER]
 *
 * An ARG is passed to the kernel unchanged, with three additions: the field's name and the field's
 * type, if the user gave none (without a type the kernel shows numbers in hex, and the address of a
 * text); and checks that the kernel does not make.
 *
 * at-exit: when a system call begins, its strings are often not in memory yet, and a probe there
 * reads "(fault)". So the probe is at the end of the call, and gets the arguments by a hist pair
 * (histpair.h). It also has the return value, as `ret`.
 */
#include "config.h"
#include "common/caret.h"
#include "common/array.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "capture/kernel/histpair.h"
#include "capture/kernel/block.h"
#include "capture/kernel/eprobecheck.h"
#include "capture/kernel/event.h"
#include "capture/session.h"
#include "common/json.h"
#include "capture/kernel/ktest.h"
#include "common/nearest.h"
#include "capture/sys/clock.h"
#include "capture/sys/meta.h"
#include "capture/cli/spec.h"
#include "capture/kernel/syscallname.h"
#include "capture/trace/drain.h"
#include "capture/tracefs/tracefs.h"

/* Limits of the kernel (kernel/trace/trace_probe.h). */
enum { ARGS_MAX = 128, ARG_TEXT_MAX = 63, NAME_MAX_ = 31, LINE_MAX_ = 4094 };

static const char definitions[] = "dynamic_events";

/* One -i text. */
struct eprobe {
	struct trace *trace;
	struct spec spec;
	struct eventformat format; /* format of the event that the user named */
	bool at_exit;
	struct hist_pair hist;
	char event[64];            /* tracefs name of the probe */
	char display[160];
	char *args;                /* "a=$b:u32 c=..." */
	bool of_request;           /* the record has the sectors of a disk request (block.h) */
	struct eprobe_checks checks;
};

extern const struct source eprobe_source, eprobe_block_source;

/* ---- arguments ---------------------------------------------------------------------------- */

static bool is_word(char c)
{
	return isalnum((unsigned char)c) || c == '_';
}

static bool is_number_type(const struct trawl_field *f)
{
	return f->place == TRAWL_FIXED && f->count == 1 && f->kind != TRAWL_TEXT &&
	       f->kind != TRAWL_BYTES;
}

/* Writes the type of a field in the kernel's notation; "" for the kernel's default. */
static void own_type(const struct trawl_field *f, char type[16])
{
	char letter = f->kind == TRAWL_INT || f->kind == TRAWL_PID ? 's' :
		      f->kind == TRAWL_HEX || f->kind == TRAWL_ADDR ? 'x' : 'u';

	type[0] = '\0';
	if (f->kind == TRAWL_TEXT)
		strcpy(type, "string");
	else if (is_number_type(f))
		snprintf(type, 16, "%c%u", letter, 8 * f->size);
}

static int fail_field(const struct eprobe *e, const char *name, size_t at, struct trawl_error *err)
{
	struct nearest near = { .wanted = name };
	char hint[256];

	for (uint32_t i = 0; i < e->format.nfields; i++)
		nearest_offer(&near, e->format.fields[i].name);
	spec_fail(&e->spec, at, err, "eprobe: %s.%s has no field %s%s", e->spec.group,
		  e->spec.event, name, nearest_hint(&near, hint, sizeof(hint)));
	nearest_free(&near);
	return -1;
}

/* Returns why an eprobe cannot have a field that other probes have, and the remedy; NULL for any
 * other name. */
static const char *instead_of(const char *name)
{
	if (!strncmp(name, "common_pid", 10) || !strncmp(name, "common_cpu", 10))
		return "every record has its task and CPU anyway; leave it out";
	if (!strncmp(name, "common_", 7))
		return "every record has the common fields anyway; leave it out";
	if (!strncmp(name, "stack", 5) || !strcmp(name, "retval") ||
	    (!strncmp(name, "arg", 3) && isdigit((unsigned char)name[3])))
		return "an eprobe has only the fields of its event";
	return NULL;
}

/* Refuses an array of numbers on kernels that read it wrongly. It can only be read by its address,
 * +8($args); kernels before 6.17 use its first element as the address, without an error. */
static int check_array(const struct eprobe *e, const struct trawl_field *f, bool followed,
		       size_t at, struct trawl_error *err)
{
	struct kernel_features k;

	if (f->place != TRAWL_FIXED || f->count == 1 || f->kind == TRAWL_TEXT ||
	    f->kind == TRAWL_BYTES)
		return 0;
	if (!followed)
		return spec_fail(&e->spec, at, err,
				 "eprobe: %s is an array; write +%u($%s) for its second element",
				 f->name, f->size, f->name);
	if (e->at_exit || ktest_run(e->trace->top, &k, err))
		return e->at_exit ? 0 : -1;
	if (k.arrays)
		return 0;
	spec_fail(&e->spec, at, err,
		  "eprobe: %s is an array, which this kernel reads wrongly (Linux 6.17 is "
		  "needed); use an event that has the value as a field, such as "
		  "syscalls.sys_enter_NAME",
		  f->name);
	err->status = TRAWL_CANNOT;
	return -1;
}

/* Checks that every $NAME of an expression is a field of the event, or $comm. */
static int check_fields(struct eprobe *e, const struct spec_arg *arg, struct trawl_error *err)
{
	size_t shift = *arg->field ? strlen(arg->field) + 1 : 0;
	char name[HIST_PAIR_NAME_MAX];

	for (const char *p = arg->expr; *p; p++) {
		size_t n = 0, at = arg->at + shift + (size_t)(p - arg->expr);
		const struct trawl_field *f;

		if (*p == '%')
			return spec_fail(&e->spec, at, err, "eprobe: an eprobe cannot read "
							    "registers, only the fields of its "
							    "event");
		if (*p != '$')
			continue;
		while (is_word(p[1 + n]) && n < sizeof(name) - 1) {
			name[n] = p[1 + n];
			n++;
		}
		name[n] = '\0';
		if (!strcmp(name, "comm") || !strcmp(name, "COMM"))
			continue;
		f = eventformat_field(&e->format, name);
		if (!f && instead_of(name))
			return spec_fail(&e->spec, at, err, "eprobe: $%s: %s", name,
					 instead_of(name));
		if (!f)
			return fail_field(e, name, at, err);
		if (check_array(e, f, p > arg->expr && p[-1] == '(', at, err))
			return -1;
		if (e->at_exit && strcmp(name, "ret") &&
		    hist_pair_field(&e->hist, name, f, false, err))
			return -1;
	}
	return 0;
}

/* Adds the checks of an argument, which may read memory that is not present. */
static int check_read(struct eprobe *e, const struct spec_arg *arg, const char *name)
{
	char *fetch;
	int r;

	if (asprintf(&fetch, "%s%s%s", arg->expr, *arg->type ? ":" : "", arg->type) < 0)
		return -1;
	r = eprobe_check_arg(&e->checks, name, fetch);
	free(fetch);
	return r;
}

static int add_argument(struct eprobe *e, size_t i, struct trawl_error *err)
{
	const struct spec_arg *arg = &e->spec.args[i];
	const struct trawl_field *f =
		arg->expr[0] == '$' ? eventformat_field(&e->format, arg->expr + 1) : NULL;
	char name[HIST_PAIR_NAME_MAX], type[16] = "", *grown;
	bool comm = !strcmp(arg->expr, "$comm") || !strcmp(arg->expr, "$COMM");
	int n;

	if (check_fields(e, arg, err))
		return -1;
	if (*arg->field)
		snprintf(name, sizeof(name), "%s", arg->field);
	else if (f || comm)
		snprintf(name, sizeof(name), "%s", arg->expr + 1);
	else
		snprintf(name, sizeof(name), "arg%zu", i + 1);
	if (strlen(name) > NAME_MAX_)
		return spec_fail(&e->spec, arg->at, err, "eprobe: %s: a field name has at most %d "
				 "characters", name, NAME_MAX_);
	if (f)
		own_type(f, type);
	else if (comm)
		strcpy(type, "string");
	n = asprintf(&grown, "%s%s%s=%s%s%s", e->args ? e->args : "", e->args ? " " : "", name,
		     arg->expr, *arg->type || *type ? ":" : "", *arg->type ? arg->type : type);
	if (n < 0 || check_read(e, arg, name)) {
		if (n >= 0)
			free(grown);
		return trawl_fail(err, TRAWL_CANNOT, "out of memory");
	}
	if (strlen(arg->expr) + strlen(*arg->type ? arg->type : type) + 1 > ARG_TEXT_MAX) {
		free(grown);
		return spec_fail(&e->spec, arg->at, err, "eprobe: the kernel takes at most %d "
				 "characters for an argument", ARG_TEXT_MAX);
	}
	free(e->args);
	e->args = grown;
	return 0;
}

static int append_argument(struct eprobe *e, const char *arg, struct trawl_error *err)
{
	char *grown;

	if (asprintf(&grown, "%s%s%s", e->args ? e->args : "", e->args ? " " : "", arg) < 0)
		return trawl_fail(err, TRAWL_CANNOT, "out of memory");
	free(e->args);
	e->args = grown;
	return 0;
}

/* Adds a field that identifies the event's disk request (block.h), unless an argument has it. */
static int add_request_field(struct eprobe *e, const char *name, struct trawl_error *err)
{
	const struct trawl_field *f = eventformat_field(&e->format, name);
	char arg[64], type[16];

	for (size_t i = 0; i < e->spec.nargs; i++) {
		const struct spec_arg *a = &e->spec.args[i];
		const char *field = *a->field ? a->field : *a->expr == '$' ? a->expr + 1 : "";

		if (strcmp(field, name))
			continue;
		if (*a->expr == '$' && !strcmp(a->expr + 1, name) && !*a->type)
			return 0;
		return spec_fail(&e->spec, a->at, err,
				 "eprobe: with -p or COMMAND, %s identifies the disk request; "
				 "give this argument another name",
				 name);
	}
	own_type(f, type);
	snprintf(arg, sizeof(arg), "%s=$%s:%s", name, name, type);
	return append_argument(e, arg, err);
}

static int add_request(struct eprobe *e, struct trawl_error *err)
{
	static const char *const fields[] = { "dev", "sector", "nr_sector" };

	for (size_t i = 0; i < 3; i++)
		if (!eventformat_field(&e->format, fields[i]))
			return 0;
	for (size_t i = 0; i < 3; i++)
		if (add_request_field(e, fields[i], err))
			return -1;
	e->of_request = true;
	return 0;
}

static int add_arguments(struct eprobe *e, struct trawl_error *err)
{
	bool ret = false;

	if (e->spec.nargs > ARGS_MAX)
		return spec_fail(&e->spec, e->spec.args[ARGS_MAX].at, err,
				 "eprobe: the kernel takes at most %d arguments", ARGS_MAX);
	for (size_t i = 0; i < e->spec.nargs; i++) {
		if (add_argument(e, i, err))
			return -1;
		ret |= !strcmp(e->spec.args[i].field, "ret") ||
		       !strcmp(e->spec.args[i].expr, "$ret");
	}
	if (e->at_exit && !ret && append_argument(e, "ret=$ret:s64", err))
		return -1;
	if (e->trace->in->source == &eprobe_block_source && !strcmp(e->spec.group, "block") &&
	    add_request(e, err))
		return -1;
	if (e->checks.n) {
		char *checked = eprobe_check_args(&e->checks, e->args);

		if (!checked)
			return trawl_fail(err, TRAWL_CANNOT, "out of memory");
		free(e->args);
		e->args = checked;
	}
	return 0;
}

/* Removes the word at-exit from the arguments. */
static void take_at_exit(struct eprobe *e)
{
	struct spec *s = &e->spec;

	for (size_t i = 0; i < s->nargs; i++) {
		if (strcmp(s->args[i].expr, "at-exit") || *s->args[i].field || *s->args[i].type)
			continue;
		free(s->args[i].field);
		free(s->args[i].expr);
		free(s->args[i].type);
		memmove(&s->args[i], &s->args[i + 1], (--s->nargs - i) * sizeof(*s->args));
		e->at_exit = true;
		return;
	}
}

/* ---- the event that the probe is on ------------------------------------------------------- */

static int fail_event(const struct eprobe *e, struct trawl_error *err)
{
	char hint[400];

	events_hint(e->trace->top, e->spec.group, '.', e->spec.event, hint, sizeof(hint));
	return spec_fail(&e->spec, e->spec.path_at, err, "eprobe: no event %s.%s on this kernel%s",
			 e->spec.group, e->spec.event, hint);
}

/* Whether the event itself was defined at run time. */
static bool is_dynamic(const struct eprobe *e)
{
	struct trawl_error ignored;
	char wanted[256], *text = tracefs_read(e->trace->top, definitions, NULL, &ignored), *at;
	bool found;

	snprintf(wanted, sizeof(wanted), ":%s/%s", e->spec.group, e->spec.event);
	at = text ? strstr(text, wanted) : NULL;
	found = at && isspace((unsigned char)at[strlen(wanted)]);
	free(text);
	return found;
}

/*
 * Writes the error for a definition that the kernel refused, with the kernel's message and caret.
 */
static int fail_definition(const struct eprobe *e, const char *line, int error,
			   struct trawl_error *err)
{
	const char *name = e->display;
	char what[160];
	bool logged;
	int column;

	logged = tracefs_error(e->trace->top, line, what, sizeof(what), &column);
	/* The kernel says "not found" for an event that cannot have an eprobe. */
	if (is_dynamic(e) && (!logged || !strncmp(what, "Attached event", 14)))
		return trawl_fail(err, TRAWL_CANNOT,
				  "%s: this kernel takes no eprobe on %s.%s, which "
				  "is itself a probe; give that probe the arguments",
				  name, e->spec.group, e->spec.event);
	if (logged)
		return caret_fail(err, TRAWL_USAGE, line, column > 0 ? (size_t)column : 0,
				  "%s: the kernel refuses this probe: %s", name, what);
	return trawl_fail(err, TRAWL_CANNOT, "%s: the kernel refuses this probe: %s\n    %s", name,
			  strerror(error), line);
}

/* Finds what is wrong with an eprobe's filter, which the kernel does not report: sets it as a
 * filter of the event, after which error_log has the position of the error. */
static int check_filter(const struct eprobe *e, struct trawl_error *err)
{
	const char *filter = e->spec.filter, *at = strstr(e->spec.text, filter);
	struct trawl_error ignored;
	char path[256], what[160];
	int column;

	if (!*filter)
		return 0;
	snprintf(path, sizeof(path), "events/%s/%s/filter", e->spec.group, e->spec.event);
	if (!tracefs_write(e->trace->dir, path, filter, &ignored)) {
		tracefs_write(e->trace->dir, path, "0", &ignored);
		return 0;
	}
	/* The filter is at the end of the user's text: takes the last occurrence. */
	for (const char *next = at; next; next = strstr(next + 1, filter))
		at = next;
	if (!at || !tracefs_error(e->trace->dir, filter, what, sizeof(what), &column))
		return spec_fail(&e->spec, at ? (size_t)(at - e->spec.text) : 0, err,
				 "eprobe: the kernel refuses this filter");
	return spec_fail(&e->spec, (size_t)(at - e->spec.text) + (size_t)(column > 0 ? column : 0),
			 err, "eprobe: the kernel refuses this filter: %s", what);
}

static int define(const struct eprobe *e, const char *group, const char *event,
		  struct trawl_error *err)
{
	const char *filter = e->at_exit ? "" : e->spec.filter;
	char *line;
	int r;

	if (asprintf(&line, "e:%s/%s %s.%s %s%s%s", e->trace->name, e->event, group, event,
		     e->args ? e->args : "", *filter ? " if " : "", filter) < 0)
		return trawl_fail(err, TRAWL_CANNOT, "out of memory");
	if (strlen(line) > LINE_MAX_)
		r = spec_fail(&e->spec, e->spec.at, err, "eprobe: too long: with all arguments %zu "
			      "characters, the kernel takes %d", strlen(line), LINE_MAX_);
	else if (tracefs_write(e->trace->top, definitions, line, err))
		r = fail_definition(e, line, errno, err);
	else
		r = 0;
	free(line);
	return r;
}

/* ---- at-exit ------------------------------------------------------------------------------ */

static void replace_text(char **where, char *by)
{
	free(*where);
	*where = by;
}

/* Returns the number in "id == 257"; -1 for any other filter. */
static long filtered_call(const char *filter)
{
	char rest;
	long nr;

	return sscanf(filter, "id == %ld %c", &nr, &rest) == 1 ||
	       sscanf(filter, "id==%ld %c", &nr, &rest) == 1 ? nr : -1;
}

/* Replaces "+N($args)" by "$FIELD" of the system call's own event. Arguments are 8 bytes apart. */
static int name_arguments(struct eprobe *e, struct spec_arg *arg, const struct eventformat *call,
			  struct trawl_error *err)
{
	char *at, *end, *by;
	unsigned long offset;

	while ((at = strstr(arg->expr, "($args)"))) {
		char *from = at;

		while (from > arg->expr && isdigit((unsigned char)from[-1]))
			from--;
		offset = strtoul(from, &end, 10);
		if (from == at || from == arg->expr || from[-1] != '+' || end != at || offset % 8 ||
		    offset / 8 + 1 >= call->nfields)
			return spec_fail(&e->spec, arg->at, err,
					 "eprobe: at-exit: not an argument of %s; write "
					 "+8($args) for the second",
					 call->name);
		/* The first field is the call's number. */
		if (asprintf(&by, "%.*s$%s%s", (int)(from - 1 - arg->expr), arg->expr,
			     call->fields[offset / 8 + 1].name, at + 7) < 0)
			return trawl_fail(err, TRAWL_CANNOT, "out of memory");
		replace_text(&arg->expr, by);
	}
	return 0;
}

/* Defines a probe on raw_syscalls.sys_enter with a field for each element of its array. That event
 * occurs at every system call, so the probe has the user's filter. */
static int name_elements(struct eprobe *e, unsigned int number, struct eventformat *call,
			 char event[64], struct trawl_error *err)
{
	const char *filter = e->spec.filter;
	struct kernel_features k;
	char *line;
	int r;

	if (check_filter(e, err) || ktest_run(e->trace->top, &k, err))
		return -1;
	if (!k.arrays)
		return spec_fail(&e->spec, e->spec.path_at, err, "eprobe: at-exit on raw_syscalls "
				 "needs 'if id == NUMBER' of one system call on this kernel, "
				 "which reads arrays wrongly (Linux 6.17 is needed)");
	snprintf(event, 64, "enter_%u", number);
	if (asprintf(&line,
		     "e:%s/%s raw_syscalls.sys_enter id=$id:s64 a0=+0($args):x64 "
		     "a1=+8($args):x64 a2=+16($args):x64 a3=+24($args):x64 a4=+32($args):x64 "
		     "a5=+40($args):x64%s%s",
		     e->trace->name, event, *filter ? " if " : "", filter) < 0)
		return trawl_fail(err, TRAWL_CANNOT, "out of memory");
	r = tracefs_write(e->trace->top, definitions, line, err) ?
		fail_definition(e, line, errno, err) :
		trace_format(e->trace, e->trace->name, event, call, err);
	free(line);
	return r;
}

/*
 * Replaces raw_syscalls.sys_enter with a filter for one system call by the event of that call,
 * because kernels before 6.17 read the array of raw_syscalls.sys_enter wrongly, without an error.
 * Any other filter needs a newer kernel.
 */
static int name_call(struct eprobe *e, unsigned int number, struct trawl_error *err)
{
	long nr = filtered_call(e->spec.filter);
	const char *name = nr < 0 ? NULL : syscallname(nr), *group = "syscalls";
	struct eventformat call;
	struct trawl_error ignored;
	char event[64];
	int r = 0;

	snprintf(event, sizeof(event), "sys_enter_%.50s", name ? name : "");
	if (!name || trace_format(e->trace, group, event, &call, &ignored)) {
		group = e->trace->name;
		if (name_elements(e, number, &call, event, err))
			return -1;
	}
	for (size_t i = 0; !r && i < e->spec.nargs; i++)
		r = name_arguments(e, &e->spec.args[i], &call, err);
	if (r) {
		eventformat_free(&call);
		return -1;
	}
	eventformat_free(&e->format);
	e->format = call;
	replace_text(&e->spec.group, strdup(group));
	replace_text(&e->spec.event, strdup(event));
	e->spec.filter[0] = '\0';
	return e->spec.group && e->spec.event ? 0 : trawl_fail(err, TRAWL_CANNOT, "out of memory");
}

/* Fills in the event at the end of the system call, with its field `ret`. */
static int find_exit(struct eprobe *e, unsigned int number, struct trawl_error *err)
{
	static const char enter[] = "sys_enter_";
	struct hist_pair *c = &e->hist;
	struct eventformat end;
	struct trawl_field *ret;
	bool raw;
	int r;

	if (!strcmp(e->spec.group, "raw_syscalls") && !strcmp(e->spec.event, "sys_enter") &&
	    name_call(e, number, err))
		return -1;
	raw = !strcmp(e->spec.group, e->trace->name);
	if (!raw && (strcmp(e->spec.group, "syscalls") ||
		     strncmp(e->spec.event, enter, sizeof(enter) - 1)))
		return spec_fail(&e->spec, e->spec.path_at, err, "eprobe: at-exit is for "
				 "syscalls.sys_enter_NAME: %s.%s has no exit (for two events in "
				 "general see synth:)", e->spec.group, e->spec.event);
	snprintf(c->start_group, sizeof(c->start_group), "%s", e->spec.group);
	snprintf(c->start_event, sizeof(c->start_event), "%s", e->spec.event);
	snprintf(c->end_group, sizeof(c->end_group), "%s", raw ? "raw_syscalls" : "syscalls");
	snprintf(c->end_event, sizeof(c->end_event), "sys_exit%s",
		 raw ? "" : e->spec.event + sizeof(enter) - 2);
	/* The TID is the key: a task is in one system call at a time. */
	strcpy(c->start_key, "common_pid");
	strcpy(c->end_key, "common_pid");
	c->start_filter = e->spec.filter;
	c->end_filter = "";
	if (hist_pair_latency(c, err))
		return -1;
	if (trace_format(e->trace, c->end_group, c->end_event, &end, err))
		return -1;
	ret = eventformat_field(&end, "ret");
	r = ret ? hist_pair_field(c, "ret", ret, true, err)
		: trawl_fail(err, TRAWL_CANNOT, "%s.%s has no field ret", c->end_group,
			     c->end_event);
	eventformat_free(&end);
	return r;
}

/* Adds `ret`, a field of the exit event, so that arguments can use it. */
static int add_ret(struct eventformat *f, struct trawl_error *err)
{
	struct trawl_field *ret;

	if (eventformat_field(f, "ret"))
		return 0;
	if (!array_grow(f->fields, f->nfields))
		return trawl_fail(err, TRAWL_CANNOT, "out of memory");
	ret = &f->fields[f->nfields++];
	*ret = (struct trawl_field){
		.name = strdup("ret"), .ctype = strdup("long"), .note = "",
		.kind = TRAWL_INT, .size = 8, .count = 1,
	};
	return ret->name && ret->ctype ? 0 : trawl_fail(err, TRAWL_CANNOT, "out of memory");
}

/* ---- one -i ------------------------------------------------------------------------------- */

static bool event_taken(const struct trace *t, const char *event)
{
	for (size_t i = 0; i < t->nevents; i++) {
		if (!strcmp(t->events[i].name, event))
			return true;
	}
	return false;
}

/* Sets the names in the file and in tracefs from OWN: "GROUP/NAME", "NAME" or "". Two probes on one
 * event get different names. */
static int set_names(struct eprobe *e, struct trawl_error *err)
{
	const char *own = e->spec.own, *slash = strchr(own, '/');
	size_t n = 0, shown;

	if (slash)
		snprintf(e->display, sizeof(e->display), "%.*s:%.80s", (int)(slash - own), own,
			 slash + 1);
	else if (*own)
		snprintf(e->display, sizeof(e->display), "eprobe:%.80s", own);
	else
		snprintf(e->display, sizeof(e->display), "%.70s:%.70s", e->spec.group,
			 e->spec.event);
	for (const char *p = *own ? (slash ? slash + 1 : own) : e->spec.event; *p && n < 48; p++)
		e->event[n++] = is_word(*p) ? *p : '_';
	e->event[n] = '\0';
	if (*own && trace_has_name(e->trace, e->display))
		return spec_fail(&e->spec, e->spec.at, err,
				 "eprobe: the name %s is used already; give this one another name",
				 own);
	shown = strlen(e->display);
	for (unsigned int i = 2; trace_has_name(e->trace, e->display); i++)
		snprintf(e->display + shown, sizeof(e->display) - shown, "#%u", i);
	for (unsigned int i = 2; event_taken(e->trace, e->event); i++)
		snprintf(e->event + n, sizeof(e->event) - n, "_%u", i);
	return 0;
}

/* Writes metadata probe/eprobe/NAME: the user's text, and the definition that was made from it. */
static int write_meta(const struct eprobe *e, struct trawl_error *err)
{
	struct json j = { 0 };
	char name[200];

	json_object(&j, NULL);
	json_string(&j, "event", e->display);
	json_string(&j, "kind", e->at_exit ? "eprobe-at-exit" : "eprobe");
	json_string(&j, "spec", e->spec.text);
	json_string(&j, "on", e->spec.group);
	json_string(&j, "on_event", e->spec.event);
	json_string(&j, "args", e->args ? e->args : "");
	json_string(&j, "filter", e->spec.filter);
	json_end(&j);
	snprintf(name, sizeof(name), "probe/eprobe/%s", e->display);
	return meta_write_json(session_writer(e->trace->in->session), name, mono_now(), &j, err);
}

static int define_at_exit(struct eprobe *e, unsigned int number, struct trawl_error *err)
{
	if (hist_pair_make(e->trace, &e->hist, number, err))
		return -1;
	return define(e, "synthetic", e->hist.synthetic, err);
}

static int add_event(struct eprobe *e, struct trawl_error *err)
{
	struct eventformat f;
	int r;

	if (trace_format(e->trace, e->trace->name, e->event, &f, err))
		return -1;
	r = eprobe_check_event(e->trace, &e->checks, &f, err);
	if (!r)
		r = trace_add(e->trace, &(struct trace_wanted){
			.group = e->trace->name, .name = e->event, .display = e->display,
			.format = &f, .filter = "" }, err);
	eventformat_free(&f);
	if (!r && e->of_request) {
		struct trace_event *added = &e->trace->events[e->trace->nevents - 1];

		added->request = strdup(e->spec.event);
		if (!added->request)
			return trawl_fail(err, TRAWL_CANNOT, "out of memory");
	}
	return r;
}

static int arm_one(struct eprobe *e, unsigned int number, struct trawl_error *err)
{
	struct trawl_error ignored;

	take_at_exit(e);
	if (trace_format(e->trace, e->spec.group, e->spec.event, &e->format, &ignored))
		return fail_event(e, err);
	if (set_names(e, err))
		return -1;
	if (e->at_exit && (find_exit(e, number, err) || add_ret(&e->format, err)))
		return -1;
	if (add_arguments(e, err) || check_filter(e, err))
		return -1;
	if (e->at_exit ? define_at_exit(e, number, err)
		       : define(e, e->spec.group, e->spec.event, err))
		return -1;
	if (*e->spec.filter)
		e->trace->filtered = true;
	return add_event(e, err) || write_meta(e, err) ? -1 : 0;
}

static void eprobe_free(struct eprobe *e)
{
	spec_free(&e->spec);
	eventformat_free(&e->format);
	eprobe_checks_free(&e->checks);
	free(e->args);
}

static int arm_spec(struct trace *t, const char *text, unsigned int number, struct trawl_error *err)
{
	struct eprobe e = { .trace = t };
	char *whole;
	int r = -1;

	if (asprintf(&whole, "eprobe:%s", text) < 0)
		return trawl_fail(err, TRAWL_CANNOT, "out of memory");
	if (!spec_parse(whole, &e.spec, err) && !event_check_calls(&e.spec, err))
		r = arm_one(&e, number, err);
	eprobe_free(&e);
	free(whole);
	return r;
}

static int eprobe_arm(struct input *in, struct trawl_error *err)
{
	struct trace *t = trace_new(in, 0, err);

	if (!t || (in->source == &eprobe_source && trace_limit(t, err)))
		return -1;
	for (size_t i = 0; i < in->nspecs; i++) {
		if (!session_is_repeated(in, i) &&
		    arm_spec(t, in->specs[i], (unsigned int)i + 1, err))
			return -1;
	}
	if (in->source != &eprobe_source && block_follow(t, err))
		return -1;
	return ktest_meta(t, err);
}

static void eprobe_block_disarm(struct input *in)
{
	block_free(in);
	hist_pair_disarm(in);
}

/*
 * Probes on events of disk requests are recorded by another source in a scope: [OWN=]block.EVENT.
 */
static const struct source *eprobe_scoped(const char *spec)
{
	const char *event = strpbrk(spec, "= ");

	event = event && *event == '=' ? event + 1 : spec;
	return strncmp(event, "block.", 6) ? &eprobe_source : &eprobe_block_source;
}

static int eprobe_probe(struct trawl_error *err)
{
	return ktest_probe(ktest_eprobe, err);
}

static void eprobe_describe(struct source_list *list)
{
	struct trawl_error err;
	struct kernel_features k = { 0 };
	char what[256];
	int top = tracefs_open(&err);

	if (top < 0 || ktest_run(top, &k, &err)) {
		source_list_add(list, "eprobe:GROUP.EVENT", "probes on events of the kernel",
				err.text);
	} else {
		snprintf(what, sizeof(what), "probes on events of the kernel: %s%s%s%s%s%s%s",
			 k.filter ? "filters, " : "no filters, ",
			 k.arrays ? "arrays, " : "no arrays, ",
			 k.hist && k.on_synthetic ? "at-exit" : "no at-exit",
			 k.on_kprobe ? ", on kprobes" : "", k.on_uprobe ? ", on uprobes" : "",
			 k.on_fprobe ? ", on fprobes" : "", k.on_eprobe ? ", on eprobes" : "");
		source_list_add(list, "eprobe:GROUP.EVENT", what,
				k.eprobe ? NULL : eprobe_probe(&err) ? err.text : NULL);
	}
	if (top >= 0)
		close(top);
}

const struct source eprobe_source = {
	.name = "eprobe",
	.summary = "[OWN=]GROUP.EVENT [ARG ...] [at-exit] [if FILTER]",
	.spec_language = true,
	.tasks = true,
	.scoped = eprobe_scoped,
	.describe = eprobe_describe,
	.probe = eprobe_probe,
	.arm = eprobe_arm,
	TRACE_RECORDING,
	.stats = hist_pair_stats,
	.disarm = hist_pair_disarm,
};

const struct source eprobe_block_source = {
	.name = "eprobe",
	.instance = "eprobeblock",
	.spec_language = true,
	.tasks = true,
	.probe = eprobe_probe,
	.arm = eprobe_arm,
	BLOCK_RECORDING,
	.stats = hist_pair_stats,
	.disarm = eprobe_block_disarm,
};
