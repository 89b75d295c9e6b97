/* SPDX-License-Identifier: MIT */
/*
 * The first process of the virtual machine: loads modules, plugs the device in, runs the check, and
 * reports the result.
 */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <dirent.h>
#include <sys/klog.h>
#include <sys/mount.h>
#include <sys/reboot.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "common/array.h"
#include "decode/base/cli.h"
#include "replay/mutate.h"
#include "replay/vm.h"
#include "replay/way.h"

#define DEVICES "/sys/bus/usb/devices"
#define PLUG_LIMIT 60 /* seconds to wait for the device */
/* seconds from then until a driver has bound: all drivers are loaded already */
#define BIND_LIMIT 5

struct guest_work {
	char **device, **check; /* words, ended by NULL */
	size_t ndevice, ncheck;
	uint64_t settle;
	bool mutate;
	uint64_t seed, from, runs;
	char *text;
};

static FILE *host; /* where reports go; set once */

__attribute__((format(printf, 2, 3))) static void report(const char *word, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	fprintf(host, "%s ", word);
	vfprintf(host, fmt, ap);
	fputc('\n', host);
	fflush(host);
	va_end(ap);
}

static void pause_ms(unsigned int ms)
{
	nanosleep(&(struct timespec){.tv_sec = ms / 1000, .tv_nsec = (long)(ms % 1000) * 1000000},
		  NULL);
}

__attribute__((noreturn)) static void end(int status)
{
	if (host) {
		report(VM_STATUS, "%d", status);
		fclose(host);
	}
	sync();
	reboot(RB_AUTOBOOT); /* with -no-reboot QEMU exits */
	for (;;)
		pause();
}

/* ---- the machine ----------------------------------------------------------------------------- */

static void make_machine(void)
{
	static const char *const folders[] = {"/proc", "/sys", "/dev", "/tmp",
					      "/mnt",  "/bin", "/run"};

	for (size_t i = 0; i < ARRAY_SIZE(folders); i++)
		mkdir(folders[i], 0755);
	mount("proc", "/proc", "proc", 0, NULL);
	mount("sysfs", "/sys", "sysfs", 0, NULL);
	if (mount("dev", "/dev", "devtmpfs", 0, NULL))
		mknod("/dev/ttyS1", S_IFCHR | 0600, 4 << 8 | 65);
	mount("tmp", "/tmp", "tmpfs", 0, NULL);
	setenv("PATH", "/bin:/sbin:/usr/bin:/usr/sbin", 1);
	setenv("HOME", "/", 1);
}

/* Loads the modules in the order of their names, which are numbers. */
static void load_modules(void)
{
	char path[64];
	int fd;

	for (unsigned int i = 0;; i++) {
		snprintf(path, sizeof(path), VM_MODULES "/%03u", i);
		fd = open(path, O_RDONLY | O_CLOEXEC);
		if (fd < 0)
			return;
		if (syscall(SYS_finit_module, fd, "", 0) && errno != EEXIST) {
			report(VM_SAY, "module %u of the list cannot be loaded: %s%s", i,
			     strerror(errno),
			     errno == ENOEXEC ? "; it may be of another kernel" : "");
			end(VM_UNTESTABLE);
		}
		close(fd);
	}
}

static bool has_vhci(void)
{
	return !access("/sys/devices/platform/vhci_hcd.0/attach", F_OK);
}

static void append(char ***list, size_t *n, char *word)
{
	if (!array_grow(*list, *n + 1))
		end(VM_UNTESTABLE);
	(*list)[(*n)++] = word;
	(*list)[*n] = NULL;
}

