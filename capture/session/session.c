/* SPDX-License-Identifier: MIT */
/* A session from its options to its end: starts the sources, drains them, stops them. */
#include "config.h"

#include <assert.h>
#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <linux/membarrier.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "capture/session/state.h"
#include "capture/session/endreport.h"
#include "capture/tracefs/gc.h"
#include "capture/session/inputs.h"
#include "capture/sys/clock.h"
#include "capture/sys/privileges.h"
#include "capture/tracefs/tracefs.h"

enum {
	WAKE_MS = 200,	   /* the longest time between two drains */
	WAKE_LIVE_MS = 50, /* likewise where events are printed as they come */
	CUT_MS = 2,        /* likewise while a file ends */
	SYNC_MS = 1000,	   /* between clock-sync blocks */
	SYNC_LIVE_MS = 250,
	RENEW_S = 600,	      /* tasks are written again so often: a ring drops the oldest */
	LAST_DRAIN_MS = 3000, /* the longest last drain of a source that does not stop */
	FDS_FIXED = 5,	      /* signals, clock steps, command, output, -p */
	FDS_MAX = FDS_FIXED + 4096,
};

static const uint64_t NS_PER_MS = 1000000;
static const uint64_t NS_PER_S = 1000000000;
/*
 * The most that passes between an event's time stamp and its commit to the ring buffer. Longer only
 * on a virtual machine that is paused.
 */
static const uint64_t COMMIT_NS = 1000000;

static void enter(struct session *s, enum session_state state)
{
	assert((unsigned int)state == s->state + 1u);
	s->state = state;
}

/* ---- setting up -------------------------------------------------------------------------- */

static int set_up_scope(struct session *s, struct trawl_error *err)
{
	/* Standard output is the capture's: COMMAND's output must not mix with it. */
	bool to_stdout = s->o->write ? !strcmp(s->o->write, "-") : s->o->json;

	if (inputs_use_tracefs(s->inputs, s->ninputs) &&
	    scope_nested(s->o, &s->tasks.unknown, err))
		return -1;
	if (s->o->command &&
	    command_prepare(&s->command, s->o->command, &s->user, to_stdout, err))
		return -1;
	if (s->o->command ? scope_open(&s->scope, &s->command.pid, 1, false, true, err) :
			    scope_open(&s->scope, s->o->pids, s->o->npids, true, s->o->quiet, err))
		return -1;
	if (session_crash(s))
		crash_begin(&s->crash, s->command.pid, s->tasks.max);
	s->tasks.pids = s->scope.pids;
	s->tasks.npids = s->scope.n;
	s->tasks.followed = &s->followed;
	return 0;
}

static int set_up_followed(struct session *s, struct trawl_error *err)
{
	return task_filter_init(&s->followed, s->tasks.max)
		       ? 0
		       : trawl_fail(err, TRAWL_CANNOT, "out of memory");
}

static int collect_leftovers(struct session *s, struct trawl_error *err)
{
	struct trawl_error ignored;
	struct gc_count count;
	int top;

	if (!inputs_use_tracefs(s->inputs, s->ninputs))
		return 0;
	top = tracefs_open(err);
	if (top < 0)
		return -1;
	gc_run(top, &count, &ignored); /* what it cannot remove, a later run will */
	if (count.instances + count.events && s->o->verbose)
		session_note(s, "removed what a killed capture left: %u instances, %u probes",
			     count.instances, count.events);
	close(top);
	return 0;
}

static int arm(struct session *s, struct trawl_error *err)
{
	for (size_t i = 0; i < s->ninputs; i++) {
		if (s->inputs[i].source->arm(&s->inputs[i], err))
			return -1;
	}
	if (s->o->ring && flight_arm(&s->rec.flight, s->rec.w, err))
		return -1;
	/*
	 * A process of -p may end before its first event is drained, so it is looked up now.
	 * COMMAND has not called exec yet: start() looks it up.
	 */
	for (size_t i = 0; i < s->o->npids; i++)
		tasks_saw_process(&s->tasks, s->o->pids[i]);
	if (tasks_flush(&s->tasks, s->rec.w, err))
		return -1;
	enter(s, SESSION_ARMED);
	return 0;
}

