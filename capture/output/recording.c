/* SPDX-License-Identifier: MIT */
#include "config.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "capture/output/machine.h"
#include "common/array.h"
#include "capture/sys/clock.h"
#include "capture/sys/priority.h"
#include "capture/output/recording.h"
#include "capture/session.h"

enum {
	SIZE_CHECK = 16 << 10,	/* bytes of records after which a file's size is checked */
	CHUNK_LEAST = 64 << 10, /* least bytes of records in a chunk */
	CHUNK_MOST = 2 << 20,
	CHUNKS_OF_FILE = 8,	 /* a chunk has at most 1/CHUNKS_OF_FILE of -C */
	WAITING_MOST = 64 << 20, /* most bytes of waiting events */
};

void recording_end(struct recording *r, const char *why)
{
	if (!r->end)
		r->end = why;
}

void recording_fail(struct recording *r, const struct trawl_error *err)
{
	if (r->failed)
		return;
	r->failed = true;
	r->error = *err;
	recording_end(r, err->sys == EPIPE ? "consumer" : "output");
}

int recording_after_write(struct recording *r, int result, const struct trawl_error *err)
{
	if (!result)
		return 0;
	if (!err->sys)
		return -1;
	recording_fail(r, err);
	return 0;
}

/* ---- clocks ------------------------------------------------------------------------------ */

void recording_sync(struct recording *r, enum trawl_sync_why why)
{
	struct trawl_error err;

	trawl_sync_now(&r->sync);
	r->sync.why = why;
	r->sync.horizon = r->horizon;
	if (r->o->ring)
		flight_sync(&r->flight, &r->sync);
	if (trawl_writer_sync(r->w, &r->sync, &err)) {
		recording_fail(r, &err);
		return;
	}
	/*
	 * The file has all events up to `drained`, except those that a CPU had stamped but not
	 * committed, which takes microseconds. The value of the previous sync leaves a sync's
	 * interval for that.
	 */
	r->horizon = r->drained;
}

void recording_flush(struct recording *r)
{
	struct trawl_error err;

	if (trawl_writer_flush(r->w, &err))
		recording_fail(r, &err);
}

/* ---- the row of files -------------------------------------------------------------------- */

/*
 * -C: whether another file must begin. Each file gets events of at least a quarter of the size,
 * even if its initial metadata exceeds the size.
 */
static bool is_full(struct recording *r)
{
	uint64_t most = r->o->rotate_bytes, least = r->front + most / 4;

	r->unchecked = 0;
	return !r->failed && trawl_writer_expected(r->w) >= (most > least ? most : least);
}

int recording_commit(struct recording *r, struct trawl_error *err)
{
	int fd = output_commit(&r->output, err);

	if (fd <= 0)
		return fd;
	if (trawl_writer_rotate(r->w, fd, err) < 0)
		return -1;
	r->fd = fd;
	return 0;
}

/* Writes a complete file again if it was deleted. */
static void restore(struct recording *r)
{
	struct trawl_error err;

	if (output_restore(&r->output, &err))
		session_incomplete(r->session, "%s", err.text);
	r->deleted = false;
}

static void look_for_deletion(struct recording *r)
{
	if (r->deleted || !output_is_deleted(&r->output))
		return;
	r->deleted = true;
	session_note(r->session,
		     "-w %s: was deleted: recording goes on, and the whole file is written again "
		     "at the end",
		     r->output.path);
}

static uint64_t loss_time(const struct recording *r, const struct trawl_loss *loss, uint64_t ts)
{
	const struct trawl_source *s = trawl_writer_source_at(r->w, loss->source);

	return s && s->clock == TRAWL_CLOCK_REAL ? ts + r->sync.mono - r->sync.real : ts;
}

static int write_loss(struct recording *r, const struct trawl_loss *loss, struct trawl_error *err)
{
	r->lossy = true;
	return recording_after_write(r, trawl_writer_loss(r->w, loss, err), err);
}

/*
 * Writes the losses that end at or before `until` and, if the file ends there, those that begin
 * before. A loss that spans the end of a file is in both files; its part in the next file has an
 * unknown count.
 */
static int write_losses(struct recording *r, uint64_t until, bool file_ends,
			struct trawl_error *err)
{
	size_t kept = 0;
	int ret = 0;

	for (size_t i = 0; i < r->nlosses; i++) {
		struct trawl_loss loss = r->losses[i];
		uint64_t from = loss_time(r, &loss, loss.from);
		bool over = loss_time(r, &loss, loss.to) <= until;

		if ((over || (file_ends && from <= until)) && write_loss(r, &loss, err))
			ret = -1;
		if (over)
			continue;
		if (file_ends && from <= until) {
			loss.from += until + 1 - from;
			loss.count = UINT64_MAX;
		}
		r->losses[kept++] = loss;
	}
	r->nlosses = kept;
	return ret;
}

