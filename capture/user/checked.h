/* SPDX-License-Identifier: MIT */
/*
 * Applies the checks (capture/cli/readable.h) of a probe to records of its event and its companion.
 */
#ifndef TRAWL_CAPTURE_USER_CHECKED_H
#define TRAWL_CAPTURE_USER_CHECKED_H

#include "capture/probe/probe.h"
#include "capture/trace/trace.h"
#include "capture/tracefs/readcheck.h"

/*
 * Makes the recording check the values in records of the probe's event. *f is the kernel's format
 * of the event; it is changed to the format in the file. Does nothing if the probe has no checks.
 * Returns 0, or -1 with *err.
 */
int checked_event(struct trace *t, const struct probe *p, struct eventformat *f,
		  struct trawl_error *err);

/* The same for its companion, whose fields are named in companion.c. */
int checked_companion(struct trace *t, const struct probe *p, const struct eventformat *f,
		      struct trawl_error *err);

#endif
