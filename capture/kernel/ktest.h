/* SPDX-License-Identifier: MIT */
/*
 * What this kernel's tracing can do, tried out rather than guessed from its version: features are
 * backported, built without, and sometimes accepted and wrong.
 */
#ifndef TRAWL_CAPTURE_KERNEL_KTEST_H
#define TRAWL_CAPTURE_KERNEL_KTEST_H

#include "capture/trace/trace.h"

struct ktest {
	bool eprobe;       /* a probe on an event */
	bool filter;       /* with "if FILTER" */
	bool arrays;       /* +8($args) reads the array, and not where its first element points */
	bool synthetic;    /* synthetic events */
	bool hist;         /* hist triggers */
	/* What an eprobe can be on, beside a static event. */
	bool on_synthetic, on_kprobe, on_uprobe, on_fprobe, on_eprobe;
};

/* Tries it all, in an own instance and under own names; leaves nothing behind. */
int ktest_run(int top, struct ktest *k, struct trawl_error *err);

/* Only whether there are eprobes, or synthetic events and hist triggers: 0, or -1 and why not. */
int ktest_eprobe(int top, struct trawl_error *err);
int ktest_synthetic(int top, struct trawl_error *err);

/* Runs one of these in tracefs. Returns as it, or -1 when there is no tracefs. */
int ktest_probe(int (*test)(int top, struct trawl_error *err), struct trawl_error *err);

/* Runs it and writes the result to the file, as metadata kernel/tracing. */
int ktest_meta(struct trace *t, struct trawl_error *err);

#endif