/* Enabling many probes takes seconds: events are captured from the time when all sources run. */
static int begin(struct session *s, struct trawl_error *err)
{
	uint64_t began;

	for (; s->nstarted < s->ninputs; s->nstarted++) {
		struct input *in = &s->inputs[s->nstarted];

		if (in->source->start && in->source->start(in, err))
			return -1;
	}
	for (size_t i = 0; i < s->ninputs; i++) {
		struct input *in = &s->inputs[i];

		if (in->source->discard && in->source->discard(in, err))
			return -1;
	}
	if (recording_start(&s->rec, err))
		return -1;
	began = s->rec.sync.mono; /* as the file's first sync block has it */
	s->span.begin = began;
	enter(s, SESSION_RUNNING);
	if (s->o->duration)
		s->span.end = began + s->o->duration;
	s->next_sync = s->next_tick = began;
	s->next_renewal = began + RENEW_S * NS_PER_S;
	return 0;
}

static int start(struct session *s, struct trawl_error *err)
{
	if (begin(s, err))
		return -1;
	if (s->o->command) {
		/* Another capture may write to this file: refused before COMMAND runs. */
		if (output_check(&s->rec.output, err))
			return -1;
		if (command_go(&s->command, err))
			return -1;
		/* COMMAND may end before its first event is drained. */
		tasks_saw(&s->tasks, s->command.pid);
		if (tasks_flush(&s->tasks, s->rec.w, err))
			return -1;
	}
	s->rec.front = trawl_writer_expected(s->rec.w);
	return recording_commit(&s->rec, err);
}

/* Children that a process of -p had before the capture are not followed: names them. */
static void note_left_out(struct session *s)
{
	for (size_t i = 0; i < s->scope.n; i++) {
		size_t n = scope_left_out(&s->scope, i);

		if (n && s->scope.pids[i] != s->command.pid)
			session_note(s, "-p %d: it had %zu child%s before, not recorded; name %s "
				     "with -p, too", s->scope.pids[i], n, n == 1 ? "" : "ren",
				     n == 1 ? "that" : "those");
	}
}

static void note_start(struct session *s)
{
	if (s->o->quiet)
		return;
	note_left_out(s);
	if (!s->o->write || s->o->command)
		return;
	if (s->o->ring) {
		session_note(s, "keeping the newest %.1f MiB; kill -USR1 %d%s writes them",
			     (double)s->o->ring / (1 << 20), getpid(),
			     s->o->trigger ? " or --trigger" : "");
		return;
	}
	session_note(s, "capturing to %s%s",
		     strcmp(s->o->write, "-") ? s->o->write : "standard output",
		     s->o->duration ? "" : "; interrupt to end");
}

/* ---- running ----------------------------------------------------------------------------- */

/* Drains each source once. Returns DRAIN_MORE if one has more, 0, or -1 with *err. */
static int drain(struct session *s, struct trawl_error *err)
{
	uint64_t began = mono_now() - COMMIT_NS, reached = UINT64_MAX;
	int more = 0;

	if (s->o->count || s->o->rotate_bytes || s->rec.cut != UINT64_MAX)
		trawl_sync_now(&s->rec.sync);
	for (size_t i = 0; i < s->nstarted; i++) {
		struct input *in = &s->inputs[i];
		int r = in->source->drain(in, err);

		if (r < 0)
			return -1;
		more |= r;
		if (in->source->reached || !r)
			in->reached = in->source->reached ? in->source->reached(in) : began;
		reached = in->reached < reached ? in->reached : reached;
	}
	if (s->nstarted && reached > s->rec.drained &&
	    (session_settle(s, reached, err) || recording_settle(&s->rec, reached, err)))
		return -1;
	if (recording_tasks(&s->rec, err))
		return -1;
	return more & DRAIN_MORE;
}

