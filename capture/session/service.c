/* SPDX-License-Identifier: MIT */
/* What sources see of a session (capture/session.h). */
#include "config.h"

#include <assert.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "common/plain.h"
#include "capture/sys/alloc.h"
#include "capture/session/endreport.h"
#include "capture/session/state.h"
#include "capture/sys/clock.h"

struct trawl_writer *session_writer(struct session *s)
{
	return s->rec.w;
}

const struct options *session_options(const struct session *s)
{
	return s->o;
}

size_t session_scope(const struct session *s, const pid_t **pids)
{
	*pids = s->scope.pids;
	return s->scope.n;
}

struct tasks *session_tasks(struct session *s)
{
	return &s->tasks;
}

struct crash *session_crash(struct session *s)
{
	return s->o->ring && s->command.pid ? &s->crash : NULL;
}

void session_add_site(struct session *s, const struct session_site *site)
{
	xgrow(s->sites, s->nsites);
	s->sites[s->nsites++] = *site;
}

const struct session_site *session_sites(const struct session *s, size_t *n)
{
	*n = s->nsites;
	return s->sites;
}

void session_on_reaped(struct session *s, pid_t pid, int status)
{
	if (pid == s->command.pid && !s->command.ended) {
		s->command.reaped = true;
		s->command.status = status;
	}
}

struct task_filter *session_followed(struct session *s)
{
	return &s->followed;
}

const struct session_span *session_span(const struct session *s)
{
	return &s->span;
}

uint64_t session_last(const struct session *s)
{
	if (s->newest && s->rec.end && !strcmp(s->rec.end, "count"))
		return s->newest;
	return s->span.end;
}

int session_learn(struct session *s, struct trawl_error *err)
{
	for (size_t i = 0; i < s->nstarted; i++) {
		struct input *in = &s->inputs[i];

		if (in->source->learn && in->source->learn(in, &s->followed, err))
			return -1;
	}
	return 0;
}

static void note(const char *fmt, va_list ap)
{
	char text[1200];

	vsnprintf(text, sizeof(text), fmt, ap);
	fprintf(stderr, "trawl: %s\n", plain_text(text, true));
}

void session_note(struct session *s, const char *fmt, ...)
{
	va_list ap;

	if (s->o->quiet)
		return;
	va_start(ap, fmt);
	note(fmt, ap);
	va_end(ap);
}

void session_incomplete(struct session *s, const char *fmt, ...)
{
	va_list ap;

	s->incomplete = true;
	va_start(ap, fmt);
	note(fmt, ap);
	va_end(ap);
}

bool session_is_repeated(const struct input *in, size_t i)
{
	for (size_t k = 0; k < i; k++) {
		if (strcmp(in->specs[k], in->specs[i]))
			continue;
		session_note(in->session, "%s:%s: given twice: recorded once", in->source->name,
			     in->specs[i]);
		return true;
	}
	return false;
}

void session_end_file(struct session *s)
{
	for (size_t i = 0; i < s->nstarted; i++) {
		if (s->inputs[i].source->rotate)
			s->inputs[i].source->rotate(&s->inputs[i]);
	}
}

void session_rotate(struct session *s)
{
	struct end_report report;
	struct trawl_error err;

	session_end_file(s);
	report = (struct end_report){
		.why = "rotation", .incomplete = s->incomplete || s->rec.lossy,
		.begin = s->rec.begin, .end = s->rec.cut, .early = s->rec.early,
		.more_files = true, .command = &(struct command){ 0 },
	};
	if (end_report_write(&report, s->rec.w, mono_now(), &err))
		recording_fail(&s->rec, &err);
}

/* Emits one of the first COUNT events (-c). */
static int emit_counted(const struct pending_event *e, void *arg, struct trawl_error *err)
{
	struct session *s = arg;

	s->captured++;
	s->newest = e->mono;
	return recording_put(&s->rec, &e->record, e->mono, err);
}

int session_settle(struct session *s, uint64_t until, struct trawl_error *err)
{
	int r = s->o->count ? first_settle(&s->first, until, emit_counted, s, err) : 0;

	if (r > 0)
		recording_end(&s->rec, "count");
	return r < 0 ? -1 : 0;
}

int session_append(struct input *in, const struct trawl_record *r, struct trawl_error *err)
{
	struct session *s = in->session;
	uint64_t mono = recording_mono(&s->rec, in->source, r->ts);

	assert(s->state >= SESSION_ARMED && s->state <= SESSION_HALTED);

	if (mono > s->span.end && !(in->source->realtime && mono > mono_now()))
		return 1;
	/* Only the first events are checked: a wall clock may be set back later. */
	if (mono < s->span.begin && !(in->source->realtime && in->flows))
		return 0;
	in->flows = true;
	s->inputs_of[r->source] = in;
	if (s->o->count && !in->source->hidden) {
		/* A time in the future is from before the clock was set back. */
		if (in->source->realtime && mono > mono_now())
			mono = mono_now();
		return first_add(&s->first, r, mono, err);
	}
	s->captured += !in->source->hidden;
	return recording_put(&s->rec, r, mono, err);
}

int session_loss(struct session *s, const struct trawl_loss *loss, struct trawl_error *err)
{
	return recording_loss(&s->rec, loss, err);
}
