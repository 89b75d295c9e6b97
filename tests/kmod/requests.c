// SPDX-License-Identifier: MIT
/*
 * requests: every request of trawl_uapi.h, on this process, and of trawl_uprobe.h, on a child, as a
 * program of 64 bits and one of 32 (requests32), without a library. TAP.
 */
#include "tests/kmod/small.h"
#include "kmod/trawl_uapi.h"
#include "kmod/trawl_uprobe.h"

enum { CALLS = 8 };

extern const char __executable_start[];
static struct trawl_branch records[1024];
static int fd, answer;

__attribute__((noinline)) static void callee(void)
{
	__asm__ volatile("");
}

static void work(void)
{
	for (int i = 0; i < CALLS; i++)
		callee();
}

static bool gives(int error, unsigned long command, void *request, const char *name)
{
	return ok(ioctl(fd, command, request) == -error, name);
}

static __u64 pointer(const void *to)
{
	return (unsigned long)to;
}

static struct trawl_enable enabling(unsigned int form)
{
	return (struct trawl_enable){ .size = sizeof(struct trawl_enable), .form = form,
				      .provider = TRAWL_PROVIDER_STEP };
}

/* How many records of the dump are of this kind, in calls also to callee(); -1: no dump. */
static int dumped(unsigned int form, unsigned int kind, struct trawl_dump *d)
{
	int n = 0;

	*d = (struct trawl_dump){ .size = sizeof(*d), .form = form, .records = pointer(records),
				  .capacity = sizeof(records) / sizeof(*records),
				  .flags = TRAWL_DUMP_CLEAR };
	answer = ioctl(fd, TRAWL_IOC_DUMP, d);
	if (answer)
		return -1;
	for (unsigned int i = 0; i < d->count; i++)
		n += records[i].kind == kind &&
			(kind != TRAWL_KIND_REL_CALL || records[i].to == pointer((void *)callee));
	return n;
}

static void providers(void)
{
	struct trawl_provider_info p = { .size = sizeof(p), .provider = TRAWL_PROVIDER_STEP };

	gives(0, TRAWL_IOC_PROVIDER, &p, "PROVIDER");
	ok(p.abi == TRAWL_ABI && p.name[0] == 's' && p.forms == 14 && !p.why, "its answer");
	gives(EFAULT, TRAWL_IOC_PROVIDER, (void *)8, "a request at a bad address");
	gives(ENOTTY, _IOWR(TRAWL_IOC_MAGIC, 99, struct trawl_enable), &p, "an unknown request");
}

static void lbr(void)
{
	struct trawl_disable off = { .size = sizeof(off), .form = TRAWL_FORM_LBR };
	struct trawl_enable e = enabling(TRAWL_FORM_LBR);
	struct trawl_dump d;

	e.select = TRAWL_SELECT_DEFAULT;
	gives(0, TRAWL_IOC_ENABLE, &e, "ENABLE, form LBR");
	ok(e.tasks == 1 && e.depth == 32 && e.why[TRAWL_PROVIDER_BTS] == TRAWL_WHY_USE_PERF,
	   "its answer");
	gives(EEXIST, TRAWL_IOC_ENABLE, &e, "ENABLE twice");
	work();
	ok(dumped(TRAWL_FORM_LBR, TRAWL_KIND_REL_CALL, &d) == CALLS, "DUMP has the calls");
	ok(d.state == TRAWL_TASK_TRACED && d.provider == TRAWL_PROVIDER_STEP, "its answer");
	e.provider = 0;
	e.select = TRAWL_SELECT_DEFAULT | TRAWL_NO_REL_CALL;
	gives(0, TRAWL_IOC_CONFIG, &e, "CONFIG");
	work();
	ok(!dumped(TRAWL_FORM_LBR, TRAWL_KIND_REL_CALL, &d) && d.count, "no calls are left");
	gives(0, TRAWL_IOC_DISABLE, &off, "DISABLE");
	ok(dumped(TRAWL_FORM_LBR, 0, &d) < 0 && answer == -ENOENT, "nothing to dump afterwards");
}

