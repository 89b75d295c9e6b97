// SPDX-License-Identifier: MIT
/*
 * interface: tests each statement of the uprobe interface (uprobe/trawl-uprobe.h) on children of
 * this program, in which functions have the same addresses. Prints TAP. Needs trawl.ko.
 */
#include <errno.h>
#include <limits.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/ptrace.h>
#include <sys/wait.h>
#include <unistd.h>
#include "kmod/trawl_uprobe.h"
#include "tests/uprobe/child.h"

static void test_poll(void)
{
	struct child child = start(work);
	struct uprobe u = at(&child, 0x1234, probed), got = { 0 };
	struct uprobe_hit hit;

	ok(uprobe_register(&u) == 0, "register: a probe point at a virtual address");
	tell(&child, 'p');
	ok(is_done(&child, 2000), "(c) the tracer does not poll: the tracee goes on");
	ok(uprobe_poll(&got, 0) == 0, "events before the poll are not reported");
	ok(uprobe_poll(&got, 50) == 0, "0 on timeout");
	tell(&child, 'p');
	ok(uprobe_poll(&got, 5000) == 1, "(b) the tracer polls: it returns 1");
	ok(got.id == 0x1234 && got.event == UPEV_BKPT && got.who == child.pid &&
		   got.where == u.where && !got.khandler,
	   "with the values of the registration");
	uprobe_last_hit(&hit);
	ok(hit.tid == child.pid && hit.time, "and with the thread and the time");
	ok(!is_done(&child, 300), "the tracee is stopped");
	ok(uprobe_poll(&got, 0) == 0 && is_done(&child, 2000), "until the next poll");
	ok(child.shared[0] == 42, "and has lost nothing");
	tell(&child, 'p');
	uprobe_poll(&got, 5000);
	ok(uprobe_unregister(child.pid, 0x1234) == 0 && is_done(&child, 2000),
	   "unregister of the event that is being handled lets it go on");
	tell(&child, 'p');
	ok(is_done(&child, 2000), "and no more of it come");
	finish(&child);
}

static void test_same_address(void)
{
	struct child child = start(work);
	struct uprobe a = at(&child, 1, probed), b = at(&child, 2, probed),
		      c = at(&child, 3, probed), got;
	unsigned seen = 0;

	uprobe_register(&a);
	uprobe_register(&b);
	uprobe_register(&c);
	ok(uprobe_register(&a) == -1 && errno == EEXIST, "an id twice: EEXIST");
	uprobe_arm();
	tell(&child, 'p');
	for (int i = 0; i < 2; i++)
		if (uprobe_poll(&got, 5000) == 1)
			seen |= 1u << got.id;
	ok(!is_done(&child, 200), "n uprobes at one address need n polls");
	ok(uprobe_poll(&got, 5000) == 1 && (seen | 1u << got.id) == 14, "each is returned once");
	ok(!is_done(&child, 200), "the last one is being handled");
	ok(uprobe_poll(&got, 0) == 0 && is_done(&child, 2000), "and then it goes on");
	uprobe_unregister(child.pid, 3);
	c.id = (unsigned long)&c;
	ok(uprobe_register(&c) == 0 && uprobe_register(&c) == -1 && errno == EEXIST,
	   "an id that is a pointer");
	uprobe_arm();
	tell(&child, 'p');
	uprobe_poll(&got, 5000);
	ok(uprobe_unregister(child.pid, UPID_ALL) == 0 && is_done(&child, 2000),
	   "or when all are cancelled by UPID_ALL");
	finish(&child);
}

static void test_return(void)
{
	struct child child = start(work);
	struct uprobe u = { .id = 9,
			   .event = UPEV_FUNCRET,
			   .who = child.pid,
			   .where = (unsigned long)factorial };
	struct uprobe got;
	struct user_regs_struct regs;
	long product = 1, results = 0;

	uprobe_register(&u);
	uprobe_arm();
	tell(&child, 'f');
	while (uprobe_poll(&got, 1000) == 1 && results < 10) {
		uprobe_get_registers(child.pid, &regs);
		product *= ++results;
		if ((long)regs.rax != product)
			break;
	}
	ok(results == 5 && is_done(&child, 2000),
	   "FUNCRET under recursion: each return with its result");
	uprobe_detach(child.pid);
	u.where = (unsigned long)jumps;
	uprobe_register(&u);
	uprobe_arm();
	tell(&child, 'j');
	for (results = 0; uprobe_poll(&got, 500) == 1; results++)
		;
	ok(results == 0 && is_done(&child, 2000),
	   "longjmp out of it: no return, and the tracee lives");
	uprobe_detach(child.pid);
	u.where = (unsigned long)probed;
	uprobe_register(&u);
	uprobe_arm();
	tell(&child, 'p');
	ok(uprobe_poll(&got, 2000) == 1 && !uprobe_get_registers(child.pid, &regs) &&
		   regs.rax == 42,
	   "and later returns are seen");
	finish(&child);
}

