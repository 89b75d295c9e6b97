/* SPDX-License-Identifier: MIT */
#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/signalfd.h>
#include <sys/timerfd.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "account.h"
#include "command.h"
#include "flight.h"
#include "gc.h"
#include "inputs.h"
#include "machine.h"
#include "now.h"
#include "output.h"
#include "pending.h"
#include "priority.h"
#include "scope.h"
#include "session.h"
#include "task.h"
#include "tracefs.h"

enum {
	WAKE_MS = 200,            /* the longest that events wait in the kernel */
	WAKE_LIVE_MS = 50,        /* the same for somebody who watches */
	SYNC_MS = 1000,           /* between clock-sync blocks */
	SYNC_LIVE_MS = 250,
	SIZE_CHECK = 16 << 10,    /* bytes of records after which a file's size is looked at */
	CHUNK_LEAST = 64 << 10,   /* bytes of records of a chunk: between these, */
	CHUNK_MOST = 4 << 20,
	CHUNKS_OF_FILE = 8,       /* such a part of -C */
	RENEW_S = 600,            /* between looks at all tasks, of which a ring forgets the oldest */
	FDS_FIXED = 5,            /* signals, clock steps, command, output, -p */
	FDS_MAX = FDS_FIXED + 4096,
	WRITER_SOURCES = PENDING_SOURCES, /* that a file can have */
	PENDING_LEAST = 4096,     /* events that may wait, however few are wanted */
};

static const uint64_t NS_PER_MS = 1000000;
static const uint64_t NS_PER_S = 1000000000;
/* From an event's time stamp to when its CPU has committed it: microseconds, but for a machine that
 * is itself not run. */
static const uint64_t COMMIT_NS = 1000000;

struct session {
	const struct options *o;
	struct user user;
	struct output output;
	struct flight flight; /* with --ring */
	struct trawl_writer *w;
	int out_fd;          /* the writer's, for poll() only */
	struct tasks tasks;
	struct command command;
	struct input *inputs;
	size_t ninputs;
	size_t nstarted;
	struct scope scope;
	int signals, steps;  /* signalfd, timerfd for clock steps */

	uint64_t captured;   /* events of sources that the user named */
	struct pending pending; /* -c: those which are not known to be among the first */
	uint64_t file_front; /* bytes of the present file when its first event came */
	uint64_t unchecked;  /* bytes of records since its size was looked at */
	struct input *inputs_of[WRITER_SOURCES]; /* by the writer's number of a source: whose it is */
	uint64_t started;    /* CLOCK_MONOTONIC; the file's first sync block says so */
	uint64_t deadline;   /* of --duration: no event is later; UINT64_MAX: none */
	struct trawl_sync sync; /* the newest */
	uint64_t next_sync, next_tick, next_file, next_renewal;
	uint64_t drained;    /* when the last drain that left nothing behind began */
	uint64_t horizon;    /* the same of the sync before */
	bool stepped;        /* the wall clock was set */
	bool interrupted;
	bool write_failed;
	struct trawl_error write_error;
	bool incomplete;
	const char *end;     /* why the capture ends; NULL while it runs */
	const char *last;    /* why it will, once the file of a trigger is written */
};

/* ---- what sources see -------------------------------------------------------------------- */

