/* SPDX-License-Identifier: MIT */
#include "capture/kernel/eprobeexit.h"
#include "capture/kernel/ktest.h"
#include "capture/kernel/syscallname.h"
#include "common/array.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void eprobe_take_at_exit(struct eprobe *e)
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

/*
 * Defines a probe on raw_syscalls.sys_enter with a field for each element of its array. That event
 * occurs at every system call, so the probe has the user's filter.
 */
static int name_elements(struct eprobe *e, unsigned int number, struct eventformat *call,
			 char event[64], struct trawl_error *err)
{
	const char *filter = e->spec.filter;
	struct kernel_features k;
	char *line;
	int r;

	if (eprobe_check_filter(e, err) || ktest_run(e->trace->top, &k, err))
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
	r = eprobe_define_line(e, line, err);
	if (!r)
		r = trace_format(e->trace, e->trace->name, event, call, err);
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

/* Fills in the event at the end of the system call, with its field `ret`. */
static int fill_pair(struct eprobe *e, unsigned int number, struct trawl_error *err)
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

int eprobe_find_exit(struct eprobe *e, unsigned int number, struct trawl_error *err)
{
	return fill_pair(e, number, err) || add_ret(&e->format, err) ? -1 : 0;
}

int eprobe_define_at_exit(struct eprobe *e, unsigned int number, struct trawl_error *err)
{
	if (hist_pair_make(e->trace, &e->hist, number, err))
		return -1;
	return eprobe_define(e, "synthetic", e->hist.synthetic, err);
}