static void bts(void)
{
	struct trawl_disable off = { .size = sizeof(off), .flags = TRAWL_DISABLE_ALL,
				     .form = TRAWL_FORM_BTS };
	struct trawl_enable e = enabling(TRAWL_FORM_BTS);
	struct trawl_dump d;

	e.bts_control = TRAWL_BTS_DEFAULT | TRAWL_BTS_BTINT;
	e.bts_size = 5 * TRAWL_BTS_RECORD;
	gives(0, TRAWL_IOC_ENABLE, &e, "ENABLE, form BTS");
	work();
	dumped(TRAWL_FORM_BTS, 0, &d);
	ok(!answer && d.count == 5 && d.lost, "a buffer of five records is full");
	gives(0, TRAWL_IOC_DISABLE, &off, "DISABLE all");
}

/* More records than the caller has room for, who clears them. */
static void short_dump(void)
{
	struct trawl_disable off = { .size = sizeof(off), .form = TRAWL_FORM_BTS };
	struct trawl_enable e = enabling(TRAWL_FORM_BTS);
	struct trawl_dump d = { .size = sizeof(d), .form = TRAWL_FORM_BTS, .capacity = 2,
				.records = pointer(records), .flags = TRAWL_DUMP_CLEAR };

	e.bts_control = TRAWL_BTS_DEFAULT;
	e.bts_size = 100000 * TRAWL_BTS_RECORD;
	gives(0, TRAWL_IOC_ENABLE, &e, "ENABLE with a large buffer");
	work();
	answer = ioctl(fd, TRAWL_IOC_DUMP, &d);
	ok(!answer && d.count > 2 && d.lost == d.count - 2,
	   "what is cleared without having been copied is lost");
	gives(0, TRAWL_IOC_DISABLE, &off, "DISABLE");
}

static void stream(void)
{
	struct trawl_disable off = { .size = sizeof(off), .form = TRAWL_FORM_STREAM };
	struct trawl_ring_setup ring = { .size = sizeof(ring), .records = 1024 };
	struct trawl_enable e = enabling(TRAWL_FORM_STREAM);
	struct trawl_probe p = { .size = sizeof(p), .last = 4, .cookie = 7ull << 40 };

	gives(ENXIO, TRAWL_IOC_ENABLE, &e, "form STREAM without a ring");
	gives(0, TRAWL_IOC_RING, &ring, "RING");
	ok(ring.mmap_bytes == ring.data_offset + 1024 * sizeof(struct trawl_branch), "its answer");
	gives(0, TRAWL_IOC_ENABLE, &e, "ENABLE, form STREAM");
	work();
	gives(0, TRAWL_IOC_WAKE, NULL, "WAKE");
	p.fd = open("/proc/self/exe", 0);
	p.offset = pointer((void *)callee) - pointer(__executable_start);
	gives(0, TRAWL_IOC_PROBE, &p, "PROBE");
	gives(EEXIST, TRAWL_IOC_PROBE, &p, "PROBE with the same cookie");
	gives(0, TRAWL_IOC_UNPROBE, &p, "UNPROBE");
	gives(ENOENT, TRAWL_IOC_UNPROBE, &p, "UNPROBE again");
	gives(0, TRAWL_IOC_DISABLE, &off, "DISABLE, form STREAM");
}

static volatile __u32 turns;
static int child;

static void child_main(void)
{
	for (;;) {
		turns++;
		callee();
		sched_yield();
	}
}

static struct trawl_uprobe_request registration(__u64 id)
{
	return (struct trawl_uprobe_request){
		.size = sizeof(struct trawl_uprobe_request),
		.u = { .id = id, .who = child, .event = TRAWL_UPEV_BKPT,
		       .where = pointer((void *)callee) } };
}

