/* SPDX-License-Identifier: MIT */
/* Companions of probes with strings; capture/tracefs/longtext.h explains them. */
#ifndef TRAWL_CAPTURE_USER_COMPANION_H
#define TRAWL_CAPTURE_USER_COMPANION_H

#include "capture/probe/probe.h"
#include "capture/tracefs/longtext.h"
#include "capture/trace/trace.h"

/*
 * Fills in the offsets of the arguments in the probe's event. nargs is 0 if no string needs a
 * companion, or if the probe cannot have one.
 */
void companion_places(const struct probe *p, struct eventformat *f, struct long_text *pair);

/*
 * Defines and adds the companion of a probe that has been added; does nothing if nargs is 0.
 * Returns 0, or -1 with *err.
 */
int companion_arm(struct trace *t, const struct probe *p, struct long_text *pair,
		  struct trawl_error *err);

/* Whether the name of an event of our group is that of a companion. */
bool companion_is(const char *event);

#endif
