/* SPDX-License-Identifier: MIT */
/*
 * Back ends by perf, for processors with branch records: "perf-bts" (perf makes a sample of each
 * branch in the branch trace store), "intel-bts" (the branch trace store itself, in perf's AUX
 * buffer) and "perf-lbr" (samples with the stack of the last branches). Two stacks of perf-lbr may
 * overlap, but a common branch looks like the same branch taken again: the stacks are not joined.
 */
#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "capture/branch/backend.h"
#include "capture/branch/contention.h"
#include "capture/branch/execs.h"
#include "capture/branch/forks.h"
#include "capture/branch/lbrcheck.h"
#include "capture/branch/perfring.h"
#include "capture/branch/stack.h"
#include "capture/branch/switches.h"
#include "capture/sys/alloc.h"
#include "capture/sys/clock.h"
#include "capture/sys/proc.h"
#include "common/branchrecord.h"

enum {
	PAGES = 512,
	AUX_PAGES = 1024,  /* 170,000 branches */
	TASKS = 4096,
	LBR_PERIOD = 1009, /* branches between two samples */
	/*
	 * The buffer for which perf-bts gets records has room for 2,730; an interrupt empties it at
	 * 2,560. Of a batch with more than this the interrupt came late: then the processor may
	 * have dropped branches because the buffer was full. That perf leaves out the records of
	 * entries to the kernel, and returns, makes full batches smaller than 2,730.
	 */
	BATCH_MOST = 2560 + 32,
};

static const uint64_t MATURE_NS = 20000000; /* after so long the records of all CPUs have been
					     * written */
static const uint64_t CHECK_NS = 100000000; /* between two reads of the events' times */

enum perf_how { HOW_BTS, HOW_LBR, HOW_AUX };

struct perf_state {
	struct perf_ring ring;
	struct forks forks;          /* of tasks that need a guard; not for perf-lbr */
	struct branch_scope scope;
	enum perf_how how;
	bool begun, stopped;
	uint32_t gaps;               /* number of losses of which the task is unknown */
	/*
	 * Of each task: how many of `gaps` have been marked, the time of its last record, and how
	 * many records of that time there are.
	 */
	struct { uint64_t time; uint32_t tid, pid, gaps, batch; } tasks[TASKS];
	struct execs execs;
	struct switches switches;    /* but for perf-lbr: perf empties the branch records */
	/*
	 * The branches that were collected with the first ones after an exec, or that may be of
	 * several tasks; tid 0: none.
	 */
	struct perf_sample_head holder;
	bool mixed;
	struct branch *held;
	size_t nheld;
	uint64_t last;               /* time of the last record of any task */
	uint64_t until;              /* all records up to this time have been taken */
	struct contention contention;
};

/* ---- events ------------------------------------------------------------------------------ */

/* Returns the type number of the PMU intel_bts; 0 if there is none. */
static uint32_t aux_type(void)
{
	return (uint32_t)proc_number("/sys/bus/event_source/devices/intel_bts/type", 0);
}

static struct perf_event_attr attr_of(enum perf_how how)
{
	struct perf_event_attr a = { .type = PERF_TYPE_HARDWARE,
				     .config = PERF_COUNT_HW_BRANCH_INSTRUCTIONS };

	perf_ring_attr(&a);
	if (how == HOW_AUX) {
		a.type = aux_type();
		a.config = 0;
		a.sample_period = 1;
		a.aux_watermark = AUX_PAGES * 4096 / 4;
	} else if (how == HOW_LBR) {
		a.sample_period = LBR_PERIOD;
		a.sample_type |= PERF_SAMPLE_BRANCH_STACK;
		a.branch_sample_type = PERF_SAMPLE_BRANCH_USER | PERF_SAMPLE_BRANCH_ANY |
				       PERF_SAMPLE_BRANCH_TYPE_SAVE;
	} else {
		a.sample_period = 1;
		a.sample_type |= PERF_SAMPLE_ADDR;
	}
	a.context_switch = 1;
	return a;
}

static bool cpu_has(const char *flag)
{
	FILE *f = fopen("/proc/cpuinfo", "re");
	char line[8192], word[32];
	bool found = false;

	snprintf(word, sizeof(word), " %s ", flag);
	while (f && !found && fgets(line, sizeof(line), f)) {
		line[strcspn(line, "\n")] = ' ';
		found = !strncmp(line, "flags", 5) && strstr(line, word);
	}
	if (f)
		fclose(f);
	return found;
}

