/* SPDX-License-Identifier: MIT */
#include "config.h"
#include "capture/sys/callfilter.h"

#include <stdatomic.h>

static atomic_uint refused;

unsigned int callfilter_refused(void)
{
	return atomic_load(&refused);
}

#ifndef HAVE_SECCOMP
int callfilter_load(const struct callfilter *c)
{
	return 0;
}
#else
#include <errno.h>
#include <fcntl.h>
#include <seccomp.h>
#include <signal.h>
#include <stdint.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/ucontext.h>
#include <unistd.h>

#include "common/array.h"
#include "common/callrules.h"
#include "common/sanitizers.h"

/* ---- what is allowed ---------------------------------------------------------------------- */

/* Memory, threads, time, signals to itself, descriptors that are open. */
static const int own[] = {
	SCMP_SYS(brk), SCMP_SYS(munmap), SCMP_SYS(mremap), SCMP_SYS(madvise), SCMP_SYS(msync),
	SCMP_SYS(mincore), SCMP_SYS(mlock), SCMP_SYS(munlock), SCMP_SYS(futex),
	SCMP_SYS(futex_time64), SCMP_SYS(set_robust_list), SCMP_SYS(get_robust_list),
	SCMP_SYS(rseq), SCMP_SYS(membarrier), SCMP_SYS(exit), SCMP_SYS(exit_group),
	SCMP_SYS(rt_sigreturn), SCMP_SYS(rt_sigprocmask), SCMP_SYS(rt_sigaction),
	SCMP_SYS(rt_sigpending), SCMP_SYS(rt_sigtimedwait), SCMP_SYS(rt_sigsuspend),
	SCMP_SYS(sigaltstack), SCMP_SYS(restart_syscall), SCMP_SYS(pause),
	SCMP_SYS(clock_gettime), SCMP_SYS(clock_getres), SCMP_SYS(gettimeofday), SCMP_SYS(time),
	SCMP_SYS(nanosleep), SCMP_SYS(clock_nanosleep), SCMP_SYS(timerfd_create),
	SCMP_SYS(timerfd_settime), SCMP_SYS(timerfd_gettime), SCMP_SYS(getrandom),
	SCMP_SYS(clock_adjtime), /* without CAP_SYS_TIME it only reads */
	SCMP_SYS(getrusage), SCMP_SYS(times), SCMP_SYS(sysinfo), SCMP_SYS(uname),
	SCMP_SYS(getcpu), SCMP_SYS(getrlimit), SCMP_SYS(getpid), SCMP_SYS(gettid),
	SCMP_SYS(getppid), SCMP_SYS(getpgrp), SCMP_SYS(getpgid), SCMP_SYS(getsid),
	SCMP_SYS(getuid), SCMP_SYS(geteuid), SCMP_SYS(getgid), SCMP_SYS(getegid),
	SCMP_SYS(getresuid), SCMP_SYS(getresgid), SCMP_SYS(getgroups), SCMP_SYS(capget),
	SCMP_SYS(sched_yield), SCMP_SYS(sched_getaffinity), SCMP_SYS(sched_setaffinity),
	SCMP_SYS(sched_getparam), SCMP_SYS(sched_setparam), SCMP_SYS(sched_getscheduler),
	SCMP_SYS(sched_setscheduler), SCMP_SYS(sched_get_priority_max),
	SCMP_SYS(sched_get_priority_min), SCMP_SYS(getpriority), SCMP_SYS(setpriority),
	SCMP_SYS(read), SCMP_SYS(readv), SCMP_SYS(pread64), SCMP_SYS(preadv), SCMP_SYS(write),
	SCMP_SYS(writev), SCMP_SYS(pwrite64), SCMP_SYS(pwritev), SCMP_SYS(splice), SCMP_SYS(tee),
	SCMP_SYS(lseek), SCMP_SYS(_llseek), SCMP_SYS(close), SCMP_SYS(close_range),
	SCMP_SYS(dup), SCMP_SYS(dup2), SCMP_SYS(dup3), SCMP_SYS(pipe), SCMP_SYS(pipe2),
	SCMP_SYS(eventfd2), SCMP_SYS(signalfd4), SCMP_SYS(memfd_create), SCMP_SYS(fstat),
	SCMP_SYS(fstatfs), SCMP_SYS(poll), SCMP_SYS(ppoll), SCMP_SYS(select), SCMP_SYS(pselect6),
	SCMP_SYS(epoll_create1), SCMP_SYS(epoll_ctl), SCMP_SYS(epoll_wait), SCMP_SYS(epoll_pwait),
	SCMP_SYS(ftruncate), SCMP_SYS(fallocate), SCMP_SYS(fsync), SCMP_SYS(fdatasync),
	SCMP_SYS(sync_file_range), SCMP_SYS(fadvise64), SCMP_SYS(flock),
	/* sockets that are there: hot-plug messages, the reader of programs */
	SCMP_SYS(recvfrom), SCMP_SYS(recvmsg), SCMP_SYS(recvmmsg), SCMP_SYS(sendto),
	SCMP_SYS(sendmsg), SCMP_SYS(getsockopt), SCMP_SYS(setsockopt), SCMP_SYS(getsockname),
	SCMP_SYS(shutdown), SCMP_SYS(socketpair),
};

