// SPDX-License-Identifier: MIT
/* Requests that are refused, and the reasons. */
#include <errno.h>
#include <linux/capability.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>
#include "kmod/trawl_uprobe.h"
#include "tests/uprobe/child.h"

/* A fatal signal is reported before the end of the process, which is reported as well. */
static void dies(char what, int signal, bool stops, const char *name)
{
	struct child child = start(work);
	struct uprobe u = event(&child, UPEV_SIGNAL), end = event(&child, UPEV_EXIT), got = { 0 };
	struct user_regs_struct regs = { 0 };
	struct uprobe_hit hit;
	bool first;

	uprobe_register(&u);
	uprobe_register(&end);
	uprobe_arm();
	if (what)
		tell(&child, what);
	else
		kill(child.pid, signal);
	first = uprobe_poll(&got, 10000) == 1 && got.event == UPEV_SIGNAL;
	uprobe_last_hit(&hit);
	first = first && (hit.status == signal || (hit.status == SIGKILL && !stops)) &&
		(uprobe_get_registers(child.pid, &regs) == 0) == stops;
	first = first && (what != 'g' || (regs.rip - (unsigned long)work < 0x400 &&
					  waitpid(child.pid, NULL, WNOHANG) == 0));
	printf("# %s: event %d, status %d, rip 0x%llx\n", name, got.event, hit.status, regs.rip);
	first = first && uprobe_poll(&got, 10000) == 1 && got.event == UPEV_EXIT;
	uprobe_last_hit(&hit);
	ok(first && WTERMSIG(hit.status) == signal && uprobe_poll(&got, 0) == -1 && errno == ESRCH,
	   name);
	finish(&child);
}

void test_fatal(void)
{
	dies('g', SIGSEGV, true, "a bad access stops the thread, then its end is told");
	dies('a', SIGABRT, true, "abort() too");
	dies(0, SIGQUIT, false, "a signal of another process that dumps core: told before the end");
	dies(0, SIGTERM, false, "one that kills: told before the end");
}

/* The child is killed while the tracer examines it. */
void test_looking(void)
{
	struct child child = start(work);
	struct uprobe u = at(&child, 1, probed), end = event(&child, UPEV_EXIT), got;
	struct uprobe_hit hit;
	siginfo_t info;

	uprobe_register(&u);
	uprobe_register(&end);
	uprobe_arm();
	tell(&child, 'p');
	uprobe_poll(&got, 5000);
	kill(child.pid, SIGKILL);
	waitid(P_PID, (id_t)child.pid, &info, WEXITED | WNOWAIT);
	ok(uprobe_poll(&got, 5000) == 1 && got.event == UPEV_EXIT,
	   "the end of a stopped tracee is told");
	uprobe_last_hit(&hit);
	ok(WIFSIGNALED(hit.status) && WTERMSIG(hit.status) == SIGKILL && hit.tid == child.pid,
	   "with what it was");
	ok(uprobe_poll(&got, 0) == -1 && errno == ESRCH, "once");
	finish(&child);
}

