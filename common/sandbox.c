/* SPDX-License-Identifier: MIT */
#include "config.h"
#include "common/sandbox.h"

#include <errno.h>
#include <linux/capability.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "common/landlock.h"
#include "common/sanitizers.h"

/* Root's rights over other processes and the kernel; giving them up cannot fail. */
static void give_up_capabilities(void)
{
	struct __user_cap_header_struct head = {.version = _LINUX_CAPABILITY_VERSION_3};
	struct __user_cap_data_struct none[2] = {{0}};

	syscall(SYS_capset, &head, none);
}

#ifndef HAVE_SECCOMP
bool sandbox_has_seccomp(void)
{
	return false;
}

static int enter(const char *program, const char *subject, bool parser, unsigned int more,
		 struct trawl_error *err)
{
	prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
	landlock_enter(SANITIZERS || more & SANDBOX_FILES);
	return 0;
}
#else
#include <fcntl.h>
#include <sched.h>
#include <seccomp.h>
#include <signal.h>
#include <sys/ioctl.h>
#include <sys/mman.h>

#include "common/array.h"
#include "common/callrules.h"

/* ---- what is allowed ---------------------------------------------------------------------- */

/* Allowed with any arguments: they affect only the process and its descriptors. */
static const int computing[] = {
	SCMP_SYS(brk), SCMP_SYS(munmap), SCMP_SYS(mremap), SCMP_SYS(madvise), SCMP_SYS(futex),
	SCMP_SYS(rt_sigreturn), SCMP_SYS(rt_sigprocmask), SCMP_SYS(rt_sigaction),
	SCMP_SYS(sigaltstack), SCMP_SYS(restart_syscall), SCMP_SYS(exit), SCMP_SYS(exit_group),
	SCMP_SYS(getpid), SCMP_SYS(gettid), SCMP_SYS(clock_gettime), SCMP_SYS(clock_getres),
	SCMP_SYS(gettimeofday), SCMP_SYS(time), SCMP_SYS(nanosleep), SCMP_SYS(clock_nanosleep),
	SCMP_SYS(getrandom), SCMP_SYS(getrusage), SCMP_SYS(times), SCMP_SYS(sysinfo),
	SCMP_SYS(uname), SCMP_SYS(getcpu), SCMP_SYS(rseq), SCMP_SYS(sched_yield),
	SCMP_SYS(read), SCMP_SYS(readv), SCMP_SYS(pread64), SCMP_SYS(write), SCMP_SYS(writev),
	SCMP_SYS(lseek), SCMP_SYS(_llseek), SCMP_SYS(close), SCMP_SYS(fstat), SCMP_SYS(fstat64),
	SCMP_SYS(poll), SCMP_SYS(ppoll),
};

/* Readers also write open files, ask for free space, have threads, and wait for a child. */
static const int reading[] = {
	SCMP_SYS(pwrite64), SCMP_SYS(ftruncate), SCMP_SYS(ftruncate64), SCMP_SYS(fallocate),
	SCMP_SYS(fsync), SCMP_SYS(fdatasync), SCMP_SYS(sync_file_range), SCMP_SYS(fadvise64),
	SCMP_SYS(fstatfs), SCMP_SYS(fstatfs64), SCMP_SYS(flock), SCMP_SYS(dup),
	SCMP_SYS(wait4), SCMP_SYS(set_robust_list),
	SCMP_SYS(sched_getaffinity), SCMP_SYS(sched_getparam), SCMP_SYS(sched_getscheduler),
	SCMP_SYS(sched_get_priority_max), SCMP_SYS(sched_get_priority_min),
};

/* A parser requests files through its socket and returns results. */
static const int asking[] = {SCMP_SYS(sendmsg), SCMP_SYS(recvmsg)};

/* For SANDBOX_FILES; open() is allowed by its flags. */
static const int looking[] = {
	SCMP_SYS(stat), SCMP_SYS(lstat), SCMP_SYS(newfstatat), SCMP_SYS(access),
	SCMP_SYS(faccessat), SCMP_SYS(faccessat2), SCMP_SYS(readlink), SCMP_SYS(readlinkat),
	SCMP_SYS(getdents64), SCMP_SYS(statfs),
};

