// SPDX-License-Identifier: GPL-2.0-only
#include "kmod/tracer.h"
#include <linux/mm.h>
#include <linux/pid.h>
#include <linux/pid_namespace.h>
#include <linux/sched/mm.h>
#include <linux/sched/signal.h>
#include <linux/slab.h>
#include <linux/uaccess.h>
#include "kmod/khandler.h"
#include "kmod/permit.h"

/* Bounds the memory of one tracer. */
#define REGISTRATIONS_MAX 65536

struct tracer *tracer_new(struct session *session)
{
	struct tracer *tracer = kzalloc(sizeof(*tracer), GFP_KERNEL_ACCOUNT);

	if (!tracer)
		return NULL;
	tracer->session = session;
	mutex_init(&tracer->mutex);
	INIT_LIST_HEAD(&tracer->tracees);
	INIT_LIST_HEAD(&tracer->deliveries);
	init_waitqueue_head(&tracer->wait);
	return tracer;
}

bool tracee_has(const struct tracee *tracee, struct task_struct *task)
{
	return !READ_ONCE(tracee->barred) &&
	       tracee->pid == (tracee->process ? task_tgid(task) : task_pid(task));
}

static void call_khandler(struct registration *registration, struct pt_regs *regs, int status)
{
	struct khandler_hit at = {
		.id = registration->u.id,
		.where = registration->u.where,
		.event = registration->u.event,
		.status = status,
		.task = current,
		.regs = regs,
		.session = registration->tracee->tracer->session,
	};
	unsigned long flags;

	spin_lock_irqsave(&registration->data_lock, flags);
	registration->khandler->hit(&at, registration->data);
	spin_unlock_irqrestore(&registration->data_lock, flags);
}

void registration_event_locked(struct registration *registration, struct pt_regs *regs, int status)
{
	if (registration->khandler)
		call_khandler(registration, regs, status);
	else
		stop_event(registration, regs, status);
}

void registration_event(struct registration *registration, struct pt_regs *regs, int status)
{
	unsigned long flags;

	if (registration->khandler) {
		call_khandler(registration, regs, status);
		return;
	}
	spin_lock_irqsave(&stops_lock, flags);
	stop_event(registration, regs, status);
	spin_unlock_irqrestore(&stops_lock, flags);
}

static void registration_free(struct registration *registration)
{
	breakpoint_clear(registration);
	lifecycle_unwatch(registration);
	khandler_put(registration->khandler);
	kvfree(registration->data);
	kfree(registration);
}

/* The uprobe is removed last: its handler may be running, and finds the registration cancelled. */
static void registration_cancel(struct registration *registration)
{
	spin_lock_irq(&stops_lock);
	list_del(&registration->link);
	stop_cancel(registration);
	spin_unlock_irq(&stops_lock);
	registration_free(registration);
}

static struct registration *registration_new(const struct trawl_uprobe *u, struct tracee *tracee)
{
	struct registration *registration = kzalloc(sizeof(*registration), GFP_KERNEL_ACCOUNT);

	if (!registration)
		return ERR_PTR(-ENOMEM);
	registration->u = *u;
	registration->u.tid = registration->u.status = 0;
	registration->u.time = 0;
	registration->tracee = tracee;
	spin_lock_init(&registration->data_lock);
	INIT_LIST_HEAD(&registration->watch);
	if (!*u->khandler)
		return registration;
	registration->khandler = khandler_get(u->khandler);
	if (registration->khandler && registration->khandler->data_size)
		registration->data =
			kvzalloc(registration->khandler->data_size, GFP_KERNEL_ACCOUNT);
	if (!registration->khandler || (registration->khandler->data_size && !registration->data)) {
		int status = registration->khandler ? -ENOMEM : -ENOENT;

		registration_free(registration);
		return ERR_PTR(status);
	}
	return registration;
}

static struct tracee *tracee_find(struct tracer *tracer, pid_t who)
{
	struct tracee *tracee;

	list_for_each_entry(tracee, &tracer->tracees, link)
		if (tracee->who == who)
			return tracee;
	return NULL;
}

static struct tracee *tracee_new(struct tracer *tracer, struct task_struct *task, pid_t who)
{
	struct tracee *tracee = kzalloc(sizeof(*tracee), GFP_KERNEL_ACCOUNT);
	int status;

