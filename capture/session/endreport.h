/* SPDX-License-Identifier: MIT */
/* The end report of a capture: metadata "end" in the file, and the last lines on stderr. */
#ifndef TRAWL_CAPTURE_SESSION_ENDREPORT_H
#define TRAWL_CAPTURE_SESSION_ENDREPORT_H

#include "capture/session/command.h"
#include "capture/source.h"

struct end_report {
	const struct input *inputs;
	size_t ninputs;
	const struct source_stats *stats; /* of each input; NULL while they go on */
	uint64_t captured;                /* events of sources that the user named */
	const char *why;                  /* it ended */
	const char *trigger;              /* of a flight recorder's file; NULL: none */
	bool incomplete;
	uint64_t begin, end; /* MONO: the file has the events between them, and no others … */
	uint64_t early;	     /* … except so many earlier ones */
	bool more_files;     /* another file of this capture follows */
	const struct command *command;
};

/* Writes metadata "end" with this time. Returns as meta_write_json(). */
int end_report_write(const struct end_report *a, struct trawl_writer *w, uint64_t time,
		  struct trawl_error *err);

/* Prints "1234 events captured, 0 lost (usdt 1000, event 234)" and `more` on stderr. */
void end_report_print(const struct end_report *a, const char *more);

#endif