/* For SANDBOX_SOCKETS. */
static const int talking[] = {
	SCMP_SYS(accept), SCMP_SYS(accept4), SCMP_SYS(recvfrom), SCMP_SYS(recvmsg),
	SCMP_SYS(sendto), SCMP_SYS(sendmsg), SCMP_SYS(shutdown), SCMP_SYS(setsockopt),
	SCMP_SYS(getsockopt),
};

/* ---- what only an attacker calls: ends the program ---------------------------------------- */

struct named {
	int call;
	const char *name;
};
#define FORBIDDEN(name) {SCMP_SYS(name), #name}

static const struct named forbidden[] = {
	FORBIDDEN(execve), FORBIDDEN(execveat), FORBIDDEN(fork), FORBIDDEN(vfork),
	FORBIDDEN(socket), FORBIDDEN(connect), FORBIDDEN(kill), FORBIDDEN(process_vm_writev),
	FORBIDDEN(unlink), FORBIDDEN(unlinkat), FORBIDDEN(rename), FORBIDDEN(renameat),
	FORBIDDEN(renameat2), FORBIDDEN(mount), FORBIDDEN(unshare), FORBIDDEN(setuid),
	FORBIDDEN(bpf), FORBIDDEN(io_uring_setup), FORBIDDEN(init_module), FORBIDDEN(finit_module),
};

/* Fail with EPERM: libraries look for files that they can do without. */
static const int files[] = {
	SCMP_SYS(open), SCMP_SYS(openat), SCMP_SYS(stat), SCMP_SYS(access), SCMP_SYS(readlink),
};

/*
 * For reports the sanitizers read /proc and the program, and to find leaks they stop all threads
 * from a helper process. Their build tests only the rest of the sandbox.
 */
static const int sanitizers[] = {
	SCMP_SYS(open), SCMP_SYS(openat), SCMP_SYS(stat), SCMP_SYS(lstat), SCMP_SYS(access),
	SCMP_SYS(readlink), SCMP_SYS(readlinkat), SCMP_SYS(newfstatat),
	SCMP_SYS(getdents64), SCMP_SYS(getdents),
	SCMP_SYS(clone), SCMP_SYS(ptrace), SCMP_SYS(wait4), SCMP_SYS(prctl), SCMP_SYS(getppid),
	SCMP_SYS(prlimit64), SCMP_SYS(getrlimit), SCMP_SYS(setrlimit), SCMP_SYS(sched_getaffinity),
	SCMP_SYS(tgkill), SCMP_SYS(getuid), SCMP_SYS(pipe2), SCMP_SYS(getcwd), SCMP_SYS(dup),
	SCMP_SYS(mprotect), SCMP_SYS(mmap), SCMP_SYS(arch_prctl), SCMP_SYS(set_robust_list),
};

/* ---- the filter ----------------------------------------------------------------------------- */

static const char *who, *what;

/* Appends text to a line. Safe in a signal handler. */
static size_t put(char *to, size_t n, size_t room, const char *text)
{
	while (*text && n < room)
		to[n++] = *text++;
	return n;
}

static void on_forbidden(int sig, siginfo_t *info, void *context)
{
	const char *name = "a system call";
	char line[512];
	size_t n;

	for (size_t i = 0; i < ARRAY_SIZE(forbidden); i++)
		if (forbidden[i].call == info->si_syscall)
			name = forbidden[i].name;
	if (info->si_syscall == SCMP_SYS(clone))
		name = "clone";
	else if (info->si_syscall == SCMP_SYS(ptrace))
		name = "ptrace";
	else if (info->si_syscall == SCMP_SYS(tgkill))
		name = "tgkill";
	n = put(line, 0, sizeof(line) - 200, who);
	n = put(line, n, sizeof(line) - 200, ": ");
	n = put(line, n, sizeof(line) - 200, what);
	n = put(line, n, sizeof(line), ": reading it led to a call of ");
	n = put(line, n, sizeof(line), name);
	n = put(line, n, sizeof(line), "(), which the sandbox forbids: the file may be an attack; "
			"report it, and trust no output of it\n");
	if (write(STDERR_FILENO, line, n) < 0)
		_exit(TRAWL_CANNOT);
	_exit(TRAWL_CANNOT);
}

static int answer(scmp_filter_ctx f, uint32_t action, const int *list, size_t n)
{
	int r;

	for (size_t i = 0; i < n; i++) {
		r = list[i] < 0 ? 0 : seccomp_rule_add(f, action, list[i], 0);
		/* EEXIST: the call is already allowed for the sanitizers */
		if (r < 0 && !(SANITIZERS && r == -EEXIST))
			return -1;
	}
	return 0;
}