static void on_signal(int signal)
{
	(void)signal;
}

/*
 * Whether the event arrives after this action, with a status other than 0 unless it is expected to
 * be 0.
 */
static bool comes(enum uprobe_event which, char what, int *status)
{
	struct child child = start(work);
	struct uprobe u = event(&child, which), got = { 0 };
	struct uprobe_hit hit;
	bool good;

	if (what == 'u')
		usleep(50000);
	good = uprobe_register(&u) == 0 && uprobe_arm() == 0;
	tell(&child, what);
	good = good && uprobe_poll(&got, 5000) == 1 && got.event == which && got.id == u.id;
	uprobe_last_hit(&hit);
	*status = hit.status;
	uprobe_detach(child.pid);
	finish(&child);
	return good;
}

static void test_events(void)
{
	int status, kills = 0;

	signal(SIGUSR1, SIG_IGN);
	ok(comes(UPEV_EXIT, 'x', &status) && WIFEXITED(status) && WEXITSTATUS(status) == 7,
	   "EXIT, with its status");
	ok(comes(UPEV_DEATH, 'x', &status) && WEXITSTATUS(status) == 7, "DEATH");
	ok(comes(UPEV_CLONE, 'c', &status) && status > 0, "CLONE, with the id of the child");
	ok(comes(UPEV_VFORK_DONE, 'v', &status) && status > 0, "VFORK_DONE");
	ok(comes(UPEV_EXEC, 'e', &status), "EXEC");
	ok(comes(UPEV_SYSCALL_ENTRY, 'k', &status) && status >= 0,
	   "SYSCALL_ENTRY, with its number");
	ok(comes(UPEV_SYSCALL_EXIT, 'k', &status) && status >= 0, "SYSCALL_EXIT");
	signal(SIGUSR1, on_signal);
	ok(comes(UPEV_SIGNAL, 'u', &status) && status == SIGUSR1, "SIGNAL, with its number");
	signal(SIGUSR1, SIG_DFL);
	while (kills < 20 && comes(UPEV_SIGNAL, 'u', &status) && status == SIGKILL)
		kills++;
	ok(kills == 20, "SIGNAL that kills");
}

/* Other threads are other tracers. */
static struct child *shared_child;
static volatile int seen_by_other, other_may_end;

static void *other_tracer(void *unused)
{
	struct uprobe u = at(shared_child, 1, probed), got;

	(void)unused;
	if (uprobe_register(&u) || uprobe_arm())
		return NULL;
	seen_by_other = 1;
	if (uprobe_poll(&got, 5000) == 1 && got.id == 1)
		seen_by_other = 2;
	for (int i = 0; i < 20000 && !other_may_end; i++)
		usleep(1000);
	return NULL;	/* the end of the thread ends the tracer */
}

static void test_two_tracers(void)
{
	struct child child = start(work);
	struct uprobe u = at(&child, 1, probed), got;
	pthread_t thread;

	shared_child = &child;
	uprobe_register(&u);
	uprobe_arm();
	pthread_create(&thread, NULL, other_tracer, NULL);
	while (!seen_by_other)
		usleep(1000);
	tell(&child, 'p');
	ok(uprobe_poll(&got, 5000) == 1 && got.id == 1, "two tracers at one address: one is told");
	for (int i = 0; i < 5000 && seen_by_other != 2; i++)
		usleep(1000);
	ok(seen_by_other == 2, "and the other, whose ids are its own: the same one");
	ok(uprobe_poll(&got, 0) == 0 && !is_done(&child, 100), "the tracee waits for both");
	ok(uprobe_unregister(child.pid, UPID_ALL) == 0 && !is_done(&child, 100),
	   "UPID_ALL of one is not the other's");
	other_may_end = 1;
	pthread_join(thread, NULL);
	ok(is_done(&child, 2000), "the end of a tracer lets it go on");
	finish(&child);
}

