// SPDX-License-Identifier: MIT
/* The functions of trawl-uprobe.h: requests to /dev/trawl and the events that come back. */
#include "uprobe/trawl-uprobe.h"
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/uio.h>
#include <unistd.h>
#include "kmod/trawl_uapi.h"
#include "kmod/trawl_uprobe.h"
#include "uprobe/boundary.h"
#include "uprobe/function.h"
#include "uprobe/mapping.h"

#define DEVICE "/dev/trawl"
#define NAMES_MAX 4096

/* State of a thread that has called one of these functions. */
struct tracer {
	int fd;
	bool several, every;
	/* pointers that check_out() found writable, by enum writer */
	const void *writable[2];
	struct uprobe_hit hit;
	/*
	 * The registers of thread hit.tid as the latest POLL returned them. size is 0 if there are
	 * none, or if they have been written since.
	 */
	struct trawl_uprobe_regs regs;
	char error[512];
};

static pthread_key_t key;
static pthread_once_t once = PTHREAD_ONCE_INIT;
static __thread struct tracer *mine;

static void tracer_end(void *tracer)
{
	close(((struct tracer *)tracer)->fd);
	free(tracer);
}

/* After fork() the child has a copy of the descriptor, but its parent's tracees are not its own. */
static void in_child(void)
{
	if (mine) {
		pthread_setspecific(key, NULL);
		tracer_end(mine);
		mine = NULL;
	}
}

static void begin(void)
{
	pthread_key_create(&key, tracer_end);
	pthread_atfork(NULL, NULL, in_child);
}

static int fail(const char *format, ...)
{
	int error = errno;
	va_list args;

	if (mine) {
		va_start(args, format);
		vsnprintf(mine->error, sizeof(mine->error), format, args);
		va_end(args);
	}
	errno = error;
	return -1;
}

static __thread char open_error[128];

static struct tracer *tracer_get(void)
{
	struct tracer *tracer = mine;

	if (tracer)
		return tracer;
	pthread_once(&once, begin);
	tracer = calloc(1, sizeof(*tracer));
	if (!tracer)
		return NULL;
	tracer->fd = open(DEVICE, O_RDWR | O_CLOEXEC);
	if (tracer->fd < 0) {
		snprintf(open_error, sizeof(open_error), DEVICE ": %s; %s", strerror(errno),
			 errno == ENOENT ? "load the module: modprobe trawl"
					 : "it takes root or CAP_PERFMON");
		free(tracer);
		return NULL;
	}
	mine = tracer;
	pthread_setspecific(key, tracer);
	return tracer;
}

const char *uprobe_error(void)
{
	return mine ? mine->error : open_error;
}

/*
 * Copies `size` bytes between the caller's memory and our own by process_vm_readv(2) or
 * process_vm_writev(2), so that a bad pointer gives EFAULT instead of SIGSEGV.
 */
static int copy(bool in, void *ours, const void *theirs, size_t size)
{
	struct iovec local = { ours, size }, remote = { (void *)theirs, size };
	ssize_t n = in ? process_vm_readv(getpid(), &local, 1, &remote, 1, 0) :
			 process_vm_writev(getpid(), &local, 1, &remote, 1, 0);

	if (n == (ssize_t)size)
		return 0;
	/* A seccomp filter may forbid the call: the pointer is then used unchecked. */
	if (n < 0 && errno != EFAULT && theirs) {
		memcpy(in ? ours : (void *)theirs, in ? theirs : ours, size);
		return 0;
	}
	errno = EFAULT;
	return fail("%p: %zu bytes cannot be %s there", theirs, size,
		    in ? "read" : "written");
}

enum writer { EVENT, REGISTERS };

/*
 * Checks, before a request is made, that its result can be stored at `theirs`. The latest pointer
 * that passed is remembered, as callers mostly pass the same one again.
 */
static int check_out(struct tracer *tracer, enum writer who, void *theirs, size_t size)
{
	char bytes[sizeof(struct user_regs_struct)];

	if (tracer->writable[who] == theirs && theirs)
		return 0;
	if (copy(true, bytes, theirs, size) < 0 || copy(false, bytes, theirs, size) < 0)
		return -1;
	tracer->writable[who] = theirs;
	return 0;
}

