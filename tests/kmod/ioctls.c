// SPDX-License-Identifier: MIT
/*
 * ioctls bad		what /dev/trawl refuses, and by which error; TAP
 * ioctls cycles N enables and disables N times each on a process with threads, which must end well
 * ioctls dumps N	enables provider lbr on itself, dumps and disables N times: how many dumps
 *			there are, and how many have branches (perf may clear them before)
 * ioctls asked	enables provider lbr on itself, and dumps for each line of the input: what
 *			came of it
 * ioctls cleared N	records a process in form BTS, and dumps and clears N times: whether each
 *			branch was copied or counted as lost
 * ioctls threads N	enables once on a process with N more threads: how many are traced
 * ioctls random S SEED   any requests for S seconds, by two processes, on processes that come and
 * go
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <link.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include "kmod/trawl_libiht.h"
#include "kmod/trawl_uapi.h"

static int fd, tests, failed;

/* Expects that the request fails with this error, or (0) succeeds. */
static void expect(int error, unsigned long command, void *request, const char *name)
{
	int got = ioctl(fd, command, request) ? errno : 0;

	printf("%s %d - %s\n", got == error ? "ok" : "not ok", ++tests, name);
	if (got != error)
		printf("# %s, not %s\n", strerror(got), strerror(error));
	failed += got != error;
}

static struct trawl_enable enable(unsigned int form)
{
	return (struct trawl_enable){ .size = sizeof(struct trawl_enable), .form = form };
}

static void headers(void)
{
	struct {
		struct trawl_provider_info i;
		char more[64];
	} p = { { .size = sizeof(p), .provider = 2 }, "" };

	expect(EFAULT, TRAWL_IOC_ENABLE, NULL, "no request");
	expect(EFAULT, TRAWL_IOC_DUMP, (void *)0xffffffff81000000, "a request in the kernel");
	expect(0, TRAWL_IOC_PROVIDER, &p, "a longer request that ends with zeros");
	p.more[63] = 1;
	expect(EINVAL, TRAWL_IOC_PROVIDER, &p, "a longer request that does not");
	p.i.size = 7;
	expect(EINVAL, TRAWL_IOC_PROVIDER, &p, "a size below 8");
	p.i.size = 1 << 20;
	expect(EINVAL, TRAWL_IOC_PROVIDER, &p, "a huge size");
	p.i.size = sizeof(p.i);
	p.i.flags = 1;
	expect(EINVAL, TRAWL_IOC_PROVIDER, &p, "an unknown flag");
	p.i.flags = 0;
	p.i.provider = TRAWL_PROVIDERS;
	expect(ENOENT, TRAWL_IOC_PROVIDER, &p, "an unknown provider");
	expect(ENOTTY, _IOWR(TRAWL_IOC_MAGIC, 99, int), &p, "an unknown command");
	expect(ENOTTY, _IOW(TRAWL_IOC_MAGIC, 1, struct trawl_enable), &p,
	      "a command of the wrong direction");
}