static void test_threads(void)
{
	struct child child = start(work);
	struct uprobe u = at(&child, 1, probed), got;
	struct user_regs_struct regs;
	struct uprobe_hit hit;
	long counted;

	uprobe_register(&u);
	uprobe_arm();
	tell(&child, 't');
	ok(uprobe_poll(&got, 5000) == 1 && got.who == child.pid,
	   "threads of one tracee: any of them is told of");
	uprobe_last_hit(&hit);
	ok(hit.tid == child.shared[1] && hit.tid != child.pid &&
		   !uprobe_get_registers(hit.tid, &regs) && regs.rdi == 5,
	   "which one, and its registers");
	counted = child.shared[2];
	usleep(50000);
	ok(child.shared[2] > counted, "the others go on");
	uprobe_detach(child.pid);
	ok(is_done(&child, 5000), "detach lets it go on");
	finish(&child);
}

static void test_one_thread(void)
{
	struct child child = start(work);
	struct uprobe u = at(&child, 1, probed), counter = at(&child, 2, probed), got;
	struct trawl_kh_count hits = { 0 };
	struct uprobe_hit hit;

	tell(&child, 'w');
	for (int i = 0; i < 5000 && !child.shared[1]; i++)
		usleep(1000);
	u.who = counter.who = (pid_t)child.shared[1];
	counter.khandler = "count";
	ok(!uprobe_register(&u) && !uprobe_register(&counter) && !uprobe_arm(),
	   "one thread of a process");
	child.shared[3] = 1;
	ok(uprobe_poll(&got, 5000) == 1 && got.who == child.shared[1], "is a tracee");
	uprobe_last_hit(&hit);
	ok(uprobe_poll(&got, 10000) == -1 && errno == ESRCH && hit.tid == child.shared[1] &&
		   is_done(&child, 3000),
	   "its end is the tracee's");
	ok(uprobe_run_khandler("count", &counter, &hits) == -1 && errno == ESRCH && hits.hits == 1,
	   "and the others are none");
	finish(&child);
}

static void *calls_often(void *unused)
{
	for (long i = 0; i < 200; i++)
		probed(i);
	return unused;
}

static void in_many_threads(struct child *child, char what)
{
	pthread_t threads[4];

	(void)child, (void)what;
	for (int i = 0; i < 4; i++)
		if (pthread_create(&threads[i], NULL, calls_often, NULL))
			_exit(1);
	for (int i = 0; i < 4; i++)
		pthread_join(threads[i], NULL);
}

static void test_every(void)
{
	struct child child = start(in_many_threads);
	struct uprobe u = at(&child, 1, probed), counter = at(&child, 2, probed), got;
	struct trawl_kh_count hits = { 0 };
	int n = 0;

	counter.khandler = "count";
	uprobe_every();
	uprobe_register(&u);
	uprobe_register(&counter);
	uprobe_arm();
	tell(&child, 'x');
	while (n < 1000 && uprobe_poll(&got, n < 800 ? 10000 : 200) == 1)
		n++;
	ok(n == 800 && is_done(&child, 5000),
	   "every event of four threads is returned, when the tracer asks for that");
	ok(!uprobe_run_khandler("count", &counter, &hits) && hits.hits == 800,
	   "as many as there were");
	finish(&child);
}

/* Whether the child has reached its breakpoint, which a khandler counts, exactly this often. */
static bool has_passed(const struct uprobe *counter, unsigned long times)
{
	struct trawl_kh_count hits = { 0 };
	struct uprobe u = *counter;

	for (int i = 0; i < 2000; i++) {
		uprobe_run_khandler("count", &u, &hits);
		if (hits.hits >= times)
			break;
		usleep(1000);
	}
	usleep(50000);
	uprobe_run_khandler("count", &u, &hits);
	return hits.hits == times;
}

