/* SPDX-License-Identifier: MIT */
/*
 * The parts of a report that other programs make. Functions that return int return 0, or -1 with
 * *err.
 */
#ifndef TRAWL_EDIT_REPORTJOBS_H
#define TRAWL_EDIT_REPORTJOBS_H

#include "edit/report.h"

/* Records COMMAND, into r->saved. */
int report_record(struct report *r, struct trawl_error *err);
/* Makes a flight recorder save its contents; the saved file stays where the recorder wrote it. */
int report_take_over(struct report *r, struct trawl_error *err);
/* Cuts the capture to at most `size` bytes; 0: to one event. */
int report_cut(struct report *r, uint64_t size, struct trawl_error *err);
int report_redact(struct report *r, struct trawl_error *err);
/*
 * Makes the page, the summary and the packets. They show the name of the file from which they were
 * made.
 */
int report_make_views(struct report *r, struct trawl_error *err);

#endif