/* Allows calls by their arguments. */
static int allow_some(scmp_filter_ctx f)
{
	/* not TIOCSTI, which would type into the user's terminal */
	static const int terminal[] = {(int)TCGETS, TIOCGWINSZ, FIONREAD};
	static const int descriptor[] = {F_GETFD, F_SETFD, F_GETFL, F_DUPFD, F_DUPFD_CLOEXEC};

	if (call_rule_values(f, SCMP_SYS(ioctl), 1, UINT32_MAX, terminal, ARRAY_SIZE(terminal)) ||
	    call_rule_values(f, SCMP_SYS(fcntl), 1, UINT32_MAX, descriptor,
			     ARRAY_SIZE(descriptor)))
		return -1;
	/*
	 * tgkill for abort() and raise(); newfstatat only as fstat(), because a path would be
	 * looked up
	 */
	if (seccomp_rule_add(f, SCMP_ACT_ALLOW, SCMP_SYS(tgkill), 1,
			     SCMP_A0(SCMP_CMP_EQ, (scmp_datum_t)getpid(), 0)) < 0 ||
	    seccomp_rule_add(f, SCMP_ACT_ALLOW, SCMP_SYS(newfstatat), 1,
			     SCMP_A3(SCMP_CMP_MASKED_EQ, AT_EMPTY_PATH, AT_EMPTY_PATH)) < 0 ||
	    seccomp_rule_add(f, SCMP_ACT_ALLOW, SCMP_SYS(statx), 1,
			     SCMP_A2(SCMP_CMP_MASKED_EQ, AT_EMPTY_PATH, AT_EMPTY_PATH)) < 0)
		return -1;
	/* reading limits, and setting that of the own memory, to unpack a file */
	return seccomp_rule_add(f, SCMP_ACT_ALLOW, SCMP_SYS(prlimit64), 1,
				SCMP_A2(SCMP_CMP_EQ, 0, 0)) < 0 ||
			       seccomp_rule_add(f, SCMP_ACT_ALLOW, SCMP_SYS(prlimit64), 2,
						SCMP_A0(SCMP_CMP_EQ, 0, 0),
						SCMP_A1(SCMP_CMP_EQ, RLIMIT_AS, 0)) < 0
		       ? -1
		       : 0;
}

static int allow_threads(scmp_filter_ctx f)
{
	static const int naming[] = {PR_SET_NAME};

	return call_rule_threads(f) ||
	       seccomp_rule_add(f, SCMP_ACT_ALLOW, SCMP_SYS(sched_setscheduler), 1,
				SCMP_A1(SCMP_CMP_EQ, SCHED_OTHER, 0)) < 0 ||
	       call_rule_values(f, SCMP_SYS(prctl), 0, UINT32_MAX, naming, ARRAY_SIZE(naming))
	       ? -1 : 0;
}

/*
 * A filter cannot check the flags of clone3(), which are in memory. So clone3() fails with ENOSYS,
 * as all calls that are not listed, and glibc uses clone().
 */
static int forbid(scmp_filter_ctx f, bool threads, unsigned int more)
{
	for (size_t i = 0; i < ARRAY_SIZE(forbidden); i++)
		if (forbidden[i].call >= 0 &&
		    seccomp_rule_add(f, SCMP_ACT_TRAP, forbidden[i].call, 0) < 0)
			return -1;
	if (SANITIZERS)
		return 0;
	if ((!(more & SANDBOX_FILES) &&
	     answer(f, SCMP_ACT_ERRNO(EPERM), files, ARRAY_SIZE(files))) ||
	    seccomp_rule_add(f, SCMP_ACT_TRAP, SCMP_SYS(ptrace), 0) < 0 ||
	    seccomp_rule_add(f, SCMP_ACT_TRAP, SCMP_SYS(tgkill), 1,
			     SCMP_A0(SCMP_CMP_NE, (scmp_datum_t)getpid(), 0)) < 0)
		return -1;
	return seccomp_rule_add(f, SCMP_ACT_TRAP, SCMP_SYS(clone), 1,
				SCMP_A0(SCMP_CMP_MASKED_EQ, CLONE_THREAD, 0)) < 0 ? -1 : 0;
}

/*
 * Allows executable mappings that are not writable, and the calls that the kernel's uprobes make.
 */
