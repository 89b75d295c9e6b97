// SPDX-License-Identifier: GPL-2.0-only
#include "kmod/libiht.h"
#include <linux/compat.h>
#include <linux/math64.h>
#include <linux/mm.h>
#include <linux/slab.h>
#include <linux/uaccess.h>
#include "kmod/provider.h"
#include "kmod/session.h"
#include "kmod/tracing.h"
#include "kmod/trawl_libiht.h"

/* A request of a 32-bit or a 64-bit program, with its pointers as 64-bit numbers. */
struct call {
	u32 command, pid;
	u64 control;		/* lbr_select or bts_config */
	u64 size;		/* bts_buffer_size */
	u64 buffer;		/* address of the struct lbr_data or bts_data */
	bool narrow;
};

/* The layouts of a 32-bit program, in which 64-bit numbers are aligned to 4 bytes. */
struct narrow_request {
	u32 command;
	union {
		struct {
			u32 pid;
			compat_u64 select;
			u32 buffer;
		} lbr;
		struct {
			u32 pid;
			compat_u64 config, size;
			u32 buffer;
		} bts;
	};
};

struct narrow_lbr_data {
	compat_u64 tos;
	u32 entries;
};

struct narrow_bts_data {
	u32 base, index;
	compat_u64 threshold;
};

static bool is_lbr(u32 command)
{
	return command < LIBIHT_IOCTL_LBR_END;
}

static int read_narrow(struct call *call, const void __user *user)
{
	struct narrow_request r;
	/* A request about LBR is shorter than one about BTS: read only its bytes. */
	size_t size = offsetof(struct narrow_request, lbr) + sizeof(r.lbr);

	if (copy_from_user(&r, user, size))
		return -EFAULT;
	if (!is_lbr(r.command) && copy_from_user(&r, user, sizeof(r)))
		return -EFAULT;
	call->command = r.command;
	call->pid = r.lbr.pid;
	call->control = r.lbr.select;
	call->buffer = is_lbr(r.command) ? r.lbr.buffer : r.bts.buffer;
	call->size = is_lbr(r.command) ? 0 : r.bts.size;
	return 0;
}

static int read_wide(struct call *call, const void __user *user)
{
	struct xioctl_request r;

	if (copy_from_user(&r, user, sizeof(r)))
		return -EFAULT;
	call->command = r.cmd;
	call->pid = r.body.lbr.lbr_config.pid;
	call->control = r.body.lbr.lbr_config.lbr_select;
	call->buffer = (u64)(is_lbr(r.cmd) ? (void *)r.body.lbr.buffer : (void *)r.body.bts.buffer);
	call->size = is_lbr(r.cmd) ? 0 : r.body.bts.bts_config.bts_buffer_size;
	return 0;
}

static int read_bts_data(const struct call *call, struct bts_data *data)
{
	struct narrow_bts_data n;

	if (!call->narrow)
		return copy_from_user(data, u64_to_user_ptr(call->buffer), sizeof(*data)) ? -EFAULT
											  : 0;
	if (copy_from_user(&n, u64_to_user_ptr(call->buffer), sizeof(n)))
		return -EFAULT;
	data->bts_buffer_base = (struct bts_record *)(u64)n.base;
	data->bts_interrupt_threshold = n.threshold;
	return 0;
}

static int write_bts_data(const struct call *call, const struct bts_data *data)
{
	struct narrow_bts_data n = {
		.base = (u64)data->bts_buffer_base, .index = (u64)data->bts_index,
		.threshold = data->bts_interrupt_threshold,
	};

	if (call->narrow)
		return copy_to_user(u64_to_user_ptr(call->buffer), &n, sizeof(n)) ? -EFAULT : 0;
	return copy_to_user(u64_to_user_ptr(call->buffer), data, sizeof(*data)) ? -EFAULT : 0;
}

/*
 * The threshold in bytes: the program gives bytes, or an address in its buffer. Anything else, such
 * as a field that the program did not set, means the default.
 */
static u64 threshold(const struct call *call, u64 size)
{
	u64 usual = size - div_u64(size, 16 * TRAWL_BTS_RECORD) * TRAWL_BTS_RECORD, given;
	struct bts_data data;

	if (!(call->control & TRAWL_BTS_BTINT) || !call->buffer || read_bts_data(call, &data))
		return usual;
	given = data.bts_interrupt_threshold;
	if (given > size)
		given -= (u64)data.bts_buffer_base;
	return given >= TRAWL_BTS_RECORD && given <= size ? given : usual;
}

