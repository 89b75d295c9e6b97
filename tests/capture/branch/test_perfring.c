/* SPDX-License-Identifier: MIT */
/* The order of records of perf's rings. */
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "capture/branch/perfmaps.h"
#include "capture/branch/perfring.h"

enum { PAGE = 4096 };

struct lost_record {
	struct perf_event_header header;
	uint64_t id, lost;
	uint32_t pid, tid;
	uint64_t time;
};

static struct perf_cpu cpus[2];
static struct perf_ring ring = { .cpus = cpus, .ncpus = 2 };

static void begin(void)
{
	for (size_t i = 0; i < 2; i++)
		cpus[i] = (struct perf_cpu){ .ring = calloc(2, PAGE), .size = PAGE };
}

static void end(void)
{
	for (size_t i = 0; i < 2; i++)
		free(cpus[i].ring);
	free(ring.held);
	perf_maps_free(ring.maps);
	perf_threads_free(&ring.threads);
	ring.maps = NULL;
}

TestSuite(perfring, .init = begin, .fini = end);

static void add(size_t cpu, const void *record, size_t size)
{
	struct perf_event_mmap_page *page = cpus[cpu].ring;

	memcpy((char *)page + PAGE + page->data_head, record, size);
	page->data_head += size;
}

static void add_sample(size_t cpu, uint64_t time)
{
	struct perf_sample_head s = { .header = { .type = PERF_RECORD_SAMPLE, .size = sizeof(s) },
				      .time = time };

	add(cpu, &s, sizeof(s));
}

static void add_lost(size_t cpu, uint64_t time)
{
	struct lost_record l = { .header = { .type = PERF_RECORD_LOST, .size = sizeof(l) },
				 .lost = 1, .time = time };

	add(cpu, &l, sizeof(l));
}

static void next_is(uint32_t type, uint64_t time)
{
	const struct perf_held *h = perf_ring_next(&ring, UINT64_MAX);

	cr_assert_not_null(h);
	cr_assert_eq(h->record->type, type, "type %u", h->record->type);
	cr_assert_eq(h->time, time, "time %lu", (unsigned long)h->time);
	perf_ring_done(&ring, h);
}

static void fill(void)
{
	struct trawl_error err;

	cr_assert_eq(perf_ring_fill(&ring, &err), 0);
}

Test(perfring, records_of_all_cpus_are_in_the_order_of_time)
{
	add_sample(0, 10);
	add_sample(0, 30);
	add_sample(1, 20);
	fill();
	next_is(PERF_RECORD_SAMPLE, 10);
	next_is(PERF_RECORD_SAMPLE, 20);
	next_is(PERF_RECORD_SAMPLE, 30);
	cr_assert_null(perf_ring_next(&ring, UINT64_MAX));
}

/* perf takes the time of a sample, then that of a loss, then writes the loss and the sample. */
Test(perfring, a_loss_is_before_what_found_room_again)
{
	add_sample(0, 10);
	add_lost(0, 25);
	add_sample(0, 20);
	add_sample(0, 20);
	add_sample(1, 15);
	fill();
	next_is(PERF_RECORD_SAMPLE, 10);
	next_is(PERF_RECORD_SAMPLE, 15);
	next_is(PERF_RECORD_LOST, 20);
	next_is(PERF_RECORD_SAMPLE, 20);
	next_is(PERF_RECORD_SAMPLE, 20);
}

/* ---- switches ------------------------------------------------------------------------------ */

static void add_switch(uint16_t misc, uint32_t pid, uint32_t tid, uint64_t time)
{
	struct {
		struct perf_event_header header;
		struct perf_switch_id id;
	} s = { { PERF_RECORD_SWITCH, misc, sizeof(s) }, { pid, tid, time } };

	add(0, &s, sizeof(s));
}

static struct branch_event told[4];
static size_t ntold;

static int note(struct branch_sink *s, const struct branch_event *e, struct trawl_error *err)
{
	told[ntold++] = *e;
	return 0;
}

static bool is_told(size_t i, enum branch_event_kind kind, pid_t pid, pid_t tid, uint64_t time)
{
	const struct branch_event *e = &told[i];

	return e->kind == kind && e->pid == pid && e->tid == tid && e->time == time;
}

Test(perfring, when_a_task_comes_to_a_cpu_leaves_it_and_ends_is_told)
{
	struct perf_task_record gone = { { PERF_RECORD_EXIT, 0, sizeof(gone) }, 9, 1, 10, 1, 30 };
	struct branch_sink sink = { .event = note };
	struct trawl_error err;

	add_switch(PERF_RECORD_MISC_SWITCH_OUT, 5, 6, 10);
	add_switch(0, 7, 8, 20);
	add(0, &gone, sizeof(gone));
	fill();
	for (const struct perf_held *h; (h = perf_ring_next(&ring, UINT64_MAX));) {
		cr_assert_eq(perf_ring_emit(&ring, h, &sink, &err), 0);
		perf_ring_done(&ring, h);
	}
	cr_assert_eq(ntold, 3);
	cr_assert(is_told(0, BRANCH_EVENT_LEFT, 5, 6, 10));
	cr_assert(is_told(1, BRANCH_EVENT_CAME, 7, 8, 20));
	cr_assert(is_told(2, BRANCH_EVENT_LEFT, 9, 10, 30));
}

