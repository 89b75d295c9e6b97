/* SPDX-License-Identifier: MIT */
/* One eprobe, and its definition in dynamic_events (Documentation/trace/eprobetrace.rst). */
#ifndef TRAWL_CAPTURE_KERNEL_EPROBEDEFINE_H
#define TRAWL_CAPTURE_KERNEL_EPROBEDEFINE_H

#include "capture/cli/spec.h"
#include "capture/kernel/eprobecheck.h"
#include "capture/kernel/histpair.h"

/* One -i text. */
struct eprobe {
	struct trace *trace;
	struct spec spec;
	struct eventformat format; /* format of the event that the user named */
	bool with_request;         /* of disk requests, in a scope (block.h) */
	bool at_exit;
	struct hist_pair hist;
	char event[64];            /* tracefs name of the probe */
	char display[160];
	char *args;                /* "a=$b:u32 c=..." */
	bool of_request;           /* the record has the sectors of a disk request */
	struct eprobe_checks checks;
};

/*
 * Defines the probe on GROUP.EVENT, with its arguments and, unless it is at-exit, its filter. An
 * error has the kernel's message and caret. Returns 0, or -1 with *err.
 */
int eprobe_define(const struct eprobe *e, const char *group, const char *event,
		  struct trawl_error *err);

/* Writes the definition `line`. Returns 0, or -1 with *err, as eprobe_define(). */
int eprobe_define_line(const struct eprobe *e, const char *line, struct trawl_error *err);

/*
 * Finds what is wrong with an eprobe's filter, which the kernel does not report: sets it as a
 * filter of the event, after which error_log has the position of the error. Returns 0, or -1 with
 * *err.
 */
int eprobe_check_filter(const struct eprobe *e, struct trawl_error *err);

#endif
