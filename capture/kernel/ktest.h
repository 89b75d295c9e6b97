/* SPDX-License-Identifier: MIT */
/*
 * What this kernel's tracing can do. Each feature is tried, because the version does not say it:
 * features are backported, left out of a build, and sometimes accepted but wrong.
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
	/* Events, beside static ones, that an eprobe can be on. */
	bool on_synthetic, on_kprobe, on_uprobe, on_fprobe, on_eprobe;
};

/* Tries each feature in an instance and a group of its own, which it removes. 0, or -1 with
 * *err. */
int ktest_run(int top, struct kernel_features *k, struct trawl_error *err);

/* Tries eprobes only, or synthetic events with hist triggers only. 0, or -1 with *err. */
int ktest_eprobe(int top, struct trawl_error *err);
int ktest_synthetic(int top, struct trawl_error *err);

/* Opens tracefs and runs one of these two in it: returns what that does, or -1 without tracefs. */
int ktest_probe(int (*test)(int top, struct trawl_error *err), struct trawl_error *err);

/* Runs ktest_run() and writes the features to the file, as metadata kernel/tracing. */
int ktest_meta(struct trace *t, struct trawl_error *err);

#endif