struct trawl_writer *session_writer(struct session *s)
{
	return s->w;
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

static void note(const char *fmt, va_list ap)
{
	char text[1200];

	vsnprintf(text, sizeof(text), fmt, ap);
	fprintf(stderr, "trawl: %s\n", text);
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

static void end_session(struct session *s, const char *why)
{
	if (!s->end)
		s->end = why;
}

/* The file cannot be written any more: that ends the session, and its reader's leaving does not
 * make it a failure. */
static void write_failed(struct session *s, const struct trawl_error *err)
{
	if (s->write_failed)
		return;
	s->write_failed = true;
	s->write_error = *err;
	end_session(s, err->sys == EPIPE ? "consumer" : "output");
}

static void rotate(struct session *s, enum output_turn turn);

/*
 * -C: is it time for another file? Each has its share of events, though what it must begin with may
 * be larger than it should be.
 */
static bool size_is_due(struct session *s)
{
	uint64_t most = s->o->rotate_bytes, least = s->file_front + most / 4;

	s->unchecked = 0;
	return !s->write_failed && trawl_writer_expected(s->w) >= (most > least ? most : least);
}

/* An event's time by CLOCK_MONOTONIC. The wall clock's time stamps are compared by the newest sync. */
static uint64_t mono_of(const struct session *s, const struct source *source, uint64_t ts)
{
	return source->realtime ? ts + s->sync.mono - s->sync.real : ts;
}

static int put_record(struct session *s, uint16_t source, uint32_t type, uint32_t cpu, uint64_t ts,
		      const void *record, size_t len, struct trawl_error *err)
{
	/* Whose an event is has to be known before it is held against an expression. */
	if (s->o->ring && s->tasks.nfresh && flight_asks_task(&s->flight) &&
	    tasks_flush(&s->tasks, s->w, err))
		return -1;
	if (trawl_append(s->w, source, type, cpu, ts, record, len, err)) {
		if (!err->sys)
			return -1;
		write_failed(s, err);
	}
	s->unchecked += len;
	if (s->o->rotate_bytes && s->unchecked >= SIZE_CHECK && size_is_due(s))
		rotate(s, OUTPUT_BY_SIZE);
	return s->o->ring ? flight_see(&s->flight, source, type, cpu, ts, record, len, err) : 0;
}

/*
 * -c: the first COUNT are wanted, and this event may yet have to make way for an earlier one that
 * another source or CPU still holds. Those behind the COUNT-th of what waits can never be wanted:
 * so at most twice what is still wanted waits (or PENDING_LEAST), and without that at most what
 * comes until a drain leaves nothing behind.
 */
static int keep_waiting(struct session *s, struct pending_event *e, const struct source *source,
			const void *record, struct trawl_error *err)
{
	uint64_t left = s->o->count - s->captured;

	if (!left)
		return 1;
	e->mono = mono_of(s, source, e->ts);
	/* No event is of the future; one that seems so was stamped before the clock was set back. */
	if (source->realtime && e->mono > mono_now())
		e->mono = mono_now();
	if (pending_add(&s->pending, e, record, err))
		return -1;
	if (s->pending.n > PENDING_LEAST && s->pending.n / 2 > left)
		pending_keep(&s->pending, left);
	return 0;
}

/* 1: that was the last one. */
static int hand_on(const struct pending_event *e, void *arg, struct trawl_error *err)
{
	struct session *s = arg;

	s->captured++;
	if (put_record(s, e->source, e->type, e->cpu, e->ts, e->record, e->len, err))
		return -1;
	return s->captured == s->o->count;
}

/* No event up to the time `until` is still to come: those go to the file, in the order of time. */
static int settle(struct session *s, uint64_t until, struct trawl_error *err)
{
	int r = pending_release(&s->pending, until, hand_on, s, err);

	if (r > 0) {
		end_session(s, "count");
		pending_keep(&s->pending, 0);
	}
	return r < 0 ? -1 : 0;
}

int session_append(struct input *in, uint16_t source, uint32_t type, uint32_t cpu, uint64_t ts,
		   const void *record, size_t len, struct trawl_error *err)
{
	struct pending_event e = { .ts = ts, .len = len, .type = type, .cpu = cpu, .source = source };
	struct session *s = in->session;

	if (mono_of(s, in->source, ts) > s->deadline)
		return 1;
	s->inputs_of[source] = in;
	if (s->o->count && !in->source->hidden)
		return keep_waiting(s, &e, in->source, record, err);
	s->captured += !in->source->hidden;
	return put_record(s, source, type, cpu, ts, record, len, err);
}

int session_loss(struct session *s, const struct trawl_loss *loss, struct trawl_error *err)
{
	if (trawl_writer_loss(s->w, loss, err)) {
		if (!err->sys)
			return -1;
		write_failed(s, err);
	}
	return 0;
}

/* ---- setting up -------------------------------------------------------------------------- */

/* Signals come to us by descriptor; the command and the printer get them back. */
static int take_signals(struct session *s, struct trawl_error *err)
{
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGINT);
	sigaddset(&set, SIGTERM);
	sigaddset(&set, SIGHUP);
	if (s->o->ring)
		sigaddset(&set, SIGUSR1);
	signal(SIGPIPE, SIG_IGN);
	sigprocmask(SIG_BLOCK, &set, NULL);
	s->signals = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
	return s->signals < 0 ? trawl_fail(err, TRAWL_CANNOT, "signalfd: %s", strerror(errno)) : 0;
}

/* A timer that never fires, but is cancelled when somebody sets the clock. */
static void watch_clock(struct session *s)
{
	struct itimerspec never = { .it_value.tv_sec = INT64_MAX / 1000000000 };

	s->steps = timerfd_create(CLOCK_REALTIME, TFD_CLOEXEC | TFD_NONBLOCK);
	if (s->steps >= 0)
		timerfd_settime(s->steps, TFD_TIMER_ABSTIME | TFD_TIMER_CANCEL_ON_SET, &never, NULL);
}

static int set_up_scope(struct session *s, struct trawl_error *err)
{
	/* COMMAND's output must not get into what a program reads of ours. */
	bool to_stdout = s->o->write ? !strcmp(s->o->write, "-") : s->o->json;

	if (s->o->command &&
	    command_prepare(&s->command, s->o->command, &s->user, to_stdout, err))
		return -1;
	if (s->o->command)
		return scope_open(&s->scope, &s->command.pid, 1, false, err);
	return scope_open(&s->scope, s->o->pids, s->o->npids, true, err);
}

static int open_writer(struct session *s, struct trawl_error *err)
{
	struct trawl_writer_options wo = {
		.level = s->o->level, .ring = s->o->ring,
		.told = s->o->ring ? flight_told : NULL, .arg = &s->flight,
	};

	if (s->o->rotate_bytes) {
		uint64_t share = s->o->rotate_bytes / CHUNKS_OF_FILE;

		wo.chunk_bytes = share < CHUNK_LEAST ? CHUNK_LEAST :
				 share > CHUNK_MOST ? CHUNK_MOST : (uint32_t)share;
	}
	if (s->o->ring) {
		if (flight_open(&s->flight, s->o, &s->user, s, err))
			return -1;
	} else {
		s->out_fd = output_open(&s->output, s->o, &s->user, err);
		if (s->out_fd < 0)
			return -1;
	}
	/* COMMAND and the printer have been forked and keep what they had; the writer's threads inherit. */
	priority_first(s->o->level);
	s->w = trawl_writer_new(s->out_fd, &wo, err);
	if (!s->w)
		return -1;
	return machine_write(s->w, err) || machine_write_capture(s->w, s->o, s->user.name, err) ? -1 : 0;
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
	gc_run(top, &count, &ignored); /* what would not go now goes some other time */
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
	if (s->o->ring && flight_arm(&s->flight, s->w, err))
		return -1;
	/* Whom the user names may be gone before the first of its events is seen. COMMAND is not
	 * yet what it will be; start() looks at it. */
	for (size_t i = 0; i < s->o->npids; i++)
		tasks_saw_process(&s->tasks, s->o->pids[i]);
	return tasks_flush(&s->tasks, s->w, err);
}

static int sync_clocks(struct session *s, enum trawl_sync_why why)
{
	struct trawl_error err;
	struct trawl_sync sync;

	trawl_sync_now(&sync);
	sync.why = why;
	sync.horizon = s->horizon;
	s->sync = sync;
	if (s->o->ring)
		flight_sync(&s->flight, &sync);
	if (trawl_writer_sync(s->w, &sync, &err)) {
		write_failed(s, &err);
		return -1;
	}
	/*
	 * All events that were stamped before a drain that left nothing behind are in the file, but
	 * for one that a CPU had stamped and not yet committed, which takes microseconds. With the
	 * drain before the last sync there is at least a sync's interval for that.
	 */
	s->horizon = s->drained;
	return 0;
}

/* The present file gets its name. */
static int commit(struct session *s, struct trawl_error *err)
{
	int fd = output_commit(&s->output, err);

	if (fd <= 0)
		return fd;
	if (trawl_writer_rotate(s->w, fd, err) < 0)
		return -1;
	s->out_fd = fd;
	return 0;
}

static int start(struct session *s, struct trawl_error *err)
{
	uint64_t now = mono_now();

	s->drained = s->horizon = now;
	if (sync_clocks(s, TRAWL_SYNC_START)) {
		*err = s->write_error;
		return -1;
	}
	s->started = now = s->sync.mono;
	s->next_sync = s->next_tick = now;
	s->next_renewal = now + RENEW_S * NS_PER_S;
	s->next_file = s->o->rotate_seconds ? now + s->o->rotate_seconds * NS_PER_S : UINT64_MAX;
	if (s->o->duration)
		s->deadline = now + s->o->duration;
	for (; s->nstarted < s->ninputs; s->nstarted++) {
		struct input *in = &s->inputs[s->nstarted];

		if (in->source->start && in->source->start(in, err))
			return -1;
	}
	if (s->o->command) {
		/* A name that was taken meanwhile is told before COMMAND does anything. */
		if (output_check(&s->output, err))
			return -1;
		if (command_go(&s->command, err))
			return -1;
		/* It may be gone before its first event is seen. */
		tasks_saw(&s->tasks, s->command.pid);
		if (tasks_flush(&s->tasks, s->w, err))
			return -1;
	}
	s->file_front = trawl_writer_expected(s->w);
	return commit(s, err);
}

static void say_start(struct session *s)
{
	if (s->o->quiet || !s->o->write || s->o->command)
		return;
	if (s->o->ring) {
		session_note(s, "keeping the newest %.1f MiB; kill -USR1 %d%s writes them",
			     (double)s->o->ring / (1 << 20), getpid(),
			     s->o->trigger ? " or --trigger" : "");
		return;
	}
	session_note(s, "capturing to %s; interrupt to end",
		     strcmp(s->o->write, "-") ? s->o->write : "standard output");
}

/* ---- running ----------------------------------------------------------------------------- */

/* All sources in turn; 1 if some have more for now. */
static int drain(struct session *s, struct trawl_error *err)
{
	uint64_t began = mono_now();
	int more = 0;

	if (s->o->count) {
		began -= COMMIT_NS;
		trawl_sync_now(&s->sync);
	}
	for (size_t i = 0; i < s->nstarted; i++) {
		int r = s->inputs[i].source->drain(&s->inputs[i], err);

		if (r < 0)
			return -1;
		more |= r;
	}
	if (!more && began > s->drained) {
		if (s->o->count && settle(s, began, err))
			return -1;
		s->drained = began; /* not before: another file may begin meanwhile, with a sync */
	}
	if (tasks_flush(&s->tasks, s->w, err)) {
		if (!err->sys)
			return -1;
		write_failed(s, err);
	}
	return more & DRAIN_MORE;
}

static int tick(struct session *s, struct trawl_error *err)
{
	for (size_t i = 0; i < s->nstarted; i++) {
		struct input *in = &s->inputs[i];

		if (in->source->tick && in->source->tick(in, err))
			return -1;
	}
	if (tasks_refresh(&s->tasks, s->w, err))
		write_failed(s, err);
	return 0;
}

static void rotate(struct session *s, enum output_turn turn)
{
	struct trawl_error local;
	int fd, r;

	for (size_t i = 0; i < s->nstarted; i++) {
		if (s->inputs[i].source->turn)
			s->inputs[i].source->turn(&s->inputs[i]);
	}
	fd = output_next(&s->output, turn, &local);
	if (fd == -2) {
		end_session(s, "files");
		return;
	}
	r = fd < 0 ? -1 : trawl_writer_rotate(s->w, fd, &local);
	if (r)
		write_failed(s, &local);
	if (r < 0)
		return;
	s->out_fd = fd;
	if (commit(s, &local))
		write_failed(s, &local);
	sync_clocks(s, TRAWL_SYNC_START);
	s->file_front = trawl_writer_expected(s->w);
}

/* stats: NULL while the session goes on. */
static struct account account(const struct session *s, const struct source_stats *stats)
{
	return (struct account){
		.inputs = s->inputs, .ninputs = s->ninputs, .stats = stats, .captured = s->captured,
		.why = s->end ? s->end : !stats ? "trigger" : "error",
		.trigger = s->flight.deadline ? s->flight.reason : NULL,
		.incomplete = s->incomplete, .command = &s->command,
	};
}

static void write_end(struct session *s, const struct source_stats *stats)
{
	struct account a = account(s, stats);
	struct trawl_error err;

	if (account_write(&a, s->w, mono_now(), &err))
		write_failed(s, &err);
}

/* The file of a trigger, which is whole as any other: clocks and a word about its end. */
static void write_ring(struct session *s)
{
	sync_clocks(s, TRAWL_SYNC_TICK);
	write_end(s, NULL);
	flight_write(&s->flight);
}

static void fly(struct session *s, uint64_t now)
{
	if (flight_due(&s->flight, now))
		write_ring(s);
	flight_reap(&s->flight, false);
	if (s->flight.deadline || s->flight.writing)
		return;
	if (s->o->rotate_files && s->flight.files >= s->o->rotate_files)
		end_session(s, "files");
	else if (s->last)
		end_session(s, s->last);
}

static void rotate_if_due(struct session *s, uint64_t now)
{
	if (s->end)
		return;
	if (now >= s->next_file) {
		s->next_file += s->o->rotate_seconds * NS_PER_S;
		rotate(s, OUTPUT_BY_TIME);
	} else if (s->o->rotate_bytes && size_is_due(s)) {
		rotate(s, OUTPUT_BY_SIZE);
	}
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
		sync_clocks(s, s->stepped ? TRAWL_SYNC_STEP : TRAWL_SYNC_TICK);
		s->stepped = false;
	}
	if (s->o->ring) {
		fly(s, now);
		if (now >= s->next_renewal) {
			s->next_renewal = now + RENEW_S * NS_PER_S;
			tasks_forget_all(&s->tasks);
		}
	}
	rotate_if_due(s, now);
	if (now >= s->deadline)
		end_session(s, "duration");
	return 0;
}