static int no_store(const char *name, struct trawl_error *err)
{
	return trawl_fail(err, TRAWL_CANNOT,
			  "branch:%s: the processor has no branch trace store, which Intel's have "
			  "(not in a virtual machine); use another back end", name);
}

/* Writes to *err why perf_event_open() failed. */
static int why_not(const char *name, enum perf_how how, int error, struct trawl_error *err)
{
	bool lbr = how == HOW_LBR;

	if (error == EACCES || error == EPERM)
		return trawl_fail(err, TRAWL_CANNOT,
				  "branch:%s: no permission to use perf; run as root, or lower "
				  "kernel.perf_event_paranoid",
				  name);
	if (error == EBUSY)
		return trawl_fail(err, TRAWL_CANNOT,
				  "branch:%s: another program uses the processor's branch records "
				  "(perf, a debugger, KVM); end that first",
				  name);
	if (error == ENOENT || error == ENODEV)
		return trawl_fail(err, TRAWL_CANNOT,
				  "branch:%s: the kernel has no driver for the counters of this "
				  "processor%s",
				  name,
				  cpu_has("hypervisor") ? "; enable a virtual PMU on the host of "
							  "this virtual machine"
							: "");
	if (!lbr && !cpu_has("bts"))
		return no_store(name, err);
	if (how == HOW_BTS && error == EINVAL)
		return trawl_fail(err, TRAWL_CANNOT,
				  "branch:%s: perf refuses a record of each branch: newer kernels "
				  "do so on Haswell; try branch:intel-bts",
				  name);
	return trawl_fail(err, TRAWL_CANNOT,
			  "branch:%s: perf refuses it: %s: the processor has no %s", name,
			  strerror(error),
			  lbr ? "last branch records that perf can read"
			      : "branch trace store that perf can use");
}

static int try_open(const char *name, enum perf_how how, struct trawl_error *err)
{
	struct perf_event_attr a = attr_of(how);
	int fd;

	a.inherit = 0;
	fd = (int)syscall(SYS_perf_event_open, &a, 0, -1, -1, PERF_FLAG_FD_CLOEXEC);
	if (fd < 0)
		return why_not(name, how, errno, err);
	close(fd);
	return 0;
}

static int bts_usable(struct trawl_error *err)
{
	if (cpu_has("bts") || !cpu_has("hypervisor"))
		return try_open("perf-bts", HOW_BTS, err);
	/*
	 * In a virtual machine perf may sample each branch by an interrupt instead of BTS, and lose
	 * some.
	 */
	return no_store("perf-bts", err);
}

static int lbr_usable(struct trawl_error *err)
{
	struct perf_event_attr a = attr_of(HOW_LBR);

	return try_open("perf-lbr", HOW_LBR, err) ? -1 : lbr_check(&a, err);
}

static int aux_usable(struct trawl_error *err)
{
	if (!aux_type() && !cpu_has("bts"))
		return no_store("intel-bts", err);
	if (!aux_type())
		return trawl_fail(err, TRAWL_CANNOT,
				  "branch:intel-bts: the kernel has no intel_bts: page-table "
				  "isolation is on (perf-bts works with it)");
	return try_open("intel-bts", HOW_AUX, err);
}

/* ---- a recording ------------------------------------------------------------------------- */

static void close_state(void *state)
{
	struct perf_state *p = state;

	perf_ring_close(&p->ring);
	forks_close(&p->forks);
	execs_free(&p->execs);
	switches_free(&p->switches);
	contention_free(&p->contention);
	free(p->held);
	free(p);
}

/*
 * Opens an event that counts nothing and is not inherited. Linux 6.1 keeps software events, among
 * them intel_bts's, and those of the processor in different contexts; intel_bts takes no other
 * event of its own on the task.
 */
static void guard(void *arg, pid_t pid, pid_t tid)
{
	struct perf_state *p = arg;
	struct perf_event_attr a = { .type = PERF_TYPE_HARDWARE,
				     .config = PERF_COUNT_HW_BRANCH_INSTRUCTIONS,
				     .size = sizeof(a), .disabled = 1, .exclude_kernel = 1,
				     .exclude_hv = 1 };
	int fd;

	if (p->how == HOW_AUX) {
		a.type = PERF_TYPE_SOFTWARE;
		a.config = PERF_COUNT_SW_DUMMY;
	}
	fd = (int)syscall(SYS_perf_event_open, &a, tid, -1, -1, PERF_FLAG_FD_CLOEXEC);
	if (fd >= 0)
		switches_guard(&p->switches, tid, fd, mono_now());
}

