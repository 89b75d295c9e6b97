/* SPDX-License-Identifier: MIT */
/* What the reporter says of the problem. */
#ifndef TRAWL_EDIT_REPORTDESCRIPTION_H
#define TRAWL_EDIT_REPORTDESCRIPTION_H

#include "edit/report.h"

/*
 * Writes the reporter's description, from options or, on a terminal, from an editor. Returns 0, or
 * -1 with *err.
 */
int report_describe(struct report *r, struct trawl_error *err);

#endif