/*
 * The first interrupt goes to the command, whose end is then ours; a terminal has sent it there
 * already. The second one ends the capture without waiting.
 */
static void take_signal(struct session *s)
{
	struct signalfd_siginfo info;
	struct trawl_error err;

	if (read(s->signals, &info, sizeof(info)) != sizeof(info))
		return;
	if (info.ssi_signo == SIGUSR1) {
		tasks_saw(&s->tasks, (pid_t)info.ssi_pid);
		if (flight_signal(&s->flight, (pid_t)info.ssi_pid, &err))
			write_failed(s, &err);
		return;
	}
	if (s->command.pid && !s->command.ended && !s->interrupted) {
		if (info.ssi_code != SI_KERNEL)
			command_signal(&s->command, (int)info.ssi_signo);
		s->interrupted = true;
		return;
	}
	end_session(s, "signal");
}

static void take_step(struct session *s)
{
	uint64_t expirations;

	if (read(s->steps, &expirations, sizeof(expirations)) < 0 && errno == ECANCELED) {
		s->stepped = true;
		close(s->steps);
		watch_clock(s);
	}
}

static void take_command_end(struct session *s)
{
	struct trawl_error err;

	if (s->o->ring && !s->interrupted && command_crashed(&s->command) &&
	    flight_crash(&s->flight, &s->command, &err))
		write_failed(s, &err);
	if (s->flight.deadline)
		s->last = "command";
	else
		end_session(s, "command");
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
	wake = earlier(wake, s->deadline, now);
	if (s->flight.deadline && !s->flight.writing)
		wake = earlier(wake, s->flight.deadline, now);
	return (int)wake;
}