static void guard_first(void *arg, pid_t tid)
{
	struct perf_state *p = arg;

	switches_add(&p->switches, tid);
	guard(p, 0, tid);
}

static void *open_of(const struct branch_scope *scope, enum perf_how how, struct trawl_error *err)
{
	struct perf_event_attr attr = attr_of(how);
	struct perf_state *p = calloc(1, sizeof(*p));

	if (!p) {
		trawl_fail(err, TRAWL_CANNOT, "out of memory");
		return NULL;
	}
	p->how = how;
	p->scope = *scope;
	p->execs.command = scope->command ? scope->pids[0] : 0;
	switches_init(&p->switches, (size_t)sysconf(_SC_NPROCESSORS_CONF));
	for (size_t i = 0; how != HOW_LBR && i < scope->n; i++)
		threads_each(scope->pids[i], guard_first, p);
	if (!perf_ring_open(&p->ring, &attr, scope, PAGES, err) &&
	    (how != HOW_AUX || !perf_ring_aux(&p->ring, AUX_PAGES, err))) {
		if (how != HOW_LBR)
			forks_open(&p->forks, scope);
		return p;
	}
	close_state(p);
	return NULL;
}

static void *open_bts(const struct branch_scope *scope, struct trawl_error *err)
{
	return open_of(scope, HOW_BTS, err);
}

static void *open_lbr(const struct branch_scope *scope, struct trawl_error *err)
{
	return open_of(scope, HOW_LBR, err);
}

static void *open_aux(const struct branch_scope *scope, struct trawl_error *err)
{
	return open_of(scope, HOW_AUX, err);
}

/* Checks whether the events counted all the time since the last check. */
static void check_times(struct perf_state *p)
{
	uint64_t began = mono_now(), could, did;
	struct trawl_error ignored;

	perf_ring_times(&p->ring, &could, &did);
	if (!contention_check(&p->contention, could, did, began, mono_now(), p->ring.ncpus))
		return;
	p->gaps++;
	/*
	 * An event whose AUX buffer is full is disabled a little later by the kernel: one that
	 * drain() enabled before that is still off.
	 */
	if (p->last)
		perf_ring_enable(&p->ring, true, &ignored);
}

/* The kernel enables COMMAND's events at its exec. */
static int start(void *state, struct trawl_error *err)
{
	struct perf_state *p = state;

	if (!p->scope.command &&
	    (forks_enable(&p->forks, err) || perf_ring_enable(&p->ring, true, err)))
		return -1;
	check_times(p);
	return 0;
}

static size_t fds(void *state, struct pollfd *fds, size_t room)
{
	struct perf_state *p = state;
	size_t n = p->stopped ? 0 : perf_ring_fds(&p->ring, fds, room);

	return p->stopped ? 0 : n + forks_fds(&p->forks, fds + n, room - n);
}

static int put(struct branch_sink *sink, const struct perf_sample_head *h, const struct branch *b,
	       struct trawl_error *err)
{
	struct branch_event e = {.kind = BRANCH_EVENT_BRANCH,
				 .time = h->time,
				 .tid = (pid_t)h->tid,
				 .pid = (pid_t)h->pid,
				 .branch = *b,
				 .collected = true};

	return sink->event(sink, &e, err);
}

static int mark(struct branch_sink *sink, const struct perf_sample_head *h,
		enum branch_mark_kind kind, uint64_t count, struct trawl_error *err)
{
	struct branch_event e = {.kind = BRANCH_EVENT_MARK,
				 .time = h->time,
				 .tid = (pid_t)h->tid,
				 .pid = (pid_t)h->pid,
				 .mark = kind,
				 .count = count,
				 .collected = true};

	return sink->event(sink, &e, err);
}

/*
 * Whether the processor's buffer may have been full when the task's last batch was taken from
 * it.
 */
static bool was_full(const struct perf_state *p, uint32_t tid)
{
	return p->how == HOW_BTS && p->tasks[tid % TASKS].tid == tid &&
	       p->tasks[tid % TASKS].batch > BATCH_MOST;
}