static int lbr_config(const struct call *call, struct attachment_config *c)
{
	c->form = TRAWL_FORM_LBR;
	c->depth = LIBIHT_LBR_ENTRIES;
	c->select = call->control;
	return call->control & ~(u64)TRAWL_SELECT_MASK ? -EINVAL : 0;
}

static int bts_config(const struct call *call, struct attachment_config *c)
{
	u64 size = call->size ?: DEFAULT_BTS_BUFFER_SIZE;
	u32 rest;

	div_u64_rem(size, TRAWL_BTS_RECORD, &rest);
	if (rest || size > TRAWL_BTS_SIZE_MAX || call->control & ~(u64)TRAWL_BTS_MASK)
		return -EINVAL;
	c->form = TRAWL_FORM_BTS;
	c->bts_control = call->control ?: DEFAULT_BTS_CONFIG;
	c->bts_size = size;
	c->bts_threshold = threshold(call, size);
	return 0;
}

static int config_of(const struct call *call, struct attachment_config *c)
{
	*c = (struct attachment_config){};
	return is_lbr(call->command) ? lbr_config(call, c) : bts_config(call, c);
}

/* Whether the request is for one thread only: the id of a process means all of its threads. */
static bool thread_alone(struct session *s, pid_t pid)
{
	struct task_struct *task;
	bool alone;

	rcu_read_lock();
	task = pid ? pid_task(find_pid_ns(pid, s->ns), PIDTYPE_PID) : NULL;
	alone = task && !thread_group_leader(task);
	rcu_read_unlock();
	return alone;
}

static long enable(struct file *file, struct session *s, struct call *call)
{
	struct attachment_config c;
	u32 why[TRAWL_PROVIDERS], tasks;
	int status;

	if (is_lbr(call->command) && !call->control)
		call->control = LBR_SELECT;
	status = config_of(call, &c);
	if (status)
		return status;
	c.provider = provider_choose(TRAWL_PROVIDER_AUTO, c.form, why);
	return tracing_enable(file, s, call->pid, thread_alone(s, call->pid), &c, &tasks);
}

static long configure(struct session *s, const struct call *call)
{
	struct attachment_config c;
	int status = config_of(call, &c);

	return status ?: tracing_configure(s, call->pid, thread_alone(s, call->pid), &c);
}

/* Copies what has been recorded, oldest first. The caller frees the result. */
static struct trawl_branch *copy_records(struct attachment *a, bool clear,
					 struct store_copied *copied)
{
	struct trawl_branch *records =
		kvcalloc(a->store.capacity, sizeof(*records), GFP_KERNEL_ACCOUNT);
	int status;

	if (!records)
		return ERR_PTR(-ENOMEM);
	status = store_copy(&a->store, records, a->store.capacity, clear, copied);
	if (!status)
		return records;
	kvfree(records);
	return ERR_PTR(status);
}

static int write_lbr_data(const struct call *call, u64 tos, const struct lbr_stack_entry *entries,
			  u32 n)
{
	void __user *user = u64_to_user_ptr(call->buffer);
	struct lbr_data data;
	struct narrow_lbr_data narrow;
	u64 to;

	if (call->narrow ? copy_from_user(&narrow, user, sizeof(narrow))
			 : copy_from_user(&data, user, sizeof(data)))
		return -EFAULT;
	to = call->narrow ? narrow.entries : (u64)data.entries;
	if (to && copy_to_user(u64_to_user_ptr(to), entries, n * sizeof(*entries)))
		return -EFAULT;
	/* tos is the first field of the 32-bit layout and of the 64-bit one. */
	return copy_to_user(user, &tos, sizeof(tos)) ? -EFAULT : 0;
}

static long dump_lbr(struct attachment *a, const struct call *call)
{
	struct lbr_stack_entry entries[LIBIHT_LBR_ENTRIES] = {};
	struct trawl_branch *records;
	struct store_copied copied;
	u64 begin;
	u32 i;

	records = copy_records(a, false, &copied);
	if (IS_ERR(records))
		return PTR_ERR(records);
	begin = copied.position - copied.count;
	for (i = 0; i < copied.count; i++) {
		struct lbr_stack_entry *e = &entries[(begin + i) % LIBIHT_LBR_ENTRIES];

		e->from = records[i].from;
		e->to = records[i].to;
	}
	kvfree(records);
	return write_lbr_data(call, copied.count ? (copied.position - 1) % LIBIHT_LBR_ENTRIES : 0,
			      entries, LIBIHT_LBR_ENTRIES);
}

