// SPDX-License-Identifier: GPL-2.0-only
/*
 * A probe is a uprobe of the kernel, which shares its breakpoint with uprobes of tracefs at the
 * same place. Its handler runs in the task that hit it. The handler takes the branches of the
 * session's attachment of form LBR, and never sleeps.
 */
#include "kmod/probe.h"
#include <linux/file.h>
#include <linux/mm.h>
#include <linux/slab.h>
#include <linux/timekeeping.h>
#include "kmod/compat.h"
#include "kmod/kuprobe.h"
#include "kmod/lastbranches.h"
#include "kmod/session.h"

struct probe {
	struct uprobe_consumer consumer;
	struct list_head node;		/* session->probes */
	struct session *session;
	struct file *file;		/* holds a reference, which keeps the inode */
	struct uprobe *uprobe;
	struct trawl_probe request;
};

static void put(struct probe *p, struct trawl_branch *records, u32 n, u16 count, u64 ip)
{
	u32 i;

	for (i = 0; i < n; i++)
		records[i].flags |= TRAWL_FLAG_PROBE;
	records[n] = (struct trawl_branch){
		.kind = TRAWL_KIND_PROBE, .from = p->request.cookie, .to = ip, .cycles = count,
		.tid = task_pid_nr_ns(current, p->session->ns), .time = ktime_get_mono_fast_ns(),
	};
	session_put_records(p->session, records, n + 1);
}

/*
 * Runs in the context of the task. Must not sleep: that would delay whoever unregisters a uprobe.
 */
static int on_hit(COMPAT_UPROBE_ARGUMENTS)
{
	struct probe *p = container_of(consumer, struct probe, consumer);
	u32 last = p->request.last;
	struct trawl_branch *records, unknown;
	int n;

	records = kvcalloc(max(last, LAST_BRANCHES_ROOM) + 1, sizeof(*records),
			   GFP_NOWAIT | __GFP_NOWARN);
	n = last_branches(p->session, current, records, records ? last : 0);
	if (n >= 0 && records)
		put(p, records, n, n, instruction_pointer(regs));
	else if (n != -ENOENT)
		put(p, &unknown, 0, TRAWL_STACK_UNKNOWN, instruction_pointer(regs));
	kvfree(records);
	return 0;
}

/* The inode that has the pages: not that of an overlay file system. */
static struct inode *inode_of(struct probe *p)
{
	return d_real_inode(file_dentry(p->file));
}

static void end(struct probe *p)
{
	if (p->uprobe)
		kuprobe_unregister(p->uprobe, inode_of(p), p->request.offset, &p->consumer);
	fput(p->file);
	kfree(p);
}

static struct probe *find(struct session *session, u64 cookie)
{
	struct probe *p;

	list_for_each_entry(p, &session->probes, node)
		if (p->request.cookie == cookie)
			return p;
	return NULL;
}

int probe_add(struct session *session, const struct trawl_probe *request)
{
	struct uprobe *uprobe;
	struct probe *p;

	if (request->flags || !request->last || request->last > LAST_BRANCHES_MAX)
		return -EINVAL;
	if (!session->ring)
		return -ENXIO;
	if (find(session, request->cookie))
		return -EEXIST;
	p = kzalloc(sizeof(*p), GFP_KERNEL_ACCOUNT);
	if (!p)
		return -ENOMEM;
	p->session = session;
	p->request = *request;
	p->consumer.handler = on_hit;
	p->file = fget(request->fd);
	if (!p->file || !S_ISREG(file_inode(p->file)->i_mode)) {
		int status = p->file ? -EINVAL : -EBADF;

		if (p->file)
			fput(p->file);
		kfree(p);
		return status;
	}
	uprobe = kuprobe_register(inode_of(p), request->offset, request->ref_ctr_offset,
				  &p->consumer);
	if (IS_ERR(uprobe)) {
		end(p);
		return PTR_ERR(uprobe);
	}
	p->uprobe = uprobe;
	list_add_tail(&p->node, &session->probes);
	return 0;
}

int probe_remove(struct session *session, u64 cookie)
{
	struct probe *p = find(session, cookie);

	if (!p)
		return -ENOENT;
	list_del(&p->node);
	end(p);
	return 0;
}

void probes_end(struct session *session)
{
	struct probe *p, *next;

	list_for_each_entry_safe(p, next, &session->probes, node) {
		list_del(&p->node);
		end(p);
	}
}
