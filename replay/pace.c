/* SPDX-License-Identifier: MIT */
#include "replay/pace.h"

#include <errno.h>
#include <inttypes.h>
#include <sched.h>
#include <sys/prctl.h>
#include <time.h>

#include "decode/base/number.h"

uint64_t pace_clock(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
}

void pace_start(struct pace *p, double speed)
{
	*p = (struct pace){.speed = speed};
	if (speed <= 0)
		return;
	/* Due events precede other work if the kernel permits it; each takes little time. */
	sched_setscheduler(0, SCHED_FIFO | SCHED_RESET_ON_FORK,
			   &(struct sched_param){.sched_priority = 1});
	prctl(PR_SET_TIMERSLACK, 1); /* by default the kernel may delay timers by 50 us */
}

void pace_again(struct pace *p)
{
	p->begun = false;
}

static uint64_t due(struct pace *p, uint64_t time)
{
	if (!p->begun) {
		p->begun = true;
		p->from = time;
		p->start = pace_clock();
	}
	return time <= p->from ? p->start
			       : p->start + (uint64_t)((double)(time - p->from) / p->speed);
}

bool pace_is_due(struct pace *p, uint64_t time)
{
	return p->speed <= 0 || due(p, time) <= pace_clock();
}

bool pace_wait(struct pace *p, uint64_t time)
{
	uint64_t at;
	struct timespec t;

	if (p->speed <= 0)
		return true;
	at = due(p, time);
	t = (struct timespec){.tv_sec = (time_t)(at / 1000000000),
			      .tv_nsec = (long)(at % 1000000000)};
	return clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &t, NULL) != EINTR;
}

void pace_note(struct pace *p, uint64_t time)
{
	uint64_t at, now, late;

	p->n++;
	if (p->speed <= 0)
		return;
	at = due(p, time);
	now = pace_clock();
	late = now > at ? now - at : 0;
	p->worst = late > p->worst ? late : p->worst;
	late /= PACE_BUCKET;
	p->late[late < PACE_BUCKETS ? late : PACE_BUCKETS - 1]++;
}

void pace_summary(const struct pace *p, struct out *o)
{
	uint64_t rest = p->n / 100, i = PACE_BUCKETS, most;

	out_count(o, p->n, "event");
	if (p->speed <= 0 || !p->n)
		return;
	while (i && p->late[i - 1] <= rest)
		rest -= p->late[--i];
	/* the upper end of a bucket; the last bucket also has all later events */
	most = i < PACE_BUCKETS && i * PACE_BUCKET < p->worst ? i * PACE_BUCKET : p->worst;
	out_printf(o, ", late by %" PRIu64 " us at most, 99 %% by %" PRIu64 " us", p->worst / 1000,
		   most / 1000);
}
