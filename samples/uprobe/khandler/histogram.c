// SPDX-License-Identifier: GPL-2.0-only
/*
 * A khandler in a module of its own: at each hit, how large the function's first argument is.
 *
 *	make -C /lib/modules/$(uname -r)/build M=$PWD TRAWL=TREE KBUILD_EXTRA_SYMBOLS=TREE/kmod/Module.symvers modules
 *
 * TREE is trawl's source, in whose kmod/ trawl.ko was built. The program includes histogram.h and
 * calls uprobe_run_khandler("histogram", &u, &histogram).
 */
#include <linux/bitops.h>
#include <linux/module.h>
#include "histogram.h"
#include "kmod/khandler.h"

static void hit(const struct khandler_hit *at, void *data)
{
	struct kh_histogram *histogram = data;

	histogram->hits++;
	histogram->slot[fls64(at->regs->di)]++;
}

static struct khandler handler = {
	.name = "histogram",
	.owner = THIS_MODULE,
	.hit = hit,
	.data_size = sizeof(struct kh_histogram),
};

static int __init histogram_init(void)
{
	return register_khandler(&handler);
}

/* The module stays while a registration uses its handler. */
static void __exit histogram_exit(void)
{
	unregister_khandler(&handler);
}

module_init(histogram_init);
module_exit(histogram_exit);
MODULE_DESCRIPTION("trawl: a khandler that histograms an argument");
MODULE_LICENSE("GPL");