Test(perfring, names_are_told_with_their_times)
{
	struct {
		struct perf_event_header header;
		uint32_t pid, tid;
		char comm[16];
		uint64_t time;
	} name = { { PERF_RECORD_COMM, 0, sizeof(name) }, 5, 6, "worker", 20 };
	struct perf_task_record forked = {
		{ PERF_RECORD_FORK, 0, sizeof(forked) }, 5, 5, 7, 6, 30
	};
	struct branch_sink sink = { .event = note };
	struct trawl_error err;

	add(0, &name, sizeof(name));
	add(0, &forked, sizeof(forked));
	fill();
	for (const struct perf_held *h; (h = perf_ring_next(&ring, UINT64_MAX));) {
		cr_assert_eq(perf_ring_emit(&ring, h, &sink, &err), 0);
		if (ntold == 1)
			cr_assert_str_eq(told[0].name, "worker");
		perf_ring_done(&ring, h);
	}
	cr_assert_eq(ntold, 2);
	cr_assert(is_told(0, BRANCH_EVENT_NAME, 5, 6, 20));
	cr_assert(is_told(1, BRANCH_EVENT_TASK, 5, 7, 30));
	cr_assert_eq(told[1].parent, 6);
}

/* ---- the mappings of processes that end -------------------------------------------------- */

struct task_record {
	struct perf_event_header header;
	uint32_t pid, ppid, tid, ptid;
	uint64_t time, id_time;
};

static void task(uint32_t type, uint32_t pid, uint32_t parent, uint32_t tid)
{
	struct task_record t = { .header = { .type = type, .size = sizeof(t) }, .pid = pid,
				 .ppid = parent, .tid = tid, .ptid = parent, .id_time = 1 };

	add(0, &t, sizeof(t));
}

static void exec(uint32_t pid)
{
	struct {
		struct perf_event_header header;
		uint32_t pid, tid;
		uint64_t time;
	} c = { .header = { .type = PERF_RECORD_COMM, .misc = PERF_RECORD_MISC_COMM_EXEC,
			    .size = sizeof(c) }, .pid = pid, .tid = pid, .time = 1 };

	add(0, &c, sizeof(c));
}

static int ignore(struct branch_sink *sink, const struct branch_event *e, struct trawl_error *err)
{
	return 0;
}

/* Returns whether the process has mappings after all records. */
static bool mapped(pid_t pid)
{
	struct branch_sink sink = { .event = ignore };
	const struct perf_held *h;
	struct trawl_error err;

	fill();
	while ((h = perf_ring_next(&ring, UINT64_MAX))) {
		cr_assert_eq(perf_ring_emit(&ring, h, &sink, &err), 0);
		perf_ring_done(&ring, h);
	}
	return perf_maps_has(ring.maps, pid, 0x1000);
}

static void map(pid_t pid)
{
	struct perf_map_line l = {
		.start = 0x1000, .end = 0x2000, .prot = PROT_EXEC, .path = "/lib" };

	perf_maps_add(&ring.maps, pid, &l);
}

Test(perfring, a_process_that_has_ended_has_no_mappings)
{
	map(1);
	task(PERF_RECORD_FORK, 2, 1, 2);
	cr_assert(mapped(2));
	task(PERF_RECORD_EXIT, 2, 1, 2);
	cr_assert_not(mapped(2));
	cr_assert(mapped(1));
}

Test(perfring, the_last_thread_ends_a_process)
{
	map(1);
	task(PERF_RECORD_FORK, 2, 1, 2);
	task(PERF_RECORD_FORK, 2, 2, 3);
	task(PERF_RECORD_EXIT, 2, 2, 2);
	cr_assert(mapped(2));
	task(PERF_RECORD_EXIT, 2, 2, 3);
	cr_assert_not(mapped(2));
}

Test(perfring, a_thread_that_execs_is_the_first_one_then)
{
	map(1);
	task(PERF_RECORD_FORK, 2, 1, 2);
	task(PERF_RECORD_FORK, 2, 2, 3);
	task(PERF_RECORD_EXIT, 2, 2, 2);
	exec(2);
	cr_assert_not(mapped(2));
	map(2);
	cr_assert(mapped(2));
	task(PERF_RECORD_EXIT, 2, 1, 2);
	cr_assert_not(mapped(2));
}

Test(perfring, a_process_of_the_scope_keeps_its_mappings)
{
	map(1);
	task(PERF_RECORD_FORK, 1, 1, 5);
	task(PERF_RECORD_EXIT, 1, 1, 5);
	cr_assert(mapped(1));
	task(PERF_RECORD_EXIT, 1, 1, 1);
	cr_assert(mapped(1));
}

/* The fork of a thread of it may be among what was lost. */
Test(perfring, after_a_loss_nobody_knows_the_last_thread)
{
	map(1);
	task(PERF_RECORD_FORK, 2, 1, 2);
	add_lost(0, 1);
	task(PERF_RECORD_EXIT, 2, 1, 2);
	cr_assert(mapped(2));
	task(PERF_RECORD_FORK, 2, 1, 2);
	task(PERF_RECORD_EXIT, 2, 1, 2);
	cr_assert_not(mapped(2));
}
