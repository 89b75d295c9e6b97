// SPDX-License-Identifier: MIT
/* A stopped thread: its registers, what khandlers collect, and where it continues. */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>
#include "kmod/trawl_uprobe.h"
#include "samples/uprobe/khandler/histogram.h"
#include "tests/uprobe/child.h"

void test_registers(void)
{
	struct child child = start(work);
	struct uprobe u = at(&child, 1, probed), got;
	struct user_regs_struct regs;
	struct uprobe other = at(&child, 77, probed);
	struct trawl_kh_count hits = { 0 };
	long value = 0;
	int bad_segments = 0;

	uprobe_register(&u);
	uprobe_arm();
	tell(&child, 'p');
	uprobe_poll(&got, 20000);
	ok(uprobe_get_registers(child.pid, &regs) == 0 && regs.rip == u.where && regs.rdi == 21,
	   "registers of the stopped tracee");
	regs.rdi = 100;
	ok(uprobe_set_registers(child.pid, &regs) == 0, "are written");
	regs.rip = 1ul << 63;
	ok(uprobe_set_registers(child.pid, &regs) == -1 && errno == EINVAL,
	   "but for a rip that no program has");
	uprobe_get_registers(child.pid, &regs);
	regs.cs++;
	ok(uprobe_set_registers(child.pid, &regs) == -1 && errno == EINVAL, "and for a segment");
	regs.cs--;
	for (int i = 0; i < 4; i++) {
		unsigned long long *const segments[] = { &regs.ds, &regs.es, &regs.fs, &regs.gs };

		*segments[i] = 0x2b;
		bad_segments += uprobe_set_registers(child.pid, &regs) == -1 && errno == EINVAL;
		*segments[i] = 0;
	}
	ok(bad_segments == 4 && strstr(uprobe_error(), "gs cannot be written"),
	   "ds, es, fs and gs, too");
	ok(uprobe_read(child.pid, (unsigned long)&sink, &value, sizeof(value)) == sizeof(value),
	   "memory is read");
	value = 77;
	ok(uprobe_write(child.pid, (unsigned long)&child.shared[1], &value, sizeof(value)) ==
			   sizeof(value) &&
		   child.shared[1] == 77,
	   "and written");
	ok(uprobe_read(child.pid, 8, &value, sizeof(value)) == -1 && errno == EFAULT,
	   "a bad address is EFAULT");
	ok(!uprobe_run_khandler("count", &other, &hits) && hits.hits == 1,
	   "a khandler runs for a stopped thread, whatever the id");
	other.who = 1;
	ok(uprobe_run_khandler("count", &other, &hits) == -1 && errno == EBUSY,
	   "but not for that of another process: EBUSY");
	ok(uprobe_detach(child.pid) == 0 && is_done(&child, 2000) && child.shared[0] == 200,
	   "detach lets it go on, with the register that was written");
	ok(uprobe_get_registers(child.pid, &regs) == -1 && errno == EBUSY,
	   "a thread that runs has none: EBUSY");
	finish(&child);
}

/* A program may write its gs base without the kernel (wrgsbase). */
void test_bases(void)
{
	struct child child = start(work);
	struct uprobe stops = at(&child, 1, probed), handled = at(&child, 2, probed), got;
	struct trawl_kh_registers seen = { 0 };
	struct user_regs_struct regs;

	handled.khandler = "registers";
	uprobe_register(&stops);
	uprobe_register(&handled);
	uprobe_arm();
	tell(&child, 'b');
	uprobe_poll(&got, 20000);
	ok(!uprobe_get_registers(child.pid, &regs) && regs.gs_base == 0x123456000,
	   "the gs base that the program has written itself");
	ok(!uprobe_run_khandler("registers", &handled, &seen) &&
		   seen.regs.gs_base == 0x123456000 && seen.regs.fs_base == regs.fs_base,
	   "is what a khandler sees, too");
	uprobe_detach(child.pid);
	is_done(&child, 2000);
	finish(&child);
}