static void take_events(struct session *s, const struct pollfd *fds)
{
	if (fds[0].revents)
		take_signal(s);
	if (fds[1].revents)
		take_step(s);
	if (fds[2].revents && command_reap(&s->command))
		take_command_end(s);
	/* Nothing is polled for here: what comes is that the other end of a pipe has gone. */
	if (fds[3].revents & (POLLERR | POLLHUP)) {
		struct trawl_error err;

		trawl_fail(&err, TRAWL_OK, "the reader of the output has gone");
		err.sys = EPIPE;
		write_failed(s, &err);
	}
	if (fds[4].revents && scope_ended(&s->scope)) {
		session_note(s, "all processes of -p have ended");
		end_session(s, "process");
	}
}

static int run(struct session *s, struct trawl_error *err)
{
	struct pollfd *fds = calloc(FDS_MAX, sizeof(*fds));
	int more = 0;
	size_t n;

	if (!fds)
		return trawl_fail(err, TRAWL_CANNOT, "out of memory");
	while (!s->end) {
		fds[0] = (struct pollfd){ .fd = s->signals, .events = POLLIN };
		fds[1] = (struct pollfd){ .fd = s->steps, .events = POLLIN };
		fds[2] = (struct pollfd){ .fd = s->command.pid && !s->command.ended ?
						s->command.pidfd : -1,
					  .events = POLLIN };
		fds[3] = (struct pollfd){ .fd = s->out_fd };
		fds[4] = (struct pollfd){ .fd = scope_fd(&s->scope), .events = POLLIN };
		n = FDS_FIXED;
		for (size_t i = 0; i < s->ninputs; i++) {
			if (s->inputs[i].source->fds)
				n += s->inputs[i].source->fds(&s->inputs[i], fds + n, FDS_MAX - n);
		}
		if (poll(fds, n, wait_ms(s, more)) > 0)
			take_events(s, fds);
		more = drain(s, err);
		if (more < 0 || do_what_is_due(s, err))
			break;
	}
	free(fds);
	return s->end ? 0 : -1;
}

