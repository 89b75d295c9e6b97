/* SPDX-License-Identifier: MIT */
/*
 * The reply of the confined reader (apart.h) to the recorder: changes of the list of probes, or an
 * error. The reader may have been taken over by a malicious file, so the reply is validated
 * completely before any of it is used. Even a malicious reply can make the recorder write nothing
 * to tracefs but definitions of probes in the files that were opened.
 */
#ifndef TRAWL_CAPTURE_PROBE_REPLY_H
#define TRAWL_CAPTURE_PROBE_REPLY_H

#include <stddef.h>

#include "capture/probe/types.h"
#include "format/trawl.h"

/* The list's probes and remarks before the reader changes them. */
struct reply_before {
	struct probe **probes; /* a malloc'd copy of the list's array */
	size_t n, nnotes;
};
struct reply_before reply_before(const struct probe_list *list);

/*
 * Encodes the changes since `before`: which of those probes remain, new probes, new remarks, build
 * ids; or *err if ret is not 0. Returns malloc'd bytes, *n of them.
 */
void *reply_write(const struct probe_list *list, const struct reply_before *before, int ret,
		  const struct trawl_error *err, size_t *n);

/*
 * Applies a reply to the list, which must be as it was when the reader was started. The list's
 * files stay as they are, and every probe must be in one of them. Returns 0; -1 with the *err that
 * was replied; or 1 if the reply is invalid, and then the list's probes and remarks are unchanged.
 */
int reply_read(const void *bytes, size_t n, struct probe_list *list, struct trawl_error *err);

#endif