/*
 * Functions whose first instruction the kernel emulates, executes out of line, or executes out of
 * line with another register in place of rip. Each returns 3 times its argument, or adds to `sink`.
 */
long pushes(long value), subtracts(long value), relative(long value);
extern volatile long relative_to;
__asm__(".text\n"
	"pushes: push %rbx\n lea (%rdi,%rdi,2),%rax\n pop %rbx\n ret\n"
	"subtracts: sub $24,%rsp\n lea (%rdi,%rdi,2),%rax\n add $24,%rsp\n ret\n"
	"relative: addq $1,relative_to(%rip)\n lea (%rdi,%rdi,2),%rax\n ret\n"
	".data\n .balign 8\nrelative_to: .quad 0\n .text\n");

static long (*volatile work_function)(long);

static void calls_function(struct child *child, char what)
{
	long kept[4] = { 11, 22, 33, 44 };

	(void)what;
	child->shared[0] = work_function(child->shared[1]);
	/* The registers that functions keep, and what is on the stack. */
	child->shared[2] = kept[0] + kept[3] + relative_to;
}

/* The tracer makes the function return 7 immediately: its first instruction is not executed. */
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
		good = uprobe_poll(&got, 5000) == 1 && !uprobe_get_registers(child.pid, &regs) &&
		       regs.rdi == 5;
		good = good && uprobe_read(child.pid, regs.rsp, &regs.rip, 8) == 8;
		regs.rsp += 8;
		regs.rax = 7;
		good = good && !uprobe_set_registers(child.pid, &regs) && uprobe_arm() == 0 &&
		       is_done(&child, 3000) && child.shared[0] == 7 && child.shared[2] == 55;
	}
	/* Also if the registers are not written. */
	uprobe_detach(child.pid);
	tell(&child, 'x');
	good = is_done(&child, 3000) && good && child.shared[0] == 15 &&
	       child.shared[2] == (function == relative ? 56 : 55);
	finish(&child);
	return good;
}

void test_rip(void)
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
	ok(!uprobe_set_registers(child.pid, &regs) && !uprobe_arm() && is_done(&child, 3000) &&
		   child.shared[0] == 22,
	   "another function is called");
	tell(&child, 'p');
	uprobe_poll(&got, 5000);
	uprobe_get_registers(child.pid, &regs);
	regs.rip = 8;
	uprobe_set_registers(child.pid, &regs);
	regs.rip = u.where;
	ok(!uprobe_set_registers(child.pid, &regs) && !uprobe_arm() && is_done(&child, 3000) &&
		   child.shared[0] == 42,
	   "and taken back");
	tell(&child, 'p');
	uprobe_poll(&got, 5000);
	regs.rip = 8;
	ok(!uprobe_set_registers(child.pid, &regs) && uprobe_poll(&got, 5000) == -1 &&
		   errno == ESRCH,
	   "an address with nothing: SIGSEGV");
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
		/* The next command is what it reads. */
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

/* Polls until the event of this system call. */
static bool next_call(struct uprobe *got, enum uprobe_event event, long number,
		      struct user_regs_struct *regs)
{
	struct uprobe_hit hit = { 0 };

	while (uprobe_poll(got, 3000) == 1) {
		uprobe_last_hit(&hit);
		if (got->event == event && hit.status == number)
			return !uprobe_get_registers(hit.tid, regs);
	}
	return false;
}

