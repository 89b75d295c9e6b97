/* SPDX-License-Identifier: MIT */
/*
 * Tests which features of tracing this kernel has. The version does not say that: features are
 * backported, left out of a build, and sometimes accepted but wrong.
 */
#ifndef TRAWL_CAPTURE_KERNEL_KTEST_H
#define TRAWL_CAPTURE_KERNEL_KTEST_H

#include "capture/trace/trace.h"

struct kernel_features {
	bool eprobe;       /* a probe on an event */
	bool filter;       /* an eprobe with "if FILTER" */
	bool arrays;       /* +8($args) reads the array, not the memory at its first element */
	bool synthetic;    /* synthetic events */
	bool hist;         /* hist triggers */
	/* Events besides static ones to which an eprobe can be attached. */
	bool on_synthetic, on_kprobe, on_uprobe, on_fprobe, on_eprobe;
};

/*
 * Tests each feature in an instance and a group of its own, which it removes. Returns 0, or -1 with
 * *err.
 */
int ktest_run(int top, struct kernel_features *k, struct trawl_error *err);

/*
 * Tests only eprobes, or only synthetic events with hist triggers. Returns 0, or -1 with *err: a
 * feature is missing.
 */
int ktest_eprobe(int top, struct trawl_error *err);
int ktest_synthetic(int top, struct trawl_error *err);

/* Opens tracefs and runs one of these two. Returns its result, or -1 with *err without tracefs. */
int ktest_probe(int (*test)(int top, struct trawl_error *err), struct trawl_error *err);

/*
 * Runs ktest_run() and writes the features as metadata kernel/tracing. Returns 0, or -1 with *err.
 */
int ktest_meta(struct trace *t, struct trawl_error *err);

#endif