/*
 * No record says where an event stopped (its buffer was full, or another event had the counter), or
 * of which tasks records were dropped. So a gap is marked before the next branches of each task,
 * and before each batch of branches that was collected while another event may have had the
 * counter.
 */
static int mark_gap(struct perf_state *p, struct branch_sink *sink,
		    const struct perf_sample_head *at, struct trawl_error *err)
{
	size_t i = at->tid % TASKS;
	bool known = p->tasks[i].tid == at->tid;
	/*
	 * The processor's buffer is emptied before another event gets the counter: a batch, whose
	 * records have one time, has no gap within it, but there may be one since the last batch.
	 */
	uint64_t before = known ? p->tasks[i].time : at->time - 1;
	bool gap = (known ? p->tasks[i].gaps : 0) != p->gaps ||
		   (before != at->time && (was_full(p, at->tid) ||
					   contention_between(&p->contention, before, at->time)));

	p->tasks[i].batch = before != at->time ? 1 : p->tasks[i].batch + 1;
	p->last = p->tasks[i].time = at->time;
	p->tasks[i].tid = at->tid;
	p->tasks[i].pid = at->pid;
	p->tasks[i].gaps = p->gaps;
	return gap ? mark(sink, at, BRANCH_MARK_LOST, 0, err) : 0;
}

/*
 * Ends the batch of held branches, unless `next` belongs to it: those that may be of the program
 * before an exec, or another task's, are lost.
 */
static int end_held(struct perf_state *p, struct branch_sink *sink,
		    const struct perf_sample_head *next, struct trawl_error *err)
{
	const struct perf_sample_head *h = &p->holder;
	size_t first;
	int got = 0;

	if (!h->tid || (next && next->tid == h->tid && next->time == h->time))
		return 0;
	first = execs_pending(&p->execs, (pid_t)h->tid)
			? execs_end(&p->execs, p->ring.maps, (pid_t)h->tid, p->held, p->nheld)
			: 0;
	if (p->mixed)
		first = p->nheld;
	if (first)
		got = mark(sink, h, BRANCH_MARK_LOST, first, err);
	for (size_t i = first; !got && i < p->nheld; i++)
		got = put(sink, h, &p->held[i], err);
	p->holder.tid = 0;
	p->nheld = 0;
	return got;
}

/*
 * Drops branches of the kernel; a branch with an address that is not canonical is a loss. mixed: it
 * may be another task's.
 */
static int put_bts(struct perf_state *p, struct branch_sink *sink, const struct perf_sample_head *h,
		   const struct branch *b, bool mixed, struct trawl_error *err)
{
	if (branch_of_kernel(b))
		return 0;
	if (!branch_address_valid(b->from) || !branch_address_valid(b->to))
		return mark(sink, h, BRANCH_MARK_LOST, 1, err);
	if (!mixed && !execs_pending(&p->execs, (pid_t)h->tid))
		return put(sink, h, b, err);
	p->holder = *h;
	p->mixed = mixed;
	xgrow(p->held, p->nheld);
	p->held[p->nheld++] = *b;
	return 0;
}

/* IP of the sample is the branch, ADDR its target. */
static int take_bts(struct perf_state *p, struct branch_sink *sink, const struct perf_held *held,
		    struct trawl_error *err)
{
	const struct perf_sample_head *h = (const struct perf_sample_head *)held->record;
	struct branch b = { .from = h->ip };
	bool mixed = switches_mixed(&p->switches, held->cpu, (pid_t)h->tid, h->time);

	if (h->header.size < sizeof(*h) + sizeof(b.to))
		return 0;
	memcpy(&b.to, h + 1, sizeof(b.to));
	return put_bts(p, sink, h, &b, mixed, err);
}

static int take_lbr(struct perf_state *p, struct branch_sink *sink,
		    const struct perf_sample_head *h, struct trawl_error *err)
{
	struct branch_stack now;
	size_t first = 0;

	branch_stack_read(&now, (const uint64_t *)(h + 1), h->header.size - sizeof(*h));
	if (execs_pending(&p->execs, (pid_t)h->tid))
		first = execs_end(&p->execs, p->ring.maps, (pid_t)h->tid, now.entries, now.n);
	if (mark(sink, h, BRANCH_MARK_STACK, 0, err) ||
	    (now.strange && mark(sink, h, BRANCH_MARK_LOST, 0, err)))
		return -1;
	for (size_t i = first; i < now.n; i++) {
		if (put(sink, h, &now.entries[i], err))
			return -1;
	}
	return 0;
}