/* COMMAND may ignore the interrupt: says how to end the capture. */
static void note_command_stays(struct session *s)
{
	if (!s->interrupted || s->stay_noted || s->command.ended || s->o->quiet ||
	    mono_now() < s->interrupted + NS_PER_S)
		return;
	s->stay_noted = true;
	session_note(s, "%s was interrupted and goes on; another interrupt ends the capture",
		     s->command.name);
}

/* Returns whether events may still come, though COMMAND has ended. */
static bool more_may_come(const struct session *s)
{
	pid_t one;

	for (size_t i = 0; i < s->ninputs; i++)
		if (s->inputs[i].source->unscoped)
			return true;
	return task_filter_living(&s->followed, &one) > 0;
}

static int tick(struct session *s, struct trawl_error *err)
{
	for (size_t i = 0; i < s->nstarted; i++) {
		struct input *in = &s->inputs[i];

		if (in->source->tick && in->source->tick(in, err))
			return -1;
	}
	if (tasks_refresh(&s->tasks, s->rec.w, err))
		recording_fail(&s->rec, err);
	note_command_stays(s);
	if (s->last && !more_may_come(s))
		flight_end_wait(&s->rec.flight);
	return 0;
}

/* Returns the time up to which the file has all events of all sources, and no later ones. */
static uint64_t end_time(const struct session *s, bool ended)
{
	uint64_t last = session_last(s);

	if (!ended)
		return s->rec.cut;
	return last < s->rec.until ? last : s->rec.until;
}

/* Returns the file's begin; that of a ring follows the events that newer ones displaced. */
static uint64_t begin_time(const struct session *s)
{
	struct trawl_ring_state state = { 0 };

	if (s->o->ring && s->rec.w)
		trawl_writer_ring(s->rec.w, &state);
	return state.dropped_until >= s->rec.begin ? state.dropped_until + 1 : s->rec.begin;
}

/* stats: NULL while the session goes on. */
static struct end_report end_report_of(const struct session *s, const struct source_stats *stats)
{
	return (struct end_report){
		.inputs = s->inputs, .ninputs = s->ninputs, .stats = stats, .captured = s->captured,
		.why = s->rec.end ? s->rec.end : !stats ? "trigger" : "error",
		.trigger = flight_state(&s->rec.flight) & FLIGHT_DUE ? s->rec.flight.reason : NULL,
		.incomplete = s->incomplete || (!stats && s->rec.lossy), .command = &s->command,
		.begin = begin_time(s), .end = end_time(s, stats != NULL), .early = s->rec.early,
		.more_files = !stats,
	};
}

static void write_end(struct session *s, const struct source_stats *stats)
{
	struct end_report a = end_report_of(s, stats);
	struct trawl_error err;

	if (end_report_write(&a, s->rec.w, mono_now(), &err))
		recording_fail(&s->rec, &err);
}

/* Writes the file of a trigger, with a clock sync and metadata `end` as in any file. */
static void write_ring(struct session *s)
{
	recording_sync(&s->rec, TRAWL_SYNC_TICK);
	session_end_file(s);
	write_end(s, NULL);
	flight_write(&s->rec.flight);
}

static int serve_flight(struct session *s, uint64_t now, struct trawl_error *err)
{
	if (flight_due(&s->rec.flight, now)) {
		recording_cut(&s->rec, now);
		if (recording_is_cut(&s->rec)) {
			write_ring(s);
			if (recording_reopen(&s->rec, err))
				return -1;
		}
	}
	flight_reap(&s->rec.flight, false);
	if (flight_state(&s->rec.flight) != FLIGHT_READY)
		return 0;
	if (s->o->rotate_files && s->rec.flight.files >= s->o->rotate_files)
		recording_end(&s->rec, "files");
	else if (s->last)
		recording_end(&s->rec, s->last);
	return 0;
}

