/* SPDX-License-Identifier: MIT */
/*
 * The checks of an eprobe (capture/cli/readable.h). The kernel does not fetch pages for an eprobe,
 * so that what a system call gets is often not readable when the call begins.
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

/* Takes an argument "EXPR[:TYPE]" that is to be called so; 0, or -1 without memory. */
int eprobe_check_arg(struct eprobe_checks *c, const char *name, const char *fetch);

/* args with the checks in front and the end after them: malloc'd, or NULL without memory. */
char *eprobe_check_args(const struct eprobe_checks *c, const char *args);

/* Reads of the event of this format are checked; makes of it what the file has. */
int eprobe_check_event(struct trace *t, const struct eprobe_checks *c, struct eventformat *f,
		       struct trawl_error *err);

void eprobe_checks_free(struct eprobe_checks *c);

#endif
