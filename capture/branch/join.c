/* SPDX-License-Identifier: MIT */
#include "config.h"

#include <errno.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "capture/branch/join.h"
#include "capture/branch/loop.h"
#include "capture/sys/proc.h"

enum { PAGE = 4096, PAGES = 64, RUNS = 4, TRIES = 10 };

/* Whether the first n branches of `now` are the last ones of `before`. */
static bool overlap(const struct branch_stack *before, const struct branch_stack *now, size_t n)
{
	if (n > before->n)
		return false;
	for (size_t i = 0; i < n; i++) {
		const struct branch *a = &before->entries[before->n - n + i];
		const struct branch *b = &now->entries[i];

		if (a->from != b->from || a->to != b->to)
			return false;
	}
	return true;
}

bool join_stacks(const struct branch_stack *before, const struct branch_stack *now, uint64_t taken,
		 struct joining *j)
{
	*j = (struct joining){ .fresh = now->n };
	if (taken >= now->n) {
		j->lost = taken - now->n;
		return true;
	}
	j->fresh = (size_t)taken;
	/* Without `before`, older branches are from before the event was opened. */
	return !before || overlap(before, now, now->n - j->fresh);
}

bool join_may_overlap(const struct branch_stack *before, const struct branch_stack *now)
{
	for (size_t n = 1; n <= now->n; n++) {
		if (overlap(before, now, n))
			return true;
	}
	return false;
}

/* Returns how many branches the processor's records hold, as Linux reports it. */
static unsigned int depth(void)
{
	long n = proc_number("/sys/bus/event_source/devices/cpu/caps/branches", 0);

	return n >= 8 && n <= BRANCH_STACK_MOST ? (unsigned int)n : 16;
}

void join_attr(struct perf_event_attr *a, uint64_t config)
{
	perf_ring_attr(a);
	a->type = PERF_TYPE_RAW;
	a->config = config;
	/* A quarter of the records is for branches between the overflow and the interrupt. */
	a->sample_period = depth() * 3 / 4;
	a->sample_type |= PERF_SAMPLE_READ | PERF_SAMPLE_BRANCH_STACK;
	a->read_format |= PERF_FORMAT_ID;
	a->branch_sample_type = PERF_SAMPLE_BRANCH_USER | PERF_SAMPLE_BRANCH_ANY |
				PERF_SAMPLE_BRANCH_TYPE_SAVE;
	/* Linux refuses PERF_SAMPLE_READ for inherited events. */
	a->inherit = a->mmap = a->mmap2 = a->comm = a->comm_exec = a->task = 0;
}

/* ---- the right event --------------------------------------------------------------------- */

struct trial {
	struct loop_count loop;
	struct branch_stack last;
	uint64_t count, idle;
	unsigned int turns; /* jumps of the loop since its last return */
	unsigned int whole; /* runs of the loop that were joined without error */
	bool sampled, known, wrong;
};

static void take_branch(struct trial *t, const struct branch *b)
{
	struct loop_count before = t->loop;

	loop_take(&t->loop, b);
	t->turns += t->loop.turns - before.turns;
	if (t->loop.returns == before.returns)
		return;
	if (t->known && t->turns == LOOP_TURNS - 1)
		t->whole++;
	else if (t->known)
		t->wrong = true;
	t->known = true;
	t->turns = 0;
}

static void take_sample(struct trial *t, const char *record, size_t size)
{
	struct join_sample s;
	struct branch_stack now;
	struct joining j;
	uint64_t idle;

	memcpy(&s, record, sizeof(s));
	branch_stack_read(&now, (const uint64_t *)(const void *)(record + sizeof(s)),
			  size - sizeof(s));
	idle = s.enabled - s.running;
	if (!join_stacks(t->sampled ? &t->last : NULL, &now, s.count - t->count, &j))
		t->wrong = true;
	if (now.strange || j.lost || idle != t->idle)
		t->known = false;
	for (size_t i = now.n - j.fresh; i < now.n; i++)
		take_branch(t, &now.entries[i]);
	t->sampled = true;
	t->last = now;
	t->count = s.count;
	t->idle = idle;
}