static void enables(void)
{
	struct trawl_enable e = enable(TRAWL_FORM_STREAM);

	expect(ENXIO, TRAWL_IOC_ENABLE, &e, "form STREAM without a ring");
	e = enable(0);
	expect(EINVAL, TRAWL_IOC_ENABLE, &e, "no form");
	e = enable(4);
	expect(EINVAL, TRAWL_IOC_ENABLE, &e, "an unknown form");
	e = enable(TRAWL_FORM_LBR);
	e.flags = 8;
	expect(EINVAL, TRAWL_IOC_ENABLE, &e, "an unknown flag of enable");
	e = enable(TRAWL_FORM_LBR);
	e.pad = 1;
	expect(EINVAL, TRAWL_IOC_ENABLE, &e, "padding that is not zero");
	e = enable(TRAWL_FORM_LBR);
	e.select = 0x200;
	expect(EINVAL, TRAWL_IOC_ENABLE, &e, "a tenth filter bit");
	e = enable(TRAWL_FORM_LBR);
	e.depth = 1025;
	expect(EINVAL, TRAWL_IOC_ENABLE, &e, "a depth of 1,025");
	e = enable(TRAWL_FORM_LBR);
	e.bts_size = 24;
	expect(EINVAL, TRAWL_IOC_ENABLE, &e, "a BTS buffer in form LBR");
	e = enable(TRAWL_FORM_LBR);
	e.pid = -5;
	expect(EINVAL, TRAWL_IOC_ENABLE, &e, "a negative pid");
	e.pid = 4194303;
	expect(ESRCH, TRAWL_IOC_ENABLE, &e, "no such task");
	e.pid = 2;
	expect(EPERM, TRAWL_IOC_ENABLE, &e, "a kernel thread");
	e = enable(TRAWL_FORM_LBR);
	e.provider = TRAWL_PROVIDER_BTS;
	expect(EOPNOTSUPP, TRAWL_IOC_ENABLE, &e, "hardware BTS by name");
	printf("%s %d - its answer says why\n",
	       e.why[TRAWL_PROVIDER_BTS] == TRAWL_WHY_USE_PERF ? "ok" : "not ok", ++tests);
	e.provider = 9;
	expect(EINVAL, TRAWL_IOC_ENABLE, &e, "a ninth provider");
}

static void buffers(void)
{
	static const struct { unsigned long long size; int error;
	} sizes[] = {
		{ 1, EINVAL },
		{ 23, EINVAL },
		{ 25, EINVAL },
		{ 24576, 0 },
		{ 24, 0 },
		{ 0, 0 },
		{ TRAWL_BTS_SIZE_MAX, 0 },
		{ TRAWL_BTS_SIZE_MAX + 24, EINVAL },
		{ 24ull << 40, EINVAL },
		{ -24ull, EINVAL },
	};
	struct trawl_disable d = { .size = sizeof(d), .form = TRAWL_FORM_BTS };
	struct trawl_enable e;
	char name[64];
	size_t i;

	for (i = 0; i < sizeof(sizes) / sizeof(*sizes); i++) {
		e = enable(TRAWL_FORM_BTS);
		e.bts_size = sizes[i].size;
		snprintf(name, sizeof(name), "a BTS buffer of %llu bytes", sizes[i].size);
		expect(sizes[i].error, TRAWL_IOC_ENABLE, &e, name);
		if (!sizes[i].error)
			expect(0, TRAWL_IOC_DISABLE, &d, "disabled");
	}
	e = enable(TRAWL_FORM_BTS);
	e.bts_control = 1;
	expect(EINVAL, TRAWL_IOC_ENABLE, &e, "a bit that is not of BTS");
	e.bts_control = TRAWL_BTS_DEFAULT;
	e.bts_threshold = 1 << 20;
	expect(EINVAL, TRAWL_IOC_ENABLE, &e, "a threshold after the end");
}

static void dumps(void)
{
	struct trawl_dump d = { .size = sizeof(d), .form = TRAWL_FORM_LBR };
	struct trawl_disable off = { .size = sizeof(off), .form = TRAWL_FORM_LBR };
	struct trawl_enable e = enable(TRAWL_FORM_LBR);

	expect(ENOENT, TRAWL_IOC_DUMP, &d, "dump without enable");
	expect(ENOENT, TRAWL_IOC_DISABLE, &off, "disable without enable");
	expect(ENOENT, TRAWL_IOC_CONFIG, &e, "configure without enable");
	e.pid = 0;
	expect(0, TRAWL_IOC_ENABLE, &e, "enable");
	expect(EEXIST, TRAWL_IOC_ENABLE, &e, "enable twice");
	e = enable(TRAWL_FORM_LBR);
	e.select = TRAWL_NO_JCC;
	expect(0, TRAWL_IOC_CONFIG, &e, "configure");
	d.records = 8;
	d.capacity = 100;
	expect(EFAULT, TRAWL_IOC_DUMP, &d, "dump to a bad address");
	d.records = 0;
	expect(0, TRAWL_IOC_DUMP, &d, "dump that only counts");
	d.form = TRAWL_FORM_STREAM;
	expect(EINVAL, TRAWL_IOC_DUMP, &d, "dump of a stream");
	d.form = TRAWL_FORM_BTS;
	expect(ENOENT, TRAWL_IOC_DUMP, &d, "dump of the form that is not enabled");
	off.flags = TRAWL_DISABLE_ALL;
	off.pid = 1;
	expect(EINVAL, TRAWL_IOC_DISABLE, &off, "disable all, and one");
	off.pid = 0;
	expect(0, TRAWL_IOC_DISABLE, &off, "disable all");
}

