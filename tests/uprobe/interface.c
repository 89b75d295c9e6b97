// SPDX-License-Identifier: MIT
/*
 * interface: the sentences of the uprobe interface (uprobe/trawl-uprobe.h), a test each, on children of
 * this very program: its functions have the same addresses there. Prints TAP. Needs trawl.ko.
 */
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/capability.h>
#include <pthread.h>
#include <sched.h>
#include <setjmp.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include "kmod/trawl_uprobe.h"
#include "samples/uprobe/khandler/histogram.h"
#include "uprobe/trawl-uprobe.h"

static int count, bad;

static void ok(bool good, const char *what)
{
	printf("%sok %d - %s\n", good ? "" : "not ", ++count, what);
	if (!good) {
		bad++;
		printf("# errno %d (%s), %s\n", errno, strerror(errno), uprobe_error());
	}
	fflush(stdout);
}

/* What children do. Each begins with an instruction that is executed out of line. */
static volatile long sink;

__attribute__((noinline, noclone)) static long probed(long value)
{
	sink = value;
	return value * 2;
}

__attribute__((noinline, noclone)) static long second(long value)
{
	sink = value + 1;
	return value + 1;
}

__attribute__((noinline, noclone)) static long factorial(long n)
{
	sink = n;
	return n < 2 ? 1 : n * factorial(n - 1);
}

static jmp_buf out;

__attribute__((noinline, noclone)) static void jumps(long n)
{
	sink = n;
	if (!n && sink == n)
		longjmp(out, 1);
	if (n)
		jumps(n - 1);
	sink = n;
}

/* A child that works when it is told by a byte, and says when it has by one. */
struct child {
	pid_t pid;
	int go, done;
	volatile long *shared;	/* a page of both */
};

static struct child start(void (*work)(struct child *, char what))
{
	struct child child;
	int go[2], done[2];

	child.shared = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (pipe(go) || pipe(done))
		exit(1);
	child.pid = fork();
	if (!child.pid) {
		char what;

		child.go = go[0], child.done = done[1];
		close(go[1]);
		while (read(go[0], &what, 1) == 1) {
			work(&child, what);
			if (write(done[1], &what, 1) != 1)
				_exit(1);
		}
		_exit(0);
	}
	close(go[0]);
	close(done[1]);
	child.go = go[1], child.done = done[0];
	return child;
}

static void tell(struct child *child, char what)
{
	if (write(child->go, &what, 1) != 1)
		perror("tell");
}

/* Whether the child has done what it was told within ms. */
static bool is_done(struct child *child, int ms)
{
	struct timeval time = { ms / 1000, ms % 1000 * 1000 };
	fd_set set;
	char what;

	FD_ZERO(&set);
	FD_SET(child->done, &set);
	return select(child->done + 1, &set, NULL, NULL, &time) == 1 && read(child->done, &what, 1) == 1;
}

static void finish(struct child *child)
{
	kill(child->pid, SIGKILL);
	waitpid(child->pid, NULL, 0);
	close(child->go);
	close(child->done);
	munmap((void *)child->shared, 4096);
}

static void *calls_probed(void *shared)
{
	((volatile long *)shared)[1] = gettid();
	((volatile long *)shared)[0] = probed(5);
	return NULL;
}

/* A second thread comes to the function while the first one counts in shared[2]. */
static void in_threads(struct child *child)
{
	pthread_t thread;

	child->shared[0] = child->shared[2] = 0;
	if (pthread_create(&thread, NULL, calls_probed, (void *)child->shared))
		_exit(1);
	while (!child->shared[0])
		child->shared[2]++;
	pthread_join(thread, NULL);
}

static unsigned long library_function(void)
{
	return (unsigned long)dlsym(RTLD_DEFAULT, "labs");
}

static void in_library(struct child *child)
{
	child->shared[0] = ((long (*)(long))library_function())(-9);
}

static void work(struct child *child, char what)
{
	switch (what) {
	case 'p':
		child->shared[0] = probed(21);
		break;
	case 's':
		child->shared[0] = second(1);
		break;
	case 'f':
		child->shared[0] = factorial(5);
		break;
	case 'j':
		if (!setjmp(out))
			jumps(3);
		break;
	case 'm':
		for (int i = 0; i < 1000; i++)
			child->shared[0] = probed(i);
		break;
	case 't':
		in_threads(child);
		break;
	case 'l':
		in_library(child);
		break;
	case 'x':
		_exit(7);
	case 'k':
		syscall(SYS_getpid);
		break;
	case 'c':
		if (!fork())
			_exit(0);
		wait(NULL);
		break;
	case 'v':
		if (!vfork())
			_exit(0);
		wait(NULL);
		break;
	case 'u':
		raise(SIGUSR1);
		break;
	case 'e':
		execl("/bin/cat", "cat", NULL);
		break;
	}
}

