/* SPDX-License-Identifier: MIT */
/* The state of a session (capture/session.h). */
#ifndef TRAWL_CAPTURE_SESSION_STATE_H
#define TRAWL_CAPTURE_SESSION_STATE_H

#include "capture/output/first.h"
#include "capture/output/recording.h"
#include "capture/session.h"
#include "capture/session/command.h"
#include "capture/session/eventfd.h"
#include "capture/session/scope.h"
#include "capture/task/crash.h"
#include "capture/task/task.h"
#include "capture/task/taskfilter.h"

enum { WRITER_SOURCES = PENDING_SOURCES }; /* a session has fewer sources */

/*
 * The states of a session. A failure leads to disarm() from each of them.
 *
 *	SET_UP --arm()--> ARMED --begin()--> RUNNING --halt()--> HALTED --stop()--> DRAINED
 *
 *	SET_UP   sources describe themselves to the writer; no event flows
 *	ARMED    sources start one by one; their events are discarded
 *	RUNNING  events count from span.begin on; COMMAND runs; files rotate
 *	HALTED   events up to span.end still come from the kernel; span.end is known
 *	DRAINED  the file has them all
 */
enum session_state {
	SESSION_SET_UP, SESSION_ARMED, SESSION_RUNNING, SESSION_HALTED, SESSION_DRAINED
};

struct session {
	enum session_state state;
	const struct options *o;
	struct user user;
	struct recording rec; /* the output */
	struct tasks tasks;
	struct task_filter followed;
	struct command command;
	struct crash crash; /* of COMMAND, with --ring */
	struct input *inputs;
	size_t ninputs;
	size_t nstarted;
	struct scope scope;
	struct event_fds event_fds;
	struct session_site *sites; /* that have uprobes of this capture */
	size_t nsites;

	uint64_t captured;   /* events of sources that the user named */
	struct first first;  /* -c */
	struct input *inputs_of[WRITER_SOURCES]; /* by the writer's number of a source */
	struct session_span span;
	uint64_t newest;     /* MONO of the last event that was handed on, with -c */
	uint64_t next_sync, next_tick, next_renewal;
	bool stepped;        /* the wall clock was set */
	uint64_t interrupted; /* CLOCK_MONOTONIC of the first interrupt; 0: none */
	bool stay_noted;      /* note_command_stays() has printed its note */
	bool incomplete;
	const char *last;    /* why the session ends once the file of a trigger is written */
};

/*
 * Emits those of the first COUNT events (-c) up to the time `until`; all events up to then have
 * been drained. Returns 0, or -1 with *err.
 */
int session_settle(struct session *s, uint64_t until, struct trawl_error *err);

#endif
