/* SPDX-License-Identifier: MIT */
#include "config.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/user.h>
#include <sys/wait.h>

#include "capture/branch/popflags.h"
#include "capture/branch/tracer.h"
#include "capture/sys/clock.h"
#include "capture/sys/proc.h"

enum {
	OPTIONS = PTRACE_O_TRACECLONE | PTRACE_O_TRACEFORK | PTRACE_O_TRACEVFORK |
		  PTRACE_O_TRACEEXEC,
	CODE_32 = 0x23,        /* code segment selector of 32-bit code */
	POPFS_MOST = 16,       /* that are executed one after the other */
	PENDING_MOST = 32,     /* pending signals that are inspected */
	DETACH_NS = 1000000000, /* tasks that have not stopped by then sleep uninterruptibly */
};

/* ---- the tasks --------------------------------------------------------------------------- */

static struct tracee **place_of(struct tracer *t, pid_t tid)
{
	struct tracee **at = &t->tracees[(unsigned int)tid % TRACER_BUCKETS];

	while (*at && (*at)->tid != tid)
		at = &(*at)->next;
	return at;
}

/* Returns a new tracee, of a known process; NULL: memory ran out. */
static struct tracee *add_tracee(struct tracer *t, pid_t tid, pid_t pid)
{
	struct tracee *e = calloc(1, sizeof(*e));

	if (!e)
		return NULL;
	e->tid = tid;
	e->pid = pid;
	*place_of(t, tid) = e;
	t->n++;
	return e;
}

/*
 * Returns the tracee, a new one if it is unknown: a child may stop before its parent's fork event.
 * NULL: memory ran out, or its process cannot be looked up.
 */
static struct tracee *tracee_of(struct tracer *t, pid_t tid)
{
	struct tracee *e = *place_of(t, tid);
	pid_t pid = e ? e->pid : proc_process(tid);

	return e || !pid ? e : add_tracee(t, tid, pid);
}

static void drop(struct tracer *t, pid_t tid)
{
	struct tracee **at = place_of(t, tid), *gone = *at;

	if (!gone)
		return;
	*at = gone->next;
	free(gone);
	t->n--;
}

void tracer_free(struct tracer *t)
{
	for (size_t i = 0; i < TRACER_BUCKETS; i++) {
		while (t->tracees[i])
			drop(t, t->tracees[i]->tid);
	}
	code_cache_free(&t->cache);
	branch_queue_free(&t->queue);
}

/* ---- events for the session -------------------------------------------------------------- */

static void put_maps(struct tracer *t, const struct tracee *e)
{
	struct branch_event ev = { .kind = BRANCH_EVENT_MAPS, .tid = e->tid, .pid = e->pid,
				   .time = mono_now(), .maps = code_mapped(&t->cache, e->pid) };

	if (ev.maps)
		branch_queue_put_wait(&t->queue, &ev);
}

static void put_mark(struct tracer *t, const struct tracee *e, enum branch_mark_kind mark,
		      uint64_t count)
{
	struct branch_event ev = { .kind = BRANCH_EVENT_MARK, .tid = e->tid, .pid = e->pid,
				   .time = mono_now(), .mark = mark, .count = count };

	branch_queue_put(&t->queue, &ev);
}

static void put_task(struct tracer *t, struct tracee *e, enum branch_event_kind kind)
{
	struct branch_event ev = { .kind = kind, .tid = e->tid, .pid = e->pid,
				   .time = mono_now() };

	branch_queue_put_wait(&t->queue, &ev);
	put_maps(t, e);
	if (!e->announced)
		put_mark(t, e, BRANCH_MARK_START, 0);
	e->announced = true;
}

static void put_name(struct tracer *t, const struct tracee *e)
{
	struct branch_event ev = { .kind = BRANCH_EVENT_NAME, .tid = e->tid, .pid = e->pid,
				   .time = mono_now() };

	branch_queue_put_wait(&t->queue, &ev);
}

static void put_branch(struct tracer *t, const struct tracee *e, const struct branch *b)
{
	struct branch_event ev = { .kind = BRANCH_EVENT_BRANCH, .tid = e->tid, .pid = e->pid,
				   .time = mono_now(), .branch = *b };

	branch_queue_put(&t->queue, &ev);
}

static void put_exit(struct tracer *t, const struct tracee *e, int status)
{
	struct branch_event ev = { .kind = BRANCH_EVENT_EXIT, .tid = e->tid, .pid = e->pid,
				   .time = mono_now(), .status = status };

	branch_queue_put_wait(&t->queue, &ev);
}

/* ---- one stop ---------------------------------------------------------------------------- */

