/* SPDX-License-Identifier: MIT */
/*
 * The checks of an eprobe (capture/cli/readable.h). The kernel does not fetch pages for an eprobe:
 * when a system call begins, the memory of its arguments is often not readable.
 */
#ifndef TRAWL_CAPTURE_KERNEL_EPROBECHECK_H
#define TRAWL_CAPTURE_KERNEL_EPROBECHECK_H

#include "capture/trace/trace.h"
#include "capture/tracefs/eventformat.h"

/* An argument, and its checks. */
struct eprobe_check {
	char value[64];
	bool deep;        /* behind more than one pointer */
	char name[2][16]; /* of the fields; "": there is no such check */
	char fetch[2][128];
};

struct eprobe_checks {
	size_t n;
	struct eprobe_check *checks;
};

/* Adds the checks of the argument NAME=EXPR[:TYPE], if it needs any. 0, or -1 without memory. */
int eprobe_check_arg(struct eprobe_checks *c, const char *name, const char *fetch);

/* Returns args between the checks and the end, malloc'd, or NULL without memory. */
char *eprobe_check_args(const struct eprobe_checks *c, const char *args);

/*
 * Checks the values in records of the event from now on. *f is the kernel's format of the event,
 * and becomes the file's. 0, or -1 with *err.
 */
int eprobe_check_event(struct trace *t, const struct eprobe_checks *c, struct eventformat *f,
		       struct trawl_error *err);

void eprobe_checks_free(struct eprobe_checks *c);

#endif