/* ---- ending ------------------------------------------------------------------------------ */

/* No new events, and all that are still in the kernel into the file. */
static int stop(struct session *s, struct trawl_error *err)
{
	struct trawl_error local;
	int more = 1, r = 0;

	for (size_t i = 0; i < s->nstarted; i++) {
		const struct source *source = s->inputs[i].source;

		if (source->stop && source->stop(&s->inputs[i], &local)) {
			*err = local;
			r = -1;
		}
	}
	while (more > 0)
		more = drain(s, err);
	if (more < 0 || !s->o->count)
		return more < 0 ? -1 : r;
	return settle(s, UINT64_MAX, err) ? -1 : r;
}

static void say_end(struct session *s, const struct source_stats *stats)
{
	struct account a = account(s, stats);
	char verdict[64];

	if (s->o->quiet)
		return;
	if (s->command.pid && (!s->command.ended || s->command.status || s->o->verbose))
		session_note(s, "%s: %s%s", s->command.name,
			     command_verdict(&s->command, verdict, sizeof(verdict)),
			     s->command.ended ? "" : ", sent SIGTERM");
	account_say(&a, s->o->ring ? flight_verdict(&s->flight, verdict, sizeof(verdict)) : "");
}

/*
 * What had to make way for earlier events (-c) was not captured.
 * What was captured and could not be written is lost. A reader of a pipe that left has what it
 * wanted: to it nothing is lost, there is only less captured.
 */