/* Files by name: further files of a rotation, control files of tracefs, /proc, /sys. */
static const int by_name[] = {
	SCMP_SYS(open), SCMP_SYS(openat), SCMP_SYS(openat2), SCMP_SYS(creat), SCMP_SYS(stat),
	SCMP_SYS(lstat), SCMP_SYS(newfstatat), SCMP_SYS(statx), SCMP_SYS(statfs), SCMP_SYS(access),
	SCMP_SYS(faccessat), SCMP_SYS(faccessat2), SCMP_SYS(readlink), SCMP_SYS(readlinkat),
	SCMP_SYS(getdents), SCMP_SYS(getdents64), SCMP_SYS(getcwd), SCMP_SYS(umask),
	SCMP_SYS(mkdir), SCMP_SYS(mkdirat), SCMP_SYS(rmdir), SCMP_SYS(unlink), SCMP_SYS(unlinkat),
	SCMP_SYS(rename), SCMP_SYS(renameat), SCMP_SYS(renameat2), SCMP_SYS(link),
	SCMP_SYS(linkat), SCMP_SYS(fchmod), SCMP_SYS(fchown),
};

/* Processes that the recorder started or watches. allow_signals() is for COMMAND alone. */
static const int watching[] = {
	SCMP_SYS(wait4), SCMP_SYS(waitid), SCMP_SYS(pidfd_open), SCMP_SYS(process_vm_readv),
};

static const int as_user[] = {
	SCMP_SYS(setfsuid), SCMP_SYS(setfsgid), SCMP_SYS(setgroups),
};

static const int tracing[] = {SCMP_SYS(ptrace), SCMP_SYS(perf_event_open)};

/*
 * Refused without a line on stderr: libc tries these and does without. getgrgid(), called for the
 * group of a USB node that may not be opened, connects to nscd before it reads /etc/group. clone3()
 * is here because a filter cannot see its flags.
 */
static const int done_without[] = {
	SCMP_SYS(socket), SCMP_SYS(connect),
	SCMP_SYS(clone3), SCMP_SYS(set_mempolicy), SCMP_SYS(get_mempolicy), SCMP_SYS(mbind),
	SCMP_SYS(set_tid_address),
};

/* ioctl() by the byte that names the driver: usbmon, perf's events, trawl.ko. */
static const int drivers[] = {0x92 << 8, '$' << 8, 0xd7 << 8};
/* TIOCSTI would type into the user's terminal. */
static const int terminal[] = {(int)TCGETS, TIOCGWINSZ, FIONREAD};
static const int descriptor[] = {
	F_GETFD, F_SETFD, F_GETFL, F_SETFL, F_DUPFD, F_DUPFD_CLOEXEC, F_GETPIPE_SZ, F_SETPIPE_SZ,
	F_ADD_SEALS, F_GET_SEALS,
};
static const int naming[] = {PR_SET_NAME, PR_GET_NAME, PR_SET_VMA};

/* ---- what is not --------------------------------------------------------------------------- */

enum { LINES = 8 };

/*
 * answer() sets what the refused call returns. HAS_ANSWER is 0 where this file does not know the
 * machine's registers: there the kernel returns ENOSYS by itself, and nothing is counted.
 */
#if defined(__x86_64__)
enum { HAS_ANSWER = 1 };
static void answer(ucontext_t *u, int value)
{
	u->uc_mcontext.gregs[REG_RAX] = value;
}
#elif defined(__aarch64__)
enum { HAS_ANSWER = 1 };
static void answer(ucontext_t *u, int value)
{
	u->uc_mcontext.regs[0] = (uint64_t)(int64_t)value;
}
#else
enum { HAS_ANSWER = 0 };
static void answer(ucontext_t *u, int value)
{
}
#endif

static size_t put_number(char *to, unsigned int n)
{
	char digits[12];
	size_t len = 0;

	do
		digits[len++] = (char)('0' + n % 10);
	while (n /= 10);
	for (size_t i = 0; i < len; i++)
		to[i] = digits[len - 1 - i];
	return len;
}