static int do_what_is_due(struct session *s, struct trawl_error *err)
{
	uint64_t now = mono_now();

	if (now >= s->next_tick) {
		s->next_tick = now + SYNC_MS * NS_PER_MS;
		if (tick(s, err))
			return -1;
	}
	if (now >= s->next_sync || s->stepped || s->o->unbuffered) {
		s->next_sync = now + (s->o->write ? SYNC_MS : SYNC_LIVE_MS) * NS_PER_MS;
		recording_sync(&s->rec, s->stepped ? TRAWL_SYNC_STEP : TRAWL_SYNC_TICK);
		s->stepped = false;
	}
	if (s->o->ring) {
		if (serve_flight(s, now, err))
			return -1;
		if (now >= s->next_renewal) {
			s->next_renewal = now + RENEW_S * NS_PER_S;
			tasks_forget_all(&s->tasks);
		}
	}
	recording_rotate_due(&s->rec);
	if (now >= s->span.end)
		recording_end(&s->rec, "duration");
	return 0;
}

/* SIGUSR1: writes the flight recorder's file, or prints how many events were captured. */
static void take_request(struct session *s, pid_t from)
{
	struct trawl_error err;

	if (!s->o->ring) {
		session_note(s, "%" PRIu64 " event%s captured so far", s->captured,
			     s->captured == 1 ? "" : "s");
		return;
	}
	tasks_saw(&s->tasks, from);
	if (flight_signal(&s->rec.flight, from, &err))
		recording_fail(&s->rec, &err);
}

/*
 * The first interrupt is passed on to COMMAND, whose end ends the capture; a terminal has sent it
 * to COMMAND itself. The second interrupt ends the capture.
 */
static void take_signal(struct session *s)
{
	struct signalfd_siginfo info;

	if (!event_fds_signal(&s->event_fds, &info))
		return;
	if (info.ssi_signo == SIGUSR1) {
		take_request(s, (pid_t)info.ssi_pid);
		return;
	}
	if (s->command.pid && !s->command.ended && !s->interrupted) {
		if (info.ssi_code != SI_KERNEL)
			command_signal(&s->command, (int)info.ssi_signo);
		s->interrupted = mono_now();
		return;
	}
	recording_end(&s->rec, "signal");
}

static void take_command_end(struct session *s)
{
	const struct command *c = &s->command;
	char verdict[64], what[512];
	struct crash_signal died;
	struct trawl_error err;

	if (s->o->ring && !s->interrupted && command_crashed(c)) {
		/* The event with the signal's time is still in the kernel's buffer. */
		if (drain(s, &err) < 0)
			recording_fail(&s->rec, &err);
		snprintf(what, sizeof(what), "%s: %s", c->name,
			 command_verdict(c, verdict, sizeof(verdict)));
		died = crash_of(&s->crash, command_killed(c));
		if (flight_crash(&s->rec.flight, died.tid ? died.tid : c->pid, what, died.time,
				 &err))
			recording_fail(&s->rec, &err);
	}
	if (flight_state(&s->rec.flight) & FLIGHT_DUE) {
		s->last = "command";
		s->next_tick = 0; /* after the next drain, tick() checks what may still come */
	} else {
		recording_end(&s->rec, "command");
	}
}

static uint64_t earlier(uint64_t ms, uint64_t deadline, uint64_t now)
{
	uint64_t left = deadline > now ? (deadline - now) / NS_PER_MS + 1 : 0;

	return left < ms ? left : ms;
}

static int wait_ms(const struct session *s, bool more)
{
	uint64_t now = mono_now(), wake = s->o->write ? WAKE_MS : WAKE_LIVE_MS;

	if (more)
		return 0;
	wake = earlier(wake, s->span.end, now);
	/* The file ends as soon as all sources have been drained up to rec.cut. */
	wake = now > s->rec.cut ? CUT_MS : earlier(wake, s->rec.cut, now);
	if (flight_state(&s->rec.flight) == FLIGHT_DUE)
		wake = earlier(wake, s->rec.flight.deadline, now);
	return (int)wake;
}