static struct branch_regs regs_of(const struct user_regs_struct *u)
{
	return (struct branch_regs){ .rip = u->rip, .rcx = u->rcx,
				     .flags = u->eflags, .compat = u->cs == CODE_32 };
}

/* Whether the system call may change executable mappings; 32-bit calls have other numbers. */
static bool changes_maps(const struct step *s)
{
	static const uint16_t calls[] = { 9, 10, 11, 25, 30, 67, 216, 329 };
	static const uint16_t calls_32[] = { 90, 91, 117, 125, 163, 192, 380 };
	bool narrow = step_call_is_32bit(s);
	const uint16_t *list = narrow ? calls_32 : calls;
	size_t n = narrow ? sizeof(calls_32) / 2 : sizeof(calls) / 2;

	for (size_t i = 0; i < n; i++) {
		if (s->call == list[i])
			return true;
	}
	return false;
}

/*
 * Clears the tracer's trap flag in the flags that pushf stored or that the instruction syscall
 * copied to r11. A signal may have come first, whose frame is then at the stack pointer; and after
 * rt_sigreturn r11 is the program's own: only `syscall` leaves its return address in rcx.
 */
static void hide_trap_flag(const struct tracee *e, struct user_regs_struct *u)
{
	uint64_t flag = u->rsp + 1, at = flag & ~7ull; /* bit 0 of that byte; its word */
	long word;

	if (e->step.insn.pushes_flags && u->rip == e->step.before.rip + e->step.insn.length) {
		errno = 0;
		word = ptrace(PTRACE_PEEKDATA, e->tid, at, 0);
		if (!errno)
			ptrace(PTRACE_POKEDATA, e->tid, at,
			       word & ~(1l << 8 * (flag & 7)));
	}
	if (e->step.insn.kind == BRANCH_SYSCALL && u->rcx == u->rip && u->r11 & TRAP_FLAG)
		ptrace(PTRACE_POKEUSER, e->tid, offsetof(struct user_regs_struct, r11),
		       u->r11 & ~(uint64_t)TRAP_FLAG);
}

static void begin_step(struct tracer *t, struct tracee *e, const struct user_regs_struct *u)
{
	struct branch_regs now = regs_of(u);

	e->step = (struct step){ .before = now, .call = u->rax,
				 .insn = code_at(&t->cache, e->tid, e->pid, now.rip, now.compat) };
	e->known = true;
}

/*
 * Notes whether the kernel takes the tracer's trap flag for the task's own since the last step: it
 * was one over a popf or iret, and the flags that it set have none; or a signal came before it.
 */
static void note_flag(struct tracee *e, const struct user_regs_struct *u, enum step_how how)
{
	bool sets = e->known && (e->step.insn.pops_flags || e->step.insn.returns_flags);
	bool before = e->flagged || (sets && !(e->step.before.flags & TRAP_FLAG));

	if (how == STEP_SIGNAL && before && u->cs != CODE_32)
		popflags_hide_in_frame(e->tid, u);
	if (how == STEP_SIGNAL) /* a handler has none; the end of a 32-bit one brings it back */
		e->flagged = before && u->cs == CODE_32;
	else if (sets && u->rip == e->step.before.rip)
		e->flagged = before;
	else if (sets)
		e->flagged = !(u->eflags & TRAP_FLAG);
}

/*
 * Sets the begin of a step to the following instruction: the one where it began is no branch, and
 * caused no trap.
 */
static void move_begin(struct tracer *t, struct tracee *e)
{
	struct step *s = &e->step;

	s->before.rip += s->insn.length;
	s->insn = code_at(&t->cache, e->tid, e->pid, s->before.rip, s->before.compat);
}

/*
 * Called when the task has stopped: emits the branch of the last step, executes the popf that
 * follow, and reads the next instruction.
 */
static void take_stop(struct tracer *t, struct tracee *e, enum step_how how)
{
	struct user_regs_struct u;
	struct branch_regs now;
	struct branch b;

	if (ptrace(PTRACE_GETREGS, e->tid, 0, &u)) {
		e->known = false;
		return;
	}
	now = regs_of(&u);
	if (e->known && how == STEP_TRAP && e->step.insn.holds_trap &&
	    now.rip != e->step.before.rip + e->step.insn.length)
		move_begin(t, e);
	if (e->known && step_branch(&e->step, &now, how, &b)) {
		put_branch(t, e, &b);
		if (e->step.insn.kind == BRANCH_SYSCALL && changes_maps(&e->step))
			put_maps(t, e);
		/* prctl(), which can set the thread's name */
		if (e->step.insn.kind == BRANCH_SYSCALL &&
		    e->step.call == (step_call_is_32bit(&e->step) ? 172 : 157))
			put_name(t, e);
	}
	if (e->known && how != STEP_SIGNAL && now.rip != e->step.before.rip)
		hide_trap_flag(e, &u);
	note_flag(e, &u, how);
	begin_step(t, e, &u);
	for (int i = 0; i < POPFS_MOST && how == STEP_TRAP; i++) {
		if (!popflags_execute(e->tid, &e->step.insn, &u))
			break;
		begin_step(t, e, &u);
	}
}