static void rings(void)
{
	struct trawl_ring_setup r = { .size = sizeof(r), .records = 1000 };
	void *map;

	map = mmap(NULL, 4096, PROT_READ, MAP_SHARED, fd, 0);
	printf("%s %d - mmap without a ring\n",
	       map == MAP_FAILED && errno == ENXIO ? "ok" : "not ok", ++tests);
	expect(EINVAL, TRAWL_IOC_RING, &r, "a ring of 1,000 records");
	r.records = 512;
	expect(EINVAL, TRAWL_IOC_RING, &r, "a ring that is too small");
	r.records = 1u << 31;
	expect(EINVAL, TRAWL_IOC_RING, &r, "a huge ring");
	r.records = 1024;
	r.flags = TRAWL_RING_FLAGS;
	expect(EINVAL, TRAWL_IOC_RING, &r, "a ring that overwrites and blocks");
	r.flags = 0;
	expect(0, TRAWL_IOC_RING, &r, "a ring");
	expect(EEXIST, TRAWL_IOC_RING, &r, "another ring");
	map = mmap(NULL, r.mmap_bytes + 4096, PROT_READ, MAP_SHARED, fd, 0);
	printf("%s %d - mmap of more than there is\n", map == MAP_FAILED ? "ok" : "not ok",
	       ++tests);
}

static int bad(void)
{
	headers();
	enables();
	buffers();
	dumps();
	rings();
	printf("1..%d\n", tests);
	return failed;
}

#define THREADS_MAX 200

static volatile bool over;

static void *count(void *p)
{
	unsigned long *n = p;

	while (!over)
		if (++*n % 1000 == 0)
			usleep(2000);
	return NULL;
}

/* Starts a process with running threads, which exits with 0 on request. */
static pid_t victim(int threads)
{
	pid_t pid = fork();
	pthread_t t[THREADS_MAX];
	unsigned long n[THREADS_MAX] = { 0 };
	sigset_t set;
	int i, signal;

	if (pid)
		return pid;
	sigemptyset(&set);
	sigaddset(&set, SIGUSR1);
	pthread_sigmask(SIG_BLOCK, &set, NULL);
	for (i = 0; i < threads; i++)
		pthread_create(&t[i], NULL, count, &n[i]);
	sigwait(&set, &signal);
	over = true;
	for (i = 0; i < threads; i++)
		pthread_join(t[i], NULL);
	_exit(0);
}

static int cycles(int n)
{
	struct trawl_disable d = { .size = sizeof(d) };
	pid_t pid = victim(3);
	int i, status;

	usleep(50000);
	for (i = 0; i < n; i++) {
		struct trawl_enable e = enable(1 + i % 2);

		e.pid = d.pid = pid;
		d.form = e.form;
		if (ioctl(fd, TRAWL_IOC_ENABLE, &e) || ioctl(fd, TRAWL_IOC_DISABLE, &d)) {
			perror("ioctls: cycle");
			return 1;
		}
	}
	kill(pid, SIGUSR1);
	waitpid(pid, &status, 0);
	printf("%d cycles, status %x\n", i, status);
	return status != 0;
}

