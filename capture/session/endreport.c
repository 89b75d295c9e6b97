/* SPDX-License-Identifier: MIT */
#include "config.h"

#include <inttypes.h>
#include <stdio.h>
#include <sys/wait.h>

#include "capture/session/endreport.h"
#include "capture/sys/meta.h"
#include "common/json.h"
#include "common/plain.h"

static void put_command(struct json *j, const struct command *c)
{
	char verdict[64];

	if (c->ended)
		json_int(j, "exit_status", command_status(c));
	if (c->ended && WIFSIGNALED(c->status))
		json_int(j, "signal", WTERMSIG(c->status));
	if (c->pid)
		json_string(j, "command", command_verdict(c, verdict, sizeof(verdict)));
}

static void put_sources(struct json *j, const struct end_report *a)
{
	json_array(j, "sources");
	for (size_t i = 0; i < a->ninputs; i++) {
		json_object(j, NULL);
		json_string(j, "source", a->inputs[i].source->name);
		json_uint(j, "events", a->stats[i].captured);
		json_uint(j, "lost", a->stats[i].lost);
		if (a->stats[i].uncounted)
			json_bool(j, "lost_more", true);
		if (a->stats[i].hits)
			json_uint(j, "hits", a->stats[i].hits);
		json_end(j);
	}
	json_end(j);
}

int end_report_write(const struct end_report *a, struct trawl_writer *w, uint64_t time,
		  struct trawl_error *err)
{
	struct json j = { 0 };

	json_object(&j, NULL);
	json_string(&j, "why", a->why);
	if (a->trigger)
		json_string(&j, "trigger", a->trigger);
	json_bool(&j, "incomplete", a->incomplete);
	json_uint(&j, "begin_mono_ns", a->begin);
	json_uint(&j, "end_mono_ns", a->end);
	if (a->early)
		json_uint(&j, "early", a->early);
	put_command(&j, a->command);
	if (a->stats)
		put_sources(&j, a);
	json_end(&j);
	return (a->more_files ? meta_write_last : meta_write_json)(w, "end", time, &j, err);
}

/* No probe was hit: COMMAND may be a script, or another program of that name. */
static void print_no_hits(const struct end_report *a)
{
	char text[1200];

	for (size_t i = 0; i < a->ninputs; i++) {
		const struct source *source = a->inputs[i].source;
		const struct source_stats *s = &a->stats[i];

		if (!source->programs || s->captured || s->lost || s->uncounted)
			continue;
		snprintf(text, sizeof(text),
			 "%s: no probe was hit. %.512s ran %s: does it contain the probes? "
			 "(-p PID: a program that ran before)",
			 source->name, a->command->name, a->command->exe);
		fprintf(stderr, "trawl: %s\n", plain_text(text, true));
	}
}

/* How many events were lost; `and more`: an unknown number beside them. */
static const char *lost_text(uint64_t lost, bool and_more, char *buf, size_t size)
{
	if (!lost && and_more)
		return "an unknown number";
	snprintf(buf, size, "%" PRIu64 "%s", lost, and_more ? " and more" : "");
	return buf;
}

void end_report_print(const struct end_report *a, const char *more)
{
	/* captured: not a->captured, which counts a record of many branches as one */
	uint64_t captured = 0, lost = 0, hidden = 0;
	bool uncounted = false;
	char by[512] = "", aside[48] = "", number[32];
	size_t used = 0;

	if (a->command->pid && *a->command->exe)
		print_no_hits(a);
	for (size_t i = 0; i < a->ninputs; i++) {
		const struct source *source = a->inputs[i].source;
		const struct source_stats *stats = &a->stats[i];

		*(source->hidden ? &hidden : &lost) += stats->lost;
		uncounted |= stats->uncounted;
		captured += source->hidden ? 0 : stats->captured;
		if (source->hidden || used >= sizeof(by))
			continue;
		used += (size_t)snprintf(by + used, sizeof(by) - used, "%s%s %" PRIu64,
					 used ? ", " : "", source->name, stats->captured);
		if ((stats->lost || stats->uncounted) && used < sizeof(by))
			used += (size_t)snprintf(by + used, sizeof(by) - used,
						 " (lost %s)",
						 lost_text(stats->lost, stats->uncounted, number,
							   sizeof(number)));
	}
	if (hidden)
		snprintf(aside, sizeof(aside), "; of tasks: lost %" PRIu64, hidden);
	fprintf(stderr, "%" PRIu64 " event%s captured, %s lost (%s%s)%s\n", captured,
		captured == 1 ? "" : "s", lost_text(lost, uncounted, number, sizeof(number)), by,
		aside, more);
}