/* The names of khandlers, with spaces between them. */
static void khandlers(struct tracer *tracer, char *names, size_t size)
{
	struct trawl_uprobe_list list = {
		.size = sizeof(list), .buffer = (uintptr_t)names, .length = size - 1 };

	if (ioctl(tracer->fd, TRAWL_UPROBE_LIST, &list) < 0) {
		strcpy(names, "?");
		list.used = 2;
	}
	names[list.used ? list.used - 1 : 0] = '\0';
	for (char *p = names; *p; p++)
		if (*p == '\n')
			*p = ' ';
}

static int unknown_khandler(struct tracer *tracer, const char *name)
{
	char names[NAMES_MAX];
	int error = errno;

	khandlers(tracer, names, sizeof(names));
	errno = error;
	if (*name == '\n')
		return fail("khandler: a name has 1 to %d bytes; known are %s",
			    TRAWL_KHANDLER_NAME - 1, names);
	return fail("khandler \"%s\": no such khandler; known are %s", name, names);
}

static int fill(struct trawl_uprobe *to, const struct uprobe *u)
{
	*to = (struct trawl_uprobe){
		.id = u->id, .where = u->where, .who = u->who, .event = u->event };
	if (!u->khandler)
		return 0;
	/*
	 * Copies at most to the end of a page at a time: the page after the one with the name's end
	 * may not be mapped.
	 */
	for (size_t i = 0, n; i < sizeof(to->khandler) && !memchr(to->khandler, '\0', i); i += n) {
		n = 4096 - ((uintptr_t)u->khandler + i) % 4096;
		n = n < sizeof(to->khandler) - i ? n : sizeof(to->khandler) - i;
		if (copy(true, to->khandler + i, u->khandler + i, n) < 0)
			return -1;
	}
	/*
	 * An empty or too long name becomes one that no khandler can have: the kernel refuses it in
	 * its order of checks.
	 */
	if (!*to->khandler || !memchr(to->khandler, '\0', sizeof(to->khandler)))
		strcpy(to->khandler, "\n");
	memset(to->khandler + strlen(to->khandler), 0, sizeof(to->khandler) - strlen(to->khandler));
	return 0;
}

static bool has_place(const struct uprobe *u)
{
	return u->event == UPEV_BKPT || u->event == UPEV_FUNCRET;
}

/* Describes which of the reasons for EINVAL it was, in the order of the kernel's checks. */
static int invalid(const struct uprobe *u)
{
	int error = errno;
	char task[40];
	bool ours;

	if ((unsigned)u->event > UPEV_SIGNAL)
		return fail("event %d: there is no such event; see enum uprobe_event",
			    (int)u->event);
	if (u->id == UPID_ALL)
		return fail("id UPID_ALL: it stands for every id; register another one");
	if (u->who <= 0)
		return fail("process %d: give the id of one that runs", u->who);
	if (!has_place(u) && u->where)
		return fail("where 0x%lx: event %d is at no address; set where to 0", u->where,
			    (int)u->event);
	if (has_place(u) && !u->where)
		return fail("where 0: event %d is at an address; give one that is in code",
			    (int)u->event);
	snprintf(task, sizeof(task), "/proc/self/task/%d", u->who);
	ours = !access(task, F_OK);
	errno = error;
	if (ours)
		return fail("process %d: a tracer cannot trace itself; give another one", u->who);
	return fail("0x%lx of process %d: no code of a file is mapped there; see /proc/%d/maps",
		    u->where, u->who, u->who);
}