static void read_work(struct guest_work *p)
{
	FILE *in = fopen(VM_PLAN, "re");
	size_t room = 0;
	char *line, *next;

	*p = (struct guest_work){0};
	if (!in || getdelim(&p->text, &room, '\0', in) < 0)
		end(VM_UNTESTABLE);
	fclose(in);
	for (line = p->text; *line; line = next) {
		next = line + strcspn(line, "\n");
		if (*next)
			*next++ = '\0';
		if (!strncmp(line, "device ", 7))
			append(&p->device, &p->ndevice, line + 7);
		else if (!strncmp(line, "check ", 6))
			append(&p->check, &p->ncheck, line + 6);
		else if (!strncmp(line, "settle ", 7))
			p->settle = strtoull(line + 7, NULL, 10);
		else if (sscanf(line, "mutate %" SCNu64 " %" SCNu64 " %" SCNu64, &p->seed, &p->from,
				&p->runs) == 3)
			p->mutate = true;
	}
}

/* ---- the kernel's log ------------------------------------------------------------------------ */

/* Reads the next complaint in the kernel's log; false if there is none so far. */
static bool complained(int log, char *text, size_t room)
{
	char line[2048], *at;
	ssize_t n;

	while ((n = read(log, line, sizeof(line) - 1)) > 0 || (n < 0 && errno == EPIPE)) {
		if (n < 0)
			continue; /* EPIPE: some lines were overwritten */
		line[n] = '\0';
		at = strchr(line, ';');
		at = at ? at + 1 : line;
		at[strcspn(at, "\n")] = '\0';
		if (!vm_is_complaint(at))
			continue;
		snprintf(text, room, "%.250s", at);
		return true;
	}
	return false;
}

/* ---- the device ------------------------------------------------------------------------------ */

static bool link_name(const char *path, char *name, size_t room)
{
	char to[512];
	ssize_t n = readlink(path, to, sizeof(to) - 1);

	if (n < 0)
		return false;
	to[n] = '\0';
	snprintf(name, room, "%.60s", strrchr(to, '/') ? strrchr(to, '/') + 1 : to);
	return true;
}

/*
 * Finds the device on vhci_hcd's buses, which also have root hubs (usbN, N-0:1.0). False if there
 * is none. *bound: how many of its interfaces have a driver; text: which.
 */
static bool find_device(char *name, size_t room, unsigned int *bound, char *text, size_t text_room)
{
	DIR *d = opendir(DEVICES);
	char path[600], to[600], driver[100];
	struct dirent *e;
	ssize_t n;

	*name = *text = '\0';
	*bound = 0;
	while (d && (e = readdir(d))) {
		snprintf(path, sizeof(path), DEVICES "/%s", e->d_name);
		n = readlink(path, to, sizeof(to) - 1);
		if (n <= 0 || !strncmp(e->d_name, "usb", 3) || strstr(e->d_name, "-0:"))
			continue;
		to[n] = '\0';
		if (!strstr(to, "/vhci_hcd."))
			continue;
		if (!strchr(e->d_name, ':')) {
			snprintf(name, room, "%.60s", e->d_name);
			continue;
		}
		strncat(path, "/driver", sizeof(path) - strlen(path) - 1);
		if (!link_name(path, driver, sizeof(driver)))
			continue;
		++*bound;
		n = (ssize_t)strlen(text);
		snprintf(text + n, text_room - (size_t)n, "%s%.60s %s", n ? ", " : "", e->d_name,
			 driver);
	}
	if (d)
		closedir(d);
	return *name;
}

/* Opens the input devices and leaves them open: drivers poll their endpoints only then. */
static void open_inputs(void)
{
	DIR *d = opendir("/dev/input");
	struct dirent *e;

	while (d && (e = readdir(d)))
		if (!strncmp(e->d_name, "event", 5))
			(void)!openat(dirfd(d), e->d_name, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	if (d)
		closedir(d);
}

static int output_file(const char *path)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0600);

	dup2(fd, STDOUT_FILENO);
	dup2(fd, STDERR_FILENO);
	return fd;
}

/* Reports the lines of a file. */
static void report_file(const char *path)
{
	char line[1000];
	FILE *in = fopen(path, "re");

	while (in && fgets(line, sizeof(line), in)) {
		line[strcspn(line, "\n")] = '\0';
		if (*line)
			report(VM_SAY, "%s", line);
	}
	if (in)
		fclose(in);
}

