// SPDX-License-Identifier: GPL-2.0-only
/* /dev/trawl. */
#include "kmod/device.h"
#include <linux/compat.h>
#include <linux/miscdevice.h>
#include <linux/module.h>
#include <linux/namei.h>
#include <linux/poll.h>
#include <linux/proc_fs.h>
#include "kmod/attached.h"
#include "kmod/hooks.h"
#include "kmod/libiht.h"
#include "kmod/permit.h"
#include "kmod/probe.h"
#include "kmod/request.h"
#include "kmod/session.h"
#include "kmod/tracer.h"
#include "kmod/trawl_libiht.h"

static int open_session(struct inode *inode, struct file *file)
{
	struct session *s;
	int status = permit_open();

	if (status)
		return status;
	s = session_new();
	if (!s)
		return -ENOMEM;
	/* misc_open() has stored the miscdevice there. */
	file->private_data = s;
	return nonseekable_open(inode, file);
}

static int device_release(struct inode *inode, struct file *file)
{
	struct session *s = file->private_data;
	enum session_state before;

	probes_end(s);
	if (s->tracer)
		tracer_close(s->tracer);
	before = session_close(s);
	/* A task may still prepare its attachment, or switch its records on. */
	mutex_lock(&s->mutex);
	attachments_end(s, 0, 0, ATTACHMENTS_ALL);
	mutex_unlock(&s->mutex);
	if (before == SESSION_HOOKED)
		hooks_stop();
	session_put(s);
	return 0;
}

/* Serves a request of trawl_uprobe.h. The first one of a file makes its tracer. */
static long uprobe_request(struct file *file, unsigned int command, unsigned long argument)
{
	struct session *s = file->private_data;
	/* Pairs with cmpxchg() below: a tracer that is seen is complete. */
	struct tracer *tracer = smp_load_acquire(&s->tracer), *other;

	if (!tracer) {
		tracer = tracer_new(s);
		if (!tracer)
			return -ENOMEM;
		other = cmpxchg(&s->tracer, NULL, tracer);
		if (other) {
			tracer_close(tracer);
			tracer = other;
		}
	}
	return tracer_ioctl(tracer, file, command, argument);
}

static long own_request(struct file *file, unsigned int command, unsigned long argument)
{
	if (_IOC_NR(command) >= TRAWL_UPROBE_FIRST)
		return uprobe_request(file, command, argument);
	return request(file, command, argument);
}

static long device_ioctl(struct file *file, unsigned int command, unsigned long argument)
{
	if (_IOC_TYPE(command) == TRAWL_IOC_MAGIC)
		return own_request(file, command, argument);
	return libiht_request(file, command, argument, false);
}

#ifdef CONFIG_COMPAT
static long device_compat_ioctl(struct file *file, unsigned int command, unsigned long argument)
{
	argument = (unsigned long)compat_ptr(argument);
	if (_IOC_TYPE(command) == TRAWL_IOC_MAGIC)
		return own_request(file, command, argument);
	return libiht_request(file, command, argument, true);
}
#endif

static int device_mmap(struct file *file, struct vm_area_struct *vma)
{
	struct session *s = file->private_data;
	/* Pairs with smp_store_release() in TRAWL_IOC_RING. */
	struct ring *ring = smp_load_acquire(&s->ring);

	return ring ? ring_map(ring, vma) : -ENXIO;
}

static __poll_t device_poll(struct file *file, poll_table *table)
{
	struct session *s = file->private_data;
	/* Pairs with smp_store_release() in TRAWL_IOC_RING. */
	struct ring *ring = smp_load_acquire(&s->ring);
	/* Pairs with cmpxchg() in uprobe_request(). */
	struct tracer *tracer = smp_load_acquire(&s->tracer);
	__poll_t events = 0;

	poll_wait(file, &s->readers, table);
	if (tracer)
		events |= tracer_poll(tracer, file, table);
	if (READ_ONCE(s->ready))
		events |= EPOLLIN | EPOLLRDNORM;
	if (!ring)
		return events;
	/* The reader may have made room by moving the ring's tail. */
	wake_up_all(&s->writers);
	if (ring_readable(ring, atomic_read(&s->sleepers)))
		events |= EPOLLIN | EPOLLRDNORM;
	if (READ_ONCE(s->state) == SESSION_HOOKED && !ring_tasks(ring, 0))
		events |= EPOLLHUP;
	return events;
}

static const struct file_operations operations = {
	.owner = THIS_MODULE,
	.open = open_session,
	.release = device_release,
	.unlocked_ioctl = device_ioctl,
#ifdef CONFIG_COMPAT
	.compat_ioctl = device_compat_ioctl,
#endif
	.mmap = device_mmap,
	.poll = device_poll,
};

static struct miscdevice device = {
	.minor = MISC_DYNAMIC_MINOR,
	.name = "trawl",
	.mode = 0600,
	.fops = &operations,
};

/* A link to the device where programs written for libiht's module open it. */
static struct proc_dir_entry *link;

/* Without the link only those programs miss something. libiht's module may have taken the name. */
static void add_link(void)
{
	struct path taken;

	if (!kern_path("/proc/" LIBIHT_PROC_NAME, 0, &taken))
		path_put(&taken);
	else
		link = proc_symlink(LIBIHT_PROC_NAME, NULL, "/dev/trawl");
}

int device_add_trawl(void)
{
	int status = misc_register(&device);

	if (!status)
		add_link();
	return status;
}

void device_remove_trawl(void)
{
	if (link)
		proc_remove(link);
	misc_deregister(&device);
}