static int allow_code(scmp_filter_ctx f)
{
#ifdef __x86_64__
	static const int probes[] = {335, 336}; /* uretprobe(), uprobe() */

	if (call_rules(f, SCMP_ACT_ALLOW, probes, ARRAY_SIZE(probes)))
		return -1;
#endif
	return SANITIZERS ? 0 : seccomp_rule_add(f, SCMP_ACT_ALLOW, SCMP_SYS(mmap), 1,
						 SCMP_A2(SCMP_CMP_MASKED_EQ, PROT_EXEC | PROT_WRITE,
							 PROT_EXEC)) < 0 ? -1 : 0;
}

static int allow_files(scmp_filter_ctx f)
{
	const uint64_t writing = O_ACCMODE | O_CREAT | O_TRUNC;

	return call_rules(f, SCMP_ACT_ALLOW, looking, ARRAY_SIZE(looking)) ||
	       seccomp_rule_add(f, SCMP_ACT_ALLOW, SCMP_SYS(openat), 1,
				SCMP_A2(SCMP_CMP_MASKED_EQ, writing, O_RDONLY)) < 0 ? -1 : 0;
}

static int allow_more(scmp_filter_ctx f, unsigned int more)
{
	if (more & SANDBOX_CODE && allow_code(f))
		return -1;
	if (more & SANDBOX_FILES && !SANITIZERS && allow_files(f))
		return -1;
	return more & SANDBOX_SOCKETS && call_rules(f, SCMP_ACT_ALLOW, talking, ARRAY_SIZE(talking))
	       ? -1 : 0;
}

static int build(scmp_filter_ctx f, bool parser, unsigned int more)
{
	if (SANITIZERS && call_rules(f, SCMP_ACT_ALLOW, sanitizers, ARRAY_SIZE(sanitizers)))
		return -1;
	if (call_rules(f, SCMP_ACT_ALLOW, computing, ARRAY_SIZE(computing)) || allow_some(f))
		return -1;
	if (!SANITIZERS && call_rule_memory(f))
		return -1;
	if (parser && call_rules(f, SCMP_ACT_ALLOW, asking, ARRAY_SIZE(asking)))
		return -1;
	if (!parser &&
	    (call_rules(f, SCMP_ACT_ALLOW, reading, ARRAY_SIZE(reading)) || allow_threads(f)))
		return -1;
	return allow_more(f, more) || forbid(f, !parser, more) ? -1 : 0;
}

static int refused(const char *why, struct trawl_error *err)
{
	return trawl_fail(err, TRAWL_CANNOT, "the sandbox cannot be entered: %s; --no-sandbox does "
			  "without it, for files whose origin is known", why);
}

static int enter(const char *program, const char *subject, bool parser, unsigned int more,
		 struct trawl_error *err)
{
	struct sigaction action = {.sa_sigaction = on_forbidden, .sa_flags = SA_SIGINFO};
	scmp_filter_ctx f = seccomp_init(SCMP_ACT_ERRNO(ENOSYS));
	int r = -ENOMEM;

	who = program;
	what = subject;
	if (!f || seccomp_attr_set(f, SCMP_FLTATR_ACT_BADARCH, SCMP_ACT_KILL_PROCESS) ||
	    build(f, parser, more)) {
		seccomp_release(f);
		return refused("its filter cannot be built", err);
	}
	sigaction(SIGSYS, &action, NULL);
	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0)) {
		r = -errno;
	} else {
		landlock_enter(SANITIZERS || more & SANDBOX_FILES);
		r = seccomp_load(f);
	}
	seccomp_release(f);
	return r ? refused(strerror(-r), err) : 0;
}

bool sandbox_has_seccomp(void)
{
	return true;
}
#endif

int sandbox_enter(const char *program, const char *subject, struct trawl_error *err)
{
	return sandbox_enter_with(program, subject, 0, err);
}

int sandbox_enter_with(const char *program, const char *subject, unsigned int more,
		       struct trawl_error *err)
{
	/* Files that are opened later are those that the user may read, by capabilities, too. */
	if (!(more & SANDBOX_FILES))
		give_up_capabilities();
	return enter(program, subject, false, more, err);
}

int sandbox_enter_parser(const char *program, const char *subject, struct trawl_error *err)
{
	give_up_capabilities();
	return enter(program, subject, true, 0, err);
}
