/* SPDX-License-Identifier: MIT */
/*
 * The source "eprobe": probes on existing events of the kernel.
 *
 * 	eprobe:[OWN=]GROUP.EVENT [ARG ...] [at-exit] [if FILTER]
 */
#include "capture/cli/spec.h"
#include "capture/kernel/block.h"
#include "capture/kernel/eprobeargs.h"
#include "capture/kernel/eprobedefine.h"
#include "capture/kernel/eprobeexit.h"
#include "capture/kernel/event.h"
#include "capture/kernel/ktest.h"
#include "capture/session.h"
#include "capture/sys/clock.h"
#include "capture/sys/meta.h"
#include "capture/trace/drain.h"
#include "capture/tracefs/tracefs.h"
#include "common/json.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

extern const struct source eprobe_source, eprobe_block_source;

static int fail_event(const struct eprobe *e, struct trawl_error *err)
{
	char hint[400];

	events_hint(e->trace->top, e->spec.group, '.', e->spec.event, hint, sizeof(hint));
	return spec_fail(&e->spec, e->spec.path_at, err, "eprobe: no event %s.%s on this kernel%s",
			 e->spec.group, e->spec.event, hint);
}

static bool event_taken(const struct trace *t, const char *event)
{
	for (size_t i = 0; i < t->nevents; i++) {
		if (!strcmp(t->events[i].name, event))
			return true;
	}
	return false;
}

/*
 * Sets the names in the file and in tracefs from OWN: "GROUP/NAME", "NAME" or "". Two probes on one
 * event get different names.
 */
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
		e->event[n++] = isalnum((unsigned char)*p) ? *p : '_';
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

	eprobe_take_at_exit(e);
	if (trace_format(e->trace, e->spec.group, e->spec.event, &e->format, &ignored))
		return fail_event(e, err);
	if (set_names(e, err))
		return -1;
	if (e->at_exit && eprobe_find_exit(e, number, err))
		return -1;
	if (eprobe_add_arguments(e, err) || eprobe_check_filter(e, err))
		return -1;
	if (e->at_exit ? eprobe_define_at_exit(e, number, err)
		       : eprobe_define(e, e->spec.group, e->spec.event, err))
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
	struct eprobe e = { .trace = t, .with_request = t->in->source != &eprobe_source };
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
	.trace_events = true,
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
	.trace_events = true,
	.probe = eprobe_probe,
	.arm = eprobe_arm,
	BLOCK_RECORDING,
	.stats = hist_pair_stats,
	.disarm = block_pair_disarm,
};
