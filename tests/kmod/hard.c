// SPDX-License-Identifier: MIT
/*
 * hard SCENE: actions of programs that a tracer using the trap flag may disturb. Checks that the
 * tracer is not visible, prints the result, and does the same every time.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <linux/hw_breakpoint.h>
#include <linux/perf_event.h>
#include <pthread.h>
#include <sched.h>
#include <setjmp.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <ucontext.h>
#include <unistd.h>

#define TF 0x100ul

static volatile sig_atomic_t handled, flagged;
static sigjmp_buf escape;

static unsigned long flags_now(void)
{
	unsigned long f;

	__asm__ volatile("pushf\n\tpop %0" : "=r"(f)::"memory");
	return f;
}

static void on_signal(int signal, siginfo_t *info, void *context)
{
	ucontext_t *c = context;

	(void)info;
	handled++;
	if ((c->uc_mcontext.gregs[REG_EFL] | c->uc_mcontext.gregs[REG_R11] | flags_now()) & TF)
		flagged++;
	if (signal == SIGILL)
		c->uc_mcontext.gregs[REG_RIP] += 2;
	if (signal == SIGUSR2 && handled < 100)
		raise(SIGUSR1);
	if (signal == SIGALRM || signal == SIGSEGV)
		siglongjmp(escape, 1);
}

static void catch(int signal, int flags)
{
	struct sigaction a = { .sa_sigaction = on_signal, .sa_flags = SA_SIGINFO | flags };

	sigaction(signal, &a, NULL);
}

static int signals(void)
{
	static char stack[65536];
	stack_t alternate = { .ss_sp = stack, .ss_size = sizeof(stack) };
	int i;

	sigaltstack(&alternate, NULL);
	catch(SIGUSR1, 0);
	catch(SIGUSR2, SA_ONSTACK | SA_RESTART);
	catch(SIGILL, SA_ONSTACK);
	catch(SIGALRM, SA_NODEFER);
	for (i = 0; i < 10; i++) {
		raise(SIGUSR1);
		raise(SIGUSR2);
		__asm__ volatile("ud2");
		if (!sigsetjmp(escape, 1))
			raise(SIGALRM);
	}
	raise(SIGCHLD); /* ignored */
	printf("handled %d, flagged %d\n", handled, flagged);
	return flagged;
}

static void nothing(int signal)
{
	(void)signal;
	handled++;
}

/*
 * A signal that arrives between a check and pause() would be missed, so it is blocked except while
 * the task sleeps.
 */
static void wait_handled(int signal, int count)
{
	sigset_t blocked, before;

	sigemptyset(&blocked);
	sigaddset(&blocked, signal);
	sigprocmask(SIG_BLOCK, &blocked, &before);
	while (handled < count)
		sigsuspend(&before);
	sigprocmask(SIG_SETMASK, &before, NULL);
}

/* System calls interrupted by signals: restarted, or not. */
static int restarts(void)
{
	struct sigaction again = { .sa_handler = nothing, .sa_flags = SA_RESTART },
			 once = { .sa_handler = nothing };
	struct itimerval soon = { .it_value.tv_usec = 20000 };
	int pipes[2], interrupted;
	char c = 0;

	if (pipe(pipes))
		return 1;
	sigaction(SIGALRM, &again, NULL);
	setitimer(ITIMER_REAL, &soon, NULL);
	if (!fork()) {
		usleep(100000);
		_exit(write(pipes[1], "x", 1) != 1);
	}
	interrupted = read(pipes[0], &c, 1);
	sigaction(SIGALRM, &once, NULL);
	setitimer(ITIMER_REAL, &soon, NULL);
	wait(NULL);
	wait(NULL);
	wait_handled(SIGALRM, 2);
	printf("read %d '%c', handled %d\n", interrupted, c, handled);
	return 0;
}

/* The program single-steps itself. */
static void on_trap(int signal, siginfo_t *info, void *context)
{
	ucontext_t *c = context;

	(void)signal;
	(void)info;
	if (!(c->uc_mcontext.gregs[REG_EFL] & TF) || flags_now() & TF)
		flagged++;
	if (++handled == 20)
		c->uc_mcontext.gregs[REG_EFL] &= ~TF;
}

