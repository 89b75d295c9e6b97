/* SPDX-License-Identifier: MIT */
#include "config.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "decode/base/time.h"
#include "capture/output/flight.h"
#include "capture/sys/clock.h"
#include "capture/session.h"
#include "common/pcapng.h"

/* ---- the trigger as an event ------------------------------------------------------------- */

enum { TRIGGER_TYPE = 1, TEXT_MAX = 256 };

/* A trigger in the file; the texts follow it. */
struct trigger {
	uint32_t reason, what, event; /* as TRAWL_DATA_LOC has it */
	int32_t tid;
} __attribute__((packed));

static const struct trawl_field trigger_common[] = {
	{ "common_pid", "int", "", TRAWL_PID, TRAWL_FIXED, 0, 12, 4, 1 },
};

static const struct trawl_field trigger_fields[] = {
	{ "reason", "string", "", TRAWL_TEXT, TRAWL_DATA_LOC, 0, 0, 1, 1 },
	{ "what", "string", "", TRAWL_TEXT, TRAWL_DATA_LOC, 0, 4, 1, 1 },
	{ "event", "string", "", TRAWL_TEXT, TRAWL_DATA_LOC, 0, 8, 1, 1 },
};

static int describe(struct flight *f, struct trawl_error *err)
{
	struct trawl_source source = {
		.name = "trawl", .spec = f->o->trigger ? f->o->trigger : "", .kind = "trawl",
		.clock = TRAWL_CLOCK_MONO, .linktype = LINKTYPE_UPPER_PDU, .resolution = 1,
		.ncommon = 1, .common = trigger_common,
	};
	struct trawl_event_type type = {
		.id = TRIGGER_TYPE, .name = "trawl:trigger", .format = "",
		.size = sizeof(struct trigger), .nfields = 3, .fields = trigger_fields,
	};

	f->source = trawl_writer_source(f->w, &source, err);
	type.source = (uint16_t)f->source;
	return f->source < 0 ? -1 : trawl_writer_event_type(f->w, &type, err);
}

static uint32_t put_text(uint8_t *record, size_t *len, const char *text)
{
	size_t n = strnlen(text, TEXT_MAX - 1);
	uint32_t loc = trawl_loc((uint32_t)n + 1, (uint32_t)*len);

	memcpy(record + *len, text, n);
	record[*len + n] = '\0';
	*len += n + 1;
	return loc;
}

/* What fired a trigger. */
struct cause {
	const char *reason, *what;
	const char *event; /* name of the event that matched, or "" */
	pid_t tid;
	uint32_t cpu;      /* of that event, or 0 */
	uint64_t at;       /* CLOCK_MONOTONIC, ns; later than now, by a clock that was set: now */
};

/*
 * Appends the trigger event, but no second one for a file that is due: an expression may hold for
 * each of a million records.
 */
static int trigger(struct flight *f, const struct cause *c, struct trawl_error *err)
{
	uint8_t record[sizeof(struct trigger) + 3 * TEXT_MAX];
	struct trigger t = { .tid = c->tid };
	size_t len = sizeof(t);
	uint64_t now = mono_now(), at = c->at < now ? c->at : now;

	if (flight_state(f) & FLIGHT_DUE)
		return 0;
	f->deadline = now + f->o->after;
	snprintf(f->reason, sizeof(f->reason), "%s%s%s%s", c->what, *c->event ? " (" : "",
		 c->event, *c->event ? ")" : "");
	t.reason = put_text(record, &len, c->reason);
	t.what = put_text(record, &len, c->what);
	t.event = put_text(record, &len, c->event);
	memcpy(record, &t, sizeof(t));
	f->last = at > f->last ? at : f->last;
	return trawl_append(f->w,
			    &(struct trawl_record){(uint16_t)f->source, TRIGGER_TYPE, c->cpu,
						   f->last, record, len},
			    err);
}

int flight_signal(struct flight *f, pid_t from, struct trawl_error *err)
{
	return trigger(f, &(struct cause){ .reason = "signal", .what = "SIGUSR1", .event = "",
					   .tid = from, .at = UINT64_MAX }, err);
}

int flight_crash(struct flight *f, pid_t pid, const char *what, uint64_t at,
		 struct trawl_error *err)
{
	return trigger(f, &(struct cause){ .reason = "crash", .what = what, .event = "",
					   .tid = pid, .at = at ? at : UINT64_MAX }, err);
}

/* ---- the expression ---------------------------------------------------------------------- */

