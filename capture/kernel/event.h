/* SPDX-License-Identifier: MIT */
/* The kernel's events by name. */
#ifndef TRAWL_CAPTURE_KERNEL_EVENT_H
#define TRAWL_CAPTURE_KERNEL_EVENT_H

#include <stddef.h>

#include "capture/cli/spec.h"
#include "capture/source.h"

struct trace;

/* The source "event" for the group "block" in a scope: block.c. */
extern const struct source block_source;

/* Adds the events of all -i texts of the recording's input. 0, or -1 with *err. */
int event_arm_specs(struct trace *t, struct trawl_error *err);

/*
 * Calls found() for each event that matches both globs, in order; top is tracefs. Returns how
 * many, or -1 when found() failed. Groups made by running captures are left out unless named in
 * full.
 */
long events_each(int top, const char *group_glob, const char *name_glob,
		 int (*found)(void *arg, const char *group, const char *name), void *arg);

/* Writes the hint for an event that does not exist: "; did you mean GROUP:NAME?", with this
 * separator, or where all events are listed. */
void events_hint(int top, const char *group, char separator, const char *name, char *hint,
		 size_t size);

/* Fails for a filter on raw_syscalls that compares id with a call's name; *err has its number. */
int event_check_calls(const struct spec *spec, struct trawl_error *err);

#endif