/* Describes in words why REGISTER failed (errno). */
static int refused(struct tracer *tracer, const struct uprobe *u, const char *khandler)
{
	switch (errno) {
	case ESRCH:
		return fail("process %d: no such process; give one that runs", u->who);
	case EPERM:
		return fail("process %d: not yours; root or CAP_SYS_PTRACE may trace it", u->who);
	case EBUSY:
		return fail(
			"process %d: this thread traces another one already; see uprobe_several()",
			u->who);
	case EEXIST:
		return fail("id %lu: in use for process %d; unregister it or take another", u->id,
			    u->who);
	case ENOENT:
		if (*khandler)
			return unknown_khandler(tracer, khandler);
		return fail("event %d: this kernel has no tracepoint for it", (int)u->event);
	case EOPNOTSUPP:
		return fail("0x%lx: no instruction that a breakpoint can replace; choose another",
			    u->where);
	case EINVAL:
		return invalid(u);
	}
	return fail("process %d: cannot be registered: %s", u->who, strerror(errno));
}

/*
 * Refuses what the kernel accepts although it would crash the tracee: a breakpoint inside an
 * instruction, and the return of a Go function.
 */
static int look_at_code(const struct uprobe *u)
{
	uint64_t offset = 0, begin = 0;
	int fd = mapping_open(u->who, u->where, &offset);
	bool inside = fd >= 0 && boundary_inside(fd, offset, &begin);
	bool go = fd >= 0 && u->event == UPEV_FUNCRET && function_of_go(fd);

	if (fd >= 0)
		close(fd);
	if (inside) {
		errno = EINVAL;
		return fail("0x%lx: in the middle of an instruction; it begins at 0x%lx", u->where,
			    u->where - (unsigned long)(offset - begin));
	}
	if (go) {
		errno = EOPNOTSUPP;
		return fail("0x%lx: a function of Go, whose runtime ends the program when a return "
			    "address is replaced; "
			    "register UPEV_BKPT at its ret instructions",
			    u->where);
	}
	return 0;
}

/* `theirs` points into the caller's memory and may be bad. */
int uprobe_register(const struct uprobe *theirs)
{
	struct trawl_uprobe_request request = { .size = sizeof(request) };
	struct tracer *tracer = tracer_get();
	struct uprobe u;

	if (!tracer || copy(true, &u, theirs, sizeof(u)) < 0 || fill(&request.u, &u) < 0)
		return -1;
	request.flags = tracer->several ? 0 : TRAWL_UPROBE_ONLY;
	if (has_place(&u) && look_at_code(&u) < 0)
		return -1;
	return ioctl(tracer->fd, TRAWL_UPROBE_REGISTER, &request) < 0
		       ? refused(tracer, &u, request.u.khandler)
		       : 0;
}

/* This thread's tracer; NULL and ESRCH if it has never traced anything. */
static struct tracer *tracer_get_used(void)
{
	if (!mine) {
		snprintf(open_error, sizeof(open_error),
			 "this thread traces nothing; see uprobe_register()");
		errno = ESRCH;
	}
	return mine;
}

int uprobe_unregister(pid_t pid, unsigned long id)
{
	struct trawl_uprobe_request request = { .size = sizeof(request),
					       .u = { .who = pid, .id = id}};
	struct tracer *tracer = tracer_get_used();

	if (!tracer)
		return -1;
	tracer->regs.size = 0;
	if (ioctl(tracer->fd, TRAWL_UPROBE_UNREGISTER, &request) < 0)
		return fail("id %lu of process %d: %s", id, pid,
			    errno == ENOENT ? "not registered"
					    : "this thread does not trace it, or it has ended");
	return 0;
}

int uprobe_detach(pid_t pid)
{
	struct trawl_uprobe_request request = { .size = sizeof(request), .u = { .who = pid } };
	struct tracer *tracer = tracer_get_used();

	if (!tracer)
		return -1;
	tracer->regs.size = 0;
	return ioctl(tracer->fd, TRAWL_UPROBE_DETACH, &request) < 0 ?
		       fail("process %d: this thread does not trace it, or it has ended", pid) :
		       0;
}