static int watch_types(struct flight *f, uint16_t source, struct trawl_error *err)
{
	const struct trawl_event_type *t;

	for (size_t i = 0; (t = trawl_writer_event_type_at(f->w, source, i)); i++)
		if (!watch_has_type(f->watch, source, t->id) && watch_type(f->watch, t, err))
			return -1;
	return 0;
}

void flight_on_meta(void *arg, const struct trawl_meta *m)
{
	struct flight *f = arg;
	struct trawl_error ignored; /* out of memory: expressions then lack the names of a device or
				     * probe */

	if (f->watch)
		watch_meta(f->watch, m, &ignored);
}

int flight_arm(struct flight *f, struct trawl_writer *w, struct trawl_error *err)
{
	const struct trawl_source *s;

	f->w = w;
	for (uint16_t i = 0; f->watch && (s = trawl_writer_source_at(w, i)); i++)
		if (watch_source(f->watch, s, err) || watch_types(f, i, err))
			return -1;
	return (f->watch && watch_check(f->watch, err)) || describe(f, err) ? -1 : 0;
}

void flight_sync(struct flight *f, const struct trawl_sync *sync)
{
	struct trawl_error ignored;

	f->ahead = sync->real - sync->mono;
	if (f->watch)
		watch_sync(f->watch, sync, &ignored);
}

/*
 * Returns an event's time by CLOCK_MONOTONIC, ns; of a time in microseconds, the end of the
 * microsecond.
 */
static uint64_t event_mono(const struct flight *f, const struct trawl_source *s, uint64_t ts)
{
	return s->clock == TRAWL_CLOCK_REAL ? ts - f->ahead + s->resolution - 1 : ts;
}

int flight_see(struct flight *f, const struct trawl_record *r, struct trawl_error *err)
{
	struct watch_match m;
	int ret;

	if (!f->watch)
		return 0;
	/* A source may have added the type after flight_arm(). */
	if (!watch_has_type(f->watch, r->source, r->type) && watch_types(f, r->source, err))
		return -1;
	if (!watch_wants(f->watch, r->source, r->type))
		return 0;
	ret = watch_record(f->watch, r, &m, err);
	if (ret <= 0)
		return ret;
	return trigger(f, &(struct cause){
		.reason = "expression", .what = f->o->trigger, .event = m.name, .tid = m.tid,
		.cpu = m.cpu == ITEM_NO_CPU ? 0 : m.cpu,
		.at = event_mono(f, trawl_writer_source_at(f->w, r->source), m.ts) }, err);
}

/* ---- files ------------------------------------------------------------------------------- */

static bool to_stdout(const struct flight *f)
{
	return !strcmp(f->o->write, "-");
}

/* Writes the file's name: FILE with strftime's conversions. */
static int file_name(const struct flight *f, char *name, size_t size, struct trawl_error *err)
{
	time_t now = time(NULL);
	struct tm tm;

	if (!localtime_r(&now, &tm) || !strftime(name, size, f->o->write, &tm))
		return trawl_fail(err, TRAWL_USAGE,
				  "-w %s: its conversions make no name; use those of strftime()",
				  f->o->write);
	return 0;
}

static int open_file(struct flight *f, struct trawl_error *err)
{
	char name[4096];

	return file_name(f, name, sizeof(name), err) || newfile_open(&f->file, name, f->user, err);
}

/* Returns a descriptor for the spill, which closes it; the file keeps its own. */
static int spill_fd(struct flight *f, struct trawl_error *err)
{
	int fd = -1;

	if (to_stdout(f) || !open_file(f, err)) {
		fd = fcntl(to_stdout(f) ? 1 : f->file.file.fd, F_DUPFD_CLOEXEC, 3);
		if (fd < 0)
			trawl_fail(err, TRAWL_CANNOT, "-w %s: %s", f->o->write, strerror(errno));
	}
	return fd;
}

struct job {
	struct flight *flight;
	int fd;
};

static void *write_spill(void *arg)
{
	struct job job = *(struct job *)arg;
	struct flight *f = job.flight;
	struct sched_param none = { 0 };

	free(arg);
	if (f->writing) /* the recording continues, and is more urgent */
		sched_setscheduler(0, SCHED_OTHER, &none);
	f->result = trawl_spill_write(f->spill, job.fd, &f->in_file, &f->error);
	atomic_store(&f->written, true);
	return NULL;
}

/*
 * Prints a failure, and where the written part of the file is; the recording continues. Of
 * consecutive files that are lost only the first is reported; the end report has their number.
 */
