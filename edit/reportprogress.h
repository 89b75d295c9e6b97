/* SPDX-License-Identifier: MIT */
/* The progress bar of trawl-report: nothing is printed unless standard error is a terminal. */
#ifndef TRAWL_EDIT_REPORTPROGRESS_H
#define TRAWL_EDIT_REPORTPROGRESS_H

/* Draws the bar at the beginning of a step; for a name that is no step, prints a line. */
void report_step(const char *what, int seconds);
/* Removes the bar. */
void report_step_end(void);

#endif