/* As fork(), but where there is no process to be had the machine ends. */
static pid_t forked(void)
{
	pid_t pid = fork();

	if (pid < 0) {
		report(VM_SAY, "fork: %s", strerror(errno));
		end(VM_UNTESTABLE);
	}
	return pid;
}

static pid_t start(char **argv, const char *output)
{
	pid_t pid = forked();

	if (pid)
		return pid;
	output_file(output);
	execvp(argv[0], argv);
	fprintf(stderr, "%s: %s: is it in the virtual machine (--add)?\n", argv[0],
		strerror(errno));
	_exit(VM_UNTESTABLE);
}

static pid_t plug(struct guest_work *p)
{
	char *argv[40] = {"/init", "device"};
	size_t n = 2;

	for (size_t i = 0; i < p->ndevice && n + 2 < 40; i++)
		argv[n++] = p->device[i];
	argv[n] = VM_CAPTURE;
	return start(argv, "/tmp/replay");
}

/* Waits for a process. Returns its exit status; 128 + N if signal N ended it. */
static int status_of(pid_t pid)
{
	int status = 0;

	while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
		;
	return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

/*
 * Waits until a driver has bound, then for `settle`. Returns whether one has; *runs: whether the
 * replay still runs.
 */
static bool wait_bound(const struct guest_work *p, pid_t pid, char *device, size_t room, bool *runs)
{
	char drivers[1000];
	unsigned int bound = 0;
	bool there = false;

	for (unsigned int i = 0, since = 0;
	     i < PLUG_LIMIT * 10 && since < BIND_LIMIT * 10 && !bound; i++) {
		siginfo_t info = {0};

		*runs = waitid(P_PID, (id_t)pid, &info, WEXITED | WNOHANG | WNOWAIT) ||
			!info.si_pid;
		there = find_device(device, room, &bound, drivers, sizeof(drivers));
		if (!*runs)
			break;
		since += there;
		if (!bound)
			pause_ms(100);
	}
	open_inputs();
	if (*runs)
		pause_ms((unsigned int)(p->settle / 1000000));
	open_inputs();
	if (*runs)
		there = find_device(device, room, &bound, drivers, sizeof(drivers));
	report(VM_SAY,
	     !there	     ? "the device was not enumerated%s"
		     : bound ? "drivers: %s"
			     : "no driver has bound%s",
	     bound ? drivers : "");
	return bound;
}

/* ---- the checks ------------------------------------------------------------------------------ */

static int run_check(struct guest_work *p, const char *device)
{
	char folder[300];
	int status;

	snprintf(folder, sizeof(folder), DEVICES "/%.200s", device);
	setenv("TRAWL_DEVICE", folder, 1);
	status = status_of(start(p->check, "/tmp/check"));
	report_file("/tmp/check");
	report(VM_SAY, "CHECK ended with status %d", status);
	return status == 0 || status == VM_UNTESTABLE ? status : VM_BAD;
}

static int check(struct guest_work *p, int log)
{
	char device[200], text[300];
	bool runs = true, bound;
	pid_t pid = plug(p);
	int status = VM_BAD, replay;

	bound = wait_bound(p, pid, device, sizeof(device), &runs);
	if (p->ncheck && *device)
		status = run_check(p, device);
	kill(pid, SIGTERM);
	replay = status_of(pid);
	report_file("/tmp/replay");
	if (!p->ncheck)
		status = bound && !replay ? VM_GOOD : VM_BAD;
	if (replay > 1)
		status = VM_UNTESTABLE; /* its output has the reason */
	if (complained(log, text, sizeof(text))) {
		report(VM_SAY, "the kernel complains: %s", text);
		status = VM_BAD;
	}
	return status;
}

/* ---- mutations ------------------------------------------------------------------------------- */

#define MUTATED "/tmp/mutated"
#define RUN_LIMIT 5000 /* longest run, ms */

/*
 * In a child: plays the device of one run, from the capture that the host would save for the run.
 */
__attribute__((noreturn)) static void play_run(const struct guest_work *p, const struct tape *t,
					       uint64_t run)
{
	char *argv[] = {"device", "--as-is",   "--partial", "--speed", "1", "--linger",
			"200ms",  "--timeout", "700ms",	    MUTATED,   NULL};
	FILE *out = fopen(MUTATED, "we");
	struct trawl_error err;

	output_file("/tmp/replay");
	if (!out || mutate_capture(t, p->seed, run, out, &err) || fclose(out))
		_exit(VM_UNTESTABLE);
	_exit(device_way.run(&device_way, (int)ARRAY_SIZE(argv) - 1, argv));
}

/* Waits until the replay is over, at most RUN_LIMIT, and ends it. */
static void watch_run(pid_t pid)
{
	siginfo_t info = {0};

	for (unsigned int ms = 0; ms < RUN_LIMIT; ms += 50) {
		if (waitid(P_PID, (id_t)pid, &info, WEXITED | WNOHANG | WNOWAIT) || info.si_pid)
			break;
		pause_ms(50);
	}
	kill(pid, SIGTERM);
	status_of(pid);
}

/* Waits until the run's device is gone, so that the next run starts without it. */
static void wait_removed(void)
{
	char device[200], text[1000];
	unsigned int bound;

	for (unsigned int i = 0;
	     i < 100 && find_device(device, sizeof(device), &bound, text, sizeof(text)); i++)
		pause_ms(20);
}

static int read_tape(struct guest_work *p, struct tape *t, struct trawl_error *err)
{
	struct tape_file file = {.path = VM_CAPTURE, .name = "the capture"};

	for (size_t i = 0; i + 1 < p->ndevice; i++) {
		if (!strcmp(p->device[i], "--device"))
			file.device = p->device[i + 1];
		if (!strcmp(p->device[i], "--memory") &&
		    cli_memory(p->device[i + 1], &file.memory, err))
			return -1;
	}
	return tape_read_chosen(t, &file, err);
}

static int mutate(struct guest_work *p, int log)
{
	struct tape t = TAPE_NOTHING;
	struct trawl_error err;
	char text[300];
	pid_t pid;

	if (read_tape(p, &t, &err)) {
		report(VM_SAY, "%s", err.text);
		return VM_UNTESTABLE;
	}
	for (uint64_t i = 0; i < p->runs; i++) {
		report(VM_RUN, "%" PRIu64, p->from + i);
		fflush(host);
		pid = forked();
		if (!pid)
			play_run(p, &t, p->from + i);
		watch_run(pid);
		wait_removed();
		if (!complained(log, text, sizeof(text)))
			continue;
		report(VM_FINDING, "%s", text);
		return VM_BAD;
	}
	report(VM_SAY, "%" PRIu64 " runs, without a complaint of the kernel", p->runs);
	return VM_GOOD;
}

void vm_guest(void)
{
	struct guest_work work;
	int log;

	make_machine();
	host = fopen("/dev/ttyS1", "we");
	if (!host)
		end(VM_UNTESTABLE);
	klogctl(8, NULL, 7); /* from now on the console shows warnings in full */
	read_work(&work);
	load_modules();
	for (unsigned int i = 0; i < 50 && !has_vhci(); i++)
		pause_ms(100);
	if (!has_vhci()) {
		report(VM_SAY,
		     "the kernel has no vhci_hcd: it needs CONFIG_USBIP_CORE and "
		     "CONFIG_USBIP_VHCI_HCD (and --modules, where these are modules)");
		end(VM_UNTESTABLE);
	}
	if (!access("/bin/busybox", X_OK))
		status_of(start((char *[]){"/bin/busybox", "--install", "-s", "/bin", NULL},
				"/tmp/install"));
	log = open("/dev/kmsg", O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	lseek(log, 0, SEEK_END);
	report(VM_READY, "%s", "");
	end(work.mutate ? mutate(&work, log) : check(&work, log));
}
