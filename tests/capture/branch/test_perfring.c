/* SPDX-License-Identifier: MIT */
/* The order of records of perf's rings. */
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

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
	free(h->record);
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