/* Ignores failures: waitpid() will report a task that has ended. */
static void step(struct tracee *e, int sig)
{
	e->stepped = true;
	ptrace(PTRACE_SINGLESTEP, e->tid, 0, sig);
}

static void run_free(struct tracee *e, int sig)
{
	ptrace(PTRACE_CONT, e->tid, 0, sig);
}

/* Whether the task runs without being stepped until its exec. */
static bool is_waiting(const struct tracer *t, const struct tracee *e)
{
	return t->command == e->pid;
}

/* A thread that calls exec gets the thread group ID. */
static void on_exec(struct tracer *t, struct tracee *e)
{
	unsigned long former = 0;
	struct branch b = { .kind = BRANCH_EXEC };

	ptrace(PTRACE_GETEVENTMSG, e->tid, 0, &former);
	if (former && (pid_t)former != e->tid)
		drop(t, (pid_t)former);
	if (t->command == e->pid)
		t->command = 0;
	e->known = false;
	e->step = (struct step){ 0 };
	put_task(t, e, BRANCH_EVENT_EXEC);
	take_stop(t, e, STEP_OTHER);
	b.to = e->step.before.rip;
	put_branch(t, e, &b);
}

static bool stops_group(int sig)
{
	return sig == SIGSTOP || sig == SIGTSTP || sig == SIGTTIN || sig == SIGTTOU;
}

/* A task has a child, which has its flags. */
static void pass_flag(struct tracer *t, const struct tracee *e)
{
	unsigned long child;
	struct tracee *c = ptrace(PTRACE_GETEVENTMSG, e->tid, 0, &child) ? NULL :
			   tracee_of(t, (pid_t)child);

	if (c)
		c->flagged = true;
}

static void on_event(struct tracer *t, struct tracee *e, int event, int sig)
{
	if (event == PTRACE_EVENT_STOP && stops_group(sig)) {
		ptrace(PTRACE_LISTEN, e->tid, 0, 0);
		return;
	}
	if (event == PTRACE_EVENT_EXEC) {
		on_exec(t, e);
		step(e, 0);
		return;
	}
	if (is_waiting(t, e)) {
		run_free(e, 0);
		return;
	}
	if (!e->announced)
		put_task(t, e, BRANCH_EVENT_TASK);
	take_stop(t, e, STEP_OTHER);
	if (e->flagged && event != PTRACE_EVENT_STOP)
		pass_flag(t, e);
	step(e, 0);
}

enum trap {
	TRAP_STEP,    /* debug exception after a single step */
	TRAP_OTHER,
	TRAP_OWN,     /* the program raised SIGTRAP */
	TRAP_UPROBE,  /* the kernel stepped an instruction that has a uprobe */
	TRAP_HANDLER, /* a signal's handler is about to begin */
};

/* Whether memory has a breakpoint where the last step began. */
static bool began_at_breakpoint(const struct tracee *e)
{
	long word;

	errno = 0;
	word = e->known ? ptrace(PTRACE_PEEKTEXT, e->tid, e->step.before.rip, 0) : 0;
	return e->known && !errno && (word & 0xff) == BRANCH_BREAKPOINT;
}

static enum trap trap_of(const struct tracee *e)
{
	siginfo_t info = { 0 };

	if (ptrace(PTRACE_GETSIGINFO, e->tid, 0, &info))
		return TRAP_OTHER;
	/*
	 * After stepping an instruction with a uprobe the kernel sends a SIGTRAP that looks as if
	 * the program had sent it. A program's own int3 has another si_code.
	 */
	if (info.si_code == SI_USER && began_at_breakpoint(e))
		return TRAP_UPROBE;
	if (info.si_code == SI_USER || info.si_code == SI_TKILL || info.si_code == SI_QUEUE ||
	    (info.si_code == SI_KERNEL && e->step.insn.traps))
		return TRAP_OWN;
	if (info.si_code == SIGTRAP) /* of the kernel's ptrace_notify(), as for no other trap */
		return TRAP_HANDLER;
	return info.si_code == TRAP_TRACE ? TRAP_STEP : TRAP_OTHER;
}

