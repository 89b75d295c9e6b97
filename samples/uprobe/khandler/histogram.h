/* SPDX-License-Identifier: (GPL-2.0-only WITH Linux-syscall-note) OR MIT */
/* What the khandler "histogram" gathers, for both sides. */
#ifndef HISTOGRAM_H
#define HISTOGRAM_H

#include <linux/types.h>

/* slot[n]: hits whose first argument has n binary digits. */
struct kh_histogram {
	__u64 hits;
	__u64 slot[65];
};

#endif