/* The event of each cycle needs the counter that the cycle before had. */
static int dump_cycles(int n)
{
	static struct trawl_branch records[64];
	struct trawl_disable off = { .size = sizeof(off), .form = TRAWL_FORM_LBR };
	int good = 0, full = 0;

	for (int i = 0; i < n; i++) {
		struct trawl_enable e = enable(TRAWL_FORM_LBR);
		struct trawl_dump d = { .size = sizeof(d), .form = TRAWL_FORM_LBR,
					.records = (unsigned long)records, .capacity = 64 };

		e.provider = TRAWL_PROVIDER_LBR;
		e.select = TRAWL_SELECT_DEFAULT;
		if (ioctl(fd, TRAWL_IOC_ENABLE, &e) || ioctl(fd, TRAWL_IOC_DUMP, &d)) {
			printf("# %d: %s\n", i, strerror(errno));
		} else {
			good++;
			full += d.count > 0;
		}
		ioctl(fd, TRAWL_IOC_DISABLE, &off);
	}
	printf("%d of %d dumps, %d with branches\n", good, n, full);
	return good != n;
}

static int dumps_if_asked(void)
{
	struct trawl_enable e = enable(TRAWL_FORM_LBR);
	char line[16];

	e.provider = TRAWL_PROVIDER_LBR;
	e.select = TRAWL_SELECT_DEFAULT;
	if (ioctl(fd, TRAWL_IOC_ENABLE, &e))
		perror("ioctls: enable");
	while (fgets(line, sizeof(line), stdin)) {
		struct trawl_dump d = { .size = sizeof(d), .form = TRAWL_FORM_LBR };

		puts(ioctl(fd, TRAWL_IOC_DUMP, &d) ? strerror(errno) : "branches");
		fflush(stdout);
	}
	return 0;
}

/* Starts a process that stops at once, and then takes some branches for each of so many turns. */
static pid_t looping(int turns)
{
	pid_t pid = fork();

	if (!pid) {
		raise(SIGSTOP);
		for (volatile int i = 0; i < turns; i++)
			;
		_exit(0);
	}
	waitpid(pid, NULL, WUNTRACED);
	return pid;
}

enum { BUFFER = 4096 };

/* Returns how many branches a dump of the process' buffer copied; *lost: how many are lost. */
static unsigned long dump_bts(int on, pid_t pid, unsigned int flags, unsigned long *lost)
{
	static struct trawl_branch records[BUFFER];
	struct trawl_dump d = { .size = sizeof(d), .flags = flags, .pid = pid,
				.form = TRAWL_FORM_BTS, .capacity = BUFFER };
	int got;

	d.records = flags ? (unsigned long)records : 0;
	do
		got = ioctl(on, TRAWL_IOC_DUMP, &d);
	while (got && errno == EAGAIN);
	if (got)
		perror("ioctls: TRAWL_IOC_DUMP");
	*lost = d.lost;
	return got ? 0 : d.count;
}

/* A second session, which keeps all of them, counts the branches. */
static int cleared(int n)
{
	unsigned long lost, copied = 0, dropped, all;
	int whole = open(TRAWL_DEVICE, O_RDWR | O_CLOEXEC), times;
	struct trawl_enable e = enable(TRAWL_FORM_BTS);
	pid_t pid = looping(30000 * n);

	e.pid = pid;
	e.provider = TRAWL_PROVIDER_STEP;
	e.bts_control = TRAWL_BTS_DEFAULT;
	e.bts_size = 64 * TRAWL_BTS_RECORD; /* a slow processor overflows it, too */
	if (ioctl(fd, TRAWL_IOC_ENABLE, &e))
		perror("ioctls: enable");
	e.bts_size = TRAWL_BTS_SIZE_MAX;
	if (ioctl(whole, TRAWL_IOC_ENABLE, &e))
		perror("ioctls: enable");
	kill(pid, SIGCONT);
	for (times = 0; times < n; times++) {
		usleep(30000);
		copied += dump_bts(fd, pid, TRAWL_DUMP_CLEAR, &lost);
	}
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
	copied += dump_bts(fd, pid, TRAWL_DUMP_CLEAR, &lost);
	all = dump_bts(whole, pid, 0, &dropped);
	printf("%lu copied and %lu lost: %ld too many\n", copied, lost,
	       (long)(copied + lost - all - dropped));
	return 0;
}