static struct uprobe at(struct child *child, unsigned long id, long (*where)(long))
{
	return (struct uprobe){ .id = id, .event = UPEV_BKPT, .who = child->pid, .where = (unsigned long)where };
}

static struct uprobe event(struct child *child, enum uprobe_event event)
{
	return (struct uprobe){ .id = 100 + event, .event = event, .who = child->pid };
}

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
	ok(got.id == 0x1234 && got.event == UPEV_BKPT && got.who == child.pid && got.where == u.where &&
		   !got.khandler,
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

static void test_registers(void)
{
	struct child child = start(work);
	struct uprobe u = at(&child, 1, probed), got;
	struct user_regs_struct regs;
	long value = 0;

	uprobe_register(&u);
	uprobe_arm();
	tell(&child, 'p');
	uprobe_poll(&got, 20000);
	ok(uprobe_get_registers(child.pid, &regs) == 0 && regs.rip == u.where && regs.rdi == 21,
	   "registers of the stopped tracee");
	regs.rdi = 100;
	ok(uprobe_set_registers(child.pid, &regs) == 0, "are written");
	regs.rip = 1ul << 63;
	ok(uprobe_set_registers(child.pid, &regs) == -1 && errno == EINVAL, "but for a rip that no program has");
	uprobe_get_registers(child.pid, &regs);
	regs.cs++;
	ok(uprobe_set_registers(child.pid, &regs) == -1 && errno == EINVAL, "and for a segment");
	ok(uprobe_read(child.pid, (unsigned long)&sink, &value, sizeof(value)) == sizeof(value), "memory is read");
	value = 77;
	ok(uprobe_write(child.pid, (unsigned long)&child.shared[1], &value, sizeof(value)) == sizeof(value) &&
		   child.shared[1] == 77,
	   "and written");
	ok(uprobe_read(child.pid, 8, &value, sizeof(value)) == -1 && errno == EFAULT, "a bad address is EFAULT");
	ok(uprobe_detach(child.pid) == 0 && is_done(&child, 2000) && child.shared[0] == 200,
	   "detach lets it go on, with the register that was written");
	ok(uprobe_get_registers(child.pid, &regs) == -1 && errno == EBUSY, "a thread that runs has none: EBUSY");
	finish(&child);
}

/* Functions whose first instruction the kernel emulates, executes elsewhere, and executes elsewhere with a register that
 * stands for rip. Each returns 3 times its argument, or adds to `sink`. */
long pushes(long value), subtracts(long value), relative(long value);
extern volatile long relative_to;
__asm__(".text\n"
	"pushes: push %rbx\n lea (%rdi,%rdi,2),%rax\n pop %rbx\n ret\n"
	"subtracts: sub $24,%rsp\n lea (%rdi,%rdi,2),%rax\n add $24,%rsp\n ret\n"
	"relative: addq $1,relative_to(%rip)\n lea (%rdi,%rdi,2),%rax\n ret\n"
	".data\n .balign 8\nrelative_to: .quad 0\n .text\n");

void trap_instruction(void);
__asm__("trap_instruction: int3\n ret\n");

static long (*volatile work_function)(long);

static void calls_function(struct child *child, char what)
{
	long kept[4] = { 11, 22, 33, 44 };

	(void)what;
	child->shared[0] = work_function(child->shared[1]);
	/* The registers that functions keep, and what is on the stack. */
	child->shared[2] = kept[0] + kept[3] + relative_to;
}

/* The tracer lets the function return 7 at once: its first instruction is not executed. */
static bool returns_at_once(long (*function)(long))
{
	struct user_regs_struct regs;
	struct child child;
	struct uprobe u, got;
	bool good;

	work_function = function;
	child = start(calls_function);
	child.shared[1] = 5;
	u = at(&child, 1, function);
	good = !uprobe_register(&u) && !uprobe_arm();
	for (int i = 0; good && i < 3; i++) {
		tell(&child, 'x');
		good = uprobe_poll(&got, 5000) == 1 && !uprobe_get_registers(child.pid, &regs) && regs.rdi == 5;
		good = good && uprobe_read(child.pid, regs.rsp, &regs.rip, 8) == 8;
		regs.rsp += 8;
		regs.rax = 7;
		good = good && !uprobe_set_registers(child.pid, &regs) && uprobe_arm() == 0 && is_done(&child, 3000) &&
		       child.shared[0] == 7 && child.shared[2] == 55;
	}
	/* And as it is when nobody writes. */
	uprobe_detach(child.pid);
	tell(&child, 'x');
	good = is_done(&child, 3000) && good && child.shared[0] == 15 &&
	       child.shared[2] == (function == relative ? 56 : 55);
	finish(&child);
	return good;
}

static void test_rip(void)
{
	struct child child = start(work);
	struct uprobe u = at(&child, 1, probed), got;
	struct user_regs_struct regs;

	ok(returns_at_once(pushes), "rip is written: at an instruction that the kernel emulates");
	ok(returns_at_once(subtracts), "at one that it executes elsewhere");
	ok(returns_at_once(relative), "at one that is relative to rip");
	uprobe_register(&u);
	uprobe_arm();
	tell(&child, 'p');
	uprobe_poll(&got, 5000);
	uprobe_get_registers(child.pid, &regs);
	regs.rip = (unsigned long)second;
	ok(!uprobe_set_registers(child.pid, &regs) && !uprobe_arm() && is_done(&child, 3000) && child.shared[0] == 22,
	   "another function is called");
	tell(&child, 'p');
	uprobe_poll(&got, 5000);
	uprobe_get_registers(child.pid, &regs);
	regs.rip = 8;
	uprobe_set_registers(child.pid, &regs);
	regs.rip = u.where;
	ok(!uprobe_set_registers(child.pid, &regs) && !uprobe_arm() && is_done(&child, 3000) && child.shared[0] == 42,
	   "and taken back");
	tell(&child, 'p');
	uprobe_poll(&got, 5000);
	regs.rip = 8;
	ok(!uprobe_set_registers(child.pid, &regs) && uprobe_poll(&got, 5000) == -1 && errno == ESRCH, "an address with nothing: SIGSEGV");
	finish(&child);
}

static volatile sig_atomic_t handled;

static void on_handled(int signal)
{
	handled = signal;
}

static void calls_kernel(struct child *child, char what)
{
	int ends[2];
	char c;

	handled = 0;
	switch (what) {
	case 'g':
		child->shared[0] = syscall(SYS_getppid) == getppid();
		break;
	case 'r':
		raise(SIGUSR1);
		child->shared[0] = handled;
		break;
	case 'b':
		/* What it is told next is what it reads. */
		child->shared[0] = read(child->go, &c, 1) == 1 ? c : -1;
		break;
	case 'v':
		if (pipe(ends))
			_exit(1);
		if (!vfork()) {
			if (read(child->go, &c, 1) != 1)
				_exit(2);
			_exit(0);
		}
		wait(NULL);
		break;
	}
}

/* Polls until that system call is there, in this event. */
static bool next_call(struct uprobe *got, enum uprobe_event event, long number, struct user_regs_struct *regs)
{
	struct uprobe_hit hit = { 0 };

	while (uprobe_poll(got, 3000) == 1) {
		uprobe_last_hit(&hit);
		if (got->event == event && hit.status == number)
			return !uprobe_get_registers(hit.tid, regs);
	}
	return false;
}

static void test_calls(void)
{
	struct child child = start(calls_kernel);
	struct uprobe entry = event(&child, UPEV_SYSCALL_ENTRY), exit = event(&child, UPEV_SYSCALL_EXIT), got;
	struct user_regs_struct regs;

	uprobe_register(&entry);
	uprobe_register(&exit);
	uprobe_arm();
	tell(&child, 'g');
	ok(next_call(&got, UPEV_SYSCALL_ENTRY, SYS_getppid, &regs) && regs.orig_rax == SYS_getppid && (long)regs.rax == -ENOSYS,
	   "a system call's entry, with the registers before it");
	ok(uprobe_set_registers(child.pid, &regs) == -1 && errno == EBUSY, "which cannot be written");
	ok(uprobe_poll(&got, 3000) == 1 && got.event == UPEV_SYSCALL_EXIT && !uprobe_get_registers(child.pid, &regs) &&
		   (long)regs.rax == getpid(),
	   "and its exit, with its result");
	regs.rax = 1;
	ok(!uprobe_set_registers(child.pid, &regs), "which can");
	uprobe_detach(child.pid);
	ok(is_done(&child, 3000) && child.shared[0] == 0, "and the tracee has it");
	uprobe_register(&entry);
	uprobe_arm();
	tell(&child, 'b');
	ok(next_call(&got, UPEV_SYSCALL_ENTRY, SYS_read, &regs) && regs.rdx == 1 &&
		   uprobe_poll(&got, 100) == 0,
	   "the entry of a call that waits is told at once, and a timeout is one");
	tell(&child, 'q');
	uprobe_detach(child.pid);
	ok(is_done(&child, 3000) && child.shared[0] == 'q', "the call gets what it waited for");
	finish(&child);
}

/* Where the thread does not go on with the registers of its event. */
static void test_moved(void)
{
	struct child child;
	struct uprobe u, got;
	struct user_regs_struct regs;
	struct uprobe_hit hit;

	signal(SIGUSR1, on_handled);
	child = start(calls_kernel);
	u = event(&child, UPEV_SIGNAL);
	uprobe_register(&u);
	uprobe_arm();
	tell(&child, 'r');
	ok(uprobe_poll(&got, 3000) == 1 && !uprobe_get_registers(child.pid, &regs) &&
		   uprobe_set_registers(child.pid, &regs) == -1 && errno == EBUSY,
	   "registers are not written into a signal's handler: EBUSY");
	uprobe_detach(child.pid);
	ok(is_done(&child, 3000) && child.shared[0] == SIGUSR1, "which runs");
	u = event(&child, UPEV_SYSCALL_EXIT);
	uprobe_register(&u);
	uprobe_arm();
	tell(&child, 'r');
	ok(next_call(&got, UPEV_SYSCALL_EXIT, -1, &regs), "the exit of rt_sigreturn has number -1");
	ok(!uprobe_set_registers(child.pid, &regs), "and the registers of the interrupted code, which can be written");
	uprobe_detach(child.pid);
	is_done(&child, 3000);
	u = event(&child, UPEV_CLONE);
	uprobe_register(&u);
	uprobe_arm();
	tell(&child, 'v');
	ok(uprobe_poll(&got, 200) == 0, "a thread that vfork() keeps has not stopped: a timeout is one");
	tell(&child, 'x');
	ok(uprobe_poll(&got, 5000) == 1 && got.event == UPEV_CLONE, "and its event comes when it has");
	uprobe_last_hit(&hit);
	ok(!uprobe_get_registers(child.pid, &regs) && (int)regs.rax == hit.status && hit.status > 0,
	   "with the result of the call");
	uprobe_detach(child.pid);
	ok(is_done(&child, 3000), "and it goes on");
	finish(&child);
}

static void test_same_address(void)
{
	struct child child = start(work);
	struct uprobe a = at(&child, 1, probed), b = at(&child, 2, probed), c = at(&child, 3, probed), got;
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
	ok(uprobe_register(&c) == 0 && uprobe_register(&c) == -1 && errno == EEXIST, "an id that is a pointer");
	uprobe_arm();
	tell(&child, 'p');
	uprobe_poll(&got, 5000);
	ok(uprobe_unregister(child.pid, UPID_ALL) == 0 && is_done(&child, 2000), "or when all are cancelled by UPID_ALL");
	finish(&child);
}

static void test_return(void)
{
	struct child child = start(work);
	struct uprobe u = { .id = 9, .event = UPEV_FUNCRET, .who = child.pid, .where = (unsigned long)factorial };
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
	ok(results == 5 && is_done(&child, 2000), "FUNCRET under recursion: each return with its result");
	uprobe_detach(child.pid);
	u.where = (unsigned long)jumps;
	uprobe_register(&u);
	uprobe_arm();
	tell(&child, 'j');
	for (results = 0; uprobe_poll(&got, 500) == 1; results++)
		;
	ok(results == 0 && is_done(&child, 2000), "longjmp out of it: no return, and the tracee lives");
	uprobe_detach(child.pid);
	u.where = (unsigned long)probed;
	uprobe_register(&u);
	uprobe_arm();
	tell(&child, 'p');
	ok(uprobe_poll(&got, 2000) == 1 && !uprobe_get_registers(child.pid, &regs) && regs.rax == 42,
	   "and later returns are seen");
	finish(&child);
}

static void test_khandler(void)
{
	struct child child = start(work);
	struct uprobe u = at(&child, 4, probed), got;
	struct trawl_kh_count hits = { 0 };
	struct trawl_kh_registers registers = { 0 };
	struct trawl_kh_stack stack = { 0 };
	struct trawl_kh_ustack ustack = { 0 };
	bool good;

	u.khandler = "count";
	ok(uprobe_register(&u) == 0, "register with a khandler");
	uprobe_arm();
	tell(&child, 'm');
	ok(is_done(&child, 10000) && uprobe_poll(&got, 0) == 0, "(a) it is called, and the tracee goes on, though the tracer polls");
	ok(uprobe_run_khandler("count", &u, &hits) == 0 && hits.hits == 1000 && hits.last_time > hits.first_time,
	   "run_khandler: what it has counted");
	u.id = 5;
	u.khandler = "nothing";
	ok(uprobe_register(&u) == -1 && errno == ENOENT && strstr(uprobe_error(), "count") && strstr(uprobe_error(), "ustack"),
	   "an unknown khandler: ENOENT, and the names that there are");
	u.khandler = NULL;
	uprobe_register(&u);
	uprobe_arm();
	tell(&child, 'p');
	uprobe_poll(&got, 5000);
	good = uprobe_run_khandler("registers", &got, &registers) == 0 && registers.regs.rdi == 21;
	ok(good, "run_khandler for a stopped tracee: registers");
	ok(uprobe_run_khandler("stack", &got, &stack) == 0 && stack.rsp == registers.regs.rsp && stack.length >= 64,
	   "stack bytes");
	ok(uprobe_run_khandler("ustack", &got, &ustack) == 0 && ustack.depth >= 3 && ustack.ip[0] == got.where &&
		   ustack.ip[1] > (unsigned long)work && ustack.ip[1] < (unsigned long)work + 0x200,
	   "user stack trace");
	uprobe_poll(&got, 0);
	ok(uprobe_run_khandler("stack", &got, &stack) == -1 && errno == EBUSY, "not of one that runs");
	finish(&child);
}

static void test_branches(void)
{
	struct child child = start(work);
	struct uprobe u = at(&child, 6, probed), got;
	struct trawl_kh_branches branches = { 0 };

	u.khandler = "branches";
	uprobe_register(&u);
	tell(&child, 'p');
	is_done(&child, 5000);
	ok(uprobe_run_khandler("branches", &u, &branches) == 0 && branches.hits == 1 && branches.depth == -1,
	   "last branches: not of a process whose branches are not recorded");
	ok(uprobe_record_branches(child.pid) == 0 && uprobe_record_branches(child.pid) == -1 && errno == EEXIST,
	   "branches are recorded, once");
	tell(&child, 'm');
	ok(is_done(&child, 20000) && uprobe_run_khandler("branches", &u, &branches) == 0 && branches.hits == 1001 &&
		   branches.depth == TRAWL_KH_BRANCHES,
	   "the last branches at each hit");
	ok(branches.branch[31].to == u.where && branches.branch[31].from > (unsigned long)work &&
		   branches.branch[31].from < (unsigned long)work + 0x200 && branches.branch[0].to && branches.branch[0].from,
	   "of which the last is the call");
	uprobe_unregister(child.pid, 6);
	u = at(&child, 7, second);
	uprobe_register(&u);
	uprobe_arm();
	tell(&child, 's');
	ok(uprobe_poll(&got, 5000) == 1 && uprobe_run_khandler("branches", &got, &branches) == 0 && branches.depth > 0 &&
		   branches.branch[branches.depth - 1].to == u.where,
	   "the last branches of a stopped tracee");
	finish(&child);
}

/* samples/uprobe/khandler, which is loaded. */
static void test_module(void)
{
	struct child child = start(work);
	struct uprobe u = at(&child, 8, probed);
	struct kh_histogram histogram = { 0 };

	u.khandler = "histogram";
	ok(uprobe_register(&u) == 0, "a khandler of another module");
	tell(&child, 'm');
	ok(is_done(&child, 10000) && uprobe_run_khandler("histogram", &u, &histogram) == 0 && histogram.hits == 1000 &&
		   histogram.slot[0] == 1 && histogram.slot[1] == 1 && histogram.slot[9] == 256 && histogram.slot[10] == 488,
	   "gathers of each hit what it does");
	ok(syscall(SYS_delete_module, "histogram", O_NONBLOCK) == -1 && errno == EWOULDBLOCK,
	   "and its module stays while it is registered");
	finish(&child);
}

static void on_signal(int signal)
{
	(void)signal;
}

/* The event comes when the child is told this, with a status that is not 0 unless it is expected to be. */
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
	ok(comes(UPEV_EXIT, 'x', &status) && WIFEXITED(status) && WEXITSTATUS(status) == 7, "EXIT, with its status");
	ok(comes(UPEV_DEATH, 'x', &status) && WEXITSTATUS(status) == 7, "DEATH");
	ok(comes(UPEV_CLONE, 'c', &status) && status > 0, "CLONE, with the id of the child");
	ok(comes(UPEV_VFORK_DONE, 'v', &status) && status > 0, "VFORK_DONE");
	ok(comes(UPEV_EXEC, 'e', &status), "EXEC");
	ok(comes(UPEV_SYSCALL_ENTRY, 'k', &status) && status >= 0, "SYSCALL_ENTRY, with its number");
	ok(comes(UPEV_SYSCALL_EXIT, 'k', &status) && status >= 0, "SYSCALL_EXIT");
	signal(SIGUSR1, on_signal);
	ok(comes(UPEV_SIGNAL, 'u', &status) && status == SIGUSR1, "SIGNAL, with its number");
	signal(SIGUSR1, SIG_DFL);
	while (kills < 20 && comes(UPEV_SIGNAL, 'u', &status) && status == SIGKILL)
		kills++;
	ok(kills == 20, "SIGNAL that kills, before the end that follows");
}

