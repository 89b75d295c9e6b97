// SPDX-License-Identifier: MIT
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
#include <unistd.h>
#include "kmod/trawl_uapi.h"
#include "kmod/trawl_uprobe.h"
#include "uprobe/boundary.h"

#define DEVICE "/dev/trawl"
#define NAMES_MAX 4096

/* A thread that has called one of these functions. */
struct tracer {
	int fd;
	pid_t tracee;		/* the only one; 0: none yet */
	bool several;
	struct uprobe_hit hit;
	/* Of hit.tid as the latest POLL returned them; size 0: there are none, or they have been written. */
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

/* The child has a copy of the descriptor, but none of its parent's tracees. */
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
			 errno == ENOENT ? "load the module: modprobe trawl" : "it takes root or CAP_PERFMON");
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

/* The names of khandlers, with commas between them. */
static const char *khandlers(struct tracer *tracer, char *names, size_t size)
{
	struct trawl_uprobe_list list = { .size = sizeof(list), .buffer = (uintptr_t)names, .length = size - 1 };

	if (ioctl(tracer->fd, TRAWL_UPROBE_LIST, &list) < 0)
		return "?";
	names[list.used ? list.used - 1 : 0] = '\0';
	for (char *p = names; *p; p++)
		if (*p == '\n')
			*p = ' ';
	return names;
}

static int fill(struct tracer *tracer, struct trawl_uprobe *to, const struct uprobe *u)
{
	*to = (struct trawl_uprobe){ .id = u->id, .where = u->where, .who = u->who, .event = u->event };
	if (!u->khandler)
		return 0;
	if (!*u->khandler || strlen(u->khandler) >= sizeof(to->khandler)) {
		char names[NAMES_MAX];

		errno = ENOENT;
		return fail("khandler \"%s\": there is none of that name, but %s", u->khandler,
			    khandlers(tracer, names, sizeof(names)));
	}
	strcpy(to->khandler, u->khandler);
	return 0;
}

/* In words, what REGISTER refused. */
static int refused(struct tracer *tracer, const struct uprobe *u)
{
	char names[NAMES_MAX];

	switch (errno) {
	case ESRCH:
		return fail("process %d: there is none; give one that runs", u->who);
	case EPERM:
		return fail("process %d: not yours; root or CAP_SYS_PTRACE may trace it", u->who);
	case EEXIST:
		return fail("id %lu: in use for process %d; unregister it or take another", u->id, u->who);
	case ENOENT:
		if (u->khandler)
			return fail("khandler \"%s\": there is none of that name, but %s", u->khandler,
				    khandlers(tracer, names, sizeof(names)));
		return fail("event %d: this kernel has no tracepoint for it", (int)u->event);
	case EINVAL:
		if (u->who == getpid())
			return fail("process %d: a tracer cannot trace itself", u->who);
		return fail("event %d at 0x%lx: the event is unknown, or the address is not in code of a file",
			    (int)u->event, u->where);
	}
	return fail("uprobe_register: %s", strerror(errno));
}

int uprobe_register(const struct uprobe *u)
{
	struct trawl_uprobe_request request = { .size = sizeof(request) };
	struct tracer *tracer = tracer_get();
	unsigned long begin;

	if (!tracer || fill(tracer, &request.u, u) < 0)
		return -1;
	if (!tracer->several && tracer->tracee && tracer->tracee != u->who) {
		errno = EBUSY;
		return fail("process %d: this thread traces process %d already; see uprobe_several()", u->who,
			    tracer->tracee);
	}
	if (u->event == UPEV_BKPT && boundary_inside(u->who, u->where, &begin)) {
		errno = EINVAL;
		return fail("0x%lx: in the middle of an instruction; it begins at 0x%lx", u->where, begin);
	}
	if (ioctl(tracer->fd, TRAWL_UPROBE_REGISTER, &request) < 0)
		return refused(tracer, u);
	tracer->tracee = u->who;
	return 0;
}

static struct tracer *tracer_of(pid_t pid)
{
	if (!mine) {
		snprintf(open_error, sizeof(open_error), "process %d: this thread traces nothing", pid);
		errno = ESRCH;
	}
	return mine;
}

int uprobe_unregister(pid_t pid, unsigned long id)
{
	struct trawl_uprobe_request request = { .size = sizeof(request), .u = { .who = pid, .id = id } };
	struct tracer *tracer = tracer_of(pid);

	if (!tracer)
		return -1;
	tracer->regs.size = 0;
	if (ioctl(tracer->fd, TRAWL_UPROBE_UNREGISTER, &request) < 0)
		return fail("id %lu of process %d: %s", id, pid,
			    errno == ENOENT ? "not registered" : "this thread does not trace it, or it has ended");
	return 0;
}

int uprobe_detach(pid_t pid)
{
	struct trawl_uprobe_request request = { .size = sizeof(request), .u = { .who = pid } };
	struct tracer *tracer = tracer_of(pid);
	int status;

	if (!tracer)
		return -1;
	tracer->regs.size = 0;
	status = ioctl(tracer->fd, TRAWL_UPROBE_DETACH, &request);
	if (tracer->tracee == pid)
		tracer->tracee = 0;
	return status < 0 ? fail("process %d: this thread does not trace it, or it has ended", pid) : 0;
}

