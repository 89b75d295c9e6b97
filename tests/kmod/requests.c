// SPDX-License-Identifier: MIT
/*
 * requests: every request of trawl_uapi.h, on this process, as a program of 64 bits and one of 32
 * (requests32), without a library. TAP.
 */
#include "tests/kmod/small.h"
#include "kmod/trawl_uapi.h"

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

int main(void)
{
	fd = open(TRAWL_DEVICE, 2);
	if (!ok(fd >= 0, "the device"))
		return 1;
	providers();
	lbr();
	bts();
	stream();
	done();
	return 0;
}