static void test_death(void)
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
	ok(waitpid(child.pid, &status, 0) == child.pid && WTERMSIG(status) == SIGKILL, "SIGKILL ends a stopped tracee");
	ok(uprobe_poll(&got, -1) == -1 && errno == ESRCH, "poll after its death: ESRCH");
	ok(uprobe_get_registers(child.pid, &regs) == -1 && errno == ESRCH, "registers: ESRCH");
	ok(uprobe_read(child.pid, u.where, &word, 8) == -1 && errno == ESRCH, "memory: ESRCH");
	ok(uprobe_run_khandler("registers", &got, &kh) == -1 && errno == ESRCH, "run_khandler: ESRCH");
	ok(uprobe_run_khandler("count", &counts, &hits) == -1 && errno == ESRCH && hits.hits == 1,
	   "but what a khandler has gathered is there");
	ok(uprobe_set_registers(child.pid, &regs) == -1 && errno == ESRCH, "to write registers: ESRCH");
	ok(uprobe_write(child.pid, u.where, &word, 8) == -1 && errno == ESRCH, "or memory: ESRCH");
	ok(uprobe_arm() == -1 && errno == ESRCH && uprobe_poll_of(child.pid, &got, 0) == -1 && errno == ESRCH,
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

/* Other tracers are other threads. */
static struct child *shared_child;
static volatile int seen_by_other;

static void *other_tracer(void *unused)
{
	struct uprobe u = at(shared_child, 1, probed), got;

	(void)unused;
	if (uprobe_register(&u) || uprobe_arm())
		return NULL;
	seen_by_other = 1;
	if (uprobe_poll(&got, 5000) == 1 && got.id == 1)
		seen_by_other = 2;
	usleep(1000000);
	return NULL;	/* the thread's end is the tracer's */
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
	ok(uprobe_unregister(child.pid, UPID_ALL) == 0 && !is_done(&child, 100), "UPID_ALL of one is not the other's");
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
	ok(uprobe_poll(&got, 5000) == 1 && got.who == child.pid, "threads of one tracee: any of them is told of");
	uprobe_last_hit(&hit);
	ok(hit.tid == child.shared[1] && hit.tid != child.pid && !uprobe_get_registers(hit.tid, &regs) && regs.rdi == 5,
	   "which one, and its registers");
	counted = child.shared[2];
	usleep(50000);
	ok(child.shared[2] > counted, "the others go on");
	uprobe_detach(child.pid);
	ok(is_done(&child, 5000), "detach lets it go on");
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
	ok(n == 800 && is_done(&child, 5000), "every event of four threads is returned, when the tracer asks for that");
	ok(!uprobe_run_khandler("count", &counter, &hits) && hits.hits == 800, "as many as there were");
	finish(&child);
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
	ok(uprobe_poll(&got, 5000) == 1 && got.id == 1 && !uprobe_get_registers(child.pid, &regs) && (long)regs.rdi == -9,
	   "stops at its function");
	ok(uprobe_poll(&got, 5000) == 1 && got.id == 2 && !uprobe_get_registers(child.pid, &regs) && regs.rax == 9,
	   "and at its return");
	finish(&child);
}

/* Somebody who may use the device and nothing else. */
static void become_user(void)
{
	struct __user_cap_header_struct header = { .version = _LINUX_CAPABILITY_VERSION_3 };
	struct __user_cap_data_struct caps[2] = { { 0 } };

	caps[CAP_PERFMON / 32].permitted = caps[CAP_PERFMON / 32].effective = 1u << CAP_PERFMON % 32;
	if (chmod("/dev/trawl", 0666) || prctl(PR_SET_KEEPCAPS, 1) || setresuid(1000, 1000, 1000) ||
	    syscall(SYS_capset, &header, caps))
		perror("become_user");
}

static void test_rights(void)
{
	struct child child = start(work), own;
	struct uprobe u = at(&child, 1, probed);

	become_user();
	ok(uprobe_register(&u) == -1 && errno == EPERM && strstr(uprobe_error(), "not yours"), "a process of another user");
	own = start(work);
	u = at(&own, 1, probed);
	/* Who has changed the user is not dumpable, nor are its children before they exec. */
	ok(uprobe_register(&u) == -1 && errno == EPERM, "one of one's own that is not dumpable");
	finish(&own);
	prctl(PR_SET_DUMPABLE, 1);
	own = start(work);
	u = at(&own, 1, probed);
	ok(uprobe_register(&u) == 0, "one of one's own");
	finish(&own);
	close(child.go);
}

static void test_namespace(void)
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
		inside = inside && uprobe_poll(&got, 5000) == 1 && got.who == own.pid && own.pid < 10;
		uprobe_detach(own.pid);
		finish(&own);
		u = at(&child, 1, probed);
		_exit((inside ? 0 : 1) | (uprobe_register(&u) == -1 && errno == ESRCH ? 0 : 2));
	}
	waitpid(pid, &status, 0);
	ok(!(status & 0x100) && WIFEXITED(status), "in a namespace of its own a tracer sees its processes by their ids there");
	ok(!(status & 0x200), "and no others: ESRCH");
	finish(&child);
}