/*
 * The kernel emulated an instruction with a uprobe, and the step was that of the following one:
 * sets the begin of the step to that. The target of an emulated branch is unknown.
 */
static void skip_emulated(struct tracer *t, struct tracee *e)
{
	if (e->step.insn.kind != BRANCH_UNKNOWN) {
		put_mark(t, e, BRANCH_MARK_LOST, 0);
		e->known = false;
		return;
	}
	move_begin(t, e);
}

static void on_trap(struct tracer *t, struct tracee *e)
{
	enum trap trap = trap_of(e);

	if (trap == TRAP_OWN) {
		take_stop(t, e, STEP_OTHER);
		step(e, SIGTRAP);
		return;
	}
	if (trap == TRAP_STEP && e->known && e->step.insn.probed)
		skip_emulated(t, e);
	if (trap == TRAP_UPROBE && e->step.insn.traps) {
		/* The emulated instruction is unknown, because its file cannot be read. */
		put_mark(t, e, BRANCH_MARK_LOST, 0);
		e->known = false;
	}
	take_stop(t, e, trap == TRAP_HANDLER ? STEP_SIGNAL : trap == TRAP_OTHER ? STEP_OTHER :
										  STEP_TRAP);
	step(e, 0);
}

static void on_stop(struct tracer *t, struct tracee *e, int status)
{
	int sig = WSTOPSIG(status), event = status >> 16;

	if (event) {
		on_event(t, e, event, sig);
		return;
	}
	if (is_waiting(t, e)) {
		run_free(e, sig);
		return;
	}
	if (sig == SIGTRAP) {
		on_trap(t, e);
		return;
	}
	take_stop(t, e, STEP_OTHER);
	step(e, sig);
}

/* ---- the thread -------------------------------------------------------------------------- */

struct attaching {
	struct tracer *t;
	pid_t pid; /* the process */
	pid_t failed;
	int why;
};

static void seize(void *arg, pid_t tid)
{
	struct attaching *a = arg;

	if (*place_of(a->t, tid))
		return;
	if (!ptrace(PTRACE_SEIZE, tid, 0, OPTIONS) && add_tracee(a->t, tid, a->pid))
		return;
	if (errno != ESRCH && !a->failed) {
		a->failed = tid;
		a->why = errno;
	}
}

static int cannot(pid_t tid, int why, struct trawl_error *err)
{
	pid_t other = proc_tracer(tid);

	if (why == ENOMEM)
		return trawl_fail(err, TRAWL_CANNOT, "-p %d: cannot be traced: out of memory; end "
						     "other programs", tid);
	if (other)
		return trawl_fail(err, TRAWL_CANNOT,
				  "-p %d: is already traced by process %d, perhaps a debugger; "
				  "end that first",
				  tid, other);
	return trawl_fail(err, TRAWL_CANNOT, "-p %d: cannot be traced: %s; %s", tid, strerror(why),
			  geteuid() ? "run as its user or root, and check kernel.yama.ptrace_scope"
				    : "it has capabilities that trawl lacks here, or a security module "
				      "such as Yama (kernel.yama.ptrace_scope) forbids it");
}

/* Repeats until no new thread is found: threads may start others meanwhile. */
static bool seize_process(struct attaching *a, pid_t pid)
{
	size_t before;

	a->pid = pid;
	do {
		before = a->t->n;
		if (!threads_each(pid, seize, a))
			return a->t->n > 0;
	} while (a->t->n != before && !a->failed);
	return true;
}

int tracer_attach(struct tracer *t, const struct branch_scope *scope, struct trawl_error *err)
{
	struct attaching a = { .t = t };

	for (size_t i = 0; i < scope->n; i++) {
		/* one of several that has ended is just not recorded */
		if (!seize_process(&a, scope->pids[i]) && i + 1 == scope->n && !t->n)
			return trawl_fail(err, TRAWL_CANNOT, "-p %d: has ended", scope->pids[i]);
		if (a.failed)
			return cannot(a.failed, a.why, err);
	}
	t->command = scope->command ? scope->pids[0] : 0;
	return 0;
}

void tracer_begin(struct tracer *t)
{
	for (size_t i = 0; i < TRACER_BUCKETS; i++) {
		for (struct tracee *e = t->tracees[i]; e; e = e->next) {
			if (!is_waiting(t, e))
				ptrace(PTRACE_INTERRUPT, e->tid, 0, 0);
		}
	}
}

