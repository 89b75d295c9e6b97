/* SPDX-License-Identifier: MIT */
/*
 * A list of probes, or an error, as bytes from the process that read a stranger's program (apart.h)
 * to the recorder. What comes is as foreign as the program: it is checked whole before it is
 * believed, and what goes to tracefs can be nothing but definitions of probes in files that were
 * opened.
 */
#ifndef TRAWL_CAPTURE_PROBE_REPLY_H
#define TRAWL_CAPTURE_PROBE_REPLY_H

#include <stddef.h>

#include "capture/probe/types.h"
#include "format/trawl.h"

/* Which probes and remarks a list had before; NULL-safe to free. */
struct reply_before {
	struct probe **probes; /* a copy of the list's array */
	size_t n, nnotes;
};
struct reply_before reply_before(const struct probe_list *list);

/*
 * What became of the list since: which of those probes are still there, new ones, new remarks,
 * build ids; or, if ret is not 0, *err. malloc'd.
 */
void *reply_write(const struct probe_list *list, const struct reply_before *before, int ret,
		  const struct trawl_error *err, size_t *n);

/*
 * Does to the list, which is as before, what came; its files stay, and are all that a probe may
 * be in. 0; -1 with *err, which came; 1: what came makes no sense, the list is as it was.
 */
int reply_read(const void *bytes, size_t n, struct probe_list *list, struct trawl_error *err);

#endif