/* The present file ends with the events of r->cut: begins the next one. */
static int rotate(struct recording *r, enum output_rotation why, struct trawl_error *err)
{
	uint64_t begin = r->cut + 1 + r->sync.real - r->sync.mono;
	struct trawl_error local;
	int fd, ret;

	if (write_losses(r, r->cut, true, err))
		return -1;
	fd = output_next(&r->output, why, (int64_t)(begin / 1000000000), &local);
	if (fd == -2) {
		r->until = r->cut;
		if (!r->failed)
			r->end = "files"; /* before what may have ended it meanwhile */
		return 0;
	}
	recording_sync(r, TRAWL_SYNC_TICK);
	session_rotate(r->session);
	ret = fd < 0 ? -1 : trawl_writer_rotate(r->w, fd, &local);
	if (ret)
		recording_fail(r, &local);
	if (ret < 0)
		return 0;
	r->fd = fd;
	restore(r);
	if (recording_commit(r, &local))
		recording_fail(r, &local);
	recording_sync(r, TRAWL_SYNC_START);
	r->front = trawl_writer_expected(r->w);
	r->begin = r->cut + 1;
	r->early = 0;
	r->lossy = r->full = false;
	return 0;
}

static int rotate_by_size(struct recording *r, uint64_t cut, struct trawl_error *err)
{
	int ret;

	r->cut = cut;
	ret = rotate(r, OUTPUT_BY_SIZE, err);
	r->cut = r->next_file;
	return ret;
}

void recording_rotate_due(struct recording *r)
{
	uint64_t cut = r->newest > r->drained ? r->newest : r->drained;
	struct trawl_error err;

	if (r->end)
		return;
	look_for_deletion(r);
	/* a recorder that is late sees here that the recording has ended before `cut` */
	if (r->o->rotate_bytes && is_full(r) && cut < session_last(r->session) &&
	    rotate_by_size(r, cut, &err))
		recording_fail(r, &err);
}

/* ---- what is recorded -------------------------------------------------------------------- */

/* Counts an event from before the file's begin, unless its wall clock was set back. */
static void count_early(struct recording *r, const struct trawl_record *record)
{
	const struct trawl_source *s = trawl_writer_source_at(r->w, record->source);

	r->early += s && s->clock != TRAWL_CLOCK_REAL;
}

static int write_event(struct recording *r, const struct trawl_record *record, uint64_t mono,
		       struct trawl_error *err)
{
	/* The trigger's expression needs the metadata of the event's task. */
	if (r->o->ring && r->tasks->nfresh && flight_uses_task(&r->flight) &&
	    tasks_flush(r->tasks, r->w, err))
		return -1;
	if (recording_after_write(r, trawl_append(r->w, record, err), err))
		return -1;
	if (mono < r->begin)
		count_early(r, record);
	r->newest = mono;
	r->unchecked += record->len;
	if (r->o->rotate_bytes && r->unchecked >= SIZE_CHECK)
		r->full |= is_full(r);
	return r->o->ring ? flight_see(&r->flight, record, err) : 0;
}

int recording_put_watched(struct recording *r, const struct trawl_record *record, uint64_t mono,
			  struct trawl_error *err)
{
	if (mono > r->cut || r->o->rotate_bytes)
		return pending_add(&r->waiting, record, mono, err);
	return write_event(r, record, mono, err);
}

/* Writes an event that waited. Returns 1: the last file of the row has ended. */
static int write_waiting(const struct pending_event *e, void *arg, struct trawl_error *err)
{
	struct recording *r = arg;

	if (r->full && e->mono > r->newest && rotate_by_size(r, r->newest, err))
		return -1;
	if (r->until != UINT64_MAX) {
		r->waiting.dropped[e->record.source]++;
		return 1;
	}
	return write_event(r, &e->record, e->mono, err);
}

static int release(struct recording *r, uint64_t until, struct trawl_error *err)
{
	return pending_release(&r->waiting, until, write_waiting, r, err) < 0 ? -1 : 0;
}

/*
 * Returns the time up to which waiting events are written. It is later than `reached` if too many
 * wait for a source that is far behind; later events of that source then count as early.
 */
static uint64_t release_until(struct recording *r, uint64_t reached)
{
	if (r->waiting.bytes <= WAITING_MOST)
		return reached;
	return r->o->rotate_bytes ? pending_middle(&r->waiting) : r->cut;
}

/* -G: whether the present file is complete, and another one follows: the recording goes on. */
static bool is_over(const struct recording *r, uint64_t released)
{
	return !r->o->ring && released >= r->cut && r->cut < session_last(r->session) &&
	       !r->failed && r->until == UINT64_MAX;
}

/*
 * -G: completes the files that end at or before the time `released`. The recorder may be late, so
 * that there are several, even after the recording has ended.
 */
static int rotate_by_time(struct recording *r, uint64_t released, struct trawl_error *err)
{
	while (is_over(r, released)) {
		if (release(r, r->cut, err))
			return -1;
		if (!is_over(r, released))
			break;
		if (rotate(r, OUTPUT_BY_TIME, err))
			return -1;
		r->next_file += r->o->rotate_time;
		if (r->until == UINT64_MAX)
			r->cut = r->next_file;
	}
	return 0;
}

