/* SPDX-License-Identifier: MIT */
/* Companions of probes with strings: longtext.h says what they are for. */
#ifndef TRAWL_CAPTURE_USER_COMPANION_H
#define TRAWL_CAPTURE_USER_COMPANION_H

#include "capture/probe/probe.h"
#include "capture/tracefs/longtext.h"
#include "capture/trace/trace.h"

/* Fills in where the probe's event has its arguments. nargs stays 0 if no string needs a companion
 * or the probe cannot have one. */
void companion_places(const struct probe *p, struct eventformat *f, struct long_text *pair);

/* Defines the companion of a probe that is defined and added; does nothing if nargs is 0. */
int companion_arm(struct trace *t, const struct probe *p, struct long_text *pair,
		  struct trawl_error *err);

/* Is an event of our group of this name a companion? */
bool companion_is(const char *event);

#endif