static void take_record(void *arg, const char *record, const struct perf_event_header *h)
{
	struct trial *t = arg;

	if (h->type == PERF_RECORD_SAMPLE && h->size > sizeof(struct join_sample))
		take_sample(t, record, h->size);
	else if (h->type == PERF_RECORD_THROTTLE)
		t->known = false;
}

/* Records the loop with this event. Returns false, with errno, if perf does not. */
static bool try_event(uint64_t config, struct trial *t)
{
	struct perf_event_attr a = { 0 };
	struct perf_event_mmap_page *ring;
	int fd;

	*t = (struct trial){ 0 };
	join_attr(&a, config);
	fd = (int)syscall(SYS_perf_event_open, &a, 0, -1, -1, PERF_FLAG_FD_CLOEXEC);
	ring = fd < 0 ? MAP_FAILED : mmap(NULL, (PAGES + 1) * PAGE, PROT_READ | PROT_WRITE,
					  MAP_SHARED, fd, 0);
	if (ring != MAP_FAILED) {
		ioctl(fd, PERF_EVENT_IOC_ENABLE, 0);
		for (unsigned int i = 0; i < RUNS; i++) {
			/* An event that also counts system calls must fail the test. */
			syscall(SYS_getpid);
			loop_run();
		}
		ioctl(fd, PERF_EVENT_IOC_DISABLE, 0);
		perf_ring_each(ring, PAGES, take_record, t);
		munmap(ring, (PAGES + 1) * PAGE);
	}
	if (fd >= 0)
		close(fd);
	return ring != MAP_FAILED;
}

enum verdict { EVENT_RIGHT, EVENT_WRONG, EVENT_REFUSED, EVENT_UNPROVEN };

/*
 * Whether complete runs of the loop are joined without error. Some branches are missing whenever
 * the thread has left its CPU, or perf has limited the rate of samples, so this takes several
 * tries.
 */
static enum verdict judge_event(uint64_t config)
{
	struct trial t;

	bool sampled = false;

	for (unsigned int i = 0; i < TRIES; i++) {
		if (!try_event(config, &t))
			return EVENT_REFUSED;
		if (t.wrong || t.loop.wrong)
			return EVENT_WRONG;
		if (t.whole)
			return EVENT_RIGHT;
		sampled |= t.sampled;
	}
	return sampled ? EVENT_UNPROVEN : EVENT_WRONG;
}

int join_find_event(uint64_t *config, struct trawl_error *err)
{
	/*
	 * BR_INST_RETIRED.NEAR_TAKEN: most Intel processors, Tremont, Goldmont; AMD: ExRetBrnTkn.
	 */
	static const uint64_t events[] = { 0x20c4, 0xc0c4, 0x80c4, 0xc4 };

	bool unproven = false, refused = false;
	int why = 0;

	for (size_t i = 0; i < sizeof(events) / sizeof(*events); i++) {
		enum verdict v = judge_event(events[i]);

		if (v == EVENT_RIGHT) {
			*config = events[i];
			return 0;
		}
		unproven |= v == EVENT_UNPROVEN;
		refused |= v == EVENT_REFUSED;
		why = v == EVENT_REFUSED ? errno : why;
	}
	if (unproven)
		return trawl_fail(err, TRAWL_CANNOT,
				  "branch:perf-joined: perf took too few samples of a known loop "
				  "to tell which event counts its branches; raise "
				  "kernel.perf_event_max_sample_rate, set "
				  "kernel.perf_cpu_time_max_percent to 0, or use a less busy machine");
	if (refused)
		return trawl_fail(err, TRAWL_CANNOT,
				  "branch:perf-joined: perf refuses events with so short a period: "
				  "%s%s; use kmod-step or ptrace", strerror(why),
				  why == EINVAL ? " (newer kernels do so on Haswell)" : "");
	return trawl_fail(err, TRAWL_CANNOT,
			  "branch:perf-joined: no known event counts exactly the branches that "
			  "this processor records (AMD's also counts interrupts and system "
			  "calls); use kmod-step or ptrace");
}
