/* SPDX-License-Identifier: MIT */
/* The checks of a probe (capture/cli/readable.h) as its event, or its companion, has them. */
#ifndef TRAWL_CAPTURE_USER_CHECKED_H
#define TRAWL_CAPTURE_USER_CHECKED_H

#include "capture/probe/probe.h"
#include "capture/trace/trace.h"
#include "capture/tracefs/readcheck.h"

/*
 * Checks the values in records of the probe's event from now on. *f is the kernel's format of the
 * event, and becomes the file's. Does nothing if the probe has no checks. 0, or -1 with *err.
 */
int checked_event(struct trace *t, const struct probe *p, struct eventformat *f,
		  struct trawl_error *err);

/* The same of its companion, whose fields have the names of companion.h. */
int checked_companion(struct trace *t, const struct probe *p, const struct eventformat *f,
		      struct trawl_error *err);

#endif