static void take_events(struct session *s, const struct pollfd *fds)
{
	if (fds[0].revents)
		take_signal(s);
	if (fds[1].revents)
		s->stepped |= event_fds_step(&s->event_fds);
	if (fds[2].revents && command_reap(&s->command))
		take_command_end(s);
	/* poll() always reports that the reader of a pipe has exited. */
	if (fds[3].revents & (POLLERR | POLLHUP)) {
		struct trawl_error err;

		trawl_fail(&err, TRAWL_OK, "the reader of the output has exited");
		err.sys = EPIPE;
		recording_fail(&s->rec, &err);
	}
	if (fds[4].revents && scope_ended(&s->scope)) {
		session_note(s, "all processes of -p have ended");
		recording_end(&s->rec, "process");
	}
}

static int run(struct session *s, struct trawl_error *err)
{
	struct pollfd *fds = calloc(FDS_MAX, sizeof(*fds));
	int more = 0, r = 0;
	size_t n;

	if (!fds)
		return trawl_fail(err, TRAWL_CANNOT, "out of memory");
	while (!r && !s->rec.end) {
		fds[0] = (struct pollfd){ .fd = s->event_fds.signals, .events = POLLIN };
		fds[1] = (struct pollfd){ .fd = s->event_fds.steps, .events = POLLIN };
		fds[2] = (struct pollfd){ .fd = s->command.pid && !s->command.ended ?
						s->command.pidfd : -1,
					  .events = POLLIN };
		fds[3] = (struct pollfd){ .fd = s->rec.fd };
		fds[4] = (struct pollfd){ .fd = scope_fd(&s->scope), .events = POLLIN };
		n = FDS_FIXED;
		for (size_t i = 0; i < s->ninputs; i++) {
			if (s->inputs[i].source->fds)
				n += s->inputs[i].source->fds(&s->inputs[i], fds + n, FDS_MAX - n);
		}
		if (poll(fds, n, wait_ms(s, more)) > 0)
			take_events(s, fds);
		more = drain(s, err);
		r = more < 0 || do_what_is_due(s, err) ? -1 : 0;
	}
	free(fds);
	return r;
}

/* ---- ending ------------------------------------------------------------------------------ */

/*
 * Ends the span at one time for all sources; switching them off takes longer. Earlier events may
 * not be committed to the ring buffers yet: membarrier() waits for a grace period of RCU, after
 * which they are.
 */
static void halt(struct session *s)
{
	uint64_t now;

	for (size_t i = s->nstarted; i--;) {
		if (s->inputs[i].source->close)
			s->inputs[i].source->close(&s->inputs[i]);
	}
	trawl_sync_now(&s->rec.sync);
	now = mono_now();
	now = now < s->rec.until ? now : s->rec.until;
	s->span.end = s->span.end < now ? s->span.end : now;
	enter(s, SESSION_HALTED);
	for (size_t i = s->nstarted; i--;) {
		if (s->inputs[i].source->halt)
			s->inputs[i].source->halt(&s->inputs[i]);
	}
	if (syscall(SYS_membarrier, MEMBARRIER_CMD_GLOBAL, 0, 0))
		usleep(COMMIT_NS / 1000);
}

/*
 * Drains what the kernel holds into the file. A source that cannot be stopped always has more: its
 * drain ends after LAST_DRAIN_MS.
 */
static int stop(struct session *s, struct trawl_error *err)
{
	struct trawl_error local;
	uint64_t until = UINT64_MAX;
	int more = 1, r = 0;

	halt(s);
	for (size_t i = s->nstarted; i--;) {
		const struct source *source = s->inputs[i].source;

		if (source->stop && source->stop(&s->inputs[i], &local)) {
			*err = local;
			r = -1;
			until = mono_now() + LAST_DRAIN_MS * NS_PER_MS;
		}
	}
	while (more > 0 && mono_now() <= until)
		more = drain(s, err);
	if (more < 0)
		return -1;
	if (more)
		session_incomplete(s,
				   "a source could not be stopped: events that it had not "
				   "delivered after %d s are not in the file",
				   LAST_DRAIN_MS / 1000);
	if (session_settle(s, UINT64_MAX, err) || recording_settle_last(&s->rec, err))
		return -1;
	enter(s, SESSION_DRAINED);
	return r;
}

