/* SPDX-License-Identifier: MIT */
#include "config.h"
#include "capture/sys/privileges.h"
#include "capture/sys/proc.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/capability.h>
#include <semaphore.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

/* ---- capabilities ------------------------------------------------------------------------- */

#define CAP(name) (1ull << CAP_##name)

struct capabilities {
	uint64_t effective, permitted, inheritable;
};

static int get(struct capabilities *c)
{
	struct __user_cap_header_struct head = {.version = _LINUX_CAPABILITY_VERSION_3};
	struct __user_cap_data_struct data[2];

	if (syscall(SYS_capget, &head, data))
		return -1;
	*c = (struct capabilities){
		data[0].effective | (uint64_t)data[1].effective << 32,
		data[0].permitted | (uint64_t)data[1].permitted << 32,
		data[0].inheritable | (uint64_t)data[1].inheritable << 32,
	};
	return 0;
}

/* Of this thread; may be called in a signal handler. */
static int set(const struct capabilities *c)
{
	struct __user_cap_header_struct head = {.version = _LINUX_CAPABILITY_VERSION_3};
	struct __user_cap_data_struct data[2] = {
		{(uint32_t)c->effective, (uint32_t)c->permitted, (uint32_t)c->inheritable},
		{(uint32_t)(c->effective >> 32), (uint32_t)(c->permitted >> 32),
		 (uint32_t)(c->inheritable >> 32)},
	};

	return (int)syscall(SYS_capset, &head, data);
}

/* Whether this process can make files in all of the folders without a capability. */
static bool may_write(const struct privileges_kept *kept)
{
	for (size_t i = 0; i < kept->nfolders; i++)
		if (kept->folders[i] >= 0 &&
		    faccessat(kept->folders[i], ".", W_OK | X_OK, AT_EACCESS))
			return false;
	return true;
}

/* Debian's kernels, whose default is 3, open no event then without SYS_ADMIN. */
static bool events_need_admin(void)
{
	return proc_number("/proc/sys/kernel/perf_event_paranoid", 0) > 2;
}

/*
 * SYS_PTRACE reads the maps and names of other users' followed tasks. SYSLOG shows addresses in
 * /proc/kallsyms. SYS_NICE gives the recorder's priority to a compression thread that it waits for.
 */
static uint64_t to_keep(const struct privileges_kept *kept)
{
	uint64_t keep = CAP(SYS_PTRACE) | CAP(SYSLOG) | CAP(SYS_NICE);

	if (kept->calls.user)
		keep |= CAP(SETUID) | CAP(SETGID) | CAP(KILL);
	if (kept->calls.traces)
		keep |= CAP(KILL) | CAP(PERFMON);
	if (kept->events && events_need_admin())
		keep |= CAP(SYS_ADMIN);
	return keep;
}

/* ---- all threads -------------------------------------------------------------------------- */

/* What on_signal() reads and reports; a handler of a signal has no argument. */
static struct capabilities wanted;
static atomic_int failures;
static sem_t done;

static void on_signal(int sig)
{
	int before = errno;

	if (set(&wanted))
		failures++;
	sem_post(&done);
	errno = before;
}

/* Calls each() for the other threads of this process. Returns how many, or -1 with errno. */
static int other_threads(void (*each)(pid_t tid), pid_t self)
{
	DIR *d = opendir("/proc/self/task");
	struct dirent *e;
	int n = 0;

	while (d && (e = readdir(d))) {
		pid_t tid = atoi(e->d_name);

		if (tid <= 0 || tid == self)
			continue;
		each(tid);
		n++;
	}
	if (d)
		closedir(d);
	return d ? n : -1;
}

static void request_drop(pid_t tid)
{
	if (syscall(SYS_tgkill, getpid(), tid, SIGRTMAX))
		sem_post(&done); /* it has ended */
}

/* Each thread has capabilities of its own: a signal asks every one to drop them. -1: errno. */
static int set_everywhere(const struct capabilities *c)
{
	struct sigaction action = {.sa_handler = on_signal, .sa_flags = SA_RESTART}, before;
	struct timespec until;
	int n;

	wanted = *c;
	failures = 0;
	if (sem_init(&done, 0, 0))
		return -1;
	sigfillset(&action.sa_mask);
	sigaction(SIGRTMAX, &action, &before);
	n = other_threads(request_drop, (pid_t)syscall(SYS_gettid));
	if (n < 0)
		return -1;
	clock_gettime(CLOCK_REALTIME, &until);
	until.tv_sec += 10;
	for (int i = 0; i < n; i++)
		while (sem_timedwait(&done, &until))
			if (errno != EINTR)
				return -1;
	sigaction(SIGRTMAX, &before, NULL);
	sem_destroy(&done);
	errno = EPERM;
	return failures || set(c) ? -1 : 0;
}

static int drop_capabilities(const struct privileges_kept *kept)
{
	struct capabilities c, without;
	uint64_t keep = to_keep(kept);

	if (get(&c))
		return -1;
	without = c;
	without.effective &= keep;
	if (set(&without))
		return -1;
	/* without root's uid, these are what makes root's files writable */
	if (geteuid() || !may_write(kept))
		keep |= CAP(DAC_OVERRIDE) | CAP(DAC_READ_SEARCH);
	c.permitted &= keep;
	c.effective &= keep;
	c.inheritable = 0;
	return set_everywhere(&c);
}

int privileges_drop(const struct privileges_kept *kept, struct trawl_error *err)
{
	int r;

	if (drop_capabilities(kept))
		return trawl_fail(err, TRAWL_CANNOT, "capabilities cannot be dropped: %s",
				  strerror(errno));
	r = prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) ? -errno : callfilter_load(&kept->calls);
	if (r == -ENOMEM)
		return trawl_fail(err, TRAWL_CANNOT,
				  "the recorder's filter of system calls cannot be set: out of memory");
	if (r)
		return trawl_fail(err, TRAWL_CANNOT,
				  "the recorder's filter of system calls cannot be set: %s: seccomp is "
				  "forbidden here, or the kernel has none", strerror(-r));
	return 0;
}