static void test_debugger(void)
{
	struct child child = start(work);
	struct uprobe u = at(&child, 1, probed), got;
	int status;

	ok(!ptrace(PTRACE_SEIZE, child.pid, 0, 0) && !uprobe_register(&u) && !uprobe_arm(), "a tracee under a debugger");
	tell(&child, 'p');
	ok(uprobe_poll(&got, 5000) == 1, "stops for its tracer");
	ptrace(PTRACE_INTERRUPT, child.pid, 0, 0);
	uprobe_poll(&got, 0);
	ok(waitpid(child.pid, &status, 0) == child.pid && WIFSTOPPED(status) && !is_done(&child, 100),
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
	/* The next event is often there before the program asks for it. */
	tell(&child, 'm');
	for (n = 0; n < 1000 && epoll_wait(epoll, &event, 1, 10000) == 1 && uprobe_poll(&got, 0) == 1; n++)
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
	ok(!uprobe_unregister(a.pid, UPID_ALL) && !uprobe_register(&v) && !uprobe_detach(b.pid) && !uprobe_register(&u),
	   "another one when it has none");
	uprobe_several();
	ok(uprobe_register(&v) == 0, "several, when it asks for that");
	uprobe_arm();
	tell(&b, 'p');
	ok(uprobe_poll(&got, 5000) == 1 && got.who == b.pid && got.id == 2, "a poll over all");
	/* The tell comes before the poll: the child may be there first. */
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

/* Nothing is done, and the caller lives. */
static void test_pointers(void)
{
	struct child child = start(work);
	struct uprobe u = at(&child, 1, probed), got;
	struct user_regs_struct regs;
	struct uprobe *const bad[] = { NULL, (void *)8, (void *)(1ul << 63) };
	const char *page = mmap(NULL, 8192, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
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
		good = good && uprobe_get_registers(child.pid, (void *)bad[i]) == -1 && errno == EFAULT;
		good = good && uprobe_set_registers(child.pid, (void *)bad[i]) == -1 && errno == EFAULT;
		good = good && uprobe_run_khandler("count", bad[i], &hits) == -1 && errno == EFAULT;
		good = good && uprobe_run_khandler("count", &u, bad[i]) == -1 && errno == EFAULT;
	}
	ok(good, "bad pointers: EFAULT");
	ok(uprobe_run_khandler(NULL, &u, &hits) == -1 && errno == ENOENT, "no name of a khandler: ENOENT");
	uprobe_last_hit(NULL);
	uprobe_arm();
	tell(&child, 'p');
	ok(uprobe_poll(NULL, 5000) == -1 && uprobe_poll(&got, 5000) == 1 && !uprobe_get_registers(child.pid, &regs),
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
static void test_reasons(void)
{
	struct child child = start(work);
	struct uprobe u = event(&child, UPEV_EXIT);

	u.where = 0x1000;
	ok(uprobe_register(&u) == -1 && errno == EINVAL && strstr(uprobe_error(), "where 0x1000: event 2 is at no address"),
	   "an event without an address that has one");
	u.where = 0;
	u.id = UPID_ALL;
	ok(uprobe_register(&u) == -1 && errno == EINVAL && strstr(uprobe_error(), "UPID_ALL"), "the id that stands for all");
	u = at(&child, 1, NULL);
	ok(uprobe_register(&u) == -1 && strstr(uprobe_error(), "where 0:"), "no address");
	u.where = 0x10;
	ok(uprobe_register(&u) == -1 && strstr(uprobe_error(), "0x10 of process"), "one that is not mapped");
	u.event = 99;
	ok(uprobe_register(&u) == -1 && strstr(uprobe_error(), "event 99: there is no such"), "no event");
	u = at(&child, 1, probed);
	u.who = 0;
	ok(uprobe_register(&u) == -1 && strstr(uprobe_error(), "process 0:"), "no process");
	u = at(&child, 1, (long (*)(long))trap_instruction);
	ok(uprobe_register(&u) == -1 && errno == EOPNOTSUPP && strstr(uprobe_error(), "a breakpoint can replace"),
	   "a breakpoint of the program's own: EOPNOTSUPP");
	finish(&child);
}

static void test_bad(void)
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
	/* No function begins with an instruction of one byte here. */
	u.where = (unsigned long)probed + 1;
	ok(uprobe_register(&u) == -1 && errno == EINVAL && strstr(uprobe_error(), "in the middle of an instruction"),
	   "an address in the middle of an instruction");
	u = at(&child, 1, probed);
	u.event = 99;
	ok(uprobe_register(&u) == -1 && errno == EINVAL, "an unknown event");
	u.event = UPEV_BKPT;
	u.who = getpid();
	ok(uprobe_register(&u) == -1 && errno == EINVAL && strstr(uprobe_error(), "itself"), "self");
	u.who = 2;
	ok(uprobe_register(&u) == -1 && errno == EPERM, "a kernel thread");
	u.who = 4000000;
	ok(uprobe_register(&u) == -1 && errno == ESRCH, "no such process");
	ok(ioctl(uprobe_fd(), TRAWL_UPROBE_REGISTER, (void *)8) == -1 && errno == EFAULT, "a bad pointer");
	request.u = (struct trawl_uprobe){ .id = 9, .who = child.pid, .where = (unsigned long)probed };
	request.flags = 2;
	ok(ioctl(uprobe_fd(), TRAWL_UPROBE_REGISTER, &request) == -1 && errno == EINVAL, "an unknown flag");
	request.flags = 0;
	ok(ioctl(uprobe_fd(), TRAWL_UPROBE_REGISTER, &request) == 0, "which is all that was wrong");
	uprobe_detach(child.pid);
	ok(uprobe_unregister(child.pid, 1) == -1 && errno == ESRCH, "unregister of what is not traced");
	u = at(&child, 1, probed);
	uprobe_register(&u);
	ok(uprobe_unregister(child.pid, 5) == -1 && errno == ENOENT, "unregister of another id");
	uprobe_detach(child.pid);
	finish(&child);
}

int main(void)
{
	static void (*const tests[])(void) = {
		test_poll,  test_registers, test_rip, test_calls, test_moved, test_pointers, test_reasons, test_same_address, test_return, test_khandler, test_branches, test_module, test_events,
		test_death, test_two_tracers, test_threads, test_every, test_library, test_rights, test_namespace, test_debugger,
		test_timeout, test_epoll,	 test_signal, test_several,  test_bad,
	};
	size_t n = sizeof(tests) / sizeof(*tests);

	setvbuf(stdout, NULL, _IOLBF, 0);
	/* Each in a process of its own, and so with a tracer of its own. */
	for (size_t i = 0; i < n; i++) {
		int pipefd[2], status, counts[2] = { count, bad };
		pid_t pid;

		if (pipe(pipefd))
			return 1;
		pid = fork();
		if (!pid) {
			alarm(60);
			tests[i]();
			counts[0] = count, counts[1] = bad;
			if (write(pipefd[1], counts, sizeof(counts)) != sizeof(counts))
				_exit(1);
			_exit(0);
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
	}
	printf("1..%d\n", count);
	return bad != 0;
}