int recording_settle(struct recording *r, uint64_t reached, struct trawl_error *err)
{
	uint64_t released = release_until(r, reached);

	if (rotate_by_time(r, released, err))
		return -1;
	r->settled = released < r->cut ? released : r->cut;
	if (r->until == UINT64_MAX && release(r, r->o->rotate_bytes ? r->settled : r->cut, err))
		return -1;
	if (reached > r->drained)
		r->drained = reached < r->cut ? reached : r->cut;
	return write_losses(r, r->drained, false, err);
}

int recording_settle_last(struct recording *r, struct trawl_error *err)
{
	if (rotate_by_time(r, UINT64_MAX, err))
		return -1;
	if (r->until != UINT64_MAX)
		pending_keep(&r->waiting, 0);
	else if (release(r, UINT64_MAX, err))
		return -1;
	return write_losses(r, UINT64_MAX, false, err);
}

void recording_cut(struct recording *r, uint64_t cut)
{
	if (r->cut == UINT64_MAX)
		r->cut = cut;
}

int recording_reopen(struct recording *r, struct trawl_error *err)
{
	r->begin = r->cut + 1;
	r->cut = UINT64_MAX;
	r->early = 0;
	r->lossy = false;
	return release(r, UINT64_MAX, err);
}

int recording_loss(struct recording *r, const struct trawl_loss *loss, struct trawl_error *err)
{
	if (!r->o->rotate_bytes && loss_time(r, loss, loss->to) <= r->cut)
		return write_loss(r, loss, err);
	if (!array_grow(r->losses, r->nlosses))
		return trawl_fail(err, TRAWL_CANNOT, "out of memory");
	r->losses[r->nlosses++] = *loss;
	return 0;
}

int recording_tasks(struct recording *r, struct trawl_error *err)
{
	return recording_after_write(r, tasks_flush(r->tasks, r->w, err), err);
}

/* ---- beginning and end ------------------------------------------------------------------- */

/* Returns the output's name for messages, malloc'd, or NULL. */
static char *output_label(const struct options *o)
{
	char *name;

	if (!o->write || !strcmp(o->write, "-"))
		return strdup(o->write ? "standard output" : "output");
	return asprintf(&name, "-w %s", o->write) < 0 ? NULL : name;
}

static struct trawl_writer *open_writer(struct recording *r, struct trawl_error *err)
{
	const struct options *o = r->o;
	struct trawl_writer_options wo = {
		.level = o->level, .keep_up = !o->level, .ring = o->ring, .name = output_label(o),
		.on_meta = o->ring ? flight_on_meta : NULL, .arg = &r->flight,
	};
	struct trawl_writer *w;

	if (o->rotate_bytes) {
		uint64_t share = o->rotate_bytes / CHUNKS_OF_FILE;

		wo.chunk_bytes = share < CHUNK_LEAST ? CHUNK_LEAST :
				 share > CHUNK_MOST ? CHUNK_MOST : (uint32_t)share;
	}
	w = trawl_writer_new(r->fd, &wo, err);
	free((char *)wo.name);
	return w;
}

int recording_open(struct recording *r, const struct options *o, const struct user *user,
		   struct session *s, struct trawl_error *err)
{
	r->o = o;
	r->session = s;
	r->tasks = session_tasks(s);
	if (o->ring) {
		if (flight_open(&r->flight, o, user, s, err))
			return -1;
	} else {
		r->fd = output_open(&r->output, o, user, err);
		if (r->fd < 0)
			return -1;
	}
	/* COMMAND and the printer have been forked: they keep their priority. */
	priority_first(o->level);
	r->w = open_writer(r, err);
	if (!r->w)
		return -1;
	return machine_write(r->w, err) || machine_write_capture(r->w, o, user->name, err) ? -1 : 0;
}

int recording_start(struct recording *r, struct trawl_error *err)
{
	r->drained = r->horizon = mono_now();
	recording_sync(r, TRAWL_SYNC_START);
	if (r->failed) {
		*err = r->error;
		return -1;
	}
	r->begin = r->sync.mono;
	r->next_file = r->o->rotate_time ? r->sync.mono + r->o->rotate_time : UINT64_MAX;
	r->cut = r->next_file;
	return 0;
}

void recording_finish(struct recording *r)
{
	struct trawl_error err;

	if (r->o->ring)
		flight_finish(&r->flight);
	if (trawl_writer_close(r->w, &err))
		recording_fail(r, &err);
	r->w = NULL;
	if (r->small && !r->failed && !r->o->rotate_bytes && !r->o->rotate_time)
		output_make_small(&r->output);
	restore(r);
	pending_free(&r->waiting);
	free(r->losses);
	r->losses = NULL;
	r->nlosses = 0;
}