static int poll_tracer(struct trawl_uprobe_poll *poll, struct uprobe *u)
{
	struct tracer *tracer = tracer_of(poll->who);

	if (!tracer)
		return -1;
	tracer->regs.size = 0;
	if (ioctl(tracer->fd, TRAWL_UPROBE_POLL, poll) < 0)
		return fail("%s", errno == EINTR ? "interrupted by a signal; poll again" :
			    errno == ESRCH	 ? "the tracee has ended, or there is none" :
						   strerror(errno));
	if (!poll->returned)
		return 0;
	tracer->hit = (struct uprobe_hit){ .tid = poll->u.tid, .status = poll->u.status, .time = poll->u.time };
	tracer->regs = (struct trawl_uprobe_regs){ .size = sizeof(tracer->regs), .tid = poll->u.tid, .regs = poll->regs };
	if (u)
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
		return fail("process %d: its branches cannot be recorded: %s", pid, strerror(errno));
	return 0;
}

void uprobe_several(void)
{
	struct tracer *tracer = tracer_get();

	if (tracer)
		tracer->several = true;
}

int uprobe_fd(void)
{
	struct tracer *tracer = tracer_get();

	return tracer ? tracer->fd : -1;
}

int uprobe_arm(void)
{
	struct trawl_uprobe_poll poll = { .size = sizeof(poll), .flags = TRAWL_UPROBE_POLL_ARM };
	struct tracer *tracer = tracer_of(0);

	if (!tracer)
		return -1;
	tracer->regs.size = 0;
	return ioctl(tracer->fd, TRAWL_UPROBE_POLL, &poll) < 0 ? fail("the tracee has ended, or there is none") : 0;
}

int uprobe_run_khandler(const char *khandler, struct uprobe *u, void *data)
{
	struct trawl_uprobe_run run = { .size = sizeof(run), .data = (uintptr_t)data };
	struct uprobe with_name = *u;
	struct tracer *tracer = tracer_of(u->who);

	if (!tracer)
		return -1;
	with_name.khandler = khandler;
	if (fill(tracer, &run.u, &with_name) < 0)
		return -1;
	run.u.tid = tracer->hit.tid;
	if (ioctl(tracer->fd, TRAWL_UPROBE_RUN, &run) < 0)
		return errno == ENOENT ? refused(tracer, &with_name) :
					 fail("khandler %s: %s", khandler,
					      errno == EBUSY ? "not registered with this uprobe, and the tracee is not stopped" :
							       strerror(errno));
	return 0;
}

static ssize_t memory(pid_t tid, unsigned long address, void *buffer, size_t length, unsigned flags)
{
	struct tracer *tracer = tracer_of(tid);
	size_t done = 0;

	if (!tracer)
		return -1;
	while (done < length) {
		struct trawl_uprobe_memory request = {
			.size = sizeof(request), .flags = flags, .tid = tid, .address = address + done,
			.buffer = (uintptr_t)buffer + done,
			.length = length - done > 1 << 20 ? 1 << 20 : (unsigned)(length - done),
		};

		if (ioctl(tracer->fd, TRAWL_UPROBE_MEMORY, &request) < 0) {
			if (done)
				break;
			return fail("thread %d, 0x%lx: %s", tid, address,
				    errno == EBUSY ? "the thread is not stopped" : errno == ESRCH ? "the tracee has ended" : strerror(errno));
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

static int registers(pid_t tid, struct trawl_uprobe_regs *request)
{
	struct tracer *tracer = tracer_of(tid);

	if (!tracer)
		return -1;
	if (!(request->flags & TRAWL_UPROBE_SET) && tracer->regs.size && tracer->regs.tid == tid && tracer->regs.regs.rip) {
		request->regs = tracer->regs.regs;
		return 0;
	}
	tracer->regs.size = 0;
	if (ioctl(tracer->fd, TRAWL_UPROBE_REGISTERS, request) < 0)
		return fail("thread %d: %s", tid,
			    errno == EBUSY ? "it is not stopped" : errno == ESRCH ? "the tracee has ended" :
			    "a register that cannot be written");
	return 0;
}

/* The same members, in other places. */
#define EACH_REGISTER(X)                                                                                              \
	X(r15) X(r14) X(r13) X(r12) X(rbp) X(rbx) X(r11) X(r10) X(r9) X(r8) X(rax) X(rcx) X(rdx) X(rsi) X(rdi)        \
	X(orig_rax) X(rip) X(cs) X(eflags) X(rsp) X(ss) X(fs_base) X(gs_base)

int uprobe_get_registers(pid_t tid, struct user_regs_struct *to)
{
	struct trawl_uprobe_regs request = { .size = sizeof(request), .tid = tid };

	if (registers(tid, &request) < 0)
		return -1;
	memset(to, 0, sizeof(*to));
#define X(name) to->name = request.regs.name;
	EACH_REGISTER(X)
#undef X
	return 0;
}

int uprobe_set_registers(pid_t tid, const struct user_regs_struct *from)
{
	struct trawl_uprobe_regs request = { .size = sizeof(request), .flags = TRAWL_UPROBE_SET, .tid = tid };

#define X(name) request.regs.name = from->name;
	EACH_REGISTER(X)
#undef X
	return registers(tid, &request);
}