void test_death(void)
{
	struct child child = start(work);
	struct uprobe u = at(&child, 1, probed), counts = at(&child, 2, probed), got;
	struct trawl_kh_count hits = { 0 };
	struct trawl_kh_registers kh;
	struct user_regs_struct regs = { 0 };
	int status;
	long word = 0;

	counts.khandler = "count";
	uprobe_register(&counts);
	uprobe_register(&u);
	uprobe_arm();
	tell(&child, 'p');
	uprobe_poll(&got, 5000);
	kill(child.pid, SIGKILL);
	ok(waitpid(child.pid, &status, 0) == child.pid && WTERMSIG(status) == SIGKILL,
	   "SIGKILL ends a stopped tracee");
	ok(uprobe_poll(&got, -1) == -1 && errno == ESRCH, "poll after its death: ESRCH");
	ok(uprobe_get_registers(child.pid, &regs) == -1 && errno == ESRCH, "registers: ESRCH");
	ok(uprobe_read(child.pid, u.where, &word, 8) == -1 && errno == ESRCH, "memory: ESRCH");
	ok(uprobe_run_khandler("registers", &got, &kh) == -1 && errno == ESRCH,
	   "run_khandler: ESRCH");
	ok(uprobe_run_khandler("count", &counts, &hits) == -1 && errno == ESRCH && hits.hits == 1,
	   "but what a khandler has gathered is there");
	ok(uprobe_set_registers(child.pid, &regs) == -1 && errno == ESRCH,
	   "to write registers: ESRCH");
	ok(uprobe_write(child.pid, u.where, &word, 8) == -1 && errno == ESRCH, "or memory: ESRCH");
	ok(uprobe_arm() == -1 && errno == ESRCH && uprobe_poll_of(child.pid, &got, 0) == -1 &&
		   errno == ESRCH,
	   "arm and poll of one: ESRCH");
	ok(uprobe_record_branches(child.pid) == -1 && errno == ESRCH, "record branches: ESRCH");
	ok(uprobe_register(&u) == -1 && errno == ESRCH, "register: ESRCH");
	ok(uprobe_unregister(child.pid, 1) == -1 && errno == ESRCH, "unregister: ESRCH");
	ok(uprobe_detach(child.pid) == -1 && errno == ESRCH, "detach: ESRCH");
	child = start(work);
	u = at(&child, 1, probed);
	uprobe_register(&u);
	tell(&child, 'x');
	ok(uprobe_poll(&got, 10000) == -1 && errno == ESRCH, "its death wakes the poll");
	uprobe_detach(child.pid);
	finish(&child);
}

/* Becomes a user who may open the device and has no other privileges. */
static void become_user(void)
{
	struct __user_cap_header_struct header = { .version = _LINUX_CAPABILITY_VERSION_3 };
	struct __user_cap_data_struct caps[2] = { { 0 } };

	caps[CAP_PERFMON / 32].permitted = caps[CAP_PERFMON / 32].effective = 1u
									      << CAP_PERFMON % 32;
	if (chmod("/dev/trawl", 0666) || prctl(PR_SET_KEEPCAPS, 1) || setresuid(1000, 1000, 1000) ||
	    syscall(SYS_capset, &header, caps))
		perror("become_user");
}

void test_rights(void)
{
	struct child child = start(work), own;
	struct uprobe u = at(&child, 1, probed);

	become_user();
	ok(uprobe_register(&u) == -1 && errno == EPERM && strstr(uprobe_error(), "not yours"),
	   "a process of another user");
	own = start(work);
	u = at(&own, 1, probed);
	/*
	 * A process that changed its user is not dumpable, nor are its children before they exec.
	 */
	ok(uprobe_register(&u) == -1 && errno == EPERM, "one of one's own that is not dumpable");
	finish(&own);
	prctl(PR_SET_DUMPABLE, 1);
	own = start(work);
	u = at(&own, 1, probed);
	ok(uprobe_register(&u) == 0, "one of one's own");
	finish(&own);
	close(child.go);
}

/* Reads events of a tracee until its end; returns whether one of them is `event`. */
static bool has_event_until_end(enum uprobe_event event)
{
	struct uprobe got;
	bool has = false;

	while (uprobe_poll(&got, 10000) == 1)
		has = has || got.event == event;
	return has;
}

/* A user who may not trace a program gets no events of it, even if the tracee executes it. */
void test_gains(void)
{
	struct uprobe entry, exec, end, calls;
	struct trawl_kh_count before, after;
	struct user_regs_struct regs;
	struct child child;
	long word;

	become_user();
	prctl(PR_SET_DUMPABLE, 1);
	child = start(work);
	entry = event(&child, UPEV_SYSCALL_ENTRY);
	exec = event(&child, UPEV_EXEC);
	end = event(&child, UPEV_EXIT);
	calls = event(&child, UPEV_SYSCALL_EXIT);
	calls.id = 77;
	calls.khandler = "count";
	ok(!uprobe_register(&entry) && !uprobe_register(&exec) && !uprobe_register(&end) &&
		   !uprobe_register(&calls) && !uprobe_arm(),
	   "a program of one's own that will execute a set-uid one");
	tell(&child, 'S');
	ok(!has_event_until_end(UPEV_EXEC) && errno == ESRCH,
	   "its exec is its end for the tracer");
	ok(uprobe_get_registers(child.pid, &regs) == -1 && errno == ESRCH &&
		   uprobe_read(child.pid, (unsigned long)&sink, &word, 8) == -1 && errno == ESRCH,
	   "the thread that was in the call does not stop: no registers, no memory");
	ok(uprobe_register(&entry) == -1 && errno == EPERM, "no event can be registered");
	ok(uprobe_run_khandler("count", &calls, &before) == -1 && errno == ESRCH &&
		   (usleep(200000), uprobe_run_khandler("count", &calls, &after) == -1) &&
		   before.hits == after.hits && before.hits,
	   "and no khandler sees it");
	ok(kill(child.pid, 0) == 0, "the program runs");
	finish(&child);
}

