// SPDX-License-Identifier: MIT
/*
 * The code flow of libiht's document, written from its text: enable, do what matters, dump,
 * disable; for LBR and BTS, of itself and of a child. "document" prints TAP. Also built as a 32-bit
 * program, without a library (start32.h).
 */
#include "tests/kmod/small.h"
#include "kmod/trawl_libiht.h"

static int count = 10;
static struct xioctl_request request;
static struct lbr_data lbr;
static struct lbr_stack_entry entries[32];
static struct bts_data bts;
static struct bts_record records[1024];

static void func2(void);

/* The usual way takes no jump: the processor's records have room for more than these calls. */
__attribute__((noinline)) static void func1(void)
{
	if (__builtin_expect(count, 1)) {
		count--;
		func2();
	}
	__asm__ volatile("");
}

__attribute__((noinline)) static void func2(void)
{
	if (__builtin_expect(count, 1)) {
		count--;
		func1();
	}
	__asm__ volatile("");
}

static bool into(u64 to, void (*function)(void))
{
	return to == (unsigned long)function;
}

static int ask(int fd, enum IOCTL command, int pid)
{
	request.cmd = command;
	request.body.lbr.lbr_config.pid = pid;
	return ioctl(fd, LIBIHT_LKM_IOCTL_BASE, &request);
}

/*
 * Returns how many of the eleven calls are in the dump of this flow, and how many kernel addresses.
 */
static int flow(int fd, int pid, int *kernel)
{
	int calls = 0;

	count = 10;
	func1();
	ok(!ask(fd, LIBIHT_IOCTL_DUMP_LBR, pid), "LBR: dump");
	for (int i = 0; i < 32; i++) {
		calls += into(entries[i].to, func1) || into(entries[i].to, func2);
		*kernel += entries[i].from >> 63 || entries[i].to >> 63;
	}
	return calls;
}

static void of_lbr(int fd, int pid)
{
	int try, calls = 0, kernel = 0;

	memset(&request, 0, sizeof(request));
	lbr.entries = entries;
	request.body.lbr.buffer = &lbr;
	ok(!ask(fd, LIBIHT_IOCTL_ENABLE_LBR, pid), "LBR: enable");
	ok(ask(fd, LIBIHT_IOCTL_ENABLE_LBR, pid) == -EEXIST, "LBR: twice is EEXIST");
	request.body.lbr.lbr_config.lbr_select = 1 | 1 << 2 | 1 << 5;
	ok(!ask(fd, LIBIHT_IOCTL_CONFIG_LBR, pid), "LBR: configure: no conditions, no returns");
	/* perf may clear the LBR when the task is switched in; then try again. */
	for (try = 0; try < 5 && calls != 11; try++)
		calls = flow(fd, pid, &kernel);
	ok(calls == 11, "LBR: all eleven calls are among the last 32 branches");
	ok(!kernel, "LBR: no address of the kernel");
	ok(lbr.lbr_tos < 32 && entries[lbr.lbr_tos].from, "LBR: the newest is at lbr_tos");
	ok(!ask(fd, LIBIHT_IOCTL_DISABLE_LBR, pid), "LBR: disable");
	ok(ask(fd, LIBIHT_IOCTL_DUMP_LBR, pid) == -ENOENT, "LBR: nothing is left of it");
	ok(ask(fd, LIBIHT_IOCTL_DISABLE_LBR, pid) == -ENOENT, "LBR: disable twice is ENOENT");
}

static void of_bts(int fd, int pid)
{
	struct bts_record *r;
	int calls = 0, bad = 0;

	memset(&request, 0, sizeof(request));
	bts.bts_buffer_base = records;
	request.body.bts.buffer = &bts;
	ok(!ask(fd, LIBIHT_IOCTL_ENABLE_BTS, pid), "BTS: enable");
	count = 10;
	func1();
	ok(!ask(fd, LIBIHT_IOCTL_DUMP_BTS, pid), "BTS: dump");
	for (r = records; r < bts.bts_index; r++) {
		calls += into(r->to, func1) || into(r->to, func2);
		bad += r > records && r->from < r[-1].to;
	}
	ok(bts.bts_index > records && bts.bts_index < records + 1024,
	   "BTS: bts_index is after the last record");
	ok(calls == 11, "BTS: all eleven calls");
	ok(!bad, "BTS: each branch leaves behind where the one before arrived");
	ok(bts.bts_interrupt_threshold > (unsigned long)records,
	   "BTS: the threshold is an address of the buffer");
	ok(!ask(fd, LIBIHT_IOCTL_DISABLE_BTS, pid), "BTS: disable");
}

