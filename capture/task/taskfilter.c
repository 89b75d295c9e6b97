/* SPDX-License-Identifier: MIT */
#include "config.h"

#include <stdlib.h>

#include "capture/task/taskfilter.h"
#include "capture/sys/proc.h"

bool task_filter_init(struct task_filter *k, uint32_t max)
{
	*k = (struct task_filter){ .lives = calloc(max, sizeof(*k->lives)), .max = max };
	return k->lives != NULL;
}

void task_filter_free(struct task_filter *k)
{
	free(k->lives);
	*k = (struct task_filter){ 0 };
}

static struct task_filter_life *life_of(struct task_filter *k, pid_t tid)
{
	if (tid <= 0 || (uint32_t)tid >= k->max)
		return NULL;
	if ((uint32_t)tid >= k->top)
		k->top = (uint32_t)tid + 1;
	return &k->lives[tid];
}

/* Buffers are per CPU: an exit may arrive before its fork, or be that of the TID's former task. */
void task_filter_begin(struct task_filter *k, pid_t tid, uint64_t time)
{
	struct task_filter_life *l = life_of(k, tid);

	if (!l)
		return;
	if (l->until < time)
		l->until = UINT64_MAX;
	if (l->begun < time)
		l->begun = time;
}

void task_filter_end(struct task_filter *k, pid_t tid, uint64_t time)
{
	struct task_filter_life *l = life_of(k, tid);

	if (l && time >= l->begun && (l->until == UINT64_MAX || l->until < time))
		l->until = time;
}

void task_filter_found(struct task_filter *k, pid_t tid)
{
	struct task_filter_life *l = life_of(k, tid);

	if (l && !l->until)
		l->until = UINT64_MAX;
}

void task_filter_keep(struct task_filter *k, const uint8_t *bits, uint64_t time)
{
	for (uint32_t tid = 0; tid < k->top; tid++) {
		if (k->lives[tid].until == UINT64_MAX && !(bits[tid / 8] >> (tid % 8) & 1))
			k->lives[tid].until = time;
	}
}

struct living {
	const struct task_filter *followed;
	size_t n;
	pid_t one;
};

static void count_living(void *arg, pid_t pid)
{
	struct living *l = arg;

	if (!task_filter_has(l->followed, pid, UINT64_MAX))
		return;
	l->one = pid;
	l->n++;
}

size_t task_filter_living(const struct task_filter *k, pid_t *one)
{
	struct living l = { .followed = k };

	processes_each(count_living, &l);
	*one = l.one;
	return l.n;
}