/*
 * Takes the processor's records (from, to, flags). The kernel sets records that it filters out to
 * 0.
 */
static int take_aux(struct perf_state *p, struct branch_sink *sink, const struct perf_held *h,
		    struct trawl_error *err)
{
	struct perf_aux_record a;
	struct perf_sample_head at = { .time = h->time };
	bool mixed;

	if (h->record->size < sizeof(a))
		return 0;
	memcpy(&a, h->record, sizeof(a));
	memcpy(&at.pid, (const char *)h->record + h->record->size - 16, 8);
	if (mark_gap(p, sink, &at, err))
		return -1;
	mixed = switches_mixed(&p->switches, h->cpu, (pid_t)at.tid, at.time);
	for (uint64_t i = 0; h->aux >= 24 && i <= h->aux - 24; i += 24) {
		uint64_t words[3];
		struct branch b;

		memcpy(words, (const char *)h->record + h->record->size + i, sizeof(words));
		b = (struct branch){ .from = words[0], .to = words[1] };
		if ((b.from || b.to) && put_bts(p, sink, &at, &b, mixed, err))
			return -1;
	}
	p->gaps += a.flags & PERF_AUX_FLAG_TRUNCATED ? 1 : 0;
	return end_held(p, sink, NULL, err);
}

/*
 * Marks gaps at the end of a task, which no later branch would show. Tasks without any record have
 * no mark.
 */
static int mark_last_gaps(struct perf_state *p, struct branch_sink *sink, struct trawl_error *err)
{
	struct perf_sample_head nobody = {
		.time = mono_now(), .tid = (uint32_t)p->scope.pids[0],
		.pid = (uint32_t)p->scope.pids[0]};

	if (!p->last && mark_gap(p, sink, &nobody, err))
		return -1;
	for (size_t i = 0; i < TASKS; i++) {
		struct perf_sample_head at = {
			.time = p->last, .tid = p->tasks[i].tid, .pid = p->tasks[i].pid};

		if (was_full(p, at.tid))
			p->tasks[i].gaps = p->gaps - 1;
		if (at.tid && mark_gap(p, sink, &at, err))
			return -1;
	}
	return 0;
}

/* Marks the branches that the task before has left in the store. */
static int take_switch(struct perf_state *p, struct branch_sink *sink, const struct perf_held *h,
		       struct trawl_error *err)
{
	struct perf_sample_head at = { .time = h->time };
	struct perf_switch_id id;
	pid_t left;

	if (p->how == HOW_LBR || !perf_switch_id(h->record, &id))
		return 0;
	if (h->record->misc & PERF_RECORD_MISC_SWITCH_OUT) {
		switches_out(&p->switches, h->cpu, (pid_t)id.tid);
		return 0;
	}
	left = switches_in(&p->switches, h->cpu, (pid_t)id.tid, h->time);
	at.tid = (uint32_t)left;
	return left ? mark(sink, &at, BRANCH_MARK_LOST, 0, err) : 0;
}

static void note_task(struct perf_state *p, const struct perf_held *h)
{
	const struct perf_task_record *t = (const struct perf_task_record *)h->record;

	if (p->how == HOW_LBR)
		return;
	if (h->record->type == PERF_RECORD_FORK) {
		if (switches_fork(&p->switches, (pid_t)t->ptid, (pid_t)t->tid, h->time))
			guard(p, (pid_t)t->pid, (pid_t)t->tid);
	} else if (h->record->type == PERF_RECORD_EXIT) {
		switches_exit(&p->switches, (pid_t)t->tid, h->time);
	}
}

static int take(struct perf_state *p, struct branch_sink *sink, const struct perf_held *h,
		struct trawl_error *err)
{
	const struct perf_sample_head *s = (const struct perf_sample_head *)h->record;