/* Waits until the process has started as many threads. */
static bool has_threads(pid_t pid, int threads)
{
	char folder[32];
	DIR *tasks;
	int n;

	snprintf(folder, sizeof(folder), "/proc/%d/task", pid);
	do {
		tasks = opendir(folder);
		for (n = 0; tasks && readdir(tasks);)
			n++;
		if (tasks)
			closedir(tasks);
		usleep(1000);
	} while (tasks && n < threads + 2); /* with . and .. */
	return tasks;
}

static int many_threads(int more)
{
	struct trawl_enable e = enable(TRAWL_FORM_LBR);
	pid_t pid = e.pid = victim(more);

	if (!has_threads(pid, more + 1) || ioctl(fd, TRAWL_IOC_ENABLE, &e))
		perror("ioctls: threads");
	printf("%u of %d threads\n", e.tasks, more + 1);
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
	return 0;
}

static unsigned int seed;

static unsigned int pick(unsigned int n)
{
	seed = seed * 1103515245 + 12345;
	return (seed >> 16) % n;
}

static void scribble(void *to, size_t n, unsigned int odds)
{
	unsigned char *p = to;

	while (n--) {
		if (!pick(odds))
			*p = pick(256);
		p++;
	}
}

static pid_t victims[4];
static int files[3] = { -1, -1, -1 };

static void close_files(void)
{
	for (int i = 0; i < 3; i++) {
		close(files[i]);
		files[i] = -1;
	}
}

/* Whoever waits for a process keeps no file: the process may itself wait for that file's reader. */
static void replace_victim(void)
{
	unsigned int i = pick(4);

	if (victims[i]) {
		close_files();
		kill(victims[i], pick(2) ? SIGKILL : SIGUSR1);
		waitpid(victims[i], NULL, 0);
	}
	victims[i] = victim(pick(3));
}

/* This program's file, and where in it the function is that its threads run. */
static int own_file;
static unsigned long place;

static int find_place(struct dl_phdr_info *program, size_t size, void *function)
{
	unsigned long address = (unsigned long)function - program->dlpi_addr;

	(void)size;
	for (int i = 0; i < program->dlpi_phnum; i++) {
		const ElfW(Phdr) *p = &program->dlpi_phdr[i];

		if (p->p_type == PT_LOAD && address - p->p_vaddr < p->p_filesz)
			place = address - p->p_vaddr + p->p_offset;
	}
	return 1; /* the first is the program itself */
}

static int any_pid(void)
{
	return pick(8) ? victims[pick(4)] : pick(20) ? (int)pick(100000) - 1000 : 0;
}

union any {
	struct trawl_provider_info info;
	struct trawl_enable enable;
	struct trawl_disable disable;
	struct trawl_dump dump;
	struct trawl_ring_setup ring;
	struct trawl_probe probe;
	struct xioctl_request document;
	unsigned int words[64];
};