/* Writes the registers at a return: the result, and the address where the thread continues. */
void test_return_registers(void)
{
	struct child child = start(work);
	struct uprobe u = at(&child, 1, probed), got;
	struct user_regs_struct regs, before = { 0 };

	u.event = UPEV_FUNCRET;
	uprobe_register(&u);
	uprobe_arm();
	tell(&child, 'p');
	ok(uprobe_poll(&got, 5000) == 1 && !uprobe_get_registers(child.pid, &before) &&
		   before.rax == 42,
	   "a function's return");
	regs = before;
	ok(!uprobe_set_registers(child.pid, &regs), "its registers are written as they are");
	regs.rax = 4242;
	ok(!uprobe_set_registers(child.pid, &regs) && !uprobe_arm() && is_done(&child, 3000) &&
		   child.shared[0] == 4242,
	   "another result is written, and the caller has it");
	tell(&child, 'p');
	ok(uprobe_poll(&got, 5000) == 1 && !uprobe_get_registers(child.pid, &regs) &&
		   regs.rip == before.rip && regs.rsp == before.rsp,
	   "the next return is at the same place");
	/* Once more with another argument, and back to where it came from. */
	regs.rsp -= 8;
	regs.rdi = 50;
	ok(uprobe_write(child.pid, regs.rsp, &regs.rip, 8) == 8, "its stack is written");
	regs.rip = (unsigned long)second;
	ok(!uprobe_set_registers(child.pid, &regs) && !uprobe_detach(child.pid) &&
		   is_done(&child, 3000) && child.shared[0] == 51,
	   "and another place, where the thread goes on");
	finish(&child);
}

/* The return of a function together with system calls of the same thread. */
void test_return_and_calls(void)
{
	struct child child = start(work);
	struct uprobe u = at(&child, 1, probed), exit = event(&child, UPEV_SYSCALL_EXIT), got = {0};
	struct user_regs_struct regs = { 0 };

	u.event = UPEV_FUNCRET;
	uprobe_every();
	uprobe_register(&u);
	uprobe_register(&exit);
	uprobe_arm();
	tell(&child, 'p');
	while (uprobe_poll(&got, 3000) == 1 && got.id != 1)
		;
	ok(got.id == 1 && !uprobe_get_registers(child.pid, &regs) && regs.rax == 42,
	   "a return, where system calls are told, too");
	regs.rax = 43;
	ok(!uprobe_set_registers(child.pid, &regs) && !uprobe_detach(child.pid) &&
		   is_done(&child, 3000) && child.shared[0] == 43,
	   "has its result written as well");
	finish(&child);
}

void test_calls(void)
{
	struct child child = start(calls_kernel);
	struct uprobe entry = event(&child, UPEV_SYSCALL_ENTRY),
		      exit = event(&child, UPEV_SYSCALL_EXIT), got;
	struct user_regs_struct regs;

	uprobe_register(&entry);
	uprobe_register(&exit);
	uprobe_arm();
	tell(&child, 'g');
	ok(next_call(&got, UPEV_SYSCALL_ENTRY, SYS_getppid, &regs) &&
		   regs.orig_rax == SYS_getppid && (long)regs.rax == -ENOSYS,
	   "a system call's entry, with the registers before it");
	ok(uprobe_set_registers(child.pid, &regs) == -1 && errno == EBUSY,
	   "which cannot be written");
	ok(uprobe_poll(&got, 3000) == 1 && got.event == UPEV_SYSCALL_EXIT &&
		   !uprobe_get_registers(child.pid, &regs) && (long)regs.rax == getpid(),
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

/* The thread does not continue with the registers of its event. */
void test_moved(void)
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
	ok(!uprobe_set_registers(child.pid, &regs),
	   "and the registers of the interrupted code, which can be written");
	uprobe_detach(child.pid);
	is_done(&child, 3000);
	u = event(&child, UPEV_CLONE);
	uprobe_register(&u);
	uprobe_arm();
	tell(&child, 'v');
	ok(uprobe_poll(&got, 200) == 0,
	   "a thread that vfork() keeps has not stopped: a timeout is one");
	tell(&child, 'x');
	ok(uprobe_poll(&got, 5000) == 1 && got.event == UPEV_CLONE,
	   "and its event comes when it has");
	uprobe_last_hit(&hit);
	ok(!uprobe_get_registers(child.pid, &regs) && (int)regs.rax == hit.status && hit.status > 0,
	   "with the result of the call");
	uprobe_detach(child.pid);
	ok(is_done(&child, 3000), "and it goes on");
	finish(&child);
}

void test_khandler(void)
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
	ok(is_done(&child, 10000) && uprobe_poll(&got, 0) == 0,
	   "(a) it is called, and the tracee goes on, though the tracer polls");
	ok(uprobe_run_khandler("count", &u, &hits) == 0 && hits.hits == 1000 &&
		   hits.last_time > hits.first_time,
	   "run_khandler: what it has counted");
	u.id = 5;
	u.khandler = "nothing";
	ok(uprobe_register(&u) == -1 && errno == ENOENT && strstr(uprobe_error(), "count") &&
		   strstr(uprobe_error(), "ustack"),
	   "an unknown khandler: ENOENT, and the names that there are");
	u.khandler = NULL;
	uprobe_register(&u);
	uprobe_arm();
	tell(&child, 'p');
	uprobe_poll(&got, 5000);
	good = uprobe_run_khandler("registers", &got, &registers) == 0 && registers.regs.rdi == 21;
	ok(good, "run_khandler for a stopped tracee: registers");
	ok(uprobe_run_khandler("stack", &got, &stack) == 0 && stack.rsp == registers.regs.rsp &&
		   stack.length >= 64,
	   "stack bytes");
	ok(uprobe_run_khandler("ustack", &got, &ustack) == 0 && ustack.depth >= 3 &&
		   ustack.ip[0] == got.where && ustack.ip[1] > (unsigned long)work &&
		   ustack.ip[1] < (unsigned long)work + 0x200,
	   "user stack trace");
	uprobe_poll(&got, 0);
	ok(uprobe_run_khandler("stack", &got, &stack) == -1 && errno == EBUSY,
	   "not of one that runs");
	finish(&child);
}