/* May interrupt any code, with any lock held: it calls neither stdio nor libseccomp. */
static void on_refused(int sig, siginfo_t *info, void *context)
{
	static const char before[] = "trawl: system call ";
	static const char after[] =
		" is not among those that a recorder makes and was refused: report it, the "
		"capture may lack something\n";
	char line[sizeof(before) + sizeof(after) + 12];
	int saved = errno;
	size_t n = sizeof(before) - 1;

	answer(context, -ENOSYS);
	if (atomic_fetch_add(&refused, 1) < LINES) {
		memcpy(line, before, n);
		n += put_number(line + n, (unsigned int)info->si_syscall);
		memcpy(line + n, after, sizeof(after) - 1);
		n += sizeof(after) - 1;
		if (write(STDERR_FILENO, line, n) < 0)
			errno = saved; /* stderr is gone; the exit status says so, too */
	}
	errno = saved;
}

/* ---- the filter ---------------------------------------------------------------------------- */

#define ALLOW(f, list) call_rules(f, SCMP_ACT_ALLOW, list, ARRAY_SIZE(list))

static int allow_some(scmp_filter_ctx f)
{
	return call_rule_values(f, SCMP_SYS(ioctl), 1, 0xff00, drivers, ARRAY_SIZE(drivers)) ||
	       call_rule_values(f, SCMP_SYS(ioctl), 1, UINT32_MAX, terminal,
				ARRAY_SIZE(terminal)) ||
	       call_rule_values(f, SCMP_SYS(fcntl), 1, UINT32_MAX, descriptor,
				ARRAY_SIZE(descriptor))
	       ? -1 : 0;
}

static int allow_signals(scmp_filter_ctx f, pid_t command)
{
	if (seccomp_rule_add(f, SCMP_ACT_ALLOW, SCMP_SYS(tgkill), 1,
			     SCMP_A0(SCMP_CMP_EQ, (scmp_datum_t)getpid(), 0)) < 0)
		return -1;
	return command > 0 && seccomp_rule_add(f, SCMP_ACT_ALLOW, SCMP_SYS(kill), 1,
					       SCMP_A0(SCMP_CMP_EQ, (scmp_datum_t)command, 0)) < 0
	       ? -1 : 0;
}

/*
 * The sanitizers stop all threads from a process of their own to look for leaks, and map memory as
 * they like: their build shows which calls a capture makes, not all that is refused.
 */
static const int sanitizers[] = {
	SCMP_SYS(clone), SCMP_SYS(ptrace), SCMP_SYS(prctl), SCMP_SYS(mmap), SCMP_SYS(mprotect),
	SCMP_SYS(prlimit64), SCMP_SYS(setrlimit), SCMP_SYS(tgkill), SCMP_SYS(arch_prctl),
	SCMP_SYS(kill),
};

static int build(scmp_filter_ctx f, const struct callfilter *c)
{
	if (ALLOW(f, own) || ALLOW(f, by_name) || ALLOW(f, watching) || allow_some(f) ||
	    call_rules(f, SCMP_ACT_ERRNO(ENOSYS), done_without, ARRAY_SIZE(done_without)) ||
	    (c->user && ALLOW(f, as_user)) || (c->traces && ALLOW(f, tracing)))
		return -1;
	if (SANITIZERS)
		return ALLOW(f, sanitizers);
	return call_rule_threads(f) || call_rule_memory(f) || allow_signals(f, c->command) ||
	       call_rule_values(f, SCMP_SYS(prctl), 0, UINT32_MAX, naming, ARRAY_SIZE(naming)) ||
	       /* prlimit() without new limits, which only reads */
	       seccomp_rule_add(f, SCMP_ACT_ALLOW, SCMP_SYS(prlimit64), 1,
				SCMP_A2(SCMP_CMP_EQ, 0, 0)) < 0 ? -1 : 0;
}

int callfilter_load(const struct callfilter *c)
{
	struct sigaction action = {.sa_sigaction = on_refused, .sa_flags = SA_SIGINFO};
	scmp_filter_ctx f = seccomp_init(HAS_ANSWER ? SCMP_ACT_TRAP : SCMP_ACT_ERRNO(ENOSYS));
	int r = -ENOMEM;

	sigaction(SIGSYS, &action, NULL);
	if (f && !seccomp_attr_set(f, SCMP_FLTATR_CTL_TSYNC, 1) &&
	    !seccomp_attr_set(f, SCMP_FLTATR_ACT_BADARCH, SCMP_ACT_KILL_PROCESS) && !build(f, c))
		r = seccomp_load(f);
	seccomp_release(f);
	return r;
}
#endif