static void test_every_of_one(void)
{
	struct child a = start(work), b = start(work);
	struct uprobe u = at(&a, 1, probed), v = at(&b, 2, probed), counter = at(&b, 3, probed),
		      got;
	int n;

	counter.khandler = "count";
	uprobe_several();
	uprobe_every();
	ok(!uprobe_register(&u) && !uprobe_register(&v) && !uprobe_register(&counter) &&
		   !uprobe_poll_of(a.pid, &got, 0),
	   "every event, by polls of one of two tracees");
	tell(&b, 'm');
	tell(&a, 'm');
	for (n = 0; n < 20 && uprobe_poll_of(a.pid, &got, 5000) == 1 && got.id == 1; n++)
		;
	ok(n == 20 && has_passed(&counter, 1), "the other one stops at its first");
	ok(uprobe_poll_of(b.pid, &got, 5000) == 1 && got.id == 2, "which is kept for its poll");
	finish(&a);
	finish(&b);
}

static void test_library(void)
{
	struct child child = start(work);
	struct uprobe u = at(&child, 1, NULL), got;
	struct user_regs_struct regs;

	u.where = library_function();
	ok(!uprobe_register(&u) && !uprobe_arm(), "a probe in a library");
	u.event = UPEV_FUNCRET;
	u.id = 2;
	uprobe_register(&u);
	tell(&child, 'l');
	ok(uprobe_poll(&got, 5000) == 1 && got.id == 1 && !uprobe_get_registers(child.pid, &regs) &&
		   (long)regs.rdi == -9,
	   "stops at its function");
	ok(uprobe_poll(&got, 5000) == 1 && got.id == 2 && !uprobe_get_registers(child.pid, &regs) &&
		   regs.rax == 9,
	   "and at its return");
	finish(&child);
}

static void test_debugger(void)
{
	struct child child = start(work);
	struct uprobe u = at(&child, 1, probed), got;
	int status;

	ok(!ptrace(PTRACE_SEIZE, child.pid, 0, 0) && !uprobe_register(&u) && !uprobe_arm(),
	   "a tracee under a debugger");
	tell(&child, 'p');
	ok(uprobe_poll(&got, 5000) == 1, "stops for its tracer");
	ptrace(PTRACE_INTERRUPT, child.pid, 0, 0);
	uprobe_poll(&got, 0);
	ok(waitpid(child.pid, &status, 0) == child.pid && WIFSTOPPED(status) &&
		   !is_done(&child, 100),
	   "and then for the debugger");
	ptrace(PTRACE_DETACH, child.pid, 0, 0);
	ok(is_done(&child, 5000), "and goes on");
	finish(&child);
}

static void test_timeout(void)
{
	struct child child = start(work);
	struct uprobe u = at(&child, 1, probed), got;

	uprobe_register(&u);
	uprobe_arm();
	tell(&child, 'p');
	ok(uprobe_poll(&got, INT_MAX) == 1, "a huge timeout");
	tell(&child, 'p');
	ok(uprobe_poll(&got, INT_MIN) == 1, "a negative one");
	finish(&child);
}

static void test_epoll(void)
{
	struct child child = start(work);
	struct uprobe u = at(&child, 1, probed), got;
	struct epoll_event event = { .events = EPOLLIN };
	int epoll = epoll_create1(0), n;

	uprobe_register(&u);
	epoll_ctl(epoll, EPOLL_CTL_ADD, uprobe_fd(), &event);
	uprobe_arm();
	ok(epoll_wait(epoll, &event, 1, 50) == 0, "epoll: nothing yet");
	tell(&child, 'p');
	ok(epoll_wait(epoll, &event, 1, 5000) == 1, "epoll takes the descriptor");
	ok(uprobe_poll(&got, 0) == 1 && got.id == 1, "and poll returns the event");
	uprobe_arm();
	is_done(&child, 5000);
	tell(&child, 'p');
	ok(epoll_wait(epoll, &event, 1, 5000) == 1 && uprobe_arm() == 0 && !is_done(&child, 100) &&
		   epoll_wait(epoll, &event, 1, 0) == 1 && uprobe_poll(&got, 0) == 1,
	   "a second uprobe_arm() loses nothing");
	uprobe_arm();
	is_done(&child, 5000);
	/* The next event often arrives before the program polls. */
	tell(&child, 'm');
	for (n = 0;
	     n < 1000 && epoll_wait(epoll, &event, 1, 10000) == 1 && uprobe_poll(&got, 0) == 1; n++)
		uprobe_arm();
	ok(n == 1000 && is_done(&child, 10000), "a thousand times, each at once");
	close(epoll);
	uprobe_detach(child.pid);
	finish(&child);
}