void test_branches(void)
{
	struct child child = start(work);
	struct uprobe u = at(&child, 6, probed), got;
	struct trawl_kh_branches branches = { 0 };

	u.khandler = "branches";
	uprobe_register(&u);
	tell(&child, 'p');
	is_done(&child, 5000);
	ok(uprobe_run_khandler("branches", &u, &branches) == 0 && branches.hits == 1 &&
		   branches.depth == -1,
	   "last branches: not of a process whose branches are not recorded");
	ok(uprobe_record_branches(child.pid) == 0 && uprobe_record_branches(child.pid) == -1 &&
		   errno == EEXIST,
	   "branches are recorded, once");
	tell(&child, 'm');
	ok(is_done(&child, 20000) && uprobe_run_khandler("branches", &u, &branches) == 0 &&
		   branches.hits == 1001 && branches.depth == TRAWL_KH_BRANCHES,
	   "the last branches at each hit");
	ok(branches.branch[31].to == u.where && branches.branch[31].from > (unsigned long)work &&
		   branches.branch[31].from < (unsigned long)work + 0x200 &&
		   branches.branch[0].to && branches.branch[0].from,
	   "of which the last is the call");
	uprobe_unregister(child.pid, 6);
	u = at(&child, 7, second);
	uprobe_register(&u);
	uprobe_arm();
	tell(&child, 's');
	ok(uprobe_poll(&got, 5000) == 1 && uprobe_run_khandler("branches", &got, &branches) == 0 &&
		   branches.depth > 0 && branches.branch[branches.depth - 1].to == u.where,
	   "the last branches of a stopped tracee");
	finish(&child);
}

/* samples/uprobe/khandler, which must be loaded. */
void test_module(void)
{
	struct child child = start(work);
	struct uprobe u = at(&child, 8, probed);
	struct kh_histogram histogram = { 0 };

	u.khandler = "histogram";
	ok(uprobe_register(&u) == 0, "a khandler of another module");
	tell(&child, 'm');
	ok(is_done(&child, 10000) && uprobe_run_khandler("histogram", &u, &histogram) == 0 &&
		   histogram.hits == 1000 && histogram.slot[0] == 1 && histogram.slot[1] == 1 &&
		   histogram.slot[9] == 256 && histogram.slot[10] == 488,
	   "gathers of each hit what it does");
	ok(syscall(SYS_delete_module, "histogram", O_NONBLOCK) == -1 && errno == EWOULDBLOCK,
	   "and its module stays while it is registered");
	finish(&child);
}