/*
 * Fills the buffer as the processor would have. Returns the index at which the next record would be
 * written.
 */
static u32 fill_buffer(struct bts_record *buffer, const struct trawl_branch *records, u32 count,
		       u32 capacity, u64 begin)
{
	u32 i, index;

	for (i = 0; i < count; i++) {
		div_u64_rem(begin + i, capacity, &index);
		buffer[index] = (struct bts_record){ .from = records[i].from, .to = records[i].to };
	}
	div_u64_rem(begin + count, capacity, &index);
	/* The buffer is full and does not wrap: the index is after the end. */
	return !index && !begin && count ? capacity : index;
}

static int write_bts(const struct call *call, struct bts_data *data,
		     const struct bts_record *buffer, u32 index, struct attachment *a)
{
	void __user *base = (void __user *)data->bts_buffer_base;

	if (base && copy_to_user(base, buffer, a->config.bts_size))
		return -EFAULT;
	data->bts_index = data->bts_buffer_base + index;
	data->bts_interrupt_threshold = (u64)data->bts_buffer_base + a->config.bts_threshold;
	return write_bts_data(call, data);
}

static long dump_bts(struct session *s, struct attachment *a, const struct call *call)
{
	bool stops = a->config.bts_control & TRAWL_BTS_BTINT;
	u32 index, capacity = a->store.capacity;
	struct store_copied copied;
	struct trawl_branch *records;
	struct bts_record *buffer;
	struct bts_data data;
	int status = read_bts_data(call, &data);

	if (status)
		return status;
	buffer = kvcalloc(capacity, sizeof(*buffer), GFP_KERNEL_ACCOUNT);
	if (!buffer)
		return -ENOMEM;
	records = copy_records(a, stops, &copied);
	if (IS_ERR(records)) {
		kvfree(buffer);
		return PTR_ERR(records);
	}
	index = fill_buffer(buffer, records, copied.count, capacity,
			    stops ? 0 : copied.position - copied.count);
	if (!stops)
		index %= capacity;
	else
		WRITE_ONCE(s->ready, false);
	status = write_bts(call, &data, buffer, index, a);
	kvfree(records);
	kvfree(buffer);
	return status;
}

static long dump(struct session *s, const struct call *call)
{
	struct attachment *a =
		tracing_find(s, call->pid, is_lbr(call->command) ? TRAWL_FORM_LBR : TRAWL_FORM_BTS);

	if (IS_ERR(a))
		return PTR_ERR(a);
	/* A child whose store could not be allocated. */
	if (!a->store.records)
		return -ENOMEM;
	if (!call->buffer)
		return 0;
	return is_lbr(call->command) ? dump_lbr(a, call) : dump_bts(s, a, call);
}

static long serve(struct file *file, struct session *s, struct call *call)
{
	switch (call->command) {
	case LIBIHT_IOCTL_ENABLE_LBR:
	case LIBIHT_IOCTL_ENABLE_BTS:
		return enable(file, s, call);
	case LIBIHT_IOCTL_CONFIG_LBR:
	case LIBIHT_IOCTL_CONFIG_BTS:
		return configure(s, call);
	case LIBIHT_IOCTL_DUMP_LBR:
	case LIBIHT_IOCTL_DUMP_BTS:
		return dump(s, call);
	case LIBIHT_IOCTL_DISABLE_LBR:
		return tracing_disable(s, call->pid, thread_alone(s, call->pid), TRAWL_FORM_LBR);
	case LIBIHT_IOCTL_DISABLE_BTS:
		return tracing_disable(s, call->pid, thread_alone(s, call->pid), TRAWL_FORM_BTS);
	}
	return -EINVAL;
}

long libiht_request(struct file *file, unsigned int command, unsigned long argument, bool narrow)
{
	struct session *s = file->private_data;
	struct call call = { .narrow = narrow };
	long status;

	if (command != LIBIHT_LKM_IOCTL_BASE && command != LIBIHT_IOCTL_BASE)
		return -ENOTTY;
	status = narrow ? read_narrow(&call, (void __user *)argument)
			: read_wide(&call, (void __user *)argument);
	if (status)
		return status;
	if ((s32)call.pid < 0)
		return -ESRCH;
	if (mutex_lock_interruptible(&s->mutex))
		return -EINTR;
	status = serve(file, s, &call);
	mutex_unlock(&s->mutex);
	return status;
}