void test_namespace(void)
{
	struct child child = start(work);
	int status;
	pid_t pid;

	if (unshare(CLONE_NEWPID))
		perror("unshare");
	pid = fork();
	if (!pid) {
		struct child own = start(work);
		struct uprobe u = at(&own, 1, probed), got;
		bool inside = !uprobe_register(&u) && !uprobe_arm();

		tell(&own, 'p');
		inside = inside && uprobe_poll(&got, 5000) == 1 && got.who == own.pid &&
			 own.pid < 10;
		uprobe_detach(own.pid);
		finish(&own);
		u = at(&child, 1, probed);
		_exit((inside ? 0 : 1) | (uprobe_register(&u) == -1 && errno == ESRCH ? 0 : 2));
	}
	waitpid(pid, &status, 0);
	ok(!(status & 0x100) && WIFEXITED(status),
	   "in a namespace of its own a tracer sees its processes by their ids there");
	ok(!(status & 0x200), "and no others: ESRCH");
	finish(&child);
}

void trap_instruction(void);
__asm__("trap_instruction: int3\n ret\n");

/* The request fails, and the caller survives. */
void test_pointers(void)
{
	struct child child = start(work);
	struct uprobe u = at(&child, 1, probed), got;
	struct user_regs_struct regs;
	struct uprobe *const bad[] = { NULL, (void *)8, (void *)(1ul << 63) };
	const char *page =
		mmap(NULL, 8192, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	char *name = (char *)page + 4096 - sizeof("count");
	struct trawl_kh_count hits;
	bool good = true;

	for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++) {
		u.khandler = i ? (void *)bad[i] : NULL;
		good = good && uprobe_register(bad[i]) == -1 && errno == EFAULT;
		good = good && (!i || (uprobe_register(&u) == -1 && errno == EFAULT));
		u.khandler = NULL;
		uprobe_register(&u);
		good = good && uprobe_poll(bad[i], 0) == -1 && errno == EFAULT;
		good = good && uprobe_poll_of(child.pid, bad[i], 0) == -1 && errno == EFAULT;
		good = good && uprobe_get_registers(child.pid, (void *)bad[i]) == -1 &&
		       errno == EFAULT;
		good = good && uprobe_set_registers(child.pid, (void *)bad[i]) == -1 &&
		       errno == EFAULT;
		good = good && uprobe_run_khandler("count", bad[i], &hits) == -1 && errno == EFAULT;
		good = good && uprobe_run_khandler("count", &u, bad[i]) == -1 && errno == EFAULT;
	}
	ok(good, "bad pointers: EFAULT");
	ok(uprobe_run_khandler(NULL, &u, &hits) == -1 && errno == ENOENT,
	   "no name of a khandler: ENOENT");
	uprobe_last_hit(NULL);
	uprobe_arm();
	tell(&child, 'p');
	ok(uprobe_poll(NULL, 5000) == -1 && uprobe_poll(&got, 5000) == 1 &&
		   !uprobe_get_registers(child.pid, &regs),
	   "and no event is lost by one");
	ok(uprobe_read(child.pid, regs.rsp, bad[1], 8) == -1 && errno == EFAULT &&
		   uprobe_write(child.pid, regs.rsp, NULL, 8) == -1 && errno == EFAULT,
	   "of memory, too");
	munmap((char *)page + 4096, 4096);
	strcpy(name, "count");
	u.id = 2;
	u.khandler = name;
	ok(!uprobe_register(&u), "a name that ends with the memory");
	finish(&child);
}