/* Waits for the child to stop at callee(). */
static bool stops(void)
{
	struct trawl_uprobe_poll p = { .size = sizeof(p), .timeout = 60000 };

	answer = ioctl(fd, TRAWL_UPROBE_POLL, &p);
	return !answer && p.returned == 1 && p.u.id == 7ull << 40 && p.u.tid == child &&
	       p.regs.rip == pointer((void *)callee);
}

static bool moves(__u32 flags, __u32 *value)
{
	struct trawl_uprobe_memory m = {
		.size = sizeof(m), .flags = flags, .tid = child, .length = sizeof(*value),
		.address = (unsigned long)&turns, .buffer = pointer(value) };

	answer = ioctl(fd, TRAWL_UPROBE_MEMORY, &m);
	return !answer && m.done == sizeof(*value);
}

static void stopped_child(void)
{
	struct trawl_uprobe_regs r = { .size = sizeof(r), .tid = child };
	__u32 there = 0, set = 1000;

	gives(0, TRAWL_UPROBE_REGISTERS, &r, "REGISTERS");
	ok(r.regs.rip == pointer((void *)callee), "its answer");
	r.flags = TRAWL_UPROBE_SET;
	r.regs.rbx ^= 1;
	gives(0, TRAWL_UPROBE_REGISTERS, &r, "REGISTERS, SET");
	r.regs.rbx ^= 1;
	gives(0, TRAWL_UPROBE_REGISTERS, &r, "and back");
	ok(moves(0, &there) && there, "MEMORY reads");
	ok(moves(TRAWL_UPROBE_SET, &set), "MEMORY writes");
	ok(stops() && moves(0, &there) && there == 1001, "the child goes on with it");
}

static void handler(void)
{
	struct trawl_kh_count count = { 0 };
	struct trawl_uprobe_run run = { .size = sizeof(run), .data = pointer(&count),
					.data_size = sizeof(count) };
	struct trawl_uprobe_request r = registration(8);

	__builtin_memcpy(r.u.khandler, "count", 6);
	gives(0, TRAWL_UPROBE_REGISTER, &r, "REGISTER with a khandler");
	run.u = r.u;
	for (int i = 0; i < 100000 && !answer && count.hits < 2; i++) {
		answer = ioctl(fd, TRAWL_UPROBE_RUN, &run);
		sched_yield();
	}
	ok(!answer && count.hits >= 2 && count.last_time > count.first_time, "RUN");
	run.u.khandler[0] = 'x';
	gives(ENOENT, TRAWL_UPROBE_RUN, &run, "RUN of an unknown khandler");
}

static void uprobes(void)
{
	char names[256];
	struct trawl_uprobe_list list = { .size = sizeof(list), .buffer = pointer(names) };
	struct trawl_uprobe_poll none = { .size = sizeof(none) };
	struct trawl_uprobe_request r;

	gives(ERANGE, TRAWL_UPROBE_LIST, &list, "LIST without room");
	list.length = sizeof(names);
	gives(0, TRAWL_UPROBE_LIST, &list, "LIST");
	ok(list.used && names[list.used - 1] == '\n', "its answer");
	child = fork();
	if (!child)
		child_main();
	r = registration(7ull << 40);
	gives(0, TRAWL_UPROBE_REGISTER, &r, "REGISTER");
	gives(EEXIST, TRAWL_UPROBE_REGISTER, &r, "REGISTER with the same id");
	if (ok(stops(), "POLL"))
		stopped_child();
	gives(0, TRAWL_UPROBE_UNREGISTER, &r, "UNREGISTER");
	gives(ESRCH, TRAWL_UPROBE_UNREGISTER, &r, "UNREGISTER without a registration");
	handler();
	gives(0, TRAWL_UPROBE_DETACH, &r, "DETACH");
	gives(ESRCH, TRAWL_UPROBE_POLL, &none, "POLL without a tracee");
	kill(child, 9);
	wait4(child);
}

int main(void)
{
	fd = open(TRAWL_DEVICE, 2);
	if (!ok(fd >= 0, "the device"))
		return 1;
	providers();
	lbr();
	bts();
	short_dump();
	stream();
	uprobes();
	done();
	return 0;
}
