/* SPDX-License-Identifier: MIT */
/*
 * Reading a program's ELF, notes, DWARF and exception tables in a process of its own. The files may
 * come from anybody and the recorder is often root, so the parsing runs as user nobody, without
 * capabilities, in a seccomp sandbox, with limits on CPU time and memory, and with only the probed
 * files open. The process returns its result through a pipe (reply.h) and asks its parent to open
 * separate debug files (opener.h).
 */
#ifndef TRAWL_CAPTURE_PROBE_APART_H
#define TRAWL_CAPTURE_PROBE_APART_H

#include "capture/probe/types.h"
#include "format/trawl.h"

/*
 * The work to do in the confined process. May change the list's probes and remarks, but not its
 * files. Returns 0, or -1 with *err.
 */
typedef int apart_fn(void *arg, struct probe_list *list, struct trawl_error *err);

/*
 * Calls fn(arg, list, err) in a confined process and waits for it: at most 5 minutes, less if
 * SIGINT, SIGTERM or SIGHUP becomes pending. Returns 0, and the list is as fn left it; or -1 with
 * *err, and the list's probes and remarks are as before. fn's pointers are valid in the child
 * because it is forked. `name` is the program's name in messages about a reader that crashed, ran
 * out of memory or was stopped.
 */
int apart_run(apart_fn *fn, void *arg, const char *name, struct probe_list *list,
	      struct trawl_error *err);

#endif