/* uprobe_error() names the reason. */
void test_reasons(void)
{
	struct child child = start(work);
	struct uprobe u = event(&child, UPEV_EXIT);

	u.where = 0x1000;
	ok(uprobe_register(&u) == -1 && errno == EINVAL &&
		   strstr(uprobe_error(), "where 0x1000: event 2 is at no address"),
	   "an event without an address that has one");
	u.where = 0;
	u.who = getpid();
	ok(uprobe_register(&u) == -1 && errno == EINVAL && strstr(uprobe_error(), "itself"),
	   "an event without an address, of the tracer itself");
	u.who = child.pid;
	u.id = UPID_ALL;
	ok(uprobe_register(&u) == -1 && errno == EINVAL && strstr(uprobe_error(), "UPID_ALL"),
	   "the id that stands for all");
	u = at(&child, 1, NULL);
	ok(uprobe_register(&u) == -1 && strstr(uprobe_error(), "where 0:"), "no address");
	u.where = 0x10;
	ok(uprobe_register(&u) == -1 && strstr(uprobe_error(), "0x10 of process"),
	   "one that is not mapped");
	u.event = 99;
	ok(uprobe_register(&u) == -1 && strstr(uprobe_error(), "event 99: there is no such"),
	   "no event");
	u = at(&child, 1, probed);
	u.who = 0;
	ok(uprobe_register(&u) == -1 && strstr(uprobe_error(), "process 0:"), "no process");
	u = at(&child, 1, (long (*)(long))trap_instruction);
	ok(uprobe_register(&u) == -1 && errno == EOPNOTSUPP &&
		   strstr(uprobe_error(), "a breakpoint can replace"),
	   "a breakpoint of the program's own: EOPNOTSUPP");
	finish(&child);
}

void test_bad(void)
{
	struct child child = start(work);
	struct uprobe u = at(&child, 1, probed);
	struct trawl_uprobe_request request = { .size = sizeof(request) };

	u.where = 0;
	ok(uprobe_register(&u) == -1 && errno == EINVAL, "where = 0");
	u.where = 0x10;
	ok(uprobe_register(&u) == -1 && errno == EINVAL, "an address that is not mapped");
	u.where = (unsigned long)&sink;
	ok(uprobe_register(&u) == -1 && errno == EINVAL, "an address in data");
	/* No function here begins with an instruction of one byte. */
	u.where = (unsigned long)probed + 1;
	ok(uprobe_register(&u) == -1 && errno == EINVAL &&
		   strstr(uprobe_error(), "in the middle of an instruction"),
	   "an address in the middle of an instruction");
	u = at(&child, 1, probed);
	u.event = 99;
	ok(uprobe_register(&u) == -1 && errno == EINVAL, "an unknown event");
	u.event = UPEV_BKPT;
	u.who = getpid();
	ok(uprobe_register(&u) == -1 && errno == EINVAL && strstr(uprobe_error(), "itself"),
	   "self");
	u.who = 2;
	ok(uprobe_register(&u) == -1 && errno == EPERM, "a kernel thread");
	u.who = 4000000;
	ok(uprobe_register(&u) == -1 && errno == ESRCH, "no such process");
	ok(ioctl(uprobe_fd(), TRAWL_UPROBE_REGISTER, (void *)8) == -1 && errno == EFAULT,
	   "a bad pointer");
	request.u =
		(struct trawl_uprobe){ .id = 9, .who = child.pid, .where = (unsigned long)probed };
	request.flags = 2;
	ok(ioctl(uprobe_fd(), TRAWL_UPROBE_REGISTER, &request) == -1 && errno == EINVAL,
	   "an unknown flag");
	request.flags = 0;
	ok(ioctl(uprobe_fd(), TRAWL_UPROBE_REGISTER, &request) == 0, "which is all that was wrong");
	uprobe_detach(child.pid);
	ok(uprobe_unregister(child.pid, 1) == -1 && errno == ESRCH,
	   "unregister of what is not traced");
	u = at(&child, 1, probed);
	uprobe_register(&u);
	ok(uprobe_unregister(child.pid, 5) == -1 && errno == ENOENT, "unregister of another id");
	uprobe_detach(child.pid);
	finish(&child);
}
