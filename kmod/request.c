// SPDX-License-Identifier: GPL-2.0-only
#include "kmod/request.h"
#include <linux/math64.h>
#include <linux/mm.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/uaccess.h>
#include "kmod/attached.h"
#include "kmod/lbr.h"
#include "kmod/probe.h"
#include "kmod/provider.h"
#include "kmod/session.h"
#include "kmod/tracing.h"

#define DEPTH_DEFAULT	32
#define DEPTH_MAX	1024

/* Any request of trawl_uapi.h. All of them begin with their size and their flags. */
union body {
	struct {
		__u32 size, flags;
	};
	struct trawl_provider_info info;
	struct trawl_enable enable;
	struct trawl_disable disable;
	struct trawl_dump dump;
	struct trawl_ring_setup ring;
	struct trawl_probe probe;
};

static long provider_info(struct file *file, struct session *s, union body *b)
{
	struct trawl_provider_info *info = &b->info;
	const struct provider *p = provider_find(info->provider);
	const char *reason;

	if (info->flags || info->pad)
		return -EINVAL;
	if (!p)
		return -ENOENT;
	info->why = provider_why(info->provider, 0, &reason);
	info->forms = info->why ? 0 : p->forms;
	info->depth = !info->why && p->depth ? p->depth() : 0;
	info->abi = TRAWL_ABI;
	strscpy_pad(info->name, p->name, sizeof(info->name));
	strscpy_pad(info->reason, reason, sizeof(info->reason));
	return 0;
}

static bool bts_valid(struct attachment_config *c)
{
	u64 size = c->bts_size ?: TRAWL_BTS_SIZE_DEFAULT;
	u32 rest;

	div_u64_rem(size, TRAWL_BTS_RECORD, &rest);
	if (rest || size > TRAWL_BTS_SIZE_MAX || c->bts_control & ~(u64)TRAWL_BTS_MASK)
		return false;
	c->bts_size = size;
	if (!c->bts_threshold)
		c->bts_threshold = size - div_u64(size, 16 * TRAWL_BTS_RECORD) * TRAWL_BTS_RECORD;
	return c->bts_threshold >= TRAWL_BTS_RECORD && c->bts_threshold <= size;
}

/* Copies the fields that matter for the form; false if another one is not zero. */
static bool config_of(const struct trawl_enable *e, struct attachment_config *c)
{
	*c = (struct attachment_config){
		.form = e->form,
		.provider = e->provider,
		.depth = e->depth,
		.select = e->select,
		.bts_control = e->bts_control,
		.bts_size = e->bts_size,
		.bts_threshold = e->bts_threshold,
		.alone = e->flags & TRAWL_ENABLE_ALONE,
		.on_exec = e->flags & TRAWL_ENABLE_ON_EXEC,
	};
	if (e->flags & ~TRAWL_ENABLE_FLAGS || e->pad || e->pid < 0 ||
	    e->provider >= TRAWL_PROVIDERS)
		return false;
	if (e->form != TRAWL_FORM_LBR && e->depth)
		return false;
	switch (e->form) {
	case TRAWL_FORM_LBR:
		c->depth = e->depth ?: DEPTH_DEFAULT;
		if (c->depth > DEPTH_MAX)
			return false;
		fallthrough;
	case TRAWL_FORM_STREAM:
		return !(e->select & ~(u64)TRAWL_SELECT_MASK) && !e->bts_control && !e->bts_size &&
			!e->bts_threshold;
	case TRAWL_FORM_BTS:
		return !e->select && bts_valid(c);
	}
	return false;
}

static long enable(struct file *file, struct session *s, union body *b)
{
	struct trawl_enable *e = &b->enable;
	struct attachment_config c;
	u32 requested = e->provider;

	if (!config_of(e, &c))
		return -EINVAL;
	c.provider = e->provider = provider_choose(requested, e->form, e->why);
	if (!c.provider)
		return e->why[requested] == TRAWL_WHY_BUSY ? -EBUSY : -EOPNOTSUPP;
	if (c.provider == TRAWL_PROVIDER_LBR)
		c.depth = min(c.depth, lbr_depth());
	e->depth = c.depth;
	return tracing_enable(file, s, e->pid, e->flags & TRAWL_ENABLE_THREAD, &c, &e->tasks);
}

static long configure(struct file *file, struct session *s, union body *b)
{
	struct trawl_enable *e = &b->enable;
	struct attachment_config c;

	if (!config_of(e, &c) || e->flags & ~TRAWL_ENABLE_THREAD)
		return -EINVAL;
	return tracing_configure(s, e->pid, e->flags & TRAWL_ENABLE_THREAD, &c);
}

static bool dumps(u32 form)
{
	return form == TRAWL_FORM_LBR || form == TRAWL_FORM_BTS;
}

