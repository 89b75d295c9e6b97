/* SPDX-License-Identifier: MIT */
#include <fcntl.h>
#include <string.h>
#include <time.h>

#include "format/thread.h"
#include "format/writeback.h"

void writeback_init(struct writeback *t, int fd, uint64_t at)
{
	memset(t, 0, sizeof(*t));
	t->fd = fd;
	t->seen = t->wanted = t->written = t->forgotten = at;
}

bool writeback_is_fast(struct writeback *t, uint64_t end, uint64_t now)
{
	bool fast = t->since && now - t->since < (uint64_t)WRITEBACK_FAST_MS * 1000000 *
						   ((end - t->seen) / WRITEBACK_STEP);

	if (t->since && end - t->seen < WRITEBACK_STEP)
		return false;
	t->seen = end;
	t->since = now;
	return fast;
}

bool writeback_next(struct writeback *t, struct writeback_work *w)
{
	uint64_t left = t->wanted - t->written;

	if (!left)
		return false;
	w->write = t->written;
	w->write_end = t->written += left < WRITEBACK_STEP ? left : WRITEBACK_STEP;
	w->forget = w->forget_end = t->forgotten;
	if (t->written > t->forgotten + WRITEBACK_KEPT)
		w->forget_end = t->forgotten = t->written - WRITEBACK_KEPT;
	return true;
}

static void *follow(void *arg)
{
	struct writeback *t = arg;
	struct writeback_work w;

	thread_block_signals();
	pthread_mutex_lock(&t->lock);
	while (!t->quit) {
		if (!writeback_next(t, &w)) {
			pthread_cond_wait(&t->work, &t->lock);
			continue;
		}
		pthread_mutex_unlock(&t->lock);
		/* failures are ignored: these calls do not change the contents of the file */
		sync_file_range(t->fd, (off_t)w.write, (off_t)(w.write_end - w.write),
				SYNC_FILE_RANGE_WRITE);
		if (w.forget < w.forget_end)
			posix_fadvise(t->fd, (off_t)w.forget, (off_t)(w.forget_end - w.forget),
				      POSIX_FADV_DONTNEED);
		pthread_mutex_lock(&t->lock);
	}
	pthread_mutex_unlock(&t->lock);
	return NULL;
}

static bool start(struct writeback *t)
{
	lock_init(&t->lock);
	pthread_cond_init(&t->work, NULL);
	if (thread_start(&t->thread, follow, t))
		return true;
	pthread_cond_destroy(&t->work);
	pthread_mutex_destroy(&t->lock);
	return false;
}

void writeback_wrote(struct writeback *t, uint64_t end)
{
	struct timespec now;

	if (t->since && end - t->seen < WRITEBACK_STEP)
		return;
	clock_gettime(CLOCK_MONOTONIC, &now);
	if (!writeback_is_fast(t, end, (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec))
		return;
	if (!t->started)
		t->started = start(t);
	if (!t->started)
		return;
	pthread_mutex_lock(&t->lock);
	t->wanted = end;
	pthread_cond_signal(&t->work);
	pthread_mutex_unlock(&t->lock);
}

void writeback_done(struct writeback *t)
{
	if (!t->started)
		return;
	pthread_mutex_lock(&t->lock);
	t->quit = true;
	pthread_cond_signal(&t->work);
	pthread_mutex_unlock(&t->lock);
	pthread_join(t->thread, NULL);
	pthread_cond_destroy(&t->work);
	pthread_mutex_destroy(&t->lock);
	t->started = false;
}
