/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Probes of TRAWL_IOC_PROBE: they record the last branches of a task that executes the instruction
 * at a place in a file.
 */
#ifndef TRAWL_KMOD_PROBE_H
#define TRAWL_KMOD_PROBE_H

#include "kmod/trawl_uapi.h"

struct session;

/*
 * Both are called with session->mutex held. probe_add() returns 0, -EINVAL, -EBADF, -EEXIST, -ENXIO
 * (no ring), -ENOMEM, or an error of uprobe_register().
 */
int probe_add(struct session *session, const struct trawl_probe *probe);
int probe_remove(struct session *session, u64 cookie);	/* -ENOENT */

/* probes_end() - removes all probes of a session that is being closed. */
void probes_end(struct session *session);

#endif