static long disable(struct file *file, struct session *s, union body *b)
{
	struct trawl_disable *d = &b->disable;

	if (d->flags & ~TRAWL_DISABLE_FLAGS || d->flags == TRAWL_DISABLE_FLAGS || d->pid < 0)
		return -EINVAL;
	if (!dumps(d->form) && d->form != TRAWL_FORM_STREAM)
		return -EINVAL;
	if (d->flags & TRAWL_DISABLE_ALL) {
		if (d->pid)
			return -EINVAL;
		return attachments_end(s, 0, d->form, ATTACHMENTS_ALL) ? 0 : -ENOENT;
	}
	return tracing_disable(s, d->pid, d->flags & TRAWL_DISABLE_THREAD, d->form);
}

static int dump_records(struct attachment *a, struct trawl_dump *d)
{
	u32 capacity = min(d->capacity, a->store.capacity);
	struct trawl_branch *records =
		kvcalloc(max(capacity, 1u), sizeof(*records), GFP_KERNEL_ACCOUNT);
	struct store_copied copied;
	int status;

	if (!records)
		return -ENOMEM;
	status = store_copy(&a->store, records, capacity, d->flags & TRAWL_DUMP_CLEAR, &copied);
	if (!status) {
		d->count = copied.there;
		d->lost = copied.lost;
	}
	if (!status && copy_to_user(u64_to_user_ptr(d->records), records,
				    copied.count * sizeof(*records)))
		status = -EFAULT;
	kvfree(records);
	return status;
}

static long dump(struct file *file, struct session *s, union body *b)
{
	struct trawl_dump *d = &b->dump;
	struct attachment *a;

	if (d->flags & ~TRAWL_DUMP_FLAGS || d->pid < 0 || !dumps(d->form))
		return -EINVAL;
	a = tracing_find(s, d->pid, d->form);
	if (IS_ERR(a))
		return PTR_ERR(a);
	d->count = store_count(&a->store);
	d->lost = READ_ONCE(a->store.lost);
	d->state = a->state;
	d->provider = a->config.provider;
	if (d->flags & TRAWL_DUMP_CLEAR)
		WRITE_ONCE(s->ready, false);
	return d->records ? dump_records(a, d) : 0;
}

static long ring(struct file *file, struct session *s, union body *b)
{
	struct ring *r;

	if (s->ring)
		return -EEXIST;
	r = ring_new(&b->ring);
	if (IS_ERR(r))
		return PTR_ERR(r);
	/* Whoever sees the ring, without the mutex, sees a complete one. */
	smp_store_release(&s->ring, r);
	return 0;
}

static long probe(struct file *file, struct session *s, union body *b)
{
	return probe_add(s, &b->probe);
}

static long unprobe(struct file *file, struct session *s, union body *b)
{
	return b->probe.flags ? -EINVAL : probe_remove(s, b->probe.cookie);
}

static const struct {
	u32 size;
	long (*serve)(struct file *file, struct session *session, union body *body);
} requests[] = {
	[_IOC_NR(TRAWL_IOC_PROVIDER)] = { sizeof(struct trawl_provider_info), provider_info },
	[_IOC_NR(TRAWL_IOC_ENABLE)] = { sizeof(struct trawl_enable), enable },
	[_IOC_NR(TRAWL_IOC_DISABLE)] = { sizeof(struct trawl_disable), disable },
	[_IOC_NR(TRAWL_IOC_CONFIG)] = { sizeof(struct trawl_enable), configure },
	[_IOC_NR(TRAWL_IOC_DUMP)] = { sizeof(struct trawl_dump), dump },
	[_IOC_NR(TRAWL_IOC_RING)] = { sizeof(struct trawl_ring_setup), ring },
	[_IOC_NR(TRAWL_IOC_PROBE)] = { sizeof(struct trawl_probe), probe },
	[_IOC_NR(TRAWL_IOC_UNPROBE)] = { sizeof(struct trawl_probe), unprobe },
};

static long serve(struct file *file, unsigned int nr, void __user *user)
{
	struct session *s = file->private_data;
	union body b = {};
	u32 size;
	long status;

	if (get_user(size, (u32 __user *)user))
		return -EFAULT;
	if (size < 2 * sizeof(u32) || size > PAGE_SIZE)
		return -EINVAL;
	status = copy_struct_from_user(&b, requests[nr].size, user, size);
	if (status)
		/* The request is longer than the module's, and the rest is not zero. */
		return status == -E2BIG ? -EINVAL : status;
	if (mutex_lock_interruptible(&s->mutex))
		return -EINTR;
	status = requests[nr].serve(file, s, &b);
	mutex_unlock(&s->mutex);
	/* On these errors, too, the answer is copied out: it has each provider's reason. */
	if ((!status || status == -EOPNOTSUPP || status == -EBUSY) &&
	    copy_to_user(user, &b, min(size, requests[nr].size)))
		return -EFAULT;
	return status;
}

long request(struct file *file, unsigned int command, unsigned long argument)
{
	struct session *s = file->private_data;
	unsigned int nr = _IOC_NR(command);

	if (command == TRAWL_IOC_WAKE) {
		wake_up_all(&s->writers);
		return 0;
	}
	if (_IOC_DIR(command) != (_IOC_READ | _IOC_WRITE) || nr >= ARRAY_SIZE(requests) ||
	    !requests[nr].serve)
		return -ENOTTY;
	return serve(file, nr, (void __user *)argument);
}
