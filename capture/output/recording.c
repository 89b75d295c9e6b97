/* SPDX-License-Identifier: MIT */
#include "config.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "capture/output/machine.h"
#include "capture/sys/clock.h"
#include "capture/sys/priority.h"
#include "capture/output/recording.h"
#include "capture/session.h"

enum {
	SIZE_CHECK = 16 << 10,    /* bytes of records after which a file's size is looked at */
	CHUNK_LEAST = 64 << 10,   /* bytes of records of a chunk: between these, */
	CHUNK_MOST = 2 << 20,
	CHUNKS_OF_FILE = 8,       /* such a part of -C */
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

int recording_taken(struct recording *r, int result, const struct trawl_error *err)
{
	if (!result)
		return 0;
	if (!err->sys)
		return -1;
	recording_fail(r, err);
	return 0;
}

/* ---- clocks ------------------------------------------------------------------------------ */

void recording_drained(struct recording *r, uint64_t began)
{
	if (began > r->drained) /* not before: another file may begin meanwhile, with a sync */
		r->drained = began;
}

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
	 * All events that were stamped before a drain that left nothing behind are in the file, but
	 * for one that a CPU had stamped and not yet committed, which takes microseconds. With the
	 * drain before the last sync there is at least a sync's interval for that.
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
 * -C: is it time for another file? Each has its share of events, though what it must begin with may
 * be larger than it should be.
 */
static bool size_is_due(struct recording *r)
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

/* The file is whole; was it deleted meanwhile? */
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

static void rotate(struct recording *r, enum output_turn turn)
{
	struct trawl_error local;
	int fd, ret;

	session_rotate(r->session);
	fd = output_next(&r->output, turn, &local);
	if (fd == -2) {
		recording_end(r, "files");
		return;
	}
	ret = fd < 0 ? -1 : trawl_writer_rotate(r->w, fd, &local);
	if (ret)
		recording_fail(r, &local);
	if (ret < 0)
		return;
	r->fd = fd;
	restore(r);
	if (recording_commit(r, &local))
		recording_fail(r, &local);
	recording_sync(r, TRAWL_SYNC_START);
	r->front = trawl_writer_expected(r->w);
}

void recording_rotate_due(struct recording *r, uint64_t now)
{
	if (r->end)
		return;
	look_for_deletion(r);
	if (now >= r->next_file) {
		r->next_file += r->o->rotate_time;
		rotate(r, OUTPUT_BY_TIME);
	} else if (r->o->rotate_bytes && size_is_due(r)) {
		rotate(r, OUTPUT_BY_SIZE);
	}
}

/* ---- what is recorded -------------------------------------------------------------------- */

int recording_put_watched(struct recording *r, const struct trawl_record *record,
			  struct trawl_error *err)
{
	/* Whose an event is has to be known before it is held against an expression. */
	if (r->o->ring && r->tasks->nfresh && flight_asks_task(&r->flight) &&
	    tasks_flush(r->tasks, r->w, err))
		return -1;
	if (recording_taken(r, trawl_append(r->w, record, err), err))
		return -1;
	r->unchecked += record->len;
	if (r->o->rotate_bytes && r->unchecked >= SIZE_CHECK && size_is_due(r))
		rotate(r, OUTPUT_BY_SIZE);
	return r->o->ring ? flight_see(&r->flight, record, err) : 0;
}

int recording_loss(struct recording *r, const struct trawl_loss *loss, struct trawl_error *err)
{
	return recording_taken(r, trawl_writer_loss(r->w, loss, err), err);
}

int recording_tasks(struct recording *r, struct trawl_error *err)
{
	return recording_taken(r, tasks_flush(r->tasks, r->w, err), err);
}

/* ---- beginning and end ------------------------------------------------------------------- */

/* What errors call it, as the user does; malloc'd. */
static char *output_called(const struct options *o)
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
		.level = o->level, .keep_up = !o->level, .ring = o->ring, .name = output_called(o),
		.told = o->ring ? flight_on_meta : NULL, .arg = &r->flight,
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
	/* COMMAND and the printer are forked and keep what they had. */
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
	r->next_file = r->o->rotate_time ? r->sync.mono + r->o->rotate_time : UINT64_MAX;
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
	restore(r);
}
