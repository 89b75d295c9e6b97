// SPDX-License-Identifier: GPL-2.0-only
/*
 * The kernel does not write into a task's code on behalf of a task that has been killed: a uprobe
 * that a killed task removes stays in the code ("failed to unregister, leaking uprobe"). So a
 * worker, which is never killed, sets and removes them.
 */
#include "kmod/kuprobe.h"
#include <linux/workqueue.h>
#include "kmod/compat.h"

struct job {
	struct work_struct work;
	struct inode *inode;
	loff_t offset, ref_ctr;
	struct uprobe_consumer *consumer;
	struct uprobe *uprobe;
};

/*
 * An own workqueue: the kernel's unbound one was renamed after 6.12, and 7.3 warns about the old
 * name.
 */
static struct workqueue_struct *workers;

int kuprobes_init(void)
{
	workers = alloc_workqueue("trawl", WQ_UNBOUND, 0);
	return workers ? 0 : -ENOMEM;
}

void kuprobes_exit(void)
{
	destroy_workqueue(workers);
}

static void set(struct work_struct *work)
{
	struct job *job = container_of(work, struct job, work);

	job->uprobe = compat_uprobe_register(job->inode, job->offset, job->ref_ctr, job->consumer);
}

static void remove(struct work_struct *work)
{
	struct job *job = container_of(work, struct job, work);

	compat_uprobe_unregister(job->uprobe, job->inode, job->offset, job->consumer);
}

static void run(struct job *job, work_func_t function)
{
	INIT_WORK_ONSTACK(&job->work, function);
	queue_work(workers, &job->work);
	flush_work(&job->work);
	destroy_work_on_stack(&job->work);
}

struct uprobe *kuprobe_register(struct inode *inode, loff_t offset, loff_t ref_ctr,
				struct uprobe_consumer *consumer)
{
	struct job job = {
		.inode = inode, .offset = offset, .ref_ctr = ref_ctr, .consumer = consumer };

	run(&job, set);
	return job.uprobe;
}

void kuprobe_unregister(struct uprobe *uprobe, struct inode *inode, loff_t offset,
			struct uprobe_consumer *consumer)
{
	struct job job = {
		.uprobe = uprobe, .inode = inode, .offset = offset, .consumer = consumer };

	run(&job, remove);
}