static int poll_tracer(struct trawl_uprobe_poll *poll, struct uprobe *u)
{
	struct tracer *tracer = tracer_get_used();

	if (!tracer || check_out(tracer, EVENT, u, sizeof(*u)) < 0)
		return -1;
	tracer->regs.size = 0;
	poll->flags = tracer->every ? TRAWL_UPROBE_POLL_EVERY : 0;
	if (ioctl(tracer->fd, TRAWL_UPROBE_POLL, poll) < 0)
		return fail("%s", errno == EINTR ? "interrupted by a signal; poll again" :
			    errno == ESRCH	 ? "the tracee has ended, or there is none" :
						   strerror(errno));
	if (!poll->returned)
		return 0;
	tracer->hit = (struct uprobe_hit){
		.tid = poll->u.tid, .status = poll->u.status, .time = poll->u.time };
	tracer->regs = (struct trawl_uprobe_regs){
		.size = sizeof(tracer->regs), .tid = poll->u.tid, .regs = poll->regs };
	*u = (struct uprobe){ .id = poll->u.id, .event = poll->u.event, .who = poll->u.who,
			      .where = poll->u.where };
	return 1;
}

int uprobe_poll(struct uprobe *u, int timeout)
{
	struct trawl_uprobe_poll poll = { .size = sizeof(poll), .timeout = timeout };

	return poll_tracer(&poll, u);
}

int uprobe_poll_of(pid_t pid, struct uprobe *u, int timeout)
{
	struct trawl_uprobe_poll poll = { .size = sizeof(poll), .who = pid, .timeout = timeout };

	return poll_tracer(&poll, u);
}

void uprobe_last_hit(struct uprobe_hit *hit)
{
	if (hit)
		*hit = mine ? mine->hit : (struct uprobe_hit){ 0 };
}

int uprobe_record_branches(pid_t pid)
{
	struct trawl_enable enable = { .size = sizeof(enable), .pid = pid, .form = TRAWL_FORM_LBR,
				       .select = TRAWL_SELECT_DEFAULT };
	struct tracer *tracer = tracer_get();

	if (!tracer)
		return -1;
	if (ioctl(tracer->fd, TRAWL_IOC_ENABLE, &enable) < 0)
		return fail("process %d: its branches cannot be recorded: %s", pid,
			    strerror(errno));
	return 0;
}

void uprobe_several(void)
{
	struct tracer *tracer = tracer_get();

	if (tracer)
		tracer->several = true;
}

void uprobe_every(void)
{
	struct tracer *tracer = tracer_get();

	if (tracer)
		tracer->every = true;
}

int uprobe_fd(void)
{
	struct tracer *tracer = tracer_get();

	return tracer ? tracer->fd : -1;
}

int uprobe_arm(void)
{
	struct trawl_uprobe_poll poll = { .size = sizeof(poll), .flags = TRAWL_UPROBE_POLL_ARM };
	struct tracer *tracer = tracer_get_used();

	if (!tracer)
		return -1;
	tracer->regs.size = 0;
	return ioctl(tracer->fd, TRAWL_UPROBE_POLL, &poll) < 0
		       ? fail("the tracee has ended, or there is none")
		       : 0;
}

static int not_run(struct tracer *tracer, const struct trawl_uprobe_run *run)
{
	switch (errno) {
	case ENOENT:
		return unknown_khandler(tracer, run->u.khandler);
	case EBUSY:
		return fail("khandler %s: not registered with this uprobe, and the tracee is not "
			    "stopped",
			    run->u.khandler);
	case ESRCH:
		return fail("khandler %s: the tracee has ended; the data collected at the uprobe "
			    "is in data",
			    run->u.khandler);
	}
	return fail("khandler %s: its data: %s", run->u.khandler, strerror(errno));
}

int uprobe_run_khandler(const char *khandler, struct uprobe *theirs, void *data)
{
	struct trawl_uprobe_run run = { .size = sizeof(run), .data = (uintptr_t)data };
	struct tracer *tracer = tracer_get_used();
	struct uprobe u;

	if (!tracer || copy(true, &u, theirs, sizeof(u)) < 0)
		return -1;
	u.khandler = khandler ? khandler : "";
	if (fill(&run.u, &u) < 0)
		return -1;
	run.u.tid = tracer->hit.tid;
	return ioctl(tracer->fd, TRAWL_UPROBE_RUN, &run) < 0 ? not_run(tracer, &run) : 0;
}