static int trapflag(void)
{
	struct sigaction a = { .sa_sigaction = on_trap, .sa_flags = SA_SIGINFO };
	int i, pushed = 0;

	sigaction(SIGTRAP, &a, NULL);
	for (i = 0; i < 3; i++) {
		handled = 0;
		__asm__ volatile("pushf\n\torq $0x100,(%%rsp)\n\tpopf\n\tnop\n\tpushf\n\tpop "
				 "%%rax\n\tshr $8,%%eax\n\tand $1,%%eax\n\tadd %%eax,%0\n\tmov "
				 "$30,%%ecx\n1:\tloop 1b"
				 : "+r"(pushed)::"rax", "rcx", "cc", "memory");
		printf("stepped %d\n", handled);
	}
	printf("pushed %d, flagged %d\n", pushed, flagged);
	return flagged;
}

static int breakpoints(void)
{
	int i;

	signal(SIGTRAP, nothing);
	for (i = 0; i < 5; i++)
		__asm__ volatile("int3\n\t.byte 0xf1");
	printf("handled %d\n", handled);
	return 0;
}

static void *sum(void *p)
{
	unsigned long i, *n = p;

	for (i = 0; i < 2000; i++)
		*n = *n * 31 + (i & 7 ? i : i / 3);
	return NULL;
}

static int threads(void)
{
	unsigned long n[8];
	pthread_t t[8];
	int i;

	for (i = 0; i < 8; i++) {
		n[i] = i;
		pthread_create(&t[i], NULL, sum, &n[i]);
	}
	for (i = 0; i < 8; i++) {
		pthread_join(t[i], NULL);
		printf("%lx\n", n[i]);
	}
	return 0;
}

/* A child in whose system call r11 is visible. */
static long fork_by_hand(void)
{
	unsigned long r11;
	long pid = SYS_fork;

	__asm__ volatile("syscall\n\tmov %%r11,%1" : "+a"(pid), "=r"(r11)::"rcx", "r11", "memory");
	if (r11 & TF)
		printf("r11 has a trap flag\n");
	return pid;
}

static int run_clone(void *unused)
{
	(void)unused;
	return flags_now() & TF ? 9 : 5;
}

static int children(void)
{
	static char stack[16384];
	int status, i;
	long pid;

	fflush(stdout);
	for (i = 0; i < 3; i++) {
		pid = fork_by_hand();
		if (!pid)
			_exit(i + (flags_now() & TF ? 100 : 0));
		waitpid(pid, &status, 0);
		printf("child %d\n", WEXITSTATUS(status));
	}
	pid = vfork();
	if (!pid)
		_exit(3);
	waitpid(pid, &status, 0);
	printf("vfork %d\n", WEXITSTATUS(status));
	pid = clone(run_clone, stack + sizeof(stack), SIGCHLD | CLONE_VM, NULL);
	waitpid(pid, &status, 0);
	printf("clone %d\n", WEXITSTATUS(status));
	return 0;
}

static int execs(void)
{
	fflush(stdout);
	execl("/proc/self/exe", "hard", "execed", NULL);
	return 1;
}

static void *exec_in_thread(void *unused)
{
	(void)unused;
	execs();
	return NULL;
}

static int thread_execs(void)
{
	pthread_t t;

	pthread_create(&t, NULL, exec_in_thread, NULL);
	for (;;)
		pause();
	return 0;
}

static void *spin(void *unused)
{
	(void)unused;
	for (;;)
		sched_yield();
	return NULL;
}

/* The process ends while its threads run. */
static int exits(void)
{
	pthread_t t;
	int i;

	for (i = 0; i < 4; i++)
		pthread_create(&t, NULL, spin, NULL);
	usleep(10000);
	printf("exits\n");
	fflush(stdout);
	_exit(7);
}

static int dies(void)
{
	printf("dies\n");
	fflush(stdout);
	*(volatile int *)8 = 1;
	return 0;
}