	if (!tracee)
		return ERR_PTR(-ENOMEM);
	tracee->tracer = tracer;
	tracee->who = who;
	tracee->process = thread_group_leader(task);
	tracee->pid = get_task_pid(task, PIDTYPE_PID);
	INIT_LIST_HEAD(&tracee->registrations);
	status = lifecycle_add(tracee);
	if (status) {
		put_pid(tracee->pid);
		kfree(tracee);
		return ERR_PTR(status);
	}
	spin_lock_irq(&stops_lock);
	list_add_tail(&tracee->link, &tracer->tracees);
	/* The tracee may have died before lifecycle_add(). */
	if (task->flags & PF_EXITING && (!tracee->process || !atomic_read(&task->signal->live)))
		tracee->dead = true;
	spin_unlock_irq(&stops_lock);
	return tracee;
}

static void tracee_free(struct tracee *tracee)
{
	spin_lock_irq(&stops_lock);
	list_del(&tracee->link);
	spin_unlock_irq(&stops_lock);
	lifecycle_remove(tracee);
	put_pid(tracee->pid);
	kfree(tracee);
}

static void tracee_free_if_unused(struct tracee *tracee)
{
	if (list_empty(&tracee->registrations) && !tracee->dead)
		tracee_free(tracee);
}

static struct registration *registration_find(struct tracee *tracee, u64 id)
{
	struct registration *registration;

	list_for_each_entry(registration, &tracee->registrations, link)
		if (registration->u.id == id)
			return registration;
	return NULL;
}

static bool has_place(u32 event)
{
	return event == TRAWL_UPEV_BKPT || event == TRAWL_UPEV_FUNCRET;
}

static int check(const struct trawl_uprobe *u)
{
	if (u->event >= TRAWL_UPEV_COUNT || u->id == TRAWL_UPID_ALL || u->who <= 0 || u->tid ||
	    u->status || u->time)
		return -EINVAL;
	if (strnlen(u->khandler, sizeof(u->khandler)) == sizeof(u->khandler))
		return -EINVAL;
	return has_place(u->event) == !!u->where ? 0 : -EINVAL;
}

static struct task_struct *get_task(pid_t who)
{
	struct pid *pid = find_get_pid(who);
	struct task_struct *task = get_pid_task(pid, PIDTYPE_PID);

	put_pid(pid);
	return task;
}

/* Events may come as soon as the uprobe is set, so the registration must be complete before. */
static int arm(struct registration *registration, struct task_struct *task)
{
	int status = 0;

	spin_lock_irq(&stops_lock);
	list_add_tail(&registration->link, &registration->tracee->registrations);
	spin_unlock_irq(&stops_lock);
	if (has_place(registration->u.event))
		status = breakpoint_set(registration, task);
	else
		status = lifecycle_watch(registration);
	if (status)
		registration_cancel(registration);
	return status;
}

static bool traces_another(struct tracer *tracer, pid_t who)
{
	struct tracee *tracee;

	list_for_each_entry(tracee, &tracer->tracees, link)
		if (!tracee->dead && tracee->who != who)
			return true;
	return false;
}

/*
 * An exec that gains privileges either comes before this, and permit_task() sees it, or after it,
 * and then bars the tracee.
 */
static struct tracee *tracee_permitted(struct tracer *tracer, struct file *file,
				       struct task_struct *task, pid_t who)
{
	struct tracee *tracee;
	int status = permit_lock(task);

	if (status)
		return ERR_PTR(status);
	tracee = permit_task(file, task) ? tracee_new(tracer, task, who) : ERR_PTR(-EPERM);
	permit_unlock(task);
	return tracee;
}

static int register_on(struct tracer *tracer, struct file *file, struct task_struct *task,
		       const struct trawl_uprobe_request *request)
{
	const struct trawl_uprobe *u = &request->u;
	struct tracee *tracee = tracee_find(tracer, u->who);
	struct registration *registration;
	int status;

	if (tracee && tracee->dead)
		return -ESRCH;
	if (request->flags & TRAWL_UPROBE_ONLY && traces_another(tracer, u->who))
		return -EBUSY;
	if (tracee && registration_find(tracee, u->id))
		return -EEXIST;
	if (!tracee)
		tracee = tracee_permitted(tracer, file, task, u->who);
	if (IS_ERR(tracee))
		return PTR_ERR(tracee);
	registration = registration_new(u, tracee);
	status = IS_ERR(registration) ? PTR_ERR(registration) : arm(registration, task);
	if (!status)
		tracer->registrations++;
	else
		tracee_free_if_unused(tracee);
	return status;
}