/* COMMAND may be a daemon's starter: names the processes that are no longer recorded. */
static void note_left_behind(struct session *s)
{
	pid_t one = 0;
	size_t n = s->command.ended ? task_filter_living(&s->followed, &one) : 0;

	if (n)
		session_note(s, "%s has ended and left %zu process%s behind, no longer recorded; "
			     "-p %d records %s", s->command.name, n, n == 1 ? "" : "es", one,
			     n == 1 ? "it" : "one of them");
}

static void print_end(struct session *s, const struct source_stats *stats)
{
	struct end_report a = end_report_of(s, stats);
	char verdict[128];
	const char *more = s->rec.output.wrapped ? "; the files hold the newest of them" : "";

	if (s->o->quiet)
		return;
	if (s->command.pid && (!s->command.ended || s->command.status || s->o->verbose))
		session_note(s, "%s: %s%s", s->command.name,
			     command_verdict(&s->command, verdict, sizeof(verdict)),
			     s->command.ended ? "" : ", sent SIGTERM");
	note_left_behind(s);
	if (s->o->ring)
		more = flight_verdict(&s->rec.flight, verdict, sizeof(verdict));
	end_report_print(&a, more);
}

/*
 * Corrects the counts: events after the first COUNT (-c) or the last file (-W) were not captured;
 * captured events that could not be written are lost. If the pipe's reader exited, they are not.
 */
static void count_unwritten(struct session *s, struct source_stats *stats)
{
	bool left = recording_left(&s->rec);

	for (uint16_t id = 0; id < WRITER_SOURCES; id++) {
		const struct input *in = s->inputs_of[id];
		uint64_t n = in ? trawl_writer_unwritten(s->rec.w, id) : 0;

		if (in) {
			uint64_t later = s->rec.waiting.dropped[id];

			stats[in - s->inputs].captured -= first_dropped(&s->first, id) + later;
			s->captured -= in->source->hidden ? 0 : later;
		}
		if (!n)
			continue;
		stats[in - s->inputs].captured -= n;
		stats[in - s->inputs].lost += left ? 0 : n;
		if (!in->source->hidden)
			s->captured -= n;
	}
}

/* Ends the command and the file; *err is set if that failed. */
static int finish(struct session *s, struct trawl_error *err)
{
	struct source_stats *stats = calloc(s->ninputs + 1, sizeof(*stats));
	int r = 0;

	if (!stats)
		return trawl_fail(err, TRAWL_CANNOT, "out of memory");
	r = stop(s, err);
	s->rec.horizon = s->rec.drained;
	recording_sync(&s->rec, TRAWL_SYNC_STOP);
	/* After this, recording_left() and trawl_writer_unwritten() are final. */
	recording_flush(&s->rec);
	for (size_t i = 0; i < s->ninputs; i++) {
		if (s->inputs[i].source->stats)
			s->inputs[i].source->stats(&s->inputs[i], &stats[i]);
	}
	count_unwritten(s, stats);
	for (size_t i = 0; i < s->ninputs; i++)
		s->incomplete |= stats[i].lost > 0 || stats[i].uncounted;
	s->incomplete |= callfilter_refused() || (s->rec.failed && !recording_left(&s->rec));
	write_end(s, stats);
	for (size_t i = 0; i < s->ninputs; i++)
		s->rec.small |= s->inputs[i].source->small_files;
	recording_finish(&s->rec);
	print_end(s, stats);
	free(stats);
	if (s->rec.failed && !recording_left(&s->rec)) {
		trawl_fail(err, TRAWL_BAD_DATA, "%s%s", s->rec.error.text,
			   s->rec.output.path ? "; what was written is readable" : "");
		return -1;
	}
	return r;
}