static ssize_t memory(pid_t tid, unsigned long address, void *buffer, size_t length, unsigned flags)
{
	struct tracer *tracer = tracer_get_used();
	size_t done = 0;

	if (!tracer)
		return -1;
	while (done < length) {
		struct trawl_uprobe_memory request = {
			.size = sizeof(request),
			.flags = flags,
			.tid = tid,
			.address = address + done,
			.buffer = (uintptr_t)buffer + done,
			.length = length - done > 1 << 20 ? 1 << 20 : (unsigned)(length - done),
		};

		if (ioctl(tracer->fd, TRAWL_UPROBE_MEMORY, &request) < 0) {
			if (done)
				break;
			return fail("thread %d, 0x%lx: %s", tid, address,
				    errno == EBUSY   ? "the thread is not stopped"
				    : errno == ESRCH ? "the tracee has ended"
						     : strerror(errno));
		}
		done += request.done;
		if (request.done < request.length)
			break;
	}
	return (ssize_t)done;
}

ssize_t uprobe_read(pid_t tid, unsigned long address, void *buffer, size_t length)
{
	return memory(tid, address, buffer, length, 0);
}

ssize_t uprobe_write(pid_t tid, unsigned long address, const void *buffer, size_t length)
{
	return memory(tid, address, (void *)buffer, length, TRAWL_UPROBE_SET);
}

static int registers(struct tracer *tracer, struct trawl_uprobe_regs *request)
{
	bool set = request->flags & TRAWL_UPROBE_SET;

	if (!set && tracer->regs.size && tracer->regs.tid == request->tid &&
	    tracer->regs.regs.rip) {
		request->regs = tracer->regs.regs;
		return 0;
	}
	tracer->regs.size = 0;
	if (ioctl(tracer->fd, TRAWL_UPROBE_REGISTERS, request) == 0)
		return 0;
	if (errno == EBUSY)
		return fail("thread %d: not stopped%s", request->tid,
			    set ? ", or continues with other registers than its event's" : "");
	return fail("thread %d: %s", request->tid,
		    errno == ESRCH ? "the tracee has ended"
				   : "a register that cannot be written, or no such rip");
}

/* Members of the same names, at other offsets in the kernel's structure and in the C library's. */
#define EACH_REGISTER(X)                                                                           \
	X(r15) X(r14) X(r13) X(r12) X(rbp) X(rbx) X(r11) X(r10) X(r9) X(r8) X(rax) X(rcx)          \
	X(rdx) X(rsi) X(rdi) X(orig_rax) X(rip) X(cs) X(eflags) X(rsp) X(ss) X(fs_base) X(gs_base)

int uprobe_get_registers(pid_t tid, struct user_regs_struct *to)
{
	struct trawl_uprobe_regs request = { .size = sizeof(request), .tid = tid };
	struct tracer *tracer = tracer_get_used();

	if (!tracer || check_out(tracer, REGISTERS, to, sizeof(*to)) < 0 ||
	    registers(tracer, &request) < 0)
		return -1;
	memset(to, 0, sizeof(*to));
#define X(name) to->name = request.regs.name;
	EACH_REGISTER(X)
#undef X
	return 0;
}

int uprobe_set_registers(pid_t tid, const struct user_regs_struct *theirs)
{
	struct trawl_uprobe_regs request = {
		.size = sizeof(request), .flags = TRAWL_UPROBE_SET, .tid = tid };
	struct tracer *tracer = tracer_get_used();
	struct user_regs_struct from;

	if (!tracer || copy(true, &from, theirs, sizeof(from)) < 0)
		return -1;
	/* In 64-bit code these are 0, and the kernel's structure has no place for them. */
	if (from.ds || from.es || from.fs || from.gs) {
		errno = EINVAL;
		return fail("thread %d: ds, es, fs and gs cannot be written; leave them 0", tid);
	}
#define X(name) request.regs.name = from.name;
	EACH_REGISTER(X)
#undef X
	return registers(tracer, &request);
}
