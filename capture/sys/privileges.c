/* SPDX-License-Identifier: MIT */
#include "config.h"
#include "capture/sys/privileges.h"

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

/* Can files be made in all of these by who we are, without a capability for it? */
static bool may_write(const struct privileges_kept *kept)
{
	for (size_t i = 0; i < kept->nfolders; i++)
		if (kept->folders[i] >= 0 &&
		    faccessat(kept->folders[i], ".", W_OK | X_OK, AT_EACCESS))
			return false;
	return true;
}

/*
 * SYS_PTRACE: the maps and names of followed tasks of other users. SYSLOG: addresses of the
 * kernel's symbols. SYS_NICE: a compression thread that the recorder waits for gets its priority.
 */
static uint64_t to_keep(const struct privileges_kept *kept)
{
	uint64_t keep = CAP(SYS_PTRACE) | CAP(SYSLOG) | CAP(SYS_NICE);

	if (kept->user)
		keep |= CAP(SETUID) | CAP(SETGID) | CAP(KILL);
	if (kept->traces)
		keep |= CAP(KILL) | CAP(PERFMON);
	return keep;
}

/* ---- all threads -------------------------------------------------------------------------- */

/* What a signal handler can be told by, and tells. */
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

static int own_threads(void (*each)(pid_t tid), pid_t self)
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

static void ask(pid_t tid)
{
	if (syscall(SYS_tgkill, getpid(), tid, SIGRTMAX))
		sem_post(&done); /* it has ended */
}

/* Capabilities are a thread's own: each is asked by a signal to give up its. */
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
	n = own_threads(ask, (pid_t)syscall(SYS_gettid));
	clock_gettime(CLOCK_REALTIME, &until);
	until.tv_sec += 10;
	for (int i = 0; i < n; i++)
		while (sem_timedwait(&done, &until))
			if (errno != EINTR)
				return -1;
	sigaction(SIGRTMAX, &before, NULL);
	sem_destroy(&done);
	errno = EPERM;
	return n < 0 || failures || set(c) ? -1 : 0;
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
	/* who is not root has files of root by these alone */
	if (geteuid() || !may_write(kept))
		keep |= CAP(DAC_OVERRIDE) | CAP(DAC_READ_SEARCH);
	c.permitted &= keep;
	c.effective &= keep;
	c.inheritable = 0;
	return set_everywhere(&c);
}

/* ---- the filter --------------------------------------------------------------------------- */

#ifdef HAVE_SECCOMP
#include <seccomp.h>
#include <sys/socket.h>

/* What a recorder that is armed never calls again, and an attacker would. */
static const int denied[] = {
	SCMP_SYS(execve),
	SCMP_SYS(execveat),
	SCMP_SYS(mount),
	SCMP_SYS(umount2),
	SCMP_SYS(move_mount),
	SCMP_SYS(open_tree),
	SCMP_SYS(fsopen),
	SCMP_SYS(fsmount),
	SCMP_SYS(fsconfig),
	SCMP_SYS(pivot_root),
	SCMP_SYS(chroot),
	SCMP_SYS(setns),
	SCMP_SYS(unshare),
	SCMP_SYS(init_module),
	SCMP_SYS(finit_module),
	SCMP_SYS(delete_module),
	SCMP_SYS(kexec_load),
	SCMP_SYS(kexec_file_load),
	SCMP_SYS(reboot),
	SCMP_SYS(swapon),
	SCMP_SYS(swapoff),
	SCMP_SYS(acct),
	SCMP_SYS(quotactl),
	SCMP_SYS(iopl),
	SCMP_SYS(ioperm),
	SCMP_SYS(settimeofday),
	SCMP_SYS(clock_settime),
	SCMP_SYS(sethostname),
	SCMP_SYS(setdomainname),
	SCMP_SYS(keyctl),
	SCMP_SYS(add_key),
	SCMP_SYS(request_key),
	SCMP_SYS(bpf),
	SCMP_SYS(userfaultfd),
	SCMP_SYS(io_uring_setup),
	SCMP_SYS(io_uring_enter),
	SCMP_SYS(process_vm_writev),
	SCMP_SYS(open_by_handle_at),
	SCMP_SYS(pidfd_getfd),
	SCMP_SYS(connect),
	SCMP_SYS(bind),
	SCMP_SYS(listen),
	SCMP_SYS(accept),
	SCMP_SYS(accept4),
	SCMP_SYS(mknod),
	SCMP_SYS(mknodat),
	SCMP_SYS(personality),
	SCMP_SYS(vhangup),
};
static const int tracing[] = {SCMP_SYS(ptrace), SCMP_SYS(perf_event_open)};

static int deny(scmp_filter_ctx f, const int *list, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (list[i] >= 0 && seccomp_rule_add(f, SCMP_ACT_ERRNO(EPERM), list[i], 0))
			return -1;
	return 0;
}

/* LeakSanitizer stops the threads by ptrace(). */
#ifdef __SANITIZE_ADDRESS__
enum { SANITIZED = true };
#else
enum { SANITIZED = false };
#endif

/* 0, or why not, as -errno; a filter that cannot be built is one without memory. */
static int filter(const struct privileges_kept *kept)
{
	scmp_filter_ctx f = seccomp_init(SCMP_ACT_ALLOW);
	int r = -ENOMEM;

	if (f && !seccomp_attr_set(f, SCMP_FLTATR_CTL_TSYNC, 1) &&
	    !deny(f, denied, sizeof(denied) / sizeof(denied[0])) &&
	    (kept->traces || SANITIZED || !deny(f, tracing, sizeof(tracing) / sizeof(tracing[0]))))
		r = seccomp_load(f);
	seccomp_release(f);
	return r;
}
#else
static int filter(const struct privileges_kept *kept)
{
	return 0;
}
#endif

int privileges_drop(const struct privileges_kept *kept, struct trawl_error *err)
{
	int r;

	if (drop_capabilities(kept))
		return trawl_fail(err, TRAWL_CANNOT, "capabilities cannot be given up: %s",
				  strerror(errno));
	r = prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) ? -errno : filter(kept);
	if (r == -ENOMEM)
		return trawl_fail(err, TRAWL_CANNOT,
				  "the recorder's filter of system calls cannot be set: out of memory");
	if (r)
		return trawl_fail(err, TRAWL_CANNOT,
				  "the recorder's filter of system calls cannot be set: %s: seccomp is "
				  "forbidden here, or the kernel has none", strerror(-r));
	return 0;
}