/* BTINT: the buffer fills up and stays full until it is dumped. */
static void of_full_bts(int fd)
{
	int i;

	memset(&request, 0, sizeof(request));
	bts.bts_buffer_base = records;
	bts.bts_interrupt_threshold = 48;
	request.body.bts.buffer = &bts;
	request.body.bts.bts_config.bts_config = DEFAULT_BTS_CONFIG | DEBUGCTLMSR_BTINT;
	request.body.bts.bts_config.bts_buffer_size = 10 * 24;
	ok(!ask(fd, LIBIHT_IOCTL_ENABLE_BTS, 0), "BTINT: enable with room for ten");
	for (i = 0; i < 3; i++) {
		count = 20;
		func1();
	}
	ok(!ask(fd, LIBIHT_IOCTL_DUMP_BTS, 0), "BTINT: dump");
	ok(bts.bts_index == records + 10 && records[9].from, "BTINT: the first ten are there");
	ok(!ask(fd, LIBIHT_IOCTL_DISABLE_BTS, 0), "BTINT: disable");
}

static void refused(int fd)
{
	memset(&request, 0, sizeof(request));
	request.body.lbr.lbr_config.lbr_select = 0x200;
	ok(ask(fd, LIBIHT_IOCTL_ENABLE_LBR, 0) == -EINVAL, "a tenth bit of lbr_select is EINVAL");
	memset(&request, 0, sizeof(request));
	request.body.bts.bts_config.bts_config = 1;
	ok(ask(fd, LIBIHT_IOCTL_ENABLE_BTS, 0) == -EINVAL, "another bit of DEBUGCTL is EINVAL");
	request.body.bts.bts_config.bts_config = 0;
	request.body.bts.bts_config.bts_buffer_size = 25;
	ok(ask(fd, LIBIHT_IOCTL_ENABLE_BTS, 0) == -EINVAL, "an odd buffer size is EINVAL");
	request.body.bts.bts_config.bts_buffer_size = 24ull << 40;
	ok(ask(fd, LIBIHT_IOCTL_ENABLE_BTS, 0) == -EINVAL, "a huge buffer size is EINVAL");
	request.body.bts.bts_config.bts_buffer_size = 0;
	ok(ask(fd, LIBIHT_IOCTL_ENABLE_BTS, 4194303) == -ESRCH, "no such task is ESRCH");
	ok(ask(fd, LIBIHT_IOCTL_ENABLE_BTS, -1) == -ESRCH, "task -1, too");
	ok(ask(fd, LIBIHT_IOCTL_ENABLE_BTS, 2) == -EPERM, "a kernel thread is EPERM");
	ok(ask(fd, LIBIHT_IOCTL_DUMP_BTS, 0) == -ENOENT, "dump without enable is ENOENT");
	ok(ask(fd, LIBIHT_IOCTL_LBR_END, 0) == -EINVAL, "an unknown command is EINVAL");
	ok(ask(fd, 1000, 0) == -EINVAL, "and one of a thousand");
	ok(ioctl(fd, LIBIHT_LKM_IOCTL_BASE, (void *)8) == -EFAULT, "a bad pointer is EFAULT");
	ok(ioctl(fd, 0x1234, &request) == -ENOTTY, "an unknown request is ENOTTY");
	request.body.lbr.buffer = (void *)8;
	ok(!ask(fd, LIBIHT_IOCTL_ENABLE_LBR, 0), "a bad buffer does not matter to enable");
	ok(ask(fd, LIBIHT_IOCTL_DUMP_LBR, 0) == -EFAULT, "but is EFAULT for dump");
	lbr.entries = (void *)8;
	request.body.lbr.buffer = &lbr;
	ok(ask(fd, LIBIHT_IOCTL_DUMP_LBR, 0) == -EFAULT, "as are bad entries");
	ok(!ask(fd, LIBIHT_IOCTL_DISABLE_LBR, 0), "disable");
}

/* A child that exists after enable is traced, and can be dumped by its pid, even after its end. */
static void of_child(int fd)
{
	int pid, calls = 0;
	struct bts_record *r;

	memset(&request, 0, sizeof(request));
	bts.bts_buffer_base = records;
	request.body.bts.buffer = &bts;
	ok(!ask(fd, LIBIHT_IOCTL_ENABLE_BTS, 0), "child: enable its parent");
	count = 10;
	pid = fork();
	if (!pid) {
		func1();
		_exit(0);
	}
	wait4(pid);
	ok(!ask(fd, LIBIHT_IOCTL_DUMP_BTS, pid), "child: dump it");
	for (r = records; r < bts.bts_index; r++)
		calls += into(r->to, func1) || into(r->to, func2);
	ok(calls == 11, "child: its eleven calls");
	ok(!ask(fd, LIBIHT_IOCTL_DISABLE_BTS, pid), "child: disable it");
	ok(!ask(fd, LIBIHT_IOCTL_DISABLE_BTS, 0), "child: disable its parent");
}

int main(void)
{
	int fd = open("/proc/" LIBIHT_PROC_NAME, 2);

	if (!ok(fd >= 0, "the device can be opened by the document's path"))
		return 1;
	of_lbr(fd, getpid());
	of_bts(fd, getpid());
	of_full_bts(fd);
	of_child(fd);
	refused(fd);
	done();
	return 0;
}
