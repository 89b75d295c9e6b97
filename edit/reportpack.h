/* SPDX-License-Identifier: MIT */
/* The zip file of a report: shown, agreed to, small enough. */
#ifndef TRAWL_EDIT_REPORTPACK_H
#define TRAWL_EDIT_REPORTPACK_H

#include "edit/report.h"

/*
 * Packs smaller and smaller parts of the capture until the zip is small enough; the last one is a
 * single event, and so the smallest report. Returns 0, or -1 with *err.
 */
int report_pack(struct report *r, int fd, struct trawl_error *err);
/* Shows the contents of the report and asks for consent. Returns false if it is refused. */
bool report_agreed(struct report *r);
/* The name of the report, for a terminal; `name` has PATH_MAX bytes. */
const char *report_shown_name(const struct report *r, char *name);

#endif