static void on_end(struct tracer *t, pid_t tid, int status)
{
	struct tracee *e = *place_of(t, tid);

	if (e)
		put_exit(t, e, e->tid == e->pid ? status : -1);
	drop(t, tid);
}

/*
 * Whether the SIGTRAP of the last step is still pending after a stop by PTRACE_INTERRUPT. It would
 * kill the task once that is detached.
 */
static bool trap_waits(pid_t tid)
{
	struct __ptrace_peeksiginfo_args which = { .nr = PENDING_MOST };
	siginfo_t pending[PENDING_MOST];
	long n = ptrace(PTRACE_PEEKSIGINFO, tid, &which, pending);

	for (long i = 0; i < n; i++) {
		if (pending[i].si_signo == SIGTRAP &&
		    (pending[i].si_code == TRAP_TRACE || pending[i].si_code == TRAP_BRKPT))
			return true;
	}
	return false;
}

/* Clears the trap flag that the kernel would leave to the task. */
static void clear_flag(const struct tracee *e)
{
	struct user_regs_struct u;

	if (!ptrace(PTRACE_GETREGS, e->tid, 0, &u))
		ptrace(PTRACE_POKEUSER, e->tid, offsetof(struct user_regs_struct, eflags),
		       u.eflags & ~(uint64_t)TRAP_FLAG);
}

/* Detaches a stopped task, with the signal that it stopped for. */
static void detach_task(struct tracer *t, pid_t tid, int status)
{
	int sig = WSTOPSIG(status), event = status >> 16;
	struct tracee *e = *place_of(t, tid);
	enum trap trap = TRAP_OTHER;

	if (event && !stops_group(sig) && trap_waits(tid)) {
		ptrace(PTRACE_CONT, tid, 0, 0); /* up to that trap */
		return;
	}
	if (e && !event && sig == SIGTRAP)
		trap = trap_of(e);
	if (e && e->known && !event)
		take_stop(t, e, trap == TRAP_HANDLER ? STEP_SIGNAL : STEP_OTHER);
	if (e && e->flagged)
		clear_flag(e);
	ptrace(PTRACE_DETACH, tid, 0,
	       event || (sig == SIGTRAP && trap != TRAP_OWN) ? 0 : sig);
	drop(t, tid);
}

/*
 * Forgets tasks that were never stepped: the end of the thread detaches them, and they run on.
 * Returns one of the others; 0 if there is none.
 */
static pid_t drop_unstepped(struct tracer *t)
{
	pid_t stuck = 0;

	for (size_t i = 0; i < TRACER_BUCKETS; i++) {
		for (struct tracee *e = t->tracees[i], *next; e; e = next) {
			next = e->next;
			if (e->stepped)
				stuck = e->tid;
			else
				drop(t, e->tid);
		}
	}
	return stuck;
}

/*
 * Waits until all tasks are detached. close_state() and over() interrupt its waitpid() repeatedly.
 */
static void detach_all(struct tracer *t)
{
	uint64_t patience = mono_now() + DETACH_NS;
	int status;
	pid_t tid;

	for (size_t i = 0; i < TRACER_BUCKETS; i++) {
		for (struct tracee *e = t->tracees[i]; e; e = e->next)
			ptrace(PTRACE_INTERRUPT, e->tid, 0, 0);
	}
	while (t->n) {
		tid = waitpid(-1, &status, __WALL | __WNOTHREAD);
		if (tid < 0 && errno == EINTR) {
			if (mono_now() > patience)
				atomic_store(&t->stuck, drop_unstepped(t));
			continue;
		}
		if (tid < 0)
			return;
		if (WIFSTOPPED(status))
			detach_task(t, tid, status);
		else
			on_end(t, tid, status);
	}
}

/* Lets a new task run without being recorded, and marks that all of it is missing. */
static void leave_out(struct tracer *t, pid_t tid)
{
	const struct tracee unknown = { .tid = tid, .pid = tid };

	put_mark(t, &unknown, BRANCH_MARK_LOST, 0);
	ptrace(PTRACE_DETACH, tid, 0, 0);
}

void tracer_run(struct tracer *t)
{
	while (!atomic_load(&t->stop)) {
		int status;
		pid_t tid = waitpid(-1, &status, __WALL | __WNOTHREAD);
		struct tracee *e;

		if (tid < 0 && errno == EINTR)
			continue;
		if (tid < 0)
			return;
		if (!WIFSTOPPED(status)) {
			on_end(t, tid, status);
			continue;
		}
		e = tracee_of(t, tid);
		if (e)
			on_stop(t, e, status);
		else
			leave_out(t, tid);
	}
	detach_all(t);
}