static void test_signal(void)
{
	struct child child = start(work);
	struct uprobe u = at(&child, 1, probed), got;
	struct sigaction action = { .sa_handler = on_signal };

	sigaction(SIGALRM, &action, NULL);
	uprobe_register(&u);
	ualarm(100000, 0);
	ok(uprobe_poll(&got, -1) == -1 && errno == EINTR, "a signal to the tracer: EINTR");
	tell(&child, 'p');
	ok(!is_done(&child, 300), "what happens then is kept");
	ok(uprobe_poll(&got, 5000) == 1, "for the next poll");
	uprobe_detach(child.pid);
	finish(&child);
}

static void test_several(void)
{
	struct child a = start(work), b = start(work);
	struct uprobe u = at(&a, 1, probed), v = at(&b, 2, probed), got;
	const struct {
		pid_t who;
		int error;
		const char *what;
	} bad[] = {
		{ 4000000, ESRCH, "but one that is not there is ESRCH" },
		{ 2, EPERM, "a kernel thread EPERM" },
		{ getpid(), EINVAL, "and the tracer itself EINVAL" },
		{ -1, EINVAL, "as is no id" },
	};

	uprobe_register(&u);
	ok(uprobe_register(&v) == -1 && errno == EBUSY, "one tracer traces at most one tracee");
	for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++) {
		v.who = bad[i].who;
		ok(uprobe_register(&v) == -1 && errno == bad[i].error, bad[i].what);
	}
	v.who = b.pid;
	ok(!uprobe_unregister(a.pid, UPID_ALL) && !uprobe_register(&v) && !uprobe_detach(b.pid) &&
		   !uprobe_register(&u),
	   "another one when it has none");
	uprobe_several();
	ok(uprobe_register(&v) == 0, "several, when it asks for that");
	uprobe_arm();
	tell(&b, 'p');
	ok(uprobe_poll(&got, 5000) == 1 && got.who == b.pid && got.id == 2, "a poll over all");
	/* The child may be faster than the poll. */
	tell(&a, 'p');
	while (uprobe_poll_of(a.pid, &got, 300) == 0 && is_done(&a, 2000))
		tell(&a, 'p');
	ok(got.who == a.pid && got.id == 1, "a poll of one");
	ok(!is_done(&b, 100), "leaves the other stopped");
	uprobe_detach(a.pid);
	uprobe_detach(b.pid);
	finish(&a);
	finish(&b);
}

static void (*const tests[])(void) = {
	test_poll,
	test_registers,
	test_bases,
	test_return_registers,
	test_return_and_calls,
	test_rip,
	test_calls,
	test_moved,
	test_pointers,
	test_reasons,
	test_same_address,
	test_return,
	test_khandler,
	test_branches,
	test_module,
	test_events,
	test_death,
	test_two_tracers,
	test_threads,
	test_one_thread,
	test_every,
	test_every_of_one,
	test_fatal,
	test_looking,
	test_library,
	test_rights,
	test_gains,
	test_namespace,
	test_debugger,
	test_timeout,
	test_epoll,
	test_signal,
	test_several,
	test_bad,
};

/* Runs a test in its own process, which thus has its own tracer, and adds its results. */
static bool run_test(size_t i)
{
	int pipefd[2], status, counts[2] = { count, bad };
	pid_t pid;

	if (pipe(pipefd))
		return false;
	pid = fork();
	if (!pid) {
		alarm(60);
		tests[i]();
		counts[0] = count, counts[1] = bad;
		_exit(write(pipefd[1], counts, sizeof(counts)) != sizeof(counts));
	}
	close(pipefd[1]);
	waitpid(pid, &status, 0);
	if (read(pipefd[0], counts, sizeof(counts)) != sizeof(counts))
		counts[1]++;
	close(pipefd[0]);
	count = counts[0], bad = counts[1];
	if (status) {
		printf("not ok %d - test %zu ended with status %d\n", ++count, i, status);
		bad++;
	}
	return true;
}

int main(void)
{
	setvbuf(stdout, NULL, _IOLBF, 0);
	for (size_t i = 0; i < sizeof(tests) / sizeof(*tests); i++)
		if (!run_test(i))
			return 1;
	printf("1..%d\n", count);
	return bad != 0;
}
