/* SPDX-License-Identifier: MIT */
/*
 * perf_event_open() with branch stacks also succeeds where the kernel misreads the records (their
 * format is newer than the kernel), and where the event will never be scheduled (another event uses
 * the records with another filter). So the records of a known loop are checked.
 */
#include "config.h"

#include <errno.h>
#include <stdbool.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "capture/branch/lbrcheck.h"
#include "capture/branch/loop.h"
#include "capture/branch/perfring.h"
#include "capture/branch/stack.h"
#include "capture/sys/proc.h"

enum { PAGE = 4096, PAGES = 8, PERIOD = 97, RUNS = 3 };

struct check {
	struct loop_count loop;
	unsigned int samples;
	bool strange; /* an address that is not canonical */
};

static void take_sample(struct check *c, const char *record, size_t size)
{
	struct branch_stack stack;

	c->samples++;
	branch_stack_read(&stack,
			  (const uint64_t *)(const void *)(record +
							   sizeof(struct perf_sample_head)),
			  size - sizeof(struct perf_sample_head));
	c->strange |= stack.strange;
	for (size_t i = 0; i < stack.n; i++)
		loop_take(&c->loop, &stack.entries[i]);
}

static void take_record(void *arg, const char *record, const struct perf_event_header *h)
{
	if (h->type == PERF_RECORD_SAMPLE && h->size > sizeof(struct perf_sample_head))
		take_sample(arg, record, h->size);
}

/* Records the loop. Returns 0, or -1 with errno. *ran: time in ns for which the event counted. */
static int record(int fd, struct check *c, uint64_t *ran)
{
	struct perf_event_mmap_page *ring = mmap(NULL, (PAGES + 1) * PAGE, PROT_READ | PROT_WRITE,
						 MAP_SHARED, fd, 0);
	struct { uint64_t value, enabled, running; } times = { 0 };
	int got = 0;

	if (ring == MAP_FAILED)
		return -1;
	if (ioctl(fd, PERF_EVENT_IOC_ENABLE, 0))
		got = -1;
	for (unsigned int i = 0; !got && i < RUNS; i++)
		loop_run();
	if (!got && (ioctl(fd, PERF_EVENT_IOC_DISABLE, 0) ||
		     read(fd, &times, sizeof(times)) != sizeof(times)))
		got = -1;
	if (!got)
		perf_ring_each(ring, PAGES, take_record, c);
	*ran = times.running;
	munmap(ring, (PAGES + 1) * PAGE);
	return got;
}

int lbr_check(const struct perf_event_attr *attr, struct trawl_error *err)
{
	struct perf_event_attr a = *attr;
	struct check c = { 0 };
	uint64_t ran = 0;
	int fd, got;

	a.sample_period = PERIOD;
	a.inherit = 0;
	fd = (int)syscall(SYS_perf_event_open, &a, 0, -1, -1, PERF_FLAG_FD_CLOEXEC);
	got = fd < 0 ? -1 : record(fd, &c, &ran);
	if (got)
		trawl_fail(err, TRAWL_CANNOT, "branch:perf-lbr: perf: %s", strerror(errno));
	if (fd >= 0)
		close(fd);
	if (got)
		return -1;
	if (!ran)
		return trawl_fail(err, TRAWL_CANNOT,
				  "branch:perf-lbr: another program uses the processor's branch "
				  "records or all of its counters (perf, a debugger, KVM); end "
				  "that first");
	if (!c.samples)
		return trawl_fail(err, TRAWL_CANNOT,
				  "branch:perf-lbr: perf took no sample of a known loop; raise "
				  "kernel.perf_event_max_sample_rate, or end other programs that "
				  "use perf");
	if (!c.loop.turns || c.loop.wrong || c.strange)
		return trawl_fail(err, TRAWL_CANNOT,
				  "branch:perf-lbr: perf records a known loop wrongly: Linux does "
				  "not support this processor's branch records; use kmod-step or "
				  "ptrace");
	return 0;
}

bool lbr_cuts_targets(const char *cpuinfo)
{
	char vendor[64], family[16], model[16];

	proc_value(cpuinfo, "vendor_id", vendor, sizeof(vendor));
	proc_value(cpuinfo, "cpu family", family, sizeof(family));
	proc_value(cpuinfo, "model", model, sizeof(model));
	return !strcmp(vendor, "GenuineIntel") && !strcmp(family, "6") &&
	       (!strcmp(model, "92") || !strcmp(model, "95"));
}
