/* SPDX-License-Identifier: MIT */
#include "config.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "capture/branch/queue.h"

int branch_queue_open(struct branch_queue *q, const char *name, struct trawl_error *err)
{
	*q = (struct branch_queue){ .lock = PTHREAD_MUTEX_INITIALIZER,
				    .progress = PTHREAD_COND_INITIALIZER };
	q->events = malloc(BRANCH_QUEUE_MAX * sizeof(*q->events));
	q->taken = malloc(BRANCH_QUEUE_MAX * sizeof(*q->taken));
	q->fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	if (q->fd < 0)
		return trawl_fail(err, TRAWL_CANNOT, "%s: eventfd: %s", name, strerror(errno));
	if (q->events && q->taken)
		return 0;
	close(q->fd);
	q->fd = -1;
	return trawl_fail(err, TRAWL_CANNOT, "%s: out of memory", name);
}

void branch_queue_free(struct branch_queue *q)
{
	for (size_t i = 0; i < q->n; i++) {
		if (q->events[i].kind == BRANCH_EVENT_MAPS)
			free(q->events[i].maps);
	}
	if (q->events && q->fd >= 0) /* without events, fd may be the 0 of a queue never opened */
		close(q->fd);
	free(q->events);
	free(q->taken);
	*q = (struct branch_queue){ .fd = -1 };
}

static void wake(struct branch_queue *q)
{
	eventfd_write(q->fd, 1);
}

static void put(struct branch_queue *q, const struct branch_event *e)
{
	while (q->n == BRANCH_QUEUE_MAX && !q->closed) {
		wake(q);
		pthread_cond_wait(&q->progress, &q->lock);
	}
	if (q->n == BRANCH_QUEUE_MAX) {
		if (e->kind == BRANCH_EVENT_MAPS)
			free(e->maps);
		return;
	}
	q->events[q->n++] = *e;
	q->put++;
	if (q->n == BRANCH_QUEUE_WAKE)
		wake(q);
}

void branch_queue_put(struct branch_queue *q, const struct branch_event *e)
{
	pthread_mutex_lock(&q->lock);
	put(q, e);
	pthread_mutex_unlock(&q->lock);
}

void branch_queue_put_wait(struct branch_queue *q, const struct branch_event *e)
{
	uint64_t mine;

	pthread_mutex_lock(&q->lock);
	put(q, e);
	wake(q);
	mine = q->put;
	while (q->handled < mine && !q->closed)
		pthread_cond_wait(&q->progress, &q->lock);
	pthread_mutex_unlock(&q->lock);
}

size_t branch_queue_take(struct branch_queue *q, struct branch_event **events)
{
	struct branch_event *swap;
	eventfd_t ignored;
	size_t n;

	eventfd_read(q->fd, &ignored);
	pthread_mutex_lock(&q->lock);
	swap = q->events;
	q->events = q->taken;
	q->taken = swap;
	n = q->n;
	q->n = 0;
	q->given = q->put;
	pthread_mutex_unlock(&q->lock);
	*events = swap;
	return n;
}

void branch_queue_handled(struct branch_queue *q)
{
	pthread_mutex_lock(&q->lock);
	q->handled = q->given;
	pthread_cond_broadcast(&q->progress);
	pthread_mutex_unlock(&q->lock);
}

void branch_queue_close(struct branch_queue *q)
{
	pthread_mutex_lock(&q->lock);
	q->closed = true;
	pthread_cond_broadcast(&q->progress);
	pthread_mutex_unlock(&q->lock);
}