	switch (h->record->type) {
	case PERF_RECORD_SAMPLE:
		if (h->record->size < sizeof(*s))
			return 0;
		if (end_held(p, sink, s, err))
			return -1;
		if (mark_gap(p, sink, s, err))
			return -1;
		return p->how == HOW_LBR ? take_lbr(p, sink, s, err) : take_bts(p, sink, h, err);
	case PERF_RECORD_AUX:
		return take_aux(p, sink, h, err);
	case PERF_RECORD_LOST:
		/*
		 * The count is of dropped samples, or of buffers with many branches each; the
		 * record has the task that next found room, not the tasks that lost some.
		 */
		if (end_held(p, sink, NULL, err))
			return -1;
		p->gaps++;
		switches_lost(&p->switches, h->cpu);
		return 0;
	case PERF_RECORD_SWITCH:
		return end_held(p, sink, NULL, err) || perf_ring_emit(&p->ring, h, sink, err) ||
				       take_switch(p, sink, h, err)
			       ? -1
			       : 0;
	default: /* may change the maps, which decide whose the held branches are */
		if (end_held(p, sink, NULL, err))
			return -1;
		execs_note(&p->execs, p->ring.maps, h->record);
		note_task(p, h);
		return perf_ring_emit(&p->ring, h, sink, err);
	}
}

static int drain(void *state, struct branch_sink *sink, struct trawl_error *err)
{
	struct perf_state *p = state;
	uint64_t until = UINT64_MAX;
	const struct perf_held *h;
	int got = 0;

	if (!p->begun && perf_ring_initial(&p->ring, &p->scope, sink, err))
		return -1;
	p->begun = true;
	if ((!p->stopped && forks_each(&p->forks, guard, p, err)) || perf_ring_fill(&p->ring, err))
		return -1;
	if (perf_ring_aux_full(&p->ring)) {
		p->gaps++;
		if (!p->stopped && perf_ring_enable(&p->ring, true, err))
			return -1;
	}
	if (!p->stopped) {
		if (mono_now() - p->contention.checked >= CHECK_NS)
			check_times(p);
		until = mono_now() - MATURE_NS;
		until = until < p->contention.checked ? until : p->contention.checked;
	}
	while (!got && (h = perf_ring_next(&p->ring, until))) {
		got = take(p, sink, h, err);
		perf_ring_done(&p->ring, h);
	}
	p->until = until;
	got = got ? got : end_held(p, sink, NULL, err);
	return got || !p->stopped ? got : mark_last_gaps(p, sink, err);
}

static uint64_t reached(void *state)
{
	return ((const struct perf_state *)state)->until;
}

/* No later check can resolve a doubt after this one: repeats it, and marks a gap if it stays. */
static void check_last_times(struct perf_state *p)
{
	enum { TRIES = 10 };
	uint64_t before = p->contention.checked;

	for (unsigned int i = 0; i < TRIES && p->contention.checked == before; i++)
		check_times(p);
	if (p->contention.checked != before)
		return;
	contention_doubt(&p->contention, mono_now());
	p->gaps++;
}

static void halt(void *state)
{
	struct perf_state *p = state;
	struct trawl_error ignored;

	check_last_times(p);
	perf_ring_enable(&p->ring, false, &ignored);
	p->stopped = true;
}

static int stop(void *state, struct trawl_error *err)
{
	return 0;
}

static bool over(void *state)
{
	return true;
}

const struct branch_backend perf_bts_backend = {
	.name = "perf-bts",
	.number = BRANCH_HOW_PERF_BTS,
	.what = "every branch, by the branch trace store of Intel's processors, through perf"
		BRANCH_UNPROVEN,
	.no_kinds = true,
	.by_processor = true,
	.collects = true,
	.opens_events = true,
	.usable = bts_usable,
	.open = open_bts,
	.reached = reached,
	BACKEND_FUNCTIONS,
};

const struct branch_backend perf_lbr_backend = {
	.name = "perf-lbr",
	.number = BRANCH_HOW_PERF_LBR,
	.what = "samples of the last branches, by the processor's branch records, through perf: "
		"fast, not all" BRANCH_UNPROVEN,
	.partial = true,
	.no_kinds = true,
	.by_processor = true,
	.collects = true,
	.usable = lbr_usable,
	.open = open_lbr,
	.reached = reached,
	BACKEND_FUNCTIONS,
};

const struct branch_backend intel_bts_backend = {
	.name = "intel-bts",
	.number = BRANCH_HOW_INTEL_BTS,
	.what = "every branch, by the branch trace store, through perf's AUX buffer"
		BRANCH_UNPROVEN,
	.no_kinds = true,
	.by_processor = true,
	.collects = true,
	.opens_events = true,
	.usable = aux_usable,
	.open = open_aux,
	.reached = reached,
	BACKEND_FUNCTIONS,
};