static void failed(struct flight *f, const struct trawl_error *err)
{
	const struct newfile *n = &f->file;
	bool lost = !n->path && !n->left;

	f->failed++;
	if (lost && f->lost)
		return;
	f->lost = lost;
	session_incomplete(f->session, "%s; %s is %s%s, the recording goes on: %s", err->text,
			   n->path ? n->path : f->o->write,
			   n->path ? "not whole" : n->left ? "kept as " : "lost",
			   n->path || !n->left ? "" : n->left, f->written_reason);
}

static int start_writing(struct flight *f, struct trawl_error *err)
{
	struct job *job = malloc(sizeof(*job));
	int fd = job ? spill_fd(f, err) : trawl_fail(err, TRAWL_CANNOT, "out of memory");

	if (fd >= 0) {
		*job = (struct job){ f, fd };
		trawl_writer_ring(f->w, &f->state);
		f->taken = mono_now();
		f->spill = trawl_writer_take(f->w, err);
		f->written = false;
		f->writing = f->spill;
		if (f->spill && !pthread_create(&f->thread, NULL, write_spill, job))
			return 0;
		f->writing = false;
		if (f->spill) { /* without a thread: written here */
			write_spill(job);
			flight_reap(f, true);
			return 0;
		}
		close(fd);
	}
	free(job);
	return -1;
}

void flight_write(struct flight *f)
{
	struct trawl_error err;

	assert(flight_state(f) == FLIGHT_DUE);
	f->deadline = 0;
	memcpy(f->written_reason, f->reason, sizeof(f->reason));
	if (start_writing(f, &err)) {
		failed(f, &err);
		newfile_close(&f->file, f->user);
	}
}

static void note_written(struct flight *f)
{
	struct out span;

	f->files++;
	f->lost = false;
	out_memory(&span);
	time_span(&span, f->taken - f->state.since);
	session_note(f->session, "%s holds the last %.*s: %s",
		     to_stdout(f) ? "standard output" : f->file.path, (int)span.len, span.data,
		     f->written_reason);
	out_free(&span);
}

void flight_reap(struct flight *f, bool wait)
{
	bool written = atomic_load(&f->written);
	struct trawl_error err;

	if (f->writing && !wait && !written)
		return;
	if (f->writing)
		pthread_join(f->thread, NULL);
	else if (!written)
		return;
	f->writing = false;
	f->written = false;
	if (f->result && !f->in_file && !to_stdout(f))
		failed(f, &f->error); /* newfile_close() removes a file without events */
	else if (!to_stdout(f) && newfile_commit(&f->file, f->user, &err))
		failed(f, &err);
	else if (f->result)
		failed(f, &f->error);
	else
		note_written(f);
	newfile_close(&f->file, f->user);
}

void flight_finish(struct flight *f)
{
	flight_reap(f, true);
	if (flight_state(f) == FLIGHT_DUE) {
		flight_write(f);
		flight_reap(f, true);
	}
	assert(flight_state(f) == FLIGHT_READY);
}

const char *flight_verdict(const struct flight *f, char *buf, size_t size)
{
	int n = 0;

	if (f->files)
		n = snprintf(buf, size, "; %u file%s written", f->files, f->files == 1 ? "" : "s");
	if (f->failed && (size_t)n < size)
		snprintf(buf + n, size - (size_t)n,
			 "; %u file%s could not be written, or not the whole of %s", f->failed,
			 f->failed == 1 ? "" : "s", f->failed == 1 ? "it" : "them");
	else if (!f->files)
		snprintf(buf, size, "; no trigger: nothing was written");
	return buf;
}

/* ---- beginning and end ------------------------------------------------------------------- */

static void note(void *session, const struct trawl_error *text)
{
	session_note(session, "%s", text->text);
}

int flight_open(struct flight *f, const struct options *o, const struct user *user,
		struct session *s, struct trawl_error *err)
{
	int ret;

	*f = (struct flight){ .o = o, .user = user, .session = s, .file.file = UNNAMED_NONE };
	if (o->trigger && !(f->watch = watch_new("--trigger", o->trigger, err)))
		return -1;
	if (f->watch)
		watch_set_on_mismatch(f->watch, note, s);
	if (to_stdout(f))
		return !isatty(1) ? 0 :
			trawl_fail(err, TRAWL_USAGE, "-w -: standard output is a terminal; name a "
				   "file or pipe it");
	/*
	 * Checks at the start that a file can be made, since the first trigger may come much later.
	 */
	ret = open_file(f, err);
	newfile_close(&f->file, user);
	return ret ? -1 : 0;
}

void flight_close(struct flight *f)
{
	watch_free(f->watch);
	f->watch = NULL;
}
