/* SPDX-License-Identifier: GPL-2.0-only */
/* Uprobes of the kernel, set and removed by a worker. */
#ifndef TRAWL_KMOD_KUPROBE_H
#define TRAWL_KMOD_KUPROBE_H

#include <linux/fs.h>
#include <linux/uprobes.h>

int kuprobes_init(void);
void kuprobes_exit(void);

/*
 * kuprobe_register(), kuprobe_unregister() - as uprobe_register() and uprobe_unregister() of the
 * newest kernels, but they also work in a caller that has been killed. Both sleep.
 */
struct uprobe *kuprobe_register(struct inode *inode, loff_t offset, loff_t ref_ctr,
				struct uprobe_consumer *consumer);
void kuprobe_unregister(struct uprobe *uprobe, struct inode *inode, loff_t offset,
			struct uprobe_consumer *consumer);

#endif
