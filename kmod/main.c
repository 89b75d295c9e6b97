// SPDX-License-Identifier: GPL-2.0-only
/* Loads and unloads the module. */
#include <linux/module.h>
#include "kmod/attachment.h"
#include "kmod/device.h"
#include "kmod/hooks.h"
#include "kmod/khandler.h"
#include "kmod/kuprobe.h"
#include "kmod/tracer.h"

static int __init trawl_init(void)
{
	int status = attachments_init();

	if (status)
		return status;
	status = kuprobes_init();
	if (status)
		goto attachments;
	khandlers_init();
	lifecycle_init();
	status = device_add_trawl();
	if (!status)
		return 0;
	kuprobes_exit();
attachments:
	attachments_exit();
	return status;
}

/* No file is open and no task has queued work: each would hold a reference to the module. */
static void __exit trawl_exit(void)
{
	device_remove_trawl();
	hooks_exit();
	stops_end();
	/*
	 * A task may still execute the last instructions of queued work that has dropped its
	 * reference to the module.
	 */
	synchronize_rcu_tasks();
	kuprobes_exit();
	attachments_exit();
}

module_init(trawl_init);
module_exit(trawl_exit);
MODULE_DESCRIPTION("trawl: branches of programs, and uprobes that stop them");
MODULE_LICENSE("GPL v2");
MODULE_VERSION("0.1.0");
