/* SPDX-License-Identifier: MIT */
/*
 * Programs that get probes come from strangers, and what reads them (ELF, notes, DWARF, exception
 * tables) would be root. It is a process of its own: nobody, without capabilities, in a sandbox,
 * with limits of time and memory, and with the open files alone. It answers through a pipe
 * (reply.h) and may ask for separate debug files (opener.h).
 */
#ifndef TRAWL_CAPTURE_PROBE_APART_H
#define TRAWL_CAPTURE_PROBE_APART_H

#include "capture/probe/types.h"
#include "format/trawl.h"

/* Changes the list's probes and remarks, not its files. 0, or -1 with *err. */
typedef int apart_fn(void *arg, struct probe_list *list, struct trawl_error *err);

/*
 * Calls fn(arg, list, err) in such a process; list then is as fn left it, or as before with *err.
 * name is what a message calls the program if the process crashes or takes too long.
 */
int apart_run(apart_fn *fn, void *arg, const char *name, struct probe_list *list,
	      struct trawl_error *err);

#endif
