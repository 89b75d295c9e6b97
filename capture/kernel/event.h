/* SPDX-License-Identifier: MIT */
/* Trace events by name, and the source "event". */
#ifndef TRAWL_CAPTURE_KERNEL_EVENT_H
#define TRAWL_CAPTURE_KERNEL_EVENT_H

#include <stddef.h>

#include "capture/cli/spec.h"
#include "capture/source.h"

struct trace;

/* The source "event" for the group "block" in a scope (block.c). */
extern const struct source block_source;

/* Adds the events of all -i texts of the recording's input. Returns 0, or -1 with *err. */
int event_arm_specs(struct trace *t, struct trawl_error *err);

/*
 * Calls found() for each event that matches both globs, sorted by name. top: descriptor of tracefs.
 * Skips groups of running captures, unless the glob is such a group's name. Returns how many events
 * match, or -1 if found() failed.
 */
long events_each(int top, const char *group_glob, const char *name_glob,
		 int (*found)(void *arg, const char *group, const char *name), void *arg);

/*
 * Writes a hint for an event that does not exist: "; did you mean GROUP:NAME?", with this
 * separator, or the command that lists the events.
 */
void events_hint(int top, const char *group, char separator, const char *name, char *hint,
		 size_t size);

/*
 * Fails with *err for a filter on raw_syscalls that compares id with the name of a system call; the
 * message has its number. Returns 0 otherwise.
 */
int event_check_calls(const struct spec *spec, struct trawl_error *err);

#endif
