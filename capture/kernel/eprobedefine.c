/* SPDX-License-Identifier: MIT */
#include "capture/kernel/eprobedefine.h"
#include "capture/tracefs/tracefs.h"
#include "common/caret.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LINE_MAX_ = 4094 }; /* of the kernel (kernel/trace/trace_probe.h) */

static const char definitions[] = "dynamic_events";

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

int eprobe_check_filter(const struct eprobe *e, struct trawl_error *err)
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

int eprobe_define_line(const struct eprobe *e, const char *line, struct trawl_error *err)
{
	return tracefs_write(e->trace->top, definitions, line, err) ?
		       fail_definition(e, line, errno, err) : 0;
}

int eprobe_define(const struct eprobe *e, const char *group, const char *event,
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
	else
		r = eprobe_define_line(e, line, err);
	free(line);
	return r;
}