static long serve_register(struct tracer *tracer, struct file *file, void *body)
{
	struct trawl_uprobe_request *request = body;
	struct task_struct *task;
	long status = request->flags & ~TRAWL_UPROBE_ONLY ? -EINVAL : check(&request->u);

	if (status)
		return status;
	if (tracer->registrations >= REGISTRATIONS_MAX)
		return -ENOMEM;
	task = get_task(request->u.who);
	if (!task)
		return -ESRCH;
	if (same_thread_group(task, current))
		status = -EINVAL;
	else if (!permit_task(file, task))
		status = -EPERM;
	else
		status = register_on(tracer, file, task, request);
	put_task_struct(task);
	return status;
}

static void cancel_all(struct tracer *tracer, struct tracee *tracee)
{
	struct registration *registration, *next;

	list_for_each_entry_safe(registration, next, &tracee->registrations, link) {
		registration_cancel(registration);
		tracer->registrations--;
	}
}

static long serve_unregister(struct tracer *tracer, struct file *file, void *body)
{
	const struct trawl_uprobe_request *request = body;
	const struct trawl_uprobe *u = &request->u;
	struct tracee *tracee = tracee_find(tracer, u->who);
	struct registration *registration;

	if (request->flags)
		return -EINVAL;
	if (!tracee || tracee->dead)
		return -ESRCH;
	if (u->id == TRAWL_UPID_ALL) {
		cancel_all(tracer, tracee);
	} else {
		registration = registration_find(tracee, u->id);
		if (!registration)
			return -ENOENT;
		registration_cancel(registration);
		tracer->registrations--;
	}
	tracee_free_if_unused(tracee);
	return 0;
}

/* Serves DETACH, also of a dead tracee, whose memory is then freed. */
static long serve_detach(struct tracer *tracer, struct file *file, void *body)
{
	const struct trawl_uprobe_request *request = body;
	struct tracee *tracee = tracee_find(tracer, request->u.who);
	bool dead;

	if (request->flags)
		return -EINVAL;
	if (!tracee)
		return -ESRCH;
	dead = tracee->dead;
	cancel_all(tracer, tracee);
	tracee_free(tracee);
	return dead ? -ESRCH : 0;
}

static long serve_poll(struct tracer *tracer, struct file *file, void *body)
{
	struct trawl_uprobe_poll *poll = body;
	int status;

	if (poll->flags & ~(TRAWL_UPROBE_POLL_ARM | TRAWL_UPROBE_POLL_EVERY) || poll->who < 0 ||
	    poll->pad)
		return -EINVAL;
	status = stop_wait(tracer, poll);
	if (status < 0)
		return status;
	poll->returned = status;
	return 0;
}

static long serve_registers(struct tracer *tracer, struct file *file, void *body)
{
	struct trawl_uprobe_regs *request = body;

	return request->flags & ~TRAWL_UPROBE_SET || request->pad
		       ? -EINVAL
		       : stopped_registers(tracer, request);
}

static long serve_memory(struct tracer *tracer, struct file *file, void *body)
{
	struct trawl_uprobe_memory *request = body;

	return request->flags & ~TRAWL_UPROBE_SET || request->pad ? -EINVAL
								  : stopped_memory(tracer, request);
}

/*
 * Copies what the khandler has gathered at that registration. Returns 0, -ESRCH where the tracee
 * has ended, so that nothing will be added, or -ENOENT.
 */
static long gathered(struct tracer *tracer, struct khandler *handler, const struct trawl_uprobe *u,
		     void *data)
{
	struct tracee *tracee = tracee_find(tracer, u->who);
	struct registration *registration = tracee ? registration_find(tracee, u->id) : NULL;

	if (!registration || registration->khandler != handler)
		return -ENOENT;
	spin_lock_irq(&registration->data_lock);
	memcpy(data, registration->data, handler->data_size);
	spin_unlock_irq(&registration->data_lock);
	return tracee->dead ? -ESRCH : 0;
}

static long run(struct tracer *tracer, struct khandler *handler, struct trawl_uprobe_run *request)
{
	void __user *user = u64_to_user_ptr(request->data);
	u32 size = handler->data_size;
	void *data;
	long status;

	if (request->data_size && request->data_size != size)
		return -EINVAL;
	data = kvmalloc(max(size, 1u), GFP_KERNEL);
	if (!data)
		return -ENOMEM;
	status = copy_from_user(data, user, size) ? -EFAULT : 0;
	if (!status)
		status = gathered(tracer, handler, &request->u, data);
	if (status == -ENOENT)
		status = stopped_run(tracer, handler, &request->u, data);
	if ((!status || status == -ESRCH) && copy_to_user(user, data, size))
		status = -EFAULT;
	kvfree(data);
	return status;
}