/* Code that is generated, run and changed. */
static int jit(void)
{
	unsigned char *code = mmap(NULL, 4096, PROT_READ | PROT_WRITE | PROT_EXEC,
				   MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	int i, total = 0;

	for (i = 0; i < 50; i++) {
		memcpy(code, "\xb8\0\0\0\0\xeb\x01\x0f\xc3", 9); /* mov $i,%eax; jmp over; ret */
		code[1] = i;
		total += ((int (*)(void))code)();
	}
	munmap(code, 4096);
	printf("total %d\n", total);
	return 0;
}

/* time(2) at its old fixed address, where the kernel executes it. */
static int vsyscalls(void)
{
	long (*old_time)(long *) = (void *)0xffffffffff600400;
	long now = old_time(NULL);

	printf("%s\n", now > 1000000 ? "time" : "no time");
	return 0;
}

/* A call to an address of that page that is none of the old ones is a fault, not a call. */
static int wild_vsyscalls(void)
{
	long (*none)(long *) = (void *)0xffffffffff600404;

	catch(SIGSEGV, SA_NODEFER);
	if (!sigsetjmp(escape, 1))
		printf("returned %ld\n", none(NULL));
	printf("handled %d, flagged %d\n", handled, flagged);
	return flagged;
}

/* Its parent single-stepped it: no other tracer is visible. */
static int debugger(void)
{
	struct user_regs_struct r;
	unsigned long steps = 0, flags = 0, backward = 0, before = 0;
	pid_t pid;
	int status;

	fflush(stdout);
	pid = fork();
	if (!pid) {
		unsigned long n = 3;

		ptrace(PTRACE_TRACEME, 0, 0, 0);
		raise(SIGSTOP);
		sum(&n);
		__asm__ volatile("int3");
		sum(&n);
		_exit(n & 127);
	}
	waitpid(pid, &status, 0);
	while (steps < 300) {
		ptrace(PTRACE_SINGLESTEP, pid, 0, 0);
		waitpid(pid, &status, 0);
		ptrace(PTRACE_GETREGS, pid, 0, &r);
		if (!WIFSTOPPED(status) || WSTOPSIG(status) != SIGTRAP) {
			printf("step %lu: status %x\n", steps, status);
			return 1;
		}
		steps++;
		flags += !!(r.eflags & TF);
		backward += r.rip < before;
		before = r.rip;
	}
	ptrace(PTRACE_CONT, pid, 0, 0);
	waitpid(pid, &status, 0);
	ptrace(PTRACE_GETREGS, pid, 0, &r);
	flags += !!(r.eflags & TF);
	printf("stop %x at %lx\n", status, (unsigned long)r.rip & 0xfff);
	ptrace(PTRACE_SYSCALL, pid, 0, 0);
	waitpid(pid, &status, 0);
	ptrace(PTRACE_GETREGS, pid, 0, &r);
	printf("call %lld\n", (long long)r.orig_rax);
	ptrace(PTRACE_DETACH, pid, 0, 0);
	waitpid(pid, &status, 0);
	printf("steps %lu, backward %lu, flags %lu, status %x\n", steps, backward, flags, status);
	return 0;
}

static __attribute__((noinline)) void watched(void)
{
	__asm__ volatile("" ::: "memory");
}

/* Counts calls by a hardware breakpoint of perf, which the program does not notice. */
static int hardware_breakpoints(void)
{
	struct perf_event_attr a = { .type = PERF_TYPE_BREAKPOINT, .size = sizeof(a),
				     .bp_type = HW_BREAKPOINT_X, .bp_addr = (unsigned long)watched,
				     .bp_len = sizeof(long), .exclude_kernel = 1 };
	unsigned long hits = 0;
	int fd = (int)syscall(SYS_perf_event_open, &a, 0, -1, -1, 0), i;

	if (fd < 0) {
		perror("perf_event_open");
		return 1;
	}
	catch(SIGTRAP, 0);
	for (i = 0; i < 100; i++)
		watched();
	if (read(fd, &hits, sizeof(hits)) != sizeof(hits))
		perror("read");
	close(fd);
	/* The debug register still has the address. */
	for (i = 0; i < 100; i++)
		watched();
	printf("hits %lu, signals %d\n", hits, (int)handled);
	return hits != 100 || handled;
}

static const struct {
	const char *name;
	int (*run)(void);
} scenes[] = {
	{ "signals", signals },	  { "restarts", restarts },
	{ "trapflag", trapflag }, { "breakpoints", breakpoints },
	{ "threads", threads },	  { "children", children },
	{ "execs", execs },	  { "thread_execs", thread_execs },
	{ "exits", exits },	  { "dies", dies },
	{ "jit", jit },		  { "vsyscalls", vsyscalls },
	{ "debugger", debugger }, { "hardware_breakpoints", hardware_breakpoints },
	{ "wild_vsyscalls", wild_vsyscalls },
};

int main(int argc, char **argv)
{
	size_t i;

	if (argc == 2 && !strcmp(argv[1], "execed")) {
		printf("execed, flags %lx\n", flags_now() & TF);
		return 4;
	}
	for (i = 0; argc == 2 && i < sizeof(scenes) / sizeof(*scenes); i++)
		if (!strcmp(argv[1], scenes[i].name))
			return scenes[i].run();
	for (i = 0; i < sizeof(scenes) / sizeof(*scenes); i++)
		puts(scenes[i].name);
	return 2;
}
