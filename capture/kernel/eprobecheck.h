/* SPDX-License-Identifier: MIT */
/*
 * The checks of an eprobe (capture/cli/readable.h). An eprobe cannot cause page faults: when a
 * system call begins, the memory of its arguments is often not present.
 */
#ifndef TRAWL_CAPTURE_KERNEL_EPROBECHECK_H
#define TRAWL_CAPTURE_KERNEL_EPROBECHECK_H

#include "capture/trace/trace.h"
#include "capture/tracefs/eventformat.h"

/* The checks of one argument. */
struct eprobe_check {
	char value[64];
	bool deep;        /* it is behind more than one pointer */
	char name[2][16]; /* names of the fields; "": no such check */
	char fetch[2][128];
};

struct eprobe_checks {
	size_t n;
	struct eprobe_check *checks;
};

/*
 * Adds the checks of the argument NAME=EXPR[:TYPE], if it needs any. Returns 0, or -1 without
 * memory.
 */
int eprobe_check_arg(struct eprobe_checks *c, const char *name, const char *fetch);

/*
 * Returns args with the fields of the checks before and after them, malloc'd; NULL without memory.
 */
char *eprobe_check_args(const struct eprobe_checks *c, const char *args);

/*
 * Makes the recording check the values in records of the event. *f is the kernel's format of the
 * event; it is changed to the format in the file. Returns 0, or -1 with *err.
 */
int eprobe_check_event(struct trace *t, const struct eprobe_checks *c, struct eventformat *f,
		       struct trawl_error *err);

void eprobe_checks_free(struct eprobe_checks *c);

#endif