static long serve_run(struct tracer *tracer, struct file *file, void *body)
{
	struct trawl_uprobe_run *request = body;
	struct khandler *handler;
	long status;

	if (request->flags || request->pad ||
	    strnlen(request->u.khandler, TRAWL_KHANDLER_NAME) == TRAWL_KHANDLER_NAME)
		return -EINVAL;
	handler = khandler_get(request->u.khandler);
	if (!handler)
		return -ENOENT;
	status = run(tracer, handler, request);
	khandler_put(handler);
	return status;
}

#define NAMES_MAX 65536
static long serve_list(struct tracer *tracer, struct file *file, void *body)
{
	struct trawl_uprobe_list *request = body;
	u32 length = min_t(u32, request->length, NAMES_MAX);
	long status = 0;
	char *names;

	if (request->flags)
		return -EINVAL;
	names = kvzalloc(max(length, 1u), GFP_KERNEL);
	if (!names)
		return -ENOMEM;
	request->used = khandler_list(names, length);
	if (request->used > length)
		status = -ERANGE;
	else if (copy_to_user(u64_to_user_ptr(request->buffer), names, request->used))
		status = -EFAULT;
	kvfree(names);
	return status;
}

static const struct {
	unsigned int command;
	long (*serve)(struct tracer *tracer, struct file *file, void *body);
	bool alone;	/* runs with the tracer's mutex held */
} requests[] = {
	{ TRAWL_UPROBE_REGISTER, serve_register, true },
	{ TRAWL_UPROBE_UNREGISTER, serve_unregister, true },
	{ TRAWL_UPROBE_DETACH, serve_detach, true },
	{ TRAWL_UPROBE_POLL, serve_poll, false },
	{ TRAWL_UPROBE_REGISTERS, serve_registers, true },
	{ TRAWL_UPROBE_MEMORY, serve_memory, true },
	{ TRAWL_UPROBE_RUN, serve_run, true },
	{ TRAWL_UPROBE_LIST, serve_list, true },
};

union body {
	struct {
		__u32 size, flags;
	};
	struct trawl_uprobe_request request;
	struct trawl_uprobe_poll poll;
	struct trawl_uprobe_regs regs;
	struct trawl_uprobe_memory memory;
	struct trawl_uprobe_run run;
	struct trawl_uprobe_list list;
};

static long serve(struct tracer *tracer, struct file *file, int n, void __user *user)
{
	u32 size, known = _IOC_SIZE(requests[n].command);
	union body body;
	long status;

	if (get_user(size, (u32 __user *)user))
		return -EFAULT;
	if (size < sizeof(u32[2]))
		return -EINVAL;
	status = copy_struct_from_user(&body, known, user, size);
	if (status)
		return status == -E2BIG ? -EINVAL : status;
	if (requests[n].alone)
		mutex_lock(&tracer->mutex);
	status = requests[n].serve(tracer, file, &body);
	if (requests[n].alone)
		mutex_unlock(&tracer->mutex);
	if ((!status || status == -ERANGE) && copy_to_user(user, &body, min(size, known)))
		return -EFAULT;
	return status;
}

long tracer_ioctl(struct tracer *tracer, struct file *file, unsigned int command,
		  unsigned long argument)
{
	int n;

	/*
	 * The size that the request's number contains is that of the caller's header, and may
	 * differ.
	 */
	for (n = 0; n < ARRAY_SIZE(requests); n++)
		if (_IOC_NR(command) == _IOC_NR(requests[n].command) &&
		    _IOC_TYPE(command) == TRAWL_UPROBE_MAGIC)
			return serve(tracer, file, n, (void __user *)argument);
	return -ENOTTY;
}

__poll_t tracer_poll(struct tracer *tracer, struct file *file, poll_table *table)
{
	poll_wait(file, &tracer->wait, table);
	return stop_ready(tracer) ? EPOLLIN | EPOLLRDNORM : 0;
}

void tracer_close(struct tracer *tracer)
{
	struct tracee *tracee, *next;

	list_for_each_entry_safe(tracee, next, &tracer->tracees, link) {
		cancel_all(tracer, tracee);
		tracee_free(tracee);
	}
	kfree(tracer);
}