static void any_request(int on)
{
	static struct trawl_branch room[4096];
	union any r = { 0 };
	unsigned long command = 0;

	switch (pick(8)) {
	case 0: case 1:
		r.enable = enable(1 + pick(3));
		r.enable.pid = any_pid();
		command = pick(4) ? TRAWL_IOC_ENABLE : TRAWL_IOC_CONFIG;
		break;
	case 2:
		r.disable = (struct trawl_disable){ sizeof(r.disable), pick(3), any_pid(),
						    1 + pick(3) };
		command = TRAWL_IOC_DISABLE;
		break;
	case 3:
		r.dump = (struct trawl_dump){ .size = sizeof(r.dump),
					      .flags = pick(2),
					      .pid = any_pid(),
					      .form = 1 + pick(2),
					      .records = (unsigned long)room,
					      .capacity = pick(4096) };
		command = TRAWL_IOC_DUMP;
		break;
	case 4:
		r.document.cmd = pick(12);
		r.document.body.lbr.lbr_config.pid = any_pid();
		command = LIBIHT_LKM_IOCTL_BASE;
		break;
	case 5:
		r.ring = (struct trawl_ring_setup){ .size = sizeof(r.ring),
						    .flags = pick(3),
						    .records = 1024u << pick(4) };
		command = TRAWL_IOC_RING;
		break;
	case 6:
		r.probe = (struct trawl_probe){ .size = sizeof(r.probe),
						.last = 1 + pick(40),
						.fd = own_file,
						.cookie = pick(4) };
		command = pick(2) ? TRAWL_IOC_PROBE : TRAWL_IOC_UNPROBE;
		break;
	case 7:
		r.words[0] = 8 * pick(32);
		command = _IOWR(TRAWL_IOC_MAGIC, pick(40), struct trawl_enable);
		break;
	}
	scribble(&r, sizeof(r), 1 + pick(400));
	/* A breakpoint within an instruction would end this program, too. */
	if (_IOC_NR(command) == _IOC_NR(TRAWL_IOC_PROBE)) {
		r.probe.offset = place;
		r.probe.ref_ctr_offset = 0;
	}
	ioctl(on, command, &r);
}

static int randomly(int seconds, unsigned int first)
{
	time_t end = time(NULL) + seconds;
	unsigned long n = 0;
	struct pollfd p;

	struct trawl_enable keep = enable(TRAWL_FORM_LBR);

	own_file = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
	dl_iterate_phdr(find_place, (void *)count);
	/* While another process is traced, the hooks stay, and each request is faster. */
	keep.pid = victim(0);
	if (ioctl(fd, TRAWL_IOC_ENABLE, &keep))
		perror("ioctls: enable");
	seed = first;
	if (fork())
		seed ^= 0x5555;
	while (time(NULL) < end || n < 100) {
		unsigned int i = pick(3);

		if (!pick(50) || files[i] < 0) {
			close(files[i]);
			files[i] = open(TRAWL_DEVICE, O_RDWR | O_CLOEXEC);
		}
		if (!pick(100))
			replace_victim();
		if (!pick(30)) {
			void *map = mmap(NULL, 4096 << pick(4), PROT_READ | PROT_WRITE, MAP_SHARED,
					 files[i], 0);

			if (map != MAP_FAILED) {
				scribble(map, 128, 8);
				munmap(map, 4096);
			}
		}
		p = (struct pollfd){ .fd = files[i], .events = POLLIN };
		if (!pick(10))
			poll(&p, 1, 1);
		any_request(files[i]);
		n++;
	}
	close_files();
	for (int i = 0; i < 4; i++)
		if (victims[i])
			kill(victims[i], SIGKILL);
	kill(keep.pid, SIGKILL);
	while (wait(NULL) > 0)
		;
	printf("%lu requests\n", n);
	return 0;
}

int main(int argc, char **argv)
{
	fd = open(TRAWL_DEVICE, O_RDWR | O_CLOEXEC);
	if (fd < 0) {
		perror(TRAWL_DEVICE);
		return 3;
	}
	if (argc == 2 && !strcmp(argv[1], "bad"))
		return bad();
	if (argc == 3 && !strcmp(argv[1], "cycles"))
		return cycles(atoi(argv[2]));
	if (argc == 3 && !strcmp(argv[1], "dumps"))
		return dump_cycles(atoi(argv[2]));
	if (argc == 2 && !strcmp(argv[1], "asked"))
		return dumps_if_asked();
	if (argc == 3 && !strcmp(argv[1], "cleared"))
		return cleared(atoi(argv[2]));
	if (argc == 3 && !strcmp(argv[1], "threads") && atoi(argv[2]) <= THREADS_MAX)
		return many_threads(atoi(argv[2]));
	if (argc == 4 && !strcmp(argv[1], "random"))
		return randomly(atoi(argv[2]), atoi(argv[3]));
	return 2;
}