static void count_unwritten(struct session *s, struct source_stats *stats)
{
	bool left = s->write_failed && s->write_error.sys == EPIPE;

	for (uint16_t id = 0; id < WRITER_SOURCES; id++) {
		const struct input *in = s->inputs_of[id];
		uint64_t n = in ? trawl_writer_unwritten(s->w, id) : 0;

		if (in)
			stats[in - s->inputs].captured -= s->pending.dropped[id];
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
	struct trawl_error local;
	int r = 0;

	if (!stats)
		return trawl_fail(err, TRAWL_CANNOT, "out of memory");
	r = stop(s, err);
	s->horizon = s->drained;
	sync_clocks(s, TRAWL_SYNC_STOP); /* from here on it is known what could be written */
	for (size_t i = 0; i < s->ninputs; i++) {
		if (s->inputs[i].source->stats)
			s->inputs[i].source->stats(&s->inputs[i], &stats[i]);
	}
	count_unwritten(s, stats);
	for (size_t i = 0; i < s->ninputs; i++)
		s->incomplete |= stats[i].lost > 0;
	s->incomplete |= s->write_failed && s->write_error.sys != EPIPE;
	write_end(s, stats);
	if (s->o->ring)
		flight_finish(&s->flight);
	if (trawl_writer_close(s->w, &local))
		write_failed(s, &local);
	s->w = NULL;
	say_end(s, stats);
	free(stats);
	if (s->write_failed && s->write_error.sys != EPIPE) {
		trawl_fail(err, TRAWL_BAD_DATA, "%s%s", s->write_error.text,
			   s->output.path ? "; what was written is readable" : "");
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
	pending_free(&s->pending);
	scope_close(&s->scope);
	tasks_done(&s->tasks);
	user_free(&s->user);
	if (s->signals >= 0)
		close(s->signals);
	if (s->steps >= 0)
		close(s->steps);
}

/*
 * The reader of the output was gone before COMMAND ran or a single event was recorded. Whoever
 * asked for no command got what he read; a command that silently does not run is a failure.
 */
static int gone_early(struct session *s, struct trawl_error *err)
{
	struct source_stats *none = calloc(s->ninputs + 1, sizeof(*none));

	if (none)
		say_end(s, none);
	free(none);
	if (!s->o->command)
		return 0;
	return trawl_fail(err, TRAWL_CANNOT,
			  "nobody reads the output: nothing was recorded and %s was not run",
			  s->o->command[0]);
}

int session_run(const struct options *o, struct trawl_error *err)
{
	struct session s = { .o = o, .out_fd = -1, .signals = -1, .steps = -1, .deadline = UINT64_MAX,
			     .command = { .pidfd = -1, .go = -1, .report = -1 },
			     .output = { .file.fd = -1, .in_place = -1 } };
	struct trawl_error ignored, printing;
	bool early;
	int r = -1, printed;

	if (user_find(&s.user, o->user, err) || inputs_make(&s.inputs, &s.ninputs, o, &s, err) ||
	    inputs_probe(s.inputs, s.ninputs, err) ||
	    tasks_init(&s.tasks, err) || take_signals(&s, err) || collect_leftovers(&s, err))
		goto out;
	watch_clock(&s);
	if (set_up_scope(&s, err) || open_writer(&s, err) || arm(&s, err) || start(&s, err))
		goto out;
	say_start(&s);
	r = run(&s, err);
	if (finish(&s, r ? &ignored : err))
		r = -1;
out:
	if (s.w)
		trawl_writer_close(s.w, &ignored);
	disarm(&s);
	flight_close(&s.flight);
	command_close(&s.command);
	early = r && err->sys == EPIPE;
	if (early)
		r = gone_early(&s, err);
	printed = output_close(&s.output, &printing);
	free_session(&s);
	if (printed < 0 && (!r || early)) {
		*err = printing;
		return -1;
	}
	return !r && (s.incomplete || printed) ? TRAWL_BAD_DATA : r;
}