static void disarm(struct session *s)
{
	for (size_t i = s->ninputs; i--;)
		s->inputs[i].source->disarm(&s->inputs[i]);
}

static void free_session(struct session *s)
{
	inputs_free(s->inputs, s->ninputs);
	pending_free(&s->first.pending);
	crash_end(&s->crash);
	scope_close(&s->scope);
	tasks_done(&s->tasks);
	task_filter_free(&s->followed);
	user_free(&s->user);
	event_fds_close(&s->event_fds);
	free(s->sites);
}

/*
 * The reader of the output exited before the capture began. Without COMMAND this is a success; a
 * COMMAND that was not run is a failure.
 */
static int end_without_reader(struct session *s, struct trawl_error *err)
{
	struct source_stats *none = calloc(s->ninputs + 1, sizeof(*none));

	if (none)
		print_end(s, none);
	free(none);
	if (!s->o->command)
		return 0;
	return trawl_fail(err, TRAWL_CANNOT,
			  "the reader of the output has exited: nothing was recorded, and %s was "
			  "not run",
			  s->o->command[0]);
}

/* Drops the privileges that a session needs only before all is armed and COMMAND runs. */
static int drop_privileges(struct session *s, struct trawl_error *err)
{
	struct trawl_error ignored;
	int folders[] = { -1, output_folder(&s->rec.output) };
	struct privileges_kept kept = {
		.calls = { .user = s->user.other, .command = s->command.pid },
		.folders = folders, .nfolders = 2,
	};
	int r;

	if (inputs_use_tracefs(s->inputs, s->ninputs))
		folders[0] = tracefs_open(&ignored);
	if (s->user.other) /* files are made as that user, not by a capability */
		kept.nfolders = 1;
	for (size_t i = 0; i < s->ninputs; i++) {
		kept.calls.traces |= s->inputs[i].source->traces;
		kept.events |= s->inputs[i].opens_events;
	}
	r = privileges_drop(&kept, err);
	for (size_t i = 0; i < 2; i++)
		if (folders[i] >= 0)
			close(folders[i]);
	return r;
}

int session_run(const struct options *o, struct trawl_error *err)
{
	struct session s = { .o = o, .span = { UINT64_MAX, UINT64_MAX }, .first.left = o->count,
			     .command = { .pidfd = -1, .go = -1, .report = -1 },
			     .rec = RECORDING_NONE, .event_fds = EVENT_FDS_NONE };
	struct trawl_error ignored, printing;
	bool early;
	int r = -1, printed;

	if (user_find(&s.user, o->user, err) || inputs_make(&s.inputs, &s.ninputs, o, &s, err) ||
	    inputs_probe(s.inputs, s.ninputs, err) || tasks_init(&s.tasks, err) ||
	    set_up_followed(&s, err) || event_fds_open(&s.event_fds, err) ||
	    collect_leftovers(&s, err))
		goto out;
	if (set_up_scope(&s, err) || recording_open(&s.rec, o, &s.user, &s, err) || arm(&s, err) ||
	    start(&s, err) || drop_privileges(&s, err))
		goto out;
	note_start(&s);
	r = run(&s, err);
	s.incomplete |= r < 0;
	if (finish(&s, r ? &ignored : err))
		r = -1;
out:
	if (s.rec.w)
		trawl_writer_close(s.rec.w, &ignored);
	disarm(&s);
	flight_close(&s.rec.flight);
	command_close(&s.command);
	early = r && err->sys == EPIPE;
	if (early)
		r = end_without_reader(&s, err);
	printed = output_close(&s.rec.output, &printing);
	free_session(&s);
	if (printed < 0 && (!r || early)) {
		*err = printing;
		return -1;
	}
	return !r && (s.incomplete || printed || callfilter_refused()) ? TRAWL_BAD_DATA : r;
}
